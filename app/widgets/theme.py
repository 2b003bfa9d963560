"""Look in one place: spacing, fonts, and colour roles computed from the palette.

Every colour is derived from the widget's :class:`QPalette`, so a change of scheme or accent colour
(``PaletteChange``) is followed by asking again. Text roles reach a contrast of at least 4.5:1.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication, QWidget

# Spacing, in device-independent pixels.
XS, S, M, L, XL = 4, 8, 12, 16, 24
RADIUS, RADIUS_LARGE = 6, 12
TOOLBAR_HEIGHT = 48
SIDEBAR_WIDTH, PANEL_WIDTH = 235, 295
TRANSCRIPT_MARGIN, NARROW_MARGIN, COLUMN_WIDTH = 40, 12, 668
WINDOW_SIZE = (1280, 820)

TEXT_CONTRAST = 4.5  # WCAG 2.2, level AA, body text
SHAPE_CONTRAST = 3.0  # WCAG 2.2, level AA, controls

# Text sizes in pixels at the usual text size (on macOS a point is a pixel).
BODY_SIZE, CODE_SIZE, SMALL_SIZE, GAUGE_SIZE = 13, 12, 11, 36

# How the scheme looks where the platform has no palette of its own worth keeping.
_LIGHT = {"window": "#f5f5f7", "base": "#ffffff", "text": "#1d1d1f", "accent": "#0a7cff"}
_DARK = {"window": "#262629", "base": "#1e1e20", "text": "#f5f5f7", "accent": "#3d9bff"}


@dataclass(frozen=True, slots=True)
class Colours:
    """Colour roles for one palette.

    Attributes:
        window: Sidebar and toolbar background.
        panel: Memory panel background, between ``window`` and ``base``.
        base: Transcript and field background.
        text: Body text.
        secondary: Captions and quiet labels, readable on window, panel and base.
        border: Hairlines and outlines of buttons and fields.
        track: The empty part of gauge and sliders.
        accent: Lines and shapes in the accent colour.
        accent_text: Text in the accent colour, readable on ``base``.
        selection: Background of selected rows and accent buttons.
        on_selection: Text on ``selection``.
        bubble: Background of a person's message.
        code: Background of code boxes.
        success: "Suggested" and other good news, readable as text.
        warning: The colour of caution, for shapes.
        danger: Errors, readable as text.
        remembered: The strongest shade of "what is remembered".
        hover: Background under the pointer.
        is_dark: Whether the palette is a dark one.
    """

    window: QColor
    panel: QColor
    base: QColor
    text: QColor
    secondary: QColor
    border: QColor
    track: QColor
    accent: QColor
    accent_text: QColor
    selection: QColor
    on_selection: QColor
    bubble: QColor
    code: QColor
    success: QColor
    warning: QColor
    danger: QColor
    remembered: QColor
    hover: QColor
    is_dark: bool


def mix(first: QColor, second: QColor, share: float) -> QColor:
    """Return ``first`` with ``share`` (0..1) of ``second`` in it."""
    return QColor.fromRgbF(
        first.redF() + (second.redF() - first.redF()) * share,
        first.greenF() + (second.greenF() - first.greenF()) * share,
        first.blueF() + (second.blueF() - first.blueF()) * share,
    )


def contrast_ratio(first: QColor, second: QColor) -> float:
    """Return the WCAG contrast of two opaque colours, 1.0 to 21.0."""
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def ensure_contrast(colour: QColor, background: QColor, ratio: float) -> QColor:
    """Return ``colour``, moved toward black or white only as far as ``ratio`` asks for."""
    end = QColor("white" if _luminance(background) < 0.18 else "black")
    for step in range(21):
        candidate = mix(colour, end, step / 20)
        if contrast_ratio(candidate, background) >= ratio:
            return candidate
    return end


def is_dark(palette: QPalette) -> bool:
    """Return whether text is lighter than the window in ``palette``."""
    role = QPalette.ColorRole
    return palette.color(role.WindowText).lightnessF() > palette.color(role.Window).lightnessF()


def colours(palette: QPalette) -> Colours:
    """Compute the colour roles for ``palette``."""
    role = QPalette.ColorRole
    window, base = palette.color(role.Window), palette.color(role.Base)
    text, accent = palette.color(role.Text), palette.color(role.Accent)
    return _compute(window.rgb(), base.rgb(), text.rgb(), accent.rgb())


@lru_cache(maxsize=16)
def _compute(*rgb: int) -> Colours:
    window, base, text, accent = (QColor(value) for value in rgb)
    dark = text.lightnessF() > window.lightnessF()
    hardest = base if dark else window  # quiet text has the least contrast here
    if dark:
        hardest = max((window, base), key=_luminance)
    selection = ensure_contrast(accent, QColor("white"), TEXT_CONTRAST)
    return Colours(
        window=window,
        panel=mix(window, base, 0.4 if dark else 0.5),
        base=base,
        text=text,
        secondary=ensure_contrast(mix(text, base, 0.46), hardest, TEXT_CONTRAST),
        border=mix(base, text, 0.13),
        track=mix(base, text, 0.13 if dark else 0.115),
        accent=ensure_contrast(accent, base, SHAPE_CONTRAST),
        accent_text=ensure_contrast(accent, hardest, TEXT_CONTRAST),
        selection=selection,
        on_selection=QColor("white"),
        bubble=mix(mix(base, text, 0.07), accent, 0.05 if dark else 0.025),
        code=mix(base, QColor("black"), 0.22) if dark else mix(base, text, 0.04),
        success=ensure_contrast(QColor("#30a46c"), hardest, TEXT_CONTRAST),
        warning=ensure_contrast(QColor("#ffb224"), base, SHAPE_CONTRAST),
        danger=ensure_contrast(QColor("#e5484d"), hardest, TEXT_CONTRAST),
        remembered=mix(base, accent, 0.38),
        hover=mix(window, text, 0.06),
        is_dark=dark,
    )


def column_margin(room: int) -> int:
    """Return the least margin beside the column of messages, in a pane ``room`` pixels wide."""
    return TRANSCRIPT_MARGIN if room > 480 else NARROW_MARGIN


def text_scale() -> float:
    """Return the user's text size relative to the usual one, 1.0 for 13 pixels."""
    return QFontInfo(QApplication.font()).pixelSize() / BODY_SIZE


