"""The flat look used where there is no macOS: Fusion with quiet, rounded controls.

On macOS the native style draws everything and this module is not used.
"""

from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QLineEdit,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComplex,
    QStyleOptionSlider,
    QWidget,
)

from app.widgets import theme

_State = QStyle.StateFlag
_Primitive = QStyle.PrimitiveElement
_SCROLLBAR_EXTENT = 10
_FIELD_PADDING = 5
_FRAME_RADIUS = 3


class VeloxStyle(QProxyStyle):
    """Fusion, with buttons, fields, menus and scroll bars drawn flat in the palette's colours."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw buttons and fields as rounded boxes; the rest as Fusion does."""
        if element == _Primitive.PE_PanelButtonCommand:
            _draw_button(option, painter)
        elif element in (_Primitive.PE_PanelLineEdit, _Primitive.PE_FrameLineEdit):
            # The box around a number is drawn with its arrows.
            inside = widget is not None and isinstance(widget.parent(), QAbstractSpinBox)
            if not inside and (widget is None or widget.property("frameless") is not True):
                _draw_field(option, painter)
        elif element == _Primitive.PE_Frame:
            _draw_frame(option, painter)
        elif element == _Primitive.PE_FrameFocusRect:
            _draw_focus(option, painter)
        elif element in (_Primitive.PE_PanelMenu, _Primitive.PE_FrameMenu):
            _draw_menu(element, option, painter)
        else:
            super().drawPrimitive(element, option, painter, widget)

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw progress bars as a plain rounded line; the rest as Fusion does."""
        if element == QStyle.ControlElement.CE_PushButtonLabel and (
            isinstance(option, QStyleOptionButton) and _is_default(option)
        ):
            light = QStyleOptionButton(option)
            _whiten(light)
            super().drawControl(element, light, painter, widget)
        elif element == QStyle.ControlElement.CE_ProgressBarGroove:
            _draw_progress(option, painter, 1.0, is_groove=True)
        elif element == QStyle.ControlElement.CE_ProgressBarContents and _span(option) > 0:
            _draw_progress(option, painter, _share(option))
        else:
            super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Draw scroll bars as a slim rounded thumb, numbers as fields; the rest as Fusion does."""
        if control == QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            self._draw_scrollbar(option, painter, widget)
        elif control == QStyle.ComplexControl.CC_SpinBox:
            self._draw_spin_box(option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        """Return Fusion's measures with slimmer scroll bars."""
        if metric == QStyle.PixelMetric.PM_ScrollBarExtent:
            return _SCROLLBAR_EXTENT
        if metric == QStyle.PixelMetric.PM_DefaultFrameWidth and isinstance(widget, QLineEdit):
            return _FIELD_PADDING
        return super().pixelMetric(metric, option, widget)

    def sizeFromContents(
        self, kind: QStyle.ContentsType, option: QStyleOption, size: QSize, widget: Any = None
    ) -> QSize:
        """Give the text of buttons room to breathe."""
        result = super().sizeFromContents(kind, option, size, widget)
        if kind == QStyle.ContentsType.CT_PushButton:
            result += QSize(theme.S, theme.XS)
        return result

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        sub_control: QStyle.SubControl,
        widget: Any = None,
    ) -> QRect:
        """Give scroll bars no arrow buttons."""
        rect = super().subControlRect(control, option, sub_control, widget)
        arrows = (QStyle.SubControl.SC_ScrollBarAddLine, QStyle.SubControl.SC_ScrollBarSubLine)
        if control == QStyle.ComplexControl.CC_ScrollBar and sub_control in arrows:
            return QRect()
        return rect

    def _draw_scrollbar(self, option: Any, painter: QPainter, widget: Any) -> None:
        rect = self.subControlRect(
            QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, widget
        )
        if option.maximum <= option.minimum:
            return
        colours = theme.colours(option.palette)
        active = option.state & (_State.State_MouseOver | _State.State_Sunken)
        thumb = theme.mix(colours.base, colours.text, 0.4 if active else 0.22)
        across = option.orientation == Qt.Orientation.Horizontal
        inset = (
            QRectF(rect).adjusted(1, 3, -1, -2) if across else QRectF(rect).adjusted(3, 1, -2, -1)
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(thumb)
        radius = min(inset.width(), inset.height()) / 2
        painter.drawRoundedRect(inset, radius, radius)
        painter.restore()

    def _draw_spin_box(self, option: Any, painter: QPainter, widget: Any) -> None:
        if option.frame:
            _draw_field(option, painter)
        if option.buttonSymbols == QAbstractSpinBox.ButtonSymbols.NoButtons:
            return
        colours = theme.colours(option.palette)
        for part, step, down in (
            (QStyle.SubControl.SC_SpinBoxUp, QAbstractSpinBox.StepEnabledFlag.StepUpEnabled, 0),
            (QStyle.SubControl.SC_SpinBoxDown, QAbstractSpinBox.StepEnabledFlag.StepDownEnabled, 1),
        ):
            rect = self.subControlRect(QStyle.ComplexControl.CC_SpinBox, option, part, widget)
            ink = colours.secondary if option.stepEnabled & step else colours.border
            _draw_arrow(painter, QRectF(rect).center(), ink, 1 if down else -1)


# The bindings' stubs leave out the members of style options, hence Any.
def _draw_button(option: Any, painter: QPainter) -> None:
    colours = theme.colours(option.palette)
    fill, border = colours.base, colours.border
    if _is_default(option):
        fill = border = colours.selection
    state = option.state
    if state & (_State.State_Sunken | _State.State_On):
        fill = theme.mix(fill, colours.text, 0.1)
    elif state & _State.State_MouseOver and state & _State.State_Enabled:
        fill = theme.mix(fill, colours.text, 0.04)
    _box(painter, option.rect, fill, border, theme.RADIUS)


def _draw_menu(element: QStyle.PrimitiveElement, option: Any, painter: QPainter) -> None:
    colours = theme.colours(option.palette)
    if element == _Primitive.PE_PanelMenu:
        painter.fillRect(option.rect, colours.base)
    painter.setPen(colours.border)
    painter.drawRect(option.rect.adjusted(0, 0, -1, -1))


def _is_default(option: Any) -> bool:
    features = getattr(option, "features", None)
    return features is not None and bool(features & option.ButtonFeature.DefaultButton)


def _whiten(option: Any) -> None:
    palette = option.palette
    colour = theme.colours(palette).on_selection
    palette.setColor(palette.ColorRole.ButtonText, colour)
    option.palette = palette


def _draw_field(option: Any, painter: QPainter) -> None:
    colours = theme.colours(option.palette)
    focused = bool(option.state & _State.State_HasFocus)
    border = colours.accent if focused else colours.border
    _box(painter, option.rect, colours.base, border, theme.RADIUS)


def _draw_frame(option: Any, painter: QPainter) -> None:
    colours = theme.colours(option.palette)
    focused = bool(option.state & _State.State_HasFocus)
    _box(painter, option.rect, None, colours.accent if focused else colours.border, _FRAME_RADIUS)


def _draw_arrow(painter: QPainter, centre: QPointF, ink: QColor, direction: int) -> None:
    tip = direction * 1.5
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink, 1.3))
    points = [QPointF(-3, -tip), QPointF(0, tip), QPointF(3, -tip)]
    painter.drawPolyline([centre + point for point in points])
    painter.restore()


def _draw_focus(option: Any, painter: QPainter) -> None:
    colours = theme.colours(option.palette)
    _box(painter, option.rect, None, colours.accent, theme.RADIUS)


def _span(option: Any) -> int:
    return int(option.maximum - option.minimum)


def _share(option: Any) -> float:
    return float(option.progress - option.minimum) / _span(option)


def _draw_progress(
    option: Any, painter: QPainter, share: float, *, is_groove: bool = False
) -> None:
    colours = theme.colours(option.palette)
    height = min(6.0, float(option.rect.height()))
    box = QRectF(option.rect)
    box = QRectF(box.left(), box.center().y() - height / 2, box.width() * share, height)
    if option.direction == Qt.LayoutDirection.RightToLeft:
        box.moveRight(QRectF(option.rect).right())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.track if is_groove else colours.accent)
    if box.width() > 0:
        painter.drawRoundedRect(box, height / 2, height / 2)
    painter.restore()


def _box(
    painter: QPainter, rect: QRect, fill: QColor | None, border: QColor, radius: float
) -> None:
    path = QPainterPath()
    path.addRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if fill is not None:
        painter.fillPath(path, fill)
    painter.setPen(QPen(border, 1))
    painter.drawPath(path)
    painter.restore()
