"""A label that gives way: the whole text stays at hand, and is only ever text."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from app.models.attachment import Attachment
from app.widgets.labels import ElidedLabel, QuietLabel
from app.widgets.main_window import MainWindow


@pytest.fixture
def label(qtbot):
    widget = ElidedLabel("A title that is far too long for the place it has")
    qtbot.addWidget(widget)
    widget.resize(80, 20)
    widget.show()
    return widget


def test_text_gives_way_and_comes_back(label) -> None:
    assert label.text().endswith("…")
    assert label.accessibleName() == label.toolTip() == label.full_text()
    label.resize(900, 20)
    assert label.text() == label.full_text()


@pytest.mark.parametrize(
    "text", ["<b>bold</b>", '<img src="file:///etc/hostname">', "a &lt; b", "R&D", "1 < 2"]
)
def test_markup_is_shown_as_it_was_written(label, text) -> None:
    label.resize(900, 20)
    label.set_full_text(text)
    assert label.text() == text
    assert label.textFormat() == Qt.TextFormat.PlainText
    tip = QTextDocument()
    tip.setHtml(label.toolTip())
    assert tip.toPlainText() == text
    assert label.toolTip().startswith("<span>")


@pytest.mark.parametrize("direction", ["LeftToRight", "RightToLeft"])
@pytest.mark.parametrize("text", ["title", "عنوان"])
def test_any_script_begins_where_lines_begin(label, qapp, direction, text) -> None:
    label.setLayoutDirection(Qt.LayoutDirection[direction])
    label.resize(400, 20)
    label.set_full_text(text)
    image = label.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    paper = image.pixelColor(200, 10).lightness()
    inked = [
        x
        for x in range(image.width())
        if any(abs(image.pixelColor(x, y).lightness() - paper) > 60 for y in range(image.height()))
    ]
    assert (max(inked) < 200) == (direction == "LeftToRight")


def test_quiet_text_is_never_read_as_markup(qtbot) -> None:
    label = QuietLabel('<img src="file:///etc/hostname"> is ready')
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_nothing_in_the_window_reads_outside_text_as_markup(qtbot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    window.close_requested.connect(window.deleteLater)
    hostile = '<img src="file:///etc/hostname">'
    window.set_title(hostile)
    window.toolbar.set_model(hostile)
    window.start_page.show_page(hostile, hostile)
    window.banners.show_message("k", hostile)
    window.composer.set_attachments([Attachment(hostile, "x", 1)])
    labels = [label for label in window.findChildren(QLabel) if "<" in label.text()]
    assert len(labels) >= 5
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    tips = [widget.toolTip() for widget in window.findChildren(QWidget) if widget.toolTip()]
    assert len([tip for tip in tips if "&lt;img" in tip]) >= 4
    assert not [tip for tip in tips if "<img" in tip]
