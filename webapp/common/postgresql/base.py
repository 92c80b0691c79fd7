"""Django's PostgreSQL, with a cursor for statements that are run again and again.

Making a plan takes the server longer than following it, for most of our statements. Django sends each with its values
written into it, so that each is planned anew; here the values follow, and a plan is made once for each connection.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg import Cursor


class DatabaseWrapper(base.DatabaseWrapper):
    def planned_cursor(self) -> Any:
        """A cursor whose statements keep their plans from the ``prepare_threshold``-th time on."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            made: Any = base.DatabaseWrapper._prepare_cursor  # type: ignore[attr-defined] # Unknown to the stubs.
            return made(self, Cursor(self.connection))
