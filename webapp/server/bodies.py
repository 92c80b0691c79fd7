"""Reads the body of a request completely before the request uses a thread: in memory if small, else in a file.

Only people who may send more than ``ANYBODY`` to the address get a file. Visitors therefore use no disk, and memory
holds at most ``MEMORY`` for all requests of the process.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import IO, Any

from webapp.common.bodies import ANYBODY, Allowance

STALL_SECONDS = 20.0
"""The maximum pause within a body. After it, the average rate must also be at least ``RATE``."""
IN_MEMORY_SECONDS = 60.0
"""The time limit for a body in memory, because memory held by slow visitors is not available to others."""
RATE = 1024
"""Bytes per second, on average since the beginning."""
MEMORY = 128 << 20
BATCH = 1 << 20
AT_ONCE = 3
"""The number of bodies in files that one person can send to one process at the same time."""
SPARE = 256 << 20
"""The number of bytes that stay free on the disk of the temporary files."""

Receive = Callable[[], Awaitable[Any]]
Ask = Callable[[], Awaitable[Allowance]]
"""Returns how much the sender may send to this address; called only for a body larger than ``ANYBODY``."""


class Gone(Exception):
    """The client has closed the connection."""


@dataclass
class Refused(Exception):
    """The body is not read further: the status and the message of the response."""

    status: int
    message: str


@dataclass
class TooLarge(Exception):
    """The body is larger than the address accepts from its sender."""

    limit: int
    size: int


@dataclass
class Body:
    """A complete body, from its beginning."""

    file: IO[bytes]
    size: int


class Bodies:
    """The bodies that a process currently reads."""

    def __init__(self) -> None:
        self._in_memory = 0
        self._senders: Counter[str] = Counter()

    def reading(self, receive: Receive, declared: int | None, ask: Ask) -> Reading:
        """Return a reader for a body of ``declared`` bytes; None: the body marks its own end. It must be closed."""
        return Reading(self, receive, declared, ask)

    def hold(self, size: int) -> None:
        """Reserve memory. Raises ``Refused`` if there is not enough."""
        if self._in_memory + size > MEMORY:
            raise Refused(503, "The server is receiving too many files. Try again in a minute.")
        self._in_memory += size

    def let_go(self, size: int) -> None:
        self._in_memory -= size

    def enter(self, sender: str) -> None:
        if self._senders[sender] >= AT_ONCE:
            raise Refused(
                429, f"You are sending {AT_ONCE} files already. Wait until they are uploaded, then send the next one."
            )
        self._senders[sender] += 1

    def leave(self, sender: str) -> None:
        self._senders[sender] -= 1
        if not self._senders[sender]:
            del self._senders[sender]


class Reading:
    """A body that is being received. Raises ``Gone``, ``Refused`` or ``TooLarge``."""

    def __init__(self, bodies: Bodies, receive: Receive, declared: int | None, ask: Ask) -> None:
        self._bodies, self._receive, self._declared, self._ask = bodies, receive, declared, ask
        self._allowance: Allowance | None = None
        self._pieces: list[bytes] = []
        self._held = self._size = 0
        self._file: IO[bytes] | None = None

    async def whole(self) -> Body:
        begun = time.monotonic()
        more = self._declared != 0
        await self._check(self._declared or 0)
        while more:
            piece, more = await self._piece()
            self._size += len(piece)
            await self._check(self._size)
            elapsed = time.monotonic() - begun
            late = elapsed > STALL_SECONDS and self._size < elapsed * RATE
            if late or (self._file is None and elapsed > IN_MEMORY_SECONDS):
                raise Refused(408, "The request arrived too slowly. Send it again over a faster connection.")
            await self._keep(piece)
        if self._file is None:
            return Body(io.BytesIO(b"".join(self._pieces)), self._size)
        await self._write()
        await asyncio.to_thread(self._file.seek, 0)
        return Body(self._file, self._size)

    def close(self) -> None:
        self._bodies.let_go(self._held)
        self._held = 0
        if self._file is not None:
            self._file.close()
        if self._allowance is not None and self._allowance.sender:
            self._bodies.leave(self._allowance.sender)
            self._allowance = None

    async def _piece(self) -> tuple[bytes, bool]:
        try:
            async with asyncio.timeout(STALL_SECONDS):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, "The request is incomplete. Send it again.") from None
        if message["type"] == "http.disconnect":
            raise Gone
        return message.get("body", b""), message.get("more_body", False)

    async def _check(self, size: int) -> None:
        if size > ANYBODY and self._allowance is None:
            allowance = await self._ask()
            if size <= allowance.most:
                if allowance.sender:
                    self._bodies.enter(allowance.sender)
                self._allowance = allowance
                await self._open(size)
                return
            raise TooLarge(allowance.most, size)
        if self._allowance is not None and size > self._allowance.most:
            raise TooLarge(self._allowance.most, size)

    async def _open(self, size: int) -> None:
        usage = await asyncio.to_thread(shutil.disk_usage, tempfile.gettempdir())
        if usage.free < size + SPARE:
            raise Refused(507, "The server's disk is almost full. Ask the site admin to free space, then try again.")
        self._file = await asyncio.to_thread(tempfile.TemporaryFile)

    async def _keep(self, piece: bytes) -> None:
        self._bodies.hold(len(piece))
        self._held += len(piece)
        self._pieces.append(piece)
        if self._file is not None and self._held >= BATCH:
            await self._write()

    async def _write(self) -> None:
        """Write in a thread, so that a slow disk delays no other request."""
        assert self._file is not None
        await asyncio.to_thread(self._file.write, b"".join(self._pieces))
        self._pieces.clear()
        self._bodies.let_go(self._held)
        self._held = 0
