"""Telling formats apart, and joining rows with samples."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from annotation.importers import IMPORTERS as SAMPLE_IMPORTERS
from annotation.importers import detect_format as detect_samples
from annotation.importers import sources
from annotation.importers.documents import Document, DocumentStream, each_ending
from annotation.importers.interface import ImportProblem
from evaluation.importers import IMPORTERS as RUN_IMPORTERS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.matching import PROPOSALS, MemoryIndex, SampleKey, base_name, question_key

DATA = Path(__file__).resolve().parents[1] / "data"
TRAJECTORY = {"model": "m", "sample_id": "a", "steps": [{"tool": "zoom"}]}
SAMPLE = {"id": "a", "question": "q", "gold_boxes": []}


def test_each_importer_stands_under_its_own_name() -> None:
    assert list(SAMPLE_IMPORTERS)[:2] == ["native", "vtc-bench"]
    assert list(RUN_IMPORTERS)[:2] == ["native", "deepeyes"]
    assert (len(SAMPLE_IMPORTERS), len(RUN_IMPORTERS)) == (17, 19)
    for table in (SAMPLE_IMPORTERS, RUN_IMPORTERS):
        assert all(name == entry.name and entry.title for name, entry in table.items())


@pytest.mark.parametrize("name", ["deepeyes_vstar.jsonl", "deepeyes_hrbench.jsonl"])
def test_deepeyes_is_recognised(name: str) -> None:
    best = detect_runs(DATA / name)[0]
    assert best.importer == "deepeyes"
    assert best.confidence >= 0.9
    assert len(best.reasons) >= 2


STRANGE = ["a\tb\n1\t2\n", '{"rows": [{"x": 1}]}', '[{"role": "user", "content": "hello"}]', "1, 2, 3\n"]


@pytest.mark.parametrize("content", STRANGE)
def test_an_unknown_format_is_not_guessed(tmp_path: Path, content: str) -> None:
    path = tmp_path / "strange.json"
    path.write_text(content)
    assert all(d.importer in ("table", "mapped") and d.confidence < 0.5 for d in detect_runs(path))


def test_a_native_file_is_recognised_for_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"samples": [SAMPLE], "trajectories": [TRAJECTORY]}))
    assert detect_samples(path)[0].confidence >= 0.9
    assert detect_runs(path)[0].confidence >= 0.9
    path.write_text(json.dumps({"samples": [SAMPLE]}))
    assert detect_runs(path) == []


def test_boxes_in_rows_say_more_than_the_name_of_a_file(tmp_path: Path) -> None:
    row = {"id": "a", "image": "a.png", "question": "q", "options": {"A": "x", "B": "y"}, "answer": "A"}
    (path := tmp_path / "samples.jsonl").write_text(json.dumps(row) + "\n")
    assert detect_samples(path)[0].importer == "native"
    path.write_text(json.dumps({**row, "bbox": [1, 2, 3, 4]}) + "\n")
    assert detect_samples(path)[0].importer == "viebench"


@pytest.mark.parametrize("name", ["samples.csv", "trajectories.csv", "settings.tsv"])
def test_a_table_is_not_native_for_its_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("id,image,question,answer\nmug,mug.png,Which color?,A\n")
    assert "native" not in {found.importer for found in detect_samples(path) + detect_runs(path)}


def test_runs_behind_many_samples_are_still_seen(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"samples": [SAMPLE] * 10_000, "trajectories": [TRAJECTORY] * 1000}))
    assert detect_runs(path)[0].importer == "native"


def test_the_rows_of_an_unnamed_file_tell_its_format(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(TRAJECTORY) + "\n")
    assert detect_runs(path)[0].importer == "native"
    path.write_text(json.dumps(SAMPLE) + "\n")
    assert detect_samples(path)[0].importer == "native"


def test_folders_and_zips_are_judged_by_their_most_telling_member(tmp_path: Path) -> None:
    (tmp_path / "a_notes.json").write_text("{}")
    (tmp_path / "trajectories.jsonl").write_text(json.dumps(TRAJECTORY) + "\n")
    assert detect_runs(tmp_path)[0].confidence >= 0.9
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.write(tmp_path / "trajectories.jsonl", "deep/trajectories.jsonl")
    assert detect_runs(tmp_path / "z.zip")[0].confidence >= 0.9


def test_an_empty_file_has_no_format(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    with pytest.raises(ImportProblem, match="is empty"):
        detect_runs(path)


def test_questions_are_compared_without_case_space_and_final_stops() -> None:
    options = {"a": " Red. ", "B": "blue", "C": "  "}
    assert question_key("Which  Colour? ", options) == question_key("which colour?", {"A": "red", "B": "Blue"})
    assert question_key("q", {"A": "x", "B": "y"}) != question_key("q", {"A": "y", "B": "x"})


@pytest.mark.parametrize("path", ["a/b/c.jpg", "a\\b\\c.jpg", "c.jpg", "/c.jpg"])
def test_a_picture_is_found_by_its_file_name(path: str) -> None:
    assert base_name(path) == "c.jpg"
    index = MemoryIndex([SampleKey("one", "images/c.jpg", size=(4, 3)), SampleKey("two", "other/c.jpg")])
    assert [key.id for key in index.by_image(path)] == ["one", "two"]
    assert (index.size_of("one"), index.size_of("two"), index.size_of("three")) == ((4, 3), None, None)


def test_near_matches_are_few_and_end_after_many_questions() -> None:
    index = MemoryIndex(SampleKey(f"counting_{number}") for number in range(2000))
    assert 1 <= len(index.near("counting_12x")) <= 3
    assert index.near("zzz") == ()
    assert index.near("") == ()
    for number in range(PROPOSALS):
        index.near(f"counting_{number}x")
    assert index.near("counting_1999x") == ()
    assert index.near("counting_12x")


def test_a_log_of_inspect_is_recognised_behind_its_journal(tmp_path: Path) -> None:
    log = json.loads((DATA / "inspect_log.json").read_text())
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2}))
        archive.writestr("samples/1_epoch_1.json", json.dumps(log["samples"][0]))
        archive.writestr("header.json", json.dumps({**log, "samples": []}))
    assert detect_runs(path)[0].importer == "inspect"


def test_the_list_of_a_zip_is_read_once_however_many_files_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "talks.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(30):
            archive.writestr(f"talk_{number}.json", "{}")
    opened = []
    whole = sources.zipfile.ZipFile.__init__
    monkeypatch.setattr(sources.zipfile.ZipFile, "__init__", lambda *a, **k: (opened.append(a), whole(*a, **k))[1])
    stream = DocumentStream(path, group=each_ending(".json"), wanted="JSON")
    assert [document.main for document in stream if isinstance(document, Document)] == [b"{}"] * 30
    assert len(opened) == 2
