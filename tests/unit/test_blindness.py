"""What a person may know now: the rules of the blindness gate, apart from any page."""

from __future__ import annotations

from itertools import combinations

import pytest

from annotation.blindness import HANDED_CHECKS, JUDGING, OPEN, STUDYING, Facts, known
from annotation.workflow import Right, Role, may

ROLE_SETS = [frozenset(some) for n in range(5) for some in combinations(Role, n)]


@pytest.mark.parametrize("roles", ROLE_SETS, ids=lambda roles: "+".join(sorted(roles)) or "nobody")
def test_no_second_role_gives_sight_of_gold_to_somebody_who_is_handed_checks(roles: frozenset[Role]) -> None:
    """D2.6, D2.5"""
    told = known(Facts(roles=roles, checks_run=True, public=True))
    assert told.handed_checks == (Role.ANNOTATOR in roles and Role.LEAD not in roles)
    if told.handed_checks:
        assert not told.rights & {Right.SEE_GOLD, Right.JUDGE, Right.EXPORT, Right.COMPARE_WORK, Right.AUDIT}
        assert told.rights <= HANDED_CHECKS
        assert (told.gold, told.states, told.marks, told.source) == (False, False, False, False)
    else:
        assert told.rights == {right for right in Right if may(roles, right)}


@pytest.mark.parametrize("roles", ROLE_SETS, ids=lambda roles: "+".join(sorted(roles)) or "nobody")
def test_without_checks_roles_and_an_open_benchmark_give_what_they_always_gave(roles: frozenset[Role]) -> None:
    rights = {right for right in Right if may(roles, right)}
    assert known(Facts(roles=roles)).rights == rights
    assert known(Facts(roles=roles, public=True)).rights == rights | OPEN
    assert known(Facts(roles=roles, copy=True)).rights == rights | OPEN
    assert known(Facts(roles=roles)).states


def test_nobody_without_a_role_sees_anything_while_checks_run() -> None:
    """D2.5"""
    for copy in (False, True):
        assert known(Facts(public=True, copy=copy, checks_run=True)).rights == frozenset()


@pytest.mark.parametrize("roles", ROLE_SETS, ids=lambda roles: "+".join(sorted(roles)) or "nobody")
def test_no_second_role_shows_results_to_somebody_who_judges(roles: frozenset[Role]) -> None:
    for checks_run in (False, True):
        told = known(Facts(roles=roles, public=True, copy=True, judging=True, checks_run=checks_run))
        rights = {right for right in Right if may(roles, right)} & JUDGING
        assert told.rights == (rights & HANDED_CHECKS if told.handed_checks else rights)
        assert not told.rights & {Right.SEE_GOLD, Right.SCORE, Right.EXPORT, Right.IMPORT_RUNS, Right.COMPARE_WORK}
        assert (told.gold, told.marks) == (False, False)


@pytest.mark.parametrize(
    ("facts", "verdicts", "source", "seed"),
    [
        (Facts(roles=frozenset({Role.REVIEWER}), left=True, unjudged=True), False, False, False),
        (Facts(roles=frozenset({Role.REVIEWER}), left=False, unjudged=True), True, True, False),
        (Facts(roles=frozenset({Role.REVIEWER}), left=True, unjudged=False), True, True, True),
        (Facts(roles=frozenset({Role.REVIEWER})), True, True, True),
        # Who judges could sign out: a visitor is told nothing before everybody has finished.
        (Facts(public=True, left=False, unjudged=True), False, False, False),
        (Facts(public=True), True, False, False),
    ],
)  # fmt: skip
def test_a_judge_is_told_the_verdicts_and_the_source_when_they_are_done_and_the_seed_when_all_are(
    facts: Facts, verdicts: bool, source: bool, seed: bool
) -> None:
    """D2.1, D2.2, D2.3"""
    told = known(facts)
    assert (told.verdicts, told.source, told.seed) == (verdicts, source, seed)


def test_notes_and_shared_tags_are_for_members_unless_the_lead_shows_them_to_visitors() -> None:
    """D5.4"""
    visitor, member = Facts(public=True), Facts(public=True, roles=frozenset({Role.RESEARCHER}))
    assert (known(visitor).marks, known(member).marks) == (False, True)
    assert known(Facts(public=True, marks_open=True)).marks
    assert not known(Facts(copy=True, marks_open=True)).marks


@pytest.mark.parametrize("roles", ROLE_SETS, ids=lambda roles: "+".join(sorted(roles)) or "nobody")
def test_no_second_role_shows_gold_to_somebody_who_takes_part_in_a_study(roles: frozenset[Role]) -> None:
    for checks_run in (False, True):
        for judging in (False, True):
            told = known(
                Facts(roles=roles, public=True, copy=True, studying=True, judging=judging, checks_run=checks_run)
            )
            assert told.rights <= STUDYING
            assert (told.gold, told.marks, told.source) == (False, False, False)


@pytest.mark.parametrize("roles", ROLE_SETS, ids=lambda roles: "+".join(sorted(roles)) or "nobody")
def test_leads_and_people_who_work_blind_otherwise_take_no_study(roles: frozenset[Role]) -> None:
    takes = bool(roles) and Role.LEAD not in roles
    assert known(Facts(roles=roles)).takes_studies == takes
    assert known(Facts(roles=roles, studying=True)).takes_studies == takes
    assert not known(Facts(roles=roles, judging=True)).takes_studies
    assert not known(Facts(roles=roles, passed_on=frozenset({Right.VIEW}))).takes_studies
    if Role.ANNOTATOR in roles:
        assert not known(Facts(roles=roles, checks_run=True)).takes_studies
