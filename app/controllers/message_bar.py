"""What the window says in its banners: problems, news, and how to undo."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.widgets.banner import BannerArea

_NEWS_S = 8.0
_UNDO_S = 20.0


class MessageBar(QObject):
    """One banner a kind; a new message of a kind takes the old one's place.

    Signals:
        undo_changed: whether something can be undone.
    """

    undo_changed = Signal(bool)

    def __init__(self, banners: BannerArea, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._banners = banners
        self._actions: dict[str, Callable[[], None]] = {}
        banners.action_triggered.connect(self._on_action_triggered)
        banners.dismissed.connect(self._on_dismissed)

    @Slot(str)
    def show_problem(self, sentence: str) -> None:
        """Say what went wrong and what to do."""
        self._banners.show_message("problem", sentence, "error")

    @Slot(str)
    def show_news(self, sentence: str) -> None:
        """Say that something went well; it goes away by itself."""
        self._banners.show_message("news", sentence, "info", timeout_s=_NEWS_S)

    def show_warning(
        self, key: str, sentence: str, action: str = "", then: Callable[[], None] | None = None
    ) -> None:
        """Say something that stays until it is dismissed, perhaps with a button."""
        if then is not None:
            self._actions[key] = then
        self._banners.show_message(key, sentence, "warning", action)

    def show_progress(self, key: str, sentence: str, stop: Callable[[], None]) -> None:
        """Say how far a longer task is, with a button that stops it."""
        if not self._banners.update_text(key, sentence):
            self._actions[key] = stop
            self._banners.show_message(key, sentence, "info", self.tr("Stop"))

    def clear(self, key: str) -> None:
        """Take a message away."""
        self._actions.pop(key, None)
        self._banners.clear_message(key)

    def offer_undo(self, sentence: str, undo: Callable[[], None]) -> None:
        """Say what was taken away and offer to bring it back."""
        self._actions["undo"] = undo
        self._banners.show_message("undo", sentence, "info", self.tr("Undo"), _UNDO_S)
        self.undo_changed.emit(True)

    @Slot()
    def undo(self) -> None:
        """Bring back what was taken away last."""
        self._banners.clear_message("undo")
        self._on_action_triggered("undo")

    @Slot(str)
    def _on_action_triggered(self, key: str) -> None:
        action = self._actions.pop(key, None)
        if key == "undo":
            self.undo_changed.emit(False)
        if action is not None:
            action()

    @Slot(str)
    def _on_dismissed(self, key: str) -> None:
        # What was deleted can still be brought back from the menu.
        if key != "undo":
            self._actions.pop(key, None)
