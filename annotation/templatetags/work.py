"""Tags for pages of annotation and review: people, actions, times and reasons."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import template
from django.utils.translation import gettext_lazy

from annotation.common import reasons, sentences, words
from annotation.models import Benchmark, Review
from annotation.toolbox.signature import shown_value
from webapp.common.translation import any_of

register = template.Library()

DECISIONS = {
    Review.Decision.ACCEPT: ("accepted", gettext_lazy("accepted")),
    Review.Decision.FIX_AND_ACCEPT: ("accepted", gettext_lazy("fixed and accepted")),
    Review.Decision.RETURN: ("returned", gettext_lazy("returned")),
    Review.Decision.DISCARD: ("discarded", gettext_lazy("discarded")),
}


@register.filter
def translated(text: str) -> str:
    """Return a sentence of a pure package in the language of the page."""
    return sentences.translated(text)


@register.filter
def reason_words(code: str, benchmark: Benchmark) -> str:
    """Return ``wrong_answer`` as "incorrect answer", or the wording in the task of the benchmark."""
    return reasons.reason_words(benchmark.task, code)


@register.filter
def decision_sign(code: str) -> str:
    """Return the name of the sign of a decision: see ``ui/_state.html``."""
    return DECISIONS[Review.Decision(code)][0]


@register.filter
def decision_words(code: str) -> str:
    """Return ``fix_and_accept`` as "fixed and accepted"."""
    return str(DECISIONS[Review.Decision(code)][1])


@register.filter
def state_words(state: str) -> str:
    """Return ``in_review`` as "in review"."""
    return words.state_words(state)


@register.filter
def role_words(roles: str | Iterable[str]) -> str:
    """Return one role, or several: "annotator and reviewer"."""
    return words.role_words([roles] if isinstance(roles, str) else roles)


@register.filter
def moment(text: str | None) -> datetime | None:
    """Convert a time in the format of scripts (ISO 8601) back to a time, for ``ago``."""
    return datetime.fromisoformat(text) if text else None


@register.filter
def initials(name: str) -> str:
    """Return the first letters of the first and the last word."""
    words = name.split()
    return "".join(word[0] for word in words[:1] + words[1:][-1:]).upper()


@register.filter
def answer_words(content: dict[str, Any], answer: str) -> str:
    """Return an answer with the option it represents: "C, 3rd floor"; an open answer unchanged."""
    option = content["options"].get(answer)
    return f"{answer}, {option}" if option else answer


@register.filter
def gold_words(content: dict[str, Any]) -> str:
    """Return the accepted answers of a sample: "C, 3rd floor or D, 4th floor"."""
    return any_of([answer_words(content, answer) for answer in content["answer"]])


@register.filter
def parameter_value(value: object) -> str:
    """Return a parameter's value as people read it."""
    return shown_value(value)
