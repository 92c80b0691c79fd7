"""What rows of a list say by choice: numbers of trajectories, what went wrong, facets of their samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from django.db.models import F

from annotation.models import FacetValue
from evaluation.metrics.columns import ChainStatus, Outcome
from evaluation.metrics.failures import FAILURES
from evaluation.models import FailureLabel
from evaluation.query.fields import FIELDS, nearest
from evaluation.querysets_query import NUMBERS
from webapp.common.errors import InvalidInput

SHOW = "show"
"""The name in an address: ``show=ioa,seconds,facet.category``; ``show=none`` shows none."""
NOTHING = "none"
USUAL = ("ioa_gt", "union_coverage", "ioa_pred", "ioa")
"""What is shown where nothing was chosen."""
MOST = 6
DATA = "facet."
"""Before the name of a facet that is the samples' own."""
_CODED: Mapping[str, tuple[str, Sequence[str]]] = {
    "failure": ("score__failure", FAILURES),
    "outcome": ("score__plan_outcome", Outcome.NAMES),
    "chain_status": ("score__chain_status", ChainStatus.NAMES),
}
SHOWABLE: Mapping[str, str] = {**NUMBERS, **{name: path for name, (path, _) in _CODED.items()}}
"""Fields that a row can show, besides facets, and where the value stands."""


def chosen_in(show: str, facets: Collection[str]) -> tuple[str, ...]:
    """The fields that an address names.

    Raises ``InvalidInput`` for a name that is none of ``SHOWABLE`` nor one of these facets, and for too many.
    """
    if not show:
        return USUAL
    asked = [] if show == NOTHING else [unquote(one).strip() for one in show.split(",")]
    if len(asked) > MOST:
        raise InvalidInput(f"Rows show {MOST} values at most, not {len(asked)}.", code="show", field=SHOW)
    return tuple(dict.fromkeys(_known(name, facets) for name in asked))


def show_of(names: Sequence[str]) -> str:
    """The same fields as an address names them."""
    return ",".join(name.replace("%", "%25").replace(",", "%2C") for name in names) or NOTHING


def sorted_by(sort: str, chosen: Sequence[str]) -> tuple[str, ...]:
    """What rows show before the fields chosen: the number they are sorted by, where it is not among them."""
    field = FIELDS.get(sort.removeprefix("-"))
    return (field.name,) if field and field.name in SHOWABLE and field.name not in chosen else ()


def _known(name: str, facets: Collection[str]) -> str:
    field = FIELDS.get(name)
    if field is not None and field.name in SHOWABLE:
        return field.name
    if field is None and name.removeprefix(DATA) in facets:
        return f"{DATA}{name.removeprefix(DATA)}"
    known = [*SHOWABLE, *(f"{DATA}{facet}" for facet in facets)]
    alike = " or ".join(nearest(name, known)) or ", ".join(USUAL)
    raise InvalidInput(f"Rows cannot show {name[:40]!r}. Did you mean {alike}?", code="show", field=SHOW)


class Read(NamedTuple):
    """A trajectory as it was read: its sample, and the values of ``read_with`` in their order."""

    sample: int
    values: Sequence[Any]


def read_with(names: Sequence[str]) -> dict[str, F]:
    """What the rows of these fields are read with, by the name that each gets."""
    return {f"shown_{name}": F(SHOWABLE[name]) for name in names if name in SHOWABLE}


def values_of(read: Mapping[int, Read], names: Sequence[str]) -> dict[int, dict[str, Any]]:
    """What these trajectories say in these fields: None where undefined, several values of a facet joined by commas.
    One query for facets, where there are any among them, and one for failures, which are those in force."""
    own, data = [name for name in names if name in SHOWABLE], [name for name in names if name not in SHOWABLE]
    found = {pk: dict(zip(own, row.values, strict=True)) for pk, row in read.items()}
    if "failure" in own:
        labels = FailureLabel.objects.filter(trajectory__in=read, current=True)
        for pk, failure in labels.values_list("trajectory", "failure"):
            found[pk]["failure"] = failure
    for values in found.values():
        values |= {name: _named(name, values[name]) for name in _CODED.keys() & values.keys()}
    if data:
        facets = _facets({row.sample for row in read.values()}, [name.removeprefix(DATA) for name in data])
        for pk, row in read.items():
            found[pk] |= {name: facets.get((row.sample, name.removeprefix(DATA))) for name in data}
    return found


def _named(name: str, code: int | None) -> str | None:
    return None if code is None or code < 0 else _CODED[name][1][code]


def _facets(samples: Collection[int], names: Collection[str]) -> dict[tuple[int, str], str]:
    rows = FacetValue.objects.filter(sample__in=samples, name__in=names).order_by("position")
    found: dict[tuple[int, str], list[str]] = {}
    for sample, name, value in rows.values_list("sample", "name", "value"):
        found.setdefault((sample, name), []).append(value)
    return {key: ", ".join(values) for key, values in found.items()}
