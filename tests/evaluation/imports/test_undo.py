"""Undoing an import removes what it brought and nothing else, or says what stands in the way."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.freeze import freeze_version
from annotation.images.store import picture_path
from annotation.models import Image, ImportRecord, Sample
from annotation.workflow import Role
from evaluation.imports.write import undo as undo_import
from evaluation.imports.write import upload
from evaluation.imports.write.plan import undo_plan
from evaluation.models import (
    Judgement,
    JudgingItem,
    JudgingQueue,
    JudgingSeat,
    Model,
    Run,
    ScoreFile,
    Scoring,
    Step,
    Trajectory,
    WordFile,
)
from evaluation.scoring.queue import queue_scoring
from tests.conftest import signed_in
from tests.evaluation.import_data import File, kitchen, native, picture, run_rows, sample_rows, zip_of
from tests.evaluation.scores import with_scores
from tests.worlds import made_once
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry
from webapp.jobs.models import Job

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"


@made_once
def benchmark(lea, rui):
    return kitchen(lea, (rui, Role.RESEARCHER))


def imported(lea, benchmark, run_jobs, content, name="file.json", scored=False, **more):
    record = upload.store_upload(
        actor=lea, benchmark=benchmark, file=File(content, name), choices={"score": scored}, **more
    )
    run_jobs()
    upload.commit(actor=lea, record=ImportRecord.objects.get(pk=record.pk))
    run_jobs()
    record.refresh_from_db()
    assert record.state == "done", record.preview
    return record


def undone(lea, record, run_jobs):
    undo_import.ask_undo(actor=lea, record=record)
    run_jobs()
    record.refresh_from_db()
    return record


@pytest.mark.endurance
def test_reading_scoring_and_undoing_forget_vanished_workers_as_they_get_on(lea, benchmark, run_jobs):
    """D6.9: each batch and each scored run is a checkpoint of its job, though its place is kept elsewhere."""
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(native(trajectories=run_rows())))
    run_jobs()
    upload.commit(actor=lea, record=ImportRecord.objects.get(pk=record.pk))
    score = queue_scoring(actor=lea, benchmark=benchmark)
    for kind in ("evaluation.import", "evaluation.score", "evaluation.undo_import"):
        if kind == "evaluation.undo_import":
            undo_import.ask_undo(actor=lea, record=ImportRecord.objects.get(pk=record.pk))
        if kind == "evaluation.score":
            Scoring.objects.update(stale=True)
            Job.objects.filter(pk=score.pk).update(not_before=None)
        else:
            Job.objects.filter(pk=score.pk).update(not_before=timezone.now() + timedelta(hours=1))
        assert Job.objects.queued().filter(kind=kind).update(vanished=2, failures=3) == 1
        run_jobs()
        job = Job.objects.get(kind=kind)
        assert (job.state, job.vanished, job.failures) == ("done", 0, 0), kind


def test_an_import_of_runs_goes_as_it_came(lea, benchmark, run_jobs, monkeypatch):
    monkeypatch.setattr(undo_import, "BATCH", 3)
    rows = run_rows()
    first = imported(lea, benchmark, run_jobs, native(trajectories=rows[:5]), scored=True)
    there = set(Trajectory.objects.values_list("pk", flat=True))
    verdict = {"model": "Model C", "sample_id": "cup", "kind": "answer", "verdict": "Yes"}
    later = [{**row, "model": "Model C"} for row in rows[:4]]
    content = native(trajectories=[*rows[5:], *later], judgements=[verdict])
    second = imported(lea, benchmark, run_jobs, content, scored=True)
    assert {one.run.model.name for one in with_scores(Trajectory.objects.all())} == {"Model A", "Model B", "Model C"}
    assert dict(undo_plan(second).goes) == {
        "trajectories": 7, "tool lists": 0, "interventions": 0, "judgements": 1, "rollout groups": 0, "runs": 3,
    }  # fmt: skip
    assert undone(lea, second, run_jobs).state == "undone"
    assert second.preview["undone"] == {"trajectories": 7, "judgements": 1, "runs": 3}
    assert set(Trajectory.objects.values_list("pk", flat=True)) == there
    assert [run.model.name for run in Run.objects.select_related("model")] == ["Model A"]
    assert not Model.objects.filter(name="Model C").exists()
    assert set(Step.objects.values_list("trajectory_id", flat=True)) <= there
    assert set(WordFile.objects.filter(revision=F("run__revision")).values_list("run__model__name", flat=True)) <= {
        "Model A"
    }
    assert set(AuditEntry.objects.filter(action__startswith="import.und").values_list("action", flat=True)) == {
        "import.undo", "import.undone",
    }  # fmt: skip
    undone(lea, first, run_jobs)
    assert (Run.objects.count(), ScoreFile.objects.count(), Sample.objects.count()) == (0, 0, 4)


def test_an_undoing_that_stopped_goes_on_with_the_rest(lea, benchmark, run_jobs, monkeypatch):
    monkeypatch.setattr(undo_import, "BATCH", 3)
    record = imported(lea, benchmark, run_jobs, native(trajectories=run_rows()))
    undo_import.ask_undo(actor=lea, record=record)
    with pytest.raises(KeyboardInterrupt):
        undo_import.undo_import(record_id=record.pk, report=_stopping)
    assert Trajectory.objects.count() == 5
    run_jobs()
    record.refresh_from_db()
    assert (record.state, record.preview["undone"]["trajectories"]) == ("undone", 8)
    assert not Run.objects.exists()


def _stopping(done, total):
    raise KeyboardInterrupt


def test_what_a_later_import_replaced_stays(lea, benchmark, run_jobs):
    rows = run_rows()
    first = imported(lea, benchmark, run_jobs, native(trajectories=rows))
    imported(lea, benchmark, run_jobs, native(trajectories=[{**rows[0], "answer": "other"}]))
    assert [sentence.split(" was ")[0] for sentence in undo_plan(first).stays] == ["Up to 1 of its records"]
    undone(lea, first, run_jobs)
    assert Trajectory.objects.get().answer == "other"


def test_a_run_goes_with_the_last_import_that_has_rows_in_it(lea, benchmark, run_jobs):
    rows = [{**row, "model": "Model A"} for row in run_rows()]
    first = imported(lea, benchmark, run_jobs, native(trajectories=rows[:1]))
    second = imported(lea, benchmark, run_jobs, native(trajectories=[{**rows[0], "answer": "other"}, rows[1]]))
    assert (undo_plan(first).goes["runs"], undo_plan(second).goes["runs"]) == (0, 1)
    undone(lea, first, run_jobs)
    assert Run.objects.count() == 1
    assert undo_plan(second).goes["runs"] == 1
    undone(lea, second, run_jobs)
    assert not Run.objects.exists()


def test_a_judgement_made_here_since_stands_in_the_way(lea, benchmark, run_jobs):
    record = imported(lea, benchmark, run_jobs, native(trajectories=run_rows()))
    run = Run.objects.get(model__name="Model B")
    Judgement.objects.create(run=run, sample=Sample.objects.get(key="mug"), kind="answer", judge="Rui")
    with pytest.raises(Conflict, match="1 judgment refers to its runs"):
        undo_import.ask_undo(actor=lea, record=record)
    assert Trajectory.objects.count() == 8


def asked_about(lea, rui, benchmark, *models):
    """A judging queue with a question about the mug in each of these runs; Rui has judged them all."""
    queue = JudgingQueue.objects.create(benchmark=benchmark, seed="a", drawn_from=2, created_by=lea)
    now = timezone.now()
    for model in models:
        about = Trajectory.objects.filter(run__model__name=model, sample__key="mug").first()
        item = JudgingItem.objects.create(queue=queue, trajectory=about, kind="reliability")
        JudgingSeat.objects.create(item=item, place=0, user=rui, taken_at=now, expires_at=now, done_at=now)
        Judgement.objects.create(
            run=about.run, sample=about.sample, trajectory=about, kind="reliability", judge=rui.email, person=rui,
            verdict="yes", extra={"queue": queue.pk},
        )  # fmt: skip
    return queue


def test_questions_leave_their_judging_queue_with_an_import_once_that_is_agreed_to(lea, rui, benchmark, run_jobs):
    """D7.8: verdicts on other imports stay, and so does the queue while it has other questions."""
    rows = run_rows()
    imported(lea, benchmark, run_jobs, native(trajectories=rows))
    later = [{**row, "model": "Model C"} for row in rows if row["sample_id"] == "mug"][:1]
    record = imported(lea, benchmark, run_jobs, native(trajectories=later))
    mixed, alone = asked_about(lea, rui, benchmark, "Model A"), asked_about(lea, rui, benchmark, "Model C")
    other = asked_about(lea, lea, benchmark, "Model A", "Model C")
    losses = [(one.queue, one.questions, one.verdicts, one.whole) for one in undo_plan(record).queues]
    assert losses == [(alone.pk, 1, 1, True), (other.pk, 1, 1, False)]
    client, address = signed_in(lea), reverse("evaluation:import-undo", args=[benchmark.slug, record.pk])
    assert client.get(address).context["plan"].later == ()
    assert client.post(address).status_code == 409
    assert Judgement.objects.count() == 4
    assert client.post(address, {"withdraw": "1"}).status_code == 302
    run_jobs()
    record.refresh_from_db()
    assert (record.state, Run.objects.filter(model__name="Model C").exists()) == ("undone", False)
    assert set(JudgingQueue.objects.values_list("pk", flat=True)) == {mixed.pk, other.pk}
    assert set(Judgement.objects.values_list("extra__queue", flat=True)) == {mixed.pk, other.pk}
    assert AuditEntry.objects.filter(action__in=("judging.delete", "judging.remove")).count() == 2


def test_samples_go_with_the_pictures_that_nothing_else_shows(lea, run_jobs):
    shared, own = picture(colour="red"), picture(640, 480, "blue")
    kitchen, attic = (create_benchmark(actor=lea, slug=slug, title=slug.title()) for slug in ("kitchen", "attic"))
    both = zip_of({"kitchen.png": shared, "wall.png": own})
    content = native(samples=[{**row, "image": row.get("image", "").replace("jpg", "png")} for row in sample_rows()])
    record = imported(lea, kitchen, run_jobs, content, images=File(both, "pictures.zip"))
    imported(lea, attic, run_jobs, content, images=File(zip_of({"kitchen.png": shared}), "pictures.zip"))
    alone = Image.objects.get(width=640)
    assert default_storage.exists(picture_path(alone))
    assert dict(undo_plan(record).goes) == {"samples": 4, "pictures": 1}
    undone(lea, record, run_jobs)
    assert (kitchen.samples.count(), attic.samples.count()) == (0, 4)
    assert [image.width for image in Image.objects.all()] == [1000]
    assert not default_storage.exists(picture_path(alone))
    again = imported(lea, kitchen, run_jobs, content)
    assert (again.pk != record.pk, kitchen.samples.count()) == (True, 4)


@pytest.mark.endurance
def test_samples_stay_while_runs_or_versions_stand_on_them(lea, rui, run_jobs):
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    record = imported(lea, benchmark, run_jobs, native(samples=sample_rows()))
    runs = imported(lea, benchmark, run_jobs, native(trajectories=run_rows()))
    freeze_version(actor=lea, benchmark=benchmark)
    address = reverse("evaluation:import-undo", args=["kitchen", record.pk])
    page = signed_in(lea).get(address).content.decode()
    assert "8 trajectories refer to its samples" in page
    assert "4 of its samples are in a frozen version" in page
    assert "Undo import" not in page
    assert signed_in(lea).post(address).status_code == 409
    assert benchmark.samples.count() == 4
    page = signed_in(lea).get(reverse("evaluation:import-undo", args=["kitchen", runs.pk])).content.decode()
    assert "Undo import" in page
    answer = signed_in(lea).post(reverse("evaluation:import-undo", args=["kitchen", runs.pk]))
    assert "Undoing the import of file.json" in signed_in(lea).get(answer.url).content.decode()
    run_jobs()
    assert "Removed: 8 trajectories, 2 runs" in signed_in(lea).get(answer.url).content.decode()


def test_an_import_that_changed_samples_cannot_be_undone(lea, benchmark, run_jobs):
    rows = sample_rows()
    record = imported(lea, benchmark, run_jobs, native(samples=[{**rows[0], "question": "Other?"}]))
    assert "It changed 1 existing sample," in undo_plan(record).later[0]


FIRST = {"identified_tools": ["saw", "pencil"], "seconds_asked": 3}
SECOND = {"identified_tools": "pencil, saw", "matched_details": {"saw": "saw"}, "judge_said": "yes"}
"""What PhysTool-Bench records of its task I (which tools are there) and of its task II (which are needed)."""


def task(said, *samples):
    return json.dumps([{"id": sample, "model_used": "M", **said} for sample in samples]).encode()


def told():
    rows = Trajectory.objects.order_by("sample__key")
    return [(row.sample.key, row.recognition, row.plan, row.plan_map, row.extra) for row in rows]


def alone(said, *samples):
    """What is stored where nothing but these records was imported."""
    names, extra = (
        said["identified_tools"],
        {name: said[name] for name in ("seconds_asked", "judge_said") if name in said},
    )
    if isinstance(names, str):
        return [(sample, None, names.split(", "), said["matched_details"], extra) for sample in samples]
    return [(sample, names, None, {}, extra) for sample in samples]


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)], ids=["I first", "II first"])
@pytest.mark.parametrize("gone", [0, 1], ids=["the former goes", "the latter goes"])
@pytest.mark.endurance
def test_of_a_joined_trajectory_goes_the_list_that_the_import_brought(lea, benchmark, run_jobs, order, gone):
    files = task(order[0], "cup", "mug"), task(order[1], "mug", "sign")
    records = [imported(lea, benchmark, run_jobs, content, "task.json") for content in files]
    assert [row[0] for row in told() if row[1] and row[2]] == ["mug"]
    plan = undo_plan(records[gone])
    assert (plan.goes["trajectories"], plan.goes["tool lists"], plan.goes["runs"]) == (1, 1, 0)
    assert plan.stays == ("1 of its lists replaced one of another import, which stays.",)
    undone(lea, records[gone], run_jobs)
    left = (["mug", "sign"], ["cup", "mug"])[gone]
    assert told() == alone(order[1 - gone], *left)
    page = signed_in(lea).get(reverse("evaluation:import-record", args=["kitchen", records[gone].pk])).content.decode()
    assert "Removed: 1 trajectory, 1 tool list" in page
    again = upload.store_upload(actor=lea, benchmark=benchmark, file=File(files[1 - gone] + b" ", "task.json"))
    run_jobs()
    assert ImportRecord.objects.get(pk=again.pk).preview["counts"]["unchanged"] == 2
    undone(lea, records[1 - gone], run_jobs)
    assert Trajectory.objects.count() == 0


@pytest.mark.endurance
def test_a_task_read_anew_under_other_choices_leaves_the_list_of_the_other_task(lea, benchmark, run_jobs):
    first = imported(lea, benchmark, run_jobs, task(FIRST, "cup", "mug"), "task.json")
    second = imported(lea, benchmark, run_jobs, task(SECOND, "mug", "sign"), "task.json")
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(task(SECOND, "cup"), "task.json"))
    run_jobs()
    upload.update_choices(
        actor=lea, record=ImportRecord.objects.get(pk=record.pk), choices={"replaces": str(second.pk)}
    )
    run_jobs()
    upload.commit(actor=lea, record=ImportRecord.objects.get(pk=record.pk))
    run_jobs()
    assert [row[:3] for row in told()] == [
        ("cup", ["saw", "pencil"], ["pencil", "saw"]), ("mug", ["saw", "pencil"], None),
    ]  # fmt: skip
    undone(lea, first, run_jobs)
    assert told() == alone(SECOND, "cup")
