"""The settings as a table for the README."""

from app.settings.setting import Setting
from app.settings.table import GROUPS, SETTINGS

BEGIN = "<!-- settings: made by `python -m app.settings` -->"
END = "<!-- end of settings -->"


def settings_table() -> str:
    """Markdown: every setting that the window shows, with default, range and when it applies."""
    lines = [
        "| setting | key | default | allowed | applies | what it does |",
        "|---|---|---|---|---|---|",
    ]
    labels = {group.key: group.label for group in GROUPS}
    for setting in SETTINGS:
        if not setting.hidden:
            cells = (
                f"{labels[setting.group]}: {setting.label}",
                f"`{setting.key}`{' ¹' if setting.per_chat else ''}",
                _value(setting, setting.default),
                _allowed(setting),
                setting.applies,
                setting.help,
            )
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "¹ each chat can have its own value"]
    return "\n".join(lines)


def _value(setting: Setting, value: object) -> str:
    if value is None:
        return setting.none_label.lower()
    if isinstance(value, bool):
        return "on" if value else "off"
    if setting.kind == "choice":
        return dict(setting.choices)[str(value)].lower()
    if value in ("", ()):
        return "empty"
    number = f"{value:,}" if isinstance(value, int) else f"{value:g}"
    return f"{number} {setting.unit}".strip()


def _allowed(setting: Setting) -> str:
    if setting.kind == "bool":
        return "on, off"
    if setting.kind == "choice":
        return ", ".join(label.lower() for _value, label in setting.choices)
    if setting.kind in ("int", "float"):
        numbers = f"{setting.minimum:,} to {setting.maximum:,}"
        return f"{setting.none_label.lower()}, {numbers}" if setting.optional else numbers
    return {"text_list": "lines of text", "folder_list": "folders"}.get(setting.kind, "text")
