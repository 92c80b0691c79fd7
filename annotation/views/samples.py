"""The samples of a benchmark: a grid of pictures with their evidence, or a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.actions.access import allowed
from annotation.imaging.evidence import loupe_area
from annotation.models import Benchmark, Image, Sample
from annotation.schema import Box
from annotation.views.facts import facts_of
from annotation.views.loading import load_benchmark
from annotation.views.samples_facets import facets_of
from annotation.views.samples_terms import SORTS, Terms
from annotation.views.samples_words import STATE_WORDS
from annotation.views.tabs import benchmark_context
from annotation.workflow import Right
from webapp.common.http import Request
from webapp.common.paging import page_after

PAGE_SIZE = 48
LOUPE_SIDE = 240
SORT_WORDS = {"key": "Id", "-changed": "Last changed", "share": "Least evidence"}


@dataclass(frozen=True)
class Tile:
    """A sample as the grid and the table show it. ``thumbnail`` empty: there is no picture, ``problem`` says why."""

    sample: Sample
    href: str
    sign: str
    state: str
    question: str
    letter: str
    answer: str
    category: str
    boxes: list[Box]
    calls: int
    thumbnail: str = ""
    loupe: str = ""
    problem: str = ""

    @property
    def level(self) -> str:
        """Where the evidence is in the picture, for a place too low to show all of it: "top", "middle", "bottom"."""
        if not self.boxes or not self.sample.height:
            return "middle"
        middle = (self.boxes[0].y1 + self.boxes[0].y2) / 2 / self.sample.height
        return "top" if middle < 1 / 3 else "bottom" if middle > 2 / 3 else "middle"


@require_safe
def samples(request: Request, slug: str) -> HttpResponse:
    """Template annotation/samples.html; context: facts, facets, page (rows: tiles; has_next, after), total, terms,
    tokens, hidden, views, sorts. Address: see ``SAMPLE_FILTERS``; ?view=table, ?sort=key|-changed|share, ?after=KEY.
    """
    benchmark = load_benchmark(request, slug)
    if not allowed(request.user, benchmark, Right.SEE_GOLD):
        return redirect("annotation:annotate", slug)
    terms = Terms.read(request.GET)
    found = benchmark.samples.all().narrowed(terms.values, chosen=terms.chosen, user=request.user)
    page = page_after(
        found.with_gold().with_share_place(), request.GET.get("after", ""), order=SORTS[terms.sort], size=PAGE_SIZE
    )
    context: dict[str, Any] = {
        **benchmark_context(request, benchmark, "samples"),
        "facts": facts_of(benchmark),
        "facets": facets_of(benchmark.samples.all(), terms, request.user),
        "page": page,
        "tiles": [tile_of(benchmark, sample) for sample in page.rows],
        "total": found.count(),
        "terms": terms,
        "tokens": terms.tokens(benchmark),
        "hidden": terms.pairs(leave="q"),
        "kept": terms.pairs(leave="id"),
        "sorts": [(words, terms.shown(sort=name), name == terms.sort) for name, words in SORT_WORDS.items()],
        "grid": terms.shown(view="grid"),
        "table": terms.shown(view="table"),
    }
    return render(request, "annotation/samples.html", context)


def tile_of(benchmark: Benchmark, sample: Sample) -> Tile:
    """A sample, loaded ``with_gold``, as a tile."""
    gold = getattr(sample, "gold", None)
    revision = gold.revision if gold else None
    boxes = [Box(b.x1, b.y1, b.x2, b.y2) for b in revision.gold_boxes.all()] if revision else []
    given = str(revision.answers[0]) if revision and revision.answers else ""
    option = revision.options.get(given) if revision else None
    sign, word = STATE_WORDS[sample.state]
    return Tile(
        sample=sample,
        href=reverse("evaluation:sample", args=[benchmark.slug, sample.key]),
        sign=sign,
        state=word,
        question=revision.question if revision else "",
        letter=given if option is not None else "",
        answer=str(option) if option is not None else given or _planned(revision),
        category=", ".join(facet.value for facet in sample.facets.all() if facet.name == "category"),
        boxes=boxes,
        calls=len(revision.reference_calls.all()) if revision else 0,
        **_picture(benchmark, sample, boxes),
    )


def _planned(revision: Any) -> str:
    """What is asked for instead of an answer, when it is a tool plan."""
    targets = sum(tool.step is not None for tool in revision.plan_tools.all()) if revision else 0
    return f"{targets} tool{'s' if targets != 1 else ''}" if targets else ""


def _picture(benchmark: Benchmark, sample: Sample, boxes: list[Box]) -> dict[str, str]:
    image = sample.image
    if image is None:
        named = f"{sample.image_name} has not been imported." if sample.image_name else "No picture is named."
        return {"problem": sample.image_problem or named}
    if image.state != Image.State.READY:
        return {"problem": image.problem or "The tiles of this picture are being made."}
    place = [benchmark.slug, image.sha256]
    loupe = ""
    if boxes:
        area = loupe_area(image.width, image.height, boxes[0])
        corners = ",".join(str(v) for v in area.as_list())
        loupe = reverse("annotation:region", args=[*place, corners, LOUPE_SIDE])
    return {"thumbnail": reverse("annotation:thumbnail", args=place), "loupe": loupe}
