"""Deleting a run or a judging queue: what goes is said before, goes, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Role
from evaluation.common.saving.batches import RunRegistry
from evaluation.exports.read.formats import export_parts
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge
from evaluation.models import (
    Comparison,
    Judgement,
    JudgingItem,
    JudgingQueue,
    Model,
    Note,
    Run,
    ScoreFile,
    Standing,
    Tagging,
    Trajectory,
)
from evaluation.trajectories.write.marks import tag_trajectories, write_note
from evaluation.trash.write import runs as write
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


@made_once
def street(lea: User, rui: User) -> Benchmark:
    """Two scored runs; a queue with questions about both, of which Rui has judged three."""
    benchmark = make_benchmark(lea, {"seen": 3, "seen-wrong": 2, "missed": 1}, models=("Model C", "Model D"))
    add_member(actor=lea, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    queue = draw_judging(actor=lea, benchmark=benchmark, terms={}, size=40, people=1)
    for _ in range(3):
        item = next_to_judge(actor=rui, queue=queue)
        assert item is not None
        judge_item(actor=rui, item=item, said={"verdict": "yes", "answer": "A"})
    return benchmark


def of(model: str) -> Run:
    return Run.objects.get(model__name=model)


def marked(lea: User, street: Benchmark) -> Run:
    """A run with two tags and a note; the other one has a tag, too."""
    gone, kept = of("Model C"), of("Model D")
    mine = list(gone.trajectories.values_list("pk", flat=True))
    tag_trajectories(actor=lea, benchmark=street, trajectories=[*mine[:2], kept.trajectories.first().pk], name="glare")
    write_note(actor=lea, trajectory=gone.trajectories.first(), text="Look again.")
    return gone


def test_a_deleted_run_goes_to_the_trash_and_is_nowhere_else(
    lea: User, street: Benchmark, run_jobs: Callable[[], int]
) -> None:
    """D7.8: the page names what goes; the other run keeps its rows and questions, and is ranked alone."""
    gone, kept = marked(lea, street), of("Model D")
    items = JudgingItem.objects.filter(trajectory__run=gone)
    asked, shown_row = items.count(), gone.trajectories.first().pk
    client, address = signed_in(lea), reverse("evaluation:run-delete", args=[street.slug, gone.pk])
    assert address in client.get(reverse("evaluation:run", args=[street.slug, gone.pk])).content.decode()
    shown = client.get(address).context
    assert (shown["losses"], shown["hidden"]) == ([], True), "Lea may still judge: nothing tells of which run"
    assert shown["loss"].goes == {"trajectories": gone.trajectories.count(), "tags": 2, "notes": 1}
    [loss] = [one for one in shown["loss"].queues if one.questions == asked]
    assert not loss.whole
    assert client.post(address).status_code == 302
    assert not items.exists()
    assert list(Run.objects.all()) == list(street.runs.all()) == [kept]
    assert client.get(address).status_code == 404
    assert client.get(reverse("evaluation:trajectory", args=[street.slug, shown_row])).status_code == 404
    assert not Comparison.objects.exists()
    run_jobs()
    assert set(Standing.objects.values_list("scoring__run", "rank")) == {(kept.pk, 1)}
    api = f"/api/v1/benchmarks/{street.slug}/"
    assert {row["run"] for row in client.get(f"{api}metrics/?limit=1000").json()["results"]} == {kept.pk}
    assert client.get(f"{api}notes/").json()["results"] == []
    assert [tag["trajectories"] for tag in client.get(f"{api}tags/").json()["results"]] == [1]
    assert [row["id"] for row in client.get(f"{api}runs/").json()["results"]] == [kept.pk]
    assert client.get(reverse("evaluation:leaderboard", args=[street.slug])).status_code == 200


def exported(benchmark: Benchmark) -> dict[str, bytes]:
    """The native file, and the tables of the export page."""
    client = signed_in(benchmark.created_by)
    tables = {
        name: client.get(f"/benchmarks/{benchmark.slug}/export/{name}.csv") for name in ("metrics", "comparisons")
    }
    found = {name: b"".join(answer) for name, answer in tables.items()}
    return {**found, "native": b"".join(export_parts("native", benchmark, None))}


def test_a_restored_run_has_everything_that_it_had(lea: User, street: Benchmark, run_jobs: Callable[[], int]) -> None:
    gone = marked(lea, street)
    before = exported(street)
    counts = JudgingItem.objects.count(), Judgement.objects.count(), Standing.objects.count()
    write.delete_run(actor=lea, run=gone)
    run_jobs()
    assert exported(street) != before
    client, page = signed_in(lea), reverse("evaluation:trash", args=[street.slug])
    assert [run for run, _ in client.get(page).context["runs"]] == [gone]
    assert client.post(reverse("evaluation:run-restore", args=[street.slug, gone.pk])).status_code == 302
    run_jobs()
    assert exported(street) == before
    assert (JudgingItem.objects.count(), Judgement.objects.count(), Standing.objects.count()) == counts
    assert client.get(page).context["runs"] == []
    told = AuditEntry.objects.filter(action__in=("run.delete", "run.restore"))
    assert list(told.values_list("actor", flat=True)) == [lea.pk, lea.pk]


def test_an_emptied_trash_leaves_no_row_of_its_runs(
    lea: User, street: Benchmark, run_jobs: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "BATCH", 4)
    gone, kept = marked(lea, street), of("Model D")
    said = Judgement.objects.filter(person__isnull=False)
    stay = said.filter(run=kept).count()
    write.delete_run(actor=lea, run=gone)
    client = signed_in(lea)
    assert client.post(reverse("evaluation:trash-empty", args=[street.slug])).status_code == 302
    assert client.post(reverse("evaluation:run-restore", args=[street.slug, gone.pk])).status_code == 404
    run_jobs()
    assert list(Run.everything.all()) == [kept]
    assert not Model.objects.filter(name="Model C").exists()
    assert (Tagging.objects.count(), Note.objects.count(), said.count()) == (1, 0, stay)
    assert not JudgingItem.everything.exclude(trajectory__run=kept).exists()
    assert set(ScoreFile.objects.values_list("run", flat=True)) == {kept.pk}
    actions = set(AuditEntry.objects.filter(action__startswith="run.").values_list("action", flat=True))
    assert actions >= {"run.delete", "run.purge", "run.deleted"}


def test_a_run_leaves_the_trash_after_thirty_days(lea: User, street: Benchmark, run_jobs: Callable[[], int]) -> None:
    write.delete_run(actor=lea, run=of("Model C"))
    now = timezone.now()
    assert write.purge_old(now + timedelta(days=29)) == 0
    assert write.purge_old(now + timedelta(days=31)) == 1
    run_jobs()
    assert [str(run) for run in Run.everything.all()] == ["Model D"]


def test_a_run_that_was_imported_again_is_not_restored_beside_it(lea: User, street: Benchmark) -> None:
    gone = of("Model C")
    write.delete_run(actor=lea, run=gone)
    anew = RunRegistry(street, lea).run("Model C", gone.setting)
    assert anew.pk != gone.pk
    with pytest.raises(Conflict):
        write.restore_run(actor=lea, run=gone)
    write.delete_run(actor=lea, run=anew)
    write.restore_run(actor=lea, run=gone)
    assert of("Model C") == gone


def test_runs_are_deleted_and_restored_over_the_api(lea: User, rui: User, street: Benchmark) -> None:
    gone, api = of("Model C"), f"/api/v1/benchmarks/{street.slug}/"
    assert signed_in(rui).post(f"{api}runs/{gone.pk}/delete/").status_code == 403
    client = signed_in(lea)
    assert client.post(f"{api}runs/{gone.pk}/delete/").status_code == 204
    assert client.get(f"{api}runs/{gone.pk}/").status_code == 404
    [row] = client.get(f"{api}trash/").json()["results"]
    assert (row["id"], row["model"], row["deleted_by"]) == (gone.pk, "Model C", str(lea))
    assert client.post(f"{api}trash/runs/{gone.pk}/restore/").status_code == 204
    assert client.get(f"{api}runs/{gone.pk}/").status_code == 200
    assert client.post(f"{api}runs/{gone.pk}/delete/").status_code == 204
    assert client.post(f"{api}trash/empty/").json() == {"runs": 1, "samples": 0}
    assert client.get(f"{api}trash/").json()["results"] == []


def test_the_trash_takes_as_many_queries_for_two_runs_as_for_one(
    lea: User, street: Benchmark, django_assert_max_num_queries: Any
) -> None:
    client, page = signed_in(lea), reverse("evaluation:trash", args=[street.slug])
    counts = []
    for run in Run.objects.all():
        write.delete_run(actor=lea, run=run)
        with django_assert_max_num_queries(40) as asked:
            client.get(page)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_no_run_is_deleted_while_an_import_writes(lea: User, street: Benchmark) -> None:
    record = ImportRecord.objects.create(
        benchmark=street, kind="runs", state="running", file_name="a.jsonl", format="native", created_by=lea
    )
    address = reverse("evaluation:run-delete", args=[street.slug, of("Model C").pk])
    client: Client = signed_in(lea)
    assert client.post(address).status_code == 409
    assert JudgingItem.objects.filter(trajectory__run__model__name="Model C").exists()
    ImportRecord.objects.filter(pk=record.pk).update(state="done")
    assert client.post(address).status_code == 302


def test_a_queue_goes_with_the_verdicts_given_in_it_and_with_no_others(lea: User, rui: User, street: Benchmark) -> None:
    """D7.8."""
    queue = JudgingQueue.objects.get()
    about: Any = Trajectory.objects.filter(run__model__name="Model D").last()
    Judgement.objects.create(run=about.run, sample=about.sample, kind="answer", judge="A judge", verdict="Yes")
    page = reverse("evaluation:judging-queue", args=[street.slug, queue.pk])
    address = reverse("evaluation:judging-delete", args=[street.slug, queue.pk])
    assert address not in signed_in(rui).get(page).content.decode()
    client = signed_in(lea)
    assert address in client.get(page).content.decode()
    assert "Verdicts: 3" in client.get(page).context["gone"]
    assert client.post(address).status_code == 302
    assert not JudgingQueue.objects.exists()
    assert [one.judge for one in Judgement.objects.all()] == ["A judge"]
    assert Trajectory.objects.filter(run__benchmark=street).exists()
