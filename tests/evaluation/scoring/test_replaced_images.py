"""Runs that were recorded on an image that another replaced: the same numbers on every page, in exports and the API."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.importers.fields import Report
from annotation.models import Gold, Image, ImageReplacement, Sample
from annotation.work.write.replacement import replace_image
from evaluation.common.records import trajectory_records
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.experiments.read.recorded import load_repeated, recorded_of
from evaluation.exporters.native import trajectory_row
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.models import Metric, Note, Run, Scoring, Trajectory
from evaluation.rewards.read.groups import read_groups
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.runner.rollouts import Scheme
from evaluation.schema import Trajectory as Record
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.images import HERE, Earlier, Recorded, recorded_image
from evaluation.scoring.replays.trajectory import replay_trajectory
from evaluation.scoring.settings import settings_of
from evaluation.scoring.write import score_benchmark
from tests.annotation.work_data import KEYS, another_size
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.scores import score_of
from tests.evaluation.trajectory_data import of, scored_kitchen, with_picture
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
GROUNDED = ("mean_coverage", "mean_concentration", "mean_ioa", "grounded_score")


@made_once
def kitchen(lea: User) -> Any:
    """The records' kitchen, scored; the mug has an image of 1000 × 800 pixels."""
    benchmark = scored_kitchen(lea)
    with_picture(benchmark)
    return benchmark


def mug() -> Sample:
    return Sample.objects.select_related("benchmark", "image").get(key="mug")


def scaled(lea: User, width: int = 2000, height: int = 1600) -> None:
    digest = f"{Image.objects.count():064x}"
    image = Image.objects.create(sha256=digest, width=width, height=height, format="PNG", bytes=1, state="ready")
    done = replace_image(actor=lea, sample=mug(), image=image, scale=True, comment="", key=next(KEYS))
    assert done.boxes == "scaled"


def drawn_again(lea: User) -> None:
    """Another shape replaced the image, and the gold was drawn on it."""
    another_size(mug(), (900, 900), lea)
    with transaction.atomic():
        Gold.objects.filter(sample=mug()).update(accepted_at=timezone.now())


def values(model: str = "Model A") -> dict[str, tuple[float | None, int]]:
    rows = Metric.objects.filter(scoring__run__model__name=model, slice_by="")
    return {row.metric: (row.value, row.n) for row in rows}


def test_scaling_an_image_makes_scores_stale_and_changes_none(kitchen: Any, lea: User) -> None:
    before, crop = values(), score_of(of("Model A", "mug")).crop
    scaled(lea)
    checker, [scoring, *_] = StalenessChecker(kitchen), Scoring.objects.select_related("run")
    assert checker.stale(scoring)
    score_benchmark(actor=lea, benchmark=kitchen, only_stale=True)
    assert set(values()) == set(before)
    for name, (value, n) in values().items():
        assert value == pytest.approx(before[name][0], abs=1e-9), name
        assert n == before[name][1], name
    assert crop is not None
    assert score_of(of("Model A", "mug")).crop == tuple(2 * edge for edge in crop)
    page = signed_in(lea).get(reverse("evaluation:trajectory", args=["kitchen", of("Model A", "mug").pk]))
    assert "Its crops are scaled from" in page.content.decode()
    assert not page.context["stale"]


def test_after_another_shape_grounding_is_undefined_everywhere_and_accuracy_stays(kitchen: Any, lea: User) -> None:
    before = values()
    drawn_again(lea)
    score_benchmark(actor=lea, benchmark=kitchen)
    after, row = values(), of("Model A", "mug")
    assert after["accuracy"] == before["accuracy"]
    for name in GROUNDED:
        assert after[name][1] == before[name][1] - 1, name
    score = score_of(row)
    assert (score.correct, score.grounded, score.coverage, score.no_grounding) == (True, None, None, "image_replaced")
    client = signed_in(lea)
    page = client.get(reverse("evaluation:trajectory", args=["kitchen", row.pk]))
    assert "Grounding is not scored" in page.content.decode()
    assert "grounding not scored: image replaced" in page.content.decode()
    assert not page.context["stale"]
    told = client.get(f"/api/v1/benchmarks/kitchen/trajectories/{row.pk}/").json()["score"]
    assert (told["no_grounding"], told["coverage"], told["correct"]) == ("image_replaced", None, True)
    exported = client.get("/benchmarks/kitchen/export/samples.csv")
    text = b"".join(exported.streaming_content) if exported.streaming else exported.content
    line, *_ = [
        one for one in csv.DictReader(io.StringIO(text.decode()))
        if (one["sample"], one["model"]) == ("mug", "Model A")
    ]  # fmt: skip
    assert (line["no_grounding"], line["coverage"], line["quadrant"]) == ("image_replaced", "", "")
    sample = client.get(reverse("evaluation:sample", args=["kitchen", "mug"])).content.decode()
    assert "image replaced" in sample
    listed = client.get("/benchmarks/kitchen/trajectories/?no_grounding=image_replaced&show=ioa_gt")
    assert listed.status_code == 200
    assert "image replaced" in listed.content.decode()
    run = client.get(f"/benchmarks/kitchen/runs/{row.run_id}/").content.decode()
    assert "recorded on an image that was replaced" in run


