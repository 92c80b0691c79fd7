"""Addresses of pictures: only for who may see them, kept for a year, and only sizes that are kept anyway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from annotation.benchmarks.write.benchmark import set_public
from annotation.content.samples import save_samples
from annotation.images.store import store_pictures
from annotation.models import Benchmark, Image
from annotation.schema import SampleContent, SampleRecord
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
REGION = "regions/0,0,20,10/120.jpg"


def bring(benchmark: Benchmark, lea: User, folder: Path, shade: int = 90) -> Image:
    """A benchmark with one sample on a picture of 80 × 60 px, whose tiles wait to be made."""
    data = cv2.imencode(".png", np.full((60, 80, 3), shade, np.uint8))[1]
    (folder / "a.png").write_bytes(bytes(data))
    records = [SampleRecord("a", SampleContent("What?"), "a.png")]
    pictures = store_pictures(actor=lea, benchmark=benchmark, records=records, folder=folder, embedded={})
    save_samples(actor=lea, benchmark=benchmark, records=records, pictures=pictures)
    return Image.objects.get(samples__benchmark=benchmark)


@pytest.fixture
def kitchen(lea: User) -> Benchmark:
    return make_benchmark(lea)


@pytest.fixture
def folder(kitchen: Benchmark, lea: User, tmp_path: Path) -> str:
    """Where the pictures of a sample lie, their tiles made."""
    image = bring(kitchen, lea, tmp_path)
    run_waiting()
    return f"/benchmarks/kitchen/images/{image.sha256}"


@pytest.mark.parametrize("name", ["thumbnail.jpg", "tiles/0/0_0.jpg", "tiles/7/0_0.jpg", REGION])
def test_a_member_gets_a_jpeg_to_keep_for_a_year(folder: str, lea: User, name: str) -> None:
    answer = signed_in(lea).get(f"{folder}/{name}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/jpeg")
    assert cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR) is not None
    assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    assert signed_in(lea).head(f"{folder}/{name}").content == b""


def test_shared_caches_forget_a_public_image_within_minutes(
    folder: str, kitchen: Benchmark, lea: User, client: Any
) -> None:
    """D5.5: a proxy went on serving it for a year after the benchmark became private."""
    set_public(actor=lea, benchmark=kitchen, public=True)
    answer = client.get(f"{folder}/thumbnail.jpg")
    assert answer["Cache-Control"] == "public, max-age=300"
    kept = {"If-None-Match": answer["ETag"]}
    assert client.get(f"{folder}/thumbnail.jpg", headers=kept).status_code == 304
    set_public(actor=lea, benchmark=kitchen, public=False)
    assert client.get(f"{folder}/thumbnail.jpg", headers=kept).status_code == 404


@pytest.mark.parametrize("name", ["thumbnail.jpg", "tiles/0/0_0.jpg", REGION])
def test_a_stranger_finds_no_picture_of_a_private_benchmark(folder: str, sam: User, client: Any, name: str) -> None:
    for visitor in (signed_in(sam), client):
        answer = visitor.get(f"{folder}/{name}")
        assert answer.status_code == 404
        assert "immutable" not in answer.get("Cache-Control", "")


def test_a_picture_of_another_benchmark_is_not_found(folder: str, lea: User, sam: User, tmp_path: Path) -> None:
    street = make_benchmark(sam, "street")
    other = bring(street, sam, tmp_path, shade=10)
    run_waiting()
    for name in ("thumbnail.jpg", REGION):
        assert signed_in(lea).get(f"/benchmarks/kitchen/images/{other.sha256}/{name}").status_code == 404
    assert signed_in(sam).get(f"/benchmarks/street/images/{other.sha256}/thumbnail.jpg").status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "regions/0,0,20,10/121.jpg",
        "regions/0,0,20,10/99999.jpg",
        "regions/0,0,20/120.jpg",
        "regions/a,b,c,d/120.jpg",
        "regions/-5,0,20,10/120.jpg",
        "regions/20,10,0,0/120.jpg",
        "regions/5,5,5,9/120.jpg",
        "regions/500,500,600,600/120.jpg",
        "regions/1e3,0,20,10/120.jpg",
        "regions/nan,0,20,10/120.jpg",
        "regions/0.5,0,20,10/120.jpg",
        "regions/0.0,0.0,20.0,10.0/120.jpg",
    ],
)
def test_a_region_is_refused_outside_its_sizes_and_its_picture(folder: str, lea: User, name: str) -> None:
    assert signed_in(lea).get(f"{folder}/{name}").status_code == 400


@pytest.mark.parametrize("name", ["tiles/99/0_0.jpg", "tiles/0/5_5.jpg"])
def test_a_tile_that_is_none_is_not_found(folder: str, lea: User, name: str) -> None:
    assert signed_in(lea).get(f"{folder}/{name}").status_code == 404


@pytest.mark.parametrize("name", ["thumbnail.jpg", "tiles/0/0_0.jpg", REGION])
def test_nothing_is_found_while_the_tiles_are_being_made(
    kitchen: Benchmark, lea: User, tmp_path: Path, name: str
) -> None:
    image = bring(kitchen, lea, tmp_path, shade=200)
    answer = signed_in(lea).get(f"/benchmarks/kitchen/images/{image.sha256}/{name}")
    assert answer.status_code == 404
    assert "Jobs page" in answer.content.decode()


def test_pictures_are_only_read(folder: str, lea: User) -> None:
    assert signed_in(lea).post(f"{folder}/thumbnail.jpg").status_code == 405
