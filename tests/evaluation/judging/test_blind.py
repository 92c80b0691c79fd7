"""Until a judge has finished a queue, nothing tells which run a question is about, nor what was concluded."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge, order_for, pass_by, take_back_last
from evaluation.models import Judgement, JudgingItem, JudgingQueue, JudgingSeat, Run, Trajectory
from tests.conftest import signed_in
from tests.evaluation.judging.test_queues import YES, judge_all
from tests.evaluation.run_pages import make_benchmark
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
API = "/api/v1/benchmarks/street"


@pytest.fixture
def mira(db: None) -> User:
    return make_user("Mira Sato")


@made_once
def street(lea: User, ana: User, rui: User, mira: User) -> Benchmark:
    """Two models that did the same on the same samples, and a judge model's verdict on each."""
    benchmark = make_benchmark(lea, {"seen": 3, "seen-wrong": 2}, models=("Model A", "Model B"))
    for user, role in ((ana, Role.ANNOTATOR), (rui, Role.REVIEWER), (mira, Role.RESEARCHER)):
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    for trajectory in Trajectory.objects.filter(condition="none", rollout=0):
        about = {"run": trajectory.run, "sample": trajectory.sample}
        Judgement.objects.create(**about, kind="reliability", judge="judge-7b", verdict="yes")
    return benchmark


def drawn(mira: User, street: Benchmark, size: int = 3, **changes: Any) -> JudgingQueue:
    run = Run.objects.get(model__name="Model B")
    return draw_judging(
        actor=mira, benchmark=street, **{"terms": {"run": str(run.pk)}, "size": size, "people": 1} | changes
    )


def listed(user: User) -> Any:
    return signed_in(user).get(f"{API}/judging/").json()["results"][0]


def test_the_source_of_a_queue_is_told_to_who_has_finished_it(
    ana: User, rui: User, mira: User, street: Benchmark
) -> None:
    """D2.1"""
    queue = drawn(mira, street, people=2)
    page = f"/benchmarks/street/judging/{queue.pk}/"
    for user in (ana, mira):
        assert {name: listed(user)[name] for name in ("terms", "seed", "drawn_from")} == dict.fromkeys(
            ("terms", "seed", "drawn_from")
        )
        shown = signed_in(user).get(page)
        assert not shown.context["told"]
        assert "Model B" not in shown.content.decode()
        assert f"run={queue.terms['run']}" not in shown.content.decode()
        # Words that explain scores would say what the question is drawn by.
        assert "<sightline-term" not in shown.content.decode()
    judge_all(ana, queue)
    told = listed(ana)
    assert (told["terms"], told["drawn_from"], told["seed"]) == (queue.terms, 5, None)
    assert listed(rui)["terms"] is None
    assert "Model B" in signed_in(ana).get(page).content.decode()
    judge_all(rui, queue)
    assert [listed(user)["seed"] for user in (ana, rui, mira)] == [queue.seed] * 3


def test_who_has_been_told_changes_no_verdict(ana: User, rui: User, mira: User, street: Benchmark) -> None:
    """D2.1: a queue that could be reopened would be judged with the models in sight."""
    queue = drawn(mira, street, people=2)
    *_, last = judge_all(ana, queue)
    with pytest.raises(Conflict, match="its models are shown"):
        take_back_last(actor=ana, queue=queue)
    with pytest.raises(Conflict, match="its models are shown"):
        judge_item(actor=ana, item=last, said={**YES, "answer": "B"})
    first = next_to_judge(actor=rui, queue=queue)
    judge_item(actor=rui, item=first, said={**YES, "answer": "A"})
    assert take_back_last(actor=rui, queue=queue) == first


@pytest.mark.both_databases
def test_what_others_hold_at_the_moment_is_not_finished(ana: User, rui: User, mira: User, street: Benchmark) -> None:
    """D2.1: their time may run out, and then the question is open again."""
    queue = drawn(mira, street, size=1)
    next_to_judge(actor=rui, queue=queue)
    judge_all(ana, queue)
    assert listed(ana)["terms"] is None
    pass_by(actor=ana, item=next(item for item in queue.items.all() if item.seats.filter(user=rui).exists()))
    judge_all(rui, queue)
    assert listed(ana)["terms"] == queue.terms


def test_the_draw_cannot_be_made_again_before_all_is_judged(mira: User, rui: User, ana: User, street: Any) -> None:
    """D2.2"""
    queues = [drawn(mira, street) for _ in range(2)]
    assert len({queue.seed for queue in queues}) == 2
    assert all(len(queue.seed) == 32 for queue in queues)
    entries = json.dumps([entry.data for entry in AuditEntry.objects.filter(action="judging.draw")])
    assert not any(queue.seed in entries or queue.terms["run"] in entries for queue in queues)
    keys = set(JudgingItem.objects.values_list("key", flat=True))
    assert len(keys) == 12
    assert all(len(key) == 22 for key in keys)
    question = signed_in(ana).post(f"/benchmarks/street/judging/{queues[0].pk}/next/")["Location"]
    assert question.split("/")[-2] in keys
    number = JudgingItem.objects.get(key=question.split("/")[-2]).pk
    assert signed_in(ana).get(question.replace(question.split("/")[-2], str(number))).status_code == 404


