"""Pictures of a benchmark: thumbnails, tiles and regions. Immutable, cached for a year, only for who may see them."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.actions.pictures import THUMBNAIL, region_of, stored
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, Image
from annotation.schema import Box
from annotation.views.loading import load_benchmark
from webapp.common.errors import InvalidInput

YEAR = 365 * 24 * 3600
SIDES = frozenset({120, 240, 480, 960})
"""Sizes a region may be asked for at: few, so that browsers and proxies keep what they have."""

REGION = re.compile(r"(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)")


@require_safe
def thumbnail(request: HttpRequest, slug: str, sha256: str) -> HttpResponse:
    benchmark, image = _load(request, slug, sha256)
    return _jpeg(benchmark, stored(image, THUMBNAIL))


@require_safe
def tile(request: HttpRequest, slug: str, sha256: str, level: int, column: int, row: int) -> HttpResponse:
    benchmark, image = _load(request, slug, sha256)
    return _jpeg(benchmark, stored(image, f"{level}/{column}_{row}.jpg"))


@require_safe
def region(request: HttpRequest, slug: str, sha256: str, box: str, side: int) -> HttpResponse:
    """A part of the picture: ``box`` is x1,y1,x2,y2 in pixels of the original, ``side`` the longer side shown."""
    benchmark, image = _load(request, slug, sha256)
    numbers = REGION.fullmatch(box)
    if numbers is None or side not in SIDES:
        raise InvalidInput(
            "A region is x1,y1,x2,y2 in pixels and a side of " + ", ".join(map(str, sorted(SIDES))) + "."
        )
    try:
        data = region_of(image, Box(*map(float, numbers.groups())), side)
    except (PictureProblem, ValueError) as problem:
        raise InvalidInput(f"The box {box} is empty or lies outside the picture of {image}.") from problem
    return _jpeg(benchmark, data)


def _load(request: HttpRequest, slug: str, sha256: str) -> tuple[Benchmark, Image]:
    benchmark = load_benchmark(request, slug)
    return benchmark, get_object_or_404(Image.objects.filter(samples__benchmark=benchmark).distinct(), sha256=sha256)


def _jpeg(benchmark: Benchmark, data: bytes) -> HttpResponse:
    response = HttpResponse(data, content_type="image/jpeg")
    scope = "public" if benchmark.public else "private"
    response["Cache-Control"] = f"{scope}, max-age={YEAR}, immutable"
    return response
