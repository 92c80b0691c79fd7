"""The database of the tests is as migrating leaves it, whatever a test before committed."""

from threading import Event, Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotation.content.freeze import freeze_version
from evaluation.models import Trajectory
from tests import databases
from tests.evaluation.run_pages import make_benchmark
from webapp.accounts.models import User
from webapp.common.databases import migration_lock, refuse_old_tables


def tables_with_rows() -> set[str]:
    with connection.cursor() as cursor:
        return {name for name in connection.introspection.table_names(cursor) if has_rows(cursor, name)}


def has_rows(cursor: Any, table: str) -> bool:
    cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})")  # noqa: S608 - of our models
    return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_all_that_was_committed_is_deleted_and_what_migrating_left_stays(lea: User) -> None:
    left = databases.KEPT | {"django_migrations"}
    freeze_version(actor=lea, benchmark=make_benchmark(lea, kinds={"seen": 1}, pictures=False))
    assert Trajectory.objects.exists()
    assert tables_with_rows() > left
    databases.empty_tables()
    assert tables_with_rows() == left


@pytest.mark.django_db(transaction=True)
def test_who_migrates_waits_for_others_that_migrate() -> None:
    """D6.10: of two at once, one used to fail over the tables that the other had made."""
    begun, ended = Event(), Event()

    def migrate() -> None:
        begun.set()
        call_command("migrate", verbosity=0, interactive=False)
        ended.set()
        connection.close()

    thread = Thread(target=migrate)
    with migration_lock(connection):
        thread.start()
        assert begun.wait(10)
        assert not ended.wait(0.3)
    thread.join(60)
    assert ended.is_set()


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize("app", ["accounts", "annotation", "common", "evaluation", "jobs"])
def test_a_database_from_before_the_squash_goes_on_from_where_it_is(app: str) -> None:
    """It has what the squashed migration replaces, and not its name."""
    on_disk = MigrationLoader(None).disk_migrations
    [squashed] = [one for (of, _), one in on_disk.items() if of == app and one.replaces]
    recorded = MigrationRecorder.Migration.objects.filter(app=app)  # type: ignore[misc]
    recorded.filter(name=squashed.name).delete()
    refuse_old_tables()
    recorded.exclude(name__in=[name for _, name in squashed.replaces[:-1]]).delete()
    with pytest.raises(CommandError, match="missing"):
        refuse_old_tables()
