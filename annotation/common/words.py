"""How pages name what samples are counted and narrowed by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import Benchmark
from annotation.schema import AnswerType
from annotation.workflow import SampleState

STATE_WORDS: dict[str, tuple[str, str]] = {
    SampleState.ACCEPTED: ("accepted", "Accepted"),
    SampleState.IN_REVIEW: ("review", "In review"),
    SampleState.DRAFT: ("draft", "Draft"),
    SampleState.RETURNED: ("returned", "Returned"),
    SampleState.TO_DO: ("todo", "To do"),
    SampleState.DISCARDED: ("discarded", "Discarded"),
}
"""State of a sample -> its sign (``ui`` state) and its word, in the order of pages."""

AREAS: tuple[tuple[str, str], ...] = (
    ("0-0.05", "under 0.05%"),
    ("0.05-0.2", "0.05 to 0.2%"),
    ("0.2-1", "0.2 to 1%"),
    ("1-100", "1% and over"),
    ("unknown", "unknown"),
)
"""Classes of the evidence area as the address writes them, and their words. The lower end belongs to a class."""

ANSWERS = {AnswerType.MULTIPLE_CHOICE.value: "multiple choice", AnswerType.OPEN.value: "open-ended"}
PICTURES = {"yes": "available", "problem": "unavailable"}

WAITING_WORDS = {
    "returned": "Returned to me",
    "review": "To review",
    "annotate": "To annotate",
    "drafts": "My drafts",
}
"""What can wait for a person (``annotation.models.querysets.waiting.WAITING``), most urgent first."""

WORK_WORDS = {
    "assigned": "assigned",
    "holds": "working on",
    "drafts": "drafts",
    "returned": "returned",
    "waiting": "waiting for review",
    "accepted": "accepted",
    "submitted": "submitted",
    "reviewed": "reviewed",
    "skipped": "skipped",
}
"""What a lead counts of a person's work (``annotation.models.querysets.waiting.WORK``)."""


LONGEST_ADDRESS = 3500
"""Characters; servers refuse longer ones from about 4,000 on."""


@dataclass(frozen=True)
class Count:
    """A number of samples and where exactly these are listed; ``href`` is empty for none, and for too many to name."""

    n: int
    href: str = ""


def count_of(benchmark: Benchmark, keys: Iterable[str]) -> Count:
    """Each sample counts once."""
    chosen = sorted(set(keys))
    href = f"{reverse('annotation:samples', args=[benchmark.slug])}?{urlencode([('id', key) for key in chosen])}"
    return Count(len(chosen), href if chosen and len(href) <= LONGEST_ADDRESS else "")
