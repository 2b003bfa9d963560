"""What the window says when chats cannot be kept, and that the chat goes on all the same."""

from pathlib import Path


def test_garbage_database_is_set_aside_with_a_word(open_velox, home: Path) -> None:
    (home / "data").mkdir(parents=True)
    (home / "data" / "chats.db").write_bytes(b"no database at all" * 1000)
    driver = open_velox()
    driver.until(lambda: driver.window.banners.message("notice"))
    driver.ask("Are you there?")
    assert driver.texts == ["Are you there?", "Hello from the fake engine."]
    assert len(list((home / "data").glob("chats*"))) > 1


def test_chat_goes_on_in_memory_and_is_saved_once_that_is_possible(open_velox, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "data").write_text("a file where the folder should be")
    driver = open_velox()
    driver.until(lambda: driver.window.banners.message("storage"))
    driver.ask("Are you there?")
    assert driver.texts == ["Are you there?", "Hello from the fake engine."]

    driver.window.banners.banner("storage").action_button.click()
    driver.until(lambda: driver.window.banners.message("storage"))
    (home / "data").unlink()
    driver.window.banners.banner("storage").action_button.click()
    driver.until(lambda: driver.window.banners.message("news"))
    assert driver.window.banners.message("storage") == ""
    assert driver.velox.close()
    again = open_velox()
    again.until(lambda: again.texts == ["Are you there?", "Hello from the fake engine."])


def test_chat_deleted_elsewhere_is_no_trouble(open_velox) -> None:
    driver = open_velox()
    driver.velox.chats.open_chat("gone")
    driver.until(lambda: driver.problem == "This chat no longer exists.")
    driver.ask("Are you there?")
    assert driver.texts[1] == "Hello from the fake engine."
