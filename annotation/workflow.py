"""States, roles and the table of allowed transitions. Pure: every action checks it before it writes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The role of a member on one benchmark. A site admin has all permissions."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    LEAD = "lead"
    RESEARCHER = "researcher"


class State(StrEnum):
    """The state of one person's annotation of a sample."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    IN_REVIEW = "in_review"
    ACCEPTED = "accepted"
    RETURNED = "returned"
    DISCARDED = "discarded"
    SUPERSEDED = "superseded"
    """Another annotation of the sample became gold."""


OPEN = (State.DRAFT, State.RETURNED)
"""States in which the author can work on an annotation."""


class SampleState(StrEnum):
    """The state of a sample, derived from all its annotations. Pages count it and filter by it."""

    TO_DO = "to_do"
    DRAFT = "draft"
    IN_REVIEW = "in_review"
    DISPUTED = "disputed"
    """Its annotations differ, and an adjudicator must decide."""
    RETURNED = "returned"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"


class ExportStates(StrEnum):
    """The samples that an export of a benchmark contains, by their state."""

    ACCEPTED = "accepted"
    ALL = "all"


class Right(StrEnum):
    """A permission needed by a page or an action. Roles have permissions; see ``RIGHTS``."""

    VIEW = "view"
    SEE_GOLD = "see_gold"
    ANNOTATE = "annotate"
    REVIEW = "review"
    AUDIT = "audit"
    IMPORT_RUNS = "import_runs"
    IMPORT_SAMPLES = "import_samples"
    SCORE = "score"
    EXPORT = "export"
    COMPARE_WORK = "compare_work"
    JUDGE = "judge"
    TAKE_STUDY = "take_study"
    MANAGE = "manage"


_MEMBER = frozenset({Right.VIEW, Right.SEE_GOLD, Right.COMPARE_WORK, Right.JUDGE, Right.TAKE_STUDY})
RIGHTS: dict[Role, frozenset[Right]] = {
    Role.ANNOTATOR: _MEMBER | {Right.ANNOTATE},
    Role.REVIEWER: _MEMBER | {Right.REVIEW, Right.AUDIT},
    Role.RESEARCHER: _MEMBER | {Right.IMPORT_RUNS, Right.SCORE, Right.EXPORT},
    Role.LEAD: frozenset(Right),
}


@dataclass(frozen=True, slots=True)
class Transition:
    """One allowed change of an annotation's state, and the permission it needs."""

    name: str
    before: State
    after: State
    right: Right


