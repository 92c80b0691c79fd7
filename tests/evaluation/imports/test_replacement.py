"""A file that is here already, read otherwise: it takes the place of what it brought before, all at once."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from annotation.models import ImportRecord
from annotation.workflow import Role
from evaluation.imports.write import runs as module
from evaluation.imports.write import upload
from evaluation.imports.write.runs import import_runs
from evaluation.imports.write.undo import ask_undo, undo_import
from evaluation.models import Judgement, Model, Note, Run, Step, Trajectory
from evaluation.trash.write.runs import delete_run, restore_run
from tests.conftest import signed_in
from tests.evaluation.import_data import File, kitchen, lines
from tests.worlds import made_once

pytestmark = pytest.mark.django_db

ZOOM = [{"tool": "zoom_in", "bbox": [1, 1, 9, 9]}]
ROWS = [
    {"sample_id": "mug", "answer": "B", "steps": ZOOM},
    {"sample_id": "cup", "answer": "A"},
    {"sample_id": "mug", "kind": "answer", "verdict": "yes"},
]
PAGE = "/benchmarks/kitchen/import/"


@made_once
def benchmark(lea, rui):
    return kitchen(lea, (rui, Role.RESEARCHER))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "all.jsonl"
    path.write_bytes(lines(ROWS))
    return path


@pytest.fixture
def take(lea, benchmark, file):
    def taken(**choices):
        _, done = import_runs(actor=lea, benchmark=benchmark, path=file, format="native", **choices)
        return {name: count for name, count in done.counts.items() if count and name in COUNTED}

    return taken


COUNTED = ("new", "changed", "unchanged", "removed")


def stored():
    """What everybody sees, by what it says."""
    rows = Step.objects.filter(trajectory__run__in=Run.objects.all())
    return list(Run.objects.values("pk", "model__name")), list(rows.values_list("trajectory", "coords"))


def noted(lea, sample):
    return Note.objects.create(trajectory=Trajectory.objects.get(sample__key=sample), text="Look here.", author=lea)


def test_another_reading_takes_the_place_of_the_first_and_marks_move_along(take, lea):
    assert take(model="M") == {"new": 3}
    run, cup = Run.objects.get(), Trajectory.objects.get(sample__key="cup")
    noted(lea, "mug"), noted(lea, "cup")
    assert take(model="M", coordinates="norm1000", replace=True) == {"changed": 1, "unchanged": 2}
    assert Run.everything.get() == run
    assert Step.objects.get().coords == "norm1000"
    assert Trajectory.objects.get(sample__key="cup") == cup
    assert set(Note.objects.values_list("trajectory__sample__key", flat=True)) == {"mug", "cup"}
    assert Judgement.objects.get().run == run
    assert take(model="M", coordinates="norm1000") == {"unchanged": 3}


def test_a_run_that_has_another_name_now_leaves_none_behind(take, lea):
    take(model="Typo")
    noted(lea, "cup")
    assert take(model="M", setting="base", replace=True) == {"new": 1, "changed": 2, "removed": 1}
    assert str(Run.everything.get()) == "M, base"
    assert list(Model.objects.values_list("name", flat=True)) == ["M"]
    assert (Note.objects.get().trajectory.run, Trajectory.objects.count()) == (Run.objects.get(), 2)


def test_until_all_is_read_nobody_sees_anything_of_it(take, monkeypatch):
    take(model="M")
    before = stored()

    def killed(**_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "swap_in_staged_runs", killed)
        with pytest.raises(KeyboardInterrupt):
            take(model="M", coordinates="norm1", replace=True)
    assert (stored(), Trajectory.objects.count()) == (before, 4)
    assert take(model="M", coordinates="norm1", replace=True) == {"changed": 1, "unchanged": 2}
    assert (Trajectory.objects.count(), Run.everything.count(), Step.objects.get().coords) == (2, 1, "norm1")


def test_page_and_command_say_that_it_is_here_read_otherwise(take, lea, rui, run_jobs, settings, tmp_path, file):
    settings.SCRATCH = tmp_path
    take(model="M", setting="hot")
    noted(lea, "mug")
    out = io.StringIO()
    with pytest.raises(CommandError, match="with --replace, or keep both and name this one with --setting"):
        call_command("import_runs", "kitchen", str(file), model="M", setting="hot", coordinates="norm1", stdout=out)
    assert "was already imported as native, model M, setting hot: M, hot." in out.getvalue()
    client = signed_in(rui)
    url = client.post(PAGE, {"file": File(file.read_bytes(), "all.jsonl")}).url
    run_jobs()
    chosen = {"again": "1", "format": "native", "model": "M", "setting": "hot", "coordinates": "norm1"}
    client.post(url + "choose/", chosen)
    run_jobs()
    page = client.get(url)
    assert page.context["blocked"].startswith("The file was already imported with other choices.")
    assert "read as native, model M, setting hot: M, hot." in page.content.decode()
    client.post(url + "choose/", chosen | {"replace": "on", "model": "N"})
    run_jobs()
    page = client.get(url)
    assert (page.context["blocked"], page.context["again"]["lost"]) == ("", "")
    assert page.context["again"]["gone"] == "1 of its rows is not in this file and will be deleted."
    assert "to remove, not in the file" in page.content.decode()
    client.post(url + "commit/")
    run_jobs()
    record = ImportRecord.objects.first()
    assert record.state == "done"
    foreseen = {name: record.preview["counts"].get(name, 0) for name in COUNTED}
    assert foreseen == {name: record.counts.get(name, 0) for name in COUNTED}
    assert foreseen == {"new": 1, "changed": 2, "unchanged": 0, "removed": 1}
    assert [str(run) for run in Run.everything.all()] == ["N, hot"]
    assert Note.objects.get().trajectory.run.model.name == "N"


def test_an_edition_with_fewer_rows_takes_away_what_it_lacks(take, lea, rui, benchmark, run_jobs, settings, tmp_path):
    settings.SCRATCH = tmp_path
    take(model="M")
    record = upload.store_upload(actor=rui, benchmark=benchmark, file=File(lines(ROWS[:1]), "less.jsonl"))
    run_jobs()
    first = ImportRecord.objects.exclude(pk=record.pk).get()
    upload.update_choices(actor=rui, record=record, choices={"model": "M", "replaces": first.pk})
    run_jobs()
    record.refresh_from_db()
    assert (record.preview["counts"]["removed"], upload.blocking_reason(record)) == (2, "")
    upload.commit(actor=rui, record=record)
    run_jobs()
    assert [one.sample.key for one in Trajectory.objects.all()] == ["mug"]
    assert not Judgement.objects.exists()


def test_a_replacement_and_its_undoing_take_nothing_from_the_trash(lea, take):
    take(model="M")
    gone = Run.objects.get()
    delete_run(actor=lea, run=gone)
    assert take(model="M") == {"new": 3}, "what is in the trash is not there"
    anew = Run.objects.get()
    take(model="M", coordinates="norm1", replace=True)
    assert Run.objects.get() == anew
    assert (anew.trajectories.count(), gone.trajectories.count(), gone.judgements.count()) == (2, 2, 1)
    record = ImportRecord.objects.filter(state="done").latest("pk")
    ask_undo(actor=lea, record=record)
    undo_import(record_id=record.pk, report=lambda done, total: None)
    assert (list(Run.objects.all()), gone.trajectories.count()) == ([], 2)
    restore_run(actor=lea, run=gone)
    assert Run.objects.get() == gone
