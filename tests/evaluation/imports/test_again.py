"""The same file again: rows that are stored as they stand are recognised, and all else is as if they had been read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.importers.decoding import RowDecoder
from annotation.models import Benchmark, ImportIssue, ImportRecord
from annotation.schema import AnswerType, SampleContent, SampleRecord
from evaluation.exporters.native import trajectory_row
from evaluation.importers import rows, unchanged_rows
from evaluation.imports.read import stored as stored_rows
from evaluation.imports.write import runs as module
from evaluation.imports.write.runs import import_runs
from evaluation.models import Run, Scoring, Step, Trajectory, WordFile
from evaluation.scoring.write import score_benchmark
from evaluation.store.trajectory_list import TrajectoryList
from tests.evaluation import records
from tests.evaluation.import_data import kitchen, lines
from tests.properties import fewer
from tests.worlds import made_once

pytestmark = pytest.mark.django_db

MUG = {"model": "M", "sample_id": "mug", "answer": "B", "steps": [{"tool": "zoom_in", "bbox": [1, 1, 9, 9]}]}
CUP = {"model": "M", "sample_id": "cup", "answer": "A"}
EMPTY_BOX = {**CUP, "rollout": 1, "steps": [{"tool": "zoom_in", "bbox": [9, 9, 1, 1]}]}


@made_once
def benchmark(lea) -> Benchmark:
    return kitchen(lea)


@pytest.fixture
def decoded(monkeypatch) -> list[int]:
    """The lines that were decoded."""
    seen: list[int] = []
    whole = RowDecoder.decode

    def decode(self, row):
        seen.append(row.line)
        return whole(self, row)

    monkeypatch.setattr(RowDecoder, "decode", decode)
    return seen


def write(folder: Path, *given: dict[str, Any], name: str = "trajectories.jsonl") -> Path:
    path = folder / name
    path.write_bytes(lines(list(given)))
    return path


def took(lea, benchmark, path: Path, **options: str) -> dict[str, int]:
    """What an import counted, without what it counted none of."""
    _, done = import_runs(actor=lea, benchmark=benchmark, path=path, format="native", **options)
    return {name: count for name, count in done.counts.items() if count}


def test_the_same_file_again_is_not_decoded_and_changes_nothing(lea, benchmark, tmp_path, decoded):
    path = write(tmp_path, *map(trajectory_row, records.trajectories()[1:]))
    first = took(lea, benchmark, path)
    before = list(Trajectory.objects.values()), list(Step.objects.values())
    decoded.clear()
    _, again = import_runs(actor=lea, benchmark=benchmark, path=path, format="native")
    assert decoded == []
    assert (list(Trajectory.objects.values()), list(Step.objects.values())) == before
    assert +again.counts == {"unchanged" if name == "new" else name: n for name, n in first.items()}
    assert {str(run) for run in again.runs} == {"Model A, base", "Model B"}
    assert again.summary is not None
    assert (again.summary.trajectories, again.summary.failed) == (first["trajectories"], first["failed"])


def test_only_the_changed_and_the_new_row_are_read(lea, benchmark, tmp_path, decoded):
    took(lea, benchmark, write(tmp_path, MUG, CUP))
    kept = Trajectory.objects.get(sample__key="mug").pk
    decoded.clear()
    path = write(tmp_path, {**CUP, "rollout": 3}, MUG, {**CUP, "answer": "B"})
    assert took(lea, benchmark, path) == {"trajectories": 3, "new": 1, "changed": 1, "unchanged": 1, "steps": 1}
    assert decoded == [1, 3]
    assert Trajectory.objects.get(sample__key="mug").pk == kept
    assert Trajectory.objects.get(sample__key="cup", rollout=0).answer == "B"


def test_the_same_row_with_another_choice_is_another_record(lea, benchmark, tmp_path):
    path = write(tmp_path, MUG)
    took(lea, benchmark, path)
    assert took(lea, benchmark, path, setting="hot")["new"] == 1
    assert took(lea, benchmark, path, coordinates="norm1000")["changed"] == 1
    assert took(lea, benchmark, path, coordinates="norm1000")["unchanged"] == 1
    assert [step.coords for step in Step.objects.order_by("trajectory__run__setting")] == ["norm1000", "pixel"]


def test_rows_of_one_benchmark_are_not_taken_for_those_of_another(lea, benchmark, tmp_path):
    path = write(tmp_path, MUG)
    took(lea, benchmark, path)
    other = create_benchmark(actor=lea, slug="other")
    save_samples(actor=lea, benchmark=other, records=records.samples())
    assert took(lea, other, path)["new"] == 1
    assert took(lea, other, path)["unchanged"] == 1


@pytest.mark.parametrize("unknown", ["other code", "a row from before"])
def test_a_row_that_is_not_recognised_is_read_once_and_recognised_from_then_on(
    lea, benchmark, tmp_path, decoded, monkeypatch, unknown
):
    path = write(tmp_path, MUG, CUP)
    took(lea, benchmark, path)
    if unknown == "other code":
        monkeypatch.setattr(unchanged_rows, "_code", lambda: unknown)
    else:
        Trajectory.objects.update(row_digest=None)
    kept = set(Trajectory.objects.values_list("pk", flat=True))
    for read in ([1, 2], []):
        decoded.clear()
        assert took(lea, benchmark, path)["unchanged"] == 2
        assert decoded == read
    assert set(Trajectory.objects.values_list("pk", flat=True)) == kept


def test_an_issue_is_told_by_every_import_of_its_row(lea, benchmark, tmp_path, decoded):
    path = write(tmp_path, MUG, EMPTY_BOX, {**CUP, "sample_id": "nobody"})
    for _ in range(2):
        decoded.clear()
        took(lea, benchmark, path)
    assert decoded == [2, 3]
    told = [set(ImportIssue.objects.filter(record=r).values_list("rule", "line")) for r in ImportRecord.objects.all()]
    assert told == [{("box-empty", 2), ("unknown-sample", 3)}] * 2


def test_a_run_is_not_stale_after_its_file_came_again(lea, benchmark, tmp_path):
    path = write(tmp_path, MUG, CUP)
    took(lea, benchmark, path)
    score_benchmark(actor=lea, benchmark=benchmark)
    took(lea, benchmark, path)
    assert not Scoring.objects.get().stale
    took(lea, benchmark, write(tmp_path, MUG, {**CUP, "answer": "B"}))
    assert Scoring.objects.get().stale


def test_words_are_looked_for_in_what_is_stored_now(lea, benchmark, tmp_path):
    """With a file of words and without: it is made with the scores, and not used after a change of its texts."""

    def found(text):
        runs = list(Run.objects.of(benchmark))
        return {TrajectoryList(benchmark, runs, {"q": f"{name}:{text}"}).total for name in ("transcript", "answer")}

    def is_kept():
        return WordFile.objects.filter(revision=F("run__revision")).exists()

    seen = {**MUG, "answer": "a saucer", "steps": [{"tool": "zoom_in", "observation": "The saucer is blue."}]}
    took(lea, benchmark, write(tmp_path, seen, CUP))
    assert (found("saucer"), is_kept()) == ({1}, False)
    score_benchmark(actor=lea, benchmark=benchmark)
    assert (found("saucer"), is_kept()) == ({1}, True)
    took(lea, benchmark, write(tmp_path, {**MUG, "answer": "plate", "steps": [{"tool": "look", "text": "A plate."}]}))
    assert (found("saucer"), found("plate"), is_kept()) == ({0}, {1}, False)
    score_benchmark(actor=lea, benchmark=benchmark, only_stale=True)
    assert (found("saucer"), found("plate"), is_kept()) == ({0}, {1}, True)


def test_a_batch_of_known_rows_takes_as_many_queries_as_one_row(lea, benchmark, tmp_path):
    counted = []
    for name, rollouts in (("few.jsonl", 1), ("many.jsonl", 60)):
        path = write(tmp_path, *({**MUG, "rollout": n} for n in range(rollouts)), name=name)
        took(lea, benchmark, path)
        with CaptureQueriesContext(connection) as queries:
            took(lea, benchmark, path)
        counted.append(len(queries))
    assert counted[0] == counted[1]


def turn(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def test_a_row_whose_boxes_depend_on_the_size_of_a_picture_is_read_again_when_that_changes(
    lea, benchmark, tmp_path, decoded
):
    content = SampleContent("Which number?", AnswerType.MULTIPLE_CHOICE, {"A": "1", "B": "2"}, ("A",))
    door = SampleRecord("door", content, "door.jpg", None, 7680, 4320)
    save_samples(actor=lea, benchmark=benchmark, records=[door])
    call = {"name": "image_zoom_in_tool", "arguments": {"bbox_2d": [1000, 600, 1400, 900]}}
    asked = {"role": "user", "content": [{"type": "text", "text": "Question: Which number?\nOptions: \nA. 1\nB. 2\n"}]}
    shown = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": ""}}]}
    said = [turn(f"<tool_call>{json.dumps(call)}</tool_call>"), shown, turn("<answer>A</answer>")]
    row = {"question": "Which number?", "pred_ans": "A", "pred_output": [asked, *said], "status": "success"}
    path = write(tmp_path, row, name="result_8k_m.jsonl")

    def outcome() -> tuple[bool, str, float]:
        decoded.clear()
        _, done = import_runs(actor=lea, benchmark=benchmark, path=path, format="deepeyes")
        [how] = {"new", "changed", "unchanged"} & set(+done.counts)
        return bool(decoded), how, Step.objects.get().x1

    first = outcome()
    assert first[:2] == (True, "new")
    assert outcome() == (False, "unchanged", first[2])
    save_samples(actor=lea, benchmark=benchmark, records=[replace(door, width=3840, height=2160)])
    last = outcome()
    assert last[:2] == (True, "changed")
    assert last[2] != first[2]


ROWS = [
    MUG, {**MUG, "answer": "A"}, CUP, {**CUP, "error": "late"}, {**CUP, "rollout": 1}, EMPTY_BOX,
    {**CUP, "rollout": 1, "sample_id": "nobody"}, {**MUG, "model": "N"}, {"model": "M"},
    {"model": "M", "sample_id": "mug", "kind": "answer", "verdict": "yes"},
]  # fmt: skip
files = st.lists(st.sampled_from(ROWS), min_size=1, max_size=14)


def everything(benchmark: Benchmark) -> dict[str, Any]:
    """All that imports have left, by what it says and not by where it is kept."""
    names = [f.name for f in Trajectory._meta.fields if f.name not in ("id", "run", "source", "row_digest")]
    found = Trajectory.objects.of(benchmark).order_by("run__model__name", "sample", "rollout", "condition")
    issues = ImportIssue.objects.filter(record__benchmark=benchmark)
    return {
        "counts": [dict(r.counts) for r in benchmark.imports.order_by("pk")],
        "trajectories": list(found.values("run__model__name", "sample__key", *(n for n in names if n != "sample"))),
        "steps": list(found.values_list("steps__tool", "steps__x1")),
        "issues": list(issues.order_by("pk").values_list("rule", "line", "found")),
    }


@pytest.mark.one_database
@given(given_files=st.lists(files, min_size=2, max_size=3), chunk=st.integers(1, 6))
@fewer(suppress_health_check=list(HealthCheck))
@pytest.mark.endurance
def test_recognising_rows_makes_no_difference_but_time(lea, tmp_path_factory, given_files, chunk):
    found = []
    for knows in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rows, "PROGRESS_EVERY", chunk)
            patch.setattr(module, "BATCH", chunk)
            if not knows:
                patch.setattr(stored_rows, "_stored", lambda benchmark, digests: {})
            benchmark = create_benchmark(actor=lea, slug=f"b{Benchmark.objects.count()}")
            save_samples(actor=lea, benchmark=benchmark, records=records.samples())
            for number, content in enumerate([*given_files, given_files[-1]]):
                folder = tmp_path_factory.mktemp(f"file-{number}")
                import_runs(actor=lea, benchmark=benchmark, path=write(folder, *content), format="native")
            found.append(everything(benchmark))
    assert found[0] == found[1]
