"""A query as a condition of SQL on the rows of the score store: one expression for each field.

Names in the text are ours, values are arguments. Every condition is true or false, never null: a comparison with
something undefined does not hold, and ``not`` is what is left.

The condition is on the table ``rows``, one row per trajectory (``evaluation.store.schema``), with the failure in force
in place of that by rule. Other tables that it may name: ``samples`` (sample, answer_type, area, boxes, targets),
``facets`` (sample, name, value), ``contributions`` (the same rows with what each adds to metrics), and those of
``Compiled.sides``, which have to be there before it is asked.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from evaluation.metrics.chains import BETWEEN, half_word, pair_word
from evaluation.metrics.columns import VerdictBy
from evaluation.metrics.names import canonical_name
from evaluation.metrics.selection import SELECTED
from evaluation.query.fields import FIELDS, Field, Kind, facet_of
from evaluation.query.numbers import bounds
from evaluation.query.syntax import DEFINED, UNDEFINED, And, Node, Not, OnOtherTrajectory, Term, Text, fields_in

MOST_RUNS = 6
"""Runs that are compared side by side, and that one term of a query may name."""
NOTHING, EVERYTHING = "FALSE", "TRUE"
YES = frozenset({"1", "yes", "true"})


@dataclass(frozen=True, slots=True)
class Side:
    """A table that a condition names and the database fills: ``what`` is held, of which ``field`` and ``value``.

    "words": trajectories (``pk``) whose own texts hold a phrase, and under the name with ``_samples`` added samples
    (``sample``) whose question does. "note", "tag", "label": trajectories (``pk``). "judged": what a judge model spoke
    of (``run``, ``sample``), and with ``_named`` added the trajectories (``pk``) that it named.
    """

    name: str
    what: str
    field: str
    value: str


@dataclass
class Conditions:
    """Compiles queries into conditions of one statement, whose arguments it gathers.

    ``runs``: the numbers of the runs by each name they go by. ``args``: by name, as the text refers to them (``$a0``).
    """

    runs: Mapping[str, Collection[int]]
    args: dict[str, Any] = field(default_factory=dict)
    sides: dict[tuple[str, str, str], Side] = field(default_factory=dict)

    def listed(self, node: Node) -> str:
        """The trajectories that a query lists: those it is about, and of them those that meet it."""
        return f"({base_population(node)} AND {self.holds(node)})"

    def holds(self, node: Node) -> str:
        """Return the SQL for whether a trajectory meets the query. Raises ``QueryError`` for an invalid number."""
        if isinstance(node, Term):
            return self._compared(node)
        if isinstance(node, Text):
            return self._with_words("", node.value)
        if isinstance(node, Not):
            return f"(NOT {self.holds(node.part)})"
        if isinstance(node, OnOtherTrajectory):
            return f"(sample IN (SELECT sample FROM rows WHERE {self.listed(node.part)}))"
        if not node.parts:
            return EVERYTHING if isinstance(node, And) else NOTHING
        between = " AND " if isinstance(node, And) else " OR "
        return f"({between.join(self.holds(part) for part in node.parts)})"

    def arg(self, value: Any) -> str:
        """A value as the text refers to it."""
        name = f"a{len(self.args)}"
        self.args[name] = value
        return f"${name}"

    def _compared(self, term: Term) -> str:
        facet = facet_of(term.field)
        if facet is not None:
            return self._facet(facet, term.value)
        known = FIELDS[term.field]
        if known.name in _SPECIAL:
            return _SPECIAL[known.name](self, term)
        if known.kind is Kind.NUMBER:
            return self._number(known.sql, term)
        if known.kind is Kind.FLAG:
            return f"coalesce({known.sql} = {'TRUE' if _yes(term.value) else 'FALSE'}, FALSE)"
        return self._choice(known, term.value)

    def _facet(self, name: str, value: str) -> str:
        there = f"SELECT sample FROM facets WHERE name = {self.arg(name)}"
        if value == UNDEFINED:
            return f"(sample NOT IN ({there}))"
        only = "" if value == DEFINED else f" AND value = {self.arg(value)}"
        return f"(sample IN ({there}{only}))"

    def _number(self, sql: str, term: Term) -> str:
        wanted = bounds(term)
        if not wanted.defined:
            return f"({sql} IS NULL)"
        parts = [f"{sql} IS NOT NULL"]
        parts += [f"{sql} > {self.arg(wanted.low)}"] if wanted.low > -math.inf else []
        parts += [f"{sql} < {self.arg(wanted.high)}"] if wanted.high < math.inf else []
        return f"({' AND '.join(parts)})"

    def _choice(self, known: Field, value: str) -> str:
        """A choice in any case, "any" of them, or "none": scored, and without one."""
        named = {choice.casefold(): choice for choice in known.choices}
        if value.casefold() in named:
            return self.equals(known.sql, named[value.casefold()])
        return {DEFINED: f"({known.sql} IS NOT NULL)", UNDEFINED: f"(scored AND {known.sql} IS NULL)"}.get(
            value, NOTHING
        )

    def equals(self, sql: str, value: Any) -> str:
        return f"coalesce({sql} = {self.arg(value)}, FALSE)"

    def has(self, sql: str, values: Collection[str]) -> str:
        """A list of the row has one of these. DuckDB finds one value eleven times as fast as one of several."""
        each = " OR ".join(f"coalesce(list_contains({sql}, {self.arg(value)}::VARCHAR), FALSE)" for value in values)
        return f"({each})" if each else NOTHING

    def of_sample(self, inner: str) -> str:
        return f"(sample IN (SELECT sample FROM samples WHERE {inner}))"

    def _with_words(self, name: str, text: str) -> str:
        side = self.side("words", name, text)
        return f"(pk IN (SELECT pk FROM {side}) OR sample IN (SELECT sample FROM {side}_samples))"

    def side(self, what: str, name: str, value: str) -> str:
        key = what, name, value
        if key not in self.sides:
            self.sides[key] = Side(f"side{len(self.sides)}", *key)
        return self.sides[key].name


def base_population(node: Node) -> str:
    """A query says which trajectories it is about: by a condition, all under it; by a rollout, those without an
    intervention; else those that metrics are made of."""
    named = fields_in(node)
    if named & {"condition", "flip"}:
        return EVERYTHING
    return "condition = 'none'" if "rollout" in named else "evaluated"


def is_number(text: str) -> bool:
    """Whether it can be the number of a row."""
    return text.isascii() and text.isdigit() and len(text) < 19


def names_of(value: str) -> list[str]:
    """The tools that a value of the field ``tool`` means."""
    with suppress(ValueError, RecursionError):
        listed = json.loads(value) if value.startswith("[") else None
        if isinstance(listed, list):
            return [str(name) for name in listed]
    return [value]


def _yes(value: str) -> bool:
    return value.casefold() in YES


def _numbers_in(value: str) -> list[int] | None:
    """Return at most ``MOST_RUNS`` numbers separated by commas; None for anything else."""
    parts = value.split(",")
    return [int(part) for part in parts] if len(parts) <= MOST_RUNS and all(map(is_number, parts)) else None


def _sample(to: Conditions, term: Term) -> str:
    if term.value.endswith("*"):
        return f"starts_with(sample_key, {to.arg(term.value[:-1])})"
    return f"(sample_key = {to.arg(term.value)})"


def _trajectory(to: Conditions, term: Term) -> str:
    ends = [(first, last or first) for first, _, last in (part.partition("-") for part in term.value.split(","))]
    spans = [(int(first), int(last)) for first, last in ends if is_number(first) and is_number(last)]
    numbers = [first for first, last in spans if first == last]
    found = [f"pk BETWEEN {to.arg(first)} AND {to.arg(last)}" for first, last in spans if first < last]
    if numbers:
        found.append(f"pk IN (SELECT unnest({to.arg(numbers)}::BIGINT[]))")
    return f"({' OR '.join(found)})" if found else NOTHING


def _run(to: Conditions, term: Term) -> str:
    numbers = sorted(to.runs.get(term.value, ()))
    return f"(run IN ({', '.join(map(str, numbers))}))" if numbers else NOTHING


def _of_gold(sql: str) -> Callable[[Conditions, Term], str]:
    """A number of the sample's gold. Without gold it is 0, and never undefined."""

    def condition(to: Conditions, term: Term) -> str:
        wanted = bounds(term)
        return to.of_sample(to._number(sql, term)) if wanted.defined else NOTHING

    return condition


