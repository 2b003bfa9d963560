"""Commands that would do nothing are grey."""

from tests.fake_engine import FakeScript

ON_MESSAGES = ("regenerate", "continue_reply", "copy_reply", "find", "find_next")
ON_CHATS = ("export_chat", "rename", "delete_chat")


def enabled(driver) -> set[str]:
    menus = driver.velox.menus
    return {n for n in (*ON_MESSAGES, *ON_CHATS, "stop") if getattr(menus, n).isEnabled()}


def test_new_chat_has_nothing_to_act_on(open_velox) -> None:
    driver = open_velox()
    assert enabled(driver) == set()
    driver.ask("Hello")
    assert enabled(driver) == {*ON_MESSAGES, *ON_CHATS}
    driver.velox.chats.new_chat()
    assert enabled(driver) == set()


def test_stop_waits_for_a_reply_and_continue_for_its_end(open_velox) -> None:
    driver = open_velox(FakeScript(reply="word " * 10_000, tokens_per_s=200))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    assert "stop" in enabled(driver)
    assert "continue_reply" not in enabled(driver)
    with driver.qtbot.waitSignal(driver.velox.replies.saved, timeout=5000):
        driver.velox.menus.stop.trigger()
    driver.until(lambda: "stop" not in enabled(driver))
    assert "continue_reply" in enabled(driver)
