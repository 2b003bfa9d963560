"""The frozen application's window on a virtual display, used with keyboard and eyes."""

import contextlib
import os
import sqlite3
import subprocess
import time

import psutil
import pytest

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]

# Processor seconds from the start of the program to its window, the best of a few: on a machine of
# its own that is the time a person waits, and it says the same on one that others use too.
LATEST_WINDOW_S = 1.0
N_STARTS = 4
QUESTION = "Name one colour, in one short sentence."


@pytest.fixture
def display():
    """A virtual screen of its own; its number is chosen by the X server."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x820x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with open(reader) as file:  # noqa: PTH123
        number = file.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


@contextlib.contextmanager
def running(frozen, display, name):
    """The application with data of its own; ended by its window's own way when all went well."""
    home = str(frozen.home / name)
    environment = frozen.environment(DISPLAY=display, QT_QPA_PLATFORM="xcb", VELOX_HOME=home)
    process = subprocess.Popen(frozen.command(), env=environment, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stderr.close()


def xdotool(display, *arguments):
    done = subprocess.run(
        ["xdotool", *arguments],
        env={**os.environ, "DISPLAY": display},
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def wait_for(what, seconds):
    """The first true value of ``what()``; None after ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.02)  # another process is watched: there is no signal to wait for
    return None


def visible_window(display):
    return xdotool(display, "search", "--onlyvisible", "--name", "Velox")


def cpu_seconds(process):
    times = psutil.Process(process.pid).cpu_times()
    return times.user + times.system


def test_window_appears_in_time(frozen, display):
    seconds = []
    for attempt in range(N_STARTS):
        with running(frozen, display, f"start {attempt}") as process:
            assert wait_for(lambda: visible_window(display), 30), process.stderr.read()
            seconds.append(cpu_seconds(process))
        assert wait_for(lambda: not visible_window(display), 20)
    assert min(seconds) < LATEST_WINDOW_S, seconds


def test_window_gets_a_real_reply_and_saves_it(frozen, display):
    database = frozen.home / "talk" / "data" / "chats.db"

    def saved(role):
        if not database.is_file():
            return None
        uri = f"file:{database}?mode=ro"
        with (
            contextlib.closing(sqlite3.connect(uri, uri=True)) as chats,
            contextlib.suppress(sqlite3.Error),
        ):
            rows = chats.execute(
                "SELECT content FROM messages WHERE role = ? AND state = 'complete'", (role,)
            )
            return next((text for (text,) in rows if text), None)
        return None

    def send():
        # While the model still loads, the message stays in the box.
        xdotool(display, "key", "Return")
        return wait_for(lambda: saved("user"), 1)

    with running(frozen, display, "talk"):
        window = wait_for(lambda: visible_window(display), 30)
        assert window
        xdotool(display, "windowfocus", "--sync", window[0])
        xdotool(display, "type", "--delay", "20", QUESTION)
        assert wait_for(send, 60) == QUESTION
        assert len(wait_for(lambda: saved("assistant"), 200).split()) > 2
