"""The gauge says what was measured."""

from app.widgets.gauge import Gauge


def test_ratio_is_shown_with_its_caption(qtbot):
    gauge = Gauge()
    qtbot.addWidget(gauge)
    gauge.set_ratio(3.6)
    assert gauge.text() == "3.6×"
    assert gauge.caption() == "smaller than the full cache"
    assert gauge.accessibleName() == "3.6× smaller than the full cache"


def test_nothing_is_claimed_without_eviction_or_without_a_cache(qtbot):
    gauge = Gauge()
    qtbot.addWidget(gauge)
    assert (gauge.text(), gauge.ratio()) == ("–", None)
    gauge.set_ratio(1.0)
    assert (gauge.text(), gauge.caption()) == ("1.0×", "everything is remembered")
    gauge.set_ratio(83 / 80)
    assert (gauge.text(), gauge.caption()) == ("1.04×", "smaller than the full cache")
    gauge.set_ratio(1.0, bounded=False)
    assert gauge.caption() == "full cache, no budget"


def test_filled_part_is_the_share_that_is_held(qtbot):
    gauge = Gauge()
    qtbot.addWidget(gauge)
    gauge.resize(214, 122)
    accents = []
    for ratio in (1.0, 2.0, 8.0):
        gauge.set_ratio(ratio)
        image = gauge.grab().toImage()
        # Blue points on the arc's own line, counted from left to right.
        blue = sum(
            image.pixelColor(x, y).blueF() - image.pixelColor(x, y).redF() > 0.5
            for x in range(image.width())
            for y in range(image.height())
        )
        accents.append(blue)
    whole, half, eighth = accents
    assert 0.42 < half / whole < 0.58
    assert 0.1 < eighth / whole < 0.22  # an eighth and the round caps
