"""The adapters under the calls that trainers make, against a real reward server, and with NumPy alone."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn

from annotation.models import Benchmark, GoldBox, Revision
from evaluation.adapters.rewards import ms_swift, nemo_gym, openrlhf, trl, verl
from evaluation.adapters.rewards.catalogue import ENTRY_POINTS
from evaluation.adapters.rewards.groups import RewardError, reward_rows
from evaluation.management.reward_barrier import Barrier
from evaluation.management.reward_server import RewardServer
from tests.annotation.agreement_data import mugs
from tests.architecture.source import ROOT
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope

CALL = '<tool_call>{"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [%d, 0, 600, 600]}}</tool_call>'
ROW = {
    "sample": "mug", "size": 2, "image_size": [1000, 1000], "gold_boxes": [[0, 0, 500, 500]], "answers": ["A"],
    "options": {"A": "red", "B": "blue"}, "dialect": "qwen3-vl", "family": "qwen3-vl",
}  # fmt: skip
TEXTS = [CALL % 0 + "<answer>A</answer>", CALL % 500 + "<answer>B</answer>"]


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]


def test_every_entry_point_exists():
    for names in ENTRY_POINTS.values():
        for name in names:
            module, _, what = name.rpartition(".")
            assert hasattr(sys.modules[module], what)


def test_the_batch_manager_of_verl_gets_the_rewards_of_whole_groups():
    """Two prompts, mixed: group by ``extra_info["index"]``."""
    columns = {
        "data_sources": ["d"] * 4,
        "solution_strs": [TEXTS[0], TEXTS[0], TEXTS[1], TEXTS[1]],
        "ground_truths": ["A"] * 4,
        "extra_infos": [{**ROW, "index": n % 2} for n in range(4)],
    }
    found = verl.compute_scores(**columns, reward_router_address=None)
    wanted = [one.r_final for one in reward_rows([ROW] * 2, TEXTS)]
    assert [one["score"] for one in found] == [wanted[0], wanted[0], wanted[1], wanted[1]]
    assert wanted[0] > wanted[1]
    assert found[0]["r_acc"] == 1


def test_the_naive_manager_of_verl_is_refused():
    with pytest.raises(RewardError, match="reward_manager=batch"):
        verl.compute_scores(data_source="d", solution_str=TEXTS[0], ground_truth="A", extra_info=ROW)


def test_the_reward_loop_of_verl_finds_a_coroutine_function():
    assert inspect.iscoroutinefunction(verl.compute_score)


def test_trl_gets_whole_groups_without_a_server_and_none_where_not_applicable():
    logged: dict[str, Any] = {}
    columns = {name: [value] * 2 + [None] for name, value in ROW.items()}
    found = asyncio.run(
        trl.sightline_reward(
            prompts=["q"] * 3, completions=[*map(messages, TEXTS), messages("")], completion_ids=[[1]] * 3,
            trainer_state=SimpleNamespace(global_step=3), log_extra=logged.__setitem__, log_metric=logged.__setitem__,
            **columns,
        )
    )  # fmt: skip
    assert found[:2] == [one.r_final for one in reward_rows([ROW] * 2, TEXTS)]
    assert found[2] is None
    assert logged["sightline/r_s"] == 0.5


def test_ms_swift_calls_a_class_that_a_plugin_registers():
    class AsyncORM:
        def __init__(self, args: Any = None, **kwargs: Any) -> None:
            self.args = args

    class Reward(ms_swift.SightlineReward, AsyncORM): ...

    orms = {"sightline": Reward}
    reward = orms["sightline"](args="arguments")
    assert inspect.iscoroutinefunction(type(reward).__call__)
    found = asyncio.run(reward(TEXTS, **{name: [value] * 2 for name, value in ROW.items()}))
    assert found == [one.r_final for one in reward_rows([ROW] * 2, TEXTS)]
    assert reward.args == "arguments"


def test_openrlhf_is_refused_where_groups_cannot_wait():
    with pytest.raises(RewardError, match="remote_rm_url"):
        openrlhf.reward_func(["q"], ["p"], ["l"])
    assert json.loads(openrlhf.label_of(ROW)) == {name: ROW[name] for name in ("sample", "size", "dialect", "family")}


def test_an_incomplete_group_is_refused_without_a_server(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SIGHTLINE_REWARDS_URL", raising=False)
    with pytest.raises(RewardError, match="incomplete"):
        reward_rows([ROW], TEXTS[:1])
    with pytest.raises(RewardError, match="SIGHTLINE_REWARDS_URL"):
        asyncio.run(trl.sightline_reward(["q"], TEXTS[:1], **{name: [value] for name, value in ROW.items()}))


BLOCKED = """
import sys
from importlib import import_module
allowed = set(sys.stdlib_module_names) | {"numpy", "annotation", "evaluation"}
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(f"{name} is not installed")
sys.meta_path.insert(0, Block())
for name in ("catalogue", "groups", "verl", "trl", "ms_swift", "openrlhf", "nemo_gym"):
    import_module(f"evaluation.adapters.rewards.{name}")
