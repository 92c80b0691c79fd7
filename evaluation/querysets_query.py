"""The query language as conditions of the database: one verb for each field of ``evaluation.query.fields``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from operator import and_
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Case, Count, Exists, OuterRef, Q, Value, When

from evaluation.metrics.columns import ChainStatus, Outcome, Quadrant, VerdictBy
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.reading import CLASSES, RULES, WHERES
from evaluation.query.fields import FIELDS, READING_REASONS, Kind, described, facet_of
from evaluation.query.numbers import Bounds, bounds
from evaluation.query.parser import parse
from evaluation.query.syntax import (
    DEFINED,
    UNDEFINED,
    And,
    Elsewhere,
    Node,
    Not,
    Or,
    QueryError,
    Term,
    Text,
    fields_in,
)
from evaluation.querysets_chains import called, pair_of, referred
from evaluation.querysets_pairs import beside, flipped, judged, paired, repeated
from evaluation.querysets_places import crop_cell
from evaluation.querysets_words import holding, in_notes, marks_seen_by
from webapp.common.errors import InvalidInput

MOST_RUNS = 6
"""Runs that are compared side by side, and that one term of a query may name."""
NOTHING = Q(pk__in=[])
SCORED = Q(score__isnull=False)
UNLIKE = Q(score__correct=False) | Q(score__undecided=True)
"""Not right. Where nothing says what is right, an answer is neither."""


def condition_of(node: Node, person: Any = None, benchmark: Any = None) -> Q:
    """The trajectories a query lists, as a condition on them. ``person``: whose own tags count beside those shared;
    None: nobody's. ``benchmark``: in whose texts words are looked for, which a query with words needs; this is done at
    once. Raises ``QueryError`` for a value that no field can have."""
    if isinstance(node, Term):
        return _term(node, person, benchmark)
    if isinstance(node, Text):
        return _words("", node.value, benchmark, person)
    if isinstance(node, Not):
        return _without(condition_of(node.part, person, benchmark))
    if isinstance(node, Elsewhere):
        there = _model("Trajectory").objects.filter(sample=OuterRef("sample"))
        return Q(Exists(in_scope(there, node.part).filter(condition_of(node.part, person, benchmark))))
    found = Q() if isinstance(node, And) else NOTHING
    for part in node.parts:
        inner = condition_of(part, person, benchmark)
        found = found & inner if isinstance(node, And) else found | inner
    return found


def in_scope(rows: Any, node: Node) -> Any:
    """A query says which trajectories it is about: by a condition, all under it; by a rollout, those without an
    intervention; else those that metrics are made of."""
    named = fields_in(node)
    if named & {"condition", "flip"}:
        return rows
    return rows.filter(condition="none") if "rollout" in named else rows.evaluated()


def _without(met: Q) -> Q:
    """The others. In SQL an unknown negated stays unknown; here what is not met is left."""
    return Q(Case(When(met, then=Value(False)), default=Value(True), output_field=models.BooleanField()))


def _model(name: str) -> Any:
    return apps.get_model("evaluation", name)


def _words(name: str, text: str, benchmark: Any, person: Any) -> Q:
    if benchmark is None:
        raise ValueError("Words are looked for in the texts of one benchmark: ask the trajectories of it.")
    return in_notes(benchmark, text, person) if name == "note" else holding(benchmark, name, text).condition()


def _term(term: Term, person: Any, benchmark: Any) -> Q:
    facet = facet_of(term.field)
    if facet is not None:
        return _facet(facet, term.value)
    name = FIELDS[term.field].name
    if FIELDS[name].kind is Kind.TEXT:
        return _words(name, term.value, benchmark, person)
    if name in NUMBERS:
        return _number(NUMBERS[name], term)
    if name in ("boxes", "targets"):
        return _of_gold(term)
    if name in PERSONAL:
        return PERSONAL[name](term.value, person)
    return CONDITIONS[name](term.value)


def _facet(name: str, value: str) -> Q:
    there = apps.get_model("annotation", "FacetValue").objects.filter(name=name)
    if value == UNDEFINED:
        return ~Q(sample__in=there.values("sample"))
    return Q(sample__in=(there if value == DEFINED else there.filter(value=value)).values("sample"))


def _number(path: str, term: Term) -> Q:
    wanted = bounds(term)
    if not wanted.defined:
        return Q(**{f"{path}__isnull": True})
    return Q(**{f"{path}__isnull": False}, **_between(path, wanted, whole=term.field not in FRACTIONS))


def _between(path: str, wanted: Bounds, *, whole: bool) -> dict[str, float]:
    """The bounds as lookups; of whole numbers as whole numbers, as Django cuts off the fraction of others."""
    met: dict[str, float] = {}
    if wanted.low > -math.inf:
        met |= {f"{path}__gte": math.ceil(wanted.low)} if whole else {f"{path}__gt": wanted.low}
    if wanted.high < math.inf:
        met |= {f"{path}__lte": math.floor(wanted.high)} if whole else {f"{path}__lt": wanted.high}
    return met


def _of_gold(term: Term) -> Q:
    """A number of rows that hang on the gold of the sample; without any it is 0."""
    model, only = {"boxes": ("GoldBox", {}), "targets": ("PlanTool", {"step__isnull": False})}[term.field]
    rows = apps.get_model("annotation", model).objects.filter(revision__gold_of__sample=OuterRef("sample"), **only)
    wanted = bounds(term)
    several = rows.order_by().values("revision").annotate(n=Count("pk"))
    if not wanted.defined:
        return NOTHING
    met = Q(Exists(several.filter(**_between("n", wanted, whole=True))))
    return met | ~Q(Exists(several)) if wanted.low < 0 < wanted.high else met


def _flag(path: str) -> Callable[[str], Q]:
    return lambda value: Q(**{path: _yes(value)})


def _yes(value: str) -> bool:
    return value.casefold() in {"1", "yes", "true"}


def _yes_or(no: Q, yes: Q) -> Callable[[str], Q]:
    return lambda value: yes if _yes(value) else no


def _coded(path: str, names: tuple[str, ...]) -> Callable[[str], Q]:
    codes = {name.casefold(): code for code, name in enumerate(names)}

    def query(value: str) -> Q:
        if value.casefold() in codes:
            return Q(**{path: codes[value.casefold()]})
        return {UNDEFINED: Q(**{f"{path}__lt": 0}), DEFINED: Q(**{f"{path}__gte": 0})}.get(value, NOTHING)

    return query


DIFFERS = Q(score__file_verdict=True, score__reading_correct=False) | Q(
    score__file_verdict=False, score__reading_correct=True
)
AGREES = Q(score__file_verdict=True, score__reading_correct=True) | Q(
    score__file_verdict=False, score__reading_correct=False
)


def _three(path: str) -> Callable[[str], Q]:
    known = {"yes": Q(**{path: True}), "no": Q(**{path: False}), DEFINED: Q(**{f"{path}__isnull": False})}
    known[UNDEFINED] = SCORED & Q(**{f"{path}__isnull": True})
    return lambda value: known.get(value.casefold(), NOTHING)


def _correct(value: str) -> Q:
    undecided = Q(score__undecided=True)
    verdicts = {
        "yes": Q(score__correct=True),
        "no": Q(score__correct=False),
        "undecided": undecided,
        DEFINED: Q(score__correct__isnull=False) | undecided,
        UNDEFINED: Q(score__correct__isnull=True, score__undecided=False),
    }
    return verdicts.get(value.casefold(), NOTHING)


def left_out() -> Q:
    """Undecided, in a run that leaves such answers out.

    The settings are looked up apart: most do not name the setting, and an unknown negated stays unknown.
    """
    excluding = _model("Scoring").objects.filter(settings__undecided_answer="exclude")
    return Q(score__undecided=True, score__scoring__in=excluding)


def _wrong(value: str) -> Q:
    """Not right, where the answer counts: an answer that its run leaves out as undecided is neither."""
    wrong = UNLIKE & ~left_out()
    return wrong if _yes(value) else _without(wrong)


def counted() -> Q:
    """Counted in accuracy: right or wrong."""
    return Q(score__correct=True) | _wrong("yes")


def _in_each(*conditions: Q) -> Callable[[str], Q]:
    """``3`` or ``3,4``: each of these runs has a scored trajectory of which this holds, on the same sample."""

    def query(value: str) -> Q:
        runs = value.split(",")
        if len(runs) > MOST_RUNS or not all(is_number(run) for run in runs):
            return NOTHING
        there = _model("Trajectory").objects.filter(sample=OuterRef("sample"))
        found = Q()
        for run in runs:
            found &= Q(Exists(there.filter(run=int(run)).evaluated().filter(SCORED, *conditions)))
        return found

    return query


def _run(value: str) -> Q:
    """By number, by model, or by model and setting as the run is written; one set of runs, so that an index serves."""
    named = Q(model__name=value)
    for place in [i for i in range(len(value)) if value.startswith(", ", i)]:
        named |= Q(model__name=value[:place], setting=value[place + 2 :])
    if is_number(value):
        named |= Q(pk=int(value))
    return Q(run__in=_model("Run").objects.filter(named).values("pk"))


def _sample(value: str) -> Q:
    """Exactly, or all that begin so: as a range, as LIKE in SQLite knows no case."""
    if value.endswith("*"):
        return Q(sample__key__gte=value[:-1], sample__key__lt=value[:-1] + "\U0010ffff")
    return Q(sample__key=value)


def _numbered(value: str) -> Q:
    return Q(pk__in=[int(part) for part in value.split(",") if is_number(part)])


def is_number(text: str) -> bool:
    """Whether it can be the number of a row."""
    return text.isascii() and text.isdigit() and len(text) < 19


def _failure(value: str) -> Q:
    """What a person says in place of the rule, else the rule."""
    labels = _model("FailureLabel").objects.filter(current=True)
    said = Q(pk__in=labels.filter(_coded("failure", FAILURES)(value)).values("trajectory"))
    return said | _coded("score__failure", FAILURES)(value) & ~Q(pk__in=labels.values("trajectory"))


def _failure_by(value: str) -> Q:
    labels = _model("FailureLabel").objects
    if value in (DEFINED, UNDEFINED):
        return Q(pk__in=labels.values("trajectory")) if value == DEFINED else ~Q(pk__in=labels.values("trajectory"))
    people = value.split(",")
    if len(people) > MOST_RUNS or not all(is_number(person) for person in people):
        return NOTHING
    return reduce(and_, (Q(pk__in=labels.filter(person=int(person)).values("trajectory")) for person in people))


def visible_tags(person: Any) -> Any:
    """The person's own tags, and those that members of a benchmark share, where they see these: ``marks_seen_by``."""
    own = Q(owner=person.pk) if person is not None and person.pk else NOTHING
    return _model("Tag").objects.filter(Q(owner=None) & marks_seen_by(person, "benchmark") | own)


