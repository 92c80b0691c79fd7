"""The judgments of a trajectory as the short lines of its head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy

from evaluation.common.code_words import verdict_words
from evaluation.common.judging.words import UNDECIDED, YES
from evaluation.common.trajectory.answer import Answer
from evaluation.trajectory.read import Said

CLAIMS = {
    "answer": gettext_lazy("Answer is correct: %(verdicts)s"),
    "reliability": gettext_lazy("Crops support the answer: %(verdicts)s"),
    "sufficiency": gettext_lazy("Crops alone are enough: %(verdicts)s"),
}
"""The meaning of a yes to each kind, with its author."""
RULE = {"correct": True, "incorrect": False}


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """The judgments of one kind. ``apart``: the judges who disagree, "" if there are none."""

    words: str
    apart: str


def verdict_lines(told: Sequence[Said], rule: str) -> list[VerdictLine]:
    """Return a line for each kind of judgment, judges before people. ``rule``: the verdict of ``Answer.rule``.

    Example: "Crops support the answer: judges 2 of 3 (1 not judged); people 1 of 1".
    """
    found = []
    for kind in CLAIMS:
        here = [one for one in told if one.kind == kind]
        judges, people = [one for one in here if one.person is None], [one for one in here if one.person is not None]
        if here:
            found.append(VerdictLine(_words(kind, judges, people), _apart(kind, judges, people, rule)))
    return found


def overruled_words(answer: Answer, told: Sequence[Said]) -> str:
    """Return where a judge's verdict replaces that of the rule: "judge-7b: correct; rule: incorrect".

    The judge is named if exactly one judge model is known to have given this verdict. "" if the rule's verdict counts.
    """
    if not answer.overruled:
        return ""
    models = [one for one in told if one.kind == "answer" and one.person is None]
    same = {one.judge for one in models if says_yes(one) == RULE.get(answer.verdict)}
    values = {"judge": next(iter(same)) if len(same) == 1 else "", "verdict": verdict_words(answer.verdict)}
    if answer.rule not in RULE:
        named, unnamed = (
            gettext("%(judge)s: %(verdict)s; the rule can't tell"),
            gettext("Judge: %(verdict)s; the rule can't tell"),
        )
    else:
        values["rule"] = verdict_words(answer.rule)
        named, unnamed = (
            gettext("%(judge)s: %(verdict)s; rule: %(rule)s"),
            gettext("Judge: %(verdict)s; rule: %(rule)s"),
        )
    return (named if values["judge"] else unnamed) % values


def says_yes(one: Said) -> bool | None:
    """Whether the judgment is yes. None without a verdict, or if the judge can't tell."""
    return None if one.word in (None, "", UNDECIDED) else one.word in YES


def _words(kind: str, judges: Sequence[Said], people: Sequence[Said]) -> str:
    of_judges = (
        gettext("judges %(yes)s of %(n)s"),
        gettext("judges %(yes)s of %(n)s (%(none)s not judged)"),
        gettext("judges: %(none)s not judged"),
    )
    of_people = (
        gettext("people %(yes)s of %(n)s"),
        gettext("people %(yes)s of %(n)s (%(none)s not judged)"),
        gettext("people: %(none)s not judged"),
    )
    return CLAIMS[kind] % {"verdicts": "; ".join([*_counts(judges, *of_judges), *_counts(people, *of_people)])}


def _counts(said: Sequence[Said], all_judged: str, some_judged: str, none_judged: str) -> Iterator[str]:
    """Yield how many of them say yes, of those with a verdict; nothing if there are none."""
    sides = [says_yes(one) for one in said]
    none = sides.count(None)
    if sides:
        words = all_judged if not none else none_judged if none == len(sides) else some_judged
        yield words % {"yes": sides.count(True), "n": len(sides) - none, "none": none}


def _apart(kind: str, judges: Sequence[Said], people: Sequence[Said], rule: str) -> str:
    """Compare the rule with every verdict on the answer, and the majority of judges with the majority of people."""
    sides = {says_yes(one) for one in (*judges, *people)}
    if kind == "answer" and rule in RULE and (not RULE[rule]) in sides:
        return gettext("rule: correct") if RULE[rule] else gettext("rule: incorrect")
    of_judges, of_people = _majority(judges), _majority(people)
    if None not in (of_judges, of_people) and of_judges != of_people:
        return gettext("judges and people differ")
    return ""


def _majority(said: Sequence[Said]) -> bool | None:
    """Return what more than half of those with a verdict say; None without a majority."""
    sides = [side for side in map(says_yes, said) if side is not None]
    return next((side for side in (True, False) if 2 * sides.count(side) > len(sides)), None)