def _flag_of(yes: str, no: str) -> Callable[[Conditions, Term], str]:
    return lambda to, term: f"coalesce({yes if _yes(term.value) else no}, FALSE)"


def _verdict_by(to: Conditions, term: Term) -> str:
    """ "none" is one of its values here."""
    value = term.value.casefold()
    if value in VerdictBy.NAMES:
        return to.equals("verdict_by", value)
    return "scored" if value == DEFINED else NOTHING


def _correct(to: Conditions, term: Term) -> str:
    return to._choice(FIELDS["correct"], term.value.casefold())


def _three(sql: str) -> Callable[[Conditions, Term], str]:
    """A truth that may be undefined."""

    def condition(to: Conditions, term: Term) -> str:
        return {
            "yes": f"coalesce({sql}, FALSE)",
            "no": f"coalesce(NOT {sql}, FALSE)",
            DEFINED: f"({sql} IS NOT NULL)",
            UNDEFINED: f"(scored AND {sql} IS NULL)",
        }.get(term.value.casefold(), NOTHING)

    return condition


def counts_in(metrics: Collection[str]) -> str:
    """Whether a row of ``contributions`` is in the population of any of these metrics."""
    return f"({' OR '.join(f'd_{name} <> 0 OR n_{name} <> 0' for name in metrics)})"


