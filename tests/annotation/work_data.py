"""Samples to annotate, people who do it, and contents that pass the checks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count
from typing import Any

from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.models import Annotation, Benchmark, Image, ImageReplacement, Receipt, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.queue.reopen import reopen_samples
from annotation.review.write.decisions import Decision, answer_blind, decide, next_to_review
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.work.write.assignment import assign_samples
from annotation.workflow import Role
from webapp.accounts.models import User

KEYS = map("request {}".format, count())
"""An idempotency key for each request."""


def to_annotate(count: int, slug: str = "kitchen", **members: User | Sequence[User]) -> Benchmark:
    """A benchmark with ``count`` samples to do, each on an image of its own.

    Members by role, one or several: ``annotator=[ana, bo], reviewer=rui``."""
    benchmark = create_benchmark(actor=None, slug=slug, title=slug.title())
    for role, people in members.items():
        for user in [people] if isinstance(people, User) else people:
            add_member(actor=None, benchmark=benchmark, user=user, role=Role(role))
    digests = [hashlib.sha256(f"{slug} {number}".encode()).hexdigest() for number in range(count)]
    images = Image.objects.bulk_create(
        [Image(sha256=d, width=1000, height=800, format="JPEG", bytes=1, state=Image.State.READY) for d in digests]
    )
    Sample.objects.bulk_create(
        [
            Sample(benchmark=benchmark, key=f"s-{number:04}", image=image, width=1000, height=800)
            for number, image in enumerate(images)
        ]
    )
    return benchmark


def content(**changes: Any) -> dict[str, Any]:
    """A content that passes the checks."""
    whole: dict[str, Any] = {
        "question": "Which colour is the mug?",
        "answer_type": "mc",
        "options": {"A": "black", "B": "white"},
        "answer": ["B"],
        "gold_boxes": [{"box": [100, 100, 120, 115], "label": "mug"}],
        "facets": {"category": ["Color"]},
    }
    return whole | changes


def take_one(user: User, benchmark: Benchmark) -> Sample:
    sample = next_to_annotate(actor=user, benchmark=benchmark)
    assert sample is not None
    return sample


def submitted(user: User, benchmark: Benchmark, **changes: Any) -> Sample:
    """The next sample, annotated and handed in by this person, who is left without another."""
    sample = take_one(user, benchmark)
    submit(actor=user, sample=sample, version=0, content=content(**changes))
    return Sample.objects.select_related("benchmark", "image").get(pk=sample.pk)


def drafted(user: User, benchmark: Benchmark, **changes: Any) -> Sample:
    sample = take_one(user, benchmark)
    save_draft(actor=user, sample=sample, version=0, content=content(**changes))
    return sample


def reviewed(user: User, sample: Sample, kind: str, **about: Any) -> Sample | None:
    """Blind answer and decision of this reviewer."""
    answer_blind(actor=user, sample=sample, answer="B", unsure=False, seconds=4.5)
    return decide(actor=user, sample=sample, decision=Decision(kind, **about))


def next_review(user: User, benchmark: Benchmark) -> Sample:
    sample = next_to_review(actor=user, benchmark=benchmark)
    assert sample is not None
    return sample


def annotation_of(user: User, sample: Sample) -> Annotation:
    return Annotation.objects.select_related("sample__benchmark").get(sample=sample, author=user)


def assigned(lead: User, benchmark: Benchmark, to: User, *keys: str) -> dict[str, Any]:
    """What became of giving these samples to a person: done, and refused with the reason."""
    samples = Sample.objects.filter(key__in=keys)
    return answer_of(assign_samples(actor=lead, benchmark=benchmark, samples=samples, to=to, key=next(KEYS)))


def reopened(lead: User, sample: Sample, reason: str = "Wrong.", to: User | None = None) -> dict[str, Any]:
    """What became of opening this sample again."""
    samples = Sample.objects.filter(pk=sample.pk)
    receipt = reopen_samples(
        actor=lead, benchmark=sample.benchmark, samples=samples, reason=reason, to=to, key=next(KEYS)
    )
    return answer_of(receipt)


def answer_of(receipt: Receipt) -> dict[str, Any]:
    return {"done": receipt.answer["done"], "refused": dict(receipt.answer["refused"])}


def another_size(
    sample: Sample, new: tuple[int, int], lea: User, *, old: tuple[int, int] | None = None, boxes: str = "returned"
) -> None:
    """The image of the sample, of the size ``old``, was replaced by one of ``new``, as of now."""
    width, height = old or (sample.width or 0, sample.height or 0)
    number = Image.objects.count()
    image = Image.objects.create(sha256=f"{number:064x}", width=width, height=height, format="png", bytes=1)
    ImageReplacement.objects.create(
        sample=sample, image=image, boxes=boxes, replaced_at=timezone.now(), replaced_by=lea
    )
    Sample.objects.filter(pk=sample.pk).update(width=new[0], height=new[1])