def font(size: float = BODY_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the interface font, ``size`` pixels at the usual text size."""
    result = QFont(QApplication.font())
    result.setPixelSize(max(1, round(size * text_scale())))
    result.setWeight(weight)
    return result


def set_font(
    widget: QWidget, size: float = BODY_SIZE, weight: QFont.Weight = QFont.Weight.Normal
) -> None:
    """Give ``widget`` the interface font as :func:`font` does, and keep it so.

    A widget with a size of its own is not told when the application's font changes.
    """
    widget.setFont(font(size, weight))
    application = QApplication.instance()
    if isinstance(application, QApplication):
        application.fontChanged.connect(_FontKeeper(widget, size, weight).on_font_changed)


class _FontKeeper(QObject):
    """A child of a widget that keeps its font in step with the user's text size."""

    def __init__(self, widget: QWidget, size: float, weight: QFont.Weight) -> None:
        super().__init__(widget)
        self._widget, self._size, self._weight = widget, size, weight

    @Slot()
    def on_font_changed(self) -> None:
        """Set the font anew."""
        self._widget.setFont(font(self._size, self._weight))


def fixed_font(size: float = CODE_SIZE) -> QFont:
    """Return the platform's fixed-width font, ``size`` pixels at the usual text size."""
    result = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    result.setPixelSize(max(1, round(size * text_scale())))
    return result


def scheme_palette(dark: bool) -> QPalette:
    """Return the palette for platforms whose own palette is not used (everywhere but macOS)."""
    names = _DARK if dark else _LIGHT
    window, base, text = (QColor(names[k]) for k in ("window", "base", "text"))
    accent = QColor(names["accent"])
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette(text, window)
    faint = mix(text, base, 0.46)
    for key, colour in {
        role.Window: window,
        role.WindowText: text,
        role.Base: base,
        role.AlternateBase: mix(base, text, 0.03),
        role.Text: text,
        role.Button: base,
        role.ButtonText: text,
        role.ToolTipBase: mix(base, text, 0.06),
        role.ToolTipText: text,
        role.PlaceholderText: ensure_contrast(faint, window, TEXT_CONTRAST),
        role.Accent: accent,
        role.Highlight: ensure_contrast(accent, QColor("white"), TEXT_CONTRAST),
        role.HighlightedText: QColor("white"),
        role.Link: ensure_contrast(accent, window, TEXT_CONTRAST),
        role.LinkVisited: ensure_contrast(accent, window, TEXT_CONTRAST),
        role.Light: mix(window, QColor("white"), 0.2),
        role.Midlight: mix(base, text, 0.08),
        role.Mid: mix(base, text, 0.2),
        role.Dark: mix(base, text, 0.3),
        role.Shadow: QColor("black"),
    }.items():
        palette.setColor(key, colour)
    for key in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(group.Disabled, key, mix(text, base, 0.6))
    palette.setColor(group.Disabled, role.Accent, mix(text, base, 0.6))
    return palette


def apply_theme(app: QApplication) -> None:
    """Give ``app`` its look: native on macOS, elsewhere Fusion with our palette and font.

    Follows the desktop's light or dark scheme from then on.
    """
    if sys.platform == "darwin":
        return
    from app.widgets.style import VeloxStyle

    app.setStyle(VeloxStyle())
    family = next((f for f in ("Inter", "Noto Sans") if f in QFontDatabase.families()), None)
    base = QFont(family) if family else QFont(app.font())
    base.setPixelSize(BODY_SIZE)
    app.setFont(base)
    hints = app.styleHints()
    app.setPalette(scheme_palette(hints.colorScheme() == Qt.ColorScheme.Dark))
    hints.colorSchemeChanged.connect(
        lambda scheme: app.setPalette(scheme_palette(scheme == Qt.ColorScheme.Dark))
    )


def _luminance(colour: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4

    r, g, b = linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
