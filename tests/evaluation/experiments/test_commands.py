"""``manage.py endpoint``, ``manage.py run`` and ``manage.py experiment``."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Benchmark
from evaluation.models import Endpoint, Experiment, Trajectory
from tests.evaluation.endpoints.server import Answer, serving, spoken

pytestmark = pytest.mark.one_database

TWO = spoken("<answer>2</answer>")


def printed(*arguments: str, **options: Any) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, **options)
    return out.getvalue()


def added(url: str) -> None:
    printed("endpoint", "add", "local", base_url=url, model="m-1", benchmark="kitchen")


def test_an_endpoint_is_added_listed_tested_and_removed(benchmark: Benchmark) -> None:
    with serving(TWO) as server:
        added(server.url)
        assert f"local  {server.url}  m-1  kitchen  no price" in printed("endpoint", "list", benchmark="kitchen")
        found = printed("endpoint", "test", "local", benchmark="kitchen")
        assert len(server.seen.requests) <= 14
    assert "authentication: yes" in found
    assert Endpoint.objects.get().checked_at is not None
    printed("endpoint", "remove", "local", benchmark="kitchen")
    assert not Endpoint.objects.exists()


def test_a_command_without_its_name_or_with_an_unknown_one_is_told_what_there_is(benchmark: Benchmark) -> None:
    for arguments, words in ((("add",), "Name the endpoint"), (("test", "none"), "Endpoints: none")):
        with pytest.raises(CommandError, match=words):
            printed("endpoint", *arguments)
    with pytest.raises(CommandError, match="not public"):
        printed("endpoint", "add", "inside", base_url="https://10.0.0.1/v1", model="m")


@pytest.mark.both_databases
def test_a_run_waits_to_its_end_and_says_what_came_of_it(benchmark: Benchmark) -> None:
    with serving(TWO) as server:
        added(server.url)
        said = printed("run", "kitchen", endpoint="local", protocol="base", wait=True)
    assert "Done: 2 done" in said
    assert Trajectory.objects.count() == 2


def test_a_dry_run_prints_the_first_request_and_sends_nothing(benchmark: Benchmark) -> None:
    with serving(TWO) as server:
        added(server.url)
        said = printed("run", "kitchen", endpoint="local", protocol="base", dry_run=True)
        assert not server.seen.requests
    body, _, rest = said.rpartition("\n}\n")
    assert json.loads(body + "\n}")["model"] == "m-1"
    assert "2 attempts" in rest
    assert not Experiment.objects.exists()


@pytest.mark.parametrize(("status", "code"), [(400, 2), (401, 3)])
def test_the_exit_status_tells_failed_attempts_from_a_pause(benchmark: Benchmark, status: int, code: int) -> None:
    with serving(Answer(status, json.dumps({"error": {"message": "no"}}).encode())) as server:
        added(server.url)
        with pytest.raises(SystemExit) as ended:
            printed("run", "kitchen", endpoint="local", protocol="base", wait=True)
    assert ended.value.code == code


def test_an_experiment_is_listed_shown_and_changed(benchmark: Benchmark) -> None:
    with serving(TWO) as server:
        added(server.url)
        printed("run", "kitchen", endpoint="local", protocol="base")
        number = Experiment.objects.get().pk
        assert f"{number}  kitchen  m-1, base  Running" in printed("experiment", "list", benchmark="kitchen")
        assert "Paused" in printed("experiment", "pause", str(number))
        shown = printed("experiment", "show", str(number))
        assert "state: Paused" in shown
        assert "accuracy of the run: n/a" in shown
        assert "Done: 2 done" in printed("experiment", "resume", str(number), wait=True)
    [row] = [json.loads(line) for line in printed("experiment", "list", json=True).splitlines()]
    assert (row["id"], row["benchmark"], row["state"], row["calls"]) == (number, "kitchen", "done", 2)
    whole = json.loads(printed("experiment", "show", str(number), json=True))
    assert (whole["attempts"], whole["accuracy"]) == ({"done": 2}, 1.0)
    with pytest.raises(CommandError, match="The experiment is done now"):
        printed("experiment", "stop", str(number))


def test_failed_attempts_are_retried(benchmark: Benchmark) -> None:
    refused = Answer(400, json.dumps({"error": {"message": "no"}}).encode())
    with serving(refused, refused, TWO) as server:
        added(server.url)
        with pytest.raises(SystemExit):
            printed("run", "kitchen", endpoint="local", protocol="base", wait=True)
        number = str(Experiment.objects.get().pk)
        assert "failures: 2 input_rejected" in printed("experiment", "show", number)
        assert "Done: 2 done" in printed("experiment", "retry", number, wait=True)
        with pytest.raises(CommandError, match="No attempt of this experiment failed"):
            printed("experiment", "retry", number)


def test_an_experiment_without_its_number_or_with_an_unknown_one_is_refused(benchmark: Benchmark) -> None:
    for arguments, words in ((("show",), "Name the experiment"), (("pause", "77"), "There is no experiment 77")):
        with pytest.raises(CommandError, match=words):
            printed("experiment", *arguments)
