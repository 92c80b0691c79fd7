"""What three people said of a dozen mugs, written straight into the tables, so that every number can be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Annotation, Benchmark, BlindAnswer, Gold, GoldBox, Review, Revision, Sample
from annotation.workflow import Role, State
from tests.annotation.pages_data import make_benchmark
from webapp.accounts.models import User

OPTIONS = {"A": "black", "B": "white"}


def mugs(lea: User, people: Mapping[str, User], count: int = 12) -> Benchmark:
    """The benchmark "kitchen" with imported gold on every mug, and its people by the name of their role."""
    benchmark = make_benchmark(lea, count=count)
    for role, user in people.items():
        add_member(actor=lea, benchmark=benchmark, user=user, role=Role(role))
    return benchmark


def mug(number: int) -> Sample:
    return Sample.objects.get(key=f"mug-{number:03}")


def submit(
    author: User,
    number: int,
    answer: str = "B",
    boxes: Sequence[tuple[float, float, float, float]] = ((100, 100, 200, 200),),
    **fields: Any,
) -> Revision:
    """One person's submission. Further: ``state``, ``seconds`` it took, ``number`` and fields of the revision."""
    state, seconds = fields.pop("state", State.SUBMITTED), fields.pop("seconds", 60)
    now = timezone.now()
    annotation, _ = Annotation.objects.get_or_create(sample=mug(number), author=author, defaults={"state": state})
    Annotation.objects.filter(pk=annotation.pk).update(created_at=now - timedelta(seconds=seconds), state=state)
    revision = Revision.objects.create(
        annotation=annotation,
        author=fields.pop("by", author),
        number=1 + annotation.revisions.count(),
        digest="0" * 64,
        **{
            "question": f"Which colour is mug {number}?",
            "answer_type": "mc",
            "options": OPTIONS,
            "answers": [answer] if answer else [],
            **fields,
        },
    )
    for position, (x1, y1, x2, y2) in enumerate(boxes):
        GoldBox.objects.create(revision=revision, position=position, x1=x1, y1=y1, x2=x2, y2=y2)
    Revision.objects.filter(pk=revision.pk).update(submitted_at=now)
    return revision


def review(revision: Revision, reviewer: User, decision: str = "accept") -> Review:
    return Review.objects.create(
        revision=revision, revision_author=revision.author, reviewer=reviewer, decision=decision
    )


def answer_blind(revision: Revision, reviewer: User, answer: str, **fields: Any) -> BlindAnswer:
    return BlindAnswer.objects.create(
        revision=revision, revision_author=revision.author, reviewer=reviewer, answer=answer, **{"seconds": 8, **fields}
    )


def settle(revision: Revision) -> None:
    """This revision is the gold of its sample, whatever was before."""
    sample = revision.annotation.sample
    Gold.objects.update_or_create(sample=sample, defaults={"revision": revision, "accepted_at": timezone.now()})


def three_people(ana: User, ben: User, cleo: User) -> None:
    """Of 12 mugs Ana did all, Ben 0 to 8, Cleo 6 to 11.

    Ben's boxes are Ana's, but shifted by half on mugs 0 and 1 (IoU 1/3) and elsewhere on mug 2 (IoU 0); his answers
    differ on mugs 2 and 3. Cleo's boxes are twice as high as Ana's (IoU 1/2), her answers Ana's.
    """
    for number in range(12):
        submit(ana, number, "A" if number % 4 == 0 else "B")
    for number in range(9):
        answer = "A" if number in (0, 2, 3, 4, 8) else "B"
        box = {0: (150, 100, 250, 200), 1: (150, 100, 250, 200), 2: (500, 500, 600, 600)}.get(number)
        submit(ben, number, answer, [box or (100, 100, 200, 200)])
    for number in range(6, 12):
        submit(cleo, number, "A" if number % 4 == 0 else "B", [(100, 100, 200, 300)])
