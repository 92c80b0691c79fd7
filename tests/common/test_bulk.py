"""Many rows at once."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common import bulk
from webapp.common.bulk import StatisticsRefresher, reserve_ids, update_rows
from webapp.common.models import AuditEntry


@pytest.mark.parametrize(
    ("batches", "refreshed_after"),
    [
        ([999], []),
        ([1000], [1]),
        ([500] * 9, [2, 4, 8]),
        ([1000, 0, 0, 999, 1], [1, 5]),
        ([5000, 1000, 4000], [1, 3]),
    ],
)
def test_statistics_are_refreshed_whenever_what_was_written_has_doubled(monkeypatch, batches, refreshed_after):
    written: list[int] = []
    told: list[int] = []
    monkeypatch.setattr(bulk, "refresh_statistics", lambda *tables: told.append(len(written)))
    growth = StatisticsRefresher(AuditEntry)
    for rows in batches:
        written.append(rows)
        growth.add(rows)
    assert told == refreshed_after


@pytest.mark.django_db
def test_nothing_is_asked_for_no_rows():
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        assert list(reserve_ids(AuditEntry, 0)) == []
        update_rows(AuditEntry, "action", [])
    assert not [query for query in queries if "audit" in query["sql"]]


@pytest.mark.django_db
def test_each_row_gets_its_own_value():
    rows = [make_user("Old", email=f"{number}@example.org") for number in range(3)]
    update_rows(User, "name", [("first", rows[0].pk), ("third", rows[2].pk)])
    assert list(User.objects.order_by("pk").values_list("name", flat=True)) == ["first", "Old", "third"]
