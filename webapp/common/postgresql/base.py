"""Django's PostgreSQL, with connections that end when a request has waited for a server that hangs."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg.errors import ConnectionTimeout

from webapp.common.postgresql.patience import Connection, Server
from webapp.common.request_id import answering


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        server = _server(conn_params)
        if answering():
            server.refuse_if_hanging()
        try:
            made = super().get_new_connection(conn_params)
        except ConnectionTimeout:
            server.hung()
            raise
        # Django makes connections of the driver's own class alone.
        made.__class__, made.server = Connection, server
        return made


_SERVERS: dict[str, Server] = {}


def _server(params: dict[str, Any]) -> Server:
    """The one at this address, for all threads."""
    address = {name: params[name] for name in sorted(ADDRESS & params.keys())}
    return _SERVERS.setdefault(repr(address), Server(address))


ADDRESS = frozenset({"host", "port", "dbname", "user", "password", "sslmode", "sslrootcert", "sslcert", "sslkey"})
"""Parameters with the address of a server and its credentials."""
