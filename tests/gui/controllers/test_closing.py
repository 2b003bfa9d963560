from PySide6.QtCore import QTimer


def test_nothing_runs_any_more_after_closing(open_velox) -> None:
    driver = open_velox()
    driver.window.composer.edit.insertPlainText("half a thought")
    timers = driver.velox.findChildren(QTimer)
    assert any(timer.isActive() for timer in timers)
    assert driver.velox.close()
    assert not any(timer.isActive() for timer in timers)
