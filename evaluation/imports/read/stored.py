"""The stored, unchanged rows of a file, for the importers of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from annotation.models import Benchmark
from evaluation.importers.interface import Importer, SampleIndex, UnchangedRowDetector
from evaluation.importers.unchanged_rows import Stored
from evaluation.models import Trajectory

NAMES = (
    "row_digest", "run__model__name", "run__setting", "sample__key", "rollout", "condition", "error", "steps_n",
    "source_id",
)  # fmt: skip


def recogniser(
    benchmark: Benchmark, importer: Importer, options: Mapping[str, Any], samples: SampleIndex, *, anew: bool = False
) -> UnchangedRowDetector:
    """Return a detector of rows of this benchmark that were read with these choices, if none of their dependencies has
    changed.

    ``anew``: all rows are read, because none may be omitted when rows are replaced.
    """
    about = [importer.name, str(benchmark.pk), json.dumps(options, sort_keys=True)]
    if benchmark.sample_aliases.exists():
        about.append(json.dumps(sorted(benchmark.sample_aliases.values_list("name", "sample__key"))))
    if importer.by_content:
        about.append(samples.digest())
    empty = anew or not Trajectory.objects.of(benchmark).exists()
    return UnchangedRowDetector(_none if empty else partial(_stored, benchmark), *about)


def _none(digests: Sequence[bytes]) -> dict[bytes, Stored]:
    """A benchmark without runs is not asked again and again: a row that comes twice in its first file is compared."""
    return {}


def _stored(benchmark: Benchmark, digests: Sequence[bytes]) -> dict[bytes, Stored]:
    rows = Trajectory.objects.of(benchmark).as_read(digests).values_list(*NAMES)
    return {
        bytes(digest): Stored(model, setting, sample, rollout, condition, bool(error), steps, source)
        for digest, model, setting, sample, rollout, condition, error, steps, source in rows
    }
