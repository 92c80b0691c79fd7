"""Shared parts of pages of annotation and review: a sample by its key, its image for scripts, addresses."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.bank import bank_for_annotators
from annotation.common.loading import load_benchmark
from annotation.imaging.pyramid import OVERLAP, TILE_SIZE
from annotation.models import Benchmark, Comment, FacetValue, Image, Revision, Sample
from annotation.tool_bank import ToolState
from annotation.tool_bank.segments import SEGMENTS
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import NotAllowed

MOST_VALUES = 200
"""Facet values offered for completion, for each facet."""

SECONDS_KNOWN = 60


def person_of(request: HttpRequest) -> User:
    """The signed-in person."""
    if isinstance(request.user, AnonymousUser):
        raise NotAllowed(gettext("Sign in first."))
    return request.user


def load_sample(request: HttpRequest, slug: str, key: str, right: Right) -> tuple[User, Sample]:
    """The person and the sample. Strangers and unknown keys get 404, members without the permission 403."""
    benchmark = load_benchmark(request, slug, right)
    sample = Sample.objects.filter(benchmark=benchmark, key=key).select_related("image").first()
    if sample is None:
        raise Http404(gettext("Sample not found."))
    sample.benchmark = benchmark
    return person_of(request), sample


def picture_json(sample: Sample) -> dict[str, Any] | None:
    """Return the image in the form of the canvas, None if there is none to show; ``tiles`` is a pattern."""
    image = sample.image
    if image is None or image.state != Image.State.READY:
        return None
    slug = sample.benchmark.slug
    tiles = reverse("annotation:tile", args=[slug, image.sha256, 0, 0, 0]).replace(
        "0/0_0.jpg", "{level}/{column}_{row}.jpg"
    )
    return {
        "sha": image.sha256,
        "width": image.width,
        "height": image.height,
        "tiles": tiles,
        "tile_size": TILE_SIZE,
        "overlap": OVERLAP,
        "thumbnail": reverse("annotation:thumbnail", args=[slug, image.sha256]),
    }


def thumbnail_of(sample: Sample) -> str:
    """The address of the small image, or ""."""
    image = sample.image
    if image is None or image.state != Image.State.READY:
        return ""
    return reverse("annotation:thumbnail", args=[sample.benchmark.slug, image.sha256])


def known_facets(benchmark: Benchmark) -> dict[str, list[str]]:
    """Facet names and the values in use, the most frequent first, for completion; counted once a minute, as it takes
    longer the more samples there are."""
    key = f"known-facets:{benchmark.pk}"
    found: dict[str, list[str]] | None = cache.get(key)
    if found is None:
        found = _counted_facets(benchmark)
        cache.set(key, found, SECONDS_KNOWN)
    return found


def _counted_facets(benchmark: Benchmark) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    written = FacetValue.objects.filter(sample__benchmark=benchmark).exclude(kind=FacetValue.Kind.BANK)
    for name, value, _ in written.counted():
        if len(found.setdefault(name, [])) < MOST_VALUES:
            found[name].append(value)
    return found


def bank_json(benchmark: Benchmark) -> dict[str, Any]:
    """The tool bank for the plan editor, and the titles of the segments it uses."""
    tools = bank_for_annotators(benchmark).tools
    used = {tool.segment for tool in tools}
    return {
        "tools": [asdict(tool) for tool in tools],
        "offered_n": sum(tool.state is not ToolState.REFUSED for tool in tools),
        "segments": {code: title for code, title in SEGMENTS.items() if code in used},
    }


def comments_json(comments: QuerySet[Comment], slug: str) -> list[dict[str, Any]]:
    """Threads in the order they began, each with its answers."""
    threads: dict[int, dict[str, Any]] = {}
    for comment in comments.select_related("author", "resolved_by").order_by("created_at", "pk"):
        shown = comment_json(comment, slug)
        if comment.parent_id is None:
            threads[comment.pk] = {**shown, "answers": []}
        elif comment.parent_id in threads:
            threads[comment.parent_id]["answers"].append(shown)
    return list(threads.values())


def comment_json(comment: Comment, slug: str) -> dict[str, Any]:
    return {
        "id": comment.pk,
        "author": str(comment.author),
        "text": comment.text,
        "x": comment.x,
        "y": comment.y,
        "parent": comment.parent_id,
        "at": comment.created_at.isoformat(),
        "resolved": comment.resolved_at is not None,
        "resolved_by": str(comment.resolved_by) if comment.resolved_by else None,
        "url": reverse("annotation:comment-resolve", args=[slug, comment.pk]),
    }


def revision_head(revision: Revision) -> dict[str, Any]:
    """The author and time of a revision, for the head of a page."""
    return {
        "number": revision.number,
        "author": str(revision.author) if revision.author else gettext("the importer"),
        "submitted_at": revision.submitted_at.isoformat() if revision.submitted_at else None,
    }


def next_url(route: str, slug: str, sample: Sample | None) -> str | None:
    return reverse(route, args=[slug, sample.key]) if sample else None
