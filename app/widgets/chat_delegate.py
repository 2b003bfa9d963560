"""How a chat stands in the sidebar: a heading, or a title over a quiet second line."""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from app.models.chat_roles import ChatRole
from app.widgets import theme
from app.widgets.labels import plain_tip
from app.widgets.snippets import Marks, bring_into_view, to_utf16

Index = QModelIndex | QPersistentModelIndex
_MARGIN, _PADDING = 10, 8
_LONGEST_LINE = 200  # characters that could ever be seen in a row


class ChatDelegate(QStyledItemDelegate):
    """Draws the rows of a model with the roles of :class:`ChatRole`."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return a row's height: two lines for a chat, one for a heading."""
        small = QFontMetrics(theme.font(theme.SMALL_SIZE)).height()
        if index.data(ChatRole.IS_SECTION):
            top = theme.S if index.row() == 0 else theme.L
            return QSize(100, small + top + theme.XS)
        body = QFontMetrics(theme.font()).height()
        return QSize(100, body + small + 2 * _PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        rect: QRect = option.rect  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.data(ChatRole.IS_SECTION):
            self._paint_section(painter, rect, index)
        else:
            self._paint_chat(painter, rect, option.state, index)  # type: ignore[attr-defined]
        painter.restore()

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """Show a title as it is in the tool tip."""
        if event.type() != QEvent.Type.ToolTip:
            return super().helpEvent(event, view, option, index)
        QToolTip.showText(event.globalPos(), self.tip(index), view)
        return True

    def tip(self, index: Index) -> str:
        """Return the tool tip of a row."""
        return plain_tip(str(index.data(Qt.ItemDataRole.ToolTipRole) or ""))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Return the field in which a title is edited."""
        editor = super().createEditor(parent, option, index)
        editor.setAccessibleName(self.tr("Title of the chat"))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        """Lay the field over the row."""
        rect: QRect = option.rect  # type: ignore[attr-defined]
        editor.setGeometry(rect.adjusted(_MARGIN, 4, -_MARGIN, -4))

    def _paint_section(self, painter: QPainter, rect: QRect, index: Index) -> None:
        painter.setFont(theme.font(theme.SMALL_SIZE, QFont.Weight.DemiBold))
        painter.setPen(theme.colours(QApplication.palette()).secondary)
        side = _MARGIN + _PADDING
        line = rect.adjusted(side, 0, -side, -theme.XS)
        sides = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignBottom
        painter.drawText(line, sides, str(index.data()).upper())

    def _paint_chat(
        self, painter: QPainter, rect: QRect, state: QStyle.StateFlag, index: Index
    ) -> None:
        colours = theme.colours(QApplication.palette())
        selected = bool(state & QStyle.StateFlag.State_Selected)
        box = QRectF(rect).adjusted(_MARGIN, 1, -_MARGIN, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if selected:
            painter.setBrush(colours.selection)
            painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(colours.hover)
            painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        inside = box.adjusted(_PADDING, _PADDING - 1, -_PADDING, -_PADDING + 1)
        title, quiet = (
            (colours.on_selection, colours.on_selection)
            if selected
            else (colours.text, colours.secondary)
        )
        body, small = theme.font(), theme.font(theme.SMALL_SIZE)
        painter.setPen(title)
        _draw_line(painter, body, str(index.data()), inside, True, ())
        painter.setPen(quiet)
        preview = str(index.data(ChatRole.PREVIEW) or "")
        marks = index.data(ChatRole.HIGHLIGHTS) or ()
        _draw_line(painter, small, preview, inside, False, marks)


def _draw_line(
    painter: QPainter,
    font: QFont,
    text: str,
    box: QRectF,
    at_top: bool,
    marks: Marks,
) -> None:
    """Draw one elided line at the top or bottom of ``box``; ``marks`` are drawn bold."""
    metrics = QFontMetrics(font)
    text = " ".join(text[:_LONGEST_LINE].split("\n"))
    text, marks = bring_into_view(text, marks, metrics, box.width())
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    top = box.top() if at_top else box.bottom() - metrics.height()
    layout = QTextLayout(shown, font)
    option = layout.textOption()
    option.setWrapMode(option.WrapMode.NoWrap)
    if QApplication.layoutDirection() == Qt.LayoutDirection.RightToLeft:
        option.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
    layout.setTextOption(option)
    seen = [(start, end) for start, end in marks if end <= len(shown)]
    layout.setFormats([_mark(start, end) for start, end in to_utf16(shown, seen)])
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(box.width())
    layout.endLayout()
    layout.draw(painter, QPointF(box.left(), top))


def _mark(start: int, end: int) -> QTextLayout.FormatRange:
    span = QTextLayout.FormatRange()
    span.start, span.length = start, end - start  # type: ignore[attr-defined]
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.Bold)
    span.format = bold  # type: ignore[attr-defined]
    return span
