"""How pages name what samples are counted and narrowed by."""

from __future__ import annotations

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
    ("0-0.05", "under 0.05 %"),
    ("0.05-0.2", "0.05 to 0.2 %"),
    ("0.2-1", "0.2 to 1 %"),
    ("1-100", "1 % and over"),
    ("unknown", "unknown"),
)
"""Classes of the evidence area as the address writes them, and their words. The lower end belongs to a class."""

ANSWERS = {AnswerType.MULTIPLE_CHOICE.value: "choice", AnswerType.OPEN.value: "open"}
PICTURES = {"yes": "here", "problem": "problem"}

WAITING_WORDS = {
    "returned": "Returned to me",
    "review": "To review",
    "annotate": "To annotate",
    "drafts": "My drafts",
}
"""What can wait for a person (``annotation.waiting.WAITING``), most urgent first."""

WORK_WORDS = {
    "assigned": "given",
    "holds": "holds now",
    "drafts": "drafts",
    "returned": "returned",
    "waiting": "waiting for review",
    "accepted": "accepted",
    "submitted": "submitted",
    "reviewed": "reviewed",
    "skipped": "passed by",
}
"""What a lead counts of a person's work (``annotation.waiting.WORK``)."""
