"""Under which heading a chat stands in the list."""

from datetime import date

from PySide6.QtCore import QCoreApplication, QDate, QLocale

_WEEK_DAYS = 7
_MONTH_DAYS = 30


def section_title(updated: date, pinned: bool, today: date) -> str:
    """The heading for a chat last written on ``updated``: Pinned, Today, … or its month."""
    if pinned:
        return _tr("Pinned")
    days = (today - updated).days
    if days <= 0:
        return _tr("Today")
    if days == 1:
        return _tr("Yesterday")
    if days <= _WEEK_DAYS:
        return _tr("Previous 7 Days")
    if days <= _MONTH_DAYS:
        return _tr("Previous 30 Days")
    month = QDate(updated.year, updated.month, 1)
    return QLocale().toString(month, "MMMM" if updated.year == today.year else "MMMM yyyy")


def _tr(text: str) -> str:
    return QCoreApplication.translate("ChatListModel", text)