def _tag(value: str, person: Any) -> Q:
    given = _model("Tagging").objects.filter(tag__in=visible_tags(person))
    if value == UNDEFINED:
        return ~Q(pk__in=given.values("trajectory"))
    return Q(pk__in=(given if value == DEFINED else given.filter(tag__name=value)).values("trajectory"))


NUMBERS: Mapping[str, str] = {
    "area": "sample__evidence_share",
    **{name: name for name in ("rollout", "usd", "seconds", "input_tokens", "output_tokens")},
    **{name: f"score__{name}" for name in ("ioa", "iou", "calls", "reference_calls", "edit_distance", "kendall_tau")},
    "ioa_gt": "score__coverage",
    "union_coverage": "score__union_coverage",
    "ioa_pred": "score__concentration",
    "zoom": "score__zoom_factor",
    "region": "score__cropped_region_size",
    "crops": "score__usable_crops",
    "tools": "score__unique_tools",
    "chain": "score__effective_calls",
    "missing": "score__plan_missing",
    "extra": "score__plan_extra",
    "prefix": "score__plan_prefix",
}
"""Fields that are a number of the trajectory, its scores or its sample, and where it stands."""
FRACTIONS = frozenset(
    {"area", "usd", "seconds", "ioa", "ioa_gt", "union_coverage", "ioa_pred", "iou", "zoom", "region", "kendall_tau"}
)
"""Those of them that are not whole numbers."""
CONDITIONS: Mapping[str, Callable[[str], Q]] = {
    "trajectory": _numbered,
    "sample": _sample,
    "type": lambda value: Q(sample__gold__revision__answer_type=value),
    "run": _run,
    "condition": lambda value: Q(condition=value),
    "failed": _yes_or(Q(error=""), ~Q(error="")),
    "scored": _yes_or(Q(score__isnull=True), SCORED),
    "priced": _yes_or(Q(usd__isnull=True), Q(usd__isnull=False)),
    "correct": _correct,
    "right": _yes_or(UNLIKE, Q(score__correct=True)),
    "wrong": _wrong,
    "undecided": _flag("score__undecided"),
    "unread": _flag("score__unread"),
    "unanswered": _flag("score__missing_answer"),
    "verdict_by": _coded("score__verdict_by", VerdictBy.NAMES),
    "file_verdict": _three("score__file_verdict"),
    "reading_correct": _three("score__reading_correct"),
    "file_differs": lambda value: {
        "yes": DIFFERS,
        "no": AGREES,
        DEFINED: DIFFERS | AGREES,
        UNDEFINED: SCORED & (Q(score__file_verdict=None) | Q(score__reading_correct=None)),
    }.get(value.casefold(), NOTHING),
    "counted": lambda value: counted() if _yes(value) else _without(counted()),
    "quadrant": _coded("score__quadrant", Quadrant.NAMES),
    "reading_where": _coded("score__reading_where", WHERES),
    "reading_rule": _coded("score__reading_rule", RULES),
    "reading_class": _coded("score__reading_class", CLASSES),
    "unread_reason": _coded("score__unread_reason", READING_REASONS),
    "population": _flag("score__in_population"),
    "grounded": _flag("score__grounded"),
    "zoomed": _flag("score__invoked"),
    "evidence": _flag("score__visual_evidence"),
    "center_hit": _flag("score__center_hit"),
    "unusable": _yes_or(Q(score__unusable_crops=0), Q(score__unusable_crops__gt=0)),
    "chain_status": _coded("score__chain_status", ChainStatus.NAMES),
    "reference": _yes_or(SCORED & Q(score__reference_calls__isnull=True), Q(score__reference_calls__isnull=False)),
    "crop_cell": crop_cell,
    "tool": called,
    "tool_failed": lambda value: called(value, ok=False),
    "reference_tool": referred,
    "aligned": pair_of("score__aligned"),
    "followed": pair_of("score__followed"),
    "outcome": _coded("score__plan_outcome", Outcome.NAMES),
    "planned": _yes_or(Q(score__plan_outcome=Outcome.NONE), Q(score__plan_outcome__gt=Outcome.NONE)),
    "failure": _failure,
    "failure_by": _failure_by,
    "flip": flipped,
    "repeats": lambda value: repeated(value.casefold(), counted()),
    "paired": paired,
    "beside": lambda value: Q(Exists(beside().filter(condition=value))),
    "judged": lambda kind: Q(judged(kind), score__visual_evidence=True),
    "unjudged": lambda kind: Q(~judged(kind), score__visual_evidence=True),
    "right_in": _in_each(Q(score__correct=True)),
    "wrong_in": lambda value: _in_each(_wrong("yes"))(value),
    "shared_with": lambda value: _in_each(counted())(value),
    "cropped_in": _in_each(Q(score__usable_crops__gt=0)),
    "population_in": _in_each(Q(score__in_population=True)),
    "grounded_in": _in_each(Q(score__grounded=True)),
    "ungrounded_in": _in_each(Q(score__in_population=True, score__grounded=False)),
}
PERSONAL: Mapping[str, Callable[[str, Any], Q]] = {"tag": _tag}
"""Fields that mean something else to each person."""
_SIGNS = {
    f"{name}_{side}": (field, sign)
    for name, field in {**{n: n for n in ("ioa", "coverage", "concentration", "zoom")}, "crop_size": "region"}.items()
    for side, sign in (("above", ">"), ("upto", "<="))
}
TERMS = frozenset({*FIELDS, *_SIGNS})
"""Names of an address that narrow a list, each as a field of a query: ``?calls=3%2B`` is ``calls:3+``. Facets come as
``facet.NAME=VALUE``."""


