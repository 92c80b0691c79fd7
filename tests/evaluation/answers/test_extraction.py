"""The extraction report where runs are imported and looked at: before the commit, after it, on the run's page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Role
from evaluation.answers.read.groups import read_groups
from evaluation.answers.write import decide_answers
from evaluation.models import Run
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import rows_changed
from tests.conftest import signed_in
from tests.evaluation.answers_data import REFUSAL, make_kitchen, said
from tests.evaluation.crawl import counted_links, wrong_links
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
REPORT = 'id="extraction-title"'


def group_of(words: str) -> str:
    """The name of the group of undecided answers with these words."""
    [found] = [group for group in read_groups(Benchmark.objects.get(), None).groups if words in group.text]
    return found.key


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_kitchen(lea)


def a_file(folder: Path) -> Path:
    path = folder / "more.json"
    answers = ["<s> B", REFUSAL, "neither"]
    rows = [{"model": "Model B", "sample_id": f"s{i}", "answer": answer} for i, answer in enumerate(answers)]
    path.write_text(json.dumps({"trajectories": rows}))
    return path


@pytest.mark.endurance
def test_a_runs_page_says_how_its_answers_were_read_and_links_what_it_counts(lea: User, kitchen: Benchmark) -> None:
    run = Run.objects.get()
    client = signed_in(lea)
    answer = client.get(f"/benchmarks/kitchen/runs/{run.pk}/")
    page = answer.content.decode()
    assert REPORT in page
    assert REFUSAL in page
    assert f"/benchmarks/kitchen/answers/?run={run.pk}&amp;reason=" in page
    assert wrong_links(client, answer, client.get(f"/benchmarks/kitchen/answers/?run={run.pk}")) == {}
    assert len(counted_links(answer)) > len(counted_links(client.get("/benchmarks/kitchen/runs/")))


def test_the_report_on_a_slice_links_the_lists_of_the_slice(lea: User, kitchen: Benchmark) -> None:
    run, client = Run.objects.get(), signed_in(lea)
    answer = client.get(f"/benchmarks/kitchen/runs/{run.pk}/?slice_by=place&slice=door")
    shown = answer.context["extraction"]
    unread = next(part for part in shown["states"] if part.label == "unread")
    assert (unread.count.n, "facet.place=door" in unread.count.href) == (6, True)
    parts = [part for name in ("states", "classes", "where", "rules", "reasons") for part in shown[name]]
    assert [part.label for part in parts if part.count.n and not part.count.href] == []
    assert wrong_links(client, answer) == {}
    assert shown["decide"] == ""


@pytest.mark.endurance
def test_every_state_and_flag_of_the_report_lists_its_answers(lea: User, kitchen: Benchmark) -> None:
    """Read, unread and decided by a person; by the verdict of the file alone; a correction, which is a flag."""
    rows = {"s0": "The answer is A. No, wait: the answer is B.", "s1": REFUSAL, "s2": "", "s3": "C"}
    run = said(lea, kitchen, rows, "Model B")
    run.trajectories.filter(sample__key="s1").update(judge_correct=True)
    decide_answers(actor=lea, benchmark=kitchen, said={group_of("neither"): "0"})
    score_benchmark(actor=lea, benchmark=kitchen)
    client, runs = signed_in(lea), list(Run.objects.all())
    answers = [client.get(f"/benchmarks/kitchen/runs/{one.pk}/") for one in runs]
    assert wrong_links(client, *answers) == {}
    for one, answer in zip(runs, answers, strict=True):
        states = {part.label: part.count for part in answer.context["extraction"]["states"] if part.count.n}
        assert all(count.href for count in states.values())
        wanted = {"by the verdict of the file alone", "read"} if one == run else {"decided by people", "unread"}
        assert wanted <= states.keys()
        flags = {
            part.label: client.get(part.count.href).context["total"] for part in answer.context["extraction"]["flags"]
        }
        assert flags == ({"corrected": 1} if one == run else {})


def test_the_page_of_a_run_says_once_how_often_the_file_agrees(lea: User, kitchen: Benchmark) -> None:
    run = Run.objects.get()
    run.trajectories.update(judge_correct=True)
    score_benchmark(actor=lea, benchmark=kitchen)
    page = signed_in(lea).get(f"/benchmarks/kitchen/runs/{run.pk}/").content.decode()
    assert page.count("Verdict in the file") == 1
    assert "Verdict in the file" not in page.split(REPORT)[1].split("</section>")[0]


def test_who_decides_nothing_is_not_led_to_the_page(lea: User, ana: User, kitchen: Benchmark) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.REVIEWER)
    page = signed_in(ana).get(f"/benchmarks/kitchen/runs/{Run.objects.get().pk}/").content.decode()
    assert REPORT in page
    assert "/answers/" not in page


def test_a_run_that_changed_since_it_was_scored_has_no_report(lea: User, kitchen: Benchmark) -> None:
    rows_changed([Run.objects.get().pk])
    page = signed_in(lea).get(f"/benchmarks/kitchen/runs/{Run.objects.get().pk}/").content.decode()
    assert REPORT not in page
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
    assert "Answer extraction" in preview
    assert REFUSAL in preview
    assert ImportRecord.objects.get().preview["answers"]["answers"] == 3
    assert not Run.objects.filter(model__name="Model B").exists()
    client.post(f"{address}commit/")
    run_jobs()
    answer = client.get(address)
    assert [run.model.name for run, _ in answer.context["reports"]] == ["Model B"]
    assert REFUSAL in answer.content.decode()


def test_the_import_command_says_how_answers_are_read(kitchen: Benchmark, tmp_path: Path, capsys: Any) -> None:
    call_command("import_runs", "kitchen", a_file(tmp_path))
    words = capsys.readouterr().out
    assert "of 3 read" in words
    assert "unread (" in words
