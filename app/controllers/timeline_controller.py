"""The time line out to files: a picture and a table."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFileDialog

from app.controllers.open_chat import OpenChat
from app.models.time_sample import to_csv
from app.storage.exporting import file_name
from app.widgets import theme
from app.widgets.timeline import TimeLine

_SCALE = 4  # pixels of the picture for each of the window's


class TimelineController(QObject):
    """Asks for a file and writes it.

    Signals:
        done: one plain sentence on what was written.
        problem: one plain sentence to show.
    """

    done = Signal(str)
    problem = Signal(str)

    def __init__(
        self, timeline: TimeLine, open_chat: OpenChat, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self._open = open_chat
        timeline.picture_requested.connect(self.save_picture)
        timeline.values_requested.connect(self.save_values)

    def write_picture(self, path: Path) -> None:
        """Write the time line as it is drawn, four times as fine, to a PNG file."""
        size = self._timeline.size()
        picture = QPixmap(size * _SCALE)
        picture.setDevicePixelRatio(_SCALE)
        picture.fill(theme.colours(self._timeline.palette()).panel)
        self._timeline.render(picture)
        self._tell(path, picture.save(str(path), "PNG"))

    def write_values(self, path: Path) -> None:
        """Write the measured values to a CSV file."""
        try:
            path.write_text(to_csv(self._timeline.samples()), encoding="utf-8")
        except OSError:
            self._tell(path, False)
        else:
            self._tell(path, True)

    @Slot()
    def save_picture(self) -> None:
        """Ask for a file and save the picture in it."""
        if self._is_empty():
            return
        if path := self._ask(self.tr("Save Picture"), "png"):
            self.write_picture(path)

    @Slot()
    def save_values(self) -> None:
        """Ask for a file and save the values in it."""
        if self._is_empty():
            return
        if path := self._ask(self.tr("Save Values"), "csv"):
            self.write_values(path)

    def _is_empty(self) -> bool:
        if self._timeline.samples():
            return False
        self.problem.emit(self.tr("Nothing was measured in this chat yet; send a message first."))
        return True

    def _ask(self, title: str, ending: str) -> Path | None:
        start = Path.home() / f"{file_name(self._open.title)}.{ending}"
        kinds = f"{ending.upper()} (*.{ending})"
        name, _ = QFileDialog.getSaveFileName(self._timeline, title, str(start), kinds)
        if not name:
            return None
        path = Path(name)
        return path if path.suffix else path.with_suffix(f".{ending}")

    def _tell(self, path: Path, written: bool) -> None:
        if written:
            self.done.emit(self.tr("Saved to {path}.").format(path=path))
        else:
            text = self.tr("{name} could not be written; choose another place.")
            self.problem.emit(text.format(name=path.name))
