"""Combining several annotations of a sample into one gold: boxes grouped across people, a proposed consensus, and which
fields the annotations agree on. Pure.

Contents are given in one order of people, and a person is named by their position in it. The order changes no result.
Source: docs/adjudication.md#agreement, #groups-of-boxes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from annotation.agreement import box_agreement, same_answer
from annotation.regions import has_outlines
from annotation.schema import Box, SampleContent, ToolPlan
from annotation.tool_bank import key_of
from annotation.toolbox.steps import Steps, canonical_steps

Facets = Mapping[str, Sequence[Any]]


class Combine(StrEnum):
    """The method that combines the boxes of a group into one."""

    MEDIAN = "median"
    """The median of each coordinate."""
    MAJORITY = "majority"
    """The bounding box of the area that more than half of all people cover."""
    UNION = "union"
    INTERSECTION = "intersection"


class Support(StrEnum):
    """The people whose boxes a group must have to count as agreed."""

    ALL = "all"
    MAJORITY = "majority"


class Field(StrEnum):
    """Fields that are compared and decided separately."""

    QUESTION = "question"
    ANSWER = "answer"
    EVIDENCE = "evidence"
    FACETS = "facets"
    TOOLCHAIN = "toolchain"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class ConsensusRule:
    """When annotations agree: ``box_iou`` is the least IoU of boxes of one group and the least mean IoU of whole
    regions, 0..1."""

    box_iou: float = 0.5
    support: Support = Support.ALL
    combine: Combine = Combine.MEDIAN


@dataclass(frozen=True, slots=True)
class BoxGroup:
    """Boxes of different people that show the same evidence: the position of each person -> the position of their
    box. ``boxes`` is in the same order."""

    members: Mapping[int, int]
    boxes: tuple[Box, ...]
    people: int

    def combined(self, how: Combine) -> Box | None:
        """One box of the group, rounded outward to whole pixels; None where no area remains. Outlines are not
        combined: the one that most people have is taken, or that of the person who comes first."""
        if has_outlines(self.boxes):
            return max(self.boxes, key=lambda box: (self.boxes.count(box), -self.boxes.index(box)))
        return _outward(_COMBINE[how](self.boxes, self.people))

    def is_supported(self, support: Support) -> bool:
        """Whether all people, or more than half of them, have a box in the group."""
        return len(self.boxes) == self.people if support is Support.ALL else 2 * len(self.boxes) > self.people


@dataclass(frozen=True, slots=True)
class FieldAgreement:
    """The agreement of people on one field. ``value``: the mean over pairs, 0..1; None if there is nothing to compare,
    which is not a dispute.
    """

    agreed: bool
    value: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """The start of a round of adjudication: agreement by field, and groups of boxes."""

    fields: Mapping[Field, FieldAgreement]
    groups: tuple[BoxGroup, ...]

    @property
    def agreed(self) -> bool:
        return all(field.agreed for field in self.fields.values())

    @property
    def disputed(self) -> tuple[Field, ...]:
        return tuple(name for name, field in self.fields.items() if not field.agreed)


def compare(
    contents: Sequence[SampleContent],
    facets: Sequence[Facets],
    rule: ConsensusRule,
    canonical: Callable[[str], str] = key_of,
    verified: Sequence[bool] = (),
) -> Compared:
    """The agreement of two or more annotations of one sample. ``canonical`` gives the meaning of a tool's name in the
    tool bank, so that aliases are equal. ``verified``: whose toolchain was verified to give their answer; none unless
    given.

    Values are means over pairs: 1 or 0 for question, answer, facets, toolchain and plan, and the IoU of the whole
    regions for the evidence. The evidence is agreed if its value is at least ``box_iou`` and every group of boxes has
    the required support. Answers that differ only because the questions differ are not compared. A person who says that
    the question cannot be answered disputes the answer, and is left out of the fields after it. Two toolchains agree if
    they have the same steps, or if both were verified.
    """
    same_question = _agreement(contents, lambda a, b: float(_plain(a.question) == _plain(b.question)))
    fields = {Field.QUESTION: same_question}
    answering = [content for content in contents if content.unanswerable is None]
    if same_question.agreed:
        answers = _agreement(contents, _answers)
        fields[Field.ANSWER] = replace(answers, agreed=answers.agreed and len(answering) == len(contents))
    drawn = [content.gold_boxes if content.unanswerable is None else None for content in contents]
    groups = group_boxes(drawn, rule.box_iou)
    evidence = _agreement(answering, _regions, least=rule.box_iou)
    supported = all(group.is_supported(rule.support) for group in groups)
    fields[Field.EVIDENCE] = replace(evidence, agreed=evidence.agreed and supported)
    their_facets = [one for one, content in zip(facets, contents, strict=True) if content.unanswerable is None]
    fields[Field.FACETS] = _agreement(their_facets, _facets)
    marks = verified or [False] * len(contents)
    chains = [(steps(one), mark) for one, mark in zip(contents, marks, strict=True) if one.unanswerable is None]
    fields[Field.TOOLCHAIN] = _agreement(chains, _toolchains)
    fields[Field.PLAN] = _agreement([content.plan for content in answering], lambda a, b: _plans(a, b, canonical))
    return Compared(fields, groups)


def with_dispute(compared: Compared, field: Field) -> Compared:
    """The same, with a field that people must decide."""
    return replace(compared, fields={**compared.fields, field: replace(compared.fields[field], agreed=False)})


def group_boxes(drawn: Sequence[Sequence[Box] | None], least: float) -> tuple[BoxGroup, ...]:
    """Groups of the boxes of several people, by the position of their first box. None: a person who was asked for no
    boxes, and does not count.

    Pairs of boxes of two people with an IoU of at least ``least`` are taken by decreasing IoU, ties by coordinates, and
    their groups are merged unless a person would have two boxes in the result.
    """
    boxes = [several or () for several in drawn]
    people = sum(several is not None for several in drawn)
    all_boxes = [(person, place) for person, several in enumerate(boxes) for place in range(len(several))]
    group = {one: {one[0]: one[1]} for one in all_boxes}
    pairs = []
    for one, other in combinations(all_boxes, 2):
        first, second = boxes[one[0]][one[1]], boxes[other[0]][other[1]]
        if type(first) is not type(second) or getattr(first, "kind", None) != getattr(second, "kind", None):
            continue
        if one[0] != other[0] and (iou := _iou(first, second)) >= least:
            pairs.append((-iou, sorted([_corners(first), _corners(second)]), one, other))
    for _, _, one, other in sorted(pairs):
        mine, theirs = group[one], group[other]
        if mine is theirs or mine.keys() & theirs.keys():
            continue
        mine.update(theirs)
        for member in theirs.items():
            group[member] = mine
    found = {id(members): members for members in group.values()}.values()
    made = [_group(members, boxes, people) for members in found]
    return tuple(sorted(made, key=lambda one: min((box.y1, box.x1, box.y2, box.x2) for box in one.boxes)))


def proposal(
    contents: Sequence[SampleContent], compared: Compared, rule: ConsensusRule
) -> tuple[SampleContent, tuple[BoxGroup | None, ...]]:
    """The content that is proposed as gold, and the group behind each of its boxes.

    Each agreed field is that of the first person, and the boxes are those of the groups with support, combined by the
    rule. Of a disputed field the value of most people is proposed; on a tie, that of the person who comes first. People
    who say that the question cannot be answered propose nothing else.
    """
    answering = [content for content in contents if content.unanswerable is None] or contents
    base = answering[_most([_plain(content.question) for content in answering])]
    asked = [content for content in answering if _plain(content.question) == _plain(base.question)]
    answered = asked[_most([tuple(sorted(_words(content))) for content in asked])]
    chain = answering[_most([str(steps(content)) for content in answering])].reference_toolchain
    plan = answering[_most([str(_plan_key(content.plan, key_of)) for content in answering])].plan
    kept = [(box, group) for group in compared.groups if group.is_supported(Support.MAJORITY)
            if (box := group.combined(rule.combine)) is not None]  # fmt: skip
    content = SampleContent(
        question=answered.question,
        answer_type=answered.answer_type,
        options=answered.options,
        answers=answered.answers,
        gold_boxes=tuple(box for box, _ in kept),
        reference_toolchain=chain,
        plan=plan,
    )
    return content, tuple(group for _, group in kept)


def proposed_facets(facets: Sequence[Facets]) -> dict[str, tuple[Any, ...]]:
    """For each facet the values that most people gave who set it; on a tie, those of the person who comes first."""
    names = dict.fromkeys(name for one in facets for name in one)
    given = {name: [tuple(one[name]) for one in facets if one.get(name)] for name in names}
    return {name: values[_most([str(value) for value in values])] for name, values in given.items() if values}


def provenance(
    content: SampleContent,
    content_facets: Facets,
    contents: Sequence[SampleContent],
    facets: Sequence[Facets],
    groups: Iterable[BoxGroup],
) -> dict[str, dict[str, Any]]:
    """Return the source of each field of an adjudicated content: ``{"from": [person, …], "how": …}``.

    "taken": it equals that of these people. "consensus:median" and the like: each box is that combination of a group,
    or one person's; the people of these groups. "edited": none of these.
    """
    parts: dict[Field, Callable[[SampleContent], object]] = {
        Field.QUESTION: lambda one: (one.question, one.answer_type, dict(one.options)),
        Field.ANSWER: lambda one: list(one.answers),
        Field.TOOLCHAIN: lambda one: str(steps(one)),
        Field.PLAN: lambda one: one.plan,
    }
    found = {}
    answering = [(at, one) for at, one in enumerate(contents) if one.unanswerable is None]
    for field, part in parts.items():
        found[field.value] = _taken([at for at, one in answering if part(one) == part(content)])
    same = [at for at, one in enumerate(facets) if _plain_facets(one) == _plain_facets(content_facets)]
    found[Field.FACETS.value] = _taken(same)
    boxes = sorted(map(_exact, content.gold_boxes))
    equal = [at for at, one in answering if sorted(map(_exact, one.gold_boxes)) == boxes]
    found[Field.EVIDENCE.value] = _taken(equal) if equal else _combined(content.gold_boxes, list(groups))
    return found


def steps(content: SampleContent) -> Steps:
    """The calls of the reference toolchain in one spelling."""
    return canonical_steps(content.reference_toolchain)


def _taken(people: list[int]) -> dict[str, Any]:
    return {"from": people, "how": "taken" if people else "edited"}


def _combined(boxes: Sequence[Box], groups: Sequence[BoxGroup]) -> dict[str, Any]:
    """The combination of which every box is one, if there is one; else the people whose boxes were kept."""
    for how in Combine:
        of = {_exact(box): group for group in groups if (box := group.combined(how)) is not None}
        used = [of.get(_exact(box)) for box in boxes]
        if boxes and None not in used and not has_outlines(boxes):
            people = sorted({person for group in used if group is not None for person in group.members})
            return {"from": people, "how": f"consensus:{how.value}"}
    known: dict[str, set[int]] = {}
    for group in groups:
        for person, own in zip(group.members, group.boxes, strict=True):
            known.setdefault(_exact(own), set()).add(person)
        for how in Combine:
            if (box := group.combined(how)) is not None:
                known.setdefault(_exact(box), set(group.members))
    chosen = [known.get(_exact(box)) for box in boxes]
    if boxes and None not in chosen:
        return {"from": sorted(set().union(*(people for people in chosen if people))), "how": "mixed"}
    return {"from": [], "how": "edited"}


def _agreement(values: Sequence[Any], pair: Callable[[Any, Any], float | None], least: float = 1.0) -> FieldAgreement:
    """Return the mean over all pairs; agreed if it reaches ``least``, or if no pair can be compared."""
    found = [value for one, other in combinations(values, 2) if (value := pair(one, other)) is not None]
    mean = sum(found) / len(found) if found else None
    return FieldAgreement(mean is None or mean >= least - 1e-12, mean)


def _answers(one: SampleContent, other: SampleContent) -> float | None:
    """None where neither answers; an answer against none is a dispute."""
    if not one.answers and not other.answers:
        return None
    return float(same_answer(one, other) is True)


def _regions(one: SampleContent, other: SampleContent) -> float | None:
    if not one.gold_boxes and not other.gold_boxes:
        return None
    both = box_agreement(one.gold_boxes, other.gold_boxes)
    return both.iou if both else 0.0


def _facets(one: Facets, other: Facets) -> float | None:
    mine, theirs = _plain_facets(one), _plain_facets(other)
    return float(mine == theirs) if mine or theirs else None


def _plain_facets(facets: Facets) -> dict[str, list[str]]:
    return {name: sorted(_plain(str(value)) for value in values) for name, values in facets.items() if values}


def _toolchains(one: tuple[Steps, bool], other: tuple[Steps, bool]) -> float | None:
    (mine, mine_verified), (theirs, theirs_verified) = one, other
    return float(mine == theirs or (mine_verified and theirs_verified)) if mine or theirs else None


def _plans(one: ToolPlan, other: ToolPlan, canonical: Callable[[str], str]) -> float | None:
    """1 if targets and steps are the same by meaning, and no target of one is a distractor of the other; else 0."""
    mine, theirs = _plan_key(one, canonical), _plan_key(other, canonical)
    if not mine[0] and not theirs[0] and not mine[1] and not theirs[1]:
        return None
    crossed = {tool for tool, _ in mine[0]} & theirs[1] or {tool for tool, _ in theirs[0]} & mine[1]
    return float(mine[0] == theirs[0] and not crossed)


def _plan_key(plan: ToolPlan, canonical: Callable[[str], str]) -> tuple[frozenset[tuple[str, int]], frozenset[str]]:
    """Targets with their steps numbered without gaps, and distractors."""
    numbers = {step: at for at, step in enumerate(sorted({target.step for target in plan.targets}), start=1)}
    return (
        frozenset((canonical(target.tool), numbers[target.step]) for target in plan.targets),
        frozenset(canonical(tool) for tool in plan.distractors),
    )


def _words(content: SampleContent) -> set[str]:
    return {_plain(content.options.get(answer, answer)) for answer in content.answers}


def _most(values: Sequence[Any]) -> int:
    """The position of the most frequent value; on a tie, of the one that comes first."""
    return max(range(len(values)), key=lambda at: (values.count(values[at]), -at))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _iou(one: Box, other: Box) -> float:
    both = box_agreement([one], [other])
    return both.iou if both else 0.0


def _group(members: Mapping[int, int], boxes: Sequence[Sequence[Box]], people: int) -> BoxGroup:
    ordered = dict(sorted(members.items()))
    return BoxGroup(ordered, tuple(boxes[person][place] for person, place in ordered.items()), people)


def _exact(shape: Box) -> str:
    """A text that equal shapes have, and only they."""
    return str(shape.written())


def _corners(shape: Box) -> list[Any]:
    """Numbers to order shapes by: a box by its corners, an outline by its vertices, too."""
    return [*shape.as_list(), *(v for point in getattr(shape, "points", ()) for v in point)]


Corners = tuple[float, float, float, float] | None


def _median(boxes: Sequence[Box], _: int) -> Corners:
    sides = zip(*(box.as_list() for box in boxes), strict=True)
    x1, y1, x2, y2 = (median(side) for side in sides)
    return x1, y1, x2, y2


def _union(boxes: Sequence[Box], _: int) -> Corners:
    return min(b.x1 for b in boxes), min(b.y1 for b in boxes), max(b.x2 for b in boxes), max(b.y2 for b in boxes)


def _intersection(boxes: Sequence[Box], _: int) -> Corners:
    return max(b.x1 for b in boxes), max(b.y1 for b in boxes), min(b.x2 for b in boxes), min(b.y2 for b in boxes)


def _majority(boxes: Sequence[Box], people: int) -> Corners:
    xs = np.unique([side for box in boxes for side in (box.x1, box.x2)])
    ys = np.unique([side for box in boxes for side in (box.y1, box.y2)])
    cover = np.zeros((len(ys) - 1, len(xs) - 1), dtype=np.int64)
    for box in boxes:
        left, right = np.searchsorted(xs, (box.x1, box.x2))
        top, bottom = np.searchsorted(ys, (box.y1, box.y2))
        cover[top:bottom, left:right] += 1
    rows, columns = np.nonzero(2 * cover > people)
    if not len(rows):
        return None
    return (
        float(xs[columns.min()]),
        float(ys[rows.min()]),
        float(xs[columns.max() + 1]),
        float(ys[rows.max() + 1]),
    )


_COMBINE: Mapping[Combine, Callable[[Sequence[Box], int], Corners]] = {
    Combine.MEDIAN: _median,
    Combine.MAJORITY: _majority,
    Combine.UNION: _union,
    Combine.INTERSECTION: _intersection,
}


def _outward(corners: Corners) -> Box | None:
    if corners is None or corners[0] >= corners[2] or corners[1] >= corners[3]:
        return None
    return Box(math.floor(corners[0]), math.floor(corners[1]), math.ceil(corners[2]), math.ceil(corners[3]))
