"""A verdict is of one trajectory: two rollouts of a run on one sample are two questions with two answers."""

from __future__ import annotations

import importlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Role
from evaluation.common.judging.digests import judged_digests
from evaluation.common.judging.write import delete_queue
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.exports.read.formats import export_as
from evaluation.imports.write.runs import import_runs
from evaluation.judging.read.queues import judgement_of, progress_of
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge, skip_the_rest, take_back_last
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Metric, Trajectory
from evaluation.schema import Step
from evaluation.schema import Trajectory as Record
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.lists import pks_in
from tests.evaluation.run_pages import MISSED, SEEN, make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SAID = {0: {"verdict": "yes", "answer": "A"}, 1: {"verdict": "no", "answer": "B"}}
"""Of each rollout."""


def rollout(number: int, box: tuple[float, float, float, float] = SEEN, **fields: Any) -> Record:
    step = Step("crop", {}, box, image_in="original", image_out="a")
    return Record("Model C", "seen-00", rollout=number, steps=(step,), answer="B", **fields)


def save(lea: User, street: Benchmark, *records: Record) -> None:
    with transaction.atomic():
        save_trajectories(RunRegistry(street, lea), records, None)
    score_benchmark(actor=lea, benchmark=street)


@made_once
def street(lea: User) -> Benchmark:
    benchmark = make_benchmark(lea, {"seen": 1})
    save(lea, benchmark, rollout(1))
    return benchmark


@made_once
def queue(lea: User, street: Benchmark) -> JudgingQueue:
    return draw_judging(actor=lea, benchmark=street, terms={"q": "rollout>=0"}, size=9, people=1)


def judge_all(lea: User, queue: JudgingQueue) -> None:
    while item := next_to_judge(actor=lea, queue=queue):
        judge_item(actor=lea, item=item, said=SAID[item.trajectory.rollout])


def kept() -> list[tuple[int, str, str | None]]:
    rows = Judgement.objects.values_list("trajectory__rollout", "verdict", "answer")
    return sorted((number, verdict or "", answer) for number, verdict, answer in rows)


BOTH = [(0, "", "A"), (0, "yes", None), (1, "", "B"), (1, "no", None)]


def test_each_rollout_is_asked_about_and_keeps_what_was_said_of_it(lea: User, queue: JudgingQueue) -> None:
    items = {(item.trajectory.rollout, item.kind): item for item in queue.items.select_related("trajectory")}
    assert len(items) == 4
    first = next_to_judge(actor=lea, queue=queue)
    assert first is not None
    judge_item(actor=lea, item=first, said=SAID[first.trajectory.rollout])
    other = items[1 - first.trajectory.rollout, first.kind]
    assert judgement_of(lea, first) is not None
    assert judgement_of(lea, other) is None, "nothing was said of the other rollout yet"
    assert progress_of(lea, queue).open == 3
    second = next_to_judge(actor=lea, queue=queue)
    assert second is not None
    judge_item(actor=lea, item=second, said={"verdict": "yes", "answer": "A"})
    assert take_back_last(actor=lea, queue=queue) != first
    assert Judgement.objects.get().trajectory == first.trajectory
    judge_all(lea, queue)
    assert kept() == BOTH


def test_the_queue_counts_both_and_the_page_of_a_rollout_tells_its_own(lea: User, queue: JudgingQueue) -> None:
    judge_all(lea, queue)
    client = signed_in(lea)
    kinds = client.get(f"/benchmarks/street/judging/{queue.pk}/").context["kinds"]
    assert [(one["asked"].n, one["mine"].n, one["mine_yes"].n) for one in kinds] == [(2, 2, 1), (2, 2, 1)]
    for number, says in ((0, "1 of 1"), (1, "0 of 1")):
        of = Trajectory.objects.get(sample__key="seen-00", rollout=number, condition="none")
        text = client.get(f"/benchmarks/street/trajectories/{of.pk}/").content.decode()
        assert f"people {says}" in text, number
    rows = json.loads(b"".join(client.get("/benchmarks/street/agreement/judges.json")))
    assert len({(row["kind"], row["trajectory"]) for row in rows}) == 4


def test_a_queue_takes_the_verdicts_on_all_its_rollouts_along(lea: User, queue: JudgingQueue) -> None:
    judge_all(lea, queue)
    delete_queue(actor=lea, queue=queue)
    assert not Judgement.objects.exists()


def test_a_verdict_stays_with_the_same_crops_and_answer_only(lea: User, street: Benchmark, queue: JudgingQueue) -> None:
    judge_all(lea, queue)
    save(lea, street, rollout(1, final_image="a"))
    assert kept() == BOTH, "neither crops nor answer changed"
    save(lea, street, rollout(1, MISSED))
    assert kept() == BOTH[:2], "nobody has seen these crops"


