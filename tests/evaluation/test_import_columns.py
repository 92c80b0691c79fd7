"""Which columns are proposed for what: the one that holds ids of samples, never one of the correct answers."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.models import ImportRecord, Sample
from evaluation.actions import upload
from evaluation.models import Trajectory
from tests.evaluation.import_data import kitchen

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path


def say(*words: object) -> str:
    out = io.StringIO()
    call_command(*map(str, words), stdout=out)
    return out.getvalue()


def sample_answers() -> dict[str, str]:
    """The letter that is correct for each sample of the kitchen."""
    return {s.key: s.gold.revision.answers[0] for s in Sample.objects.with_gold() if s.gold.revision.answers}


def test_the_file_says_what_it_is_how_it_is_read_and_who_is_not_here(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.json").write_text(
        json.dumps({"mug": {"pred": "B", "n1": 1}, "zz1": {"pred": "A", "n1": 2}})
    )
    said = say("import_runs", "kitchen", path, "--model", "M")
    assert "run.json is a JSON object of 2 records by id (“mug”, “zz1”); values have pred, n1." in said
    assert "Read as runs: key → sample, pred → answer." in said
    assert "1 name is not in kitchen, first: zz1." in said


def test_the_column_that_holds_ids_is_proposed_whatever_it_is_called(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.csv").write_text("id,uid,prediction\n900,mug,B\n901,cup,A\n")
    said = say("import_runs", "kitchen", path, "--model", "M")
    assert "uid → sample" in said
    assert Trajectory.objects.count() == 2
    for name in ("mug", "cup"):
        (tmp_path / "out" / name).mkdir(parents=True)
        (tmp_path / "out" / name / "output.json").write_text(json.dumps({"id": 7, "prediction": "B"}))
    assert "folder → sample" in say("import_runs", "kitchen", tmp_path / "out", "--model", "N")
    assert Trajectory.objects.count() == 4


def test_of_several_lists_one_can_be_read(lea, tmp_path):
    kitchen(lea)
    rows = {"dev": [{"id": "mug", "pred": "B"}], "test": [{"id": "cup", "pred": "A"}]}
    (path := tmp_path / "run.json").write_text(json.dumps(rows))
    mapping = {"columns": {"sample": "id", "answer": "pred"}, "list": "test"}
    (chosen := tmp_path / "mapping.json").write_text(json.dumps(mapping))
    say("import_runs", "kitchen", path, "--model", "M", "--mapping", chosen)
    assert [t.sample.key for t in Trajectory.objects.all()] == ["cup"]


def test_a_gold_column_is_not_proposed_and_has_to_be_confirmed(lea, tmp_path):
    kitchen(lea)
    correct = sample_answers()
    rows = "".join(f"{key},{answer}\n" for key, answer in correct.items())
    (path := tmp_path / "gold.csv").write_text("key,answer\n" + rows)
    (chosen := tmp_path / "mapping.json").write_text(json.dumps({"columns": {"sample": "key", "answer": "answer"}}))
    with pytest.raises(CommandError, match="known format"):
        say("import_runs", "kitchen", path)
    count = len(correct)
    with pytest.raises(CommandError, match=f"equals the correct answer in {count} of {count} row"):
        say("import_runs", "kitchen", path, "--mapping", chosen)
    assert not Trajectory.objects.exists()
    say("import_runs", "kitchen", path, "--mapping", chosen, "--answer-is-not-gold")
    assert Trajectory.objects.count() == count


def test_on_the_page_gold_has_to_be_confirmed_too(lea, client, run_jobs):
    benchmark = kitchen(lea)
    client.force_login(lea)
    rows = "".join(f"{key},{answer}\n" for key, answer in sample_answers().items())
    file = SimpleUploadedFile("gold.csv", b"key,answer\n" + rows.encode())
    mapping = {"columns": {"sample": "key", "answer": "answer"}}
    record = upload.receive(
        actor=lea, benchmark=benchmark, file=file, choices={
            "kind": "runs", "format": "table", "mapping": mapping, "model": "M",
        },
    )  # fmt: skip
    run_jobs()
    record.refresh_from_db()
    address = f"/benchmarks/kitchen/import/{record.pk}/"
    page = client.get(address).content.decode()
    assert "These are the model" in page
    assert "equals the correct answer" in upload.blocked(record)
    client.post(address + "choose/", {"gold_asked": "on", "not_gold": "on"})
    run_jobs()
    record = ImportRecord.objects.get()
    assert upload.blocked(record) == ""
    client.post(address + "commit/")
    run_jobs()
    assert Trajectory.objects.exists()


def test_an_extracted_answer_is_kept_beside_what_was_said(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.csv").write_text("idx,full_prediction,extraction\nmug,It is B.,B\n")
    say("import_runs", "kitchen", path, "--model", "M")
    only = Trajectory.objects.get()
    assert (only.answer, only.extra["file_reading"]) == ("It is B.", "B")


def test_a_list_of_texts_says_what_is_missing(lea, tmp_path):
    kitchen(lea)
    (path := tmp_path / "run.json").write_text(json.dumps(["B", "A. cup"]))
    with pytest.raises(CommandError, match="a list of 2 texts"):
        say("import_runs", "kitchen", path)
