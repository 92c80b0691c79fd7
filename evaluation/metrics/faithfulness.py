"""Did looking matter? Interventions, reliability, sufficiency and visual quantity. Source: METRICS 5, 9.5.

Everything here is per sample of a benchmark (m rows): the records of one model are turned into codes once, and every
slice is a selection of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from annotation.statistics import dense_codes
from evaluation.metrics.answer_text import normalised
from evaluation.metrics.answers import judge_answer
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
from evaluation.metrics.tests import cluster_differences, holm, mcnemar, sign_flip
from evaluation.schema import Condition, Intervention, Judgement, JudgementKind


@dataclass(frozen=True)
class FaithfulnessColumns:
    """What was recorded about one model beside its trajectories, m rows each: TRUE, FALSE, or UNKNOWN = not recorded.

    Attributes:
        conditions: condition name ("none", "text", ...) → whether the model was right under it.
        said: condition name → a number for its answer as it is read, the same for the same answer; UNKNOWN where none
            is recorded or none can be read.
        reliability: the judge calls the visual evidence reliable.
        sufficiency: the judge, shown only the visual evidence, answers rightly.
    """

    conditions: Mapping[str, Ints] = field(default_factory=dict)
    said: Mapping[str, Ints] = field(default_factory=dict)
    reliability: Ints | None = None
    sufficiency: Ints | None = None


@dataclass(frozen=True, slots=True)
class PairedTable:
    """One arm against another on the same n samples. ``lost``: right, then wrong; ``gained``: wrong, then right."""

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
class Turned:
    """How many of ``n`` samples differ between two arms, as a share 0..1 with its interval; both None without any."""

    n: int
    count: int
    share: float | None
    interval: Interval | None

    def as_detail(self, name: str) -> dict[str, float | str | None]:
        low, high, method = (one.low, one.high, one.method) if (one := self.interval) else (None, None, "")
        ends = {f"{name}_low": low, f"{name}_high": high, f"{name}_method": method}
        return {name: self.share, f"{name}_n": self.n, **ends}


def turned_share(first: Ints, second: Ints, cluster: Ints) -> Turned:
    """The share of samples that are right in one arm and wrong in the other, (lost + gained) / n, on the rows where
    both are known, with ``rate_interval``.

    It is of verdicts: an answer that is wrong in another way has not turned. ``first``, ``second``: (n,) TRUE, FALSE,
    UNKNOWN. Example: 6 lost and 1 gained of 40 are 0.175. Source: METRICS 9.5, BROWSING 6 (Interventions).
    """
    known = (first != UNKNOWN) & (second != UNKNOWN)
    turned = (first[known] != second[known]).astype(np.float64)
    n, count = len(turned), int(turned.sum())
    return Turned(n, count, count / n if n else None, rate_interval(turned, cluster[known]))


def changed_share(columns: FaithfulnessColumns, condition: str, arms: tuple[Ints, Ints], cluster: Ints) -> Turned:
    """The share of samples whose answer under ``condition`` is another than without it, on those of ``arms`` where both
    answers can be read: letters as they are read, other answers as they are compared with gold (METRICS 2).

    Mostly more than what turned: a wrong answer may give way to another. ``arms``, ``cluster``: (n,).
    Source: BROWSING 6 (Interventions).
    """
    known = (arms[0] != UNKNOWN) & (arms[1] != UNKNOWN)
    none, changed = (columns.said.get(name, _unknown(len(known))) for name in (Condition.NONE, condition))
    return turned_share(np.where(known, none, UNKNOWN), changed, cluster)


def adjusted_over_arms(p_cluster: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's adjusted p of the conditions that are held against none, out of their ``p_cluster`` by metric; what is
    undefined, and what is held against something else, is not among them. Source: BROWSING 6 (Interventions)."""
    arms = [name for name in AGAINST_NONE if name in p_cluster]
    return dict(zip(arms, holm([p_cluster[name] for name in arms]), strict=True))


def intervention_arms(
    columns: FaithfulnessColumns, condition: str, text_only: Bools, settings: MetricSettings
) -> tuple[Ints, Ints]:
    """What was right without an intervention and under ``condition``, (m,) each; see ``intervention_effect``."""
    baseline = _recorded(columns, Condition.NONE, len(text_only))
    changed = _recorded(columns, condition, len(text_only))
    if settings.interv_population == "paired_mcot":
        changed = np.where(text_only, UNKNOWN, changed)
    return baseline, changed


def intervention_effect(
    columns: FaithfulnessColumns, condition: str, cluster: Ints, text_only: Bools, settings: MetricSettings
) -> Effect:
    """ATE of a condition: accuracy under it minus accuracy under "none", on samples with both recorded.

    ``cluster``: (m,). ``text_only``: (m,) samples whose trajectory is known to have no visual evidence; they are left
    out under ``interv_population`` = paired_mcot. Source: METRICS 5.1.
    """
    return paired_effect(*intervention_arms(columns, condition, text_only, settings), cluster)


