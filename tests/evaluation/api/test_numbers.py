"""The API: who may what; its numbers are those of the page, the command and the CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.benchmarks.write.benchmark import set_public
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.common.exports import sample_rows
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.metrics.settings import MetricSettings
from evaluation.models import JudgingQueue, Run, Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.trajectories.write.slices import save_slice
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.import_data import kitchen, native, run_rows
from tests.evaluation.scores import score_of
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

API = "/api/v1/benchmarks/kitchen/"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path


@made_once
def benchmark(lea, ana, rui):
    benchmark = kitchen(lea, (rui, Role.RESEARCHER), (ana, Role.ANNOTATOR))
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), records.trajectories(), None)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def upload_of(content=None):
    return SimpleUploadedFile("runs.json", content or native(trajectories=run_rows()))


VIEW = {"lead": 200, "researcher": 200, "annotator": 200, "stranger": 404, "visitor": 401}
EXPORT = VIEW | {"annotator": 403}
NO_FORM = {"annotator": 403, "stranger": 404, "visitor": 401}
MAKES = {"lead": 202, "researcher": 202, **NO_FORM}
URLS = [
    ("get", "", VIEW),
    ("get", "samples/", VIEW),
    ("get", "samples/mug/", VIEW),
    ("get", "runs/", VIEW),
    ("get", "runs/{run}/", VIEW),
    ("get", "runs/{run}/metrics/", VIEW),
    ("get", "trajectories/?run={run}", VIEW),
    ("get", "trajectories/{trajectory}/", VIEW),
    ("get", "leaderboard/", VIEW),
    ("get", "metrics/", VIEW),
    ("get", "export/", EXPORT),
    ("post", "imports/", MAKES),
    ("get", "imports/{record}/", EXPORT),
    ("patch", "imports/{record}/", MAKES),
    ("get", "imports/{record}/issues/", EXPORT),
    ("post", "imports/{record}/commit/", {"lead": 409, "researcher": 409, **NO_FORM}),
    ("post", "score/", MAKES),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "wanted"), URLS, ids=[f"{m} {p or 'benchmark'}" for m, p, _ in URLS])
def test_who_may_what(method, path, wanted, benchmark, lea, rui, ana, sam):
    people = {"lead": lea, "researcher": rui, "annotator": ana, "stranger": sam}
    record = signed_in(rui).post(API + "imports/", {"file": upload_of()}).json()["id"]
    names = {"run": Run.objects.first().pk, "trajectory": Trajectory.objects.first().pk, "record": record}
    found = {}
    for role in wanted:
        client = signed_in(people[role]) if role in people else Client()
        body = {"file": upload_of()} if path == "imports/" else None
        send = getattr(client, method)
        address = API + path.format(**names)
        answer = send(address, body) if body else send(address, content_type="application/json")
        found[role] = answer.status_code
        assert not answer.streaming or b"".join(answer.streaming_content)
        if answer.status_code >= 400:
            assert set(answer.json()["error"]) >= {"code", "message", "field", "details", "reference"}
    assert found == wanted


def test_a_visitor_reads_the_board_of_a_public_benchmark_and_nothing_else(benchmark, lea, ana):
    run, trajectory = Run.objects.first().pk, Trajectory.objects.first().pk
    set_public(actor=lea, benchmark=benchmark, public=True)
    paths = [path.format(run=run, trajectory=trajectory, record=1) for method, path, _ in URLS if method == "get"]
    assert [path for path in paths if Client().get(API + path).status_code != 401] == ["leaderboard/"]
    assert Client().get("/api/v1/benchmarks/").status_code == 401
    assert Client().post(API + "leaderboard/").status_code == 405
    assert Client().get(API + "leaderboard/").json() == signed_in(ana).get(API + "leaderboard/").json()
    set_public(actor=lea, benchmark=benchmark, public=False)
    asked = [Client().get(f"/api/v1/benchmarks/{slug}/leaderboard/") for slug in ("kitchen", "nowhere")]
    assert [(a.status_code, a.json()["error"]["code"]) for a in asked] == [(401, "not_authenticated")] * 2


def test_a_visitor_reads_over_the_api_what_the_public_page_shows(benchmark, lea):
    set_public(actor=lea, benchmark=benchmark, public=True)
    terms = {"by": "category", "slice": "Color", "sort": "accuracy"}
    told = Client().get(API + "leaderboard/", terms).json()
    page = Client().get(reverse("evaluation:leaderboard", args=["kitchen"]), terms).context["board"]
    for band in ("ranked", "baselines", "failed", "unscored"):
        shown = getattr(page, band)
        assert [(row["run"], row["model"]) for row in told[band]] == [(r.run.pk, r.run.model.name) for r in shown]
        for row, drawn in zip(told[band], shown, strict=True):
            assert {name: row["metrics"][name]["value"] for name in drawn.metrics} == {
                name: metric.value for name, metric in drawn.metrics.items()
            }


def test_visitors_of_one_address_are_slowed_down_together(benchmark, lea, settings):
    set_public(actor=lea, benchmark=benchmark, public=True)
    settings.RATES = {**settings.RATES, "api-visitor": (2, 600)}
    statuses = [Client().get(API + "leaderboard/").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


def test_only_benchmarks_one_may_see_are_listed(benchmark, ana, sam):
    assert [row["slug"] for row in signed_in(ana).get("/api/v1/benchmarks/").json()["results"]] == ["kitchen"]
    assert signed_in(sam).get("/api/v1/benchmarks/").json()["results"] == []


@pytest.mark.both_databases
def test_page_command_csv_and_api_say_the_same_numbers(benchmark, lea, capfdbinary):
    client = signed_in(lea)
    told = {}
    board = client.get(API + "leaderboard/").json()
    for row in [*board["ranked"], *board["baselines"], *board["failed"]]:
        for name, metric in row["metrics"].items():
            told[row["model"], name] = metric["value"], metric["n"], metric["ci_low"], metric["ci_high"]
    assert told[("Model A", "accuracy")][:2] == (1.0, 3)
    rows = client.get(API + "metrics/", {"by": "", "limit": 1000}).json()["results"]
    assert {(r["model"], r["metric"]): (r["value"], r["n"], r["ci_low"], r["ci_high"]) for r in rows} == told

    call_command("leaderboard", "kitchen", "--format", "csv")
    lines = csv.DictReader(io.StringIO(capfdbinary.readouterr().out.decode()))
    number = lambda text: float(text) if text else None  # noqa: E731
    printed = {
        (r["model"], r["metric"]): (number(r["value"]), int(r["n"]), number(r["ci_low"]), number(r["ci_high"]))
        for r in lines
    }
    assert printed == told

    page = client.get(reverse("evaluation:leaderboard", args=["kitchen"]) + "?format=csv&table=metrics")
    lines = csv.DictReader(io.StringIO(b"".join(page.streaming_content).decode()))
    assert {(r["model"], r["metric"]): number(r["value"]) for r in lines} == {
        key: value[0] for key, value in told.items()
    }
    context = client.get(reverse("evaluation:leaderboard", args=["kitchen"])).context["board"]
    for row in context.rows():
        for name, metric in row.metrics.items():
            assert (metric.value, metric.n, metric.ci_low, metric.ci_high) == told[row.run.model.name, name]


def test_the_metrics_of_a_run_are_its_rows(benchmark, lea):
    run = Run.objects.get(model__name="Model A")
    rows = signed_in(lea).get(f"{API}runs/{run.pk}/metrics/", {"limit": 1000}).json()["results"]
    assert {row["run"] for row in rows} == {run.pk}
    assert {row["slice_by"] for row in rows} >= {"", "category"}


@pytest.mark.both_databases
def test_a_run_says_how_many_trajectories_it_has_without_an_intervention_and_how_many_failed(benchmark, lea):
    first = Trajectory.objects.filter(run__model__name="Model A", condition="none").order_by("pk").first()
    Trajectory.objects.filter(pk=first.pk).update(error="timeout")
    empty = Run.objects.create(benchmark=benchmark, model=first.run.model, setting="not begun", number=100)
    client, told = signed_in(lea), {}
    for row in Trajectory.objects.filter(condition="none"):
        n, failed = told.get(row.run_id, (0, 0))
        told[row.run_id] = (n + 1, failed + bool(row.error))
    rows = client.get(API + "runs/").json()["results"]
    assert {row["id"]: (row["trajectories"], row["failed"]) for row in rows} == told | {empty.pk: (0, 0)}
    assert told[first.run_id][1] > 0
    assert [client.get(f"{API}runs/{row['id']}/").json() for row in rows] == rows


def test_samples_and_trajectories_are_rows_of_the_native_format(benchmark, lea):
    client = signed_in(lea)
    whole = json.loads(b"".join(client.get(API + "export/").streaming_content))
    assert client.get(API + "samples/").json()["results"] == whole["samples"]
    mug = next(row for row in whole["samples"] if row["id"] == "mug")
    assert client.get(API + "samples/mug/").json() == mug
    listed = client.get(API + "trajectories/").json()["results"]
    assert len(listed) == 6  # without the further rollout and without the intervention
    assert all(row["trajectory"] in whole["trajectories"] for row in listed)
    one = next(row for row in listed if row["trajectory"]["sample_id"] == "mug" and row["score"]["coverage"])
    score = score_of(Trajectory.objects.get(pk=one["id"]))
    assert (one["score"]["coverage"], one["score"]["quadrant"]) == (score.coverage, "G+A+")
    verdicts = {(row["trajectory"]["model"], row["trajectory"]["sample_id"]): row["score"]["correct"] for row in listed}
    exported = {(row["model"], row["sample"]): row["correct"] for row in sample_rows(Benchmark.objects.get())}
    for said in (verdicts, exported):  # A plan has no right answer; a question without an answer is wrong.
        assert (said["Model A", "wall"], said["Model B", "cup"]) == (None, False)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("terms", "count"),
    [("quadrant=G%2BA%2B", 1), ("failed=yes", 1), ("sample=mug", 2), ("condition=visual", 1), ("quadrant=odd", 0)],
)
def test_trajectories_are_narrowed_as_their_page_narrows_them(benchmark, lea, terms, count):
    client = signed_in(lea)
    assert len(client.get(f"{API}trajectories/?{terms}").json()["results"]) == count


@pytest.mark.both_databases
def test_pages_follow_each_other_by_key(benchmark, lea):
    client = signed_in(lea)
    metrics = f"runs/{Run.objects.first().pk}/metrics/"
    for path, size in (("samples/", 3), ("metrics/", 100), (metrics, 90), ("trajectories/", 2)):
        whole = client.get(API + path, {"limit": 1000}).json()
        seen, address = [], f"{API}{path}?limit={size}"
        while address:
            page = client.get(address).json()
            seen += page["results"]
            address = page["next"]
        assert (seen, whole["next"]) == (whole["results"], None)
        assert len(seen) > size
        assert client.get(page["previous"]).json()["results"] == seen[-size - len(page["results"]) :][:size]


@pytest.mark.parametrize(
    ("address", "status", "field", "words"),
    [
        ("metrics/?cursor=odd", 404, "cursor", "first page"),
        ("samples/?cursor=AAAA", 404, "cursor", "first page"),  # D7.20: one that says nothing
        ("samples/?cursor=bz0wJng9MQ==", 404, "cursor", "first page"),  # a place, and something beside it
        ("metrics/?cursor=cD1hYmM=", 404, "cursor", "first page"),  # a key that is no number
        ("trajectories/?cursor=cD1hYmM=", 404, "cursor", "first page"),
        ("agreement/judges/?cursor=bz1hYmM=", 404, "cursor", "first page"),  # a place that is none
        ("metrics/?by=weather", 404, "by", "weather"),  # D7.20: a name that nothing has is no mistake in form
        ("runs/?limit=many", 400, "limit", "whole number"),
        ("trajectories/?q=calls > and", 400, "q", "Column 1"),
        ("trajectories/?quadrnt=G%2BA-", 400, "quadrnt", "Did you mean quadrant?"),
        ("samples/?aera=small", 400, "aera", "Did you mean area?"),
        ("leaderboard/?by=category&slice=None such", 404, None, "No run has scores on category = None such"),
        ("leaderboard/?reference=999", 404, "reference", "reference run 999"),
        ("leaderboard/?by=category", 400, "slice", "by and slice, or neither"),
        ("leaderboard/?q=wrong&by=category&slice=Color", 400, "q", "q, or by and slice"),
        ("toolchains/?by=weather", 404, "by", "weather"),
        ("toolchains/?by=category&value=rain", 404, "value", "rain"),
        ("toolchains/?value=rain", 400, "value", "needs the facet"),
        ("judges/?a=ana&b=rui", 404, "a", "not two of the judges"),
        ("judges/?a=ana", 400, "a", "both or neither"),
        ("judges/?by=weather", 404, "by", "weather"),
        ("agreement/people-and-more/", 404, None, "pairs, people, blind"),
        ("/api/v1/jobs/?tab=lost", 400, "tab", "all, running"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words_and_never_answered_with_something_else(
    address, status, field, words, benchmark, lea
):
    answer = signed_in(lea).get(address if address.startswith("/") else API + address)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (status, field)
    assert words in error["message"]


@pytest.mark.parametrize("path", ["samples/", "trajectories/", "runs/", "metrics/", "slices/", "judging/"])
def test_a_list_asks_as_often_for_many_rows_as_for_one(path, benchmark, lea):
    for number in range(2):
        save_slice(actor=lea, benchmark=benchmark, name=f"Slice {number}", query="wrong")
        JudgingQueue.objects.create(benchmark=benchmark, seed="kitchen", drawn_from=1)
    # session, user, membership twice (seen, allowed), benchmark, rows, and what belongs to the rows
    client = signed_in(lea)
    client.get(API + path)  # The columns of a slice are read once.
    counts = []
    for limit in (1, 100):
        with CaptureQueriesContext(connection) as captured:
            rows = client.get(f"{API}{path}?limit={limit}").json()["results"]
        counts.append((len(rows) > 1, len(captured)))
    assert counts == [(False, counts[0][1]), (True, counts[0][1])]


def test_a_file_goes_in_over_the_api(benchmark, lea, run_jobs):
    client = signed_in(lea)
    changed = [{**row, "model": "Model N"} for row in run_rows()]
    sent = client.post(API + "imports/", {"file": upload_of(native(trajectories=changed)), "score": "true"})
    assert (sent.status_code, sent.json()["state"]) == (202, "reading")
    address = f"{API}imports/{sent.json()['id']}/"
    assert "still being read" in client.post(address + "commit/").json()["error"]["message"]


def test_settings_given_with_a_score_request_are_kept(benchmark, lea):
    client = signed_in(lea)
    sent = client.post(
        API + "score/", json.dumps({"settings": {"ioa_threshold": 0.9}}), content_type="application/json"
    )
    assert (sent.status_code, sent.json()["kind"]) == (202, "evaluation.score")
    assert client.get(API).json()["settings"] == {"ioa_threshold": 0.9}
    wrong = client.post(API + "score/", json.dumps({"settings": {"no_crop": "maybe"}}), content_type="application/json")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "settings")


def test_a_sample_of_another_benchmark_is_not_found(benchmark, lea):
    from annotation.benchmarks.write.benchmark import create_benchmark

    other = create_benchmark(actor=lea, slug="other")
    save_samples(actor=lea, benchmark=other, records=records.samples()[:1])
    client = signed_in(lea)
    run = Run.objects.first().pk
    assert client.get(f"/api/v1/benchmarks/other/runs/{run}/").status_code == 404
    assert client.get("/api/v1/benchmarks/other/samples/mug/").status_code == 404


def test_how_scores_are_computed_is_the_leads_to_say_on_the_page_and_over_the_api(benchmark, rui):
    """A researcher scores again with the settings as they are."""
    client, changed = signed_in(rui), {"ioa_threshold": 0.9}
    page = reverse("evaluation:metric-settings", args=["kitchen"])
    assert client.post(page, MetricSettings().as_dict() | changed).status_code == 403
    refused = client.post(API + "score/", json.dumps({"settings": changed}), content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_allowed")
    assert client.get(API).json()["settings"] == {}
    assert client.post(API + "score/", "{}", content_type="application/json").status_code == 202


EMPTY = [
    ("leaderboard/", "reference"), ("leaderboard/", "sort"), ("notes/", "trajectory"), ("judges/", "kind"),
    ("/api/v1/toolbox/", "profile"), ("/api/v1/leaderboard/", "metric"), ("/api/v1/jobs/", "tab"),
    ("toolchains/", "run"), ("runs/", "limit"), ("answers/", "run"), ("answers/", "state"), ("answers/report/", "run"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("address", "body", "status"),
    [
        ("samples/?limit=99999999999999999999", None, 200),
        ("compare/crops/?run=&run=none", None, 404),
        ("sessions/calls/one/", {"calls": [{"tool": 0}]}, 400),
        ("sessions/calls/one/", {"calls": [{"tool": " " + "x" * 200}]}, 400),
        ("sessions/answer/one/", {"calls": [], "answer": "", "model": 7}, 400),
        ("sessions/answer/one/", {"calls": [], "answer": "", "model": "  "}, 400),
        ("score/", {"settings": {"ioa_threshold": "0.5"}}, 400),
        ("score/", {"settings": {"ioa_threshold": True}}, 400),
        ("sessions/answer/one/", {"calls": [], "answer": "", "model": "m", "usage": {"usd": False}}, 400),
        ("sessions/answer/one/", {"calls": [], "answer": "", "model": "m", "usage": {"input_tokens": "5"}}, 400),
        ("notes/?trajectory=0", None, 400),
        ("leaderboard/?reference=0", None, 400),
        # A word or number that is empty is none, and what is given once is not given twice.
        *((f"{path}?{name}=", None, 400) for path, name in EMPTY),
        ("leaderboard/?reference=1&reference=2", None, 400),
        ("runs/?limit=1&limit=2", None, 400),
        ("judges/?by=tier&by=category", None, 400),
        ("judges/?kind=hearsay", None, 400),
        ("toolchains/?run=1&run=1", None, 400),
        ("compare/crops/?run=1&run=1&run=2", None, 400),
        ("sessions/answer/one/", {"calls": [], "answer": "", "model": "m", "messages": [{"content": "Hm."}]}, 400),
    ],
)
def test_what_the_schema_allows_is_taken_and_what_it_forbids_is_refused(address, body, status, benchmark, lea):
    """D7.20."""
    client, path = signed_in(lea), address if address.startswith("/") else API + address
    answer = client.get(path) if body is None else client.post(path, body, "application/json")
    assert answer.status_code == status
    assert client.post(f"{API}sessions/calls/one/", {"calls": "[]"}).status_code == 415
