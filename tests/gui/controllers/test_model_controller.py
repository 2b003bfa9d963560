"""Which model is loaded at the start, and what happens when it cannot be."""

from app.controllers.model_controller import ModelState
from tests.fake_engine import FakeScript


def test_starter_model_is_loaded_after_the_window_is_shown(open_velox) -> None:
    driver = open_velox(wait=False)
    assert driver.window.isVisible()
    assert driver.velox.models.state is ModelState.NONE
    driver.ready()
    assert driver.window.toolbar.model_button.toolTip() == "Fake 1B"
    assert "Fake 1B" in driver.window.start_page.text()


def test_last_model_is_loaded_again(open_velox, tmp_path) -> None:
    other = tmp_path / "Other 3B"
    other.mkdir()
    first = open_velox()
    first.velox.models.load(str(other))
    first.ready()
    assert first.velox.close()
    second = open_velox()
    assert second.velox.models.path == str(other)


def test_vanished_model_is_named_and_the_starter_takes_its_place(open_velox, tmp_path) -> None:
    other = tmp_path / "Other 3B"
    other.mkdir()
    first = open_velox()
    first.velox.models.load(str(other))
    first.ready()
    assert first.velox.close()
    other.rmdir()
    second = open_velox()
    assert "Other 3B" in second.problem
    assert second.velox.models.path.endswith("Starter 1B")


def test_failed_load_says_why_and_the_message_stays(open_velox) -> None:
    driver = open_velox(FakeScript(load_error="This folder holds no model."), wait=False)
    driver.until(lambda: driver.problem == "This folder holds no model.")
    assert driver.velox.models.state is ModelState.NONE
    driver.send("Hello")
    driver.until(lambda: driver.problem.startswith("No model is loaded"))
    assert driver.window.composer.text() == "Hello"


def test_message_sent_while_loading_is_answered(open_velox) -> None:
    driver = open_velox(FakeScript(load_s=0.5), wait=False)
    driver.until(lambda: driver.velox.models.state is ModelState.LOADING)
    driver.ask("Hello")
    assert driver.texts == ["Hello", "Hello from the fake engine."]


def test_model_that_ended_the_last_start_is_not_loaded(open_velox) -> None:
    first = open_velox(FakeScript(load_s=60), wait=False)
    first.until(lambda: first.velox.models.state is ModelState.LOADING)
    settings = first.velox.settings
    path = settings.get("models.loading_path")
    assert path.endswith("Starter 1B")
    assert first.velox.close()
    # A crash would have left the path there.
    settings.set("models.loading_path", path)
    settings.flush()
    second = open_velox(wait=False)
    second.until(lambda: "Starter 1B" in second.window.banners.message("crash"))
    assert second.velox.models.state is ModelState.NONE
    second.window.banners.banner("crash").action_button.click()
    second.ready()
    assert second.velox.settings.get("models.loading_path") == ""


def test_unload_frees_the_model(open_velox) -> None:
    driver = open_velox()
    driver.velox.models.unload()
    driver.until(lambda: driver.velox.models.state is ModelState.NONE)
    assert driver.window.toolbar.model_button.text() == "No model"
