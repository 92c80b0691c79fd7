"""The second benchmark of the demo: private, with open work for everyone who works on it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.comments import add_comment
from annotation.content.json import content_to_json
from annotation.content.samples import NO_CONTENT, save_samples
from annotation.guidelines.write import publish
from annotation.images.store import store_pictures
from annotation.models import Annotation, Benchmark, Lease, Sample
from annotation.quality.write.audits import draw_audit
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.leave_review import leave_review
from annotation.queue.settings import set_queue
from annotation.review.write.decisions import Decision, answer_blind, decide, start_review
from annotation.schema import Box, SampleContent, SampleRecord
from annotation.studio.write.submit import submit
from annotation.task.write import activate, save_draft
from annotation.task_schema import Answer, AnswerKind, Facet, FacetOption, Kind, Required, TaskSchema
from annotation.work.write.leases import release_lease
from annotation.workflow import Role
from evaluation.demo.board import build_demo_board
from webapp.accounts.models import User

SLUG = "demo-work"
CHECKS, AUDITED, DISPUTED, IN_REVIEW, RETURNED, OPEN = 3, 1, 2, 4, 1, 12
"""Numbers of samples: with gold that is assigned as checks; accepted and drawn for an audit; annotated by two people
who disagree; annotated by Ana alone and not reviewed yet; returned to her; still to do.
"""
WITH_CONTENT = CHECKS + AUDITED + DISPUTED + IN_REVIEW + RETURNED
DESCRIPTION = (
    "Work in progress on drawn notice boards: samples to annotate, submissions to review, disputes, an audit, gold "
    "checks, and a building board."
)
GUIDELINES = """\
# Question

Ask for **one** fact that can be read from the image. Do not give the position away.

| Good | Not good |
| --- | --- |
| What is the price of the bicycle? | What is written in the note at the top left? |

# Options

Four options of the same kind. The incorrect ones should be on the board too, in other notes.

# Evidence

1. Draw the smallest box that answers the question, down to the pixel.
2. Leave out what is around the print.
3. If two places are needed, draw two boxes.

# Facets

Keep the facets that are given.

# Toolchain

