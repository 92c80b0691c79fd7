"""The extraction report: how the answers of a run were read, and what could not be (docs/metrics.md#answers)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey, Decision, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.decided import holds
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import DecisionWord

TEXTS = 3
"""Number of most frequent texts that are listed for each reason."""
LONGEST = 200
"""Characters of such a text."""
SHORT, MOST_KNOWN, MOST_TEXTS = 200, 100_000, 20_000
"""Limits of the memory for a long file: characters of a stored answer, stored answers, and different unread texts.
Beyond them only the reason is counted."""
NOT_ASKED, BLANK, DECIDED, FILE, READ, UNREAD, UNDECIDED = (
    "", "blank", "decided", "file", "read", "unread", "undecided",
)  # fmt: skip
STATES = (BLANK, DECIDED, FILE, READ, UNREAD, UNDECIDED)


class Outcome(NamedTuple):
    """The result for one answer. ``state``: not asked for, blank, decided by a person, decided by the verdict of the
    file alone, read, unread, or read and still undecided (open answers). ``judged``: the file has a verdict and the
    reading decides; ``same``: they agree.
    """

    state: str
    where: str = ""
    rule: str = ""
    strength: str = ""
    reason: str = ""
    flags: tuple[str, ...] = ()
    judged: bool = False
    same: bool = False


@dataclass(frozen=True)
class Read:
    """The results for n answers: ``state`` of each (see ``Outcome``), and the ``text`` of those without a deciding
    reading, "" for the others.
    """

    state: Sequence[str]
    text: Sequence[str]


class Tally:
    """Outcomes of answers as they come, each kind once. Equal answers under one key object are read once."""

    def __init__(self, settings: MetricSettings) -> None:
        self.settings = settings
        self.outcomes: dict[Outcome, int] = {}
        self.texts: dict[str, int] = {}
        self.counts: Counter[tuple[int, int]] = Counter()
        self._known: dict[tuple[str | None, int, int], tuple[int, int]] = {}
        self._keys: list[AnswerKey] = []

    def take(self, text: str | None, key: AnswerKey, verdict: int, decision: Decision | None = None) -> tuple[int, int]:
        """The codes of outcome and text of one answer; ``verdict``: of the file."""
        place = (text, id(key), verdict)
        short = text is not None and len(text) < SHORT and len(self._known) < MOST_KNOWN
        if decision is not None and decision.word != DecisionWord.LEAVE and holds(decision, text, key):
            found = self.coded(Outcome(DECIDED), "")
        elif place in self._known:
            found = self._known[place]
        else:
            found = self.coded(*_outcome(text, key, verdict, self.settings))
            if short:
                self._keys.append(key)
                self._known[place] = found
        self.counts[found] += 1
        return found

    def coded(self, outcome: Outcome, text: str) -> tuple[int, int]:
        """The codes of an outcome and of the text that nothing decides."""
        code, text = self.outcomes.setdefault(outcome, len(self.outcomes)), text[:LONGEST]
        if not text or (len(self.texts) >= MOST_TEXTS and text not in self.texts):
            return code, -1
        return code, self.texts.setdefault(text, len(self.texts))

    def report(self) -> dict[str, Any]:
        """The report on all that was taken."""
        outcomes, texts = list(self.outcomes), [*self.texts, ""]
        return report_of((outcomes[code], texts[text], n) for (code, text), n in self.counts.items())


def _outcome(text: str | None, key: AnswerKey, verdict: int, settings: MetricSettings) -> tuple[Outcome, str]:
    """Return the result for an answer without a decision by a person, and its text if nothing decides."""
    judged = judge_answer(text, key, UNKNOWN, settings)
    reading = judged.reading
    said = (reading.where, reading.rule, reading.strength)
    if reading.state == BLANK:
        return Outcome(BLANK if key.accepted else NOT_ASKED), ""
    if judged.unread or judged.undecided:
        if verdict != UNKNOWN and settings.verdict_source == "file":
            return Outcome(FILE, *said, "", reading.flags), ""
        state = UNREAD if judged.unread else UNDECIDED
        return Outcome(state, *said, judged.reason, reading.flags), reading.normalized
    both = verdict != UNKNOWN and judged.correct != UNKNOWN
    return Outcome(READ, *said, "", reading.flags, both, both and (verdict == TRUE) == (judged.correct == TRUE)), ""


def read_run(samples: SampleColumns, run: RunColumns, scores: ScoreColumns, settings: MetricSettings) -> Read:
    """Return how the answers of a run were read, from its scores. They are not read again, except for the texts of
    undecided ones and of those that a file has judged.
    """
    tally = Tally(settings)
    columns = zip(
        scores.reading_where, scores.reading_rule, scores.reading_class, scores.unread_reason,
        (tuple(flags.split()) for flags in scores.reading_flags), scores.missing_answer.tolist(),
        scores.unread.tolist(), scores.undecided.tolist(), run.verdict.tolist(), run.sample.tolist(), strict=True,
    )  # fmt: skip
    taken = []
    for row, (where, rule, strength, reason, flags, blank, unread, undecided, verdict, sample) in enumerate(columns):
        text, key = run.answers[row], samples.answers[sample]
        one = run.decided.get(row)
        if one is not None and not blank and one.word != DecisionWord.LEAVE and holds(one, text, key):
            taken.append(tally.coded(Outcome(DECIDED, where, rule, strength, "", flags), ""))
        elif blank or unread or undecided or verdict != UNKNOWN or not key.accepted:
            taken.append(tally.take(text, key, verdict))
        else:
            taken.append(tally.coded(Outcome(READ, where, rule, strength, reason, flags), ""))
    outcomes, texts = list(tally.outcomes), [*tally.texts, ""]
    return Read([outcomes[code].state for code, _ in taken], [texts[text] for _, text in taken])


def report_of(counted: Iterable[tuple[Outcome, str, int]]) -> dict[str, Any]:
    """The report on some answers, as JSON: counts of ``answers``, ``blank``, ``decided`` (by people), ``file``
    (by its verdict alone), ``read``, ``unread`` and ``undecided``; ``where``, ``rule``, ``class`` and ``flags`` with
    counts; ``reasons``, each with its count and most frequent texts; ``verdicts``, the agreement with the file's: ``n``
    and ``same``.

    ``counted``: outcomes, the texts that nothing decides, "" of others, and how many answers have them.
    """
    of_states: Counter[str] = Counter()
    shares: dict[str, Counter[str]] = {name: Counter() for name in ("where", "rule", "class", "flags")}
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    judged = same = 0
    for one, text, n in counted:
        of_states[one.state] += n
        for name, value in (("where", one.where), ("rule", one.rule), ("class", one.strength)):
            if value:
                shares[name][value] += n
        shares["flags"].update(dict.fromkeys(one.flags, n))
        if one.reason:
            reasons[one.reason][text] += n
        judged, same = judged + n * one.judged, same + n * one.same
    states = {name: of_states[name] for name in STATES}
    told = sorted(reasons.items(), key=lambda one: (-one[1].total(), one[0]))
    return {
        "answers": sum(states.values()),
        **states,
        **{name: dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))) for name, found in shares.items()},
        "reasons": [
            {"reason": name, "n": found.total(), "texts": [list(one) for one in _most(found)]} for name, found in told
        ],
        "verdicts": {"n": judged, "same": same},
    }


def _most(found: Counter[str]) -> list[tuple[str, int]]:
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))[:TEXTS]