def _measured(to: Conditions, term: Term) -> str:
    """In the population of a metric. Only names of metrics become text of the statement."""
    whole = term.value in (DEFINED, UNDEFINED)
    metrics = tuple(SELECTED) if whole else tuple({term.value} & SELECTED.keys())
    if not metrics:
        return NOTHING
    there = f"pk IN (SELECT pk FROM contributions WHERE {counts_in(metrics)})"
    return f"(scored AND NOT {there})" if term.value == UNDEFINED else f"({there})"


def _reading_flag(to: Conditions, term: Term) -> str:
    if term.value in (DEFINED, UNDEFINED):
        return f"(scored AND len(reading_flags) {'>' if term.value == DEFINED else '='} 0)"
    return to.has("reading_flags", [term.value.casefold()])


def _named(sql: str, *, of_scores: bool) -> Callable[[Conditions, Term], str]:
    """Exactly this text, any, or none."""

    def condition(to: Conditions, term: Term) -> str:
        undefined = f"({'scored AND ' if of_scores else ''}{sql} IS NULL)"
        return {DEFINED: f"({sql} IS NOT NULL)", UNDEFINED: undefined}.get(term.value, to.equals(sql, term.value))

    return condition


def _crop_cell(to: Conditions, term: Term) -> str:
    found = re.fullmatch(r"(\d{1,3})-(\d{1,3})", term.value)
    return to.equals("crop_cell", f"{int(found[1])}-{int(found[2])}") if found else NOTHING


def _called(sql: str) -> Callable[[Conditions, Term], str]:
    """A tool that was called, by its own name; a JSON list contains alternatives. Unscored trajectories have calls,
    too."""

    def condition(to: Conditions, term: Term) -> str:
        if term.value in (DEFINED, UNDEFINED):
            return f"(len({sql}) {'>' if term.value == DEFINED else '='} 0)"
        return to.has(sql, names_of(term.value))

    return condition


def _reference_tool(to: Conditions, term: Term) -> str:
    if term.value in (DEFINED, UNDEFINED):
        return f"(scored AND reference_calls IS {'NOT ' if term.value == DEFINED else ''}NULL)"
    return to.has("reference_tools", [half_word(canonical_name(term.value))])


def _pair(sql: str) -> Callable[[Conditions, Term], str]:
    def condition(to: Conditions, term: Term) -> str:
        if term.value in (DEFINED, UNDEFINED):
            return f"(scored AND len({sql}) {'>' if term.value == DEFINED else '='} 0)"
        first, between, second = term.value.partition(BETWEEN)
        return to.has(sql, [pair_word(canonical_name(first), canonical_name(second))]) if between else NOTHING

    return condition


def _paired(to: Conditions, term: Term) -> str:
    if term.value == UNDEFINED:
        return "(scored AND paired IS NULL)"
    return to.equals("paired", "evidence") if term.value == "evidence" else "(paired IS NOT NULL)"


def _flip(to: Conditions, term: Term) -> str:
    return to.equals("flip", term.value) if term.value in ("lost", "gained") else NOTHING


def _repeats(to: Conditions, term: Term) -> str:
    value = term.value.casefold()
    if value == UNDEFINED:
        return "(repeats IS NULL)"
    return "(repeats IS NOT NULL)" if value == DEFINED else to.equals("repeats", value)


def _beside(to: Conditions, term: Term) -> str:
    return to.has("beside", [term.value])


def _judged(wanted: bool) -> Callable[[Conditions, Term], str]:
    def condition(to: Conditions, term: Term) -> str:
        side = to.side("judged", "judged", term.value)
        there = f"((run, sample) IN (SELECT run, sample FROM {side}) OR pk IN (SELECT pk FROM {side}_named))"
        return f"(coalesce(evidence, FALSE) AND {there if wanted else f'NOT {there}'})"

    return condition


