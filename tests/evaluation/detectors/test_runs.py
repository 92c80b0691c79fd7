"""Runs of detectors: only tool recognition is defined, in a band of its own, and never among models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import transaction
from django.test import Client

from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Role
from evaluation.common.records import trajectory_record
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.exporters.native import trajectory_row
from evaluation.imports.write.runs import import_runs
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.models import Comparison, Metric, Run, Standing, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.import_data import kitchen, lines, say, sent
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
RECOGNITION = {"recognition_precision", "recognition_recall", "recognition_f1"}
ON_THE_WALL = [
    {"label": "hammer", "box": [10, 10, 60, 60], "score": 0.9},
    {"label": "saw", "box": [100, 10, 160, 60], "score": 0.5},
    {"label": "spoon", "box": [200, 10, 260, 60], "score": 0.2},
]
ROWS: list[dict[str, Any]] = [
    {"sample": "wall", "detections": ON_THE_WALL},
    {"sample": "mug", "detections": [{"label": "hammer", "box": [10, 10, 60, 60], "score": 0.9}]},
]


@pytest.fixture
def found(tmp_path: Path) -> Path:
    path = tmp_path / "found.jsonl"
    path.write_bytes(lines(ROWS))
    return path


def detected(benchmark: Benchmark, path: Path, **options: Any) -> Run:
    options = {"model": "Detector", **options}
    _, result = import_runs(actor=None, benchmark=benchmark, path=path, format="detector", **options)
    [run] = result.runs
    return run


def with_models(lea: User) -> Benchmark:
    """Lea's kitchen with the runs of two models."""
    benchmark = kitchen(lea)
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), records.trajectories(), None)
    return benchmark


def metrics(run: Run) -> dict[str, Metric]:
    return {row.metric: row for row in Metric.objects.filter(scoring__run=run, slice_by="")}


def test_a_detector_has_its_list_its_boxes_and_no_call(lea: User, found: Path) -> None:
    run = detected(kitchen(lea), found)
    row = Trajectory.objects.get(run=run, sample__key="wall")
    assert (run.setting, run.detector_threshold, row.recognition) == ("detector@0.3", 0.3, ["hammer", "saw"])
    assert (row.plan, row.answer, row.steps.count()) == (None, None, 0)
    assert [one["label"] for one in row.extra["detections"]["boxes"]] == ["hammer", "saw"]


@pytest.mark.parametrize(
    "settings", [{}, {"no_crop": "full_image", "missing_sample": "wrong", "crz_population": "all"}]
)
def test_only_tool_recognition_is_defined_for_a_detector(lea: User, found: Path, settings: dict[str, Any]) -> None:
    benchmark = kitchen(lea)
    change_settings(actor=lea, benchmark=benchmark, values=settings)
    run = detected(benchmark, found)
    score_benchmark(actor=lea, benchmark=benchmark)
    values = metrics(run)
    assert {name for name, row in values.items() if row.value is not None} == RECOGNITION
    # Hammer and saw, of hammer, nail, level and saw.
    assert {name: values[name].value for name in RECOGNITION} == {
        "recognition_precision": 1.0, "recognition_recall": 0.5, "recognition_f1": pytest.approx(2 / 3),
    }  # fmt: skip
    detail = values["recognition_f1"].detail
    assert (detail["missing_answer"], detail["undecided"], detail["trajectories"]) == (0, 0, 2)


def test_a_detector_changes_nothing_for_models(lea: User, found: Path) -> None:
    benchmark = with_models(lea)
    score_benchmark(actor=lea, benchmark=benchmark)
    model = Run.objects.get(benchmark=benchmark, model__name="Model A")
    before = {name: (row.value, row.n) for name, row in metrics(model).items()}
    standings, pairs = Standing.objects.count(), Comparison.objects.count()
    run = detected(benchmark, found)
    score_benchmark(actor=lea, benchmark=benchmark)
    assert {name: (row.value, row.n) for name, row in metrics(model).items()} == before
    assert (Standing.objects.count(), Comparison.objects.count()) == (standings, pairs)
    assert not Comparison.objects.filter(a__run=run).exists()


def test_detectors_have_a_band_of_their_own_and_are_no_reference(lea: User, found: Path) -> None:
    benchmark = with_models(lea)
    run = detected(benchmark, found)
    score_benchmark(actor=lea, benchmark=benchmark)
    board = load_leaderboard(benchmark, reference=run.pk, sorted_by="recognition_f1")
    assert [row.run for row in board.detectors] == [run]
    assert run not in {row.run for row in [*board.ranked, *board.baselines, *board.failed, *board.unscored]}
    assert board.reference is not None
    assert board.reference.run != run
    answer = signed_in(lea).get("/api/v1/benchmarks/kitchen/leaderboard/").json()
    [row] = answer["detectors"]
    assert (row["run"], row["detector_threshold"], row["standing"], row["against"]) == (run.pk, 0.3, None, None)
    assert {row["detector_threshold"] for row in answer["ranked"]} == {None}


