"""Facts on the page of a sample: options, boxes, facets, reference."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext

from annotation.common.words import FIELD_WORDS, LIKENESS
from annotation.consensus import Field
from annotation.content.clicks import unrecorded_sources
from annotation.content.records import shape_from_row
from annotation.models import Revision
from annotation.regions import is_point
from annotation.schema import SampleContent
from annotation.tool_bank import Bank, key_of


@dataclass(frozen=True, slots=True)
class BoxFacts:
    """A gold shape: its size in original pixels and its share of the image (None: a point, or the size of the image is
    unknown). ``kind``: "polygon" or "point", "" of a box. ``source``: whose suggestion it was adopted from; "" if it
    was drawn, or is not shown. ``unrecorded``: it was adopted, and its source is not recorded.
    """

    tag: str
    label: str
    width: float
    height: float
    share: float | None
    kind: str = ""
    source: str = ""
    unrecorded: bool = False


@dataclass(frozen=True, slots=True)
class FacetLink:
    """One value on one facet; ``query`` narrows the list of samples to those that have it."""

    name: str
    value: str
    query: str


@dataclass(frozen=True, slots=True)
class PlannedTool:
    """A tool as the gold plan names it; ``step`` None: a distractor. ``meant``: its name in the bank, if another.
    ``note``: how a distractor resembles a target, or that one target of its group is enough."""

    name: str
    step: int | None
    meant: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceStep:
    tool: str
    arguments: str


def planned_of(content: SampleContent, bank: Bank) -> list[PlannedTool]:
    """Targets in their order, then distractors."""
    rows = []
    for name, step, likeness, either in content.plan.rows:
        tool = bank.find(name)
        group = gettext("interchangeable (group %(group)s)") % {"group": either} if either is not None else ""
        meant = tool.name if tool and key_of(tool.name) != key_of(name) else ""
        rows.append(PlannedTool(name, step, meant, str(LIKENESS[likeness]) if likeness else group))
    return rows


def boxes_of(sample: Any, *, sources: bool = False) -> list[BoxFacts]:
    """The gold shapes of a sample. ``sources``: with the sources, for members. At most one query."""
    gold = getattr(sample, "gold", None)
    unrecorded = unrecorded_sources(sample) if sources else frozenset()
    area = sample.width * sample.height if sample.width and sample.height else None
    facts = []
    for place, box in enumerate(gold.revision.evidence if gold else [], 1):
        shape = shape_from_row(box)
        share = shape.area / area if area and not is_point(shape) else None
        kind, source = getattr(shape, "kind", ""), box.source if sources else ""
        known = place - 1 not in unrecorded
        facts.append(BoxFacts(f"G{place}", box.label, shape.width, shape.height, share, kind, source, not known))
    return facts


def facet_links(sample: Any) -> list[FacetLink]:
    rows = sorted(sample.facets.all(), key=lambda row: (row.name, row.position))
    return [FacetLink(row.name, row.value, urlencode({f"facet.{row.name}": row.value})) for row in rows]


def reference_of(content: SampleContent) -> list[ReferenceStep]:
    return [ReferenceStep(call.tool, _words(call.arguments)) for call in content.reference_toolchain]


def _words(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


@dataclass(frozen=True)
class Source:
    """The source of one field of an adjudicated gold, and the annotators whose annotations it combines."""

    field: str
    how: str
    people: str


def provenance_of(sample: Any) -> list[Source]:
    """The sources of the fields that the gold has, if it was combined from several annotations. One query then."""
    gold = getattr(sample, "gold", None)
    if gold is None or not gold.revision.provenance:
        return []
    given = gold.revision.provenance
    numbers = {number for one in given.values() for number in one["from"]}
    authors = Revision.objects.filter(pk__in=numbers).select_related("annotation__author")
    names = {one.pk: str(one.annotation.author or gettext("the importer")) for one in authors}
    empty = {Field.TOOLCHAIN: not gold.revision.reference_calls.all(), Field.PLAN: not gold.revision.plan_tools.all()}
    return [
        Source(
            str(words),
            _how(given[field]["how"]),
            ", ".join(names[number] for number in given[field]["from"] if number in names),
        )
        for field, words in FIELD_WORDS.items()
        if field in given and not empty.get(field)
    ]


def _how(how: str) -> str:
    """``taken`` as "from", ``consensus:median`` as "median of"."""
    words = {"taken": gettext("from"), "mixed": gettext("boxes of"), "edited": gettext("edited by the adjudicator")}
    return words.get(how) or gettext("%(way)s of") % {"way": how.removeprefix("consensus:")}
