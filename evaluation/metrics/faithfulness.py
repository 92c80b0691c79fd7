"""Did looking matter? Interventions, reliability, sufficiency and visual quantity. Source:
docs/metrics.md#faithfulness-measures, #effects.

Everything here is per sample of a benchmark (m rows): the records of one model are turned into codes once, and every
slice is a selection of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.answers import as_read, judge_answer
from evaluation.metrics.columns import (
    FALSE,
    TRUE,
    UNKNOWN,
    AnswerKey,
    Bools,
    Floats,
    Ints,
    SampleColumns,
    ScoreColumns,
)
from evaluation.metrics.intervals import Interval, mean_interval, newcombe, rate_interval
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.significance import cluster_differences, holm, mcnemar, sign_flip
from evaluation.metrics.undecided import ENDS, Range, accuracy_ranges, difference_range
from evaluation.schema import Condition, Intervention, Judgement, JudgementKind


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of one model under several conditions, all of one kind, m rows each.

    Attributes:
        correct: condition name ("none", "text", ...) → TRUE, FALSE, or UNKNOWN where the sample has no outcome.
        said: condition name → a number for the answer as read, equal for equal answers; UNKNOWN where there is no
            answer or it cannot be read.
        undecided: condition name → whether the answer is undecided; then ``correct`` is FALSE.
    """

    correct: Mapping[str, Ints] = field(default_factory=dict)
    said: Mapping[str, Ints] = field(default_factory=dict)
    undecided: Mapping[str, Bools] = field(default_factory=dict)

    def named(self, sources: Mapping[str, str]) -> Outcomes:
        """Those of other conditions, under new names: ``sources`` has new and old ones."""
        correct, said = (
            {new: one[old] for new, old in sources.items() if old in one} for one in (self.correct, self.said)
        )
        flags = {new: self.undecided[old] for new, old in sources.items() if old in self.undecided}
        return Outcomes(correct, said, flags)

    def of(self, rows: Ints) -> Outcomes:
        """The same of a selection of samples."""
        correct, said = ({name: codes[rows] for name, codes in one.items()} for one in (self.correct, self.said))
        return Outcomes(correct, said, {name: flags[rows] for name, flags in self.undecided.items()})


@dataclass(frozen=True)
class FaithfulnessColumns:
    """Data about one model in addition to its ordinary scores, m rows each.

    Attributes:
        recorded: outcomes from intervention records.
        trajectories: outcomes of the model's trajectories, ordinary ones ("none") and those run under a condition.
        arms: the first draws of the arms of the lab that are these conditions, "none" is what they are compared with.
        reliability: TRUE if the judge calls the visual evidence reliable, UNKNOWN without a judgment.
        sufficiency: TRUE if the judge, who sees only the visual evidence, answers correctly.

    The kinds of outcomes are never mixed within a pair: a recorded baseline and an ordinary trajectory can come from
    different prompts or sampling, so a mixed pair would measure two changes at once.
    """

    recorded: Outcomes = field(default_factory=Outcomes)
    trajectories: Outcomes = field(default_factory=Outcomes)
    arms: Outcomes = field(default_factory=Outcomes)
    reliability: Ints | None = None
    sufficiency: Ints | None = None

    def of(self, rows: Ints) -> FaithfulnessColumns:
        """The same of a selection of samples."""
        reliability, sufficiency = (
            None if codes is None else codes[rows] for codes in (self.reliability, self.sufficiency)
        )
        recorded, trajectories, arms = (kind.of(rows) for kind in self.kinds)
        return FaithfulnessColumns(recorded, trajectories, arms, reliability, sufficiency)

    @property
    def kinds(self) -> tuple[Outcomes, Outcomes, Outcomes]:
        """The kinds of outcomes; of a sample with pairs of several, the first counts."""
        return self.recorded, self.trajectories, self.arms

    @property
    def conditions(self) -> set[str]:
        """The conditions with an outcome of any kind."""
        return {name for kind in self.kinds for name in kind.correct}


