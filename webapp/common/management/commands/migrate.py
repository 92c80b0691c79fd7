"""manage.py migrate: as Django's, one process at a time."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from webapp.common.databases import migration_lock


class Command(migrate.Command):
    def execute(self, *args: Any, **options: Any) -> Any:
        # Before the checks: to open an SQLite file that another process is making fails at once.
        with migration_lock(connections[options["database"]]):
            return super().execute(*args, **options)
