"""What a trajectory answered, and how that was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.schema import SampleContent
from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.common.trajectory.turns import TEXT_CAP, Excerpt, excerpt
from evaluation.metrics.answers import AnswerResult, judge_answer
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, VerdictBy
from evaluation.metrics.reading import Reading
from evaluation.metrics.verdicts import same_reading

SAID_LENGTH = 60
DECIDED = {
    VerdictBy.FILE: "The verdict of the file",
    VerdictBy.PERSON: "The decision of a person",
    VerdictBy.JUDGE: "The verdict of a judge model",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """``said``: as read, short. ``gold``: the right one, short. ``others``: the options that are neither, short.
    ``verdict``: "correct", "incorrect", "undecided" or "". ``rule``: the same without the verdict of a judge.
    ``reading``: how it was read, as sentences; ``in_file``: what the imported file itself read and judged."""

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
        """Whether a judge's verdict stands in place of another one of the rule."""
        return bool(self.rule) and self.rule != self.verdict


def answer_of(row: Any, detail: TrajectoryDetail, *, cap: int | None = TEXT_CAP) -> Answer:
    """The answer of a trajectory on a sample; a tool plan has none that is right, and its verdict is ""."""
    content, scores = detail.record.content, detail.scores
    asked = bool(scores.undecided[0] or scores.correct[0] != UNKNOWN)
    words = {TRUE: "correct", FALSE: "incorrect"}
    by_rule = judge_answer(row.answer, detail.samples.answers[0], UNKNOWN, detail.settings)
    whole = row.answer or ""
    return Answer(
        excerpt(whole, cap if cap is not None else len(whole), (by_rule.reading.start, by_rule.reading.end)),
        said_words(scores.letter[0], content.options) or _nothing_read(asked, bool(scores.unread[0])),
        gold_words(content.answers, content.options),
        ", ".join(
            said_words(one.letter, content.options)
            for one in options_of(content)
            if not one.right and one.letter != scores.letter[0]
        ),
        words.get(int(scores.correct[0]), "undecided") if asked else "",
        "" if by_rule.undefined else words.get(by_rule.correct, "undecided"),
        _reading(row, detail, by_rule) if asked else "",
        _in_file(row, detail, by_rule),
    )


_VERDICTS = {TRUE: "correct", FALSE: "incorrect"}


def _nothing_read(asked: bool, unread: bool) -> str:
    return "unread" if unread else "nothing" if asked else ""


def said_words(letter: str, options: Mapping[str, str]) -> str:
    """A letter with its option's text, or the text as read; short."""
    words = f"{letter} {options[letter]}" if letter in options else letter
    return words if len(words) <= SAID_LENGTH else words[: SAID_LENGTH - 1] + "…"


def gold_words(answers: tuple[str, ...], options: Mapping[str, str]) -> str:
    """The gold letter with its text, or the first accepted string and how many more there are."""
    if not answers:
        return ""
    more = f" and {len(answers) - 1} more" if len(answers) > 1 else ""
    return said_words(answers[0], options) + more


_PLACES = {"tag": "an answer tag", "structured": "JSON", "box": "a box", "text": "the text"}
_RULES = {
    "letter": "the letter alone", "text": "an option’s text alone", "number": "an option’s number",
    "lead": "a letter at the start",
    "statement": "a statement", "last_line": "the last line", "aside": "a weak statement", "mention": "a mention",
    "yes_no": "yes or no", "contained": "a sentence with an option’s text", "first_line": "the first line",
}  # fmt: skip
_REASONS = {
    "none": "it contains no answer", "refusal": "it refuses", "several": "it names several options",
    "contradiction": "it contradicts itself", "outside": "it names no option",
    "withdrawn": "it withdraws its answer",
    "hedged": "it is unsure", "negated": "it only rules out options", "thinking_only": "it contains only reasoning",
    "weak": "the reading is weaker than the settings ask for", "unit": "only one side has a unit",
    "unmatched": "it equals no accepted answer",
}  # fmt: skip
_FLAGS = {
    "corrected": "the last of several statements", "box_overruled": "instead of a box before it",
    "earlier_tag_differs": "an earlier tag has another answer",
}  # fmt: skip


def _how(reading: Reading, letter: str) -> str:
    """The rule, the region and the class of a reading, in one sentence."""
    if reading.state != "read":
        return ""
    what = f"Read as option {letter}" if reading.letter else "Read"
    rule = _RULES.get(reading.rule, f"the rules of {reading.rule}")
    flags = "".join(f"; {_FLAGS[flag]}" for flag in reading.flags)
    return f"{what}: {rule} in {_PLACES[reading.where]} ({reading.strength}{flags})."


def _in_file(row: Any, detail: TrajectoryDetail, by_rule: AnswerResult) -> str:
    """``In the file: read as A, unlike here; judged correct, incorrect by our rules.``"""
    parts, theirs = [], row.file_reading.strip()
    if theirs:
        same = same_reading(row.answer, theirs, detail.samples.answers[0], detail.settings)
        beside = {True: "the same as here", False: "different from here", None: "not comparable with our rules"}[same]
        parts.append(f"read as “{said_words(theirs, {})}”, {beside}")
    if row.judge_correct is not None:
        ours = _VERDICTS.get(by_rule.correct, "undecided")
        theirs = _VERDICTS[TRUE if row.judge_correct else FALSE]
        parts.append(f"judged {theirs}, {'as' if ours == theirs else ours} by our rules")
    return f"In the file: {'; '.join(parts)}." if parts else ""


def _reading(row: Any, detail: TrajectoryDetail, by_rule: AnswerResult) -> str:
    scores = detail.scores
    if scores.missing_answer[0]:
        return "No answer. Counted as incorrect."
    read = _how(by_rule.reading, by_rule.letter)
    if words := DECIDED.get(int(scores.verdict_by[0])):
        return f"{read} {words} decides: {'correct' if scores.correct[0] == TRUE else 'incorrect'}.".strip()
    if not (scores.unread[0] or scores.undecided[0]):
        return f"{read} The rule decides: {'correct' if scores.correct[0] == TRUE else 'incorrect'}."
    counts = "is excluded from the rates" if detail.settings.undecided_answer == "exclude" else "counts as incorrect"
    why = _REASONS.get(by_rule.reason, by_rule.reason)
    if scores.unread[0]:
        decided = f"It is undecided and {counts}" if scores.undecided[0] else "It counts as incorrect"
        return f"Unread: {why}. {decided}. Unread answers are never guessed."
    return f"{read} Undecided: {why}, and there is no judgment. It {counts}.".strip()


@dataclass(frozen=True, slots=True)
class Option:
    letter: str
    text: str
    right: bool


def options_of(content: SampleContent) -> list[Option]:
    gold = {answer.strip().upper() for answer in content.answers}
    return [Option(letter, text, letter.strip().upper() in gold) for letter, text in content.options.items()]