def _in_each(holds: str) -> Callable[[Conditions, Term], str]:
    """Each of the runs named has a scored trajectory of which this holds, on the same sample."""

    def condition(to: Conditions, term: Term) -> str:
        runs = _numbers_in(term.value)
        if runs is None:
            return NOTHING
        each = (f"sample IN (SELECT sample FROM rows WHERE run = {run} AND evaluated AND {holds})" for run in runs)
        return f"({' AND '.join(each)})"

    return condition


def _failure(to: Conditions, term: Term) -> str:
    """The failure that a person set, else that of the rule. A person may set "no failure"."""
    if term.value == UNDEFINED:
        return "(failure IS NULL AND (scored OR labeled))"
    return to._choice(FIELDS["failure"], term.value)


def _failure_by(to: Conditions, term: Term) -> str:
    if term.value in (DEFINED, UNDEFINED):
        there = f"pk IN (SELECT pk FROM {to.side('label', 'failure_by', '')})"
        return f"({there})" if term.value == DEFINED else f"(NOT {there})"
    people = _numbers_in(term.value)
    if people is None:
        return NOTHING
    each = (f"pk IN (SELECT pk FROM {to.side('label', 'failure_by', str(person))})" for person in people)
    return f"({' AND '.join(each)})"


def _tag(to: Conditions, term: Term) -> str:
    whole = term.value in (DEFINED, UNDEFINED)
    there = f"pk IN (SELECT pk FROM {to.side('tag', 'tag', '' if whole else term.value)})"
    return f"(NOT {there})" if term.value == UNDEFINED else f"({there})"


def _note(to: Conditions, term: Term) -> str:
    return f"(pk IN (SELECT pk FROM {to.side('note', 'note', term.value)}))"


def _words(to: Conditions, term: Term) -> str:
    return to._with_words(FIELDS[term.field].name, term.value)


_SPECIAL: Mapping[str, Callable[[Conditions, Term], str]] = {
    "sample": _sample,
    "type": lambda to, term: to.of_sample(to.equals("answer_type", term.value)),
    "boxes": _of_gold("boxes"),
    "targets": _of_gold("targets"),
    "area": lambda to, term: to.of_sample(to._number("area", term)),
    "trajectory": _trajectory,
    "run": _run,
    "condition": lambda to, term: f"(condition = {to.arg(term.value)})",
    "priced": _flag_of("usd IS NOT NULL", "usd IS NULL"),
    "correct": _correct,
    "right": _flag_of("verdict = 'yes'", "verdict IN ('no', 'undecided')"),
    "wrong": _flag_of("incorrect", "NOT coalesce(incorrect, FALSE)"),
    "measured": _measured,
    "counted": _flag_of("counted", "NOT coalesce(counted, FALSE)"),
    "verdict_by": _verdict_by,
    "file_verdict": _three("file_verdict"),
    "reading_correct": _three("reading_correct"),
    "file_differs": _three("(file_verdict <> reading_correct)"),
    "unusable": _flag_of("unusable_crops > 0", "unusable_crops = 0"),
    "reading_flag": _reading_flag,
    "reading": _named("reading", of_scores=True),
    "file_reading": _named("file_reading", of_scores=False),
    "crop_cell": _crop_cell,
    "reference": _flag_of("reference_calls IS NOT NULL", "scored AND reference_calls IS NULL"),
    "planned": _flag_of("outcome IS NOT NULL", "scored AND outcome IS NULL"),
    "tool": _called("tools"),
    "tool_failed": _called("failed_tools"),
    "reference_tool": _reference_tool,
    "aligned": _pair("aligned"),
    "followed": _pair("followed"),
    "failure": _failure,
    "failure_by": _failure_by,
    "tag": _tag,
    "note": _note,
    "question": _words,
    "answer": _words,
    "transcript": _words,
    "flip": _flip,
    "repeats": _repeats,
    "paired": _paired,
    "beside": _beside,
    "judged": _judged(True),
    "unjudged": _judged(False),
    "right_in": _in_each("verdict = 'yes'"),
    "wrong_in": _in_each("incorrect"),
    "shared_with": _in_each("counted"),
    "cropped_in": _in_each("crops > 0"),
    "population_in": _in_each("population"),
    "grounded_in": _in_each("grounded"),
    "ungrounded_in": _in_each("population AND NOT grounded"),
}
"""Fields that are more than a column compared with a value."""
