"""The fields shown in rows of the list of trajectories: their labels, and the menu for choosing them. All choices are
links.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_lazy, gettext_noop, pgettext_lazy

from evaluation.common.figures import written
from evaluation.common.shown import DATA, MOST, USUAL, selected_fields, show_parameter, sorted_by
from evaluation.metrics.failures import LABELS
from evaluation.query.fields import FIELDS
from evaluation.store.trajectory_list import SHOW, SORT
from evaluation.trajectories.present.facets import OUTCOME_WORDS, Terms, address
from webapp.common.formatting import NOT_AVAILABLE, TIMES, decimal, duration, small_share
from webapp.common.translation import Text

Writer = Callable[[Any], str]
_TWO: Writer = partial(decimal, digits=2)


_VERDICTS = {True: gettext_lazy("correct"), False: gettext_lazy("incorrect")}
_CHAINS = {
    "ok": pgettext_lazy("state of a toolchain", "ok"),
    "empty": pgettext_lazy("state of a toolchain", "empty"),
    "broken": pgettext_lazy("state of a toolchain", "broken"),
}


def _times(value: float) -> str:
    return f"{decimal(value, 1)}{TIMES}"


GROUPS: Mapping[str, Mapping[str, tuple[Text, Writer]]] = {
    gettext_noop("Grounding"): {
        "ioa_gt": (gettext_lazy("coverage"), _TWO),
        "union_coverage": (gettext_lazy("all crops"), _TWO),
        "ioa_pred": (gettext_lazy("concentration"), _TWO),
        "ioa": (gettext_lazy("IoA"), _TWO),
        "iou": (gettext_lazy("IoU"), _TWO),
        "area": (gettext_lazy("evidence area"), small_share),
        "region": (gettext_lazy("cropped area"), small_share),
        "zoom": (gettext_lazy("zoom"), _times),
        "crops": (gettext_lazy("usable crops"), decimal),
    },
    gettext_noop("Answer"): {
        "reading": (gettext_lazy("our reading"), str),
        "file_reading": (gettext_lazy("file’s reading"), str),
        "reading_correct": (gettext_lazy("our verdict"), lambda value: str(_VERDICTS[value])),
        "file_verdict": (gettext_lazy("file’s verdict"), lambda value: str(_VERDICTS[value])),
    },
    gettext_noop("Toolchain"): {
        "calls": (gettext_lazy("calls"), decimal),
        "tools": (gettext_lazy("tools"), decimal),
        "chain": (gettext_lazy("effective calls"), decimal),
        "reference_calls": (gettext_lazy("reference calls"), decimal),
        "edit_distance": (gettext_lazy("edits"), decimal),
        "kendall_tau": (gettext_lazy("Kendall τ"), _TWO),
        "chain_status": (gettext_lazy("toolchain"), lambda name: str(_CHAINS[name])),
    },
    gettext_noop("Planning"): {
        "outcome": (gettext_lazy("plan"), lambda name: str(OUTCOME_WORDS[name])),
        "missing": (gettext_lazy("tools missing"), decimal),
        "extra": (gettext_lazy("tools extra"), decimal),
        "prefix": (gettext_lazy("correct steps"), decimal),
        "omitted": (gettext_lazy("recognized but missing"), decimal),
        "unrecognized": (gettext_lazy("missing, not recognized"), decimal),
        "in_scene": (gettext_lazy("distractors in the plan"), decimal),
        "repeated": (gettext_lazy("repeated tools"), decimal),
        "hallucinated": (gettext_lazy("tools not in the scene"), decimal),
        "f1_difference": (gettext_lazy("ΔF1"), _TWO),
    },
    gettext_noop("Failure and cost"): {
        "failure": (gettext_lazy("failure"), lambda name: gettext(LABELS[name])),
        "seconds": (gettext_lazy("time"), duration),
        "input_tokens": (gettext_lazy("input tokens"), decimal),
        "output_tokens": (gettext_lazy("output tokens"), decimal),
        "usd": (gettext_lazy("cost"), partial(written, "usd")),
        "rollout": (gettext_lazy("rollout"), decimal),
    },
}
_SAID: Mapping[str, tuple[Text, Writer]] = {name: said for group in GROUPS.values() for name, said in group.items()}


def label(name: str) -> str:
    """The words of a field, by its name or an alias, wherever lists name it; a facet is its own."""
    field = FIELDS.get(name)
    return str(_SAID[field.name][0]) if field and field.name in _SAID else name.removeprefix(DATA)


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
    """``names``: the fields of rows, the chosen ones after the sort field. ``apart``: whether they differ from the
    default. ``usual``: the list with the default fields, "" if it has them."""

    names: Sequence[str]
    apart: bool
    groups: Sequence[tuple[str, Sequence[Choice]]]
    usual: str
    most: int = MOST


def shown_of(terms: Terms, facets: Collection[str]) -> Shown:
    """Return the chosen fields. Raises ``InvalidInput`` if the address names others."""
    chosen = selected_fields(terms.get(SHOW, ""), facets)
    names = (*sorted_by(terms.get(SORT, ""), chosen), *chosen)

    def choice(name: str, about: str) -> Choice:
        on = name in chosen
        others = [one for one in chosen if one != name] if on else [*chosen, name]
        return Choice(
            label(name), about, on, address(terms, **{SHOW: show_parameter(others)}) if len(others) <= MOST else ""
        )

    groups = [
        (gettext(title), [choice(name, gettext(FIELDS[name].about)) for name in group])
        for title, group in GROUPS.items()
    ]
    if facets:
        data = [
            choice(f"{DATA}{name}", gettext("%(facet)s of the sample") % {"facet": name}) for name in sorted(facets)
        ]
        groups.append((gettext("Of the sample"), data))
    return Shown(names, names != USUAL, groups, address(terms, **{SHOW: ""}) if terms.get(SHOW) else "")


def facts_of(values: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Return the values of these fields for a row."""
    found = []
    for name in names:
        write, value = _SAID[name][1] if name in _SAID else str, values.get(name)
        found.append(Fact(label(name), NOT_AVAILABLE if value is None else write(value)))
    return found
