"""The demo run as a whole, on one picture: written, read back, answered and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.exporters.native import sample_row
from annotation.scenes.benchmark import demo_benchmark, write_picture
from annotation.schema import SampleContent, SampleRecord
from evaluation.agents import AGENTS
from evaluation.agents.demo import run_demo
from evaluation.schema import Judgement, Trajectory

SAMPLES = ("tools-steel-01", "tools-steel-05")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_picture(folder, next(p for p in demo_benchmark(7).pictures if p.name == "tools-steel"))
    return folder


def test_every_agent_runs_every_sample_under_its_conditions_and_is_judged_once(folder: Path) -> None:
    samples = [sample for sample in demo_benchmark(7).samples if sample.id in SAMPLES]
    told: list[tuple[int, int]] = []
    made = list(run_demo(folder, samples, 7, lambda done, total: told.append((done, total))))
    runs = [(m.model, m.condition, m.sample_id) for m in made if isinstance(m, Trajectory)]
    assert sorted(runs) == sorted((a.name, c, s) for a in AGENTS.values() for c in a.conditions for s in SAMPLES)
    assert told == [(1, 2), (2, 2)]
    judged = {(m.model, m.sample_id) for m in made if isinstance(m, Judgement)}
    assert judged == {(a, s) for a in AGENTS if a != "whole image" for s in SAMPLES}


def test_a_sample_that_is_not_of_the_demo_is_refused(folder: Path) -> None:
    stranger = SampleRecord("stranger-01", SampleContent(), image="tools-steel.jpg")
    with pytest.raises(KeyError, match="stranger-01"):
        list(run_demo(folder, [stranger], 7))


def test_a_sample_is_written_in_the_native_format() -> None:
    row = json.loads(json.dumps(sample_row(demo_benchmark(7).samples[0])))
    assert row["image"] == "street-day.jpg"
    assert (row["width"], row["height"]) == (3840, 2160)
    assert row["gold_boxes"] == [[858, 1372, 914, 1438]]
    assert row["reference_toolchain"][0]["tool"] == "crop"
