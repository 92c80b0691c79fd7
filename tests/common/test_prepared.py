"""A prepared query finds what its queryset finds, whatever the values; one that does not ask for them is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.factories import make_user
from webapp.common.models import AuditEntry
from webapp.common.prepared import Prepared

pytestmark = pytest.mark.django_db


def made_by(actor, since):
    entries = AuditEntry.objects.filter(actor=actor, created__gt=since).exclude(action="b")
    return entries.order_by("pk").values_list("action")


MADE_BY = Prepared(made_by, int, datetime)


def test_it_finds_what_its_queryset_finds_for_the_values_of_the_moment(django_assert_num_queries):
    ana, rui = make_user("Ana Lind"), make_user("Rui Costa")
    for actor, action in ((ana, "a"), (rui, "b"), (ana, "c"), (rui, "d")):
        AuditEntry.objects.create(actor=actor, action=action, subject_type="x", subject_id="1")
    long_ago, soon = datetime(2001, 1, 1, tzinfo=UTC), datetime.now(UTC) + timedelta(days=1)
    assert MADE_BY.rows(ana.pk, long_ago) == [("a",), ("c",)]
    with django_assert_num_queries(1):
        assert MADE_BY.rows(rui.pk, long_ago) == [("d",)]
    assert MADE_BY.rows(ana.pk, soon) == []


def test_a_query_that_takes_a_value_otherwise_than_it_is_given_is_refused():
    doubled = Prepared(lambda actor: AuditEntry.objects.filter(actor=2 * actor).values_list("pk"), int)
    with pytest.raises(ValueError, match="does not ask for the values"):
        doubled.rows(1)