def term_of(name: str, value: str) -> Term | None:
    """A term of an address as a comparison; None for a name that narrows nothing."""
    field, sign = _SIGNS.get(name, (name, ":"))
    if field in FIELDS:
        return Term(FIELDS[field].name, sign, value)
    return Term(name, ":", value) if name.startswith("facet.") else None


def other_terms() -> Iterator[tuple[str, str]]:
    """The names of an address that no field is described under, each with how a query says it."""
    for name in sorted(TERMS - {field.name for field in described()}):
        if term := term_of(name, ""):
            yield name, f"{term.field}{term.sign}"


def query_of(terms: Mapping[str, str]) -> Node:
    """The terms of an address as one query. Raises ``InvalidInput`` where ``q`` cannot be read; a term with a value
    that its field cannot have lists nothing."""
    made = [term for name, value in terms.items() if (term := term_of(name, value)) is not None]
    parts: list[Node] = [part for part in made if facet_of(part.field) or _has_a_meaning(part)]
    if len(parts) < len(made):
        parts.append(Or(()))
    try:
        # Nothing is asked by a blank one: to say of each row that it meets that takes as long as a comparison.
        parts += [parse(terms["q"])] if terms.get("q") else []
    except QueryError as error:
        raise InvalidInput(error.sentence, code="query", field="q") from error
    return And(tuple(parts))


def _has_a_meaning(term: Term) -> bool:
    try:
        bounds(term) if FIELDS[term.field].kind is Kind.NUMBER else None
    except QueryError:
        return False
    return True
