"""What the database itself refuses, on SQLite and PostgreSQL alike, whoever asks."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.freeze import freeze_version
from annotation.content.samples import save_samples
from annotation.models import (
    Annotation,
    Gold,
    GoldBox,
    Image,
    Membership,
    PlanTool,
    ReferenceCall,
    Review,
    Revision,
    Sample,
    Version,
    VersionEntry,
)
from annotation.workflow import Role
from evaluation.models import Comparison, Judgement, Model, Run, Scoring, Step, Trajectory
from tests.evaluation import records
from tests.worlds import made_once
from webapp.common.errors import Conflict, NotAllowed

pytestmark = pytest.mark.django_db


@made_once
def benchmark(lea):
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    return benchmark


@made_once
def mug(benchmark):
    return Sample.objects.get(benchmark=benchmark, key="mug")


@made_once
def trajectory(benchmark, mug):
    run = Run.objects.create(benchmark=benchmark, number=1, model=Model.objects.create(name="M"))
    return Trajectory.objects.create(run=run, sample=mug, digest="d")


def assert_refused(write) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        write()


@pytest.mark.parametrize(
    ("box", "why"),
    [
        ((10, 10, 10, 20), "empty"),
        ((30, 10, 20, 20), "reversed"),
        ((-1, 0, 20, 20), "over the left edge"),
        ((0, 0, 1001, 20), "over the right edge"),
        ((0, 0, 20, 800.5), "over the lower edge"),
    ],
)
def test_a_gold_box_is_inside_its_picture_and_not_empty(mug, box, why):
    x1, y1, x2, y2 = box
    size = {"image_width": 1000, "image_height": 800}
    assert_refused(
        lambda: GoldBox.objects.create(revision=mug.gold.revision, position=9, x1=x1, y1=y1, x2=x2, y2=y2, **size)
    )
    assert mug.gold.revision.gold_boxes.count() == 1, why


def test_a_sample_has_one_gold_and_one_key(benchmark, mug):
    assert_refused(lambda: Gold.objects.create(sample=mug, revision=mug.gold.revision, accepted_at=timezone.now()))
    assert_refused(lambda: Sample.objects.create(benchmark=benchmark, key="mug"))
    assert_refused(lambda: Sample.objects.create(benchmark=benchmark, key="half", width=10))


def test_what_was_submitted_never_changes(mug):
    revision = mug.gold.revision
    assert_refused(lambda: Revision.objects.filter(pk=revision.pk).update(question="Another?"))
    assert_refused(lambda: Revision.objects.filter(pk=revision.pk).update(submitted_at=None))
    assert_refused(lambda: ReferenceCall.objects.filter(revision=revision).update(tool="blur"))
    revision.refresh_from_db()
    assert revision.question == "Which colour is the mug?"


def test_a_draft_may_change(mug, ana):
    annotation = Annotation.objects.create(sample=mug, author=ana)
    draft = Revision.objects.create(annotation=annotation, author=ana, answer_type="mc", digest="x")
    assert Revision.objects.filter(pk=draft.pk).update(question="Better?") == 1


def test_a_frozen_version_never_changes(benchmark, mug, lea):
    version = freeze_version(actor=lea, benchmark=benchmark, note="First.")
    other = Sample.objects.get(key="cup").gold.revision
    assert_refused(lambda: VersionEntry.objects.filter(version=version, sample=mug).update(revision=other))
    assert_refused(lambda: Version.objects.filter(pk=version.pk).update(note="Second thoughts."))
    with pytest.raises(ProtectedError):
        mug.delete()
    assert version.entries.count() == 4


def test_freezing_twice_without_a_change_is_a_conflict(benchmark, lea):
    freeze_version(actor=lea, benchmark=benchmark)
    with pytest.raises(Conflict, match="Nothing has changed since version 1"):
        freeze_version(actor=lea, benchmark=benchmark)


def test_only_a_lead_may_freeze(benchmark, ana):
    add_member(actor=None, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    with pytest.raises(NotAllowed):
        freeze_version(actor=ana, benchmark=benchmark)


def test_nobody_reviews_their_own_revision(mug, lea, rui):
    about = {"revision": mug.gold.revision, "revision_author": lea, "decision": "accept"}
    assert_refused(lambda: Review.objects.create(reviewer=lea, **about))
    assert Review.objects.create(reviewer=rui, **about).pk


def test_there_is_one_trajectory_of_a_run_sample_rollout_and_condition(trajectory):
    about = {"run": trajectory.run, "sample": trajectory.sample, "digest": "e"}
    assert_refused(lambda: Trajectory.objects.create(**about))
    Trajectory.objects.create(rollout=1, **about)
    Trajectory.objects.create(condition="visual", **about)
    assert Trajectory.objects.count() == 3


def test_words_with_a_fixed_meaning_are_checked(benchmark, mug, trajectory, lea):
    assert_refused(lambda: Step.objects.create(trajectory=trajectory, position=0, tool="zoom", coords="inches"))
    assert_refused(lambda: Step.objects.create(trajectory=trajectory, position=0, tool="zoom", flag="lost"))
    assert_refused(lambda: Judgement.objects.create(run=trajectory.run, sample=mug, kind="beauty"))
    assert_refused(lambda: Membership.objects.create(benchmark=benchmark, user=lea, role="king"))
    assert_refused(lambda: PlanTool.objects.create(revision=mug.gold.revision, position=9, tool="saw", step=0))
    assert_refused(
        lambda: ReferenceCall.objects.create(revision=mug.gold.revision, position=9, tool="crop", image_out="original")
    )
    assert_refused(lambda: Image.objects.create(sha256="0" * 64, width=0, height=5, format="JPEG", bytes=1))


def test_a_run_is_not_compared_with_itself(trajectory):
    scoring = Scoring.objects.create(
        run=trajectory.run, gold_digest="g", computed_at=timezone.now(), seconds=1, samples_n=1, trajectories_n=1
    )
    assert_refused(lambda: Comparison.objects.create(a=scoring, b=scoring, n=1, a_only=0, b_only=0))
