"""A prepared statement does what its queryset does, whatever the values; one that does not take them is refused."""

from __future__ import annotations

import pytest

from tests.factories import make_user
from webapp.common.compiled_query import CompiledQuery
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


def made_by(actor, action):
    entries = AuditEntry.objects.filter(actor=actor, action__gt=action).exclude(action="b")
    return entries.order_by("pk").values_list("action")


MADE_BY = CompiledQuery(made_by, int, str)


def test_it_finds_what_its_queryset_finds_for_the_values_of_the_moment(django_assert_num_queries):
    ana, rui = make_user("Ana Lind"), make_user("Rui Costa")
    for actor, action in ((ana, "a"), (rui, "b"), (ana, "c"), (rui, "d")):
        AuditEntry.objects.create(actor=actor, action=action, subject_type="x", subject_id="1")
    assert MADE_BY.rows(ana.pk, "") == [("a",), ("c",)]
    with django_assert_num_queries(1):
        assert MADE_BY.rows(rui.pk, "") == [("d",)]
    assert MADE_BY.rows(ana.pk, "c") == []


def test_a_query_that_takes_a_value_otherwise_than_it_is_given_is_refused():
    doubled = CompiledQuery(lambda actor: AuditEntry.objects.filter(actor=2 * actor).values_list("pk"), int)
    with pytest.raises(ValueError, match="does not take the values"):
        doubled.rows(1)


def test_it_makes_the_objects_that_its_queryset_makes_with_what_is_selected_along(django_assert_num_queries):
    ana = make_user("Ana Lind")
    kept = AuditEntry.objects.create(actor=ana, action="a", subject_type="x", subject_id="1", data={"n": [1, "é"]})
    alone = AuditEntry.objects.create(action="b", subject_type="x", subject_id="1")
    of_action = CompiledQuery(lambda action: AuditEntry.objects.filter(action=action).select_related("actor"), str)
    with django_assert_num_queries(3):
        found, other, none = of_action.first("a"), of_action.first("b"), of_action.first("c")
        assert (found.actor.name, other.actor, none) == ("Ana Lind", None, None)
    assert found.__dict__ | {"_state": 0} == AuditEntry.objects.get(pk=kept.pk).__dict__ | {"_state": 0}
    assert (other.pk, found._state.adding) == (alone.pk, False)
