"""What a setting is, and how a value for it is checked. No Qt here."""

import math
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["bool", "int", "float", "choice", "text", "long_text", "text_list", "folder_list"]
Applies = Literal["at once", "from the next reply", "when a model is loaded", "at the next start"]


class SettingError(ValueError):
    """A value that a setting does not take; the message is one plain sentence."""


@dataclass(frozen=True, slots=True)
class Group:
    """A page of the settings window."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        key: Its name in the file, ``group.name``.
        kind: The type of its value; ``text_list`` and ``folder_list`` are lists of texts.
        default: The value when nothing is stored.
        label: What the window calls it.
        help: One or two sentences on what it does.
        minimum: The lowest number allowed.
        maximum: The highest number allowed; for texts the greatest length in characters.
        step: What one step of its spin box adds.
        choices: For ``choice``, pairs of value and label.
        unit: What the number counts.
        optional: None is allowed and means what ``none_label`` says.
        none_label: What the window shows for None.
        logarithmic: A slider for it is logarithmic.
        applies: When a change takes effect.
        per_chat: A chat can have its own value.
        hidden: Kept for the application itself; not shown in the window or the README.
    """

    key: str
    kind: Kind
    default: Any
    label: str = ""
    help: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    choices: tuple[tuple[str, str], ...] = ()
    unit: str = ""
    optional: bool = False
    none_label: str = ""
    logarithmic: bool = False
    applies: Applies = "at once"
    per_chat: bool = False
    hidden: bool = False

    @property
    def group(self) -> str:
        """The key of the group that the setting is in."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.label or self.key

    def check(self, value: Any) -> Any:
        """The value as it is stored.

        Raises:
            SettingError: ``value`` has the wrong type or is out of range.
        """
        if value is None and self.optional:
            return None
        return _CHECKS[self.kind](self, value)


def _check_bool(setting: Setting, value: Any) -> bool:
    if not isinstance(value, bool):
        raise SettingError(f"{setting.name} must be true or false.")
    return value


def _check_number(setting: Setting, value: Any) -> float | int:
    whole = setting.kind == "int"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SettingError(f"{setting.name} must be a number.")
    if not math.isfinite(value) or (whole and value != int(value)):
        raise SettingError(f"{setting.name} must be a {'whole ' if whole else ''}number.")
    low, high = setting.minimum, setting.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        raise SettingError(f"{setting.name} must be between {low:,} and {high:,}.")
    return int(value) if whole else float(value)


def _check_choice(setting: Setting, value: Any) -> str:
    values = [choice for choice, _label in setting.choices]
    if value not in values:
        raise SettingError(f"{setting.name} must be one of {', '.join(values)}.")
    return str(value)


def _check_text(setting: Setting, value: Any) -> str:
    if not isinstance(value, str):
        raise SettingError(f"{setting.name} must be a text.")
    if setting.maximum is not None and len(value) > setting.maximum:
        raise SettingError(
            f"{setting.name} must be at most {setting.maximum:,.0f} characters long."
        )
    return value


def _check_text_list(setting: Setting, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise SettingError(f"{setting.name} must be a list of texts.")
    return tuple(_check_text(setting, item) for item in value)


_CHECKS = {
    "bool": _check_bool,
    "int": _check_number,
    "float": _check_number,
    "choice": _check_choice,
    "text": _check_text,
    "long_text": _check_text,
    "text_list": _check_text_list,
    "folder_list": _check_text_list,
}
