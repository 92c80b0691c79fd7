"""What the bench of reading measures, each in a process of its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench.invented import key
from bench.stages import SLUG


def read(path: str, format: str, samples: int) -> dict[str, Any]:
    """Every record of a file, kept nowhere."""
    from evaluation.importers import IMPORTERS
    from evaluation.importers.interface import ReadOptions
    from evaluation.importers.matching import MemoryIndex, SampleKey
    from evaluation.schema import Trajectory

    index = MemoryIndex(SampleKey(key(n), f"{key(n)}.jpg", size=(4000, 3000)) for n in range(samples))
    begun = time.process_time()
    stream = IMPORTERS[format].read(Path(path), ReadOptions(), index)
    records = sum(1 for item in stream if isinstance(item, Trajectory))
    if not records:
        raise RuntimeError(f"Nothing of {path} could be read as {format}.")
    return {"records": records, "processor": time.process_time() - begun}


def import_runs_of(path: str, format: str) -> dict[str, Any]:
    """One import, as the command does it."""
    from annotation.models import Benchmark
    from evaluation.imports.write.runs import import_runs

    benchmark = Benchmark.objects.get(slug=SLUG)
    begun, worked = time.perf_counter(), time.process_time()
    _, imported = import_runs(actor=None, benchmark=benchmark, path=Path(path), format=format)
    taken = {"seconds": time.perf_counter() - begun, "processor": time.process_time() - worked}
    return {**taken, "counts": dict(imported.counts)}


def first_seen(path: str) -> dict[str, Any]:
    """A dry run of an upload, watched as the page watches it: when its first records are there, and when it ends."""
    from django.conf import settings

    from annotation.models import Benchmark, ImportRecord
    from evaluation.imports.write.preview.file import dry_run

    source = Path(path)
    folder = Path(settings.SCRATCH) / "bench"
    folder.mkdir(parents=True)
    (folder / source.name).symlink_to(source)
    options = {"model": "", "setting": "", "coordinates": ""}
    record = ImportRecord.objects.create(
        benchmark=Benchmark.objects.get(slug=SLUG), kind="runs", state="reading", file_name=source.name,
        format="native", options=options, upload=f"bench/{source.name}",
    )  # fmt: skip
    seen: list[float] = []
    begun = time.perf_counter()

    def watch(progress: object) -> None:
        if not seen and ImportRecord.objects.get(pk=record.pk).preview.get("first"):
            seen.append(time.perf_counter() - begun)

    dry_run(record.pk, watch)
    whole = time.perf_counter() - begun
    return {"first": seen[0] if seen else whole, "seconds": whole}
