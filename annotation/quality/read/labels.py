"""Labels of people on samples as codes, and the agreement of these codes.

A label is compared over the samples with labels of both: the chosen letter if both offered the same options, the answer
type, the number of boxes, whether the order of the plan counts, and each facet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext, gettext_noop

from annotation.agreement import MISSING, Coefficient, agree, krippendorff_alpha
from annotation.quality.read.agreement import ALL, Pair, Rater, Said
from annotation.schema import AnswerType, SampleContent
from annotation.statistics import Ints, bootstrap_interval, cluster_totals, ratio

ONE_CATEGORY = gettext_noop("One category used: chance is 1.")
NOT_TWO = gettext_noop("For two people only.")
NO_ITEMS = gettext_noop("No sample has it from both.")

Reading = Callable[[Pair], tuple[str | None, str | None]]


@dataclass(frozen=True)
class Label:
    """One label over some pairs: ``first`` and ``second`` are codes of ``categories``, −1 if missing."""

    name: str
    title: str
    categories: tuple[str, ...]
    first: Ints
    second: Ints

    @property
    def both(self) -> list[int]:
        """The rows in which both have the label."""
        return np.flatnonzero((self.first != MISSING) & (self.second != MISSING)).tolist()

    @property
    def agreeing(self) -> list[int]:
        return [row for row in self.both if self.first[row] == self.second[row]]


@dataclass(frozen=True)
class LabelAgreement:
    """The agreement on a label; ``reasons``: by coefficient, why it is undefined."""

    label: Label
    raw: Coefficient
    kappa: Coefficient
    alpha: Coefficient
    ac1: Coefficient
    reasons: Mapping[str, str]


def labels_of(pairs: Sequence[Pair]) -> list[Label]:
    """Return every label that at least one of the pairs has twice; the answer always."""
    facets = sorted({name for pair in pairs for name in (*pair.first.facets, *pair.second.facets)})
    readings: list[tuple[str, str, Reading]] = [
        ("answer", gettext("Answer"), _letters),
        ("kind", gettext("Kind of answer"), lambda pair: (_kind(pair.first), _kind(pair.second))),
        ("boxes", gettext("Boxes drawn"), lambda pair: (_drawn(pair.first), _drawn(pair.second))),
        ("order", gettext("Order of the plan"), lambda pair: (_order(pair.first), _order(pair.second))),
        *((f"facet.{name}", name, _facet_of(name)) for name in facets),
    ]
    letters = {letter for pair in pairs if _letters(pair) != (None, None) for letter in pair.first.content.options}
    offered = {"answer": letters}
    found = [
        _label(name, title, [reading(pair) for pair in pairs], offered.get(name, set()))
        for name, title, reading in readings
    ]
    return [label for label in found if label.both or label.name == "answer"]


def agreement_on(label: Label, pairs: Sequence[Pair], first: Rater, second: Rater) -> LabelAgreement:
    """Return coefficients with cluster bootstrap intervals. For many people together, only raw agreement and alpha are
    defined.

    With fewer than two categories in use, every chance-corrected coefficient is undefined, never 1.
    """
    cluster = _codes([pair.place.cluster for pair in pairs])
    used = {int(code) for row in label.both for code in (label.first[row], label.second[row])}
    n = len(label.both)
    several = first == ALL and second == ALL
    raw = _raw(label, cluster)
    if len(used) < 2:
        none, why = Coefficient(None, n), ONE_CATEGORY if used else NO_ITEMS
        return LabelAgreement(label, raw, none, none, none, dict.fromkeys(("kappa", "alpha", "ac1"), why))
    if several:
        alpha = _alpha_of_many(label, pairs)
        reasons = {"kappa": NOT_TWO, "ac1": NOT_TWO}
        return LabelAgreement(label, raw, Coefficient(None, n), alpha, Coefficient(None, n), reasons)
    found = agree(label.first, label.second, len(label.categories), cluster)
    return LabelAgreement(label, found.raw, found.kappa, found.alpha, found.ac1, {})


def _raw(label: Label, cluster: Ints) -> Coefficient:
    both = label.both
    if not both:
        return Coefficient(None, 0)
    same = (label.first[both] == label.second[both]).astype(np.float64)
    totals = cluster_totals(np.column_stack([same, np.ones(len(both))]), cluster[both])
    return Coefficient(float(same.mean()), len(both), bootstrap_interval(totals, ratio))


def _alpha_of_many(label: Label, pairs: Sequence[Pair]) -> Coefficient:
    """Return alpha over samples × people: a person's label of a sample is the same in each of its pairs."""
    samples = {pair.sample: row for row, pair in enumerate({pair.sample: pair for pair in pairs}.values())}
    people = {one: column for column, one in enumerate(sorted({p for pair in pairs for p in _raters(pair)}))}
    table = np.full((len(samples), len(people)), MISSING, dtype=np.int64)
    cluster = [""] * len(samples)
    for pair, first, second in zip(pairs, label.first, label.second, strict=True):
        row = samples[pair.sample]
        cluster[row] = pair.place.cluster
        for person, code in zip(_raters(pair), (first, second), strict=True):
            if code != MISSING:
                table[row, people[person]] = code
    return krippendorff_alpha(table, len(label.categories), _codes(cluster))


def _raters(pair: Pair) -> tuple[int, int]:
    return pair.first_by, pair.second_by or 0


def _label(name: str, title: str, given: Sequence[tuple[str | None, str | None]], offered: set[str]) -> Label:
    """Return codes of the given values. Categories of ``offered`` count even if they are unused."""
    used = {value for both in given if None not in both for value in both if value is not None}
    categories = tuple(sorted(used | offered))
    place = {value: code for code, value in enumerate(categories)}
    codes = [(MISSING, MISSING) if None in both else (place[str(both[0])], place[str(both[1])]) for both in given]
    table = np.array(codes, dtype=np.int64).reshape(-1, 2)
    return Label(name, title, categories, table[:, 0], table[:, 1])


def _codes(names: Sequence[str]) -> Ints:
    book: dict[str, int] = {}
    return np.array([book.setdefault(name, len(book)) for name in names], dtype=np.int64)


def _letters(pair: Pair) -> tuple[str | None, str | None]:
    """Return the letters, if both offered the same options under the same letters; a missing answer is another
    category.
    """
    first, second = pair.first.content, pair.second.content
    chosen = AnswerType.MULTIPLE_CHOICE
    if first.answer_type is not chosen or second.answer_type is not chosen or first.options != second.options:
        return None, None
    return _letter(first), _letter(second)


def _letter(content: SampleContent) -> str | None:
    return gettext("cannot be answered") if content.unanswerable is not None else next(iter(content.answers), None)


def _kind(said: Said) -> str | None:
    if not said.content.answers:
        return None
    return "choice" if said.content.answer_type is AnswerType.MULTIPLE_CHOICE else "open"


def _drawn(said: Said) -> str | None:
    if said.content.unanswerable is not None:
        return None
    return ("none", "one", "several")[min(len(said.content.gold_boxes), 2)]


def _order(said: Said) -> str | None:
    ordered = said.content.plan.ordered
    return None if ordered is None else "counts" if ordered else "free"


def _facet_of(name: str) -> Reading:
    def read(said: Said) -> str | None:
        values = said.facets.get(name) or ()
        return ", ".join(sorted(map(str, values))) or None

    return lambda pair: (read(pair.first), read(pair.second))
