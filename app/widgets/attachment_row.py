"""The files that go along with a message, as chips above the text."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.models.attachment import Attachment
from app.models.formats import format_count
from app.widgets import theme
from app.widgets.flow_layout import FlowLayout
from app.widgets.glyphs import draw_glyph
from app.widgets.icon_button import IconButton
from app.widgets.labels import QuietLabel, plain_tip

_NAME_WIDTH = 160


class AttachmentRow(QWidget):
    """One chip a file, with its tokens and a button that takes it away."""

    remove_requested = Signal(int)  # its place in the row

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = FlowLayout(self, theme.S)
        self._chips: list[_Chip] = []
        self.hide()

    def set_attachments(self, attachments: list[Attachment]) -> None:
        """Show these files."""
        for chip in self._chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for place, attachment in enumerate(attachments):
            chip = _Chip(attachment, self)
            chip.close_button.clicked.connect(
                lambda _=False, p=place: self.remove_requested.emit(p)
            )
            self._row.addWidget(chip)
            self._chips.append(chip)
        self.setVisible(bool(attachments))

    def texts(self) -> list[str]:
        """Return what the chips say."""
        return [chip.accessibleName() for chip in self._chips]


class _Chip(QWidget):
    def __init__(self, attachment: Attachment, parent: QWidget) -> None:
        super().__init__(parent)
        about = "" if attachment.exact else "≈ "
        tokens = self.tr("{about}{count} tokens").format(
            about=about, count=format_count(attachment.n_tokens)
        )
        name = QLabel(self)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setText(
            name.fontMetrics().elidedText(
                attachment.name, Qt.TextElideMode.ElideMiddle, _NAME_WIDTH
            )
        )
        self.setToolTip(plain_tip(attachment.name))
        self.setAccessibleName(f"{attachment.name}, {tokens}")
        self.close_button = IconButton(
            "close", self.tr("Remove {name}").format(name=attachment.name), self
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(theme.S)
        row.addSpacing(theme.XL - theme.XS)
        row.addWidget(name)
        row.addWidget(QuietLabel(tokens, self, theme.SMALL_SIZE))
        row.addWidget(self.close_button)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colours.border, 1))
        painter.setBrush(colours.code)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        side = 14.0
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x = self.width() - side - 6 if mirrored else 6
        spot = QRectF(x, (self.height() - side) / 2, side, side)
        draw_glyph(painter, "file", spot, colours.secondary)
