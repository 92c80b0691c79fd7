"""The export of exchanges: the same lines on the page, over the API and from the command."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from annotation.models import Benchmark
from evaluation.experiments.read.exchanges import exchange_lines
from evaluation.experiments.write.endpoints import test_endpoint as check_endpoint
from evaluation.experiments.write.states import resume, start_all
from evaluation.models import Attempt, Endpoint, Exchange, Experiment
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving, spoken
from tests.evaluation.experiments.conftest import Make
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
TWO = spoken("<answer>2</answer>")
SECRET = "sk-planted-0123456789"
AT = "benchmarks/kitchen/experiments"


def run_all(experiment: Experiment, lea: User) -> Experiment:
    start_all(actor=lea, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def test_page_api_and_command_give_the_same_lines(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, tmp_path: Path
) -> None:
    with serving(TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url)), lea)
        sent = server.seen.bodies()
    client, file = signed_in(lea), tmp_path / "out.jsonl"
    page = client.get(f"/{AT}/{experiment.pk}/")
    assert f"/{AT}/{experiment.pk}/exchanges.jsonl" in page.content.decode()
    for flags, query in (((), {}), (("--images",), {"images": "yes"})):
        call_command("experiment", "export", str(experiment.pk), *flags, output=file)
        for address in (f"/{AT}/{experiment.pk}/exchanges.jsonl", f"/api/v1/{AT}/{experiment.pk}/exchanges/"):
            answer = client.get(address, query)
            assert b"".join(answer.streaming_content) == file.read_bytes()  # type: ignore[attr-defined]
            assert f"experiment-{experiment.pk}.openai-chat.jsonl" in answer["Content-Disposition"]
    requests = [line["request"] for line in lines_of(file.read_bytes())]
    assert sorted(map(json.dumps, requests)) == sorted(map(json.dumps, sent))


def test_a_line_has_both_bodies_and_what_is_known_of_them(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url)
        first = run_all(experiment_on(endpoint, samples="id=one"), lea)
        again = run_all(experiment_on(endpoint, samples="id=one"), lea)
    [line] = lines_of(b"".join(exchange_lines(first, None)))
    [attempt] = first.attempts.all()
    assert (line["sample"], line["rollout"], line["attempt_state"]) == ("one", 0, "done")
    assert (line["status"], line["input_tokens"], line["output_tokens"]) == (200, 100, 7)
    assert line["response"] == json.loads(TWO.body)
    assert "sha256:" in json.dumps(line["request"])
    assert "base64" not in json.dumps(line["request"])
    [linked] = lines_of(b"".join(exchange_lines(again, None)))
    assert linked["reused_from"] == attempt.pk
    assert linked["request"] == line["request"]


def test_a_response_that_is_no_json_is_kept_as_text(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> None:
    with serving(Answer(400, b"<h1>no</h1>"), TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url), samples="id=one"), lea)
    [line] = lines_of(b"".join(exchange_lines(experiment, None)))
    assert (line["response"], line["state"], line["attempt_state"]) == ("<h1>no</h1>", "failed", "failed")
    for body in (b'{"a": NaN}', b'{"a": 1e999}', b"[" * 100_000, b"data: {}\n\n", b'"\xff"'):
        Exchange.objects.update(response=body)
        [line] = lines_of(b"".join(exchange_lines(experiment, None)))
        assert isinstance(line["response"], str)


def test_the_key_of_the_endpoint_is_in_no_line(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, settings: Any
) -> None:
    pytest.importorskip("cryptography")
    settings.SEAL_KEY = "s" * 40
    with serving(Answer(400, f'{{"error": "bad key {SECRET}"}}'.encode()), TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, key=SECRET)), lea)
        assert SECRET in str(server.seen.requests)
    made = b"".join(exchange_lines(experiment, None, images=True))
    assert lines_of(made)
    assert SECRET.encode() not in made


@pytest.mark.endurance
@pytest.mark.both_databases
def test_no_secrets_in_files_tables_exports_copies_logs_and_errors_of_jobs(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User, settings: Any, tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """The endpoint repeats its key in errors, answers and headers; its test and a run fail and succeed."""
    pytest.importorskip("cryptography")
    caplog.set_level(logging.DEBUG)
    settings.SEAL_KEY = "s" * 40
    said = [
        Answer(401, f'{{"error": "bad key {SECRET}"}}'.encode(), headers={"X-Echo": SECRET}),
        Answer(500, f"<p>{SECRET}".encode(), "text/html"),
        spoken(f"<answer>{SECRET}</answer>"),
        TWO,
    ]
    with serving(*said) as server:
        endpoint = endpoint_at(server.url, key=SECRET, limits={"in_flight": 1})
        experiment = run_all(experiment_on(endpoint), lea)
        assert experiment.state == "paused"
        resume(actor=lea, experiment=experiment)
        run_waiting()
        check_endpoint(actor=lea, endpoint=endpoint)
        run_waiting()
        assert SECRET in str(server.seen.requests)
    experiment.refresh_from_db()
    assert experiment.state == "done"
    call_command("experiment", "export", str(experiment.pk), "--images", output=tmp_path / "exchanges.jsonl")
    call_command("export_benchmark", benchmark.slug, output=tmp_path / "native.json")
    call_command("publish", benchmark.slug, str(tmp_path / "copy"), "--cases", "")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"exchanges.jsonl", "native.json", "index.html"} <= {path.name for path in files}
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608  a name of the schema
            stored = repr([[bytes(one) if isinstance(one, memoryview) else one for one in row] for row in cursor])
            assert SECRET not in stored, table
    assert SECRET not in caplog.text


@pytest.mark.both_databases
def test_an_export_reads_a_few_attempts_at_a_time(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User, django_assert_num_queries: Any
) -> None:
    with serving(TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url), rollouts=12), lea)
    assert Attempt.objects.count() == 24
    with django_assert_num_queries(3):
        assert len(list(exchange_lines(experiment, None))) == 24
