"""The time line: bounded, honest after going back, told by pointer and keyboard, saved to files."""

import csv
import io
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from app.models.time_sample import TimeSample, to_csv
from app.widgets.timeline import TimeLine


def sample(seen, budget=512, **more):
    kept = min(seen, budget)
    return TimeSample(seen, kept, kept * 100, seen * 100, budget, **more)


@pytest.fixture
def line(qtbot):
    widget = TimeLine()
    qtbot.addWidget(widget)
    widget.resize(263, 56)
    widget.show()
    return widget


def test_number_of_points_stays_bounded_and_the_last_is_exact(line):
    for seen in range(1, 5001):
        line.add_sample(sample(seen))
    assert len(line.samples()) <= 257
    assert line.samples()[-1] == sample(5000, evicted=4488)


def test_going_back_drops_what_came_later(line):
    for seen in (10, 600, 900):
        line.add_turn()
        line.add_sample(sample(seen))
    line.add_sample(sample(500))
    assert [s.tokens_seen for s in line.samples()] == [10, 500]
    assert line.marks() == ([0, 10], [])


def test_turns_and_changed_budgets_are_marked(line):
    line.add_turn()
    line.add_sample(sample(100))
    line.add_turn()
    line.add_sample(sample(200, budget=128))
    assert line.marks() == ([0, 100], [200])


def test_evictions_are_counted_for_each_reply(line):
    for begin, end in ((0, 500), (500, 700), (700, 1000)):
        line.add_turn()
        line.add_sample(sample(begin + 50))
        line.add_sample(sample(end))
    assert line.evictions() == [(0, 500, 0), (500, 700, 188), (700, 1000, 300)]
    last = line.samples()[-1]
    assert (last.reply, last.evicted) == (3, 300)


def test_bar_of_a_reply_is_as_high_as_its_evictions(line):
    for end in (512, 612, 912):
        line.add_turn()
        line.add_sample(sample(end))
    image = line.grab().toImage()
    ground = image.pixelColor(image.width() - 1, 0).rgb()
    columns = [[image.pixelColor(x, y).rgb() for y in range(image.height())] for x in (100, 230)]
    assert columns[0][-6] == ground != columns[1][-6]
    assert columns[1][-6] == image.pixelColor(165, image.height() - 3).rgb()
    heights = [column.count(columns[1][-6]) for column in columns]
    assert heights == [0, round(0.4 * image.height())]


def test_held_bytes_are_drawn_even_above_the_full_ones(line):
    line.add_sample(TimeSample(1, 1, 100, 1))
    line.add_sample(TimeSample(50, 50, 100, 50))
    image = line.grab().toImage()
    column = [image.pixelColor(130, y) for y in range(image.height())]
    assert any(c.blueF() - c.redF() > 0.4 for c in column)


def test_nearest_moment_is_told_with_all_its_values(line):
    line.add_sample(sample(512))
    line.add_sample(sample(1842))
    assert line.sample_at(262) == sample(1842, evicted=1330)
    assert line.describe(sample(1842, evicted=143)) == (
        "1,842 seen, 512 kept (3.6×): 51.2 KB held of 184.2 KB, budget 512, "
        "143 evicted in this reply"
    )


def test_arrow_keys_walk_along_the_moments(line, qtbot):
    for seen in (100, 200, 300):
        line.add_sample(sample(seen))
    told = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(line, key)
        told.append(line.accessibleDescription().split(" ")[0])
    assert told == ["200", "100", "100", "200"]


@pytest.mark.alone
def test_painting_a_long_conversation_takes_little_time(line):
    for seen in range(1, 513):
        line.add_sample(sample(seen * 10))
    image = QImage(line.size(), QImage.Format.Format_ARGB32)
    times = []
    for _ in range(20):
        started = time.process_time()
        line.render(image)
        times.append(time.process_time() - started)
    assert min(times) < 0.002


def test_table_has_a_line_a_moment():
    rows = list(
        csv.DictReader(io.StringIO(to_csv([sample(100), sample(1024, reply=2, evicted=9)])))
    )
    assert [row["tokens_seen"] for row in rows] == ["100", "1024"]
    assert rows[1]["ratio"] == "2.0000"
    assert rows[1]["budget"] == "512"
    assert (rows[1]["reply"], rows[1]["evicted"]) == ("2", "9")
