"""A person's own samples of a benchmark, in the order in which they began them. A gold check is one of them, as what it
looks like."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from annotation.common.access import known_to
from annotation.models import Annotation, Benchmark, CheckAnswer, Sample
from annotation.workflow import State
from webapp.accounts.models import User

Row = tuple[datetime, int]
"""When a person began a sample, and its number."""

STATES = (
    State.DRAFT, State.RETURNED, State.SUBMITTED, State.IN_REVIEW, State.ACCEPTED, State.SUPERSEDED, State.DISCARDED,
)  # fmt: skip
"""Of own samples, in the order of pages."""
LOOKS_SUBMITTED = (State.SUBMITTED, State.IN_REVIEW, State.ACCEPTED, State.SUPERSEDED)
"""These look like one state to a person who gets gold checks: see ``annotation.queue.handed.shown_state``."""


def shown_states(user: User, benchmark: Benchmark) -> Mapping[State, tuple[State, ...]]:
    """The states that this person can distinguish, each with the states it includes."""
    if not known_to(user, benchmark).handed_checks:
        return {state: (state,) for state in STATES}
    apart = {state: (state,) for state in STATES if state not in LOOKS_SUBMITTED}
    return {state: apart.get(state, LOOKS_SUBMITTED) for state in STATES if state in apart or state == State.SUBMITTED}


def own_rows(user: User, benchmark: Benchmark, state: str = "") -> QuerySet[Any, Row]:
    """The own samples, those begun last first; only those in ``state``, if it is one of ``shown_states``."""
    annotations, answers = _sources(user, benchmark)
    among = shown_states(user, benchmark).get(State(state)) if state in list(State) else None
    if among is not None:
        annotations = annotations.filter(state__in=among)
        answers = answers.filter(state=_OF_CHECKS[State(state)]) if State(state) in _OF_CHECKS else answers.none()
    rows = [source.values_list("at", "number") for source in (annotations, answers)]
    return rows[0].union(rows[1], all=True).order_by("-at", "-number")


def own_counts(user: User, benchmark: Benchmark) -> dict[State, int]:
    """Return the number of own samples in each of ``shown_states``. Two queries."""
    annotations, answers = _sources(user, benchmark)
    found = dict(annotations.values_list("state").annotate(n=Count("pk")))
    checks = dict(answers.values_list("state").annotate(n=Count("pk")))
    return {
        state: sum(found.get(one, 0) for one in among) + checks.get(_OF_CHECKS.get(state, ""), 0)
        for state, among in shown_states(user, benchmark).items()
    }


def own_neighbor(user: User, sample: Sample, *, older: bool) -> Sample | None:
    """The own sample that this person began before or after this one, None at the end. Before a sample that they have
    not begun is what they began last. Four queries at most."""
    sources = _sources(user, sample.benchmark)
    here = [row for source in sources for row in source.filter(number=sample.pk).values_list("at", "number")]
    beyond = Q()
    if here:
        at, number = here[0]
        side = "lt" if older else "gt"
        beyond = Q(**{f"at__{side}": at}) | Q(at=at, **{f"number__{side}": number})
    elif not older:
        return None
    sign = "-" if older else ""
    first = [
        source.filter(beyond).order_by(f"{sign}at", f"{sign}number").values_list("at", "number").first()
        for source in sources
    ]
    found = sorted((row for row in first if row is not None), reverse=older)
    return Sample.objects.get(pk=found[0][1]) if found else None


_OF_CHECKS = {State.DRAFT: CheckAnswer.State.DRAFT.value, State.SUBMITTED: CheckAnswer.State.HANDED_IN.value}
"""The states of gold checks that look like states of annotations."""


def _sources(user: User, benchmark: Benchmark) -> tuple[Any, Any]:
    """Annotations and answers of this person, with ``at`` and ``number`` as in ``Row``."""
    annotations = Annotation.objects.filter(author=user, sample__benchmark=benchmark, kind=Annotation.Kind.OWN)
    answers = CheckAnswer.objects.on(benchmark).begun().filter(user=user)
    return (
        annotations.annotate(at=F("created_at"), number=F("sample_id")).order_by(),
        answers.annotate(at=F("began_at"), number=F("check_of__sample_id")).order_by(),
    )
