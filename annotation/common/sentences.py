"""Saying what pure packages have found in the language of the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext

from annotation.marking import Sentence
from annotation.validation import Check


def translated(text: str) -> str:
    """A ``Sentence`` in the language of the page; any other text unchanged."""
    if not isinstance(text, Sentence):
        return text
    template = gettext(text.template)
    values = {name: translated(value) if isinstance(value, str) else value for name, value in text.values.items()}
    return template % values if values else template


def checks_json(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """The findings of the validation for the script of a page."""
    return [{**asdict(one), "text": translated(one.text)} for one in checks]
