"""Optional values of rows in a list: numbers of trajectories, failures, facets of their samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from django.utils.translation import gettext

from annotation.models import FacetValue
from evaluation.query.fields import FIELDS, Kind, described, nearest
from evaluation.store.rows import read_rows
from evaluation.store.snapshot import Snapshot
from evaluation.store.trajectory_list import OF_GOLD, SHOW
from webapp.common.errors import InvalidInput
from webapp.common.translation import any_of

NOTHING = "none"
USUAL = ("ioa_gt", "union_coverage", "ioa_pred", "ioa")
"""The default values."""
MOST = 6
_SAMPLE = "sample"
DATA = "facet."
"""Before the name of a facet that is the samples' own."""
BOTH = ("reading", "file_reading", "reading_correct", "file_verdict")
"""The read answer and its verdict, here and in the imported file."""
_CHOICES = frozenset({"failure", "outcome", "chain_status", *BOTH})
SHOWABLE: Mapping[str, str] = {
    field.name: field.sql
    for field in described()
    if field.name in _CHOICES or (field.kind is Kind.NUMBER and field.name not in OF_GOLD)
} | {"file_reading": "nullif(file_reading, '')"}
"""Fields that a row can show, besides facets, and the column of the store that has them."""


def selected_fields(show: str, facets: Collection[str]) -> tuple[str, ...]:
    """Return the fields named in a URL.

    Raises ``InvalidInput`` for a name that is neither in ``SHOWABLE`` nor one of these facets, and for too many.
    """
    if not show:
        return USUAL
    asked = [] if show == NOTHING else [unquote(one).strip() for one in show.split(",")]
    if len(asked) > MOST:
        raise InvalidInput(
            gettext("Rows can show at most %(limit)s fields, not %(count)s.") % {"limit": MOST, "count": len(asked)},
            code="show",
            field=SHOW,
        )
    return tuple(dict.fromkeys(_known(name, facets) for name in asked))


def show_parameter(names: Sequence[str]) -> str:
    """The same fields as an address names them."""
    return ",".join(name.replace("%", "%25").replace(",", "%2C") for name in names) or NOTHING


def sorted_by(sort: str, chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the fields that rows show before the chosen ones: the number they are sorted by, if it is not
    among them.
    """
    field = FIELDS.get(sort.removeprefix("-"))
    return (field.name,) if field and field.name in SHOWABLE and field.name not in chosen else ()


def _known(name: str, facets: Collection[str]) -> str:
    field = FIELDS.get(name)
    if field is not None and field.name in SHOWABLE:
        return field.name
    if field is None and name.removeprefix(DATA) in facets:
        return f"{DATA}{name.removeprefix(DATA)}"
    known = [*SHOWABLE, *(f"{DATA}{facet}" for facet in facets)]
    alike = any_of(nearest(name, known)) or ", ".join(USUAL)
    raise InvalidInput(
        gettext("Rows cannot show %(name)s. Did you mean %(alike)s?") % {"name": repr(name[:40]), "alike": alike},
        code="show",
        field=SHOW,
    )


def values_of(snapshot: Snapshot, pks: Sequence[int], names: Sequence[str]) -> dict[int, dict[str, Any]]:
    """Return the values of these trajectories in these fields: None if undefined, several values of a facet joined by
    commas. One query for facets, if there are any among them.
    """
    own = {name: SHOWABLE[name] for name in names if name in SHOWABLE}
    data = [name.removeprefix(DATA) for name in names if name not in SHOWABLE]
    found = read_rows(snapshot, pks, {**own, _SAMPLE: "sample"})
    samples = {pk: values.pop(_SAMPLE) for pk, values in found.items()}
    if data:
        facets = _facets(set(samples.values()), data)
        for pk, values in found.items():
            values |= {f"{DATA}{name}": facets.get((samples[pk], name)) for name in data}
    return found


def _facets(samples: Collection[int], names: Collection[str]) -> dict[tuple[int, str], str]:
    rows = FacetValue.objects.filter(sample__in=samples, name__in=names).order_by("position")
    found: dict[tuple[int, str], list[str]] = {}
    for sample, name, value in rows.values_list("sample", "name", "value"):
        found.setdefault((sample, name), []).append(value)
    return {key: ", ".join(values) for key, values in found.items()}
