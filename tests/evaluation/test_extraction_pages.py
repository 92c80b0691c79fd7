"""The extraction report where runs are imported and looked at: before the commit, after it, on the run's page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.actions.benchmarks import add_member
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Role
from evaluation.models import Run, Scoring
from tests.conftest import signed_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen
from tests.evaluation.crawl import wrong_links
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def kitchen(lea: User) -> Benchmark:
    return make_kitchen(lea)


def a_file(folder: Path) -> Path:
    path = folder / "more.json"
    answers = ["<s> B", REFUSAL, "neither"]
    rows = [{"model": "Model B", "sample_id": f"s{i}", "answer": answer} for i, answer in enumerate(answers)]
    path.write_text(json.dumps({"trajectories": rows}))
    return path


def test_a_runs_page_says_how_its_answers_were_read_and_links_what_it_counts(lea: User, kitchen: Benchmark) -> None:
    run = Run.objects.get()
    client = signed_in(lea)
    answer = client.get(f"/benchmarks/kitchen/runs/{run.pk}/")
    page = answer.content.decode()
    assert "How answers were read" in page
    assert REFUSAL in page
    assert f"/benchmarks/kitchen/answers/?run={run.pk}&amp;reason=" in page
    assert wrong_links(client, answer) == {}
    assert wrong_links(client, client.get(f"/benchmarks/kitchen/answers/?run={run.pk}")) == {}
    piece = client.get(f"/benchmarks/kitchen/runs/{run.pk}/?slice_by=place&slice=window").content.decode()
    assert "How answers were read" in piece


def test_who_decides_nothing_is_not_led_to_the_page(lea: User, ana: User, kitchen: Benchmark) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.REVIEWER)
    page = signed_in(ana).get(f"/benchmarks/kitchen/runs/{Run.objects.get().pk}/").content.decode()
    assert "How answers were read" in page
    assert "/answers/" not in page


def test_a_run_scored_before_there_were_reports_has_none(lea: User, kitchen: Benchmark) -> None:
    Scoring.objects.update(extras={})
    page = signed_in(lea).get(f"/benchmarks/kitchen/runs/{Run.objects.get().pk}/").content.decode()
    assert "How answers were read" not in page
    call_command("answers", "kitchen")


def test_the_preview_of_an_import_says_how_its_answers_would_be_read_and_the_import_how_they_were(
    lea: User, kitchen: Benchmark, tmp_path: Path, settings: Any, run_jobs: Any
) -> None:
    settings.SCRATCH = tmp_path
    client = signed_in(lea)
    upload = SimpleUploadedFile("runs.json", a_file(tmp_path).read_bytes())
    address = client.post("/benchmarks/kitchen/import/", {"file": upload}).url
    run_jobs()
    preview = client.get(address).content.decode()
    assert "How its answers would be read" in preview
    assert REFUSAL in preview
    assert ImportRecord.objects.get().preview["answers"]["answers"] == 3
    assert not Run.objects.filter(model__name="Model B").exists()
    client.post(f"{address}commit/")
    run_jobs()
    assert "How answers were read: Model B" in client.get(address).content.decode()


def test_the_import_command_says_how_answers_are_read(kitchen: Benchmark, tmp_path: Path, capsys: Any) -> None:
    call_command("import_runs", "kitchen", a_file(tmp_path))
    words = capsys.readouterr().out
    assert "of 3 read" in words
    assert "unread (" in words
