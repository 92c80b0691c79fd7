"""``manage.py endpoint`` and ``manage.py run``."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Benchmark
from evaluation.models import Endpoint, Experiment, Trajectory
from tests.evaluation.endpoints.server import Answer, serving, spoken

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
