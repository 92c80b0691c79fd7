"""The contents of the files of a benchmark in numbers, for the export page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Sum

from annotation.content.freeze import gold_digest
from annotation.exporters import EXPORTERS
from annotation.exporters.parts import Part
from annotation.images.store import WITHOUT_FILE
from annotation.models import Benchmark, GoldBox, GoldShape
from annotation.workflow import ExportStates, SampleState
from evaluation.common.records import on_samples
from evaluation.models import Trajectory


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What one file holds. ``image_bytes``: of its images together."""

    samples: int
    trajectories: int = 0
    image_bytes: int = 0


def count_files(benchmark: Benchmark, states: ExportStates) -> Mapping[str, FileCounts]:
    """The counts of each of ``EXPORTERS``. Four queries; a test compares them with the files."""
    samples = benchmark.samples.in_export(states)
    of_gold = OuterRef("gold__revision")
    boxed = Exists(GoldBox.objects.filter(revision=of_gold)) | Exists(GoldShape.objects.filter(revision=of_gold))
    every, with_evidence = samples.count(), samples.filter(boxed).count()
    stored = samples.exclude(image__state__in=WITHOUT_FILE).aggregate(total=Sum("image__bytes"))["total"] or 0
    trajectories = Trajectory.objects.of(benchmark).filter(*on_samples(states)).count()
    return {
        name: FileCounts(
            with_evidence if Part.BARE_SAMPLES in one.cannot_hold else every,
            0 if Part.RUNS in one.cannot_hold else trajectories,
            0 if Part.IMAGES in one.cannot_hold else stored,
        )
        for name, one in EXPORTERS.items()
    }


def count_reopened(benchmark: Benchmark) -> int:
    """Samples that have gold but are not accepted now, because they were opened again."""
    return benchmark.samples.filter(gold__isnull=False).exclude(state=SampleState.ACCEPTED).count()


@dataclass(frozen=True, slots=True)
class WorkingState:
    """The gold that files are written from. ``same_as``: the number of the version with this gold; ``last``: of the
    last version."""

    checksum: str
    same_as: int | None
    last: int | None


def working_state(benchmark: Benchmark) -> WorkingState:
    checksum = gold_digest(benchmark)
    versions = list(benchmark.versions.order_by("-number").values_list("number", "checksum"))
    same = next((number for number, known in versions if known == checksum), None)
    return WorkingState(checksum, same, versions[0][0] if versions else None)
