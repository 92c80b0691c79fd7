"""The pages of an import, as a person without script uses them."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import ImportRecord
from annotation.workflow import Role
from evaluation.imports.present.record import issue_groups
from evaluation.imports.write.preview import file as dry_run
from evaluation.models import Run
from tests.conftest import signed_in
from tests.evaluation.import_data import kitchen, lines, native, run_rows, sample_rows
from tests.worlds import made_once
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PAGE = "/benchmarks/kitchen/import/"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path


@made_once
def benchmark(lea, rui, ana):
    return kitchen(lea, (rui, Role.RESEARCHER), (ana, Role.ANNOTATOR))


def sent(client, content, name="runs.json"):
    return client.post(PAGE, {"file": SimpleUploadedFile(name, content)})


def previewed(client, run_jobs, content=None, name="runs.json"):
    answer = sent(client, content or native(trajectories=run_rows()), name)
    run_jobs()
    return answer.url


@pytest.mark.parametrize(
    ("name", "method"),
    [("", "get"), ("", "post"), ("1/", "get"), ("1/choose/", "post"), ("1/read/", "post"), ("1/commit/", "post"),
     ("1/other/", "post"), ("1/issues.csv", "get"), ("1/pictures/0/frame.jpg", "get")],
)  # fmt: skip
def test_a_stranger_finds_nothing_and_an_annotator_may_not(name, method, benchmark, sam, ana):
    assert getattr(signed_in(sam), method)(PAGE + name).status_code == 404
    assert getattr(signed_in(ana), method)(PAGE + name).status_code == 403
    assert getattr(Client(), method)(PAGE + name).status_code == 302


@pytest.mark.both_databases
def test_a_run_goes_from_the_file_to_its_scores(benchmark, rui, run_jobs):
    client = signed_in(rui)
    answer = sent(client, native(trajectories=run_rows()))
    reading = client.get(answer.url)
    assert "Nothing is saved yet" in reading.content.decode()
    assert 'hx-trigger="every 1s"' in reading.content.decode()
    run_jobs()
    page = client.get(answer.url)
    text = page.content.decode()
    assert "Commit 8 records" in text
    assert "Five records" in text
    assert 'hx-trigger="every 1s"' not in text
    assert not Run.objects.exists()
    assert client.post(answer.url + "commit/").url == answer.url
    assert "Importing runs.json" in client.get(answer.url).content.decode()
    run_jobs()
    done = client.get(answer.url).content.decode()
    run = Run.objects.get(model__name="Model A")
    assert reverse("evaluation:run", args=["kitchen", run.pk]) in done
    assert run.scoring.trajectories_n == 4
    assert ImportRecord.objects.get().state == "done"


def test_what_blocks_a_commit_is_said_beside_the_button(benchmark, rui, run_jobs):
    client = signed_in(rui)
    url = previewed(client, run_jobs, native(trajectories=[{"model": "M", "sample_id": "mugg", "steps": []}]))
    text = client.get(url).content.decode()
    assert "No row of this file can be imported" in text
    assert "Unknown sample" in text
    client.post(url + "commit/")
    assert not Job.objects.filter(kind="evaluation.import").exists()


def test_a_run_that_is_there_already_is_named_before_the_commit(benchmark, rui, run_jobs):
    client = signed_in(rui)
    for answer in ("A", "B"):
        rows = lines([{"model": "Model E", "setting": "interface", "sample_id": "mug", "answer": answer, "steps": []}])
        url = previewed(client, run_jobs, rows, "trajectories.jsonl")
        said = client.get(url).content.decode()
        client.post(url + "commit/")
        run_jobs()
    assert "Model E, interface already has a run (1 record)" in said


def test_five_others_are_other_records_and_one_is_shown_raw(benchmark, rui, run_jobs):
    client = signed_in(rui)
    url = previewed(client, run_jobs)
    first, second = client.get(url).context, client.get(url + "?five=1&record=7").context
    assert len(first["rows"]) == 5
    assert len(second["rows"]) == 3
    assert second["shown"]["index"] == 7
    assert '"sample_id"' in first["shown"]["raw"]
    assert client.get(url + "?five=999999999999&record=x").status_code == 200


def test_choices_are_a_plain_form_and_a_wrong_one_is_said_at_its_field(benchmark, rui, run_jobs):
    client = signed_in(rui)
    url = previewed(client, run_jobs)
    wrong = client.post(url + "choose/", {"coordinates": "size", "sent_size": "big", "format": "native"})
    assert wrong.status_code == 400
    assert "size of the image sent to the model" in wrong.content.decode()
    client.post(url + "choose/", {"coordinates": "norm1000", "format": "native", "score": "on"})
    record = ImportRecord.objects.get()
    assert (record.state, record.options["coordinates"]) == ("reading", "norm1000")


@pytest.mark.parametrize(
    ("content", "says", "status"),
    [(b"", "is empty", 400), (b"plain words", "has an unknown format", 400), (b"x" * 3_000_000, "larger than", 413)],
)
def test_a_file_that_cannot_be_taken_comes_back_with_the_reason(benchmark, rui, settings, content, says, status):
    settings.MAX_UPLOAD_BYTES = 2_000_000
    answer = sent(signed_in(rui), content, "file.txt")
    assert answer.status_code == status
    assert says in answer.content.decode()
    assert not ImportRecord.objects.exists()


def test_no_file_at_all_is_said_too(benchmark, rui):
    answer = signed_in(rui).post(PAGE)
    assert (answer.status_code, "This field is required" in answer.content.decode()) == (400, True)


@pytest.mark.both_databases
def test_every_refused_row_is_listed_and_comes_as_csv(benchmark, rui, run_jobs):
    client = signed_in(rui)
    rows = [{"model": "M", "sample_id": f"=stranger{n}", "steps": []} for n in range(120)] + run_rows()[3:4]
    url = previewed(client, run_jobs, native(trajectories=rows))
    client.post(url + "commit/")
    run_jobs()
    page = client.get(url)
    assert len(page.context["page"].rows) == 100
    assert len(client.get(url + "?after=" + page.context["page"].after).context["page"].rows) == 20
    content = b"".join(client.get(url + "issues.csv").streaming_content).decode()
    found = list(csv.DictReader(io.StringIO(content)))
    assert len(found) == 120
    assert found[0]["found"] == "'=stranger0"


def test_text_of_a_file_stays_text(benchmark, rui, run_jobs):
    attack = "<script>alert(1)</script>"
    rows = [{"model": attack, "sample_id": "mug", "answer": attack, "steps": [{"tool": attack, "bbox": [attack]}]}]
    text = signed_in(rui).get(previewed(signed_in(rui), run_jobs, native(trajectories=rows))).content.decode()
    assert attack not in text
    assert "&lt;script&gt;alert(1)" in text


def test_samples_lead_to_the_runs_of_the_same_file(benchmark, lea, run_jobs):
    client = signed_in(lea)
    rows = [{**row, "question": f"{row['question']} Now?"} for row in sample_rows()]
    url = previewed(client, run_jobs, native(samples=rows, trajectories=run_rows()))
    client.post(url + "commit/")
    run_jobs()
    assert "Import the runs of this file" in client.get(url).content.decode()
    twin = client.post(url + "other/").url
    run_jobs()
    assert "Commit 8 records" in client.get(twin).content.decode()


def test_an_import_that_was_stopped_can_go_on(benchmark, rui, run_jobs):
    client = signed_in(rui)
    url = previewed(client, run_jobs)
    client.post(url + "commit/")
    Job.objects.filter(kind="evaluation.import").update(state="cancelled")
    assert "Import failed" in client.get(url).content.decode()
    client.post(url + "commit/")
    run_jobs()
    assert ImportRecord.objects.get().state == "done"


def test_the_list_asks_as_often_for_many_imports_as_for_one(benchmark, lea):
    # session, user, benchmark, roles twice, tabs' counts, version, imports
    client, counts = signed_in(lea), []
    for total in (1, 20):
        while ImportRecord.objects.count() < total:
            ImportRecord.objects.create(benchmark=benchmark, kind="runs", file_name="f", created_by=lea, state="done")
        with CaptureQueriesContext(connection) as captured:
            assert client.get(PAGE).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.both_databases
def test_of_a_long_file_the_first_records_are_shown_while_the_rest_is_read(benchmark, rui, monkeypatch):
    client = signed_in(rui)
    rows = [{"model": "M", "sample_id": "mug", "rollout": n, "answer": "B", "steps": []} for n in range(2500)]
    answer = sent(client, lines(rows), "trajectories.jsonl")
    record = ImportRecord.objects.get()
    pages = []
    monkeypatch.setattr(dry_run, "SOON", 0.0)
    dry_run.dry_run(record.pk, lambda progress: pages.append(client.get(answer.url).content.decode()))
    assert "First records" in pages[0]
    assert "Which colour is the mug?" in pages[0]
    assert "Commit 2,500 records" in client.get(answer.url).content.decode()
    assert "first" not in ImportRecord.objects.get().preview


def test_an_issue_says_its_fields_and_its_lines_or_its_files():
    def group(lines, *examples):
        named = [dict(zip(("file", "field", "found", "done"), one, strict=True)) for one in examples]
        return {
            "rule": "box-empty",
            "severity": "noted",
            "count": len(examples),
            "done": "",
            "lines": lines,
            "examples": named,
        }

    told = issue_groups(
        [
            group([3, 9], ("a.jsonl", "steps[0].bbox", "", ""), ("a.jsonl", "steps[2].bbox", "", "")),
            group([], ("q1/a.json", "options", "", ""), ("q2/a.json", "options", "", "")),
            group([], ("a.json", "", "", "")),
        ],
        "a.jsonl",
    )
    assert [one["where"] for one in told] == [
        "steps[0].bbox, steps[2].bbox · lines 3, 9", "options · q1/a.json, q2/a.json", "a.json",
    ]  # fmt: skip
