"""Runs of a portable file are written in batches, appear when they are complete, and are continued or removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotation.models import Benchmark, ImportRecord, PortableUpload, Revision, Sample
from annotation.portable.write import InvalidProject
from annotation.project_file import Reader
from evaluation.common.lineage.write import Place, place_run
from evaluation.common.saving.native import stage_native
from evaluation.exports.write import import_project
from evaluation.exports.write import runs as writes
from evaluation.exports.write.project import resume_project
from evaluation.exports.write.uploads import run_update
from evaluation.importers import rows
from evaluation.imports.write import runs as imports
from evaluation.models import Model, Run, Tag, Trajectory
from evaluation.scoring.write import score_benchmark
from tests.annotation.portable.files import exported, forged
from tests.annotation.portable.runs import add_marks_to, add_runs_to, scores_of, with_runs
from tests.annotation.portable.test_runs import assert_equal, updated
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.jobs.context import JobCancelled, JobContext, WorkerStopping
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@made_once
def lab(kitchen: Benchmark, ana: User, rui: User, lea: User) -> Benchmark:
    add_runs_to(kitchen, lea, judge=rui)
    add_marks_to(kitchen, ana, rui, lea)
    score_benchmark(actor=lea, benchmark=kitchen)
    return kitchen


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "BATCH", 3)
    monkeypatch.setattr(rows, "PROGRESS_EVERY", 2)


def stopping(at: int, error: type[BaseException] = WorkerStopping) -> Callable[[], None]:
    """Ends the import with its batch number ``at``."""
    calls: list[int] = []

    def checkpoint() -> None:
        calls.append(1)
        if len(calls) == at:
            raise error

    return checkpoint


def test_no_run_appears_before_all_are_complete(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def checkpoint() -> None:
        staged = Trajectory.everything.filter(run__benchmark__slug="copy").count()
        seen.append((staged, Run.objects.filter(benchmark__slug="copy").count()))

    made = import_project(actor=lea, path=with_runs(lab, tmp_path / "a"), slug="copy", lead=lea, checkpoint=checkpoint)
    assert len(seen) > 2
    assert 0 < seen[0][0] < 9
    assert {runs for _, runs in seen} == {0}
    assert made.runs.count() == 2
    assert not Run.everything.filter(benchmark=made).exclude(staged_for=None).exists()


def test_rows_are_read_and_written_outside_the_transaction_of_the_benchmark(
    lab: Benchmark, lea: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite has one writer: between batches, others save."""
    outside, depths = len(connection.savepoint_ids), []

    def stage(*given: Any) -> Any:
        depths.append(len(connection.savepoint_ids))
        return stage_native(*given)

    monkeypatch.setattr(writes, "stage_native", stage)
    import_project(actor=lea, path=with_runs(lab, tmp_path / "a"), slug="copy", lead=lea)
    assert depths == [outside]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_import_that_broke_off_is_continued(lab: Benchmark, lea: User, tmp_path: Path, at: int) -> None:
    file, made = with_runs(lab, tmp_path / "a"), []
    with pytest.raises(WorkerStopping):
        import_project(actor=lea, path=file, slug="copy", lead=lea, begun=made.append, checkpoint=stopping(at))
    [copy] = made
    assert not copy.runs.exists()
    before = Trajectory.everything.filter(run__benchmark=copy).count()
    done: list[Benchmark] = []
    resume_project(benchmark=copy, path=file, lead=lea, finish=done.append)
    assert done == [copy]
    score_benchmark(actor=None, benchmark=copy)
    assert_equal(file, with_runs(copy, tmp_path / "b"))
    assert scores_of(copy) == scores_of(lab)
    assert before < 9
    assert ImportRecord.objects.get(benchmark=copy).state == ImportRecord.State.DONE


@pytest.mark.parametrize("error", [JobCancelled, None])
def test_an_import_that_comes_to_nothing_leaves_nothing(
    lab: Benchmark, lea: User, tmp_path: Path, error: type[BaseException] | None
) -> None:
    people, models = User.objects.count(), Run.everything.count()
    file = with_runs(lab, tmp_path / "a")
    if error is None:
        wrong = forged(file, "notes", lambda given: [*given[:-1], given[-1] | {"rollout": 7}])
        with pytest.raises(InvalidProject):
            import_project(actor=lea, path=wrong, slug="copy", lead=lea)
    else:
        with pytest.raises(error):
            import_project(actor=lea, path=file, slug="copy", lead=lea, checkpoint=stopping(2, error))
    assert not Benchmark.everything.filter(slug="copy").exists()
    assert (User.objects.count(), Run.everything.count()) == (people, models)
    assert ImportRecord.objects.exclude(benchmark=lab).count() == 0
    assert not Tag.objects.exclude(benchmark=lab).exists()
    assert import_project(actor=lea, path=file, slug="copy", lead=lea).runs.count() == 2


