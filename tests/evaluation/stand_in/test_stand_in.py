"""The stand-in over real HTTP, asked by the client and the runner of the product."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from annotation.outgoing.addresses import LOOPBACK
from evaluation.endpoints.client import Client, Settings
from evaluation.endpoints.errors import CallFailed
from evaluation.endpoints.exchange import Timeouts
from evaluation.stand_in.faults import FAULTS, Fault, faults_of
from evaluation.stand_in.server import Options, StandIn
from tests.evaluation.stand_in.attempts import RECORDED, recorded, row_of

ANSWERED = [one for one in RECORDED.samples if one.row.get("options")]
PLANNED = [one for one in RECORDED.samples if one.row.get("targets")]
PATIENCE = {"retries": 1, "timeouts": Timeouts(silence=1.5)}
DIALECTS = ("tools", "qwen3-vl", "qwen2.5-vl", "pixel-reasoner", "json")


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with StandIn(RECORDED) as running:
        yield running


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_agent_zooms_where_its_recorded_run_did_in_every_dialect(stand_in: StandIn, dialect: str) -> None:
    known = ANSWERED[0]
    row = row_of(stand_in, known, "zoom", dialect=dialect)
    assert row["answer"] == recorded(known)["answer"]
    wanted = [step["bbox"] for step in recorded(known)["steps"]]
    found = [step.get("bbox") for step in row["steps"]]
    assert len(found) == len(wanted)
    for got, want in zip(found, wanted, strict=True):
        assert got == pytest.approx(want, abs=2)


@pytest.mark.parametrize("dialect", ["tools", "vtc"])
def test_an_agent_crops_with_the_toolbox(stand_in: StandIn, dialect: str) -> None:
    known = ANSWERED[0]
    row = row_of(stand_in, known, "interface", dialect=dialect)
    assert row["answer"] == recorded(known)["answer"]
    assert [step["ok"] for step in row["steps"]] == [True] * len(recorded(known)["steps"])


@pytest.mark.parametrize("agent", ["center zoom", "random zoom", "whole image"])
def test_each_agent_gives_its_own_answers(stand_in: StandIn, agent: str) -> None:
    for known in ANSWERED[:8]:
        assert row_of(stand_in, known, "base", agent)["answer"] == recorded(known, agent)["answer"]


def test_plans_are_those_of_the_recorded_run(stand_in: StandIn) -> None:
    known = PLANNED[0]
    for protocol in ("recognition", "plan"):
        name = f"predicted_tools_{protocol}"
        assert row_of(stand_in, known, protocol)[name] == recorded(known)[name]


def test_an_unknown_question_gets_no_invented_answer(stand_in: StandIn) -> None:
    reply = ask(stand_in, "Where is Waldo?").json()
    assert "does not know" in reply["choices"][0]["message"]["content"]


def test_models_and_counts_are_listed_and_other_models_refused(stand_in: StandIn) -> None:
    models = httpx.get(f"{stand_in.base_url}/models").json()["data"]
    assert {one["id"] for one in models} == set(RECORDED.runs)
    assert ask(stand_in, "Hi", model="gpt").status_code == 404
    assert httpx.get(stand_in.base_url.replace("/v1", "/stand-in/counts")).json()["requests"] > 0


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
@pytest.mark.endurance
def test_every_fault_is_met_by_the_client_with_its_kind(fault: Fault) -> None:
    known = ANSWERED[0]
    with StandIn(RECORDED, Options(faults=[fault], rate=1.0)) as running:
        row = row_of(running, known, "interface", patience=PATIENCE)
        assert running.counts.faults[fault.name] > 0
    assert str(row.get("error", "")).partition(":")[0] == fault.kind


@pytest.mark.parametrize(
    "fault", [FAULTS["rate"], FAULTS["error-503"], FAULTS["cut"], FAULTS["reset"]], ids=lambda fault: fault.name
)
def test_a_retry_succeeds_where_a_fault_comes_once(fault: Fault) -> None:
    known = ANSWERED[0]
    with StandIn(RECORDED, Options(faults=[fault], rate=0.5)) as running:
        row = row_of(running, known, "base")
    assert row["answer"] == recorded(known)["answer"]


def test_an_unknown_fault_is_refused_with_the_list() -> None:
    assert list(faults_of("rate,cut")) == [FAULTS["rate"], FAULTS["cut"]]
    with pytest.raises(ValueError, match="trickle"):
        faults_of("rate,none")


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"model": "oracle zoom"}', b'{"model": 1, "messages": [{}]}'])
def test_a_request_of_another_form_is_answered_with_400(stand_in: StandIn, body: bytes) -> None:
    answer = httpx.post(f"{stand_in.base_url}/chat/completions", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


def ask(running: StandIn, text: str, model: str = "oracle zoom") -> httpx.Response:
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    return httpx.post(f"{running.base_url}/chat/completions", content=json.dumps(body))


def test_a_failed_call_names_its_kind() -> None:
    with StandIn(RECORDED, Options(faults=[FAULTS["key"]], rate=1.0)) as running:
        settings = Settings(running.base_url, "oracle zoom", allowed_hosts=LOOPBACK)
        with Client(settings) as client, pytest.raises(CallFailed) as failed:
            client.complete({"messages": [{"role": "user", "content": "Hi"}]}, lambda _: (b"", ""))
    assert failed.value.kind == "auth"
