"""Annotations of several people on the same samples: their work, the gold, and the comparable pairs.

The work of a person is their first submission, before any review, because only this is independent. A person is
compared with gold if it was made from another person's annotation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Any

from django.utils.translation import gettext

from annotation.agreement import BoxAgreement, box_agreement, same_answer
from annotation.common.access import roles_of
from annotation.content.drawn_on import in_pixels_of
from annotation.content.image_history import Drawn, sizes_drawn_on
from annotation.content.people import verified_addresses
from annotation.content.rescaling import Size
from annotation.models import Annotation, Benchmark, FacetValue, GoldBox, GoldShape, ImageReplacement, Revision
from annotation.models.querysets.samples import cluster_image
from annotation.schema import AnswerType, Box, SampleContent, ToolPlan, outline_of
from annotation.workflow import Right, Role, State, may
from webapp.common.errors import NotAllowed

ALL = "all"
GOLD = "gold"
DISPUTED_BELOW = 0.5
"""A pair is disputed if its boxes have an IoU below this, or if its answers differ."""

Rater = int | str
"""A person by their number, or ``ALL`` people, or ``GOLD``."""

_WITH_AUTHOR = (State.DRAFT, State.RETURNED)


class Audience(StrEnum):
    """The work that a reader sees: a lead everyone's by name, a researcher that of all people together, others only
    their own.
    """

    EVERYONE = "everyone"
    TOGETHER = "together"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class ComparedSample:
    """Facts about a sample: its id, its cluster, its values of the chosen facet."""

    key: str
    cluster: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """The content of one submission, or of gold. ``writers``: the people who wrote this annotation or revision, or
    annotations that it combines; empty if it was imported. ``size``: of the image that it was drawn on.
    """

    content: SampleContent
    facets: Mapping[str, Sequence[object]]
    writers: frozenset[int]
    size: Size | None = None


@dataclass(frozen=True)
class Work:
    """All comparable work: names of people, samples, and contents by person and sample."""

    people: Mapping[int, str]
    samples: Mapping[int, ComparedSample]
    said: Mapping[int, Mapping[int, Said]]
    gold: Mapping[int, Said]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two contents of one sample. ``second_by`` is None for gold; ``boxes`` and ``same`` None: not comparable.
    ``shapes_differ``: the boxes lie on images of different shape.
    """

    sample: int
    place: ComparedSample
    first_by: int
    second_by: int | None
    first: Said
    second: Said
    boxes: BoxAgreement | None
    same: bool | None
    shapes_differ: bool = False

    @property
    def disputed(self) -> bool:
        return self.same is False or (self.boxes is not None and self.boxes.iou < DISPUTED_BELOW)


def audience_of(user: Any, benchmark: Benchmark) -> Audience:
    """Return the work that this person sees. Raises ``NotAllowed`` for a person without a role.

    People who annotate or review see only their own, even if they are also researchers, because other work would
    influence theirs.
    """
    roles = roles_of(user, benchmark)
    if Role.LEAD in roles:
        return Audience.EVERYONE
    if may(roles, Right.ANNOTATE) or may(roles, Right.REVIEW):
        return Audience.OWN
    if may(roles, Right.COMPARE_WORK):
        return Audience.TOGETHER
    raise NotAllowed(
        gettext("Only members of %(title)s can see agreement. Ask its lead for a role.") % {"title": benchmark.title}
    )


def verified_known_to(benchmark: Benchmark, user: Any, audience: Audience, people: Collection[int]) -> dict[int, bool]:
    """Return whether the addresses of people are verified, for those of whom this audience may know it: a lead of
    everyone, others of themselves. One query.
    """
    if audience is Audience.TOGETHER:
        return {}
    named = people if audience is Audience.EVERYONE else [one for one in people if one == user.pk]
    return verified_addresses(benchmark, named)


