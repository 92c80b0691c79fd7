"""The answer of a trajectory, and how it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.schema import SampleContent
from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.common.trajectory.turns import TEXT_CAP, Excerpt, excerpt
from evaluation.metrics.answers import AnswerResult, judge_answer
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, VerdictBy
from evaluation.metrics.reading import Reading
from evaluation.metrics.verdicts import same_reading

SHORT_LENGTH = 60
DECIDED = {
    VerdictBy.FILE: (
        gettext_lazy("The verdict of the file decides: correct."),
        gettext_lazy("The verdict of the file decides: incorrect."),
    ),
    VerdictBy.PERSON: (
        gettext_lazy("The decision of a person decides: correct."),
        gettext_lazy("The decision of a person decides: incorrect."),
    ),
    VerdictBy.JUDGE: (
        gettext_lazy("The verdict of a judge model decides: correct."),
        gettext_lazy("The verdict of a judge model decides: incorrect."),
    ),
}
BY_RULE = gettext_lazy("The rule decides: correct."), gettext_lazy("The rule decides: incorrect.")
"""Sentences that name the source of a verdict: for a correct answer, then for an incorrect one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``said``: the answer as read, short. ``gold``: the gold answer, short. ``others``: the other options, short.

    ``verdict``: "correct", "incorrect", "undecided" or "". ``rule``: the verdict without a judge. ``reading``: how the
    answer was read, as sentences; ``in_file``: the answer and verdict of the imported file."""

    text: Excerpt
    said: str
    gold: str
    others: str
    verdict: str
    rule: str
    reading: str
    in_file: str

    @property
    def overruled(self) -> bool:
        """Whether a judge's verdict replaces another one of the rule. False without a verdict, as for a detector."""
        return bool(self.rule and self.verdict) and self.rule != self.verdict


def answer_of(row: Any, detail: TrajectoryDetail, *, cap: int | None = TEXT_CAP) -> Answer:
    """The answer of a trajectory on a sample. Tool plans have no correct answer, and the verdict ""."""
    content, scores = detail.record.content, detail.scores
    asked = bool(scores.undecided[0] or scores.correct[0] != UNKNOWN)
    words = {TRUE: "correct", FALSE: "incorrect"}
    by_rule = judge_answer(row.answer, detail.samples.answers[0], UNKNOWN, detail.settings)
    whole = row.answer or ""
    return Answer(
        excerpt(whole, cap if cap is not None else len(whole), (by_rule.reading.start, by_rule.reading.end)),
        short_answer(scores.letter[0], content.options) or _nothing_read(asked, bool(scores.unread[0])),
        gold_words(content.answers, content.options),
        ", ".join(
            short_answer(one.letter, content.options)
            for one in options_of(content)
            if not one.right and one.letter != scores.letter[0]
        ),
        words.get(int(scores.correct[0]), "undecided") if asked else "",
        "" if by_rule.undefined else words.get(by_rule.correct, "undecided"),
        _reading(row, detail, by_rule) if asked else "",
        _in_file(row, detail, by_rule),
    )


def _nothing_read(asked: bool, unread: bool) -> str:
    return gettext("unread") if unread else gettext("nothing") if asked else ""


def short_answer(letter: str, options: Mapping[str, str]) -> str:
    """A letter with its option's text, or the text as read; short."""
    words = f"{letter} {options[letter]}" if letter in options else letter
    return words if len(words) <= SHORT_LENGTH else words[: SHORT_LENGTH - 1] + "…"


def gold_words(answers: tuple[str, ...], options: Mapping[str, str]) -> str:
    """The gold letter with its text, or the first accepted string and how many more there are."""
    if not answers:
        return ""
    first = short_answer(answers[0], options)
    several = gettext("%(answer)s and %(count)s more") % {"answer": first, "count": len(answers) - 1}
    return several if len(answers) > 1 else first


_PLACES = {
    "tag": gettext_lazy("an answer tag"),
    "structured": "JSON",
    "box": gettext_lazy("a box"),
    "text": gettext_lazy("the text"),
}
_RULES = {
    "letter": gettext_lazy("the letter alone"),
    "text": gettext_lazy("an option’s text alone"),
    "number": gettext_lazy("an option’s number"),
    "lead": gettext_lazy("a letter at the start"),
    "statement": gettext_lazy("a statement"),
    "last_line": gettext_lazy("the last line"),
    "aside": gettext_lazy("a weak statement"),
    "mention": gettext_lazy("a mention"),
    "yes_no": gettext_lazy("yes or no"),
    "contained": gettext_lazy("a sentence with an option’s text"),
    "first_line": gettext_lazy("the first line"),
}
_REASONS = {
    "none": gettext_lazy("it contains no answer"),
    "refusal": gettext_lazy("it refuses"),
    "several": gettext_lazy("it names several options"),
    "contradiction": gettext_lazy("it contradicts itself"),
    "outside": gettext_lazy("it names no option"),
    "withdrawn": gettext_lazy("it withdraws its answer"),
    "hedged": gettext_lazy("it is unsure"),
    "negated": gettext_lazy("it only rules out options"),
    "thinking_only": gettext_lazy("it contains only reasoning"),
    "weak": gettext_lazy("the reading is weaker than the settings ask for"),
    "unit": gettext_lazy("only one side has a unit"),
    "unmatched": gettext_lazy("it equals no accepted answer"),
}
_FLAGS = {
    "corrected": gettext_lazy("the last of several statements"),
    "box_overruled": gettext_lazy("instead of a box before it"),
    "earlier_tag_differs": gettext_lazy("an earlier tag has another answer"),
}


