"""Allowed destinations of requests: ``https`` to public addresses, and those that the administrator listed.

A request names a host, and the host decides which machine answers. Without a check, an endpoint could reach services
that only this server can reach, such as the metadata of a cloud. Therefore the name is resolved once, every address is
checked, and the connection uses an address that was checked.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

Ip = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Iterable[str]]
"""Host and port to the addresses of the host, as text. Raises ``OSError`` if the name is unknown."""

ENDPOINTS = "SIGHTLINE_ENDPOINT_HOSTS"
"""The variable that lists destinations of model endpoints beyond public https."""
LOOPBACK = ("127.0.0.0/8", "::1/128")
"""The default list of a server that listens on loopback."""
PORTS = {"https": 443, "http": 80}
_METADATA = frozenset(map(ip_address, ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")))
"""Metadata services of clouds that are not link-local."""
_SITE_LOCAL = ip_network("fec0::/10")
_NAT64 = ip_network("64:ff9b::/96")
_COMPATIBLE = ip_network("::/96")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
FORM = r"^[Hh][Tt][Tt][Pp][Ss]?://[0-9A-Za-z.:\[\]_-]+(/[!$-;=@-\[\]_a-z~]*)?$"
"""The form of an address. Allowed hosts and ports can't be expressed by a pattern."""
_LONGEST = 2000
"""The maximum number of characters of an address."""


class AddressRejected(ValueError):
    """Requests may not be sent to this address. The text gives the reason and a solution."""


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, asked once. Raises ``OSError`` if the name is unknown."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True)
class Allowed:
    """Listed destinations beyond public ``https``: hosts with a port, and networks."""

    hosts: frozenset[tuple[str, int]] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def read(cls, entries: Iterable[str], variable: str = ENDPOINTS) -> Allowed:
        """Read ``host:port`` and CIDR entries of a variable. Raises ``AddressRejected`` for any other one."""
        hosts: set[tuple[str, int]] = set()
        networks: list[Network] = []
        for entry in entries:
            try:
                networks.append(ip_network(entry))
                continue
            except ValueError:
                pass
            host, _, port = entry.rpartition(":")
            if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
                raise AddressRejected(f"{entry!r} in {variable} is not host:port or a network (CIDR).")
            hosts.add((read_host(host), int(port)))
        return cls(frozenset(hosts), tuple(networks))

    def holds(self, address: Ip) -> bool:
        """Whether a network contains the address."""
        return any(address in network for network in self.networks if network.version == address.version)


