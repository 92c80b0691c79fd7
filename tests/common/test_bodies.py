"""How a body is read: in memory, in a file, or not to its end."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from webapp.common.bodies import ANYBODY, Allowance
from webapp.server import bodies
from webapp.server.bodies import AT_ONCE, MEMORY, Bodies, Body, Gone, Refused, TooLarge


def read(
    pieces: list[bytes | None], declared: int | None = None, most: int = ANYBODY, among: Bodies | None = None
) -> Body:
    """What comes of a body in these pieces; None: the client goes."""
    left = list(pieces)

    async def receive() -> dict[str, Any]:
        piece = left.pop(0)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    async def ask() -> Allowance:
        return Allowance(most, "7" if most > ANYBODY else "", "")

    async def whole() -> Body:
        reading = (among or Bodies()).reading(receive, declared, ask)
        try:
            found = await reading.whole()
            found.content = found.file.read()  # type: ignore[attr-defined]
            return found
        finally:
            reading.close()

    return asyncio.run(whole())


@pytest.mark.parametrize("size", [0, 1, ANYBODY, ANYBODY + 1, 3_500_000])
@pytest.mark.parametrize("declared", [True, False])
def test_a_body_comes_out_as_it_went_in(size: int, declared: bool) -> None:
    content = bytes(range(256)) * (size // 256 + 1)
    pieces: list[bytes | None] = [content[at : min(at + 65536, size)] for at in range(0, max(size, 1), 65536)]
    among = Bodies()
    body = read(pieces, size if declared else None, most=4_000_000, among=among)
    assert (body.size, body.content) == (size, content[:size])  # type: ignore[attr-defined]
    assert (among._in_memory, dict(among._senders)) == (0, {}), "nothing is held when it is over"


def test_a_body_is_refused_at_the_byte_that_is_too_much() -> None:
    with pytest.raises(TooLarge):
        read([b"x"], declared=ANYBODY + 1)
    with pytest.raises(TooLarge):
        read([b"x" * ANYBODY, b"x", b"x"])
    with pytest.raises(TooLarge):
        read([b"x" * ANYBODY] * 5, most=4_000_000)
    with pytest.raises(Gone):
        read([b"x", None])


def test_what_is_held_for_all_is_bounded_and_so_are_the_files_of_one_person() -> None:
    among = Bodies()
    among.hold(MEMORY)
    with pytest.raises(Refused, match="503"):
        read([b"x"], among=among)
    among = Bodies()
    for _ in range(AT_ONCE):
        among.enter("7")
    with pytest.raises(Refused, match="429"):
        read([b"x" * ANYBODY, b"x"], most=4_000_000, among=among)
    assert among._senders == {"7": AT_ONCE}


def test_a_body_that_trickles_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """D3.1: below a rate of bytes, and in memory after a while whatever the rate."""
    clock = iter(range(0, 10_000, 15))
    monkeypatch.setattr(bodies, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    with pytest.raises(Refused, match="408"):
        read([b"x"] * 10)
    with pytest.raises(Refused, match="408"):
        read([b"x" * 50_000] * 10)
    large = read([b"x" * 600_000] * 10, most=8_000_000)
    assert large.size == 6_000_000


def test_a_disk_that_is_almost_full_takes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "shutil", SimpleNamespace(disk_usage=lambda _: SimpleNamespace(free=1000)))
    with pytest.raises(Refused, match="507"):
        read([b"x" * ANYBODY, b"x"], most=4_000_000)
