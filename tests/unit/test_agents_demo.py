"""The samples of the demo: what is written, and what the agents take."""

from __future__ import annotations

import json

import pytest

from annotation.exporters.native import sample_row
from annotation.schema import SampleContent, SampleRecord
from demo.agents.run import run_demo
from demo.data import FOLDER, PUBLIC, SEED
from demo.scenes.benchmark import demo_benchmark


def test_a_sample_that_is_not_of_the_demo_is_refused() -> None:
    stranger = SampleRecord("stranger-01", SampleContent(), image="tools-steel.jpg")
    with pytest.raises(KeyError, match="stranger-01"):
        list(run_demo(FOLDER / PUBLIC, [stranger], SEED))


def test_a_sample_is_written_in_the_native_format() -> None:
    row = json.loads(json.dumps(sample_row(demo_benchmark(SEED).samples[0])))
    assert row["image"] == "street-day.jpg"
    assert (row["width"], row["height"]) == (3840, 2160)
    assert row["gold_boxes"] == [[858, 1372, 914, 1438]]
    assert row["reference_toolchain"][0]["tool"] == "crop"
