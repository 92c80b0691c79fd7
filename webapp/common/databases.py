"""What is said when the database is not there, or not up to date."""

from __future__ import annotations

from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor


def refuse_old_tables() -> None:
    """Raises ``CommandError`` where migrations wait, or where the database cannot be asked."""
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        said = str(error).strip().splitlines()[0]
        raise CommandError(f"The database cannot be used: {said}. Check DATABASE_URL and SIGHTLINE_HOME.") from error
    if waiting:
        raise CommandError(
            f"The database lacks {len(waiting)} migrations. Run manage.py migrate, then the same command again."
        )
