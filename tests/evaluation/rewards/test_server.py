"""The barrier over HTTP: tokens, waiting requests, late groups, and the requests of OpenRLHF."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from annotation.models import Benchmark, GoldBox, Revision
from evaluation.management.reward_barrier import Barrier
from evaluation.management.reward_server import RewardServer
from tests.annotation.agreement_data import mugs
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
PATH = "/api/v1/benchmarks/kitchen/rewards/"


@pytest.fixture
def kitchen(lea: User, ana: User, rui: User) -> Benchmark:
    return mugs(lea, {"annotator": ana, "reviewer": rui})


def token(person: User, *scopes: Scope) -> str:
    return create_token(name="trainer", actor=person, scopes=scopes or [Scope.REWARDS])[1]


def sent(secret: str, *bodies: Any, door: str = "rollouts", wait: float = 20, path: str = PATH) -> list[Any]:
    """The answers to requests that are sent at once to a server of their own."""

    async def run() -> list[Any]:
        transport = httpx.ASGITransport(RewardServer(Barrier(wait)))
        async with httpx.AsyncClient(transport=transport, base_url="http://rewards") as client:
            headers = {"Authorization": f"Bearer {secret}"} if secret else {}
            asked = [client.post(f"{path}{door}/", json=body, headers=headers, timeout=30) for body in bodies]
            return await asyncio.gather(*asked)

    return asyncio.run(run())


def sample_of(kitchen: Benchmark) -> Any:
    return kitchen.samples.filter(gold__isnull=False).order_by("key")[0]


def rollout(kitchen: Benchmark, n: int, size: int = 8, **more: Any) -> dict[str, Any]:
    boxes = [[10 * n, 100, 200, 200]]
    return {
        "trainer": "t", "group": "g", "size": size, "rollout": str(n), "sample": sample_of(kitchen).key, "boxes": boxes,
        "acc": n % 2, "format": 1,
    } | more  # fmt: skip


def test_eight_requests_get_the_numbers_of_the_api(kitchen: Benchmark, lea: User, client: Any) -> None:
    bodies = [rollout(kitchen, n) for n in range(8)]
    answers = sent(token(lea), *bodies)
    assert [one.status_code for one in answers] == [200] * 8, answers[0].text
    rows = [{name: one[name] for name in ("rollout", "boxes", "acc", "format")} for one in bodies]
    batch = client.post(
        f"{PATH}groups/", {"group": "g", "sample": bodies[0]["sample"], "rollouts": rows}, "application/json",
        headers={"Authorization": f"Bearer {token(lea)}"},
    ).json()  # fmt: skip
    for answer, wanted in zip(answers, batch["rewards"], strict=True):
        found = answer.json()["reward"]
        calls, wanted_calls = found.pop("calls"), wanted.pop("calls")
        assert calls == pytest.approx(wanted_calls, abs=1e-12)
        assert found == {name: pytest.approx(value, abs=1e-12) if name != "rollout" else value
                         for name, value in wanted.items()}  # fmt: skip
        assert answer.json()["settings"] == batch["settings"]


def test_a_late_group_is_408_with_what_is_known(kitchen: Benchmark, lea: User) -> None:
    [answer] = sent(token(lea), rollout(kitchen, 1), wait=0.05)
    body = answer.json()
    assert (answer.status_code, body["error"]["code"], body["arrived"], body["size"]) == (408, "late", ["1"], 8)
    assert (body["known"]["r_acc"], body["known"]["r_m"]) == (1, None)


def test_other_content_is_409_and_gold_is_never_sent(kitchen: Benchmark, lea: User) -> None:
    first = rollout(kitchen, 1)
    answers = sent(token(lea), first, {**first, "acc": 0}, wait=1)
    assert sorted(one.status_code for one in answers) == [408, 409]
    box = GoldBox.objects.filter(revision__gold_of__sample=sample_of(kitchen))[0]
    assert all(f"{box.x1:g}, {box.y1:g}" not in one.text for one in answers)


@pytest.mark.parametrize(
    ("change", "status"),
    [({"size": 0}, 400), ({"sample": "nowhere"}, 404), ({"acc": None}, 400), ({"boxes": [[1]]}, 400)],
)
def test_an_invalid_rollout_is_refused(kitchen: Benchmark, lea: User, change: Any, status: int) -> None:
    [answer] = sent(token(lea), rollout(kitchen, 1, **change))
    assert answer.status_code == status, answer.text


def test_without_a_fitting_token_nothing_is_answered(kitchen: Benchmark, lea: User, ana: User, sam: User) -> None:
    body = rollout(kitchen, 0, size=1)
    secrets = ["", "sightline_wrong", token(lea, Scope.IMPORT), token(ana), token(sam), token(lea)]
    assert [sent(secret, body)[0].status_code for secret in secrets] == [401, 401, 403, 403, 404, 200]
    assert sent(token(lea), body, path="/elsewhere/")[0].status_code == 404


def test_openrlhf_gets_rewards_scores_and_logs(kitchen: Benchmark, lea: User) -> None:
    """Two rollouts of one prompt, with r_acc and r_format by rule; one text is no JSON of a call, so it has no crop."""
    sample = sample_of(kitchen)
    gold = Revision.objects.get(gold_of__sample=sample).answers[0]
    label = json.dumps({"sample": sample.key, "size": 2, "dialect": "qwen3-vl"})
    call = '<tool_call>{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [0, 0, 900, 900]}}</tool_call>'
    texts = [f"{call}<tool_response>x</tool_response><answer>{gold}</answer>", "<answer>nothing like it</answer>"]
    bodies = [{"query": f"Question?{text}", "prompts": "Question?", "labels": label} for text in texts]
    first, second = (one.json() for one in sent(token(lea), *bodies, door="openrlhf"))
    assert (first["scores"], second["scores"]) == (1, 0)
    assert first["rewards"] > second["rewards"]
    assert first["extra_logs"]["r_box"] > second["extra_logs"]["r_box"] == 0
    batch = {name: [body[name] for body in bodies] for name in ("query", "prompts", "labels")}
    [together] = sent(token(lea), batch, door="openrlhf")
    assert together.json()["rewards"] == [first["rewards"], second["rewards"]]
    [refused] = sent(token(lea), {"query": "a", "prompts": "a", "labels": "kitchen"}, door="openrlhf")
    assert refused.status_code == 400
