"""A trainer sends a whole group and gets its rewards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotation.models import Benchmark, GoldBox
from evaluation.rewards.read.prompts import prompt_of
from evaluation.runner.rollouts import Scheme, SentRollout, calls_at, reward_group
from evaluation.scoring.settings import change_settings, settings_of
from tests.annotation.agreement_data import mugs
from tests.worlds import made_once
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ADDRESS = "/api/v1/benchmarks/kitchen/rewards/groups/"


@made_once
def kitchen(lea: User, ana: User, rui: User) -> Benchmark:
    return mugs(lea, {"annotator": ana, "reviewer": rui})


def program(person: User, *scopes: Scope) -> Client:
    _, secret = create_token(name="trainer", actor=person, scopes=scopes or [Scope.REWARDS])
    return Client(headers={"Authorization": f"Bearer {secret}"})


def sample_with_gold(kitchen: Benchmark) -> tuple[str, list[float]]:
    """A sample with one gold box."""
    rows = GoldBox.objects.filter(revision__gold_of__sample__benchmark=kitchen).order_by("-pk")
    box = rows[0]
    rows.filter(revision=box.revision).exclude(pk=box.pk).delete()
    return box.revision.gold_of.sample.key, [box.x1, box.y1, box.x2, box.y2]


def group(sample: str, *rollouts: dict[str, Any], **more: Any) -> dict[str, Any]:
    rows = [{"rollout": str(n), "acc": 1, "format": 1, **one} for n, one in enumerate(rollouts)]
    return {"group": "g", "sample": sample, "rollouts": rows, **more}


def sent(client: Client, body: Any) -> Any:
    return client.post(ADDRESS, body, "application/json")


def test_a_group_gets_the_rewards_of_the_one_definition_and_no_gold(kitchen: Benchmark, lea: User) -> None:
    change_settings(actor=lea, benchmark=kitchen, values={"alpha": 0.25})
    key, box = sample_with_gold(kitchen)
    body = group(key, {"boxes": [box], "image_tokens": 100}, {"boxes": [None], "image_tokens": 300, "acc": 0})
    answer = sent(program(lea), body)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    rollouts = [
        SentRollout("0", 1, 1, calls=calls_at([box]), image_tokens=100),
        SentRollout("1", 0, 1, calls=calls_at([None]), image_tokens=300),
    ]
    wanted = reward_group("g", rollouts, prompt_of(kitchen, key), Scheme(settings=settings_of(kitchen)))
    assert found["rewards"] == [one.to_json() for one in wanted]
    assert found["settings"]["alpha"] == 0.25
    assert [row["r_final"] for row in found["rewards"]] == [2.5, 1]
    assert [row["calls"] for row in found["rewards"]] == [[1], [-0.05]]
    assert json.dumps(box)[1:-1] not in answer.content.decode()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"sample": "nowhere"}, "sample"),
        ({"dialect": "latin"}, "dialect"),
        ({"family": "cat"}, "family"),
        ({"rollouts": []}, "rollouts"),
    ],
)
def test_an_invalid_group_is_refused_by_field(kitchen: Benchmark, lea: User, change: Any, field: str) -> None:
    key, _ = sample_with_gold(kitchen)
    answer = sent(program(lea), {**group(key, {"boxes": []}), **change})
    assert answer.status_code in (400, 404)
    assert field in answer.json()["error"]["field"]


@pytest.mark.parametrize(
    "rollout",
    [{}, {"boxes": [], "completion": ""}, {"boxes": [[0, 0, 1]]}, {"boxes": [], "acc": "1"}, {"completion": 3}],
)
def test_an_invalid_rollout_is_refused(kitchen: Benchmark, lea: User, rollout: Any) -> None:
    key, _ = sample_with_gold(kitchen)
    assert sent(program(lea), group(key, rollout)).status_code == 400


def test_two_rollouts_of_one_name_are_refused(kitchen: Benchmark, lea: User) -> None:
    key, _ = sample_with_gold(kitchen)
    body = group(key, {"boxes": []}, {"boxes": []})
    body["rollouts"][1]["rollout"] = "0"
    assert sent(program(lea), body).status_code == 400


def test_a_sample_without_gold_needs_verdicts(kitchen: Benchmark, lea: User) -> None:
    key, box = sample_with_gold(kitchen)
    GoldBox.objects.filter(revision__gold_of__sample__key=key).delete()
    refused = sent(program(lea), group(key, {"boxes": [box]}))
    assert (refused.status_code, "no gold boxes" in refused.content.decode()) == (400, True)
    found = sent(program(lea), group(key, {"boxes": [box], "sufficient": True})).json()["rewards"][0]
    assert (found["r_s"], found["r_box"], found["calls"]) == (1, None, None)


def test_only_a_token_with_the_scope_of_rewards_is_answered(kitchen: Benchmark, lea: User, ana: User) -> None:
    key, _ = sample_with_gold(kitchen)
    body = group(key, {"boxes": []})
    assert sent(program(lea, Scope.IMPORT), body).status_code == 403
    assert sent(program(ana), body).status_code == 403
    assert program(lea).get("/api/v1/benchmarks/kitchen/rewards/").status_code == 403
