"""A sample as a tile of the grid or a row of the table. Markup is put together here and not in a template: a page has
fifty of them, and a template takes most of its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from annotation.common.words import STATE_WORDS
from annotation.imaging.evidence import loupe_area
from annotation.models import Benchmark, Image, Sample
from annotation.schema import Box
from webapp.common.formatting import ago, small_share
from webapp.common.markup import fast_format_html
from webapp.common.status_icons import icon, icon_address, status_icon
from webapp.common.thumbnails import annotated_thumbnail

LOUPE_SIDE = 240
NOTHING = SafeString()

GRID_TILE = """
<article class="tile">
  <a href="{}">
    {}
    <span class="tile__text">
      <span class="row between"><span class="row tile__id"><span class="vh">{}: </span>{} \
<span class="small muted clip">{}</span></span> <span class="small faint nowrap">{}</span></span>
      <span class="tile__line clip" title="{}">{}</span>
      <span class="tile__line small muted clip">{}{}{}</span>
    </span>
  </a>
  <label class="tick"><input type="checkbox" name="id" value="{}" aria-label="Select {}"></label>
</article>
"""
GRID_PROBLEM = """<span class="shot shot--16x9 standin"><span class="standin__why">\
<svg class="i" aria-hidden="true"><use href="{}"/></svg><span>{}</span></span></span>"""
TABLE_ROW = """
<tr>
  <td><input type="checkbox" name="id" value="{}" aria-label="Select {}"></td>
  <td>{}</td>
  <td class="nowrap"><a class="med" href="{}">{}</a></td>
  <td class="hide-s">{}</td>
  <td class="samples__question">{}</td>
  <td class="hide-s">{}{}</td>
  <td class="num hide-s">{}</td>
  <td class="num">{}</td>
  <td class="num hide-s">{}</td>
  <td class="num faint hide-s">{}</td>
</tr>
"""
TABLE_PROBLEM = """<span class="shot shot--16x9 standin" title="{}">\
<svg class="i" role="img" aria-label="{}"><use href="{}"/></svg></span>"""
LETTER = '<b class="med{}">{}</b> '


@dataclass(frozen=True)
class Tile:
    """A sample as the grid and the table show it. ``thumbnail`` empty: there is no image, ``problem`` says why."""

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
    def size(self) -> tuple[int, int]:
        """Width and height of the image that ``thumbnail`` shows."""
        image = self.sample.image
        return (image.width, image.height) if image else (0, 0)

    @property
    def level(self) -> str:
        """Where the evidence is in the image, for a place too low to show all of it: "top", "middle", "bottom"."""
        if not self.boxes or not self.sample.height:
            return "middle"
        middle = (self.boxes[0].y1 + self.boxes[0].y2) / 2 / self.sample.height
        return "top" if middle < 1 / 3 else "bottom" if middle > 2 / 3 else "middle"


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
        named = f"{sample.image_name} has not been imported." if sample.image_name else "This sample has no image."
        return {"problem": sample.image_problem or named}
    if image.state != Image.State.READY:
        return {"problem": image.problem or "The image is being prepared."}
    place = [benchmark.slug, image.sha256]
    loupe = ""
    if boxes:
        area = loupe_area(image.width, image.height, boxes[0])
        corners = ",".join(str(v) for v in area.as_list())
        loupe = reverse("annotation:region", args=[*place, corners, LOUPE_SIDE])
    return {"thumbnail": reverse("annotation:thumbnail", args=place), "loupe": loupe}


def grid_markup(tiles: Sequence[Tile]) -> SafeString:
    """The tiles of the grid, one after the other."""
    return _joined([_grid_tile(tile) for tile in tiles])


def table_markup(tiles: Sequence[Tile]) -> SafeString:
    """The rows of the table, one after the other."""
    return _joined([_table_row(tile) for tile in tiles])


def _joined(parts: Sequence[SafeString]) -> SafeString:
    return SafeString("".join(parts))


def _grid_tile(tile: Tile) -> SafeString:
    sample, key = tile.sample, tile.sample.key
    if tile.thumbnail:
        picture = annotated_thumbnail(tile.thumbnail, *tile.size, gold=tile.boxes, ratio="16x9", loupe=tile.loupe)
    else:
        picture = fast_format_html(GRID_PROBLEM, icon_address("look"), tile.problem)
    question = tile.question or "No question"
    return fast_format_html(
        GRID_TILE, tile.href, picture, tile.state, icon(tile.sign), key, small_share(sample.evidence_share),
        tile.question, question, _letter(tile, " tile__letter"), tile.answer or "no gold answer",
        f" · {tile.category}" if tile.category else "", key, key,
    )  # fmt: skip


def _table_row(tile: Tile) -> SafeString:
    sample, key = tile.sample, tile.sample.key
    if tile.thumbnail:
        picture = annotated_thumbnail(tile.thumbnail, *tile.size, gold=tile.boxes, ratio="16x9", shown=96)
    else:
        picture = fast_format_html(TABLE_PROBLEM, tile.problem, tile.problem, icon_address("look"))
    return fast_format_html(
        TABLE_ROW, key, key, picture, tile.href, key, status_icon(tile.sign), tile.question or "No question",
        _letter(tile), tile.answer or "n/a", len(tile.boxes), small_share(sample.evidence_share), tile.calls or "none",
        ago(sample.changed_at, timezone.now()),
    )  # fmt: skip


def _letter(tile: Tile, classes: str = "") -> SafeString:
    return fast_format_html(LETTER, SafeString(classes), tile.letter) if tile.letter else NOTHING
