"""All windows: every control has a name and takes the keyboard, every label is readable."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTextBrowser,
)

from app.widgets import theme
from app.widgets.budget_chart import BudgetChart
from app.widgets.gauge import Gauge
from app.widgets.timeline import TimeLine
from tests.fake_engine import FakeScript

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextBrowser,
    TimeLine,
)
PICTURES = (BudgetChart, Gauge)
PARTS = (QLineEdit, QAbstractSpinBox, QComboBox)  # their inner widgets speak for themselves


@pytest.fixture
def driver(open_velox):
    driver = open_velox(FakeScript(reply="Some **text** and\n\n```python\nx = 1\n```"))
    driver.ask("Hello")
    driver.velox.settings_window.open()
    driver.velox.models_window.open()
    driver.velox.compare.open()
    driver.velox.help.open()
    with driver.qtbot.waitSignal(driver.velox.quality.shown, timeout=10_000):
        driver.velox.quality.start()
    driver.until(lambda: driver.velox.models_window.found)
    driver.window.banners.show_message("k", "Something happened.", action="Do it")
    driver.window.find_bar.open_bar()
    return driver


def windows(driver):
    velox = driver.velox
    parts = (
        velox.settings_window,
        velox.models_window,
        velox.compare,
        velox.help,
        velox.quality,
    )
    return [velox.window, *(part.window for part in parts)]


def controls(driver):
    for window in windows(driver):
        for kind in CONTROLS:
            for widget in window.findChildren(kind):
                ours = not isinstance(widget, QScrollBar) and not is_inside(widget)
                if ours and not widget.objectName().startswith("qt_"):
                    yield widget


def is_inside(widget):
    """Whether it is a part of one of Qt's own controls."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, PARTS):
            return True
        parent = parent.parentWidget()
    return False


def where(widget):
    names = []
    while widget is not None:
        names.append(type(widget).__name__)
        widget = widget.parentWidget()
    return " in ".join(names[:4])


def test_every_control_has_an_accessible_name(driver):
    nameless = {
        where(widget)
        for widget in controls(driver)
        if not widget.accessibleName() and not getattr(widget, "text", str)()
    }
    assert nameless == set()


def test_every_picture_tells_in_words_what_it_shows(driver):
    pictures = [p for w in windows(driver) for kind in PICTURES for p in w.findChildren(kind)]
    told = [f"{p.accessibleName()}: {p.accessibleDescription()}" for p in pictures]
    assert len(told) == 3
    assert all(any(char.isdigit() for char in text) for text in told)


def test_every_visible_control_takes_the_keyboards_focus(driver):
    deaf = {
        where(widget)
        for widget in controls(driver)
        if widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() == Qt.FocusPolicy.NoFocus
    }
    assert deaf == set()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_label_reaches_the_contrast_of_text(driver, scheme):
    driver.velox.settings.set("appearance.scheme", scheme)
    QApplication.processEvents()
    colours = theme.colours(QApplication.palette())
    faint = {}
    for window in windows(driver):
        for label in window.findChildren(QLabel):
            if label.isVisible() and label.isEnabled() and label.text():
                ink = label.palette().color(label.foregroundRole())
                grounds = (colours.window, colours.panel, colours.base)
                ratio = min(theme.contrast_ratio(ink, ground) for ground in grounds)
                if ratio < theme.TEXT_CONTRAST:
                    faint[label.text()] = round(ratio, 2)
    assert faint == {}
