"""A Parquet file contains the stored files of images, or the reason why one is missing."""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from PIL import Image as Picture
from PIL.PngImagePlugin import PngInfo
from pyarrow import parquet

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.content.takedown import take_down
from annotation.exchange.write.samples import import_samples
from annotation.exporters import EXPORTERS
from annotation.exporters import parquet as exporter
from annotation.images.store import picture_path, store_pictures
from annotation.models import Benchmark, Sample
from annotation.schema import SampleContent, SampleRecord
from annotation.workflow import ExportStates
from evaluation.exports.read.formats import export_as
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common import objects

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KEYS = ("first", "second", "unnamed", "lost")


def png(shade: int) -> bytes:
    out, about = io.BytesIO(), PngInfo()
    about.add_text("Comment", "by Ana")
    Picture.fromarray(np.full((80, 100, 3), shade, np.uint8)).save(out, "PNG", pnginfo=about)
    return out.getvalue()


@pytest.fixture
def street(lea: User, tmp_path: Path) -> Benchmark:
    """Samples with an image, without one, and with one that is not in the folder."""
    benchmark = create_benchmark(actor=lea, slug="street", title="Street")
    names: list[str | None] = ["first.png", "second.png", None, "lost.png"]
    for shade, name in enumerate(names[:2]):
        (tmp_path / str(name)).write_bytes(png(40 * shade))
    content = SampleContent("Read it", answers=("14",))
    records = [SampleRecord(key, content, name) for key, name in zip(KEYS, names, strict=True)]
    about: Any = {"actor": lea, "benchmark": benchmark, "records": records}
    save_samples(**about, pictures=store_pictures(**about, folder=tmp_path, embedded={}))
    return benchmark


def stored(key: str) -> bytes:
    image = Sample.objects.get(key=key).image
    assert image is not None
    return objects.read(picture_path(image))


def exported(benchmark: Benchmark, format: str = "parquet") -> dict[str, dict[str, Any]]:
    export_as(format, benchmark, out := io.BytesIO(), ExportStates.ALL)
    return {row["id"]: row for row in parquet.read_table(out).to_pylist()}


def test_a_file_has_the_stored_bytes_without_the_metadata(street: Benchmark) -> None:
    rows = exported(street)
    for key in ("first", "second"):
        assert rows[key]["image"] == {"bytes": stored(key), "path": f"{key}.png"}
        assert rows[key]["image_missing"] is None
        assert b"by Ana" not in rows[key]["image"]["bytes"]
    assert rows["unnamed"]["image"] is None
    assert rows["lost"]["image"] == {"bytes": None, "path": "lost.png"}
    assert rows["lost"]["image_missing"].startswith("Image missing: lost.png")


def test_names_alone_are_a_format_of_their_own(street: Benchmark) -> None:
    rows = exported(street, "parquet-names")
    assert rows["first"]["image"] == {"bytes": None, "path": "first.png"}
    assert rows["first"]["image_missing"] is None


def test_a_removed_image_and_a_lost_file_are_null_with_the_reason(lea: User, street: Benchmark) -> None:
    first, second = Sample.objects.get(key="first"), Sample.objects.select_related("image").get(key="second")
    take_down(actor=lea, benchmark=street, sample=first, reason="Request of the owner.")
    objects.delete(picture_path(second.image))
    rows = exported(street)
    assert rows["first"]["image"] == {"bytes": None, "path": "first.png"}
    assert rows["first"]["image_missing"] == "Image removed: Request of the owner."
    assert rows["second"]["image"] == {"bytes": None, "path": "second.png"}
    assert rows["second"]["image_missing"] == "The stored file is missing."


def test_an_import_of_the_file_has_the_same_images(lea: User, street: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "street.parquet"
    call_command("export_benchmark", "street", format="parquet", output=path)
    copy = create_benchmark(actor=lea, slug="copy", title="Copy")
    record, _ = import_samples(actor=lea, benchmark=copy, path=path, format="parquet")
    assert record.counts.get("refused", 0) == 0
    images = dict(street.samples.values_list("key", "image__sha256"))
    assert dict(copy.samples.values_list("key", "image__sha256")) == images
    assert not any(Sample.objects.filter(benchmark=copy).exclude(extra={}))


def test_only_people_who_may_export_get_images(lea: User, sam: User, ana: User, street: Benchmark) -> None:
    address = "/benchmarks/street/export/parquet.parquet"
    answer: Any = signed_in(lea).get(address)
    assert stored("first") in b"".join(answer.streaming_content)
    assert signed_in(sam).get(address).status_code == 404


def test_a_row_group_has_a_limited_size_and_images_are_looked_up_in_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exporter, "GROUP_BYTES", 3000)
    monkeypatch.setattr(exporter, "LOOKED_UP", 4)
    held: list[int] = []

    def pictures(ids: Any) -> Any:
        held.append(len(ids))
        return dict.fromkeys(ids, lambda: b"x" * 1000)

    samples = (SampleRecord(str(number), SampleContent("?")) for number in range(10))
    out = io.BytesIO()
    assert EXPORTERS["parquet"].write_to(out, samples, pictures) == 10
    groups = parquet.ParquetFile(out).metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [3, 3, 3, 1]
    assert held == [4, 4, 2]


def test_a_file_is_written_group_by_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first bytes come before the last image is read."""
    monkeypatch.setattr(exporter, "GROUP_BYTES", 2000)
    read: list[str] = []

    def pictures(ids: Any) -> Any:
        return {key: lambda key=key: read.append(key) or b"x" * 1000 for key in ids}

    samples = (SampleRecord(str(number), SampleContent("?")) for number in range(10))
    parts = EXPORTERS["parquet"].parts_of(samples, pictures)
    assert len(list(itertools.islice(parts, 2))) == 2
    assert read == ["0", "1", "2", "3"]
