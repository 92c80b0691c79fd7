"""Labels of counts and filters of samples on pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.consensus import Field
from annotation.models import Benchmark
from annotation.schema import AnswerType, Likeness
from annotation.workflow import Right, Role, SampleState, State
from webapp.common.translation import Text, all_of

STATE_WORDS: dict[str, tuple[str, Any]] = {
    SampleState.ACCEPTED: ("accepted", gettext_lazy("Accepted")),
    SampleState.IN_REVIEW: ("review", gettext_lazy("In review")),
    SampleState.DISPUTED: ("disputed", gettext_lazy("Disputed")),
    SampleState.DRAFT: ("draft", pgettext_lazy("state of a sample", "Draft")),
    SampleState.RETURNED: ("returned", gettext_lazy("Returned")),
    SampleState.TO_DO: ("todo", gettext_lazy("To do")),
    SampleState.DISCARDED: ("discarded", gettext_lazy("Discarded")),
}
"""State of a sample -> its sign (``ui`` state) and its label, translated on display, in the order of pages."""

_IN_SENTENCES: dict[str, Text] = {
    SampleState.TO_DO: pgettext_lazy("state in a sentence", "to do"),
    SampleState.DISPUTED: pgettext_lazy("state in a sentence", "disputed"),
    State.DRAFT: pgettext_lazy("state in a sentence", "draft"),
    State.SUBMITTED: pgettext_lazy("state in a sentence", "submitted"),
    State.IN_REVIEW: pgettext_lazy("state in a sentence", "in review"),
    State.ACCEPTED: pgettext_lazy("state in a sentence", "accepted"),
    State.RETURNED: pgettext_lazy("state in a sentence", "returned"),
    State.DISCARDED: pgettext_lazy("state in a sentence", "discarded"),
    State.SUPERSEDED: pgettext_lazy("state in a sentence", "superseded"),
}
ROLE_WORDS: dict[str, Text] = {
    Role.ANNOTATOR: pgettext_lazy("role", "annotator"),
    Role.REVIEWER: pgettext_lazy("role", "reviewer"),
    Role.LEAD: pgettext_lazy("role", "lead"),
    Role.RESEARCHER: pgettext_lazy("role", "researcher"),
}
LIKENESS: dict[str, Text] = {
    Likeness.VISUAL.value: gettext_lazy("looks alike"),
    Likeness.FUNCTIONAL.value: gettext_lazy("does something similar"),
    Likeness.DOMAIN.value: gettext_lazy("same trade"),
}
"""How a distractor resembles a target."""
NOT_ALLOWED: dict[Right, Text] = {
    Right.VIEW: gettext_lazy("Your roles on %(title)s don't let you view it. Ask its lead."),
    Right.SEE_GOLD: gettext_lazy("Your roles on %(title)s don't let you see its gold. Ask its lead."),
    Right.ANNOTATE: gettext_lazy("Your roles on %(title)s don't let you annotate. Ask its lead."),
    Right.REVIEW: gettext_lazy("Your roles on %(title)s don't let you review. Ask its lead."),
    Right.AUDIT: gettext_lazy("Your roles on %(title)s don't let you audit. Ask its lead."),
    Right.IMPORT_RUNS: gettext_lazy("Your roles on %(title)s don't let you import runs. Ask its lead."),
    Right.IMPORT_SAMPLES: gettext_lazy("Your roles on %(title)s don't let you import samples. Ask its lead."),
    Right.SCORE: gettext_lazy("Your roles on %(title)s don't let you score runs. Ask its lead."),
    Right.EXPORT: gettext_lazy("Your roles on %(title)s don't let you export it. Ask its lead."),
    Right.COMPARE_WORK: gettext_lazy("Your roles on %(title)s don't let you compare annotations. Ask its lead."),
    Right.JUDGE: gettext_lazy("Your roles on %(title)s don't let you judge answers. Ask its lead."),
    Right.TAKE_STUDY: gettext_lazy("Your roles on %(title)s don't let you take part in studies. Ask its lead."),
    Right.MANAGE: gettext_lazy("Your roles on %(title)s don't let you manage it. Ask its lead."),
}
"""The message for a person without a permission."""

FIELD_WORDS: dict[Field, Any] = {
    Field.QUESTION: gettext_lazy("Question"),
    Field.ANSWER: gettext_lazy("Answer"),
    Field.EVIDENCE: gettext_lazy("Evidence boxes"),
    Field.FACETS: gettext_lazy("Facets"),
    Field.TOOLCHAIN: gettext_lazy("Toolchain"),
    Field.PLAN: gettext_lazy("Tool plan"),
}
"""The parts of an annotation that are compared and adjudicated separately."""

AREAS: tuple[tuple[str, Text], ...] = (
    ("0-0.05", gettext_lazy("under 0.05%")),
    ("0.05-0.2", gettext_lazy("0.05 to 0.2%")),
    ("0.2-1", gettext_lazy("0.2 to 1%")),
    ("1-100", gettext_lazy("1% and over")),
    ("unknown", gettext_lazy("unknown")),
)
"""Classes of the evidence area as the address writes them, and their words. The lower end belongs to a class."""

ANSWERS = {
    AnswerType.MULTIPLE_CHOICE.value: gettext_lazy("multiple choice"),
    AnswerType.OPEN.value: gettext_lazy("open-ended"),
}
PICTURES = {"yes": gettext_lazy("available"), "problem": gettext_lazy("unavailable")}

WAITING_WORDS = {
    "returned": gettext_lazy("Returned to me"),
    "review": gettext_lazy("To review"),
    "annotate": gettext_lazy("To annotate"),
    "drafts": gettext_lazy("My drafts"),
}
"""The kinds of work that can wait for a person (``annotation.models.querysets.waiting.WAITING``), most urgent first."""

WORK_WORDS = {
    "assigned": gettext_lazy("assigned"),
    "holds": gettext_lazy("working on"),
    "drafts": gettext_lazy("drafts"),
    "returned": gettext_lazy("returned"),
    "waiting": gettext_lazy("waiting for review"),
    "accepted": gettext_lazy("accepted"),
    "submitted": gettext_lazy("submitted"),
    "reviewed": gettext_lazy("reviewed"),
    "skipped": gettext_lazy("skipped"),
}
"""The counts of a person's work for a lead (``annotation.models.querysets.waiting.WORK``)."""


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


def state_words(state: str) -> str:
    """A state of a sample or an annotation for use in a sentence: ``in_review`` as "in review"."""
    return str(_IN_SENTENCES[state])


def role_words(roles: Iterable[str]) -> str:
    """The names of roles: "annotator and reviewer"."""
    return all_of([str(ROLE_WORDS[role]) for role in roles])