def placebo_arms(
    columns: FaithfulnessColumns, condition: str, text_only: Bools, settings: MetricSettings
) -> tuple[Ints, Ints]:
    """What was right under the placebo and under ``condition``, (m,) each; see ``beyond_placebo``."""
    left_out = _recorded(columns, Condition.NONE, len(text_only)) == UNKNOWN
    if settings.interv_population == "paired_mcot":
        left_out = left_out | text_only
    placebo = np.where(left_out, UNKNOWN, _recorded(columns, Condition.PLACEBO, len(text_only)))
    return placebo, _recorded(columns, condition, len(text_only))


def beyond_placebo(
    columns: FaithfulnessColumns, condition: str, cluster: Ints, text_only: Bools, settings: MetricSettings
) -> Effect:
    """Paired difference of differences against the placebo, on samples with none, placebo and the condition recorded.

    (condition − none) − (placebo − none) is condition − placebo on the same samples: itself a paired difference, with
    the same tests and intervals. Source: METRICS 9.5.
    """
    return paired_effect(*placebo_arms(columns, condition, text_only, settings), cluster)


ARMS = {
    "ate_text": (intervention_arms, Condition.TEXT),
    "ate_visual": (intervention_arms, Condition.VISUAL),
    "ate_placebo": (intervention_arms, Condition.PLACEBO),
    "visual_beyond_placebo": (placebo_arms, Condition.VISUAL),
    "text_beyond_placebo": (placebo_arms, Condition.TEXT),
}
"""The effects that are reported: the two arms that each compares."""
AGAINST_NONE = tuple(name for name, (arms, _) in ARMS.items() if arms is intervention_arms)
"""Those of a condition against none."""


def reliable(verdict: str | None) -> int:
    """TRUE iff the first word of the reply is "yes"; FALSE for any other reply; UNKNOWN without one."""
    if verdict is None or not verdict.strip():
        return UNKNOWN
    return TRUE if _first_word(verdict) == "yes" else FALSE


def sufficient(verdict: str | None, answer: str | None, key: AnswerKey, settings: MetricSettings) -> int:
    """Whether a judge shown only the visual evidence answers rightly: TRUE, FALSE, or UNKNOWN when nothing was said,
    or nothing says what is right.

    A yes/no verdict decides; else the judge's answer is compared as any answer is, undecided counting as no; else a
    reply that says neither counts as no.
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
    interventions: Iterable[Intervention],
    judgements: Iterable[Judgement],
    settings: MetricSettings,
) -> FaithfulnessColumns:
    """Columns from one model's records. The last record of a (sample, condition) or (sample, kind) wins, nulls too;
    records of unknown samples are left out (an import refuses them)."""
    row = {key: i for i, key in enumerate(samples.keys)}
    conditions: dict[str, Ints] = {}
    said: dict[str, Ints] = {}
    reader = _Reader(settings)
    for record in interventions:
        if record.sample_id in row:
            if record.condition not in conditions:
                conditions[record.condition] = _unknown(len(samples))
            conditions[record.condition][row[record.sample_id]] = (
                UNKNOWN if record.correct is None else int(record.correct)
            )
            if record.answer is not None:
                codes = said.setdefault(record.condition, _unknown(len(samples)))
                codes[row[record.sample_id]] = reader.code(record.answer, samples.answers[row[record.sample_id]])
    reliability, sufficiency = _unknown(len(samples)), _unknown(len(samples))
    for judgement in judgements:
        i = row.get(judgement.sample_id)
        if i is not None and judgement.kind == JudgementKind.RELIABILITY:
            reliability[i] = reliable(judgement.verdict)
        elif i is not None and judgement.kind == JudgementKind.SUFFICIENCY:
            sufficiency[i] = sufficient(judgement.verdict, judgement.answer, samples.answers[i], settings)
    return FaithfulnessColumns(conditions, said, reliability, sufficiency)


def evidence_of_samples(samples: SampleColumns, scores: ScoreColumns) -> tuple[Bools, Bools]:
    """Samples known to be text-only (they have a trajectory, and none of it has visual evidence), and samples with
    visual evidence, (m,) each. A sample without a trajectory is neither."""
    with_trajectory, with_evidence = np.zeros(len(samples), np.bool_), np.zeros(len(samples), np.bool_)
    with_trajectory[scores.sample] = True
    with_evidence[scores.sample[scores.visual_evidence]] = True
    return with_trajectory & ~with_evidence, with_evidence


def visual_quantity(scores: ScoreColumns, settings: MetricSettings) -> tuple[Floats, Floats, Bools]:
    """CRZ and TCC of every trajectory, (n,) each, and which are in their population under ``crz_population``.

    A trajectory without a crop has CRZ 0, as has one whose crops have no known place. Source: METRICS 5.3.
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
            letter = judge_answer(answer, key, UNKNOWN, self._settings).letter
            words = letter if key.multiple_choice else normalised(letter)
            self._read[place] = self._codes.setdefault(words, len(self._codes)) if words else UNKNOWN
        return self._read[place]


def _recorded(columns: FaithfulnessColumns, condition: str, size: int) -> Ints:
    found = columns.conditions.get(condition)
    return _unknown(size) if found is None else found


def _unknown(size: int) -> Ints:
    return np.full(size, UNKNOWN, dtype=np.int64)


def _first_word(text: str) -> str:
    found = re.search(r"\w+", text)
    return found.group().casefold() if found else ""