def test_questions_that_an_import_takes_away_are_counted_in_the_log_and_on_the_page_of_their_queue(
    lea: User, rui: User, street: Benchmark, queue: JudgingQueue
) -> None:
    """They went without a word. Who may still judge is told of neither: it would name the run."""
    add_member(actor=lea, benchmark=street, user=rui, role=Role.LEAD)
    record = ImportRecord.objects.create(
        benchmark=street, kind="runs", state="done", file_name="again.jsonl", format="native", created_by=lea
    )
    with transaction.atomic():
        save_trajectories(RunRegistry(street, lea), [rollout(1, MISSED)], record)
    entry = AuditEntry.objects.get(action="judging.drop")
    assert (entry.actor, entry.subject_id, entry.benchmark) == (lea, str(queue.pk), "street")
    assert entry.data == {"questions": 2, "run": "Model C", "import": "again.jsonl"}
    client = signed_in(rui)

    def told() -> list[bool]:
        page = client.get(f"/benchmarks/street/judging/{queue.pk}/")
        log = client.get("/benchmarks/street/settings/log/")
        return [page.context["dropped"] == [("Model C", "again.jsonl", 2)], "again.jsonl" in log.content.decode()]

    assert told() == [False, False]
    judge_all(rui, queue)
    assert told() == [True, True]
    assert "2 questions" in client.get(f"/benchmarks/street/judging/{queue.pk}/").content.decode()


def exported(street: Benchmark, path: Path) -> list[dict[str, Any]]:
    out = io.BytesIO()
    export_as("native", street, out)
    path.write_bytes(out.getvalue())
    found: list[dict[str, Any]] = json.loads(out.getvalue())["judgements"]
    return found


def test_verdicts_on_rollouts_are_exported_and_read_back(
    lea: User, street: Benchmark, queue: JudgingQueue, tmp_path: Path
) -> None:
    judge_all(lea, queue)
    path = tmp_path / "street.json"
    assert len(exported(street, path)) == 4
    same, _ = import_runs(actor=lea, benchmark=street, path=path, format="native")
    assert (same.counts["new"], same.counts.get("refused", 0), kept()) == (0, 0, BOTH)
    Judgement.objects.all().delete()
    import_runs(actor=lea, benchmark=street, path=path, format="native")
    assert kept() == BOTH


def test_a_file_without_rollouts_speaks_of_the_first_one(
    lea: User, street: Benchmark, queue: JudgingQueue, tmp_path: Path
) -> None:
    """As files were written before verdicts named a rollout."""
    judge_all(lea, queue)
    path, mine = tmp_path / "judgements.json", Judgement.objects.get(trajectory__rollout=0, kind="reliability")
    row = {"model": "Model C", "sample_id": "seen-00", "kind": "reliability", "judge": lea.email, **mine.extra}
    for verdict, refused in (("yes", 0), ("no", 1)):
        path.write_text(json.dumps({"judgements": [{**row, "verdict": verdict}]}))
        record, _ = import_runs(actor=lea, benchmark=street, path=path, format="native")
        assert record.counts.get("refused", 0) == refused
        assert kept() == BOTH


def test_a_judge_model_on_another_rollout_is_in_no_metric(lea: User, street: Benchmark) -> None:
    for number, verdict in ((0, "yes"), (1, "no")):
        of = Trajectory.objects.get(sample__key="seen-00", rollout=number, condition="none")
        Judgement.objects.create(
            run=of.run, sample=of.sample, trajectory=of, kind="reliability", judge="judge-7b", verdict=verdict
        )
    score_benchmark(actor=lea, benchmark=street)
    found = Metric.objects.get(metric="reliability", slice="")
    assert (found.value, found.n) == (1.0, 1)
    assert len(pks_in(street, {"q": "judged:reliability"})) == 1
    assert len(pks_in(street, {"q": "judged:reliability rollout:1"})) == 1


def test_the_migration_knows_who_began_a_queue_by_their_places(
    lea: User, rui: User, street: Benchmark, queue: JudgingQueue
) -> None:
    add_member(actor=lea, benchmark=street, user=rui, role=Role.LEAD)
    migration: Any = importlib.import_module("evaluation.migrations.0032_who_began_a_queue")
    next_to_judge(actor=lea, queue=queue)
    skip_the_rest(actor=rui, queue=queue)
    queue.begun.clear()
    migration.from_seats(apps, None)
    assert list(queue.begun.all()) == [lea]


def test_the_migration_gives_a_shared_verdict_to_the_question_judged_last(lea: User, queue: JudgingQueue) -> None:
    migration: Any = importlib.import_module("evaluation.migrations.0027_verdicts_are_of_one_trajectory")
    items = list(JudgingItem.objects.filter(queue=queue, kind="reliability").order_by("trajectory__rollout"))
    for item in items:
        now = timezone.now()
        JudgingSeat.objects.create(item=item, user=lea, place=0, taken_at=now, expires_at=now, done_at=now)
    of = items[0].trajectory
    Judgement.objects.create(
        run=of.run, sample=of.sample, kind="reliability", judge=lea.email, person=lea, verdict="no",
        extra={"queue": queue.pk},
    )  # fmt: skip
    migration.name_trajectories(apps, None)
    assert kept() == [(1, "no", None)]
    last = items[1].trajectory_id
    assert Judgement.objects.get().text_digest == judged_digests("reliability", [last])[last]
    assert [seat.place for seat in JudgingSeat.objects.order_by("item__trajectory__rollout")] == [None, 0]
