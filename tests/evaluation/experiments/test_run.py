"""Experiments against endpoints on this machine: what is asked, kept, and asked only once."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from annotation.content.changes import content_changed
from annotation.content.samples import save_samples
from annotation.images.store import picture_path, store_pictures
from annotation.imaging.encoding import encode
from annotation.models import Benchmark, Gold, Image, ImportRecord
from annotation.schema import SampleContent, SampleRecord
from evaluation.experiments.read.progress import accuracy_of
from evaluation.experiments.write.images import sweep_sent_images
from evaluation.experiments.write.plan import plan_attempts
from evaluation.experiments.write.states import pause, resume, retry_failed, start_all, start_trial, stop
from evaluation.experiments.write.work import Worker
from evaluation.models import (
    Attempt,
    Endpoint,
    Exchange,
    Experiment,
    Metric,
    Run,
    Scoring,
    SentImage,
    Trajectory,
)
from tests.conftest import signed_in
from tests.evaluation.endpoints.server import Answer, serving, spoken
from tests.evaluation.experiments.conftest import Make
from tests.unit.toolbox_cases import scene
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict
from webapp.jobs.runner import run_waiting

EndpointAt = Callable[..., Endpoint]
TWO = spoken("<answer>2</answer>")


def run_all(experiment: Experiment, actor: User) -> Experiment:
    start_all(actor=actor, experiment=experiment)
    run_waiting()
    experiment.refresh_from_db()
    return experiment


def test_every_sample_is_asked_once_and_becomes_a_scored_trajectory(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url), rollouts=2), lea)
        assert len(server.seen.requests) == 4
    assert (experiment.state, experiment.calls) == ("done", 4)
    run = Run.objects.get(benchmark=benchmark)
    assert (run.model.name, run.setting, run.extra["recipe"]) == ("m-1", "base", experiment.recipe_digest)
    answers = Trajectory.objects.values_list("sample__key", "rollout", "answer")
    assert sorted(answers) == [(key, n, "<answer>2</answer>") for key in ("one", "two") for n in (0, 1)]
    assert run.scoring.trajectories_n
    [record] = ImportRecord.objects.filter(kind="runs")
    assert (record.state, record.counts["new"], record.file_name) == ("done", 4, f"experiment {experiment.pk}")
    assert {attempt.trajectory_id for attempt in Attempt.objects.all()} == set(
        Trajectory.objects.values_list("pk", flat=True)
    )


def test_requests_and_responses_are_kept_as_sent_with_images_by_content(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        run_all(experiment_on(endpoint_at(server.url), samples="id=one"), lea)
        [sent] = server.seen.bodies()
    exchange = Exchange.objects.order_by("pk").first()
    assert exchange is not None
    assert bytes(exchange.response or b"") == TWO.body
    kept = json.loads(bytes(exchange.request))
    [image] = SentImage.objects.all()
    url = f"sha256:{image.sha256}"
    assert url in bytes(exchange.request).decode()
    assert objects.exists(image.name)
    data = objects.read(image.name)
    assert len(data) == image.bytes
    plain = json.loads(json.dumps(kept).replace(url, _data_url(data, image.media_type)))
    assert plain == sent
    assert (exchange.input_tokens, exchange.output_tokens, exchange.cached_tokens) == (100, 7, 40)


def _data_url(data: bytes, kind: str) -> str:
    import base64

    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def test_the_same_recipe_again_sends_no_request(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> None:
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url)
        first = run_all(experiment_on(endpoint), lea)
        again = run_all(experiment_on(endpoint), lea)
        other = run_all(experiment_on(endpoint, setting="base again"), lea)
        assert len(server.seen.requests) == 2
    assert [one.state for one in (first, again, other)] == ["done"] * 3
    assert set(again.attempts.values_list("reused_from__experiment", flat=True)) == {first.pk}
    assert Trajectory.objects.filter(run__setting="base again").count() == 2


def test_another_recipe_under_the_same_name_is_refused_and_a_free_name_proposed(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url)
        run_all(experiment_on(endpoint), lea)
        with pytest.raises(Conflict, match="base 2"):
            experiment_on(endpoint, sampling="thinking")


def test_a_trial_asks_few_samples_and_the_rest_follows(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, benchmark: Benchmark
) -> None:
    with serving(TWO) as server:
        experiment = experiment_on(endpoint_at(server.url), rollouts=3)
        start_trial(actor=lea, experiment=experiment)
        run_waiting()
        experiment.refresh_from_db()
        assert (experiment.state, len(server.seen.requests)) == ("ready", 2)
        assert run_all(experiment, lea).state == "done"
        assert len(server.seen.requests) == 6


def test_a_sample_without_a_response_is_not_scored_until_a_retry_gets_one(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    rejected = Answer(400, json.dumps({"error": {"message": "image too large"}}).encode())
    with serving(rejected, TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
        assert experiment.attempts.all().counted() == {"failed": 1, "done": 1}
        failed = Attempt.objects.get(state="failed")
        assert (failed.error_kind, failed.trajectory) == ("input_rejected", None)
        assert "image too large" in failed.error
        assert (found := accuracy_of(experiment))
        assert (found.value, found.n) == (1.0, 1)
        assert retry_failed(actor=lea, experiment=experiment) == 1
        run_waiting()
        assert len(server.seen.requests) == 3
    assert experiment.attempts.all().counted() == {"done": 2}
    assert (found := accuracy_of(experiment))
    assert (found.value, found.n) == (1.0, 2)


def test_a_response_without_an_answer_counts_as_one_that_is_missing(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    refused = spoken("", refusal="I can't help with that.")
    with serving(refused, TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
    failed = Attempt.objects.get(state="failed")
    assert failed.error_kind == "refusal"
    assert failed.trajectory is not None
    assert "refusal" in failed.trajectory.error
    assert (found := accuracy_of(experiment))
    assert (found.value, found.n) == (0.5, 2)


def test_the_page_of_the_run_links_to_its_failed_attempts(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(Answer(400, b"{}"), TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
    run, client = Run.objects.get(setting="base"), signed_in(lea)
    address = f"/benchmarks/kitchen/experiments/{experiment.pk}/?state=failed"
    page = client.get(f"/benchmarks/kitchen/runs/{run.pk}/").content.decode()
    assert address in page
    assert len(client.get(address).context["page"].rows) == 1


def test_an_upgrade_removes_the_trajectories_of_attempts_without_a_response(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(spoken("", refusal="No."), TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
    failed = experiment.attempts.get(state="failed")
    migration: Any = import_module("evaluation.migrations.0046_no_trajectory_without_a_response")
    migration.remove_failed(apps, None)
    assert Trajectory.objects.filter(pk=failed.trajectory_id).exists()
    experiment.attempts.filter(pk=failed.pk).update(error_kind="server")
    migration.remove_failed(apps, None)
    failed.refresh_from_db()
    assert (failed.trajectory, failed.state) == (None, "failed")
    assert Trajectory.objects.count() == 1


def test_an_experiment_without_any_response_makes_no_run(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(Answer(400, b"{}")) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url)), lea)
    assert experiment.attempts.all().counted() == {"failed": 2}
    assert not Run.objects.filter(benchmark=experiment.benchmark, setting=experiment.setting).exists()


def test_a_wrong_key_pauses_the_experiment_and_loses_no_attempt(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    wrong = Answer(401, json.dumps({"error": {"message": "invalid api key"}}).encode())
    with serving(wrong, TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
        assert (experiment.state, experiment.pause_reason) == ("paused", "endpoint")
        assert experiment.attempts.all().counted() == {"queued": 2}
        resume(actor=lea, experiment=experiment)
        run_waiting()
        assert len(server.seen.requests) == 3
    experiment.refresh_from_db()
    assert (experiment.state, Trajectory.objects.filter(error="").count()) == ("done", 2)


def test_the_budget_is_never_exceeded_and_the_experiment_continues_with_more(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    prices = {"input": 1000.0, "output": 1000.0}
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url, prices=prices, limits={"in_flight": 1})
        experiment = run_all(experiment_on(endpoint, budget_usd=4.1, parameters={"max_tokens": 4000}), lea)
        assert (experiment.state, experiment.pause_reason) == ("paused", "budget")
        assert 0 < experiment.spent_usd <= 4.1
        assert len(server.seen.requests) == 1
        Experiment.objects.update(budget_usd=10.0)
        resume(actor=lea, experiment=experiment)
        run_waiting()
    experiment.refresh_from_db()
    assert (experiment.state, experiment.reserved_usd) == ("done", 0.0)
    assert experiment.spent_usd == pytest.approx(2 * (107 / 1000))


def test_a_budget_of_ten_cents_is_not_exceeded_by_many_attempts_at_once(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    """20 attempts, each for 1.07 cents and at most 3: those in flight have reserved what they can cost."""
    prices = {"input": 100.0, "output": 100.0}
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url, prices=prices, limits={"in_flight": 8})
        choices: Any = {"budget_usd": 0.1, "rollouts": 10, "parameters": {"max_tokens": 100}}
        experiment = run_all(experiment_on(endpoint, **choices), lea)
    assert (experiment.state, experiment.pause_reason) == ("paused", "budget")
    assert 0.05 < experiment.spent_usd <= 0.1
    assert experiment.spent_usd == pytest.approx(len(server.seen.requests) * 0.0107)
    assert experiment.reserved_usd == pytest.approx(0.0)


def test_a_stopped_experiment_keeps_what_was_done(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> None:
    with serving(TWO) as server:
        experiment = experiment_on(endpoint_at(server.url), rollouts=2)
        start_trial(actor=lea, experiment=experiment)
        run_waiting()
        experiment.refresh_from_db()
        stop(actor=lea, experiment=experiment)
        run_waiting()
        with pytest.raises(Conflict):
            pause(actor=lea, experiment=experiment)
    assert experiment.attempts.all().counted() == {"done": 2, "skipped": 2}
    assert Trajectory.objects.count() == 2


def test_images_leave_the_server_only_with_the_consent_of_the_lead(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make
) -> None:
    endpoint = endpoint_at("https://api.example.com/v1")
    with pytest.raises(Conflict, match=r"api\.example\.com"):
        experiment_on(endpoint)
    benchmark.remote_allowed = True
    assert experiment_on(endpoint).state == "draft"


def test_a_toolbox_call_is_run_and_its_image_sent_back(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> None:
    arguments = json.dumps({"image": "original", "x": 80, "y": 40, "width": 60, "height": 60})
    call: Any = {"id": "c1", "type": "function", "function": {"name": "crop", "arguments": arguments}}
    with serving(spoken(None, calls=[call]), TWO) as server:
        run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1}), "interface", samples="id=one"), lea)
        second = server.seen.bodies()[1]
    assert [message["role"] for message in second["messages"]][-3:] == ["assistant", "tool", "user"]
    trajectory = Trajectory.objects.get()
    [step] = trajectory.steps.all()
    assert (step.tool, step.x1, step.y1, step.x2, step.y2, step.ok) == ("crop", 80, 40, 140, 100, True)


def test_sent_images_go_with_the_last_experiment_that_names_them(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url), images="fit:64", samples="id=one"), lea)
    [image] = SentImage.objects.all()
    assert image.name.startswith("sent/")
    later = timezone.now() + timedelta(days=2)
    assert sweep_sent_images(later) == 0
    experiment.delete()
    assert sweep_sent_images(timezone.now()) == 0
    assert sweep_sent_images(later) == 1
    assert not objects.exists(image.name)


def test_a_retried_request_is_kept_beside_the_failed_one_and_paid_for(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    rejected = Answer(400, json.dumps({"error": {"message": "no"}}).encode())
    with serving(rejected, TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url), samples="id=one"), lea)
        retry_failed(actor=lea, experiment=experiment)
        run_waiting()
    experiment.refresh_from_db()
    kept = Exchange.objects.order_by("n").values_list("n", "state", "status")
    assert list(kept) == [(0, "failed", 400), (1, "answered", 200)]
    assert (experiment.state, experiment.calls) == ("done", 2)


def test_attempts_of_a_worker_that_is_gone_are_run_before_the_experiment_ends(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        experiment = experiment_on(endpoint_at(server.url))
        plan_attempts(experiment)
        experiment.attempts.update(state="running", claim="a worker that is gone")
        assert run_all(experiment, lea).state == "done"
    assert experiment.attempts.all().counted() == {"done": 2}


def test_a_pause_awaits_the_requests_in_flight(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = Worker._take_request

    def pausing(self: Worker, *given: Any) -> Any:
        granted = take(self, *given)
        pause(actor=lea, experiment=Experiment.objects.get())
        return granted

    monkeypatch.setattr(Worker, "_take_request", pausing)
    with serving(TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
        assert len(server.seen.requests) == 1
    assert experiment.state == "paused"
    assert experiment.attempts.all().counted() == {"done": 1, "queued": 1}


def test_the_page_of_a_run_and_the_leaderboard_have_one_accuracy(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(spoken("I cannot tell."), TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
    stored = accuracy_of(experiment)
    Scoring.objects.update(stale=True)
    assert stored is not None
    assert accuracy_of(experiment) == stored
    board = Metric.objects.get(metric="accuracy", slice_by="", scoring__run__setting="base")
    assert (stored.value, stored.n, stored.low) == (board.value, board.n, board.ci_low)


def test_the_accuracy_is_never_that_of_earlier_gold(endpoint_at: EndpointAt, experiment_on: Make, lea: User) -> None:
    with serving(spoken("I cannot tell."), TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url, limits={"in_flight": 1})), lea)
    found = accuracy_of(experiment)
    Metric.objects.filter(metric="accuracy").update(value=0.125)
    assert (stored := accuracy_of(experiment))
    assert stored.value == 0.125
    Gold.objects.update(accepted_at=timezone.now())
    content_changed(experiment.benchmark_id)
    assert accuracy_of(experiment) == found


def test_samples_without_a_toolchain_are_skipped_by_a_prompt_that_shows_it(
    endpoint_at: EndpointAt, experiment_on: Make, lea: User
) -> None:
    with serving(TWO) as server:
        experiment = run_all(experiment_on(endpoint_at(server.url), "interface", prompt="strong-reference"), lea)
        assert not server.seen.requests
    assert (experiment.state, experiment.attempts.all().counted()) == ("done", {"skipped": 2})
    assert "toolchain" in Attempt.objects.all()[0].error


@pytest.mark.parametrize("protocol", ["base", "zoom"])
def test_a_damaged_image_ends_its_attempt_and_no_other(
    benchmark: Benchmark, endpoint_at: EndpointAt, experiment_on: Make, lea: User, tmp_path: Any, protocol: str
) -> None:
    other = SampleRecord("three", SampleContent("How many lines?", answers=("2",)), "t.png")
    found = store_pictures(
        actor=None, benchmark=benchmark, records=[other], folder=tmp_path, embedded={"t.png": encode(scene()[::2])}
    )
    save_samples(actor=None, benchmark=benchmark, records=[other], pictures=found)
    run_waiting()
    path = tmp_path / "media" / picture_path(Image.objects.get(samples__key="three"))
    whole = path.read_bytes()
    with serving(TWO) as server:
        endpoint = endpoint_at(server.url)
        for n, damaged in enumerate((whole[: len(whole) // 2], b"", b"no image")):
            path.write_bytes(damaged)
            experiment = run_all(experiment_on(endpoint, protocol, setting=f"{protocol} {n}"), lea)
            assert experiment.attempts.all().counted() == {"done": 2, "failed": 1}
            failed = experiment.attempts.get(state="failed")
            assert (failed.sample.key, failed.error_kind) == ("three", "input_rejected")
            assert "can't be read" in failed.error
            assert failed.trajectory is None
        path.write_bytes(whole)
        retry_failed(actor=lea, experiment=experiment)
        run_waiting()
    assert experiment.attempts.all().counted() == {"done": 3}
