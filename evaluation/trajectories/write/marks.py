"""Marks of people on trajectories: tags, notes, and a failure that replaces the rule's."""

from __future__ import annotations

import math
from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.drawn_on import require_shown
from annotation.content.transitions import lock_sample
from annotation.models import Benchmark, Sample
from annotation.workflow import Right
from evaluation.metrics.failures import FAILURES, NO_FAILURE
from evaluation.models import FailureLabel, Note, Tag, Tagging, Trajectory
from evaluation.trajectories.read.marks import require_member
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

MOST = 100_000
"""Trajectories tagged at once."""
LONGEST_NAME = 60
LONGEST_NOTE = 5000
BATCH = 2000


def tag_trajectories(
    *, actor: User, benchmark: Benchmark, trajectories: Sequence[int], name: str, shared: bool = True
) -> int:
    """Put a tag on these trajectories of the benchmark; how many did not have it. The tag is made when it is new."""
    require_member(actor, benchmark)
    name = _name(name)
    if len(trajectories) > MOST:
        raise InvalidInput(
            gettext("%(count)s are more than %(limit)s at once. Narrow the list first.")
            % {"count": len(trajectories), "limit": MOST},
            code="too_many",
        )
    with transaction.atomic():
        tag, _ = Tag.objects.get_or_create(benchmark=benchmark, name=name, owner=None if shared else actor)
        before = tag.taggings.count()
        for first in range(0, len(trajectories), BATCH):
            rows = Trajectory.objects.of(benchmark).filter(pk__in=trajectories[first : first + BATCH])
            made = [Tagging(tag=tag, trajectory_id=pk, by=actor) for pk in rows.values_list("pk", flat=True)]
            Tagging.objects.bulk_create(made, ignore_conflicts=True)
        new = tag.taggings.count() - before
        audit.record(actor=actor, action="tag.add", subject=tag, benchmark=benchmark.slug, data={"trajectories": new})
    return int(new)


def untag_trajectories(
    *, actor: User, benchmark: Benchmark, trajectories: Sequence[int], name: str, shared: bool = True
) -> int:
    """Take a tag off these trajectories; how many had it. A tag on nothing is gone."""
    require_member(actor, benchmark)
    with transaction.atomic():
        tag = Tag.objects.filter(benchmark=benchmark, name=name, owner=None if shared else actor).first()
        if tag is None:
            return 0
        gone = 0
        for first in range(0, len(trajectories), BATCH):
            gone += tag.taggings.filter(trajectory__in=trajectories[first : first + BATCH]).delete()[0]
        audit.record(actor, "tag.remove", tag, benchmark.slug, data={"trajectories": gone})
        if not tag.taggings.exists():
            tag.delete()
    return gone


def write_note(
    *,
    actor: User,
    trajectory: Trajectory,
    text: str,
    turn: int | None = None,
    region: tuple[float, float, float, float] | None = None,
    image: str = "",
) -> Note:
    """A note on a trajectory, or on one turn (from 1) or one region (pixels of the image) of it. ``image``: the SHA-256
    of the image that the region is on, "" if unknown; raises ``Conflict`` if another one replaced it."""
    benchmark = trajectory.run.benchmark
    require_member(actor, benchmark)
    text = text.strip()
    if not text or len(text) > LONGEST_NOTE or "\0" in text:
        raise InvalidInput(
            gettext("A note must have 1 to %(limit)s characters.") % {"limit": LONGEST_NOTE}, code="note", field="text"
        )
    if turn is not None and not 1 <= turn <= trajectory.steps.count():
        raise InvalidInput(gettext("Unknown turn %(turn)s.") % {"turn": turn}, code="turn", field="turn")
    if region is not None:
        require_shown(trajectory.sample, image)
    if region is not None and not _inside(region, trajectory.sample):
        message = gettext("A region must be inside the image, with x1 < x2 and y1 < y2.")
        raise InvalidInput(message, code="region", field="region")
    corners = dict(zip(("x1", "y1", "x2", "y2"), region, strict=True)) if region else {}
    with transaction.atomic():
        if region is not None and image:
            lock_sample(trajectory.sample)
            require_shown(trajectory.sample, image)
        note = Note.objects.create(trajectory=trajectory, author=actor, text=text, turn=turn, **corners)
        audit.record(actor=actor, action="note.write", subject=note, benchmark=benchmark.slug)
    return note


def _inside(region: tuple[float, float, float, float], sample: Sample) -> bool:
    """Whether it is a box of numbers that meets the image, as far as its size is known."""
    x1, y1, x2, y2 = region
    known = sample.width and sample.height
    meets = x2 > 0 and y2 > 0 and (not known or (x1 < float(sample.width or 0) and y1 < float(sample.height or 0)))
    return all(map(math.isfinite, region)) and x1 < x2 and y1 < y2 and meets


def delete_note(*, actor: User, note: Note) -> None:
    """Take a note of one's own away; a lead takes any."""
    benchmark = note.trajectory.run.benchmark
    require_member(actor, benchmark)
    if note.author_id != actor.pk:
        require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        audit.record(actor, "note.delete", note, benchmark.slug, data={"text": note.text})
        note.delete()


def correct_failure(*, actor: User, trajectory: Trajectory, failure: str) -> FailureLabel:
    """Set the failure of a trajectory, replacing that of the rule and earlier ones; "none": no failure."""
    benchmark = trajectory.run.benchmark
    require_member(actor, benchmark)
    if failure not in (*FAILURES, "none"):
        raise InvalidInput(
            gettext("A failure must be one of %(failures)s or none.") % {"failures": ", ".join(FAILURES)},
            code="failure",
            field="failure",
        )
    code = FAILURES.index(failure) if failure in FAILURES else NO_FAILURE
    with transaction.atomic():
        FailureLabel.objects.filter(trajectory=trajectory, current=True).update(current=False)
        label = FailureLabel.objects.create(benchmark=benchmark, trajectory=trajectory, failure=code, person=actor)
        audit.record(actor=actor, action="failure.correct", subject=trajectory, benchmark=benchmark.slug, after=failure)
    return label


def _name(name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or "\0" in name or name in ("none", "any"):
        raise InvalidInput(
            gettext("A tag must have 1 to %(limit)s characters, but not none or any.") % {"limit": LONGEST_NAME},
            code="tag",
            field="tag",
        )
    return name
