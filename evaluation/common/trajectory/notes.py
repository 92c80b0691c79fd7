"""The notes on a trajectory as its page shows them: in a list, and those on a region in the frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.common.frame import Frame
from evaluation.models import Note

SIDE = 240


@dataclass(frozen=True, slots=True)
class ShownNote:
    """``label``: what its region is called in the frame, "" without one; ``href``: the turn and the region in an
    address; ``picture``: the region; ``own``: may be removed by who looks."""

    note: Any
    label: str
    href: str
    picture: str
    own: bool


def notes_on(trajectory: Any, frame: Frame | None, person: Any, manages: bool) -> list[ShownNote]:
    """In the order they were written. One query."""
    found: list[ShownNote] = []
    pinned = 0
    for note in Note.objects.filter(trajectory=trajectory).select_related("author"):
        box = box_of(note)
        pinned += bool(box)
        label = f"N{pinned}" if box else ""
        picture = frame.region(box, SIDE) if box and frame else ""
        found.append(ShownNote(note, label, place_of_note(note), picture, manages or note.author_id == person.pk))
    return found


def box_of(note: Any) -> list[float]:
    """The corners of its region, [] without one."""
    return [] if note.x1 is None else [note.x1, note.y1, note.x2, note.y2]


def place_of_note(note: Any) -> str:
    """Return the fragment of a note's address (``static/js/lib/address.js``); "" for a note on the whole trajectory."""
    parts = [f"turn={note.turn}"] if note.turn else []
    if box := box_of(note):
        parts.append(f"box={','.join(f'{edge:.0f}' for edge in box)}")
    return f"#{'&'.join(parts)}" if parts else ""


def note_marks(notes: Sequence[ShownNote]) -> list[dict[str, Any]]:
    """For static/js/elements/frame.js."""
    return [{"box": box_of(one.note), "label": one.label} for one in notes if one.label]
