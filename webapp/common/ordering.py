"""An order of texts that is the same on every database."""

from __future__ import annotations

from django.db import connection
from django.db.models.functions import Collate


def by_code_points(path: str) -> Collate:
    """Order texts by their code points. PostgreSQL otherwise uses the locale of the server, so a checksum over rows in
    its order would be another one on another server.
    """
    return Collate(path, "C" if connection.vendor == "postgresql" else "BINARY")