@dataclass(frozen=True)
class PairedArms:
    """Two arms of a comparison, (m,) each; UNKNOWN in both where the sample has no pair.

    Attributes:
        first, second: TRUE or FALSE in each arm.
        said: numbers for the answers in the two arms, see ``Outcomes``.
        recorded, arms: the pair is of intervention records, or of arms; the other pairs are of trajectories.
        unpaired: the second arm has an outcome, but no outcome of the same kind to pair it with.
        undecided: whether the answer of each arm is undecided; then it is FALSE in that arm.
    """

    first: Ints
    second: Ints
    said: tuple[Ints, Ints]
    recorded: Bools
    arms: Bools
    unpaired: Bools
    undecided: tuple[Bools, Bools]

    @property
    def counts(self) -> dict[str, int]:
        """The samples with a pair of each kind and those with an outcome but no pair, as ``detail`` names them."""
        paired = self.first != UNKNOWN
        return {
            "pairs_recorded": int((paired & self.recorded).sum()),
            "pairs_trajectories": int((paired & ~self.recorded & ~self.arms).sum()),
            "pairs_arms": int(self.arms.sum()),
            "unpaired": int(self.unpaired.sum()),
        }


@dataclass(frozen=True, slots=True)
class PairedTable:
    """One arm against another on the same n samples.

    ``lost``: correct, then incorrect; ``gained``: incorrect, then correct."""

    n: int
    both: int
    lost: int
    gained: int
    neither: int

    @property
    def before(self) -> float | None:
        """Accuracy of the first arm."""
        return (self.both + self.lost) / self.n if self.n else None

    @property
    def after(self) -> float | None:
        """Accuracy of the second arm."""
        return (self.both + self.gained) / self.n if self.n else None

    @property
    def difference(self) -> float | None:
        """(gained − lost) / n = after − before."""
        return (self.gained - self.lost) / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Effect:
    """A paired difference with its tests: exact McNemar, the cluster sign-flip, Newcombe's interval, and, where any
    cluster is larger than 1, the clustered one. p-values and intervals are None without pairs."""

    table: PairedTable
    p_value: float | None
    p_cluster: float | None
    interval: Interval | None
    clustered: Interval | None


def paired_table(first: Ints, second: Ints) -> PairedTable:
    """Counts of two (n,) arrays of TRUE, FALSE, UNKNOWN on the rows where both are known.

    Example: 6 lost and 1 gained of 40: difference −12.5 pp.
    """
    known = (first != UNKNOWN) & (second != UNKNOWN)
    a, b = first[known] == TRUE, second[known] == TRUE
    both, lost, gained = int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum())
    return PairedTable(len(a), both, lost, gained, len(a) - both - lost - gained)


def paired_effect(first: Ints, second: Ints, cluster: Ints) -> Effect:
    """The difference accuracy(second) − accuracy(first) on the rows where both are known, with its tests and intervals.

    ``first``, ``second``: (n,) TRUE, FALSE, UNKNOWN; ``cluster``: (n,). With one sample per cluster the two p-values
    are the same number; with larger clusters McNemar's is too liberal.
    """
    table = paired_table(first, second)
    if not table.n:
        return Effect(table, None, None, None, None)
    known = (first != UNKNOWN) & (second != UNKNOWN)
    a, b, groups = first[known], second[known], cluster[known]
    single = dense_codes(groups)[1] == len(groups)
    p_value = mcnemar(table.lost, table.gained)
    return Effect(
        table,
        p_value,
        p_value if single else sign_flip(cluster_differences(b, a, groups)),
        newcombe(table.both, table.lost, table.gained, table.neither),
        None if single else mean_interval((b - a).astype(np.float64), groups, least=-1.0, most=1.0),
    )


@dataclass(frozen=True, slots=True)
class OpenEffect:
    """The ranges that undecided answers allow: of each arm's accuracy, and of the second minus the first. An undecided
    answer in one arm implies nothing about the other.
    """

    before: Range
    after: Range

    @property
    def difference(self) -> Range:
        return difference_range(self.before, self.after)

    def as_detail(self, first: str, second: str) -> dict[str, float | None]:
        """``low`` and ``high`` of the difference, and of the accuracies by these names."""
        ranges = {"": self.difference, f"{first}_": self.before, f"{second}_": self.after}
        return {f"{name}{end}": value for name, both in ranges.items() for end, value in zip(ENDS, both, strict=True)}


