"""Colour roles follow the palette and stay readable."""

import pytest
from PySide6.QtGui import QColor, QPalette

from app.widgets import theme


@pytest.mark.parametrize("dark", [False, True])
def test_text_roles_reach_the_contrast_of_body_text(qapp, dark):
    c = theme.colours(theme.scheme_palette(dark))
    pairs = [(c.text, b) for b in (c.window, c.panel, c.base, c.bubble, c.code, c.remembered)]
    pairs += [(c.secondary, b) for b in (c.window, c.panel, c.base)]
    pairs += [(t, b) for t in (c.success, c.danger, c.accent_text) for b in (c.panel, c.base)]
    pairs += [(c.on_selection, c.selection), (c.text, theme.mix(c.base, c.warning, 0.1))]
    ratios = {(t.name(), b.name()): theme.contrast_ratio(t, b) for t, b in pairs}
    assert min(ratios.values()) >= theme.TEXT_CONTRAST, ratios


@pytest.mark.parametrize("accent", ["#ff9500", "#ffcc00", "#8e8e93", "#af52de"])
@pytest.mark.parametrize("dark", [False, True])
def test_any_accent_colour_stays_readable(qapp, dark, accent):
    palette = theme.scheme_palette(dark)
    palette.setColor(QPalette.ColorRole.Accent, QColor(accent))
    c = theme.colours(palette)
    assert theme.contrast_ratio(c.on_selection, c.selection) >= theme.TEXT_CONTRAST
    assert theme.contrast_ratio(c.accent, c.base) >= theme.SHAPE_CONTRAST
    assert theme.contrast_ratio(c.text, c.remembered) >= theme.TEXT_CONTRAST


def test_contrast_ratio_matches_the_published_extremes():
    assert theme.contrast_ratio(QColor("white"), QColor("black")) == pytest.approx(21.0)
    assert theme.contrast_ratio(QColor("#767676"), QColor("white")) == pytest.approx(4.54, abs=0.01)


def test_dark_palette_is_noticed(qapp):
    assert theme.colours(theme.scheme_palette(True)).is_dark
    assert not theme.colours(theme.scheme_palette(False)).is_dark


def test_fonts_follow_the_text_size(qapp):
    small = theme.font(theme.SMALL_SIZE).pixelSize()
    bigger = qapp.font()
    bigger.setPixelSize(theme.BODY_SIZE * 2)
    qapp.setFont(bigger)
    assert theme.font(theme.SMALL_SIZE).pixelSize() == small * 2
