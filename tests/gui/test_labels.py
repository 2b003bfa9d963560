"""A label that gives way: the whole text stays at hand, and is only ever text."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QTextDocument

from app.widgets.labels import ElidedLabel


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
