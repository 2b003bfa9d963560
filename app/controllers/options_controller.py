"""The open chat's sampling values and system prompt, edited in the panel."""

from dataclasses import asdict

from PySide6.QtCore import QObject, Signal, Slot

from app.controllers.chat_settings import ChatSettings
from app.models.sampling_view import SamplingView
from app.settings.prompts import PromptLibrary
from app.settings.setting import SettingError
from app.widgets.fold import Fold
from app.widgets.memory_panel import MemoryPanel
from app.widgets.prompt_editor import PromptEditor
from app.widgets.sampling_form import SamplingForm

_SAMPLING = "sampling."
_PROMPT = "chat.system_prompt"


class OptionsController(QObject):
    """Adds its two sections to the panel and keeps them as the open chat is.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)

    def __init__(
        self,
        panel: MemoryPanel,
        settings: ChatSettings,
        library: PromptLibrary,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._library = library
        self.form = SamplingForm(panel)
        self.editor = PromptEditor(panel)
        panel.add_section(Fold(self.tr("Sampling"), self.form, panel))
        prompt = Fold(self.tr("System prompt"), self.editor, panel)
        prompt.set_open(False)
        panel.add_section(prompt)
        self.form.sampling_changed.connect(self._on_sampling_changed)
        self.editor.prompt_changed.connect(self._on_prompt_changed)
        self.editor.presets_requested.connect(self._show_presets)
        self.editor.save_requested.connect(self._on_save_requested)
        self.editor.delete_requested.connect(self._on_delete_requested)
        settings.changed.connect(self._on_settings_changed)
        self._show()

    def _show(self) -> None:
        names = SamplingView.__dataclass_fields__
        values = {name: self._settings.get(_SAMPLING + name) for name in names}
        values["stop"] = tuple(values["stop"])
        self.form.set_sampling(SamplingView(**values))
        self.editor.set_prompt(self._settings.get(_PROMPT))

    @Slot(object)
    def _on_settings_changed(self, keys: frozenset[str]) -> None:
        if any(key == _PROMPT or key.startswith(_SAMPLING) for key in keys):
            self._show()

    @Slot(object)
    def _on_sampling_changed(self, view: SamplingView) -> None:
        for name, value in asdict(view).items():
            self._set(_SAMPLING + name, list(value) if isinstance(value, tuple) else value)

    @Slot(str)
    def _on_prompt_changed(self, text: str) -> None:
        self._set(_PROMPT, text)

    @Slot()
    def _show_presets(self) -> None:
        presets = [(p.name, p.text, p.is_own) for p in self._library.prompts()]
        self.editor.set_presets(presets)

    @Slot(str, str)
    def _on_save_requested(self, name: str, text: str) -> None:
        try:
            self._library.save(name, text)
        except (SettingError, OSError) as error:
            self.problem.emit(str(error))

    @Slot(str)
    def _on_delete_requested(self, name: str) -> None:
        try:
            self._library.delete(name)
        except (SettingError, OSError) as error:
            self.problem.emit(str(error))

    def _set(self, key: str, value: object) -> None:
        try:
            self._settings.set(key, value)
        except SettingError as error:
            self.problem.emit(str(error))
            self._show()