def load_work(benchmark: Benchmark, user: Any, audience: Audience, by: str = "") -> Work:
    """Return the first submissions of all people on samples that also have content from another person or an import.

    For ``Audience.OWN``, only samples that the person has submitted and that are not returned to them. ``by``: a facet
    whose values are loaded with the samples. At most eight queries.
    """
    first = Revision.objects.filter(annotation__sample__benchmark=benchmark).first_submitted().beside_others()
    first = first.order_by("annotation__author__name", "annotation__author")
    image = cluster_image("annotation__sample__")
    rows = list(first.values(*_CONTENT, *_OF_PEOPLE, cluster_image=image))
    if audience is Audience.OWN:
        mine = {r[_SAMPLE] for r in rows if r[_AUTHOR] == user.pk and r["annotation__state"] not in _WITH_AUTHOR}
        rows = [row for row in rows if row[_SAMPLE] in mine]
    samples = {row[_SAMPLE] for row in rows}
    golds = list(Revision.objects.filter(gold_of__sample__benchmark=benchmark).values(*_CONTENT))
    used = {number for gold in golds for number in _combined(gold)}
    authors = dict(Revision.objects.filter(pk__in=used).values_list("pk", "annotation__author")) if used else {}
    boxes = _boxes(benchmark)
    sizes = _sizes(benchmark, (*rows, *golds))
    values = facet_values(benchmark, by) if by else {}
    said: dict[int, dict[int, Said]] = {}
    for row in rows:
        said.setdefault(row[_AUTHOR], {})[row[_SAMPLE]] = _said(row, boxes, sizes)
    return Work(
        people=short_names({r[_AUTHOR]: r["annotation__author__name"] or r["annotation__author__email"] for r in rows}),
        samples={
            row[_SAMPLE]: ComparedSample(
                row["annotation__sample__key"], _cluster(row), tuple(values.get(row[_SAMPLE], ()))
            )
            for row in rows
        },
        said=said,
        gold={row[_SAMPLE]: _said(row, boxes, sizes, authors) for row in golds if row[_SAMPLE] in samples},
    )


_SAMPLE, _AUTHOR = "annotation__sample", "annotation__author"
_CONTENT = (
    "pk", _SAMPLE, _AUTHOR, "author", "annotation__kind", "question", "answer_type", "options", "answers",
    "ordered", "facets", "provenance", "unanswerable", "submitted_at", "annotation__sample__width",
    "annotation__sample__height",
)  # fmt: skip
_OF_PEOPLE = (
    "annotation__state", "annotation__author__name", "annotation__author__email", "annotation__sample__key",
    "annotation__sample__image_group",
)  # fmt: skip


def _boxes(benchmark: Benchmark) -> dict[int, list[Box]]:
    """Return gold boxes by revision, of all revisions on samples with more than one submitted annotation."""
    submitted = Revision.objects.filter(annotation__sample__benchmark=benchmark, submitted_at__isnull=False)
    found: dict[int, list[Box]] = {}
    rows = GoldBox.objects.filter(revision__in=submitted.beside_others().values("pk")).order_by("revision", "position")
    for revision, *corners in rows.values_list("revision", "x1", "y1", "x2", "y2"):
        found.setdefault(revision, []).append(Box(*corners))
    outlined = GoldShape.objects.filter(revision__in=submitted.beside_others().values("pk"))
    for revision, kind, points in outlined.order_by("revision", "position").values_list("revision", "kind", "points"):
        found.setdefault(revision, []).append(outline_of(kind, points))
    return found


def _sizes(benchmark: Benchmark, rows: Iterable[Mapping[str, Any]]) -> dict[int, Size | None]:
    """Return the size of the image that each revision was drawn on."""
    drawn = []
    for row in rows:
        width, height = row["annotation__sample__width"], row["annotation__sample__height"]
        now = (width, height) if width and height else None
        drawn.append(Drawn(row["pk"], row[_SAMPLE], row["submitted_at"], now))
    return sizes_drawn_on(ImageReplacement.objects.filter(sample__benchmark=benchmark), drawn)


def facet_names(benchmark: Benchmark) -> list[str]:
    """The facets that samples of the benchmark have, in order."""
    return list(FacetValue.objects.filter(benchmark=benchmark).names())


def facet_values(benchmark: Benchmark, by: str) -> dict[int, list[str]]:
    """Return the values of one facet by sample, in their order."""
    found: dict[int, list[str]] = {}
    rows = FacetValue.objects.filter(sample__benchmark=benchmark, name=by).order_by("position")
    for sample, value in rows.values_list("sample", "value"):
        found.setdefault(sample, []).append(value)
    return found