@pytest.mark.parametrize("terms", [{}, {"by": "category", "slice": "Color"}, {"q": "category:Color"}])
def test_the_leaderboard_counts_them_as_the_page_of_the_run_does(
    kitchen: Any, lea: User, terms: dict[str, str]
) -> None:
    client, board = signed_in(lea), "/benchmarks/kitchen/leaderboard/"
    assert "data-replaced" not in client.get(board, terms).content.decode()
    drawn_again(lea)
    score_benchmark(actor=lea, benchmark=kitchen)
    page = client.get(board, terms)
    counts = {run.pk: count for run, count in page.context["replaced"]}
    runs = Run.objects.filter(benchmark=kitchen)
    sliced = {"slice_by": "category", "slice": "Color"} if terms else {}
    of_runs = {
        run.pk: client.get(f"/benchmarks/kitchen/runs/{run.pk}/", sliced).context["counts"]["image_replaced"]
        for run in runs
    }
    assert sum(of_runs.values()) == 1
    assert {run: count.n for run, count in counts.items()} == {run: n for run, n in of_runs.items() if n}
    for count in counts.values():
        assert client.get(count.href).context["total"] == count.n
    assert "Their image was replaced after they were recorded" in page.content.decode()
    told = client.get("/api/v1/benchmarks/kitchen/leaderboard/", terms).json()
    rows = [row for band in ("ranked", "baselines", "detectors", "people", "failed") for row in told[band]]
    assert {row["run"]: row["image_replaced"] for row in rows} == of_runs
    exported = client.get(board, {**terms, "format": "md"})
    text = b"".join(exported.streaming_content) if exported.streaming else exported.content
    said = "Trajectories without grounding, because their image was replaced after they were recorded: 1 of Model A"
    assert said in text.decode()


def test_a_run_after_the_replacement_is_on_the_new_image(kitchen: Any, lea: User) -> None:
    drawn_again(lea)
    old = next(one for one in records.trajectories() if one.sample_id == "mug" and one.model == "Model A")
    with transaction.atomic():
        save_trajectories(RunRegistry(kitchen, lea), [_as("New", old)], None)
        # Its file arrived before.
        at = timezone.now() - timedelta(days=1)
        save_trajectories(RunRegistry(kitchen, lea, at=at), [_as("Old", old)], None)
        save_trajectories(RunRegistry(kitchen, lea), [_as("States", old, (1000, 800))], None)
    score_benchmark(actor=lea, benchmark=kitchen)
    reasons = {one: score_of(of(one, "mug")).no_grounding for one in ("New", "Old", "States")}
    assert reasons == {"New": "", "Old": "image_replaced", "States": "image_replaced"}


def _as(model: str, record: Record, size: tuple[int, int] | None = None) -> Record:
    return replace(record, model=model, rollout=0, condition="none", image_size=size)


def test_the_native_format_keeps_the_size_of_the_image(kitchen: Any, lea: User) -> None:
    scaled(lea)
    [row, *_] = [one for one in trajectory_records(kitchen) if one.sample_id == "mug"]
    assert row.image_size == (1000, 800)
    written = trajectory_row(row)
    assert written["image_size"] == [1000, 800]
    assert trajectory_from(written, ReadOptions(), Report("runs.json", 1)).image_size == (1000, 800)
    report = Report("runs.json", 1)
    assert trajectory_from(written | {"image_size": [0, "x"]}, ReadOptions(), report).image_size is None
    assert [issue.rule for issue in report.issues] == ["size-not-positive"]


def test_the_native_format_keeps_the_image_after_two_replacements(kitchen: Any, lea: User) -> None:
    """Another shape, and then the first size again: the size alone says nothing."""
    first = mug().image
    assert first is not None
    another_size(mug(), (900, 900), lea, old=(1000, 800))
    ImageReplacement.objects.update(image=first)
    another_size(mug(), (1000, 800), lea)
    score_benchmark(actor=lea, benchmark=kitchen)
    assert score_of(of("Model A", "mug")).no_grounding == "image_replaced"
    Sample.objects.filter(key="mug").update(
        image=Image.objects.create(sha256="d" * 64, width=1000, height=800, bytes=1)
    )
    [row, *_] = [one for one in trajectory_records(kitchen) if one.sample_id == "mug" and one.rollout == 0]
    written = trajectory_row(row)
    assert (written.get("image_size"), written["image_sha256"]) == (None, first.sha256)
    again = trajectory_from(written, ReadOptions(), Report("runs.json", 1))
    with transaction.atomic():
        save_trajectories(RunRegistry(kitchen, lea, at=timezone.now()), [replace(again, model="Again")], None)
        new = replace(again, model="New", image_sha256="d" * 64)
        save_trajectories(RunRegistry(kitchen, lea, at=timezone.now()), [new], None)
    score_benchmark(actor=lea, benchmark=kitchen)
    assert score_of(of("Again", "mug")).no_grounding == "image_replaced"
    assert score_of(of("New", "mug")).no_grounding == ""
    shas = [one.image_sha256 for one in trajectory_records(kitchen) if one.model == "New"]
    assert shas == ["d" * 64]


