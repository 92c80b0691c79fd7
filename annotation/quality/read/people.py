"""Work of each person on a benchmark: submissions, their outcome, and the time spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from annotation.models import Annotation, Benchmark, Review, Revision
from annotation.quality.read.agreement import GOLD, Audience, Work, pairs_of, short_names
from annotation.statistics import Interval, wilson
from annotation.workflow import State


@dataclass
class PersonWork:
    """One person's samples by what became of them, as ids. ``reviewed``: their first submission has been reviewed."""

    person: int
    name: str
    submitted: list[str] = field(default_factory=list)
    reviewed: list[str] = field(default_factory=list)
    accepted_at_first: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    ious: list[float] = field(default_factory=list)
    boxes_against_gold: list[str] = field(default_factory=list)
    right_against_gold: list[str] = field(default_factory=list)
    answers_against_gold: list[str] = field(default_factory=list)

    @property
    def acceptance(self) -> float | None:
        """Share of the reviewed first submissions that were accepted as they were."""
        return len(self.accepted_at_first) / len(self.reviewed) if self.reviewed else None

    @property
    def acceptance_interval(self) -> Interval | None:
        return wilson(len(self.accepted_at_first), len(self.reviewed))

    @property
    def median_seconds(self) -> float | None:
        """Return the median time from taking a sample to submitting it. It includes breaks, so the median is
        reported."""
        return median(self.seconds) if self.seconds else None

    @property
    def median_iou(self) -> float | None:
        return median(self.ious) if self.ious else None

    @property
    def same_as_gold(self) -> float | None:
        n = len(self.answers_against_gold)
        return len(self.right_against_gold) / n if n else None

    @property
    def same_as_gold_interval(self) -> Interval | None:
        return wilson(len(self.right_against_gold), len(self.answers_against_gold))


def people_work(benchmark: Benchmark, user: Any, audience: Audience, work: Work) -> list[PersonWork]:
    """Return the work of all people who submitted, by name; only the person's own if that is all they see. Two queries
    more than ``load_work``. Raises ``ValueError`` for an audience that sees no names.
    """
    if audience is Audience.TOGETHER:
        raise ValueError("You can see only combined results, not those of single people.")
    annotations = Annotation.objects.filter(sample__benchmark=benchmark, kind=Annotation.Kind.OWN, author__isnull=False)
    if audience is Audience.OWN:
        annotations = annotations.filter(author=user)
    first = Revision.objects.filter(annotation__in=annotations).first_submitted()
    rows = list(first.order_by("annotation__sample__key").values(*_FIELDS))
    decisions = _decisions(annotations)
    names = short_names({row["author"]: row["author__name"] or row["author__email"] for row in rows})
    people = {person: PersonWork(person, name) for person, name in names.items()}
    for row in rows:
        _add(people[row["author"]], row, decisions)
    for one in people.values():
        _compare(one, work)
    return sorted(people.values(), key=lambda one: one.name)


_FIELDS = (
    "pk", "author", "author__name", "author__email", "annotation", "annotation__state", "annotation__sample__key",
    "annotation__created_at", "submitted_at",
)  # fmt: skip


def _decisions(annotations: Any) -> tuple[dict[int, str], set[int]]:
    """The first decision on each revision, and the annotations that were ever returned."""
    first: dict[int, str] = {}
    returned: set[int] = set()
    reviews = Review.objects.filter(revision__annotation__in=annotations).order_by("created_at", "pk")
    for revision, annotation, decision in reviews.values_list("revision", "revision__annotation", "decision"):
        first.setdefault(revision, decision)
        if decision == Review.Decision.RETURN:
            returned.add(annotation)
    return first, returned


def _add(one: PersonWork, row: Mapping[str, Any], decisions: tuple[dict[int, str], set[int]]) -> None:
    key, (first, returned) = row["annotation__sample__key"], decisions
    one.submitted.append(key)
    one.seconds.append((row["submitted_at"] - row["annotation__created_at"]).total_seconds())
    if row["pk"] in first:
        one.reviewed.append(key)
        if first[row["pk"]] == Review.Decision.ACCEPT:
            one.accepted_at_first.append(key)
    if row["annotation"] in returned:
        one.returned.append(key)
    if row["annotation__state"] == State.DISCARDED:
        one.discarded.append(key)


def _compare(one: PersonWork, work: Work) -> None:
    for pair in pairs_of(work, one.person, GOLD):
        if pair.boxes is not None:
            one.ious.append(pair.boxes.iou)
            one.boxes_against_gold.append(pair.place.key)
        if pair.same is not None:
            one.answers_against_gold.append(pair.place.key)
            if pair.same:
                one.right_against_gold.append(pair.place.key)
