"""Marking text of pure packages for translation: ``make messages`` finds it, and presenters translate it."""

from __future__ import annotations


def gettext_noop(message: str) -> str:
    """The message as it is: English, which files, the API and commands show."""
    return message