def test_a_hash_that_is_none_is_reported(kitchen: Any, lea: User) -> None:
    report = Report("runs.json", 1)
    row = {"model": "A", "sample_id": "mug", "steps": [], "image_sha256": "mug.png"}
    assert trajectory_from(row, ReadOptions(), report).image_sha256 == ""
    assert [issue.rule for issue in report.issues] == ["digest-not-sha256"]


def test_calls_on_an_earlier_image_are_not_replayed_on_the_new_one(kitchen: Any, lea: User) -> None:
    scaled(lea)
    with pytest.raises(Conflict, match="was replaced"):
        replay_trajectory(of("Model A", "mug"))


def test_stored_trajectories_get_the_image_of_their_time(kitchen: Any, lea: User) -> None:
    """Of the migration."""
    number = import_module("evaluation.migrations.0053_images_of_trajectories").number_images
    scaled(lea)
    later = ImageReplacement.objects.get().replaced_at + timedelta(minutes=1)
    Run.objects.filter(model__name="Model B").update(created_at=later)
    number(apps, None)
    assert of("Model A", "mug").image_number is None
    rows = Trajectory.objects.filter(run__model__name="Model B", sample__key="mug")
    assert set(rows.values_list("image_number", flat=True)) <= {1}


def test_arms_do_not_repeat_a_trajectory_on_an_earlier_image(kitchen: Any, lea: User) -> None:
    run = of("Model A", "mug").run
    another_size(mug(), (1000, 800), lea, boxes="kept")
    with pytest.raises(CannotApply, match="was replaced"):
        recorded_of(load_repeated(run, [mug().pk])[mug().pk])


def test_rewards_give_the_reason(kitchen: Any, lea: User) -> None:
    run, scheme = of("Model A", "mug").run, Scheme(settings=settings_of(kitchen))
    assert "replaced" not in read_groups(run, [mug().pk], scheme)[0].reason
    scaled(lea)
    assert "replaced" not in read_groups(run, [mug().pk], scheme)[0].reason
    drawn_again(lea)
    assert "image was replaced" in read_groups(run, [mug().pk], scheme)[0].reason


def test_a_note_on_a_region_of_an_earlier_image_is_refused(kitchen: Any, lea: User) -> None:
    row, client = of("Model A", "mug"), signed_in(lea)
    address = reverse("evaluation:note", args=["kitchen", row.pk])
    old = mug().image.sha256
    page = client.get(reverse("evaluation:trajectory", args=["kitchen", row.pk]) + "?tab=notes").content.decode()
    assert f'name="image" value="{old}"' in page
    scaled(lea)
    said = {"text": "Here.", "region": "10,10,30,30", "image": old}
    assert client.post(address, said).status_code == 409
    assert not Note.objects.exists()
    assert client.post(address, said | {"region": ""}).status_code == 302
    assert client.post(address, said | {"image": mug().image.sha256}).status_code == 302
    assert Note.objects.filter(x1=10).count() == 1


SMALL, LARGE, OTHER = (100, 80), (200, 160), (90, 90)


@pytest.mark.parametrize(
    ("earlier", "number", "stated", "present", "expected"),
    [
        ([], None, None, SMALL, HERE),
        ([], None, None, None, HERE),
        ([Earlier(SMALL, lost=False)], None, None, SMALL, HERE),
        ([Earlier(SMALL, lost=False)], None, None, LARGE, Recorded(SMALL)),
        ([Earlier(SMALL, lost=False)], 1, None, LARGE, HERE),
        ([Earlier(SMALL, lost=True)], None, None, OTHER, Recorded(SMALL, lost=True)),
        # Another shape, and then the first size again: the pixels are not those of the first image.
        ([Earlier(SMALL, lost=True), Earlier(OTHER, lost=True)], None, None, SMALL, Recorded(None, lost=True)),
        ([Earlier(SMALL, lost=True), Earlier(OTHER, lost=True)], 2, None, SMALL, HERE),
        ([Earlier(SMALL, lost=True)], 1, SMALL, OTHER, Recorded(SMALL, lost=True)),
        ([Earlier(SMALL, lost=False)], 1, SMALL, LARGE, Recorded(SMALL)),
        # A size that the sample never had.
        ([], None, LARGE, SMALL, Recorded(LARGE)),
        ([], None, OTHER, SMALL, Recorded(OTHER, lost=True)),
        ([], None, OTHER, None, HERE),
    ],
)
def test_the_image_of_a_trajectory_follows_from_the_history(
    earlier: Any, number: int | None, stated: Any, present: Any, expected: Recorded
) -> None:
    assert recorded_image(earlier, number, stated, present) == expected
