"""Keys from the environment: each has a name, and goes to the hosts that are listed for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from annotation.outgoing.addresses import Address, AddressRejected, read_host
from annotation.outgoing.sealing import LEAST_KEY, SIGNS, KeyRejected, checked_key

PREFIX = "SIGHTLINE_KEY_"
HOSTS = "_HOSTS"
_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
FORM = rf"^\s*{SIGNS}{{{LEAST_KEY},}}\s*$"
"""The form of a key."""
_USUAL = 443


class Keys:
    """The keys ``SIGHTLINE_KEY_<NAME>`` of an environment, with their hosts ``SIGHTLINE_KEY_<NAME>_HOSTS``.

    No other variable can be named, so an endpoint can't read ``SECRET_KEY`` or send a site's key elsewhere.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._found = {name: value for name, value in environ.items() if name.startswith(PREFIX)}

    def __repr__(self) -> str:
        return f"Keys({', '.join(self.names())})"

    def names(self) -> tuple[str, ...]:
        """The names that an endpoint can choose, in order."""
        names = (variable.removeprefix(PREFIX) for variable, value in self._found.items() if value)
        return tuple(sorted(name for name in names if _NAME.fullmatch(name) and not name.endswith(HOSTS)))

    def hosts(self, name: str) -> frozenset[tuple[str, int]]:
        """Return the hosts and ports the key may go to; a host without a port means 443.

        Raises ``KeyRejected`` if an entry can't be read.
        """
        entries = re.split(r"[\s,]+", self._found.get(f"{PREFIX}{name}{HOSTS}", "").strip())
        return frozenset(_host_and_port(entry, name) for entry in entries if entry)

    def key(self, name: str, address: Address) -> str:
        """Return the key for an address. Raises ``KeyRejected`` if it is missing or not for this host."""
        if name not in self.names():
            raise KeyRejected(f"There is no key {name[:64]!r}. Set {PREFIX}NAME and {PREFIX}NAME{HOSTS} on the server.")
        if (address.host, address.port) not in self.hosts(name):
            raise KeyRejected(
                f"The key {name} may not go to {address.host}:{address.port}. "
                f"An administrator can add the host to {PREFIX}{name}{HOSTS}."
            )
        return checked_key(self._found[PREFIX + name])


def _host_and_port(entry: str, name: str) -> tuple[str, int]:
    host, colon, port = entry.rpartition(":")
    try:
        if colon and port.isascii() and port.isdecimal() and (":" not in host or host.endswith("]")):
            return read_host(host), int(port)
        return read_host(entry), _USUAL
    except AddressRejected as error:
        raise KeyRejected(f"{PREFIX}{name}{HOSTS}: {error}") from None