@pytest.mark.both_databases
def test_each_judge_has_an_order_of_their_own(mira: User, street: Benchmark) -> None:
    """D2.2: a place in the order tells nothing of the list, nor of what another judge has there."""
    queue = drawn(mira, street, size=5, terms={})
    orders = set()
    for number in range(12):
        judge = make_user(f"Judge{number} Ek")
        places = order_for(judge, queue)
        assert sorted(places.values()) == list(range(10))
        assert places == order_for(judge, queue)
        orders.add(tuple(sorted(places, key=places.__getitem__)))
    assert len(orders) > 6


@pytest.mark.endurance
def test_verdicts_on_the_samples_of_an_open_queue_are_withheld_from_all_who_judge(
    ana: User, mira: User, lea: User, street: Benchmark
) -> None:
    """D2.3: those of every run, and one's own, since what is missing would name the run."""
    queue = drawn(mira, street)
    asked = set(queue.items.values_list("trajectory__sample__key", flat=True))
    judge_item(actor=ana, item=next_to_judge(actor=ana, queue=queue), said={**YES, "answer": "A"})
    next_to_judge(actor=ana, queue=queue)
    assert signed_in(ana).get(f"{API}/agreement/judges/").status_code == 403
    for user in (mira, lea):
        client = signed_in(user)
        rows = client.get(f"{API}/agreement/judges/").json()["results"]
        assert {row["sample"] for row in rows}.isdisjoint(asked)
        per_run = {run.pk: sum(row["run"] == run.pk for row in rows) for run in Run.objects.all()}
        assert len(set(per_run.values())) == 1
        table = client.get(f"{API}/judges/").json()
        assert [(one["name"], one["n"]) for one in table["judges"]] == [("judge-7b", 4)]
        judges = client.get("/benchmarks/street/agreement/judges/")
        assert judges.context["verdicts_n"] == 4
        of_judge = {"kind": judges.context["kind"], "judge": "judge-7b"}
        listed = client.get("/benchmarks/street/agreement/judges/verdicts/", of_judge).context["rows"]
        assert len(listed) == 4
        assert {one.key for one, *_ in listed}.isdisjoint(asked)
        exported = json.loads(b"".join(client.get("/benchmarks/street/agreement/judges.json").streaming_content))
        assert {row["sample"] for row in exported}.isdisjoint(asked)
        for trajectory in Trajectory.objects.filter(condition="none", rollout=0).select_related("sample"):
            shown = client.get(f"/benchmarks/street/trajectories/{trajectory.pk}/").context
            assert shown["withheld"] == (trajectory.sample.key in asked)
            assert shown["judgements_n"] == (0 if trajectory.sample.key in asked else 1)
    native = json.loads(b"".join(signed_in(mira).get(f"{API}/export/").streaming_content))
    assert {row["sample_id"] for row in native["judgements"]}.isdisjoint(asked)
    judge_all(ana, queue)
    assert len(signed_in(ana).get(f"{API}/agreement/judges/").json()["results"]) == 10 + 6


def test_signing_out_shows_a_judge_nothing(ana: User, mira: User, lea: User, street: Benchmark) -> None:
    """D2.3, D2.5: judging queues and open access exclude each other; a page says so before a queue is drawn."""
    queue = drawn(mira, street)
    with pytest.raises(Conflict, match=r"sign out .* Finish or delete"):
        set_public(actor=lea, benchmark=street, public=True)
    Benchmark.objects.update(public=True)
    street.refresh_from_db()
    queue.benchmark = street
    with pytest.raises(Conflict, match="private under Settings first"):
        next_to_judge(actor=ana, queue=queue)
    with pytest.raises(Conflict, match="under Settings first"):
        drawn(mira, street)
    assert 'name="people"' not in signed_in(mira).get("/benchmarks/street/judging/").content.decode()


LISTS = ("leaderboard/", "runs/", "trajectories/", "agreement/judges/")


def test_whoever_was_handed_a_crop_sees_no_results_until_they_have_finished(
    ana: User, rui: User, mira: User, street: Benchmark
) -> None:
    queue, client = drawn(mira, street, people=2), signed_in(ana)

    def seen() -> set[int]:
        return {client.get(f"{start}/{page}").status_code for start in ("/benchmarks/street", API) for page in LISTS}

    assert seen() == {200}
    next_to_judge(actor=ana, queue=queue)
    assert seen() == {403}
    judge_all(ana, queue)
    assert seen() == {200}
    assert signed_in(rui).get("/benchmarks/street/trajectories/").status_code == 200, "Rui has not begun"


@pytest.mark.both_databases
def test_who_let_a_question_lapse_has_seen_it(ana: User, rui: User, mira: User, street: Benchmark) -> None:
    """They could look up the first question while others hold it, and then be handed the next one."""
    queue = drawn(mira, street, size=1)
    assert next_to_judge(actor=ana, queue=queue)
    JudgingSeat.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert next_to_judge(actor=rui, queue=queue)
    assert not JudgingSeat.objects.filter(user=ana).exists()
    assert signed_in(ana).get("/benchmarks/street/trajectories/").status_code == 403
    judge_all(rui, queue)
    judge_all(ana, queue)
    assert signed_in(ana).get("/benchmarks/street/trajectories/").status_code == 200