def _how(reading: Reading, letter: str) -> str:
    """The rule, the region and the class of a reading, in one sentence."""
    if reading.state != "read":
        return ""
    flags = "".join(f"; {_FLAGS[flag]}" for flag in reading.flags)
    message = gettext("Read: %(rule)s in %(place)s (%(strength)s%(flags)s).")
    if reading.letter:
        message = gettext("Read as option %(letter)s: %(rule)s in %(place)s (%(strength)s%(flags)s).")
    return message % {
        "letter": letter,
        "rule": _RULES.get(reading.rule) or gettext("the rules of %(scorer)s") % {"scorer": reading.rule},
        "place": _PLACES[reading.where],
        "strength": reading.strength,
        "flags": flags,
    }


def _in_file(row: Any, detail: TrajectoryDetail, by_rule: AnswerResult) -> str:
    """``In the file: read as A, unlike here; judged correct, incorrect by our rules.``"""
    parts, theirs = [], row.file_reading.strip()
    if theirs:
        same = same_reading(row.answer, theirs, detail.samples.answers[0], detail.settings)
        words = {
            True: gettext("read as “%(answer)s”, the same as here"),
            False: gettext("read as “%(answer)s”, different from here"),
            None: gettext("read as “%(answer)s”, not comparable with our rules"),
        }
        parts.append(words[same] % {"answer": short_answer(theirs, {})})
    if row.judge_correct is not None:
        ours, judged = by_rule.correct, TRUE if row.judge_correct else FALSE
        words_of = {TRUE: gettext("correct"), FALSE: gettext("incorrect")}
        if ours == judged:
            message = gettext("judged %(verdict)s, as by our rules")
        else:
            message = gettext("judged %(verdict)s, %(other)s by our rules")
        parts.append(message % {"verdict": words_of[judged], "other": words_of.get(ours, gettext("undecided"))})
    return gettext("In the file: %(parts)s.") % {"parts": "; ".join(parts)} if parts else ""


def _reading(row: Any, detail: TrajectoryDetail, by_rule: AnswerResult) -> str:
    scores = detail.scores
    if scores.missing_answer[0]:
        return gettext("No answer. Counted as incorrect.")
    read = _how(by_rule.reading, by_rule.letter)
    wrong = int(scores.correct[0] != TRUE)
    if sentences := DECIDED.get(int(scores.verdict_by[0])):
        return f"{read} {sentences[wrong]}".strip()
    if not (scores.unread[0] or scores.undecided[0]):
        return f"{read} {BY_RULE[wrong]}"
    excluded = detail.settings.undecided_answer == "exclude"
    why = {"reason": _REASONS.get(by_rule.reason, by_rule.reason)}
    if scores.unread[0]:
        return _unread(undecided=bool(scores.undecided[0]), excluded=excluded) % why
    if excluded:
        words = gettext("Undecided: %(reason)s, and there is no judgment. It is excluded from the rates.")
    else:
        words = gettext("Undecided: %(reason)s, and there is no judgment. It counts as incorrect.")
    return f"{read} {words % why}".strip()


def _unread(*, undecided: bool, excluded: bool) -> str:
    """Return how an unread answer counts, with the placeholder ``reason``."""
    if not undecided:
        return gettext("Unread: %(reason)s. It counts as incorrect. Unread answers are never guessed.")
    if excluded:
        return gettext(
            "Unread: %(reason)s. It is undecided and is excluded from the rates. Unread answers are never guessed."
        )
    return gettext("Unread: %(reason)s. It is undecided and counts as incorrect. Unread answers are never guessed.")


@dataclass(frozen=True, slots=True)
class Option:
    letter: str
    text: str
    right: bool


def options_of(content: SampleContent) -> list[Option]:
    gold = {answer.strip().upper() for answer in content.answers}
    return [Option(letter, text, letter.strip().upper() in gold) for letter, text in content.options.items()]