def _combined(row: Mapping[str, Any]) -> set[int]:
    """Return the revisions that an adjudicated one combines."""
    return {number for one in (row["provenance"] or {}).values() for number in one["from"]}


def _said(
    row: Mapping[str, Any],
    boxes: Mapping[int, Sequence[Box]],
    sizes: Mapping[int, Size | None],
    authors: Mapping[int, int | None] | None = None,
) -> Said:
    content = SampleContent(
        question=row["question"],
        answer_type=AnswerType(row["answer_type"]),
        options=row["options"],
        answers=tuple(row["answers"]),
        gold_boxes=tuple(boxes.get(row["pk"], ())),
        plan=ToolPlan(ordered=row["ordered"]),
        unanswerable=row["unanswerable"],
    )
    made = [row[_AUTHOR], row["author"], *((authors or {}).get(number) for number in _combined(row))]
    writers = () if row["annotation__kind"] == Annotation.Kind.IMPORTED else made
    known = frozenset(writer for writer in writers if writer is not None)
    return Said(content, row["facets"] or {}, known, sizes[row["pk"]])


def _cluster(row: Mapping[str, Any]) -> str:
    """Return the cluster: samples of one image belong together."""
    image, group = row["cluster_image"], row["annotation__sample__image_group"]
    return group or (f"image {image}" if image else f"sample {row[_SAMPLE]}")


def short_names(names: Mapping[int, str]) -> dict[int, str]:
    """Return first names if they distinguish people, otherwise full names. People who left have full names: "Former
    annotator 7".
    """
    first = {person: name if name.startswith("Former ") else name.split()[0] for person, name in names.items()}
    shared = list(first.values())
    return {person: short if shared.count(short) == 1 else names[person] for person, short in first.items()}


def pairs_of(work: Work, first: Rater, second: Rater) -> list[Pair]:
    """Return the samples on which these two can be compared, in order of id: two people, a person and gold, or all of
    them.
    """
    return in_order(_pairs(work, first, second))


def in_order(pairs: Iterable[Pair]) -> list[Pair]:
    """Sort pairs by the id of the sample, then by the people."""
    return sorted(pairs, key=lambda pair: (pair.place.key, pair.first_by, pair.second_by or 0))


def swapped(pair: Pair) -> Pair:
    """Return two people in reverse order. Raises ``ValueError`` for gold, which is always the second."""
    if pair.second_by is None:
        raise ValueError("Gold is always the second of a pair.")
    boxes = pair.boxes
    return replace(
        pair,
        first_by=pair.second_by,
        second_by=pair.first_by,
        first=pair.second,
        second=pair.first,
        boxes=BoxAgreement(boxes.iou, boxes.ioa_second, boxes.ioa_first) if boxes else None,
    )


def _pairs(work: Work, first: Rater, second: Rater) -> Iterator[Pair]:
    if first == ALL and second == ALL:
        for one, other in combinations(work.people, 2):
            yield from _pairs(work, one, other)
    elif first == ALL:
        for one in work.people:
            yield from _pairs(work, one, second)
    elif second == GOLD:
        mine = work.said.get(int(first), {})
        yield from (
            _pair(work, sample, int(first), None, said, work.gold[sample])
            for sample, said in mine.items()
            if sample in work.gold and first not in work.gold[sample].writers
        )
    elif first != second:
        mine, theirs = work.said.get(int(first), {}), work.said.get(int(second), {})
        yield from (
            _pair(work, sample, int(first), int(second), mine[sample], theirs[sample])
            for sample in mine.keys() & theirs.keys()
        )


def _pair(work: Work, sample: int, first_by: int, second_by: int | None, first: Said, second: Said) -> Pair:
    other = in_pixels_of(second.content, second.size, first.size)
    return Pair(
        sample=sample,
        place=work.samples[sample],
        first_by=first_by,
        second_by=second_by,
        first=first,
        second=second,
        boxes=box_agreement(first.content.gold_boxes, other.gold_boxes) if other is not None else None,
        same=same_answer(first.content, second.content),
        shapes_differ=other is None and bool(first.content.gold_boxes and second.content.gold_boxes),
    )
