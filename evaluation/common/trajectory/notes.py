"""The notes on a trajectory as its page shows them: in a list, and those on a region in the frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.content.image_history import size_of
from evaluation.common.frame import Frame
from evaluation.models import Note
from evaluation.scoring.load.images import Corners, Earlier, image_at, on_present

SIDE = 240


@dataclass(frozen=True, slots=True)
class ShownNote:
    """``box``: its region on the image that the sample has, None without one; ``lost``: its region is on an image of
    other pixels, and is not drawn; ``label``: what its region is called in the frame, "" without one; ``href``: the
    turn and the region in an address; ``picture``: the region; ``own``: may be removed by who looks."""

    note: Any
    box: Corners | None
    lost: bool
    label: str
    href: str
    picture: str
    own: bool


def notes_on(
    trajectory: Any, earlier: Sequence[Earlier], frame: Frame | None, person: Any, manages: bool
) -> list[ShownNote]:
    """In the order they were written. ``earlier``: the earlier images of the sample. One query."""
    found: list[ShownNote] = []
    pinned = 0
    for note in Note.objects.filter(trajectory=trajectory).select_related("author"):
        box, lost = region_of(note, trajectory.sample, earlier)
        pinned += box is not None
        label = f"N{pinned}" if box else ""
        picture = frame.region(box, SIDE) if box and frame else ""
        own = manages or note.author_id == person.pk
        found.append(ShownNote(note, box, lost, label, place_of_note(note, box), picture, own))
    return found


def region_of(note: Any, sample: Any, earlier: Sequence[Earlier]) -> tuple[Corners | None, bool]:
    """The corners of its region on the image that the sample has, None without one; and whether it has one on an image
    of other pixels. ``earlier``: the earlier images of the sample."""
    if note.x1 is None:
        return None, False
    present = size_of(sample)
    drawn = image_at(earlier, note.created_at, present)
    return on_present((note.x1, note.y1, note.x2, note.y2), drawn, present), drawn.lost


def place_of_note(note: Any, box: Corners | None) -> str:
    """Return the fragment of a note's address (``static/js/lib/address.js``); "" for a note on the whole trajectory."""
    parts = [f"turn={note.turn}"] if note.turn else []
    if box is not None:
        parts.append(f"box={','.join(f'{edge:.0f}' for edge in box)}")
    return f"#{'&'.join(parts)}" if parts else ""


def note_marks(notes: Sequence[ShownNote]) -> list[dict[str, Any]]:
    """For static/js/elements/frame.js."""
    return [{"box": list(one.box or ()), "label": one.label} for one in notes if one.label]
