"""Import, export, import, export: the same bytes, whatever the records."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.exporters.native import sample_row, write_native
from annotation.importers.interface import ReadOptions as SampleOptions
from annotation.importers.native import read as read_samples
from annotation.schema import SampleRecord
from evaluation.exporters.native import intervention_row, judgement_row, rollout_group_row, trajectory_row
from evaluation.importers.interface import ReadOptions, Settings
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.native import read as read_runs
from evaluation.schema import Intervention, Judgement, RolloutGroup, Trajectory

INDEX = MemoryIndex([SampleKey("s1"), SampleKey("s2")])

words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
labels = st.text(st.sampled_from("abcXYZ äé😀_"), min_size=1, max_size=8).filter(lambda s: s.strip() != "")
numbers = st.one_of(st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, words)
anything = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3))
coordinates = st.one_of(st.integers(-50, 400), st.floats(-50, 400))
boxes = st.one_of(st.lists(coordinates, min_size=4, max_size=4), st.lists(scalars, max_size=5), words)


def optional(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keys)


def with_id(required: Mapping[str, st.SearchStrategy[Any]], **keys: st.SearchStrategy[Any]) -> Any:
    return st.fixed_dictionaries(dict(required), optional=keys)


calls = st.one_of(
    labels,
    with_id(
        {"tool": labels}, arguments=st.dictionaries(words, anything, max_size=2), image_in=labels, image_out=labels
    ),
)
samples = with_id(
    {"id": labels},
    question=words,
    answer_type=st.sampled_from(["mc", "open"]),
    options=st.dictionaries(st.sampled_from("ABCD"), words),
    answer=st.one_of(words, st.lists(words, max_size=3), numbers, st.none()),
    gold_boxes=st.lists(st.lists(coordinates, min_size=4, max_size=4), max_size=3),
    width=st.integers(0, 500),
    height=st.integers(1, 500),
    image=words,
    image_group=labels,
    category=scalars,
    tier=numbers,
    segments=st.lists(words, max_size=3),
    facets=st.dictionaries(words, st.one_of(scalars, st.lists(scalars, max_size=3)), max_size=3),
    reference_toolchain=st.lists(calls, max_size=3),
    targets=st.lists(with_id({"tool": labels, "step": st.integers(1, 4)}, either=st.integers(1, 2)), max_size=2),
    distractors=st.one_of(st.lists(words, max_size=3), words),
    ordered=st.one_of(st.booleans(), st.none()),
    unknown=anything,
)
steps = with_id(
    {"tool": labels},
    args=st.one_of(st.dictionaries(words, anything, max_size=2), words),
    bbox=boxes,
    executed_bbox=boxes,
    coords=st.sampled_from(["pixel", "norm1", "norm1000"]),
    image_in=st.one_of(labels, st.lists(labels, max_size=2)),
    image_out=labels,
    out_size=st.lists(coordinates, min_size=2, max_size=2),
    ok=st.one_of(st.booleans(), st.none()),
    text=words,
    observation=words,
    label=words,
    flag=st.sampled_from(["", "post_answer", "unused", "odd"]),
    unknown=anything,
)
tools = st.one_of(st.none(), words, st.lists(words, max_size=3))
trajectories = with_id(
    {"model": labels, "sample_id": st.sampled_from(["s1", "s2", "stranger"])},
    setting=words,
    rollout=st.integers(0, 3),
    condition=labels,
    steps=st.lists(steps, max_size=3),
    final_image=labels,
    answer=st.one_of(words, numbers, st.none()),
    judge_correct=st.one_of(st.booleans(), st.none()),
    predicted_tools_recognition=tools,
    predicted_tools_plan=tools,
    match_map_plan=st.dictionaries(words, st.one_of(st.none(), words), max_size=2),
    error=words,
    usage=optional(input_tokens=st.integers(0, 9), seconds=st.floats(0, 9), usd=numbers),
    unknown=anything,
)
interventions = with_id(
    {"model": labels, "sample_id": st.just("s1"), "condition": labels}, correct=scalars, answer=words, setting=words
)
judgements = with_id(
    {"model": labels, "sample_id": st.just("s1"), "kind": st.sampled_from(["reliability", "answer"])},
    verdict=st.one_of(st.none(), words),
    judge=words,
    other=anything,
)
rollouts = st.fixed_dictionaries(
    {
        "image_tokens": st.integers(0, 9),
        "acc": st.floats(0, 1),
        "format": st.integers(0, 1),
        "sufficient": st.booleans(),
    }
)
groups = with_id({"group_id": labels, "rollouts": st.lists(rollouts, max_size=2)}, alpha=st.one_of(st.none(), numbers))
documents = with_id(
    {"settings": st.just({"ioa_threshold": 0.3})},
    samples=st.lists(samples, max_size=3),
    trajectories=st.lists(trajectories, max_size=3),
    interventions=st.lists(interventions, max_size=2),
    judgements=st.lists(judgements, max_size=2),
    rollout_groups=st.lists(groups, max_size=2),
)
ROWS = {
    Trajectory: ("trajectories", trajectory_row),
    Intervention: ("interventions", intervention_row),
    Judgement: ("judgements", judgement_row),
    RolloutGroup: ("rollout_groups", rollout_group_row),
}


def exported(path: Path) -> bytes:
    """What is written after reading ``path``."""
    sections: dict[str, Any] = {"samples": []}
    for record in read_samples(path, SampleOptions()):
        if isinstance(record, SampleRecord):
            sections["samples"].append(sample_row(record))
        elif isinstance(record, Settings):
            sections["settings"] = record.values
    for thing in read_runs(path, ReadOptions(), INDEX):
        if type(thing) in ROWS:
            name, row = ROWS[type(thing)]  # type: ignore[index]
            sections.setdefault(name, []).append(row(thing))  # type: ignore[operator]
    out = io.BytesIO()
    write_native(out, sections)
    return out.getvalue()


@given(documents)
@settings(suppress_health_check=list(HealthCheck))
def test_an_export_read_again_is_the_same_bytes(tmp_path_factory: pytest.TempPathFactory, document: Any) -> None:
    folder = tmp_path_factory.mktemp("round")
    (folder / "first.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "second.json").write_bytes(exported(folder / "first.json"))
    assert exported(folder / "second.json") == (folder / "second.json").read_bytes()


def test_rows_are_written_one_per_line_with_sorted_keys() -> None:
    out = io.BytesIO()
    count = write_native(out, {"trajectories": [], "samples": [{"id": "ä", "a": 2.0, "b": 0.5}, {"id": "b"}]})
    assert count == 2
    assert out.getvalue().decode() == '{\n"samples": [\n{"a": 2, "b": 0.5, "id": "ä"},\n{"id": "b"}\n]\n}\n'


def test_an_empty_export_is_still_json() -> None:
    out = io.BytesIO()
    assert write_native(out, {"samples": []}) == 0
    assert json.loads(out.getvalue()) == {}


def test_an_unknown_key_that_is_now_a_known_one_is_set_apart() -> None:
    row = trajectory_row(Trajectory(model="m", sample_id="s1", extra={"answer": "gold", "note": 1}))
    assert row == {"model": "m", "sample_id": "s1", "extra.answer": "gold", "note": 1}


def test_an_empty_prediction_stays_apart_from_a_missing_one() -> None:
    assert trajectory_row(Trajectory("m", "s1", plan=()))["predicted_tools_plan"] == []
    assert "predicted_tools_plan" not in trajectory_row(Trajectory("m", "s1"))