def test_the_pages_say_what_a_detector_is_and_which_score_counts(lea: User, found: Path) -> None:
    benchmark = with_models(lea)
    run = detected(benchmark, found)
    score_benchmark(actor=lea, benchmark=benchmark)
    client = signed_in(lea)
    board = client.get("/benchmarks/kitchen/leaderboard/?preset=planning").content.decode()
    assert "Detectors" in board
    assert "score ≥ 0.3" in board
    assert "a detector only lists the tools in an image" in board
    assert f"reference={run.pk}" not in board
    answer = client.get(f"/benchmarks/kitchen/runs/{run.pk}/")
    assert [row.term for row in answer.context["hidden"]] == ["missing", "failed"], "of answers nothing is defined"
    page = answer.content.decode()
    assert "detector, score ≥ 0.30" in page
    assert "/lab/" not in page
    assert "Tool recognition F1" in page
    assert "Tools called" not in page
    assert "Only tool recognition is defined." in page
    row = Trajectory.objects.get(run=run, sample__key="wall")
    page = client.get(f"/benchmarks/kitchen/trajectories/{row.pk}/?tab=detections").content.decode()
    assert "2 objects have a score of at least 0.30; 1 below it." in page
    assert "only tool recognition is defined" in page
    assert "says a judge" not in page
    assert "100, 10, 160, 60" in page


def test_a_detector_and_a_model_share_no_run(lea: User, found: Path, tmp_path: Path) -> None:
    benchmark = with_models(lea)
    _, result = import_runs(
        actor=None, benchmark=benchmark, path=found, format="detector", model="Model A", setting="base"
    )
    assert [issue.rule for issue in result.issues] == ["other-kind-of-run"] * 2
    run = detected(benchmark, found, setting="seen")
    answers = tmp_path / "answers.json"
    answers.write_text(
        json.dumps({"trajectories": [{"model": "Detector", "setting": "seen", "sample_id": "mug", "answer": "B"}]})
    )
    _, result = import_runs(actor=None, benchmark=benchmark, path=answers, format="native")
    assert [issue.rule for issue in result.issues] == ["other-kind-of-run"]
    assert run.trajectories.count() == 2


def test_another_threshold_is_another_run_or_replaces_all_of_one(lea: User, found: Path) -> None:
    benchmark = kitchen(lea)
    assert detected(benchmark, found, threshold="0.6").setting == "detector@0.6"
    run = detected(benchmark, found, setting="seen")
    _, result = import_runs(
        actor=None,
        benchmark=benchmark,
        path=found,
        format="detector",
        model="Detector",
        setting="seen",
        threshold="0.6",
    )
    assert [issue.rule for issue in result.issues] == ["other-kind-of-run"] * 2
    import_runs(
        actor=None, benchmark=benchmark, path=found, format="detector", model="Detector", setting="seen",
        threshold="0.6", replace=True,
    )  # fmt: skip
    run.refresh_from_db()
    assert run.detector_threshold == 0.6
    assert run.trajectories.get(sample__key="wall").recognition == ["hammer"]


def test_the_same_file_again_changes_nothing_and_an_export_comes_back_as_it_was(
    lea: User, found: Path, tmp_path: Path
) -> None:
    benchmark = kitchen(lea)
    run = detected(benchmark, found)
    _, result = import_runs(actor=None, benchmark=benchmark, path=found, format="detector", model="Detector")
    assert (result.counts["unchanged"], result.counts["new"], result.counts["changed"]) == (2, 0, 0)
    rows = [trajectory_row(trajectory_record(one)) for one in run.trajectories.order_by("pk")]
    exported = tmp_path / "exported.json"
    exported.write_text(json.dumps({"trajectories": rows}))
    run.delete()
    import_runs(actor=None, benchmark=benchmark, path=exported, format="native")
    again = Run.objects.get(benchmark=benchmark)
    assert (again.detector_threshold, again.trajectories.count()) == (0.3, 2)


def test_the_threshold_is_chosen_on_the_page_or_in_the_command(
    lea: User, rui: User, run_jobs: Any, found: Path
) -> None:
    kitchen(lea, (rui, Role.RESEARCHER))
    client: Client = signed_in(rui)
    url = sent(client, run_jobs, lines(ROWS), "found.jsonl")
    assert 'name="threshold"' in client.get(url).content.decode()
    answer = client.post(f"{url}choose/", {"threshold": "2"})
    assert (answer.status_code, "from 0 to 1" in answer.content.decode()) == (400, True)
    client.post(f"{url}choose/", {"threshold": "0.6", "model": "Detector"})
    run_jobs()
    client.post(f"{url}commit/")
    run_jobs()
    record = ImportRecord.objects.get()
    assert (record.state, record.options["threshold"]) == ("done", "0.6")
    assert Run.objects.get().detector_threshold == 0.6
    assert "new 2" in say(
        "import_runs", "kitchen", found, "--model", "Detector", "--threshold", "0.25", "--setting", "low"
    )
    assert Run.objects.get(setting="low").detector_threshold == 0.25
    with pytest.raises(CommandError, match="from 0 to 1"):
        say("import_runs", "kitchen", found, "--threshold", "7")
