"""The samples of a benchmark as tables for queries, for filters of trajectories by sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotation.models import Benchmark, ContentChange, FacetValue, GoldBox, GoldShape, PlanTool, Sample
from annotation.models.querysets.samples import cluster_image
from annotation.schema import OutlineKind
from evaluation.metrics.columns import cluster_codes
from evaluation.store.build import Arrays
from evaluation.store.engine import parquet
from evaluation.store.files import folder, kept_file
from evaluation.store.parquet import write_parquet
from evaluation.store.schema import SCHEMA

CHUNK = 5000
_SAMPLES = """
SELECT sample, answer_type, area, cluster::BIGINT AS cluster, width, height,
    (coalesce(len(edges) // 4, 0) + coalesce(points.n, 0))::INTEGER AS boxes,
    coalesce(targets.n, 0)::INTEGER AS targets,
    coalesce(edges, []) AS gold_boxes
FROM samples
LEFT JOIN (SELECT revision, list(edge ORDER BY position) AS edges FROM gold_boxes GROUP BY revision) boxes
    USING (revision)
LEFT JOIN (SELECT revision, count(*) AS n FROM gold_points GROUP BY revision) points USING (revision)
LEFT JOIN (SELECT revision, count(*) AS n FROM plan_tools GROUP BY revision) targets USING (revision)
ORDER BY sample
"""
_WITH_CLUSTERS = """
SELECT changed.* REPLACE (whole.cluster AS cluster)
FROM ({samples}) changed JOIN {whole} whole USING (sample) ORDER BY sample
"""
_FACETS = "SELECT DISTINCT name, value, sample FROM facets ORDER BY name, value, sample"


MOST_CHANGED = 100
"""If more samples have changed one by one, all files are written again."""


@dataclass(frozen=True, slots=True)
class SampleFiles:
    """The samples of a benchmark at one change number: files on this machine.

    Attributes:
        samples: one row per sample, with answer type, evidence area, image cluster, size of the image, numbers of gold
            shapes and targets, and four numbers of each gold box and of the box around each polygon.
        facets: one row per value of a facet of a sample.
        number: their change number of the benchmark.
        changed: samples whose rows in these files have an earlier number.
        changed_samples, changed_facets: files with the rows of those samples; None where there are none.
    """

    samples: Path
    facets: Path
    number: int
    changed: tuple[int, ...] = ()
    changed_samples: Path | None = None
    changed_facets: Path | None = None

    @property
    def paths(self) -> list[Path]:
        return [path for path in (self.samples, self.facets, self.changed_samples, self.changed_facets) if path]

    def queries(self) -> dict[str, str]:
        """The queries for the rows of both tables, by name."""
        return {
            "samples": self._query(self.samples, self.changed_samples),
            "facets": self._query(self.facets, self.changed_facets),
        }

    def _query(self, whole: Path, part: Path | None) -> str:
        rows = f"SELECT * FROM {parquet(whole)}"
        if part is None:
            return rows
        return f"{rows} WHERE sample NOT IN ({_list(self.changed)}) UNION ALL SELECT * FROM {parquet(part)}"


def sample_files(benchmark: Benchmark) -> SampleFiles:
    """Return the files of the samples for the current change number of the benchmark. One query, and seven after a
    change.

    If samples changed one by one since files were written here, only their rows are written again.
    """
    changes = ContentChange.objects.latest_first(benchmark.pk)
    number = sum(step for step, _ in changes)
    base, changed = _written_here(benchmark, number, changes)
    files = SampleFiles(
        kept_file(_path("samples", benchmark, base), lambda path: _write_samples(benchmark, path)),
        kept_file(_path("facets", benchmark, base), lambda path: _write_facets(benchmark, path)),
        number,
    )
    if not changed:
        return files
    since = f"{number}-since-{base}"
    return replace(
        files,
        changed=changed,
        changed_samples=kept_file(
            _path("samples", benchmark, since), lambda path: _write_samples(benchmark, path, changed, files.samples)
        ),
        changed_facets=kept_file(
            _path("facets", benchmark, since), lambda path: _write_facets(benchmark, path, changed)
        ),
    )


def _path(table: str, benchmark: Benchmark, number: int | str) -> Path:
    return folder() / f"{table}-{SCHEMA}-{benchmark.pk}-{benchmark.created_at.timestamp():.6f}-{number}.parquet"


def _written_here(
    benchmark: Benchmark, number: int, changes: Sequence[tuple[int, int | None]]
) -> tuple[int, tuple[int, ...]]:
    """Return the number of the files on this machine that need the fewest changed samples, and these samples. Without
    such files, return today's number.

    A change adds a random step to the number. Today's number minus the latest steps is therefore the number before
    these changes.
    """
    changed: set[int] = set()
    before = number
    for step, sample in changes:
        if all(_path(table, benchmark, before).exists() for table in ("samples", "facets")):
            return before, tuple(sorted(changed))
        if sample is None or len(changed) == MOST_CHANGED:
            break
        changed.add(sample)
        before -= step
    return number, ()


def _write_samples(benchmark: Benchmark, path: Path, changed: Sequence[int] = (), whole: Path | None = None) -> None:
    """``changed``: only these samples, whose image clusters are those in the file ``whole``."""
    fields = (
        "pk", "gold__revision__answer_type", "gold__revision", "evidence_share", "image_group", cluster_image(),
        "image_name", "width", "height",
    )  # fmt: skip
    found = Sample.objects.filter(benchmark=benchmark)
    found = found.filter(pk__in=changed) if changed else found
    rows = list(found.order_by("key").values_list(*fields).iterator(CHUNK))
    samples: Arrays = {
        "sample": np.array([row[0] for row in rows], np.int64),
        "answer_type": np.array([row[1] for row in rows], np.object_),
        "revision": np.array([row[2] or 0 for row in rows], np.int64),
        "area": np.array([np.nan if row[3] is None else row[3] for row in rows], np.float64),
        "cluster": cluster_codes((row[0], *row[4:7]) for row in rows),
        "width": np.array([row[7] for row in rows], np.float64),
        "height": np.array([row[8] for row in rows], np.float64),
    }
    of_gold: dict[str, Any] = {"revision__gold_of__sample__benchmark": benchmark}
    if changed:
        of_gold["revision__gold_of__sample__in"] = changed
    polygons = GoldShape.objects.filter(**of_gold)
    tables = {
        "samples": samples,
        "gold_boxes": _edges(GoldBox.objects.filter(**of_gold), polygons.exclude(kind=OutlineKind.POINT.value)),
        "gold_points": _revisions(polygons.filter(kind=OutlineKind.POINT.value)),
        "plan_tools": _revisions(PlanTool.objects.filter(**of_gold, step__isnull=False)),
    }
    statement = _SAMPLES if whole is None else _WITH_CLUSTERS.format(samples=_SAMPLES, whole=parquet(whole))
    write_parquet(statement, tables, path, folder())


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _edges(boxes: QuerySet[GoldBox], polygons: QuerySet[GoldShape]) -> Arrays:
    """The four edges of each box, and of the box around each polygon, one after the other."""
    columns = ("revision_id", "position", "x1", "y1", "x2", "y2")
    rows = list(boxes.order_by("revision", "position").values_list(*columns).iterator(CHUNK))
    if around := [(one.revision_id, one.position, *one.outline.as_list()) for one in polygons]:
        rows = sorted([*rows, *around])
    found = np.delete(np.array(rows, np.float64).reshape(-1, 6), 1, axis=1)
    edges = found[:, 1:].ravel()
    return {
        "revision": np.repeat(found[:, 0].astype(np.int64), 4), "position": np.arange(len(edges)), "edge": edges,
    }  # fmt: skip


def _revisions(rows: QuerySet[Any]) -> Arrays:
    pks = rows.order_by().values_list("revision_id", flat=True).iterator(CHUNK)
    return {"revision": np.fromiter(pks, np.int64)}


def _write_facets(benchmark: Benchmark, path: Path, changed: Sequence[int] = ()) -> None:
    """``changed``: only those of these samples."""
    found = FacetValue.objects.filter(sample__benchmark=benchmark)
    found = found.filter(sample__in=changed) if changed else found
    rows = found.order_by().values_list("name", "value", "sample_id")
    name, value, sample = list(zip(*rows.iterator(CHUNK), strict=True)) or [(), (), ()]
    facets: Arrays = {
        "name": np.array(name, np.object_), "value": np.array(value, np.object_), "sample": np.array(sample, np.int64),
    }  # fmt: skip
    write_parquet(_FACETS, {"facets": facets}, path, folder())
