"""Images of a benchmark: thumbnails, tiles and regions, only for people who may see them.

What an address shows never changes. A browser keeps the images of a private benchmark for a year. Those of a public one
are in shared caches too, which must forget them soon after it becomes private: minutes, then they ask again.
"""

from __future__ import annotations

import hashlib
import re

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.images.serving import THUMBNAIL, region_of, stored
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, Image
from annotation.schema import Box
from webapp.common.errors import InvalidInput
from webapp.common.limits import Rate, asking

YEAR = 365 * 24 * 3600
MINUTES = 5 * 60
SIDES = frozenset({120, 240, 480, 960})
"""Sizes a region may be asked for at: few, so that browsers and proxies keep what they have."""

REGION = re.compile(r"(\d{1,5}),(\d{1,5}),(\d{1,5}),(\d{1,5})")
"""Whole pixels: with fractions, each of endless addresses would be cut out and kept again."""
REGIONS = Rate("regions")


@require_safe
def thumbnail(request: HttpRequest, slug: str, sha256: str) -> HttpResponse:
    benchmark, image = _load(request, slug, sha256)
    return _jpeg(request, benchmark, stored(image, THUMBNAIL))


@require_safe
def tile(request: HttpRequest, slug: str, sha256: str, level: int, column: int, row: int) -> HttpResponse:
    benchmark, image = _load(request, slug, sha256)
    return _jpeg(request, benchmark, stored(image, f"{level}/{column}_{row}.jpg"))


@require_safe
def region(request: HttpRequest, slug: str, sha256: str, box: str, side: int) -> HttpResponse:
    """A part of the image: ``box`` is x1,y1,x2,y2 in pixels of the original, ``side`` the longer side shown."""
    benchmark, image = _load(request, slug, sha256)
    numbers = REGION.fullmatch(box)
    if numbers is None or side not in SIDES:
        raise InvalidInput(
            gettext("A region is x1,y1,x2,y2 in whole pixels and a side of %(sides)s.")
            % {"sides": ", ".join(map(str, sorted(SIDES)))}
        )
    REGIONS.take(asking(request))
    try:
        data = region_of(image, Box(*map(float, numbers.groups())), side)
    except (PictureProblem, ValueError) as problem:
        raise InvalidInput(
            gettext("The box %(box)s is empty or outside the image %(image)s.") % {"box": box, "image": image}
        ) from problem
    return _jpeg(request, benchmark, data)


def _load(request: HttpRequest, slug: str, sha256: str) -> tuple[Benchmark, Image]:
    benchmark = load_benchmark(request, slug)
    shown = (
        Q(samples__benchmark=benchmark)
        | Q(replacements__sample__benchmark=benchmark)
        | Q(build_items__benchmark=benchmark)
        | Q(guideline_images__benchmark=benchmark)
    )
    return benchmark, get_object_or_404(Image.objects.filter(shown).distinct(), sha256=sha256)


def _jpeg(request: HttpRequest, benchmark: Benchmark, data: bytes) -> HttpResponse:
    response = HttpResponse(data, content_type="image/jpeg")
    public = f"public, max-age={MINUTES}"
    response["Cache-Control"] = public if benchmark.public else f"private, max-age={YEAR}, immutable"
    response["ETag"] = quote_etag(hashlib.sha256(data).hexdigest()[:32])
    return get_conditional_response(request, response["ETag"], response=response) or response
