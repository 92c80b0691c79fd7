"""The reference toolchains of the demo run through the toolbox, on the pictures they belong to."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scenes.benchmark import demo_benchmark
from annotation.schema import SampleRecord
from annotation.toolbox.runner import run_chain

BLANK = np.random.default_rng(1).integers(0, 256, (2160, 3840, 3), dtype=np.uint8)


@pytest.mark.parametrize("sample", demo_benchmark(7).samples, ids=lambda sample: sample.id)
def test_a_reference_toolchain_runs_to_its_end(sample: SampleRecord) -> None:
    calls = sample.content.reference_toolchain
    result = run_chain(BLANK, calls)
    assert result.error is None
    assert len(result.steps) == len(calls) >= 2
