"""The keys of annotating and of reviewing: what they are unless a person changed them, and which stay what they are."""

from __future__ import annotations

from typing import Any

from webapp.accounts.keys import Key, KeyTable
from webapp.accounts.keys_actions import own_keys
from webapp.accounts.models import User

STUDIO = KeyTable(
    "annotate",
    "Annotating",
    (
        Key("box", "draw a box; again: box in the center", "B"),
        Key("next-box", "select the box; again: next box", "J"),
        Key("hand", "pan", "H"),
        Key("delete", "delete the box", "Delete", ("Backspace",)),
        Key("duplicate", "duplicate the box", "Ctrl+D"),
        Key("adopt", "adopt the first suggested box", "S"),
        Key("adopt-all", "adopt all suggested boxes", "Shift+S"),
        Key("suggestions", "hide or show suggested boxes", "V"),
        Key("comment", "comment on a place in the image", "C"),
        Key("plan", "add tools to the plan", "P"),
        Key("add-facet", "add a facet value", "A"),
        Key("fit", "fit image", "F"),
        Key("evidence", "zoom to evidence", "G"),
        Key("eye", "model view", "M"),
        Key("boxes", "hide or show the boxes", "X"),
        Key("turn", "rotate view", "R"),
        Key("closer", "zoom in", "+", ("=",)),
        Key("farther", "zoom out", "-"),
        Key("undo", "undo", "Ctrl+Z"),
        Key("redo", "redo", "Ctrl+Y", ("Ctrl+Shift+Z",)),
        Key("submit", "submit and next", "Ctrl+Enter"),
    ),
    {
        **{str(number): "value of the first facet" for number in range(1, 10)},
        "?": "keyboard shortcuts",
    },
)


REVIEW = KeyTable(
    "review",
    "Reviewing",
    (
        Key("accept", "accept; in an audit: agree", "A"),
        Key("fix", "fix and accept", "E"),
        Key("return", "return to the author", "R"),
        Key("discard", "discard; in an audit: disagree", "D"),
        Key("confirm", "submit the answer or the decision", "Ctrl+Enter"),
        Key("unsure", "not sure about the answer", "U"),
        Key("cannot", "can't tell the answer", "0"),
        Key("comment", "comment on a place in the image", "C"),
        Key("gold", "hide or show gold", "G"),
        Key("evidence", "zoom to evidence", "Z"),
        Key("fit", "full image", "F"),
    ),
    {
        **{str(number): "option or reason" for number in range(1, 10)},
        "?": "keyboard shortcuts",
    },
)


def keys_json(user: User, table: KeyTable) -> list[dict[str, Any]]:
    """For the script of a page: what is done by key, in words, and by which keys this person does it."""
    own = own_keys(user, table)
    return [{"name": key.name, "words": key.words, "keys": table.used(key, own)} for key in table.keys]
