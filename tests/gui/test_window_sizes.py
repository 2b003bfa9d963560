"""The window at other text sizes and in right-to-left order: nothing is cut off."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel

from app.models.attachment import Attachment
from app.models.memory_view import MemoryView
from app.widgets import theme
from app.widgets.fold import Fold
from app.widgets.main_window import MainWindow
from app.widgets.sampling_form import SamplingForm

VIEW = MemoryView(56_000_000, 201_500_000, 512, 1842, 3.6, 1_940_000_000, 16 * 1024**3)


@pytest.fixture
def window(qtbot):
    widget = MainWindow()
    qtbot.addWidget(widget)
    widget.close_requested.connect(widget.deleteLater)
    form = SamplingForm(widget.panel)
    widget.panel.add_section(Fold("Sampling", form, widget.panel))
    widget.panel.show_memory(VIEW)
    widget.panel.budget.set_suggested(2048)
    widget.composer.set_attachments([Attachment("notes.txt", "x", 10)])
    widget.set_title("Trip to Lisbon")
    widget.show()
    return widget


def cut_off(window):
    """Visible labels and buttons that are smaller than their text or outside their pane."""
    found = []
    for kind in (QLabel, QAbstractButton):
        for widget in window.findChildren(kind):
            if not widget.isVisible() or not widget.text():
                continue
            needed = widget.fontMetrics().height() - 2
            pane = next(p for p in (window.panel, window.sidebar, window) if p.isAncestorOf(widget))
            left = widget.mapTo(pane, QPoint(0, 0)).x()
            wide = widget.fontMetrics().horizontalAdvance(widget.text())
            tall_enough = widget.height() >= needed
            inside = left >= 0 and left + widget.width() <= pane.width()
            fits = widget.width() >= wide - 2 or getattr(widget, "wordWrap", bool)()
            if not (tall_enough and inside and fits):
                found.append((type(widget).__name__, widget.text(), widget.width(), wide))
    return found


@pytest.mark.parametrize("percent", [80, 100, 150, 200])
@pytest.mark.parametrize("direction", ["LeftToRight", "RightToLeft"])
def test_nothing_is_cut_off(window, qapp, qtbot, percent, direction):
    font = qapp.font()
    font.setPixelSize(round(theme.BODY_SIZE * percent / 100))
    try:
        qapp.setFont(font)
        qapp.setLayoutDirection(Qt.LayoutDirection[direction])
        window.resize(1280, 820)
        qtbot.waitUntil(lambda: cut_off(window) == [], timeout=2000)
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def set_text_size(qapp, percent):
    font = qapp.font()
    font.setPixelSize(round(theme.BODY_SIZE * percent / 100))
    qapp.setFont(font)


def sidebar_becomes(window, qtbot, width):
    qtbot.waitUntil(lambda: abs(window.sidebar.width() - width) <= 6, timeout=2000)


@pytest.mark.parametrize(
    ("width", "percent", "expected"),
    [(1280, 80, 235), (1600, 150, 362), (1280, 200, 358), (1600, 200, 448)],
)
def test_sidebar_grows_with_the_text_and_comes_back(window, qapp, qtbot, width, percent, expected):
    window.resize(width, 820)
    set_text_size(qapp, percent)
    sidebar_becomes(window, qtbot, expected)
    assert window.composer.width() >= 360
    set_text_size(qapp, 100)
    sidebar_becomes(window, qtbot, 235)


def test_width_that_a_person_gave_the_sidebar_grows_and_is_kept(window, qapp, qtbot):
    window.resize(1600, 820)
    window._splitter.moveSplitter(300, 1)
    set_text_size(qapp, 120)
    sidebar_becomes(window, qtbot, 369)
    window.restore_splitter(window.splitter_state())
    set_text_size(qapp, 100)
    sidebar_becomes(window, qtbot, 300)


def test_smallest_window_still_shows_a_conversation_above_a_long_message(window, qtbot):
    window.show_conversation()
    window.composer.set_text("line\n" * 20)
    window.resize(1, 1)
    qtbot.waitUntil(lambda: window.height() < 500, timeout=2000)
    assert window.transcript.height() >= 100
    assert window.composer.width() >= 360


@pytest.mark.parametrize("percent", [80, 100, 150, 200])
def test_start_page_is_whole_in_the_smallest_window(window, qapp, qtbot, percent):
    heading, text = "What is on your mind?", "The starter model is ready. " * 4
    window.start_page.show_page(heading, text, "Load it", "Choose a folder…")
    window.show_start_page()
    set_text_size(qapp, percent)
    window.resize(1, 1)

    def is_whole():
        labels = window.start_page.findChildren(QLabel)
        return all(label.height() >= label.heightForWidth(label.width()) for label in labels)

    qtbot.waitUntil(lambda: window.height() < 700 and is_whole(), timeout=2000)


def test_search_field_is_as_high_as_its_text_needs(window, qapp, qtbot):
    set_text_size(qapp, 200)
    qtbot.waitUntil(lambda: window.sidebar.search.height() >= 50, timeout=2000)


def test_small_texts_follow_the_text_size_at_once(window, qapp, qtbot):
    caption = window.composer._counts
    before = caption.font().pixelSize()
    font = qapp.font()
    font.setPixelSize(theme.BODY_SIZE * 2)
    qapp.setFont(font)
    assert caption.font().pixelSize() == 2 * before


@pytest.mark.parametrize("dark", [False, True])
def test_quiet_texts_follow_the_scheme(window, qapp, qtbot, dark):
    qapp.setPalette(theme.scheme_palette(dark))
    caption = window.composer._counts
    wanted = theme.colours(theme.scheme_palette(dark)).secondary
    qtbot.waitUntil(lambda: caption.palette().color(caption.foregroundRole()) == wanted)
