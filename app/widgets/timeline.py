"""A time line of the conversation: bytes held (solid) and what full would be (dashed)."""

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from app.models.formats import format_bytes, format_count, format_ratio
from app.models.time_sample import TimeSample
from app.widgets import theme

_MAX_SAMPLES = 256
_MARGIN = 4
_BAR_STRENGTH = 0.6  # so that the lines stand out
_BARS = 0.4  # of the height: the bar of the reply with the most evictions


class TimeLine(QWidget):
    """Samples along the tokens seen; the number of points stays bounded however long the chat.

    Ticks below mark where turns began and dots where the budget was changed; a bar along each reply
    is as high as what was evicted in it. The pointer tells the values, ← and → do so by keyboard.
    """

    picture_requested = Signal()
    values_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples: list[TimeSample] = []
        self._turns: list[tuple[int, int]] = []  # tokens seen and dropped when it began
        self._budgets: list[int] = []
        self._at = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Cache over the conversation"))

    def add_sample(self, sample: TimeSample) -> None:
        """Add a moment; going back (edit, regenerate) drops what came later."""
        seen = sample.tokens_seen
        before = self._samples[-1].budget if self._samples else sample.budget
        while self._samples and self._samples[-1].tokens_seen >= seen:
            self._samples.pop()
        self._turns = [turn for turn in self._turns if turn[0] <= seen]
        self._budgets = [at for at in self._budgets if at <= seen]
        if sample.budget != before:
            self._budgets.append(seen)
        dropped = self._turns[-1][1] if self._turns else 0
        evicted = max(0, sample.dropped - dropped)
        sample = replace(sample, reply=len(self._turns), evicted=evicted)
        self._samples.append(sample)
        if len(self._samples) > _MAX_SAMPLES:
            self._samples = self._samples[::2] + self._samples[-1:]
        self.setAccessibleDescription(self.describe(sample))
        self.update()

    def add_turn(self) -> None:
        """Mark that a turn begins here."""
        last = self._samples[-1] if self._samples else None
        self._turns.append((last.tokens_seen, last.dropped) if last else (0, 0))
        self.update()

    def clear(self) -> None:
        """Forget everything."""
        self._samples.clear()
        self._turns.clear()
        self._budgets.clear()
        self._at = -1
        self.setAccessibleDescription("")
        self.update()

    def samples(self) -> list[TimeSample]:
        """Return the samples, in order."""
        return list(self._samples)

    def marks(self) -> tuple[list[int], list[int]]:
        """Return where turns began and where the budget changed, in tokens seen."""
        return [at for at, _ in self._turns], list(self._budgets)

    def evictions(self) -> list[tuple[int, int, int]]:
        """Return for each reply that was measured where it began, where it ended, and evictions."""
        ends = {sample.reply: (sample.tokens_seen, sample.evicted) for sample in self._samples}
        return [(self._turns[reply - 1][0], *ends[reply]) for reply in sorted(ends) if reply > 0]

    def describe(self, sample: TimeSample) -> str:
        """Return what is told about one moment."""
        return self.tr(
            "{seen} seen, {kept} kept ({ratio}): {held} held of {full}, budget {budget}, "
            "{evicted} evicted in this reply"
        ).format(
            evicted=format_count(sample.evicted),
            seen=format_count(sample.tokens_seen),
            kept=format_count(sample.tokens_kept),
            ratio=format_ratio(sample.ratio),
            held=format_bytes(sample.cache_nbytes),
            full=format_bytes(sample.full_cache_nbytes),
            budget=format_count(sample.budget) if sample.budget else self.tr("none"),
        )

    def sample_at(self, x: float) -> TimeSample | None:
        """Return the sample nearest to ``x`` in the widget."""
        return min(self._samples, key=lambda s: abs(self._x(s.tokens_seen) - x), default=None)

    def sizeHint(self) -> QSize:
        """Return a strip across the panel."""
        return QSize(200, 56)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the values under the pointer."""
        sample = self.sample_at(event.position().x())
        if sample is not None:
            QToolTip.showText(event.globalPosition().toPoint(), self.describe(sample), self)

    def keyPressEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        """Walk along the samples with ← and →."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(event.key(), 0)
        if not step or not self._samples:
            super().keyPressEvent(event)
            return
        last = len(self._samples) - 1
        self._at = min(max((self._at if self._at >= 0 else last) + step, 0), last)
        sample = self._samples[self._at]
        spot = self.mapToGlobal(QPointF(self._x(sample.tokens_seen), self.height()).toPoint())
        self.setAccessibleDescription(self.describe(sample))
        QToolTip.showText(spot, self.describe(sample), self)
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to save it."""
        menu = QMenu(self)
        menu.addAction(self.tr("Save Picture…")).triggered.connect(self.picture_requested)
        menu.addAction(self.tr("Save Values…")).triggered.connect(self.values_requested)
        for action in menu.actions():
            action.setEnabled(bool(self._samples))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw both lines, turns and changes of the budget."""
        if not self._samples:
            return
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        held = [(s.tokens_seen, s.cache_nbytes) for s in self._samples]
        full = [(s.tokens_seen, s.full_cache_nbytes) for s in self._samples]
        top = max(1, *(y for _, y in held), *(y for _, y in full))
        bottom = self.height() - 1
        self._paint_evictions(painter, colours.remembered)
        painter.setPen(QPen(colours.secondary, 1))
        for at, _ in self._turns:
            painter.drawLine(QPointF(self._x(at), bottom - 4), QPointF(self._x(at), bottom))
        painter.setPen(QPen(colours.secondary, 1, Qt.PenStyle.DashLine))
        painter.drawPolyline(self._line(full, top))
        painter.setPen(QPen(colours.accent, 2))
        painter.drawPolyline(self._line(held, top))
        painter.setBrush(colours.accent)
        painter.setPen(Qt.PenStyle.NoPen)
        for at in self._budgets:
            painter.drawEllipse(QPointF(self._x(at), bottom - 2), 2, 2)
        if self.hasFocus() and 0 <= self._at < len(self._samples):
            x = self._x(self._samples[self._at].tokens_seen)
            painter.setPen(QPen(colours.text, 1))
            painter.drawLine(QPointF(x, 0), QPointF(x, bottom))

    def _paint_evictions(self, painter: QPainter, colour: QColor) -> None:
        replies, colour = self.evictions(), QColor(colour)
        colour.setAlphaF(_BAR_STRENGTH)
        most = max((evicted for _, _, evicted in replies), default=0)
        for begin, end, evicted in replies:
            height = evicted / most * _BARS * self.height() if most else 0.0
            left, right = self._x(begin) + 0.5, self._x(end) - 0.5
            painter.fillRect(QRectF(left, self.height() - height, right - left, height), colour)

    def _x(self, tokens: int) -> float:
        last = self._samples[-1].tokens_seen if self._samples else 0
        return 1 + tokens / max(1, last) * (self.width() - 2)

    def _line(self, points: list[tuple[int, int]], top: int) -> QPolygonF:
        """Every chat begins with nothing in the cache."""
        height = self.height() - 2 * _MARGIN
        return QPolygonF(
            [
                QPointF(self._x(seen), _MARGIN + height * (1 - nbytes / top))
                for seen, nbytes in [(0, 0), *points]
            ]
        )
