"""The table of transitions, walked whole: every state, every name, every role, through the one door."""

from __future__ import annotations

from itertools import product

import pytest

from annotation.content.transitions import apply_transition
from annotation.models import Annotation, Sample
from annotation.workflow import RIGHTS, TRANSITIONS, Role, SampleState, State, sample_state, transition
from tests.annotation.work_data import to_annotate
from tests.databases import forget_audit_entries
from tests.factories import make_user
from webapp.common.errors import Conflict, NotAllowed
from webapp.common.models import AuditEntry

NAMES = sorted({one.name for one in TRANSITIONS})
ALLOWED = {(one.name, one.before): one for one in TRANSITIONS}


def test_a_name_leads_from_a_state_to_one_state_only():
    assert len(ALLOWED) == len(TRANSITIONS)


@pytest.mark.parametrize(("name", "before"), list(product(NAMES, State)))
def test_the_table_answers_every_question(name, before):
    if (name, before) in ALLOWED:
        assert transition(name, before) is ALLOWED[name, before]
    else:
        with pytest.raises(LookupError, match="cannot"):
            transition(name, before)


@pytest.mark.django_db
@pytest.mark.endurance
def test_every_state_action_and_role_is_let_through_or_refused_as_the_table_says():
    """Refused moves change nothing; allowed ones change the state, the sample and the audit log."""
    people = {role: make_user(f"{role.value.title()} P", email=f"{role.value}@example.org") for role in Role}
    to_annotate(1, **{role.value: user for role, user in people.items()})
    sample = Sample.objects.select_related("benchmark").get()
    annotation = Annotation.objects.create(sample=sample, place=0)
    walked = 0
    for name, before, role in product(NAMES, State, Role):
        Annotation.objects.filter(pk=annotation.pk).update(state=before)
        forget_audit_entries()
        asked = Annotation.objects.get(pk=annotation.pk)
        asked.sample = sample
        step = ALLOWED.get((name, before))
        if step is None:
            with pytest.raises(Conflict):
                apply_transition(actor=people[role], annotation=asked, name=name)
        elif step.right not in RIGHTS[role]:
            with pytest.raises(NotAllowed):
                apply_transition(actor=people[role], annotation=asked, name=name)
        else:
            apply_transition(actor=people[role], annotation=asked, name=name, reason="Because.")
            walked += 1
        after = step.after if step and step.right in RIGHTS[role] else before
        assert Annotation.objects.get().state == after
        if after != before:
            assert Sample.objects.get().state == sample_state([after])
            entry = AuditEntry.objects.get()
            assert (entry.action, entry.before, entry.after, entry.reason, entry.actor) == (
                f"annotation.{name}", before.value, after.value, "Because.", people[role],
            )  # fmt: skip
        else:
            assert not AuditEntry.objects.exists()
    assert walked == sum(one.right in RIGHTS[role] for one in TRANSITIONS for role in Role)


@pytest.mark.django_db
def test_of_two_moves_from_one_state_the_second_is_refused(rui):
    benchmark = to_annotate(1, reviewer=rui)
    annotation = Annotation.objects.create(sample=benchmark.samples.get(), place=0, state="in_review")
    first, second = (Annotation.objects.select_related("sample__benchmark").get() for _ in range(2))
    apply_transition(actor=rui, annotation=first, name="accept")
    with pytest.raises(Conflict, match="no longer in_review"):
        apply_transition(actor=rui, annotation=second, name="discard")
    annotation.refresh_from_db()
    assert annotation.state == "accepted"


@pytest.mark.parametrize(
    ("states", "seen"),
    [
        ([], SampleState.TO_DO),
        (["draft"], SampleState.DRAFT),
        (["draft", "submitted"], SampleState.IN_REVIEW),
        (["returned", "draft"], SampleState.RETURNED),
        (["in_review", "returned"], SampleState.IN_REVIEW),
        (["submitted", "returned"], SampleState.RETURNED),
        (["accepted", "submitted"], SampleState.ACCEPTED),
        (["discarded"], SampleState.DISCARDED),
        (["discarded", "draft"], SampleState.DRAFT),
    ],
)
def test_a_sample_stands_where_the_furthest_of_its_annotations_is(states, seen):
    assert sample_state([State(one) for one in states]) is seen