TRANSITIONS: tuple[Transition, ...] = (
    Transition("submit", State.DRAFT, State.SUBMITTED, Right.ANNOTATE),
    Transition("take_back", State.SUBMITTED, State.DRAFT, Right.ANNOTATE),
    Transition("start_review", State.SUBMITTED, State.IN_REVIEW, Right.REVIEW),
    Transition("stop_review", State.IN_REVIEW, State.SUBMITTED, Right.REVIEW),
    Transition("accept", State.IN_REVIEW, State.ACCEPTED, Right.REVIEW),
    Transition("fix_and_accept", State.IN_REVIEW, State.ACCEPTED, Right.REVIEW),
    Transition("return", State.IN_REVIEW, State.RETURNED, Right.REVIEW),
    Transition("discard", State.IN_REVIEW, State.DISCARDED, Right.REVIEW),
    Transition("supersede", State.IN_REVIEW, State.SUPERSEDED, Right.REVIEW),
    Transition("supersede_agreed", State.SUBMITTED, State.SUPERSEDED, Right.ANNOTATE),
    Transition("question_changed", State.SUBMITTED, State.RETURNED, Right.ANNOTATE),
    Transition("take_up", State.RETURNED, State.DRAFT, Right.ANNOTATE),
    Transition("accept_unreviewed", State.SUBMITTED, State.ACCEPTED, Right.ANNOTATE),
    Transition("send_back", State.SUBMITTED, State.RETURNED, Right.MANAGE),
    Transition("send_back", State.IN_REVIEW, State.RETURNED, Right.MANAGE),
    Transition("discard", State.DRAFT, State.DISCARDED, Right.MANAGE),
    Transition("discard", State.SUBMITTED, State.DISCARDED, Right.MANAGE),
    Transition("discard", State.RETURNED, State.DISCARDED, Right.MANAGE),
    Transition("discard", State.ACCEPTED, State.DISCARDED, Right.MANAGE),
    Transition("reopen", State.ACCEPTED, State.DRAFT, Right.MANAGE),
    Transition("reopen", State.DISCARDED, State.DRAFT, Right.MANAGE),
    Transition("reopen", State.SUPERSEDED, State.DRAFT, Right.MANAGE),
    Transition("discard", State.SUPERSEDED, State.DISCARDED, Right.MANAGE),
    Transition("import", State.DRAFT, State.ACCEPTED, Right.IMPORT_SAMPLES),
    Transition("import_results", State.DRAFT, State.SUBMITTED, Right.IMPORT_SAMPLES),
)
"""All transitions of an annotation.

"import": an imported sample is accepted on arrival, by the importer; "import_results": a sample from a result file
remains to be reviewed. "take_back": by its author, before a review can begin. "discard": by a reviewer in review, by a
lead in any state. "accept_unreviewed": an annotation outside the share that the lead has reviewed is accepted when it
is submitted. "supersede": another annotation became gold, by an adjudicator; "supersede_agreed": because all agreed, or
because the sample was decided before this annotation was submitted. "question_changed": the shared question changed.
"""

_SEEN_AS: tuple[tuple[SampleState, frozenset[State]], ...] = (
    (SampleState.ACCEPTED, frozenset({State.ACCEPTED})),
    (SampleState.IN_REVIEW, frozenset({State.IN_REVIEW})),
    (SampleState.RETURNED, frozenset({State.RETURNED})),
    (SampleState.IN_REVIEW, frozenset({State.SUBMITTED})),
    (SampleState.DRAFT, frozenset({State.DRAFT})),
    (SampleState.DISCARDED, frozenset({State.DISCARDED, State.SUPERSEDED})),
)


def sample_state(states: Collection[State], *, disputed: bool = False) -> SampleState:
    """Return the state of a sample whose annotations have these states: accepted if one is; in review if one is; else
    returned if one is, because the others wait for it; else the most advanced; to do without any. ``disputed``: a round
    of adjudication found a dispute and is open.
    """
    found = next((seen for seen, which in _SEEN_AS if which.intersection(states)), SampleState.TO_DO)
    return SampleState.DISPUTED if disputed and found is SampleState.IN_REVIEW else found


SPREAD, PARTS = 2654435761, 2**32
"""Numbers times the first, modulo the second, are evenly distributed. Python code and queries thus select the same
share of samples.
"""


def is_overlapped(number: int, share: float) -> bool:
    """Return whether the sample of this number is in the share that several people annotate. A larger share contains
    those of a smaller one.
    """
    return number * SPREAD % PARTS < share * PARTS


def may(roles: Collection[Role], right: Right) -> bool:
    """Return whether any of these roles has the permission."""
    return any(right in RIGHTS[role] for role in roles)


def roles_with(right: Right) -> list[Role]:
    """Return the roles with the permission."""
    return [role for role, rights in RIGHTS.items() if right in rights]


def transition(name: str, before: State) -> Transition:
    """Return the allowed transition of this name from this state; raises ``LookupError`` with the allowed ones."""
    for candidate in TRANSITIONS:
        if candidate.name == name and candidate.before == before:
            return candidate
    allowed = [t.name for t in TRANSITIONS if t.before == before]
    raise LookupError(f"An annotation that is {before} cannot {name}; it can: {', '.join(allowed) or 'nothing'}.")
