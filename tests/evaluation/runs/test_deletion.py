"""Deleting a run or a judging queue: what goes is said before, goes, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Role
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
from evaluation.runs import write as delete_run
from evaluation.trajectories.write.marks import tag_trajectories, write_note
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User
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


def test_a_run_goes_in_a_job_with_all_that_is_its_own(
    lea: User, street: Benchmark, run_jobs: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """D7.8: the page names what goes; the other run keeps its rows and questions, and is ranked alone."""
    monkeypatch.setattr(delete_run, "BATCH", 4)
    gone, kept = of("Model C"), of("Model D")
    mine = list(gone.trajectories.values_list("pk", flat=True))
    tag_trajectories(actor=lea, benchmark=street, trajectories=[*mine[:2], kept.trajectories.first().pk], name="glare")
    write_note(actor=lea, trajectory=gone.trajectories.first(), text="Look again.")
    items = JudgingItem.objects.filter(trajectory__run=gone)
    said = Judgement.objects.filter(person__isnull=False)
    stay = said.filter(run=kept).count()
    client, address = signed_in(lea), reverse("evaluation:run-delete", args=[street.slug, gone.pk])
    assert address in client.get(reverse("evaluation:run", args=[street.slug, gone.pk])).content.decode()
    shown = client.get(address).context
    assert (shown["losses"], shown["hidden"]) == ([], True), "Lea may still judge: nothing tells of which run"
    loss = shown["loss"]
    assert loss.goes == {"trajectories": len(mine), "tags": 2, "notes": 1}
    assert [(one.questions, one.verdicts, one.whole) for one in loss.queues] == [(items.count(), 3 - stay, False)]
    assert client.post(address).status_code == 302
    assert client.get(address).context["job"] is not None
    assert not items.exists()
    run_jobs()
    assert list(Run.objects.all()) == [kept]
    assert not Model.objects.filter(name="Model C").exists()
    assert (Tagging.objects.count(), Note.objects.count(), said.count()) == (1, 0, stay)
    assert set(ScoreFile.objects.values_list("run", flat=True)) == {kept.pk}
    assert set(Standing.objects.values_list("scoring__run", "rank")) == {(kept.pk, 1)}
    assert not Comparison.objects.exists()
    assert client.get(reverse("evaluation:leaderboard", args=[street.slug])).status_code == 200
    actions = set(AuditEntry.objects.filter(action__startswith="run.delete").values_list("action", flat=True))
    assert actions == {"run.delete", "run.deleted"}


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
