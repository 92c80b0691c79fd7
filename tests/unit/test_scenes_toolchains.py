"""The reference toolchains of the demo run through the toolbox, and what comes out tells the values apart."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.imaging.crops import Picture
from annotation.schema import SampleRecord
from annotation.toolbox.runner import run_chain
from demo.scenes.benchmark import demo_benchmark
from demo.scenes.canvas import HEIGHT, WIDTH
from demo.scenes.chains import reference_chain
from demo.scenes.evidence import Evidence
from demo.scenes.raster import picture_of

BENCHMARK = demo_benchmark(101)
GROUND = np.full((HEIGHT, WIDTH, 3), 120, np.uint8)


@pytest.mark.parametrize("sample", BENCHMARK.samples, ids=lambda sample: sample.id)
def test_a_reference_toolchain_runs_to_its_end(sample: SampleRecord) -> None:
    calls = sample.content.reference_toolchain
    result = run_chain(GROUND, calls)
    assert result.error is None
    assert len(result.steps) == len(calls) >= 2


@pytest.mark.parametrize("sample", BENCHMARK.samples, ids=lambda sample: sample.id)
def test_what_a_reference_toolchain_makes_differs_visibly_from_value_to_value(sample: SampleRecord) -> None:
    for part in BENCHMARK.looks[sample.id].parts:
        first, *others = (made(part, value, sample.facets["category"][0]) for value in part.values)
        for other in others:
            # A stroke of fine print is a few pixels wide once enlarged, and stands out by more than grain does.
            assert (abs(first.astype(int) - other.astype(int)) >= 20).sum() >= 20, (sample.id, part.name)


def made(part: Evidence, value: str, category: str) -> Picture:
    patch = picture_of(part.patch(value))
    last = run_chain(patch, reference_chain(category, [(0, 0, patch.shape[1], patch.shape[0])])).last
    assert last is not None
    assert last.image is not None
    return last.image
