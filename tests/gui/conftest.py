"""What the window's tests share: offscreen Qt in the application's own look."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication

from app.widgets import theme


@pytest.fixture(autouse=True)
def _look(qapp: QApplication):
    """The application's style and light palette, restored after each test."""
    theme.apply_theme(qapp)
    qapp.setPalette(theme.scheme_palette(False))
    font = qapp.font()
    yield
    qapp.setFont(font)