def open_effect(first: Ints, second: Ints, undecided: tuple[Bools, Bools]) -> OpenEffect:
    """Compare two arms on the rows where both are known, (n,) each: TRUE, FALSE (also for undecided answers), UNKNOWN.

    Example: correct, incorrect against incorrect, undecided: 0.5 to 0.5, 0 to 0.5; the difference -0.5 to 0.
    """
    return OpenEffect(*accuracy_ranges((first, undecided[0]), (second, undecided[1])))


@dataclass(frozen=True, slots=True)
class Flips:
    """The number of ``n`` samples that differ between two arms, as a share 0..1 with its interval; both None without
    any.
    """

    n: int
    count: int
    share: float | None
    interval: Interval | None

    def as_detail(self, name: str) -> dict[str, float | str | None]:
        low, high, method = (one.low, one.high, one.method) if (one := self.interval) else (None, None, "")
        ends = {f"{name}_low": low, f"{name}_high": high, f"{name}_method": method}
        return {name: self.share, f"{name}_n": self.n, **ends}


def flip_rate(first: Ints, second: Ints, cluster: Ints) -> Flips:
    """Share of samples that are correct in one arm and incorrect in the other, (lost + gained) / n, with
    ``rate_interval``.

    Only rows with both verdicts count. An answer that is incorrect in another way has not flipped. ``first``,
    ``second``: (n,) TRUE, FALSE, UNKNOWN. Example: 6 lost and 1 gained of 40 are 0.175. Source:
    docs/metrics.md#effects.
    """
    known = (first != UNKNOWN) & (second != UNKNOWN)
    turned = (first[known] != second[known]).astype(np.float64)
    n, count = len(turned), int(turned.sum())
    return Flips(n, count, count / n if n else None, rate_interval(turned, cluster[known]))


def answer_change_rate(arms: PairedArms, cluster: Ints) -> Flips:
    """Share of paired samples whose answer differs between the two arms, if both answers can be read.

    Letters are compared as read, other answers as with gold (docs/metrics.md#answers). It is usually larger than the
    share of flips, because an incorrect answer can change to another one. ``cluster``: (m,).
    """
    return flip_rate(*arms.said, cluster)


