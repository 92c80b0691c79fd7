"""Two people, or two pages of one person, at a judging queue at the same moment: over two real connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.common.judging.write import delete_queue
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge, skip_the_rest, take_back_last
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Run
from evaluation.schema import Step
from evaluation.schema import Trajectory as Record
from evaluation.trash.write.runs import delete_run
from evaluation.trash.write.samples import delete_samples
from tests.at_once import meanwhile
from tests.evaluation.run_pages import MISSED, make_benchmark
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
SAID = {"verdict": "yes", "answer": "A"}


@pytest.fixture
def lea() -> User:
    return make_user("Lea Moreau")


@pytest.fixture
def rui() -> User:
    return make_user("Rui Costa")


@pytest.fixture
def queue(lea: User, rui: User) -> JudgingQueue:
    """Rui has judged two of four questions about a run, and holds a third."""
    benchmark = make_benchmark(lea, {"seen": 2})
    add_member(actor=lea, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    queue = draw_judging(actor=lea, benchmark=benchmark, terms={}, size=2, people=1)
    for _ in range(2):
        judge_item(actor=rui, item=held(rui, queue), said=SAID)
    held(rui, queue)
    return queue


def held(rui: User, queue: JudgingQueue) -> JudgingItem:
    item = next_to_judge(actor=rui, queue=queue)
    assert item is not None
    return item


def test_an_undo_that_is_pressed_twice_takes_no_verdict_from_a_question_that_keeps_its_place(
    rui: User, queue: JudgingQueue
) -> None:
    with meanwhile(lambda: take_back_last(actor=rui, queue=queue)) as refused:
        take_back_last(actor=rui, queue=queue)
    assert refused == []
    undone = AuditEntry.objects.filter(action="judging.undo").count()
    judged = JudgingSeat.objects.filter(done_at__isnull=False).values_list("item__trajectory", "item__kind")
    assert set(judged) == set(Judgement.objects.values_list("trajectory", "kind"))
    assert len(judged) == 2 - undone


DELETIONS: dict[str, Callable[[User, JudgingQueue], Any]] = {
    "queue": lambda lea, queue: delete_queue(actor=lea, queue=queue),
    "run": lambda lea, queue: delete_run(actor=lea, run=Run.objects.get()),
    "samples": lambda lea, queue: delete_samples(
        actor=lea, benchmark=queue.benchmark, keys=list(queue.benchmark.samples.values_list("key", flat=True))
    ),
}


@pytest.mark.parametrize("what", DELETIONS)
def test_a_verdict_that_is_given_while_its_question_goes_goes_with_it(
    lea: User, rui: User, queue: JudgingQueue, what: str
) -> None:
    item = held(rui, queue)
    with meanwhile(lambda: DELETIONS[what](lea, queue)) as refused:
        judge_item(actor=rui, item=item, said=SAID)
    kept = 0 if what == "queue" else 3
    said = Judgement._base_manager.count()
    assert (refused, JudgingItem.objects.count(), said) == ([], 0, kept), "runs and samples can be restored"


@pytest.mark.parametrize("what", DELETIONS)
@pytest.mark.parametrize("act", ["judge", "next", "skip"])
@pytest.mark.endurance
def test_whoever_judges_a_question_that_goes_is_told_so(
    lea: User, rui: User, queue: JudgingQueue, what: str, act: str
) -> None:
    item = held(rui, queue)

    def do() -> Any:
        if act == "judge":
            return judge_item(actor=rui, item=item, said=SAID)
        return skip_the_rest(actor=rui, queue=queue) if act == "skip" else next_to_judge(actor=lea, queue=queue)

    with meanwhile(do) as refused:
        DELETIONS[what](lea, queue)
    assert [type(problem) for problem in refused] == ([Conflict] if act == "judge" else [])
    kept = 0 if what == "queue" else 2
    assert Judgement._base_manager.count() == kept, "those of before are restored with the run or the samples"
    assert not JudgingSeat.objects.filter(item__in=JudgingItem.objects.all()).exists()


def test_an_import_that_changes_what_is_judged_leaves_no_verdict_on_it(
    lea: User, rui: User, queue: JudgingQueue
) -> None:
    benchmark, item = Benchmark.objects.get(), held(rui, queue)
    key = item.trajectory.sample.key
    changed = Record("Model C", key, steps=(Step("crop", {}, MISSED, image_in="original", image_out="a"),), answer="C")

    def again() -> None:
        with transaction.atomic():
            save_trajectories(RunRegistry(benchmark, lea), [changed], None)

    with meanwhile(again) as refused:
        judge_item(actor=rui, item=item, said=SAID)
    assert refused == []
    assert not JudgingItem.objects.filter(trajectory__sample__key=key).exists()
    assert not Judgement.objects.filter(sample__key=key).exists()
