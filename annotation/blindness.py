"""Decides what a person may know now. Pure, and the only place with this decision.

Every page, list, chart, export and API calls ``known``. Actions load the facts (``annotation.common.access`` and, for
judging queues, ``evaluation.common.judging.known``) and pass them on.

Three groups of people work blind. An annotator who gets gold checks must not find out which samples are checks, nor
look up their gold. A judge must not find out which model a question is about before the queue is finished: an answer
that a question quotes, or a crop that it shows, could be searched for wherever results are. A participant of a human
study must not find the gold of its samples, nor the answers of models or other people. Hiding single items would
identify them, so ``known`` withholds entire areas.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation.marking import gettext_noop
from annotation.workflow import Right, Role, may

OPEN = frozenset({Right.VIEW, Right.SEE_GOLD})
"""Permissions of everyone on a public benchmark."""

HANDED_CHECKS = frozenset({Right.VIEW, Right.ANNOTATE, Right.REVIEW})
"""The remaining permissions of a person who gets gold checks, whatever other roles they have. All others lead to gold,
to the list of samples with gold, or to comparisons without gold checks.
"""

JUDGING = frozenset({Right.VIEW, Right.ANNOTATE, Right.REVIEW, Right.AUDIT, Right.JUDGE, Right.MANAGE})
"""The remaining permissions of a person in the middle of a judging queue, whatever roles they have. All others lead to
answers and crops, or to scores and decisions derived from them.
"""

STUDYING = frozenset({Right.VIEW, Right.ANNOTATE, Right.TAKE_STUDY})
"""The remaining permissions of a person in the middle of a human study, whatever roles they have. All others lead to
gold or to answers: a review shows the content of a reopened sample, a judging queue shows answers of models.
"""

CHECKS_AND_PUBLIC = gettext_noop(
    "A benchmark with gold checks can't be public: annotators could sign out and look up the gold."
)

JUDGING_AND_PUBLIC = gettext_noop(
    "A benchmark with open judging queues can't be public: judges could sign out and look up the models."
)


STUDY_AND_PUBLIC = gettext_noop(
    "A benchmark with an open human study can't be public: participants could sign out and look up the gold."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Current facts about a person, a benchmark, and the judging queues about the requested objects.

    ``roles``: of the person; none for a visitor. ``copy``: reads a published copy. ``marks_open``: the lead shows notes
    and shared tags to visitors. ``judging``: the person was assigned a question of a judging queue, and neither they
    nor others have finished it. ``studying``: they began a human study that is open, and have not finished it.
    ``left``: a queue has a question that this person has neither judged nor skipped. ``unjudged``: it has one with
    fewer votes than required. ``passed_on``: all permissions, or those of a token.
    """

    roles: frozenset[Role] = frozenset()
    public: bool = False
    copy: bool = False
    checks_run: bool = False
    marks_open: bool = False
    judging: bool = False
    studying: bool = False
    left: bool = False
    unjudged: bool = False
    passed_on: frozenset[Right] = frozenset(Right)


@dataclass(frozen=True, slots=True)
class Known:
    """What the person may know and do.

    ``handed_checks``: gold checks are mixed into their samples. ``judging``, ``studying``: as in ``Facts``.
    ``takes_studies``: may take part in human studies; leads draw the samples, so they cannot. ``states``: the number of
    samples in each state, and the people who work on them. ``marks``: notes and shared tags. ``verdicts``: of people
    and judges, on the samples of the queues in question. ``source``: the list and the runs from which these queues were
    drawn. ``seed``: of the draw. ``examples``: the gold of samples in the guidelines, none of which is a gold check.
    """

    rights: frozenset[Right]
    handed_checks: bool
    judging: bool
    studying: bool
    takes_studies: bool
    states: bool
    marks: bool
    verdicts: bool
    source: bool
    seed: bool
    examples: bool

    @property
    def gold(self) -> bool:
        return Right.SEE_GOLD in self.rights


def known(facts: Facts) -> Known:
    """Return what this person may now know about this benchmark, sample, run or judging queue.

    Leads cannot work blind, because they choose the checks, so they get none. While gold checks run, the benchmark is
    closed to people without a role, because an annotator could sign out. Until a question is assigned, there is nothing
    to look up, so a person who draws a queue and judges none of it keeps full access. Earlier decisions on the answers
    of a queue can't be read either: decided answers are not drawn, and answers are not decided while judges are asked.
    """
    handed = facts.checks_run and Role.ANNOTATOR in facts.roles and Role.LEAD not in facts.roles
    rights = frozenset(right for right in Right if may(facts.roles, right))
    if handed:
        rights &= HANDED_CHECKS
    if facts.judging:
        rights &= JUDGING
    if facts.studying:
        rights &= STUDYING
    if (facts.public or facts.copy) and not (facts.checks_run or facts.judging or facts.studying):
        rights |= OPEN
    judges = Right.JUDGE in rights
    waits = facts.unjudged and (facts.left or not judges)
    return Known(
        rights=rights & facts.passed_on,
        handed_checks=handed,
        judging=facts.judging,
        studying=facts.studying,
        takes_studies=Right.TAKE_STUDY in rights & facts.passed_on and Role.LEAD not in facts.roles,
        states=not handed,
        marks=Right.SEE_GOLD in rights and not facts.copy and (bool(facts.roles) or facts.marks_open),
        verdicts=not waits,
        source=judges and not waits,
        seed=judges and not facts.unjudged,
        examples=Right.SEE_GOLD in rights
        or (handed and Right.VIEW in rights and not (facts.judging or facts.studying)),
    )