from evaluation.adapters.rewards.groups import reward_rows
row = {"sample": "a", "size": 1, "image_size": [100, 100], "gold_boxes": [[0, 0, 50, 50]], "acc": 1, "format": 1}
print(reward_rows([row], ["text"])[0].r_final)
"""


def test_the_adapters_need_numpy_alone():
    done = subprocess.run([sys.executable, "-c", BLOCKED], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "2.0"), done.stderr


@pytest.fixture
def sample(lea: User, ana: User, rui: User) -> Any:
    benchmark: Benchmark = mugs(lea, {"annotator": ana, "reviewer": rui})
    return benchmark.samples.filter(gold__isnull=False).order_by("key")[0]


@pytest.fixture
def row(sample: Any, lea: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A row of the data, while a reward server runs."""
    boxes = GoldBox.objects.filter(revision__gold_of__sample=sample).values_list("x1", "y1", "x2", "y2")
    gold = Revision.objects.get(gold_of__sample=sample)
    found = {
        "sample": sample.key, "size": 2, "image_size": [sample.width, sample.height], "gold_boxes": list(boxes),
        "answers": gold.answers, "options": gold.options, "dialect": "qwen3-vl", "family": "qwen3-vl",
    }  # fmt: skip
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(RewardServer(Barrier(wait=10)), log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    port = listening.getsockname()[1]
    monkeypatch.setenv("SIGHTLINE_REWARDS_URL", f"http://127.0.0.1:{port}/api/v1/benchmarks/kitchen/rewards")
    monkeypatch.setenv("SIGHTLINE_REWARDS_TOKEN", create_token(name="t", actor=lea, scopes=[Scope.REWARDS])[1])
    yield found
    server.should_exit = True
    thread.join()


database = pytest.mark.django_db(transaction=True)
one_database = pytest.mark.one_database


@database
@one_database
def test_the_reward_loop_of_verl_waits_at_the_server(row: dict[str, Any]) -> None:
    """It names no rollouts. Both numbers are those of the batch."""

    async def loop() -> Any:
        info = {**row, "index": 7}
        return await asyncio.gather(*(verl.compute_score("d", text, row["answers"], info) for text in TEXTS))

    found = asyncio.run(loop())
    wanted = reward_rows([row] * 2, TEXTS)
    assert [one["score"] for one in found] == pytest.approx([one.r_final for one in wanted], abs=1e-12)


@database
@one_database
def test_two_processes_of_trl_meet_at_the_server(row: dict[str, Any]) -> None:
    """Each holds half of the group."""

    async def both() -> Any:
        columns = {name: [value] for name, value in row.items()}
        first = asyncio.ensure_future(trl.sightline_reward(["q"], [messages(TEXTS[0])], **columns))
        await asyncio.sleep(0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RANK", "1")
            second = asyncio.ensure_future(trl.sightline_reward(["q"], [messages(TEXTS[1])], **columns))
            await asyncio.sleep(0)
        return await asyncio.gather(first, second)

    wanted = [[pytest.approx(one.r_final, abs=1e-12)] for one in reward_rows([row] * 2, TEXTS)]
    assert asyncio.run(both()) == wanted


@database
@one_database
def test_nemo_gym_verifies_at_the_server(row: dict[str, Any]) -> None:
    class Server(nemo_gym.SightlineVerifier):
        response_type = SimpleNamespace

    def body(n: int) -> Any:
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": TEXTS[n]}]}]
        given = {**row, "rollout": n, "response": {"output": output}}
        return SimpleNamespace(model_dump=lambda: given)

    async def run() -> Any:
        return await asyncio.gather(*(Server().verify(body(n)) for n in range(2)))

    wanted = [one.r_final for one in reward_rows([row] * 2, TEXTS)]
    for found, final in zip(asyncio.run(run()), wanted, strict=True):
        assert found.reward == pytest.approx(final, abs=1e-12)
        assert sum(found.reward_components.values()) == pytest.approx(found.reward)
        assert found.sample == row["sample"]


@database
@one_database
def test_a_wrong_token_is_an_error_that_says_so(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGHTLINE_REWARDS_TOKEN", "sightline_wrong")
    with pytest.raises(RewardError, match="401"):
        asyncio.run(verl.compute_score("d", TEXTS[0], "A", row))
