"""A whole benchmark, as it is exported, is recognised although its samples stand far behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.importers import detect_format


@pytest.mark.parametrize("first", ["interventions", "judgements", "rollout_groups", "trajectories", "settings"])
def test_a_native_file_of_everything_is_a_benchmark_whatever_stands_first(tmp_path: Path, first: str) -> None:
    long = [{"model": "M", "sample_id": "s", "text": "x" * 1000} for _ in range(400)]
    path = tmp_path / "all.json"
    behind = [{"model": "M", "sample_id": "s", "text": "y" * 1000} for _ in range(400)]
    body = {first: {"alpha": 0.5} if first == "settings" else long, "samples": [{"id": "s"}], "zzz": behind}
    path.write_text(json.dumps(body))
    found = detect_format(path)
    assert found[0].importer == "native"
    assert found[0].confidence >= 0.5


@pytest.mark.parametrize(
    "other",
    [{"version": 2, "samples_n": 3}, {"version": 2, "status": "success", "eval": {}, "samples": [{"id": 1}]}],
    ids=["any other", "a log of Inspect AI, whose samples are what a model did"],
)
def test_another_object_is_not(tmp_path: Path, other: dict[str, object]) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other))
    assert detect_format(path) == []
