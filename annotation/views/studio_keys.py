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
        Key("box", "box by drag; again: a box in the middle", "B"),
        Key("next-box", "choose the box; again: the next one", "J"),
        Key("hand", "move the picture", "H"),
        Key("delete", "delete the box", "Delete", ("Backspace",)),
        Key("duplicate", "duplicate the box", "Ctrl+D"),
        Key("adopt", "adopt the first suggested box", "S"),
        Key("adopt-all", "adopt all suggested boxes", "Shift+S"),
        Key("suggestions", "hide or show suggested boxes", "V"),
        Key("comment", "comment on a place", "C"),
        Key("plan", "name tools of the plan", "P"),
        Key("add-facet", "add a value of a facet", "A"),
        Key("fit", "fit the picture", "F"),
        Key("evidence", "to the evidence", "G"),
        Key("eye", "model’s eye", "M"),
        Key("boxes", "hide or show the boxes", "X"),
        Key("turn", "turn the view", "R"),
        Key("closer", "magnify", "+", ("=",)),
        Key("farther", "magnify less", "-"),
        Key("undo", "undo", "Ctrl+Z"),
        Key("redo", "redo", "Ctrl+Y", ("Ctrl+Shift+Z",)),
        Key("submit", "submit and next", "Ctrl+Enter"),
    ),
    {
        **{str(number): "value of the first facet" for number in range(1, 10)},
        "?": "list of keys",
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
        Key("confirm", "send the answer or the decision", "Ctrl+Enter"),
        Key("unsure", "not sure of the answer", "U"),
        Key("cannot", "cannot tell the answer", "0"),
        Key("comment", "comment on a place", "C"),
        Key("gold", "hide or show gold", "G"),
        Key("evidence", "to the evidence", "Z"),
        Key("fit", "whole picture", "F"),
    ),
    {
        **{str(number): "option or reason" for number in range(1, 10)},
        "?": "list of keys",
    },
)


def keys_json(user: User, table: KeyTable) -> list[dict[str, Any]]:
    """For the script of a page: what is done by key, in words, and by which keys this person does it."""
    own = own_keys(user, table)
    return [{"name": key.name, "words": key.words, "keys": table.used(key, own)} for key in table.keys]
