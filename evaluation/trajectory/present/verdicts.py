"""What judge models and people said of a trajectory, as the short lines of its head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.common.judging.words import UNDECIDED, UNNAMED, YES
from evaluation.common.trajectory.answer import Answer
from evaluation.trajectory.read import Said

CLAIMS = {
    "answer": "the answer is correct",
    "reliability": "the crops support the answer",
    "sufficiency": "the crops alone are enough",
}
"""What a yes to each kind says."""
RULE = {"correct": True, "incorrect": False}


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """What was said of one kind. ``apart``: who differs from whom, "" where nobody does."""

    words: str
    apart: str


def verdict_lines(told: Sequence[Said], rule: str) -> list[VerdictLine]:
    """A line for each kind of judgment, judges before people. ``rule``: the verdict of ``Answer.rule``.

    Example: "judges: 2 of 3 say the crops support the answer, 1 without a verdict; people: 1 of 1".
    """
    found = []
    for kind in CLAIMS:
        here = [one for one in told if one.kind == kind]
        judges, people = [one for one in here if one.person is None], [one for one in here if one.person is not None]
        if here:
            found.append(VerdictLine(_words(kind, judges, people), _apart(kind, judges, people, rule)))
    return found


def overruled_words(answer: Answer, told: Sequence[Said]) -> str:
    """Where the verdict of a judge decides against the rule: "correct, says judge-7b; the rule says incorrect". The
    judge has a name where one judge model alone is known to say so; "" where the rule's verdict stands."""
    if not answer.overruled:
        return ""
    models = [one for one in told if one.kind == "answer" and one.person is None]
    same = {one.judge for one in models if says_yes(one) == RULE.get(answer.verdict)}
    judge = next(iter(same)) if len(same) == 1 else ""
    rule = f"says {answer.rule}" if answer.rule in RULE else "can't tell"
    return f"{answer.verdict}, says {judge or UNNAMED}; the rule {rule}"


def says_yes(one: Said) -> bool | None:
    """None without a verdict: nothing was said, or that one can't tell."""
    return None if one.word in (None, "", UNDECIDED) else one.word in YES


def _words(kind: str, judges: Sequence[Said], people: Sequence[Said]) -> str:
    parts: list[str] = []
    claim = CLAIMS[kind]
    for who, said in (("judges", judges), ("people", people)):
        sides = [says_yes(one) for one in said]
        yes, n, none = (sides.count(True), len(sides) - sides.count(None), sides.count(None))
        words = []
        if n:
            # The claim is said once, by those who come first.
            words.append(f"{yes} of {n}" + (f" {'says' if yes == 1 else 'say'} {claim}" if claim else ""))
            claim = ""
        if none:
            words.append(f"{none} not judged" + ("" if n or not claim else f" on whether {claim}"))
        if words:
            parts.append(f"{who}: {', '.join(words)}")
    return "; ".join(parts)


def _apart(kind: str, judges: Sequence[Said], people: Sequence[Said], rule: str) -> str:
    """The rule is held against every verdict on the answer, judges against people by what most of them say."""
    sides = {says_yes(one) for one in (*judges, *people)}
    if kind == "answer" and rule in RULE and (not RULE[rule]) in sides:
        return f"the rule says {rule}"
    of_judges, of_people = _most(judges), _most(people)
    return "judges and people differ" if None not in (of_judges, of_people) and of_judges != of_people else ""


def _most(said: Sequence[Said]) -> bool | None:
    """What more than half of those with a verdict say; None where there is no such half."""
    sides = [side for side in map(says_yes, said) if side is not None]
    return next((side for side in (True, False) if 2 * sides.count(side) > len(sides)), None)