Crop to the evidence first. Add a step only if the text can't be read without it.
"""
LISTED = ("category", "dimension")
"""Facets whose values the task lists."""
SEED = 11
"""Determines which samples are checks, and the order of assignment."""


def build_demo_work(
    *,
    folder: Path,
    records: Sequence[SampleRecord],
    people: Mapping[Role, User],
    second: User,
    admin: User,
    scene: bytes,
) -> None:
    """Create the benchmark, completely or not at all. ``records``: multiple-choice samples with evidence, whose images
    are in ``folder`` and in no public benchmark; ``people``: the people who work on it, by role; ``second``: another
    annotator; ``admin``: another lead; ``scene``: an image of tools for the building board.
    """
    if Benchmark.objects.filter(slug=SLUG).exists():
        return
    lead = people[Role.LEAD]
    with transaction.atomic():
        benchmark = create_benchmark(actor=lead, slug=SLUG, title="Demo: in progress", description=DESCRIPTION)
        for role, user in (*people.items(), (Role.ANNOTATOR, second), (Role.LEAD, admin)):
            add_member(actor=lead, benchmark=benchmark, user=user, role=role)
        chosen = _chosen(records)
        _set_task(benchmark, lead, chosen)
        # The audited one is accepted before the checks have gold.
        checks = random.Random(SEED).sample(chosen[AUDITED:WITH_CONTENT], CHECKS)
        images = store_pictures(actor=None, benchmark=benchmark, records=chosen, folder=folder, embedded={})
        # The position of the checks reveals nothing.
        empty = [replace(record, content=NO_CONTENT) for record in chosen]
        save_samples(actor=None, benchmark=benchmark, records=empty, pictures=images)
        team = _Team(benchmark, {record.id: record for record in chosen}, lead, people[Role.REVIEWER])
        _audit(team, second)
        save_samples(actor=None, benchmark=benchmark, records=checks, pictures=images)
        _work(team, people[Role.ANNOTATOR], second)
        add_checks(actor=lead, benchmark=benchmark, keys=sorted(record.id for record in checks))
        set_check_rules(
            actor=lead, benchmark=benchmark, check_first=1, check_share=0.1, box_measure="iou", box_least=0.5,
            any_question=False, pause_after=10, pause_below=None,
        )  # fmt: skip
        # No confirmation, so that people who open the demo start to work with the first press of Continue.
        publish(actor=lead, benchmark=benchmark, body=GUIDELINES, must_read=False, based_on=0)
        build_demo_board(benchmark=benchmark, lead=lead, scene=scene)


@dataclass(frozen=True)
class _Team:
    """The benchmark, the content of its samples, and the people who decide."""

    benchmark: Benchmark
    records: Mapping[str, SampleRecord]
    lead: User
    reviewer: User


def _chosen(records: Sequence[SampleRecord]) -> list[SampleRecord]:
    """Return the samples of the benchmark, in an order and with ids that reveal nothing about their images. The content
    of the first ``WITH_CONTENT`` is used; of the others only the image is, so images can come twice.
    """
    shuffled = random.Random(SEED).sample(list(records), min(len(records), WITH_CONTENT + OPEN))
    enough = islice(cycle(shuffled), WITH_CONTENT + OPEN)
    return [replace(record, id=f"scene-{number:02}") for number, record in enumerate(enough, start=1)]


def _set_task(benchmark: Benchmark, lead: User, records: Sequence[SampleRecord]) -> None:
    """Put a task in force that lists the values of two facets, so that they can be set on many samples at once."""
    values = {name: sorted({value for one in records for value in one.facets.get(name, ())}) for name in LISTED}
    facets = tuple(
        Facet(name, Kind.SINGLE, Required.ACCEPT, closed=True, values=tuple(map(FacetOption, found)))
        for name, found in values.items()
        if found
    )
    task = TaskSchema(facets=facets, answer=Answer(default=AnswerKind.MULTIPLE_CHOICE))
    draft = save_draft(actor=lead, benchmark=benchmark, content=task.as_json())
    activate(actor=lead, benchmark=benchmark, version=draft.version)


def _audit(team: _Team, annotator: User) -> None:
    """The reviewer accepts the first sample of an annotator, and the lead draws it for an audit."""
    set_queue(actor=team.lead, benchmark=team.benchmark, order="sequential", overlap=1)
    sample = _submit(annotator, team)
    _review(team.reviewer, sample, Decision("accept"), answer=team.records[sample.key].content.answers[0])
    draw_audit(actor=team.lead, benchmark=team.benchmark, share=1)
    _release(team)


def _work(team: _Team, ana: User, second: User) -> None:
    """Two people disagree on samples; Ana annotates more of them alone, and the reviewer returns one."""
    set_queue(actor=team.lead, benchmark=team.benchmark, order="sequential", overlap=2)
    for person, changed in ((ana, _unchanged), (second, _otherwise)):
        for _ in range(DISPUTED):
            _submit(person, team, changed)
    _release(team)
    set_queue(actor=team.lead, benchmark=team.benchmark, order="sequential", overlap=1)
    returned = _submit(ana, team, _too_large)
    for _ in range(IN_REVIEW):
        _submit(ana, team)
    _return(team, ana, returned)
    _release(team)


def _release(team: _Team) -> None:
    """Submitting reserves the next sample. The lead ends that, so that the demo begins without a reserved sample."""
    for lease in Lease.objects.filter(sample__benchmark=team.benchmark).select_related("sample__benchmark", "user"):
        release_lease(actor=team.lead, lease=lease)


def _return(team: _Team, ana: User, sample: Sample) -> None:
    """Return a sample to Ana as the reviewer, with a comment on its position."""
    annotation = Annotation.objects.get(sample=sample, author=ana)
    box = team.records[sample.key].content.gold_boxes[0]
    where = ((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
    text = "Keep to the print itself: what is around it shows nothing that answers the question."
    decision = Decision("return", ("more_than_minimal_evidence",), "The box is larger than the evidence.")

    def comment() -> None:
        add_comment(actor=team.reviewer, annotation=annotation, text=text, place=where)

    _review(team.reviewer, sample, decision, comment)


def _review(
    reviewer: User,
    sample: Sample,
    decision: Decision,
    before: Callable[[], None] = lambda: None,
    answer: str = "",
) -> None:
    """Review a sample: a blind answer, or none, then ``before`` and the decision."""
    start_review(reviewer, sample)
    answer_blind(actor=reviewer, sample=sample, answer=answer, unsure=not answer, seconds=6)
    before()
    following = decide(actor=reviewer, sample=sample, decision=decision)
    if following is not None:
        leave_review(actor=reviewer, sample=following)


def _unchanged(content: SampleContent) -> SampleContent:
    return content


def _submit(user: User, team: _Team, changed: Callable[[SampleContent], SampleContent] = _unchanged) -> Sample:
    """Submit the next sample of this person, with the content of its record."""
    sample = next_to_annotate(actor=user, benchmark=team.benchmark)
    if sample is None:
        raise RuntimeError(f"The demo has nothing to annotate for {user}.")
    record = team.records[sample.key]
    sent: dict[str, Any] = content_to_json(changed(record.content), facets=record.facets)
    submit(actor=user, sample=sample, version=0, content=sent)
    return sample


def _otherwise(content: SampleContent) -> SampleContent:
    """Return the content of a person who took another region for the evidence."""
    wrong = next(letter for letter in content.options if letter not in content.answers)
    return replace(content, answers=(wrong,), gold_boxes=tuple(_beside(box) for box in content.gold_boxes))


def _too_large(content: SampleContent) -> SampleContent:
    """Return the content with a box that is twice as large as the evidence, above it and to its left."""
    boxes = ((max(0.0, 2 * b.x1 - b.x2), max(0.0, 2 * b.y1 - b.y2), b.x2, b.y2) for b in content.gold_boxes)
    return replace(content, gold_boxes=tuple(Box(*corners) for corners in boxes))


def _beside(box: Box) -> Box:
    """Return a box of the same size further left, or on the other side if there is no room."""
    away = 3 * (box.x2 - box.x1)
    away = -away if box.x1 >= away else away
    return Box(box.x1 + away, box.y1, box.x2 + away, box.y2)
