"""The samples of a benchmark as tables for queries: what narrows lists of trajectories by sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotation.models import Benchmark, ContentChange, FacetValue, GoldBox, PlanTool, Sample
from evaluation.metrics.columns import cluster_codes
from evaluation.store.build import Arrays
from evaluation.store.files import folder, kept_file
from evaluation.store.parquet import write_parquet
from evaluation.store.schema import SCHEMA

CHUNK = 5000
_SAMPLES = """
SELECT sample, answer_type, area, cluster::BIGINT AS cluster, width, height,
    coalesce(len(edges) // 4, 0)::INTEGER AS boxes, coalesce(targets.n, 0)::INTEGER AS targets,
    coalesce(edges, []) AS gold_boxes
FROM samples
LEFT JOIN (SELECT revision, list(edge ORDER BY position) AS edges FROM gold_boxes GROUP BY revision) boxes
    USING (revision)
LEFT JOIN (SELECT revision, count(*) AS n FROM plan_tools GROUP BY revision) targets USING (revision)
ORDER BY sample
"""
_FACETS = "SELECT DISTINCT name, value, sample FROM facets ORDER BY name, value, sample"


@dataclass(frozen=True, slots=True)
class SampleFiles:
    """``samples``: one row per sample, with answer type, evidence area, image cluster, size of the image, numbers of
    gold boxes and targets, and four numbers of each gold box. ``facets``: one row per value of a facet of a sample."""

    samples: Path
    facets: Path
    number: int
    """The change number of the benchmark that they are of."""


def sample_files(benchmark: Benchmark) -> SampleFiles:
    """Of the samples as they are now, by the change number of the benchmark. One query, and five when they changed."""
    number = ContentChange.objects.numbers([benchmark.pk])[benchmark.pk]
    named = f"{SCHEMA}-{benchmark.pk}-{benchmark.created_at.timestamp():.6f}-{number}.parquet"
    return SampleFiles(
        kept_file(folder() / f"samples-{named}", lambda path: _write_samples(benchmark, path)),
        kept_file(folder() / f"facets-{named}", lambda path: _write_facets(benchmark, path)),
        number,
    )


def _write_samples(benchmark: Benchmark, path: Path) -> None:
    fields = (
        "pk",
        "gold__revision__answer_type",
        "gold__revision",
        "evidence_share",
        "image_group",
        "image_id",
        "image_name",
        "width",
        "height",
    )
    rows = list(Sample.objects.filter(benchmark=benchmark).order_by("key").values_list(*fields).iterator(CHUNK))
    samples: Arrays = {
        "sample": np.array([row[0] for row in rows], np.int64),
        "answer_type": np.array([row[1] for row in rows], np.object_),
        "revision": np.array([row[2] or 0 for row in rows], np.int64),
        "area": np.array([np.nan if row[3] is None else row[3] for row in rows], np.float64),
        "cluster": cluster_codes((row[0], *row[4:7]) for row in rows),
        "width": np.array([row[7] for row in rows], np.float64),
        "height": np.array([row[8] for row in rows], np.float64),
    }
    of_gold = {"revision__gold_of__sample__benchmark": benchmark}
    tables = {
        "samples": samples,
        "gold_boxes": _edges(GoldBox.objects.filter(**of_gold)),
        "plan_tools": _revisions(PlanTool.objects.filter(**of_gold, step__isnull=False)),
    }
    write_parquet(_SAMPLES, tables, path, folder())


def _edges(boxes: QuerySet[GoldBox]) -> Arrays:
    """The four edges of each box, one after the other."""
    rows = boxes.order_by("revision", "position").values_list("revision_id", "x1", "y1", "x2", "y2").iterator(CHUNK)
    found = np.array(list(rows), np.float64).reshape(-1, 5)
    edges = found[:, 1:].ravel()
    return {
        "revision": np.repeat(found[:, 0].astype(np.int64), 4), "position": np.arange(len(edges)), "edge": edges,
    }  # fmt: skip


def _revisions(rows: QuerySet[Any]) -> Arrays:
    pks = rows.order_by().values_list("revision_id", flat=True).iterator(CHUNK)
    return {"revision": np.fromiter(pks, np.int64)}


def _write_facets(benchmark: Benchmark, path: Path) -> None:
    rows = FacetValue.objects.filter(sample__benchmark=benchmark).order_by().values_list("name", "value", "sample_id")
    name, value, sample = list(zip(*rows.iterator(CHUNK), strict=True)) or [(), (), ()]
    facets: Arrays = {
        "name": np.array(name, np.object_), "value": np.array(value, np.object_), "sample": np.array(sample, np.int64),
    }  # fmt: skip
    write_parquet(_FACETS, {"facets": facets}, path, folder())
