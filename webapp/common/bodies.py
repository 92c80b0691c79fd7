"""The size limits of request bodies, checked by the server before it reads one, and by a middleware.

A visitor may send a form, a signed-in person a long one, and a person with permission to upload at an address its
files. Views declare the last with ``takes_files``; the limits of all other addresses are here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.conf import settings
from django.urls import Resolver404, resolve
from django.utils.translation import gettext

from webapp.common.formatting import size_of_file

ANYBODY = 1_000_000
"""The number of bytes that any sender may send: the largest form for visitors has a few hundred."""
ENVELOPE = 1_000_000
"""Bytes that a form may add around its files."""
TOO_LARGE = "sightline.too_large"
"""In the environment of a request that the server did not read: how many bytes would have been read."""

View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True)
class Allowance:
    """The allowed number of bytes, the sender (a name common to all their requests, "" for a visitor), and the message
    for more.
    """

    most: int
    sender: str
    words: str


@dataclass(frozen=True)
class Room:
    """The number of bytes that an address accepts from a person, and the message for more."""

    most: int
    advice: str


RoomFor = Callable[..., Room | None]
"""Returns the limit for a person and the parts of an address; None if the person may not send files there."""


def takes_files(room_for: RoomFor) -> Callable[[View], View]:
    """The view takes bodies of another size than all others, from the people that ``room_for`` has room for."""

    def marked(view: View) -> View:
        view.room_for = room_for  # type: ignore[attr-defined]
        return view

    return marked


def allowance(path: str, user: Any) -> Allowance:
    """Return the limit of this person (None for a visitor) for the address."""
    if user is None:
        return Allowance(ANYBODY, "", _said(ANYBODY, gettext("Sign in first.")))
    room = _room(path, user)
    return Allowance(room.most, str(user.pk), _said(room.most, room.advice))


def _room(path: str, user: Any) -> Room:
    ordinary = Room(settings.DATA_UPLOAD_MAX_MEMORY_SIZE, gettext("Send less at once."))
    try:
        found = resolve(path)
    except Resolver404:
        return Room(ANYBODY, gettext("Check the address."))
    room_for = getattr(found.func, "room_for", None)
    return ordinary if room_for is None else room_for(user, **found.kwargs) or ordinary


def _said(most: int, advice: str) -> str:
    message = gettext("This request is larger than %(size)s, the most this address accepts from you. %(advice)s")
    return message % {"size": size_of_file(most), "advice": advice}
