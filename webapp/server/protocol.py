"""HTTP/1.1 connections of uvicorn, with deadlines for incomplete heads and unread responses."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0
"""The time limit for a request line and its headers; then the connection is closed."""
WRITE_SECONDS = 30.0
"""The time limit for a client to read some of its response; then the connection is closed."""
MOST_HEAD_BYTES = 32 * 1024


class PatientProtocol(H11Protocol):
    """A connection whose slow client uses only memory, never a thread, and only for a limited time."""

    most_connections = 1000

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most_connections:
            transport.abort()
            return
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._head_timer, self._write_timer, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect_head()
        elif self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _expect_head(self) -> None:
        """Limit the time of a request head from its first byte, even if the rest arrives byte by byte."""
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def _unsupported_upgrade_warning(self) -> None:
        """Answer a request for WebSocket as an ordinary one, without the two useless log lines of each."""