def test_a_job_that_fails_can_be_sent_again_with_the_same_address(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    client, file = signed_in(lea), with_runs(lab, tmp_path / "a")
    wrong = forged(file, "judgements", lambda given: [*given[:-1], given[-1] | {"kind": "taste"}])
    for path, state in ((wrong, "failed"), (file, "done")):
        with path.open("rb") as given:
            sent = client.post("/api/v1/portable/", {"file": given}).json()
        run_waiting()
        client.post(f"/api/v1/portable/{sent['id']}/create/", {"slug": "copy"}, "application/json")
        run_waiting()
        found = client.get(f"/api/v1/portable/{sent['id']}/").json()
        assert found["state"] == state, found["problem"]
        assert bool(found["benchmark"]) is (state == "done")
    assert Benchmark.objects.get(slug="copy").runs.count() == 2


def sent_update(lea: User, copy: Benchmark, file: Path) -> PortableUpload:
    client, base = signed_in(lea), f"/api/v1/benchmarks/{copy.slug}/portable/updates/"
    with file.open("rb") as given:
        sent = client.post(base, {"file": given}).json()
    run_waiting()
    client.post(f"{base}{sent['id']}/start/", {}, "application/json")
    return PortableUpload.objects.get(pk=sent["id"])


class Context(JobContext):
    """The context of a job whose checkpoint ``at`` ends it."""

    def __init__(self, job: Job, at: int) -> None:
        super().__init__(job)
        self.calls, self.at = 0, at

    def checkpoint(self) -> None:
        self.calls += 1
        if self.calls == self.at:
            raise WorkerStopping


def test_an_update_that_broke_off_is_continued(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    copy = import_project(actor=lea, path=exported(lab, tmp_path / "plain"), slug="copy", lead=lea)
    upload = sent_update(lea, copy, with_runs(lab, tmp_path / "runs"))
    job = Job.objects.get(pk=upload.job_id)
    with pytest.raises(WorkerStopping):
        run_update(Context(job, 3), upload_id=str(upload.pk))
    assert not copy.runs.exists()
    run_waiting()
    upload.refresh_from_db()
    assert upload.state == "done", upload.error
    assert {name: upload.preview["updated"][name] for name in ("added", "runs", "trajectories", "notes")} == {
        "added": 0, "runs": 2, "trajectories": 9, "notes": 3,
    }  # fmt: skip
    assert copy.runs.count() == 2


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ("judgements", {"kind": "taste"}), ("trajectories", {"rollout": 10**12}), ("notes", {"box": [1, 2, 1, 4]}),
        ("tags", {"rollout": 7}), ("failures", {"failure": "bad luck"}),
        ("trajectories", {"lineage": "SFT", "step": 9}), ("person", {"uid": "x"}),
        ("rolloutgroups", {"rollouts": [{"acc": 1}]}),
    ],
)  # fmt: skip
def test_an_update_with_one_invalid_row_of_a_run_changes_nothing(
    lab: Benchmark, lea: User, tmp_path: Path, table: str, wrong: dict[str, Any]
) -> None:
    copy = import_project(actor=lea, path=exported(lab, tmp_path / "plain"), slug="copy", lead=lea)
    Sample.objects.create(benchmark=lab, key="plate")
    file = with_runs(lab, tmp_path / "runs")
    with Reader(file) as found:
        place = f"tables/{table}.jsonl, line {found.tables[table]}: "
    before = state_of(copy)
    upload = sent_update(lea, copy, forged(file, table, lambda given: [*given[:-1], given[-1] | wrong]))
    run_waiting()
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert upload.error.startswith(place)
    assert state_of(copy) == before
    told = updated(lea, copy, file)
    assert (told["after"]["added"], told["after"]["runs"]) == (1, 2)


def test_a_lineage_that_came_after_the_preview_rejects_the_update_before_its_samples(
    lab: Benchmark, lea: User, tmp_path: Path
) -> None:
    copy = import_project(actor=lea, path=exported(lab, tmp_path / "plain"), slug="copy", lead=lea)
    Sample.objects.create(benchmark=lab, key="plate")
    upload = sent_update(lea, copy, with_runs(lab, tmp_path / "runs"))
    run = Run.objects.create(benchmark=copy, model=Model.objects.create(name="c"), number=1)
    place_run(actor=lea, run=run, place=Place("GRPO", 100))
    before = state_of(copy)
    run_waiting()
    upload.refresh_from_db()
    assert upload.error == "c is already step 100 of GRPO with this setting."
    assert state_of(copy) == before


def state_of(benchmark: Benchmark) -> list[Any]:
    """Samples, gold, people, runs and imports."""
    samples = Sample.objects.filter(benchmark=benchmark).order_by("pk")
    return [
        list(samples.values_list("key", "state", "gold__revision", "image")),
        Revision.objects.filter(annotation__sample__benchmark=benchmark).count(), User.objects.count(),
        list(Run.everything.filter(benchmark=benchmark).values_list("pk", "note")),
        ImportRecord.objects.filter(benchmark=benchmark).count(), Tag.objects.filter(benchmark=benchmark).count(),
    ]  # fmt: skip


def test_a_run_of_the_same_name_that_came_meanwhile_is_kept(lab: Benchmark, lea: User, tmp_path: Path) -> None:
    copy = import_project(actor=lea, path=exported(lab, tmp_path / "plain"), slug="copy", lead=lea)
    upload = sent_update(lea, copy, with_runs(lab, tmp_path / "runs"))
    model = lab.runs.get(setting="base").model
    real: Any = JobContext.checkpoint

    def checkpoint(self: JobContext) -> None:
        Run.objects.get_or_create(benchmark=copy, model=model, setting="base", defaults={"number": 77})
        real(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobContext, "checkpoint", checkpoint)
        run_waiting()
    upload.refresh_from_db()
    assert "is a run of this benchmark now" in upload.error
    assert [run.number for run in Run.everything.filter(benchmark=copy)] == [77]
