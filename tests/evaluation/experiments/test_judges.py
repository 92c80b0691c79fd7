"""A model judges the trajectories of a run: what it is asked, what its votes come to, and what is not asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from annotation.models import Benchmark
from evaluation.experiments.present.exchanges import images_in
from evaluation.experiments.read.attempts import attempts_known_to
from evaluation.experiments.read.exchanges import exchange_lines
from evaluation.experiments.write.judges import JudgeChoices, create_judge
from evaluation.experiments.write.states import start_all
from evaluation.models import (
    Attempt,
    Endpoint,
    Exchange,
    Experiment,
    Judgement,
    JudgingItem,
    JudgingQueue,
    Run,
    Trajectory,
)
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import serving, spoken
from tests.evaluation.experiments.conftest import Make
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
ONE_AT_A_TIME = {"in_flight": 1}


@pytest.fixture
def run(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> Run:
    """One trajectory per sample: a crop, then the answer "two"."""
    arguments = json.dumps({"image": "original", "x": 80, "y": 40, "width": 60, "height": 60})
    call: Any = {"id": "c1", "type": "function", "function": {"name": "crop", "arguments": arguments}}
    crop, answer = spoken(None, calls=[call]), spoken("<answer>about two shapes</answer>")
    with serving(crop, answer, crop, answer) as server:
        finished(experiment_on(endpoint_at(server.url, "asked", limits=ONE_AT_A_TIME), "interface"), lea)
    return Run.objects.get()


def finished(experiment: Experiment, actor: User) -> Experiment:
    start_all(actor=actor, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    assert experiment.state == "done", experiment.pause_note
    return experiment


def judged(run: Run, endpoint: Endpoint, actor: User, question: str, **choices: Any) -> Experiment:
    made = create_judge(actor=actor, run=run, endpoint=endpoint, choices=JudgeChoices(question, **choices))
    return finished(made, actor)


def test_a_judge_of_reliability_sees_the_crops_and_neither_the_model_nor_the_gold(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("Yes, they do."), spoken("no")) as server:
        judged(run, endpoint_at(server.url, "judge", model="j-1", limits=ONE_AT_A_TIME), lea, "reliability")
        bodies = server.seen.bodies()
    assert len(bodies) == 2
    for body in bodies:
        [message] = body["messages"]
        kinds = [part["type"] for part in message["content"]]
        assert kinds == ["image_url", "text"]
        assert "about two shapes" in message["content"][1]["text"]
        assert "m-1" not in json.dumps({**body, "model": ""})
    rows = Judgement.objects.order_by("sample__key").values_list("kind", "judge", "verdict", "person", "decides")
    assert list(rows) == [("reliability", "j-1", "yes", None, False), ("reliability", "j-1", "no", None, False)]
    run.refresh_from_db()
    metric = run.scoring.metrics.get(metric="reliability", slice_by="")
    assert (metric.value, metric.n) == (0.5, 2)


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        (("yes", "yes", "no"), "yes"),
        (("yes", "no", "no"), "no"),
        (("yes", "no", "it depends"), "undecided"),
        (("perhaps", "", "yes"), "undecided"),
    ],
)
def test_a_verdict_is_what_most_votes_say(
    run: Run, endpoint_at: EndpointAt, lea: User, votes: tuple[str, ...], verdict: str
) -> None:
    answers = [spoken(vote or "?") for vote in votes]
    with serving(*answers) as server:
        endpoint = endpoint_at(server.url, "judge", model="j-1", limits=ONE_AT_A_TIME)
        judged(run, endpoint, lea, "reliability", votes=3, samples="id=one")
    found = Judgement.objects.get()
    assert found.verdict == verdict
    read = [vote if vote in ("yes", "no") else None for vote in votes]
    assert found.extra["votes"] == read
    assert [
        one.result["verdict"] for one in Attempt.objects.filter(experiment__kind="judge").order_by("rollout")
    ] == read


@pytest.mark.both_databases
@pytest.mark.endurance
def test_a_second_pass_of_the_same_judge_sends_no_request(run: Run, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(spoken("yes")) as server:
        endpoint = endpoint_at(server.url, "judge", model="j-1")
        judged(run, endpoint, lea, "reliability")
        asked = len(server.seen.requests)
        judged(run, endpoint, lea, "reliability", votes=3)
        assert len(server.seen.requests) == 3 * asked
        again = judged(run, endpoint, lea, "reliability", votes=3)
        assert len(server.seen.requests) == 3 * asked
    assert again.calls == 0
    assert Judgement.objects.count() == 2


def test_the_two_answers_change_places_and_a_verdict_decides_an_open_answer(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    assert run.scoring.metrics.get(metric="accuracy", slice_by="").value == 0
    with serving(spoken("yes")) as server:
        endpoint = endpoint_at(server.url, "judge", model="j-1", limits=ONE_AT_A_TIME)
        judged(run, endpoint, lea, "answer", votes=3, samples="id=one")
        texts = [body["messages"][0]["content"] for body in server.seen.bodies()]
    firsts = [text.split("First answer: ")[1].split("\n")[0] for text in texts]
    assert firsts == ["about two shapes", "2", "about two shapes"]
    given, decision = Judgement.objects.order_by("decides")
    assert (given.verdict, decision.verdict) == ("yes", "same")
    run.refresh_from_db()
    assert run.scoring.metrics.get(metric="accuracy", slice_by="").value == 0.5


def test_a_failed_vote_is_no_verdict(run: Run, endpoint_at: EndpointAt, lea: User) -> None:
    with serving(spoken("yes"), spoken(refusal="I cannot judge this.", content=None), spoken("yes")) as server:
        endpoint = endpoint_at(server.url, "judge", model="j-1", limits=ONE_AT_A_TIME)
        judged(run, endpoint, lea, "reliability", votes=3, samples="id=one")
    assert not Judgement.objects.exists()
    assert Attempt.objects.filter(error_kind="refusal").count() == 1


def test_a_trajectory_without_a_crop_in_a_known_place_is_skipped(run: Run, endpoint_at: EndpointAt, lea: User) -> None:
    Trajectory.objects.filter(sample__key="two").get().steps.update(image_in="image_9")
    with serving(spoken("yes")) as server:
        judged(run, endpoint_at(server.url, "judge", model="j-1"), lea, "sufficiency")
        assert len(server.seen.requests) == 1
    assert Attempt.objects.filter(experiment__kind="judge", state="skipped").count() == 1


def test_what_fits_no_trajectory_is_said_before_anything_is_created(
    benchmark: Benchmark, run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1", "judge")
    for choices, field in (
        (JudgeChoices("tool-map"), "samples"),
        (JudgeChoices("beauty"), "question"),
        (JudgeChoices("reliability", votes=2), "votes"),
        (JudgeChoices("reliability", prompt="nothing"), "prompt"),
        (JudgeChoices("reliability", images="huge"), "images"),
    ):
        with pytest.raises(InvalidInput) as refused:
            create_judge(actor=lea, run=run, endpoint=endpoint, choices=choices)
        assert refused.value.field == field
    assert not Experiment.objects.filter(kind="judge").exists()


@pytest.mark.endurance
def test_a_person_who_still_judges_a_sample_does_not_get_the_verdict_of_the_judge_on_it(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("yes"), spoken("no")) as server:
        made = judged(run, endpoint_at(server.url, "judge", limits=ONE_AT_A_TIME), lea, "reliability")
    trajectory = Trajectory.objects.get(sample__key="one")
    queue = JudgingQueue.objects.create(benchmark=run.benchmark, people=1, seed="x", drawn_from=1, created_by=lea)
    item = JudgingItem.objects.create(queue=queue, trajectory=trajectory, kind="reliability")
    assert [one.sample.key for one in attempts_known_to(lea, made)] == ["two"]
    assert len(list(exchange_lines(made, lea))) == 1
    withheld = made.attempts.get(sample__key="one")
    client = signed_in(lea)
    page = f"/benchmarks/kitchen/experiments/{made.pk}/attempts/{withheld.pk}/"
    listed = client.get(f"/benchmarks/kitchen/experiments/{made.pk}/")
    assert listed.status_code == 200
    assert f"attempts/{withheld.pk}/" not in listed.content.decode()
    assert client.get(page).status_code == 404
    exchanges = Exchange.objects.filter(attempt__experiment=made)
    [sha] = images_in(exchanges.get(attempt=withheld).request)
    address = f"/benchmarks/kitchen/experiments/{made.pk}/images/{sha}/"
    assert client.get(address).status_code == 200, "the other request names the same image"
    exchanges.exclude(attempt=withheld).update(request=b"{}")
    assert client.get(address).status_code == 404
    item.delete()
    assert client.get(address).status_code == 200
    assert len(list(exchange_lines(made, lea))) == 2
    assert client.get(page).status_code == 200


@pytest.mark.endurance
def test_the_api_tells_nothing_of_attempts_that_a_person_still_judges(
    run: Run, endpoint_at: EndpointAt, lea: User
) -> None:
    with serving(spoken("yes"), spoken("no")) as server:
        made = judged(run, endpoint_at(server.url, "judge", limits=ONE_AT_A_TIME), lea, "reliability")
    trajectory = Trajectory.objects.get(sample__key="one")
    queue = JudgingQueue.objects.create(benchmark=run.benchmark, people=1, seed="x", drawn_from=1, created_by=lea)
    item = JudgingItem.objects.create(queue=queue, trajectory=trajectory, kind="reliability")
    client, base = signed_in(lea), f"/api/v1/benchmarks/kitchen/experiments/{made.pk}/"
    withheld = made.attempts.get(sample__key="one")
    exchange = withheld.exchanges.get()
    sha256 = next(iter(images_in(exchange.request)))
    exchanges = f"{base}attempts/{withheld.pk}/exchanges/"
    hidden = [exchanges, f"{exchanges}{exchange.n}/images/{sha256}/"]

    def told() -> tuple[list[str], dict[str, int], int, int]:
        rows = client.get(f"{base}attempts/").json()["results"]
        row = client.get(base).json()
        lines = b"".join(client.get(f"{base}exchanges/").streaming_content).splitlines()
        return [one["sample"] for one in rows], row["attempts"], row["tokens"]["output"], len(lines)

    names, counts, tokens, lines = told()
    assert (names, counts, lines) == (["two"], {"done": 1}, 1)
    assert [client.get(address).status_code for address in hidden] == [404, 404]
    page = client.get(f"/benchmarks/kitchen/experiments/{made.pk}/")
    assert page.context["progress"].counts == {"done": 1}
    item.delete()
    names, counts, all_tokens, lines = told()
    assert (names, counts, lines) == (["one", "two"], {"done": 2}, 2)
    assert all_tokens > tokens
    assert [client.get(address).status_code for address in hidden] == [200, 200]
