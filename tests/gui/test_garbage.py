import gc
import threading
import weakref

from PySide6.QtCore import QObject

from app.garbage import GuiGarbageCollector


class Cyclic(QObject):
    """Only the cycle collector can free it."""

    def __init__(self) -> None:
        super().__init__()
        self.me = self


def make_garbage() -> None:
    for _ in range(5_000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_cycles_with_qt_objects_are_freed_on_the_gui_thread_alone(qtbot):
    freed_on: list[int] = []
    collector = GuiGarbageCollector()
    try:
        weakref.finalize(Cyclic(), lambda: freed_on.append(threading.get_ident()))
        thread = threading.Thread(target=make_garbage)
        thread.start()
        thread.join()
        assert freed_on == []
        qtbot.waitUntil(lambda: bool(freed_on), timeout=10_000)
        assert freed_on == [threading.get_ident()]
    finally:
        collector.close()
    assert gc.isenabled()
