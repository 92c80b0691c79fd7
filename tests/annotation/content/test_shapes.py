"""Polygons and points from submitting to gold, the API, exports and a portable file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.content.checks import ChecksFailed
from annotation.content.revisions import content_of, revision_json
from annotation.models import Benchmark, BenchmarkSchema, GoldBox, GoldShape, Revision, Sample
from annotation.portable.read.project import export_project
from annotation.project_file import Reader, differences
from annotation.schema import Outline
from annotation.studio.write.draft import save_draft
from annotation.versions.read.fields import fields_of, gold_content
from evaluation.exports.write import import_project
from evaluation.scoring.load.columns import load_samples
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in

TRIANGLE = {"kind": "polygon", "points": [[10, 10], [50, 10], [10, 90]]}
DOT = {"kind": "point", "points": [[300.5, 40]]}
BOX = [100, 100, 120, 115]
EVIDENCE = [TRIANGLE | {"label": "wing"}, {"box": BOX, "label": ""}, DOT | {"label": "eye"}]

pytestmark = pytest.mark.django_db


@pytest.fixture
def benchmark(ana, rui, lea) -> Benchmark:
    made = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    shapes = {"evidence": {"shapes": ["box", "polygon", "point"]}}
    BenchmarkSchema.objects.create(
        benchmark=made, number=1, state="active", activated_at=timezone.now(), content=shapes
    )  # fmt: skip
    return Benchmark.objects.get(pk=made.pk)


@pytest.fixture
def accepted(benchmark, ana, rui) -> Sample:
    submitted(ana, benchmark, gold_boxes=EVIDENCE)
    sample = next_review(rui, benchmark)
    reviewed(rui, sample, "accept")
    return Sample.objects.with_gold().get(pk=sample.pk)


def test_shapes_are_stored_in_their_order_and_read_again(accepted):
    revision = accepted.gold.revision
    assert [type(row) for row in revision.evidence] == [GoldShape, GoldBox, GoldShape]
    assert revision_json(revision)["gold_boxes"] == [
        {"box": [10, 10, 50, 90], "label": "wing", **TRIANGLE},
        {"box": BOX, "label": ""},
        {"box": [300, 39, 301, 40], "label": "eye", **DOT},
    ]
    assert accepted.evidence_share == pytest.approx((1600 + 300) / 800_000)
    assert fields_of(gold_content(revision))["Box G1"] == "polygon 10, 10; 50, 10; 10, 90, wing"


def test_metrics_get_the_outlines_of_the_gold(accepted, benchmark):
    columns = load_samples(benchmark).columns
    assert columns.gold_boxes.tolist() == [[10, 10, 50, 90], BOX, [300, 39, 301, 40]]
    assert columns.gold_outlines == [shape if isinstance(shape, Outline) else None for shape in _gold(accepted)]


def _gold(sample):
    return content_of(sample.gold.revision).gold_boxes


def test_a_shape_that_the_task_does_not_allow_is_a_finding_of_the_draft(benchmark, ana):
    BenchmarkSchema.objects.update(content={"evidence": {"shapes": ["box"]}})
    sample = take_one(ana, Benchmark.objects.get(pk=benchmark.pk))
    saved = save_draft(actor=ana, sample=sample, version=0, content=content(gold_boxes=EVIDENCE))
    assert {one.field for one in saved.checks if one.level == "error"} == {"gold_boxes[0]", "gold_boxes[2]"}


def test_a_shape_beyond_the_image_is_refused_on_submitting(benchmark, ana):
    beyond = {"kind": "point", "points": [[1001, 4]], "label": ""}
    with pytest.raises(ChecksFailed, match="beyond the image"):
        submitted(ana, benchmark, gold_boxes=[beyond])
    assert not Revision.objects.exists()


def test_the_api_gives_shapes_as_the_native_format_does(accepted, benchmark, lea):
    row = signed_in(lea).get(f"/api/v1/benchmarks/{benchmark.slug}/samples/{accepted.key}/").json()
    assert row["gold_boxes"] == [TRIANGLE, BOX, DOT]
    assert row["box_labels"] == ["wing", "", "eye"]


def test_pages_draw_the_outline(accepted, benchmark, lea):
    page = signed_in(lea).get(f"/benchmarks/{benchmark.slug}/samples/").content.decode()
    assert 'd="M10 10L50 10L10 90Z"' in page
    assert 'class="gold is-point"' in page
    page = signed_in(lea).get(f"/benchmarks/{benchmark.slug}/samples/{accepted.key}/").content.decode()
    assert '"points": [[10, 10], [50, 10], [10, 90]]' in page


def test_a_submitted_shape_never_changes(accepted):
    with pytest.raises(IntegrityError), transaction.atomic():
        GoldShape.objects.update(points=[[1, 1]])
    with pytest.raises(IntegrityError), transaction.atomic():
        GoldShape.objects.create(revision=accepted.gold.revision, position=9, kind="circle", points=[[1, 1]])


def test_a_portable_file_carries_shapes(accepted, benchmark, lea, tmp_path: Path):
    def written(one: Benchmark, name: str) -> Path:
        out = io.BytesIO()
        export_project(actor=None, benchmark=one, out=out, named=True)
        (tmp_path / name).write_bytes(out.getvalue())
        return tmp_path / name

    # The files of these images do not exist.
    Sample.objects.update(image=None)
    file = written(benchmark, "a")
    made = import_project(actor=lea, path=file, slug="copy", lead=lea)
    with Reader(file) as first, Reader(written(made, "b")) as second:
        assert differences(first, second) == []
    assert _gold(Sample.objects.with_gold().get(benchmark=made, gold__isnull=False)) == _gold(accepted)