@dataclass(frozen=True)
class Address:
    """The address of a server, such as ``https://api.example.com/v1``. Raises ``AddressRejected`` if its text alone is
    invalid.

    ``allowed``: the entries of ``variable``. ``scheme``, ``host`` (lower case) and ``port`` are parsed.
    """

    base_url: str
    allowed: tuple[str, ...] = ()
    variable: str = ENDPOINTS
    scheme: str = field(init=False, default="")
    host: str = field(init=False, default="")
    port: int = field(init=False, default=0)
    path: str = field(init=False, default="")
    _listed: Allowed = field(init=False, repr=False, compare=False, default=Allowed())

    def __post_init__(self) -> None:
        parts = _split(self.base_url)
        host = read_host(parts.hostname or "")
        listed = Allowed.read(self.allowed, self.variable)
        read = {"scheme": parts.scheme, "host": host, "port": _port(parts), "path": parts.path.rstrip("/")}
        for name, value in {**read, "_listed": listed}.items():
            object.__setattr__(self, name, value)
        if self.scheme == "http" and not self.is_listed and not listed.networks:
            raise AddressRejected(self._needs_https())
        if ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]):
            self._check(read_ip(host))

    @property
    def is_listed(self) -> bool:
        """Whether the list names this host with this port."""
        return (self.host, self.port) in self._listed.hosts

    @property
    def origin(self) -> str:
        """``scheme://host``, and the port if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")

    def url(self, path: str) -> str:
        """Return the URL of a path below the base, such as ``/chat/completions``."""
        return f"{self.origin}{self.path}{path}"

    def resolved(self, resolve: Resolve = resolve) -> tuple[Ip, ...]:
        """Return the addresses that a connection may use, asked once, at least one.

        Raises ``AddressRejected`` if any of them is neither public nor listed, and ``OSError`` if the name is unknown.
        """
        found = [read_ip(text) for text in resolve(self.host, self.port)]
        if not found:
            raise OSError(f"{self.host} has no address.")
        for address in found:
            self._check(address)
        return tuple(dict.fromkeys(found))

    def _check(self, address: Ip) -> None:
        for one in embedded(address):
            if one.is_link_local or one.is_multicast or one.is_unspecified or one in _METADATA:
                raise AddressRejected(f"{self.host} leads to {address}, which no request may use.")
            if self.is_listed or self._listed.holds(one):
                continue
            if not one.is_global or one in _SITE_LOCAL:
                raise AddressRejected(
                    f"{self.host} leads to {address}, which is not public. An administrator can add "
                    f"{self.host}:{self.port} to {self.variable}."
                )
            if self.scheme == "http":
                raise AddressRejected(self._needs_https())

    def _needs_https(self) -> str:
        return (
            f"{self.host} needs https. For plain http, an administrator can add {self.host}:{self.port} to "
            f"{self.variable}."
        )


def _split(text: str) -> SplitResult:
    """Return the parts of an address whose form is plain."""
    if len(text) > _LONGEST or not text.isascii() or not text.isprintable() or re.search(r"[\s\\\"<>^`{|}]", text):
        raise AddressRejected(
            "The address has characters that are not allowed. Write a host with other letters as xn--."
        )
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise AddressRejected(f"The address can't be read: {error}.") from None
    if parts.scheme not in PORTS or not parts.netloc:
        raise AddressRejected("The address must begin with https:// and a host.")
    if "@" in parts.netloc:
        raise AddressRejected("The address must not contain a user name or password. Give the key separately.")
    if "?" in text or "#" in text:
        raise AddressRejected("The address must end with its path, such as /v1, without ? or #.")
    if "%" in parts.netloc or {".", ".."} & set(parts.path.split("/")) or re.search(r"%2e|%2f|%5c", parts.path, re.I):
        raise AddressRejected("The address must not contain escapes in its host, nor . and .. in its path.")
    return parts


def _port(parts: SplitResult) -> int:
    if parts.port == 0 or parts.netloc.endswith(":"):
        raise AddressRejected("The port of the address must be from 1 to 65535.")
    return parts.port or PORTS[parts.scheme]


def read_host(text: str) -> str:
    """Return a host in its one form: lower case, IPv6 without brackets, no period at the end.

    Raises ``AddressRejected`` for numbers that only some programs read as an address: decimal, octal, hexadecimal,
    short.
    """
    host = text.lower().removeprefix("[").removesuffix("]")
    if ":" in host:
        return str(read_ip(host))
    host = host.removesuffix(".")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return str(read_ip(host))
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressRejected(f"{text!r} is not the name of a host.")
    return host


def read_ip(text: str) -> Ip:
    """Return an IP address. Raises ``AddressRejected`` if it has a zone or is not in its standard form."""
    try:
        if "%" not in text:
            return ip_address(text)
    except ValueError:
        pass
    raise AddressRejected(f"{text!r} is not an IP address. Write IPv4 as four decimal numbers, IPv6 without a zone.")


def embedded(address: Ip) -> Iterator[Ip]:
    """Yield the addresses that must be allowed: the address, the IPv4 address that it maps, or both if it
    contains one.
    """
    if isinstance(address, IPv4Address):
        yield address
    elif address.ipv4_mapped:
        yield address.ipv4_mapped
    else:
        yield address
        if address.sixtofour:
            yield address.sixtofour
        if address.teredo:
            yield from address.teredo
        if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
            yield IPv4Address(int(address) & 0xFFFFFFFF)
