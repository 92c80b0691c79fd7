"""Trajectories of a run are repeated under arms: what is sent, what is saved, and what is refused."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from annotation.imaging.decoding import decode
from evaluation.endpoints.findings import YES, Finding
from evaluation.endpoints.probe import Report
from evaluation.experiments.write.arms import ArmChoices, ArmWorker, create_arms
from evaluation.experiments.write.judges import JudgeChoices, create_judge
from evaluation.experiments.write.prompts import create_prompt
from evaluation.experiments.write.states import start_all
from evaluation.models import Attempt, Endpoint, Experiment, Run, Trajectory
from tests.evaluation.endpoints.server import serving, spoken
from tests.evaluation.experiments.conftest import Make
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
ONE_AT_A_TIME = {"in_flight": 1}
ANSWER = "<think>I see two red shapes on the left. There are 2 of them.</think>\n<answer>2</answer>"


@pytest.fixture
def run(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> Run:
    """One trajectory per sample: a crop, then the answer 2."""
    arguments = json.dumps({"image": "original", "x": 80, "y": 40, "width": 60, "height": 60})
    call: Any = {"id": "c1", "type": "function", "function": {"name": "crop", "arguments": arguments}}
    crop, answer = spoken("I look closer.", calls=[call]), spoken(ANSWER)
    with serving(crop, answer, crop, answer) as server:
        made = experiment_on(endpoint_at(server.url, "asked", limits=ONE_AT_A_TIME), "interface")
        finished(made, lea)
        run = Run.objects.get()
        run.asked = server.seen.bodies()  # type: ignore[attr-defined]  # for the tests below
    return run


def finished(experiment: Experiment, actor: User) -> Experiment:
    start_all(actor=actor, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    assert experiment.state == "done", experiment.pause_note
    return experiment


def repeated(run: Run, endpoint: Endpoint, actor: User, arms: str, **choices: Any) -> Experiment:
    return finished(create_arms(actor=actor, run=run, endpoint=endpoint, choices=ArmChoices(arms, **choices)), actor)


def continuing(endpoint_at: EndpointAt, url: str, **values: Any) -> Endpoint:
    return endpoint_at(url, "lab", preset="vllm", limits=ONE_AT_A_TIME, **values)


def images_of(body: Any) -> list[bytes]:
    parts = [part for message in body["messages"] for part in message["content"] or () if isinstance(part, dict)]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.partition(",")[2]) for url in urls]


@pytest.mark.both_databases
def test_the_sham_arm_sends_what_was_sent_and_continues_the_answer(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("2</answer>")) as server:
        repeated(run, continuing(endpoint_at, server.url), lea, "sham:2", samples="id=one")
        first, second = server.seen.bodies()
    asked = run.asked[1]  # type: ignore[attr-defined]
    assert first["messages"][:-1] == asked["messages"]
    assert first["messages"][-1] == {"role": "assistant", "content": ANSWER.partition("2</answer>")[0]}
    assert (first["continue_final_message"], first["add_generation_prompt"], first["stop"]) == (
        True,
        False,
        ["</answer>"],
    )
    assert second["seed"] == first["seed"] + 1
    assert "tools" not in first
    rows = Trajectory.objects.filter(condition="sham@prefix").order_by("rollout")
    assert [(row.rollout, row.answer) for row in rows] == [(0, ANSWER), (1, ANSWER)]
    assert {row.run_id for row in rows} == {run.pk}
    run.refresh_from_db()
    assert run.scoring.trajectories_n == 2, "the arms are in no metric of the run"


def test_a_turn_is_drawn_anew_after_the_last_observation(run: Run, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(spoken("<answer>3</answer>")) as server:
        repeated(run, endpoint_at(server.url, "lab", limits=ONE_AT_A_TIME), lea, "sham:1", estimand="turn")
        bodies = server.seen.bodies()
    asked = run.asked[1::2]  # type: ignore[attr-defined]
    assert [body["messages"] for body in bodies] == [body["messages"] for body in asked]
    assert not any("continue_final_message" in body for body in bodies)
    assert set(Trajectory.objects.filter(condition="sham@turn").values_list("answer", flat=True)) == {
        "<answer>3</answer>"
    }


@pytest.mark.parametrize("arm", ["noise:100", "blank", "blur:16", "random"])
@pytest.mark.endurance
def test_an_arm_of_crops_changes_them_at_their_size_and_nothing_else(
    run: Run, endpoint_at: EndpointAt, lea: User, arm: str
) -> None:
    with serving(spoken("2</answer>")) as server:
        repeated(run, continuing(endpoint_at, server.url), lea, f"sham:1,{arm}x1", samples="id=one")
        sham, changed = server.seen.bodies()
    before, after = images_of(sham), images_of(changed)
    assert before[0] == after[0]
    assert before[1] != after[1]
    assert decode(before[1]).shape == decode(after[1]).shape
    words = [json.dumps(body["messages"], sort_keys=True) for body in (sham, changed)]
    for data in (before[1], after[1]):
        words = [one.replace(base64.b64encode(data).decode(), "") for one in words]
    assert words[0].replace("image/png", "image/jpeg") == words[1].replace("image/png", "image/jpeg")


@pytest.mark.endurance
def test_each_seed_draws_other_noise_and_the_same_again_for_the_same_seed(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("2</answer>")) as server:
        endpoint = continuing(endpoint_at, server.url)
        repeated(run, endpoint, lea, "sham:1,noise:50x2", samples="id=one")
        crops = [images_of(body)[1] for body in server.seen.bodies()[1:]]
        assert crops[0] != crops[1]
        assert not np.array_equal(decode(crops[0]), decode(crops[1]))
        asked = len(server.seen.requests)
        again = repeated(run, endpoint, lea, "sham:1,noise:50x3", samples="id=one")
        assert len(server.seen.requests) == asked + 1, "only the third seed is new"
    assert again.calls == 1


def test_a_mistake_changes_a_stated_fact_before_the_answer(run: Run, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(spoken("2</answer>")) as server:
        repeated(run, continuing(endpoint_at, server.url), lea, "sham:1,mistake-rule:1x1", samples="id=one")
        sham, changed = (body["messages"][-1]["content"] for body in server.seen.bodies())
    assert sham != changed
    assert changed.endswith("<answer>")
    differing = [pair for pair in zip(sham.split(), changed.split(), strict=True) if pair[0] != pair[1]]
    assert len(differing) == 1
    assert not differing[0][0].startswith("2"), "the answer itself is not changed"


def test_an_arm_that_has_nothing_to_change_is_skipped_with_the_reason(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("2</answer>")) as server:
        repeated(run, continuing(endpoint_at, server.url), lea, "sham:1,order:1,gold:1,foreign:1,mistake-judge:1")
    skipped = Attempt.objects.filter(state="skipped").order_by("arm", "pk").values_list("arm", "error")
    assert dict(skipped) == {
        "foreign@prefix": "No other image of the run has a crop.",
        "gold@prefix": "The sample has no gold boxes.",
        "mistake-judge@prefix": "No judge has written a mistake for this trajectory.",
        "order@prefix": "The trajectory has fewer than two crops.",
    }


@pytest.mark.endurance
def test_a_mistake_is_one_that_a_judge_wrote_with_the_chosen_prompt(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    own = create_prompt(
        actor=lea, benchmark=run.benchmark, slug="numbers", role="injector", text="Change a number: {{ reasoning }}"
    )
    for prompt, new in (("numbers@1", "4 of them"), ("injector", "7 of them")):
        changed = json.dumps({"text": f"There are {new}.", "old": "2 of them", "new": new})
        with serving(spoken(changed)) as server:
            judge = endpoint_at(server.url, f"judge-{new[0]}", limits=ONE_AT_A_TIME)
            choices = JudgeChoices("mistake", prompt=prompt, samples="id=one")
            finished(create_judge(actor=lea, run=run, endpoint=judge, choices=choices), lea)
    assert own.slug == "numbers"
    for injector, words in (("", "There are 7 of them."), ("numbers@1", "There are 4 of them.")):
        with serving(spoken("2</answer>")) as server:
            lab = endpoint_at(server.url, f"lab{injector[:7]}", preset="vllm", limits=ONE_AT_A_TIME)
            Trajectory.objects.filter(condition__contains="@").delete()
            made = repeated(run, lab, lea, "sham:1,mistake-judge:1", samples="id=one", injector=injector)
            said = [body["messages"][-1]["content"] for body in server.seen.bodies()]
        assert words in said[-1], injector
        assert made.design["injector"] == injector
    with pytest.raises(InvalidInput) as refused:
        create_arms(actor=lea, run=run, endpoint=lab, choices=ArmChoices("mistake-judge:1", injector="zoom"))
    assert refused.value.field == "injector"


def test_an_endpoint_that_cannot_continue_a_response_is_refused_for_prefix_arms(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("2</answer>")) as server:
        endpoint = endpoint_at(server.url, "hosted", preset="generic")
        with pytest.raises(Conflict, match="cannot continue a response"):
            create_arms(actor=lea, run=run, endpoint=endpoint, choices=ArmChoices())
        endpoint.capabilities = Report("m-1", prefix=Finding(YES)).to_json()
        assert create_arms(actor=lea, run=run, endpoint=endpoint, choices=ArmChoices()).state == "draft"


def test_arms_of_another_recipe_are_not_mixed_into_a_run(run: Run, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(spoken("2</answer>")) as server:
        endpoint = continuing(endpoint_at, server.url)
        repeated(run, endpoint, lea, "sham:1", samples="id=one")
        with pytest.raises(Conflict, match="another endpoint or sampling"):
            create_arms(actor=lea, run=run, endpoint=endpoint, choices=ArmChoices("sham:1", sampling="thinking"))


@pytest.mark.parametrize(
    ("choices", "field"),
    [
        (ArmChoices("beauty"), "arms"),
        (ArmChoices("noise:60"), "arms"),
        (ArmChoices("options", estimand="prefix"), "arms"),
        (ArmChoices("blank", confirm="gold"), "confirm"),
        (ArmChoices(estimand="both"), "estimand"),
        (ArmChoices(margin=0), "margin"),
        (ArmChoices(sampling="wild"), "sampling"),
        (ArmChoices(samples="id=none"), "samples"),
    ],
)
def test_a_wrong_choice_is_named_before_anything_is_created(
    run: Run, endpoint_at: EndpointAt, lea: User, choices: ArmChoices, field: str
) -> None:
    endpoint = continuing(endpoint_at, "http://127.0.0.1:9/v1")
    with pytest.raises(InvalidInput) as refused:
        create_arms(actor=lea, run=run, endpoint=endpoint, choices=choices)
    assert refused.value.field == field
    assert not Experiment.objects.filter(kind="arms").exists()


class Killed(BaseException):
    """The worker is gone: nothing of it is written any more."""


@pytest.mark.slow
@pytest.mark.endurance
def test_lab_resume_does_a_thousand_attempts_once_although_the_worker_is_killed_twice(
    run: Run, endpoint_at: EndpointAt, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    arms = "sham:32,noisex32,blurx32,blank:32,random:32,no-crops:32,no-image:32,filler:32"
    taken, dead = ArmWorker._take, []

    def take(worker: ArmWorker, ask: Any) -> Any:
        if len(server.seen.requests) >= (300, 700, 10_000)[len(dead)]:
            dead.append(worker)
        if worker in dead:
            raise Killed
        return taken(worker, ask)

    monkeypatch.setattr(ArmWorker, "_take", take)
    for name in ("_save_finished", "_give_back"):
        alive = getattr(ArmWorker, name)
        monkeypatch.setattr(ArmWorker, name, lambda one, alive=alive: None if one in dead else alive(one))
    with serving(spoken("2</answer>")) as server:
        endpoint = endpoint_at(server.url, "lab", preset="vllm", limits={"in_flight": 8})
        made = create_arms(actor=lea, run=run, endpoint=endpoint, choices=ArmChoices(arms))
        start_all(actor=lea, experiment=made)
        for _ in range(2):
            with pytest.raises(Killed):
                run_waiting()
            Job.objects.live().exclude(worker="").update(lease_until=timezone.now() - timedelta(hours=1))
        run_waiting()
        asked = len(server.seen.requests)
    made.refresh_from_db()
    assert (made.state, made.attempts.all().counted()) == ("done", {"done": 1024})
    assert Trajectory.objects.filter(condition__endswith="@prefix").count() == 1024
    assert len(dead) == 2
    assert 1024 <= asked <= 1024 + 2 * 2 * 8, "only what was in flight is asked for again"