def adjusted_over_arms(p_cluster: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return Holm's adjusted p of the conditions that are compared with none, from their ``p_cluster`` by metric.
    Undefined ones, and other comparisons, are not included.
    """
    arms = [name for name in AGAINST_NONE if name in p_cluster]
    return dict(zip(arms, holm([p_cluster[name] for name in arms]), strict=True))


@dataclass(frozen=True, slots=True)
class Contrast:
    """An effect that is reported: accuracy under ``second`` minus accuracy under ``first``, on samples that also have
    an outcome without an intervention."""

    first: str
    second: str


ARMS = {
    "ate_text": Contrast(Condition.NONE, Condition.TEXT),
    "ate_visual": Contrast(Condition.NONE, Condition.VISUAL),
    "ate_placebo": Contrast(Condition.NONE, Condition.PLACEBO),
    "visual_beyond_placebo": Contrast(Condition.PLACEBO, Condition.VISUAL),
    "text_beyond_placebo": Contrast(Condition.PLACEBO, Condition.TEXT),
}
"""The effects that are reported. (condition − none) − (placebo − none) is condition − placebo on the same samples:
itself a paired difference, with the same tests and intervals (docs/metrics.md#effects)."""
LAB_ARMS: Mapping[str, str] = {
    Condition.VISUAL: "noise-100@prefix",
    Condition.TEXT: "mistake-judge@prefix",
    Condition.PLACEBO: "random@prefix",
}
"""The arms of the lab that are these conditions."""
SHAM_ARM = "sham@prefix"
AGAINST_NONE = tuple(name for name, contrast in ARMS.items() if contrast.first == Condition.NONE)
"""Those of a condition against none."""


def paired_arms(
    columns: FaithfulnessColumns, contrast: Contrast, text_only: Bools, settings: MetricSettings
) -> PairedArms:
    """The pairs of a contrast (docs/metrics.md#interventions).

    A sample has a pair of a kind if intervention records, trajectories or arms give all outcomes that the contrast
    needs ("none" included). With several it counts once, by the first of these kinds. ``text_only``: (m,) samples whose
    trajectory is known to have no visual evidence; ``interv_population`` = paired_mcot leaves them out.

    Example: records none and visual for s1 and s2, visual alone for s3, ordinary trajectories for all three: two
    pairs, both recorded, and s3 is unpaired.
    """
    size = len(text_only)
    left_out = text_only & (settings.interv_population == "paired_mcot")
    needed = {Condition.NONE, contrast.first, contrast.second}
    there = [
        np.logical_and.reduce([~left_out, *(_of(kind.correct, name, size) != UNKNOWN for name in needed)])
        for kind in columns.kinds
    ]
    paired = np.logical_or.reduce(there)

    def codes(tables: Sequence[Mapping[str, Ints]], name: str) -> Ints:
        return np.select(there, [_of(table, name, size) for table in tables], UNKNOWN)

    def undecided(name: str) -> Bools:
        return np.select(there, [kind.undecided.get(name, nowhere) for kind in columns.kinds], default=False)

    nowhere = np.zeros(size, np.bool_)
    correct, said = [kind.correct for kind in columns.kinds], [kind.said for kind in columns.kinds]
    tried = np.logical_or.reduce([_of(table, contrast.second, size) != UNKNOWN for table in correct])
    recorded, trajectories, arms = there
    return PairedArms(
        codes(correct, contrast.first),
        codes(correct, contrast.second),
        (codes(said, contrast.first), codes(said, contrast.second)),
        recorded,
        arms & ~recorded & ~trajectories,
        tried & ~paired & ~left_out,
        (undecided(contrast.first), undecided(contrast.second)),
    )


def reliable(verdict: str | None) -> int:
    """TRUE iff the first word of the reply is "yes"; FALSE for any other reply; UNKNOWN without one."""
    if verdict is None or not verdict.strip():
        return UNKNOWN
    return TRUE if _first_word(verdict) == "yes" else FALSE


def sufficient(verdict: str | None, answer: str | None, key: AnswerKey, settings: MetricSettings) -> int:
    """Whether a judge who sees only the visual evidence answers correctly: TRUE, FALSE, or UNKNOWN.

    UNKNOWN: the judge gave no reply, or there is no gold answer. A yes/no verdict decides. Otherwise the judge's answer
    is compared like any answer, and undecided counts as no. Any other reply counts as no.
    """
    said = verdict is not None and bool(verdict.strip())
    if said and _first_word(verdict or "") in ("yes", "no"):
        return reliable(verdict)
    if answer is not None:
        found = judge_answer(answer, key, UNKNOWN, settings)
        return UNKNOWN if found.undefined else TRUE if found.correct == TRUE else FALSE
    return FALSE if said else UNKNOWN


def faithfulness_columns(
    samples: SampleColumns,
    recorded: Iterable[Intervention],
    trajectories: Iterable[Intervention],
    judgements: Iterable[Judgement],
    settings: MetricSettings,
    undecided: Iterable[tuple[str, str]] = (),
) -> FaithfulnessColumns:
    """Columns from one model's records.

    ``trajectories``: the outcomes of its trajectories in the shape of records, with undecided answers as incorrect;
    ``undecided``: their samples and conditions. Trajectories of the arms in ``LAB_ARMS`` are outcomes of arms, against
    the sham arm or the ordinary trajectory (``ate_reference``). The last record of a (sample, condition) or (sample,
    kind) wins, also if it is null. Records of unknown samples are omitted (an import rejects them)."""
    row = {key: i for i, key in enumerate(samples.keys)}
    reader = _Reader(settings)
    reliability, sufficiency = _unknown(len(samples)), _unknown(len(samples))
    for judgement in judgements:
        i = row.get(judgement.sample_id)
        if i is not None and judgement.kind == JudgementKind.RELIABILITY:
            reliability[i] = reliable(judgement.verdict)
        elif i is not None and judgement.kind == JudgementKind.SUFFICIENCY:
            sufficiency[i] = sufficient(judgement.verdict, judgement.answer, samples.answers[i], settings)
    made = replace(_outcomes(samples, row, trajectories, reader), undecided=_undecided(len(samples), row, undecided))
    reference = SHAM_ARM if settings.ate_reference == "sham" else Condition.NONE.value
    return FaithfulnessColumns(
        _outcomes(samples, row, recorded, reader),
        made.named({name: name for name in Condition}),
        made.named({Condition.NONE: reference, **LAB_ARMS}),
        reliability,
        sufficiency,
    )


def _outcomes(
    samples: SampleColumns, row: Mapping[str, int], records: Iterable[Intervention], reader: _Reader
) -> Outcomes:
    correct: dict[str, Ints] = {}
    said: dict[str, Ints] = {}
    for record in records:
        if record.sample_id not in row:
            continue
        at = row[record.sample_id]
        codes = correct.setdefault(record.condition, _unknown(len(samples)))
        codes[at] = UNKNOWN if record.correct is None else int(record.correct)
        if record.answer is not None:
            read = said.setdefault(record.condition, _unknown(len(samples)))
            read[at] = reader.code(record.answer, samples.answers[at])
    return Outcomes(correct, said)


def _undecided(size: int, row: Mapping[str, int], rows: Iterable[tuple[str, str]]) -> dict[str, Bools]:
    found: dict[str, Bools] = {}
    for sample, condition in rows:
        if sample in row:
            found.setdefault(condition, np.zeros(size, np.bool_))[row[sample]] = True
    return found


def evidence_of_samples(samples: SampleColumns, scores: ScoreColumns) -> tuple[Bools, Bools]:
    """Samples known to be text-only (they have a trajectory, and none of it has visual evidence), and samples with
    visual evidence, (m,) each. A sample without a trajectory is neither."""
    with_trajectory, with_evidence = np.zeros(len(samples), np.bool_), np.zeros(len(samples), np.bool_)
    with_trajectory[scores.sample] = True
    with_evidence[scores.sample[scores.visual_evidence]] = True
    return with_trajectory & ~with_evidence, with_evidence


def visual_quantity(scores: ScoreColumns, settings: MetricSettings) -> tuple[Floats, Floats, Bools]:
    """CRZ and TCC of every trajectory, (n,) each, and which are in their population under ``crz_population``.

    A trajectory without a crop has CRZ 0, as has one whose crops have no known place. Source:
    docs/metrics.md#visual-quantity.
    """
    counted = scores.visual_evidence if settings.crz_population == "mcot" else np.ones(len(scores), np.bool_)
    return np.nan_to_num(scores.cropped_region_size), scores.calls.astype(np.float64), counted


class _Reader:
    """Numbers answers, the same answer under the same key the same; each is read once."""

    def __init__(self, settings: MetricSettings) -> None:
        self._settings = settings
        self._read: dict[tuple[str, int], int] = {}
        self._codes: dict[str, int] = {}

    def code(self, answer: str, key: AnswerKey) -> int:
        place = answer, id(key)
        if place not in self._read:
            words = as_read(answer, key, self._settings)
            self._read[place] = self._codes.setdefault(words, len(self._codes)) if words else UNKNOWN
        return self._read[place]


def _of(codes: Mapping[str, Ints], condition: str, size: int) -> Ints:
    found = codes.get(condition)
    return _unknown(size) if found is None else found


def _unknown(size: int) -> Ints:
    return np.full(size, UNKNOWN, dtype=np.int64)


def _first_word(text: str) -> str:
    found = re.search(r"\w+", text)
    return found.group().casefold() if found else ""
