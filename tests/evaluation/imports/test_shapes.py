"""Files of every shape through the commands: the same file twice, and one that was cut off and is sent again."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.content.records import record_of
from annotation.models import Sample
from evaluation.models import Trajectory

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

DATA = Path(__file__).resolve().parents[2] / "data" / "shapes"
RUNS = ("by_id.json", "texts_by_id.json", "list_under_key.json", "pandas_columns.json", "pandas_lists.json", "paths",
        "sharegpt.json", "base64_chat.jsonl", "react.json", "seal_plain.json")  # fmt: skip


def say(*words: object) -> str:
    out = io.StringIO()
    call_command(*map(str, words), stdout=out)
    return out.getvalue()


def stored() -> list[tuple[object, ...]]:
    rows = Trajectory.objects.order_by("sample__key").values_list("sample__key", "answer", "digest", "pk")
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_any_shape_comes_in_without_a_format_and_twice_is_once(name: str) -> None:
    say("import_benchmark", "kitchen", DATA / "samples.json")
    assert "new " in say("import_runs", "kitchen", DATA / name, "--model", "M")
    before = stored()
    assert before
    again = say("import_runs", "kitchen", DATA / name, "--model", "M")
    assert f"unchanged {len(before)}" in again
    assert stored() == before


@pytest.mark.both_databases
@pytest.mark.parametrize("name", ["list_under_key.json", "by_id.json", "sharegpt.json"])
def test_a_file_cut_off_and_sent_again_completes(tmp_path: Path, name: str) -> None:
    say("import_benchmark", "kitchen", DATA / "samples.json")
    path = tmp_path / name
    text = (DATA / name).read_text()
    path.write_text(text[: text.index("val_2") + 12])
    said = say("import_runs", "kitchen", path, "--model", "M")
    assert "cut-off" in said
    assert len(stored()) == 1
    shutil.copy(DATA / name, path)
    say("import_runs", "kitchen", path, "--model", "M")
    assert len(stored()) >= 2


def test_questions_and_answers_in_one_zip_are_read_as_each(tmp_path: Path) -> None:
    path = Path(shutil.make_archive(str(tmp_path / "pope"), "zip", DATA / "llava"))
    say("import_benchmark", "pope", path)
    assert Sample.objects.count() == 3
    said = say("import_runs", "pope", path)
    assert "new 2" in said
    assert set(Trajectory.objects.values_list("run__model__name", "answer")) == {
        ("llava-demo", "A"),
        ("llava-demo", "B. blue"),
    }


def test_a_benchmark_of_dialogues_keeps_its_calls() -> None:
    say("import_benchmark", "agents", DATA / "dialogs.json")
    sample = Sample.objects.with_gold().get(key="0")
    record = record_of(sample)
    assert record.content.answers == ("9", "9.00", "nine")
    assert [(call.tool, dict(call.arguments)) for call in record.content.reference_toolchain] == [
        ("OCR", {"image": "image/bill.jpg"}),
        ("Calculator", {"expression": "2*4.5"}),
    ]
