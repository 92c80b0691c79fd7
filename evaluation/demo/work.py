"""The second benchmark of the demo: private, with open work for the annotator and the reviewer."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
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
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.leave_review import leave_review
from annotation.queue.settings import set_queue
from annotation.review.write.decisions import Decision, answer_blind, decide, start_review
from annotation.schema import Box, SampleContent, SampleRecord
from annotation.studio.write.submit import submit
from annotation.workflow import Role
from webapp.accounts.models import User

SLUG = "demo-work"
CHECKS, ANNOTATED, OPEN = 3, 5, 11
"""Numbers of samples: with gold that is assigned as checks; annotated by Ana, the first also by a second person and the
second returned to her; still to do. With the returned one, Ana has twelve.
"""
DESCRIPTION = "Work in progress on drawn notice boards: samples to annotate, submissions to review, gold checks."
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
SEED = 11
"""Determines which samples are checks, and the order of assignment."""


def build_demo_work(
    *, folder: Path, records: Sequence[SampleRecord], people: Mapping[Role, User], second: User
) -> None:
    """Create the benchmark, completely or not at all. ``records``: multiple-choice samples with evidence, whose images
    are in ``folder`` and in no public benchmark; ``people``: the people who work on it, by role; ``second``: another
    annotator.
    """
    if Benchmark.objects.filter(slug=SLUG).exists():
        return
    with transaction.atomic():
        benchmark = create_benchmark(actor=None, slug=SLUG, title="Demo: work in progress", description=DESCRIPTION)
        for role, user in people.items():
            add_member(actor=None, benchmark=benchmark, user=user, role=role)
        add_member(actor=None, benchmark=benchmark, user=second, role=Role.ANNOTATOR)
        chosen = _chosen(records)
        checks = {record.id for record in random.Random(SEED).sample(chosen, CHECKS)}
        _import(benchmark, folder, chosen, checks)
        _work(benchmark, {record.id: record for record in chosen if record.id not in checks}, people, second)
        lead = people[Role.LEAD]
        add_checks(actor=lead, benchmark=benchmark, keys=sorted(checks))
        set_check_rules(
            actor=lead, benchmark=benchmark, check_first=1, check_share=0.1, box_measure="iou", box_least=0.5,
            any_question=False, pause_after=10, pause_below=None,
        )  # fmt: skip
        # No confirmation, so that people who open the demo start to work with the first press of Continue.
        publish(actor=lead, benchmark=benchmark, body=GUIDELINES, must_read=False, based_on=0)


def _chosen(records: Sequence[SampleRecord]) -> list[SampleRecord]:
    """Return the samples of the benchmark, in an order and with ids that reveal nothing about their images."""
    shuffled = random.Random(SEED).sample(list(records), CHECKS + ANNOTATED + OPEN)
    return [replace(record, id=f"scene-{number:02}") for number, record in enumerate(shuffled, start=1)]


def _import(benchmark: Benchmark, folder: Path, chosen: Sequence[SampleRecord], checks: Collection[str]) -> None:
    """Import the samples with the gold of ``checks`` alone. The position of the checks reveals nothing."""
    given = [record if record.id in checks else replace(record, content=NO_CONTENT) for record in chosen]
    images = store_pictures(actor=None, benchmark=benchmark, records=chosen, folder=folder, embedded={})
    save_samples(actor=None, benchmark=benchmark, records=given, pictures=images)


def _work(benchmark: Benchmark, records: Mapping[str, SampleRecord], people: Mapping[Role, User], second: User) -> None:
    """Two people disagree on the first sample; Ana annotates four more, and the reviewer returns one of them."""
    lead, ana, reviewer = people[Role.LEAD], people[Role.ANNOTATOR], people[Role.REVIEWER]
    set_queue(actor=lead, benchmark=benchmark, order="sequential", overlap=2)
    _submit(ana, benchmark, records)
    _submit(second, benchmark, records, _otherwise)
    set_queue(actor=lead, benchmark=benchmark, order="sequential", overlap=1)
    returned = _submit(ana, benchmark, records, _too_large)
    for _ in range(ANNOTATED - 2):
        _submit(ana, benchmark, records)
    _return(ana, reviewer, returned, records[returned.key])
    # Submitting assigns the next sample. No sample is reserved when the demo begins.
    Lease.objects.filter(sample__benchmark=benchmark).delete()


def _return(ana: User, reviewer: User, sample: Sample, record: SampleRecord) -> None:
    """Return a sample to Ana as the reviewer, with a comment on its position."""
    start_review(reviewer, sample)
    answer_blind(actor=reviewer, sample=sample, answer="", unsure=True, seconds=6)
    annotation = Annotation.objects.get(sample=sample, author=ana)
    box = record.content.gold_boxes[0]
    where = ((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2)
    text = "Keep to the print itself: what is around it shows nothing that answers the question."
    add_comment(actor=reviewer, annotation=annotation, text=text, place=where)
    decision = Decision("return", ("more_than_minimal_evidence",), "The box is larger than the evidence.")
    following = decide(actor=reviewer, sample=sample, decision=decision)
    if following is not None:
        leave_review(actor=reviewer, sample=following)


def _submit(
    user: User,
    benchmark: Benchmark,
    records: Mapping[str, SampleRecord],
    changed: Callable[[SampleContent], SampleContent] = lambda content: content,
) -> Sample:
    """Submit the next sample of this person, with the content of its record."""
    sample = next_to_annotate(actor=user, benchmark=benchmark)
    if sample is None:
        raise RuntimeError(f"The demo has nothing to annotate for {user}.")
    record = records[sample.key]
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
