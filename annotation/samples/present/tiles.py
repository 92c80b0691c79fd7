"""A sample as a tile of the grid or a row of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from annotation.common.words import STATE_WORDS
from annotation.content.records import shape_from_row
from annotation.imaging.evidence import loupe_area
from annotation.models import Benchmark, Image, Sample
from annotation.schema import Box
from webapp.common.formatting import ago

LOUPE_SIDE = 240


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
    def changed(self) -> str:
        return ago(self.sample.changed_at, timezone.now())

    @property
    def level(self) -> str:
        """The position of the evidence in the image, for a preview too low to show all of it: "top", "middle",
        "bottom".
        """
        if not self.boxes or not self.sample.height:
            return "middle"
        middle = (self.boxes[0].y1 + self.boxes[0].y2) / 2 / self.sample.height
        return "top" if middle < 1 / 3 else "bottom" if middle > 2 / 3 else "middle"


def tile_of(benchmark: Benchmark, sample: Sample) -> Tile:
    """A sample, loaded ``with_gold``, as a tile."""
    gold = getattr(sample, "gold", None)
    revision = gold.revision if gold else None
    boxes = [shape_from_row(row) for row in revision.evidence] if revision else []
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
    """The number of tools in the plan, for a sample that asks for a tool plan instead of an answer."""
    targets = sum(tool.step is not None for tool in revision.plan_tools.all()) if revision else 0
    return ngettext("%(count)s tool", "%(count)s tools", targets) % {"count": targets} if targets else ""


def _picture(benchmark: Benchmark, sample: Sample, boxes: list[Box]) -> dict[str, str]:
    image = sample.image
    if image is None:
        message = (
            gettext("%(file)s has not been imported.") if sample.image_name else gettext("This sample has no image.")
        )
        return {"problem": sample.image_problem or message % {"file": sample.image_name}}
    if image.state == Image.State.REMOVED:
        return {"problem": gettext("Image removed: %(reason)s") % {"reason": image.problem}}
    if image.state != Image.State.READY:
        return {"problem": image.problem or gettext("The image is being prepared.")}
    place = [benchmark.slug, image.sha256]
    loupe = ""
    if boxes:
        area = loupe_area(image.width, image.height, boxes[0])
        corners = ",".join(str(v) for v in area.as_list())
        loupe = reverse("annotation:region", args=[*place, corners, LOUPE_SIDE])
    return {"thumbnail": reverse("annotation:thumbnail", args=place), "loupe": loupe}
