"""Files that belong together: two halves of a run, a file exported anew, names that are people's."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import ImportRecord, Sample
from annotation.workflow import Role
from evaluation.imports.write.runs import import_runs
from evaluation.models import Judgement, Model, Run, Trajectory
from tests.conftest import signed_in
from tests.evaluation.import_data import File, kitchen, lines
from tests.worlds import made_once

pytestmark = pytest.mark.django_db

PAGE = "/benchmarks/kitchen/import/"
FIRST = [{"id": "mug", "model_used": "M", "identified_tools": ["saw", "pencil"]}]
SECOND = [{"id": "mug", "model_used": "M", "identified_tools": "pencil, saw"}]


@made_once
def benchmark(lea, rui):
    return kitchen(lea, (rui, Role.RESEARCHER))


def test_of_a_picture_of_unknown_size_nothing_is_said_about_where_a_box_lies(
    benchmark, rui, run_jobs, settings, tmp_path
):
    settings.SCRATCH = tmp_path
    Sample.objects.filter(key="mug").update(width=None, height=None, image=None)
    client = signed_in(rui)
    rows = [{"sample_id": "mug", "answer": "B", "steps": [{"tool": "zoom", "bbox": [1, 1, 9, 9]}]}]
    url = client.post(PAGE, {"file": File(lines(rows), "trajectories.jsonl")}).url
    run_jobs()
    client.post(url + "choose/", {"format": "native", "model": "M", "kind": "runs"})
    run_jobs()
    text = client.get(url).content.decode()
    assert "the image size is unknown" in text
    assert "nothing of the box lies" not in text


def told():
    return Trajectory.objects.values_list("recognition", "plan").get()


@pytest.mark.parametrize("order", [(FIRST, SECOND, FIRST), (SECOND, FIRST, SECOND)], ids=["I first", "II first"])
@pytest.mark.endurance
def test_tasks_of_a_model_that_come_one_after_the_other_make_one_trajectory(
    benchmark, lea, rui, run_jobs, settings, tmp_path, order
):
    settings.SCRATCH = tmp_path
    client = signed_in(rui)
    for number, (rows, outcome) in enumerate(zip(order, ("new", "changed", "unchanged"), strict=True)):
        url = client.post(PAGE, {"file": File(json.dumps(rows).encode() + b" " * number, "task.json")}).url
        run_jobs()
        record = ImportRecord.objects.first()
        assert (record.format, record.preview["counts"][outcome]) == ("phystool", 1)
        client.post(url + "commit/")
        run_jobs()
        record.refresh_from_db()
        assert record.counts.get(outcome, record.preview["counts"][outcome]) == 1
    assert told() == (["saw", "pencil"], ["pencil", "saw"])


def test_a_judgement_under_the_name_of_a_person_leaves_theirs(benchmark, lea, rui, tmp_path):
    run = Run.objects.create(benchmark=benchmark, number=1, model=Model.objects.create(name="M"))
    mug = Sample.objects.get(key="mug")
    of = {"run": run, "sample": mug, "kind": "answer", "judge": rui.email}
    theirs = Judgement.objects.create(**of, person=rui, verdict="yes")
    row = {"model": "M", "sample_id": "mug", "kind": "answer", "judge": rui.email}
    path = tmp_path / "judgements.jsonl"
    for verdict, said, replace in (("no", ["judge-is-a-person"], False), ("yes", [], False), ("yes", [], True)):
        path.write_bytes(lines([row | {"verdict": verdict}]))
        _, done = import_runs(actor=lea, benchmark=benchmark, path=path, format="native", replace=replace)
        assert [issue.rule for issue in done.issues] == said
        assert Judgement.objects.get() == theirs
        theirs.refresh_from_db()
        assert (theirs.verdict, theirs.person) == ("yes", rui)


def test_a_file_exported_anew_takes_the_place_of_the_import_that_is_named(
    benchmark, lea, rui, run_jobs, settings, tmp_path
):
    settings.SCRATCH = tmp_path
    path = tmp_path / "out.jsonl"
    path.write_bytes(lines([{"sample_id": "mug", "answer": "A"}, {"sample_id": "cup", "answer": "A"}]))
    first, _ = import_runs(actor=lea, benchmark=benchmark, path=path, format="native", model="Typo")
    client = signed_in(rui)
    anew = lines([{"sample_id": "mug", "answer": "B"}])
    url = client.post(PAGE, {"file": File(anew, "out.jsonl")}).url
    run_jobs()
    assert [one.pk for one in client.get(url).context["replaceable"]] == [first.pk]
    client.post(url + "choose/", {"format": "native", "model": "M", "replaces": str(first.pk)})
    run_jobs()
    page = client.get(url)
    assert (page.context["blocked"], page.context["again"]["import"]) == ("", first.pk)
    assert "Replaces" in page.content.decode()
    client.post(url + "commit/")
    run_jobs()
    assert [(str(run), run.letter) for run in Run.everything.all()] == [("M", "A")], "the run named Typo was A"
    assert list(Trajectory.objects.values_list("sample__key", "answer")) == [("mug", "B")]


def test_the_command_names_the_import_that_a_file_of_this_name_brought(benchmark, lea, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(lines([{"sample_id": "mug", "answer": "A"}]))
    first, _ = import_runs(actor=lea, benchmark=benchmark, path=path, format="native", model="M")
    path.write_bytes(lines([{"sample_id": "cup", "answer": "B"}]))
    out = io.StringIO()
    with pytest.raises(CommandError, match="No import 999"):
        call_command("import_runs", "kitchen", str(path), format="native", model="M", replace_import=999, stdout=out)
    assert f"--replace-import {first.pk}." in out.getvalue()
    call_command("import_runs", "kitchen", str(path), format="native", model="M", replace_import=first.pk, stdout=out)
    assert list(Trajectory.objects.values_list("sample__key", "answer")) == [("cup", "B")]
