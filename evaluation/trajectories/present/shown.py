"""What rows of the list of trajectories show: its words, and the menu that chooses among them. All of it is links."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluation.common.figures import written
from evaluation.common.shown import DATA, MOST, USUAL, selected_fields, show_parameter, sorted_by
from evaluation.metrics.failures import LABELS
from evaluation.query.fields import FIELDS
from evaluation.store.trajectory_list import SHOW, SORT
from evaluation.trajectories.present.facets import Terms, address
from webapp.common.formatting import NOT_AVAILABLE, TIMES, decimal, duration, small_share

Writer = Callable[[Any], str]
_TWO: Writer = partial(decimal, digits=2)


_VERDICTS = {True: "correct", False: "incorrect"}


def _words(value: str) -> str:
    return value.replace("_", " ")


def _times(value: float) -> str:
    return f"{decimal(value, 1)}{TIMES}"


GROUPS: Mapping[str, Mapping[str, tuple[str, Writer]]] = {
    "Grounding": {
        "ioa_gt": ("coverage", _TWO),
        "union_coverage": ("all crops", _TWO),
        "ioa_pred": ("concentration", _TWO),
        "ioa": ("IoA", _TWO),
        "iou": ("IoU", _TWO),
        "area": ("evidence area", small_share),
        "region": ("cropped area", small_share),
        "zoom": ("zoom", _times),
        "crops": ("usable crops", decimal),
    },
    "Answer": {
        "reading": ("our reading", str),
        "file_reading": ("file’s reading", str),
        "reading_correct": ("our verdict", _VERDICTS.__getitem__),
        "file_verdict": ("file’s verdict", _VERDICTS.__getitem__),
    },
    "Toolchain": {
        "calls": ("calls", decimal),
        "tools": ("tools", decimal),
        "chain": ("effective calls", decimal),
        "reference_calls": ("reference calls", decimal),
        "edit_distance": ("edits", decimal),
        "kendall_tau": ("Kendall τ", _TWO),
        "chain_status": ("toolchain", _words),
    },
    "Planning": {
        "outcome": ("plan", _words),
        "missing": ("tools missing", decimal),
        "extra": ("tools extra", decimal),
        "prefix": ("correct steps", decimal),
    },
    "Failure and cost": {
        "failure": ("failure", LABELS.__getitem__),
        "seconds": ("time", duration),
        "input_tokens": ("input tokens", decimal),
        "output_tokens": ("output tokens", decimal),
        "usd": ("cost", partial(written, "usd")),
        "rollout": ("rollout", decimal),
    },
}
_SAID: Mapping[str, tuple[str, Writer]] = {name: said for group in GROUPS.values() for name, said in group.items()}


def label(name: str) -> str:
    """The words of a field, by its name or an alias, wherever lists name it; a facet is its own."""
    field = FIELDS.get(name)
    return _SAID[field.name][0] if field and field.name in _SAID else name.removeprefix(DATA)


@dataclass(frozen=True, slots=True)
class Fact:
    """One value of a row, "n/a" where undefined."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A field that rows show or could show. ``href``: the list with it or without; "" where no more can be added."""

    label: str
    about: str
    on: bool
    href: str


@dataclass(frozen=True, slots=True)
class Shown:
    """``names``: the fields that rows show, those chosen behind the one they are sorted by. ``apart``: they are not
    merely the usual ones. ``usual``: the list with those, "" where they stand."""

    names: Sequence[str]
    apart: bool
    groups: Sequence[tuple[str, Sequence[Choice]]]
    usual: str
    most: int = MOST


def shown_of(terms: Terms, facets: Collection[str]) -> Shown:
    """Raises ``InvalidInput`` where the address names what rows cannot show."""
    chosen = selected_fields(terms.get(SHOW, ""), facets)
    names = (*sorted_by(terms.get(SORT, ""), chosen), *chosen)

    def choice(name: str, about: str) -> Choice:
        on = name in chosen
        others = [one for one in chosen if one != name] if on else [*chosen, name]
        return Choice(
            label(name), about, on, address(terms, **{SHOW: show_parameter(others)}) if len(others) <= MOST else ""
        )

    groups = [(title, [choice(name, FIELDS[name].about) for name in group]) for title, group in GROUPS.items()]
    if facets:
        data = [choice(f"{DATA}{name}", f"{name} of the sample") for name in sorted(facets)]
        groups.append(("Of the sample", data))
    return Shown(names, names != USUAL, groups, address(terms, **{SHOW: ""}) if terms.get(SHOW) else "")


def facts_of(values: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """What a row says of these fields."""
    found = []
    for name in names:
        write, value = _SAID[name][1] if name in _SAID else str, values.get(name)
        found.append(Fact(label(name), NOT_AVAILABLE if value is None else write(value)))
    return found
