"""Masks in files of COCO and Label Studio: polygons where the task of the benchmark allows them, also in exports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.records import sample_records
from annotation.exchange.write.samples import import_samples
from annotation.exporters import EXPORTERS
from annotation.models import Benchmark, BenchmarkSchema, ImportIssue
from annotation.schema import Box, Outline
from tests.unit.test_coco_masks import L_SHAPE, masked
from tests.unit.test_import_label_studio import brush, made, task
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def coco_file(folder: Path) -> Path:
    path = folder / "instances.json"
    about = {"image_id": 1, "category_id": 1, "iscrowd": 0}
    path.write_text(json.dumps({
        "images": [{"id": 1, "file_name": "a.png", "width": 20, "height": 10}],
        "annotations": [
            {**about, "id": 7, "bbox": [1, 2, 8, 6], "segmentation": masked(*L_SHAPE, text=True)},
            {**about, "id": 8, "bbox": [0, 0, 2, 2]},
        ],
        "categories": [{"id": 1, "name": "cup"}],
    }))  # fmt: skip
    return path


def label_studio_file(folder: Path) -> Path:
    path = folder / "tasks.json"
    mask = brush("cup", 20, 10, (slice(2, 8), slice(1, 4)), (slice(5, 8), slice(4, 9)))
    path.write_text(json.dumps([task(made(mask), data={"image": "a.png", "width": 20, "height": 10})]))
    return path


FILES: dict[str, Callable[[Path], Path]] = {"coco": coco_file, "label-studio": label_studio_file}


def kitchen(lea: User, *shapes: str, slug: str = "kitchen") -> Benchmark:
    benchmark = create_benchmark(actor=lea, slug=slug, title=slug)
    content: dict[str, Any] = {"evidence": {"shapes": list(shapes)}}
    BenchmarkSchema.objects.filter(benchmark=benchmark).delete()
    BenchmarkSchema.objects.create(
        benchmark=benchmark, number=1, state="active", activated_at=timezone.now(), content=content
    )
    return Benchmark.objects.get(pk=benchmark.pk)


def gold(benchmark: Benchmark) -> tuple[Box, ...]:
    [record] = sample_records(benchmark)
    return record.content.gold_boxes


def labels(benchmark: Benchmark) -> list[str]:
    [record] = sample_records(benchmark)
    return list(record.extra["box_labels"])


@pytest.mark.parametrize("format", FILES)
def test_a_mask_is_the_shape_that_the_task_allows(lea: User, tmp_path: Path, format: str) -> None:
    path = FILES[format](tmp_path)
    boxes, polygons = kitchen(lea, "box"), kitchen(lea, "box", "polygon", slug="hall")
    for benchmark in (boxes, polygons):
        import_samples(actor=lea, benchmark=benchmark, path=path, format=format)
    assert gold(boxes)[0] == Box(1, 2, 9, 8)
    assert isinstance(gold(polygons)[0], Outline)
    said = list(ImportIssue.objects.filter(record__benchmark=boxes).values_list("done", flat=True))
    assert any("Allow" in one and "before the import." in one for one in said), said


@pytest.mark.parametrize("export", ["native", "coco", "label-studio"])
@pytest.mark.parametrize("format", FILES)
def test_an_imported_mask_is_equal_after_export_and_import(lea: User, tmp_path: Path, format: str, export: str) -> None:
    benchmark, again = kitchen(lea, "box", "polygon"), kitchen(lea, "polygon", slug="hall")
    import_samples(actor=lea, benchmark=benchmark, path=FILES[format](tmp_path), format=format)
    path = tmp_path / "again.json"
    with path.open("wb") as out:
        EXPORTERS[export].write_to(out, sample_records(benchmark))
    _, result = import_samples(actor=lea, benchmark=again, path=path, format=export)
    assert result.counts["repaired"] == 0
    assert gold(again) == gold(benchmark)
    assert labels(again) == labels(benchmark) == ["cup"] * len(gold(benchmark))
