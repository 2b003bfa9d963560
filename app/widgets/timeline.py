"""A small time line of the conversation: bytes held (solid) and what full would be (dashed)."""

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.models.formats import format_bytes
from app.widgets import theme

_MAX_SAMPLES = 512


class TimeLine(QWidget):
    """Samples along the tokens seen; the number of points stays bounded however long the chat."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples: list[tuple[int, int, int]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Cache over the conversation"))
        self.setToolTip(
            self.tr(
                "Solid: bytes held. Dashed: what the full cache would hold for the same tokens."
            )
        )

    def add_sample(self, tokens_seen: int, cache_nbytes: int, full_nbytes: int) -> None:
        """Add the state at ``tokens_seen``; going back (edit, regenerate) drops what came later."""
        while self._samples and self._samples[-1][0] >= tokens_seen:
            self._samples.pop()
        self._samples.append((tokens_seen, cache_nbytes, full_nbytes))
        if len(self._samples) > _MAX_SAMPLES:
            self._samples = self._samples[::2] + self._samples[-1:]
        self.setAccessibleDescription(
            self.tr("{held} held of {full}").format(
                held=format_bytes(cache_nbytes), full=format_bytes(full_nbytes)
            )
        )
        self.update()

    def clear(self) -> None:
        """Forget all samples."""
        self._samples.clear()
        self.setAccessibleDescription("")
        self.update()

    def samples(self) -> list[tuple[int, int, int]]:
        """Return the samples: tokens seen, bytes held, bytes of the full cache."""
        return list(self._samples)

    def sizeHint(self) -> QSize:
        """Return a strip across the panel."""
        return QSize(200, 56)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw both lines, the dashed one only where it differs."""
        if len(self._samples) < 2:
            return
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        last = self._samples[-1][0]
        top = max(max(held, full) for _, held, full in self._samples) or 1
        width, height = self.width() - 2, self.height() - 8

        def line(which: int) -> QPolygonF:
            return QPolygonF(
                [
                    QPointF(
                        1 + sample[0] / last * width,
                        4 + height * (1 - sample[which] / top),
                    )
                    for sample in self._samples
                ]
            )

        painter.setPen(QPen(colours.secondary, 1, Qt.PenStyle.DashLine))
        painter.drawPolyline(line(2))
        painter.setPen(QPen(colours.accent, 2))
        painter.drawPolyline(line(1))
