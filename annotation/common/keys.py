"""The keyboard shortcuts of annotation and review: their defaults, and those that can't be changed."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy

from annotation.task_schema import Shape, TaskSchema
from webapp.accounts.keys import Key, KeyTable
from webapp.accounts.keys_actions import own_keys
from webapp.accounts.models import User

STUDIO = KeyTable(
    "annotate",
    gettext_lazy("Annotating"),
    (
        Key("box", gettext_lazy("draw a box; again: box in the center"), "B"),
        Key("polygon", gettext_lazy("draw a polygon; again: polygon in the center"), "O"),
        Key("point", gettext_lazy("set a point; again: point in the center"), "T"),
        Key("click", gettext_lazy("ask a model for the shape at a point"), "W"),
        Key("next-box", gettext_lazy("select the box; again: next box"), "J"),
        Key("corner", gettext_lazy("select a corner of the polygon; again: next corner"), "K"),
        Key("add-corner", gettext_lazy("add a corner after the selected one"), "I"),
        Key("hand", gettext_lazy("pan"), "H"),
        Key("delete", gettext_lazy("delete the box"), "Delete", ("Backspace",)),
        Key("duplicate", gettext_lazy("duplicate the box"), "Ctrl+D"),
        Key("adopt", gettext_lazy("adopt the first suggested box"), "S"),
        Key("adopt-all", gettext_lazy("adopt all suggested boxes"), "Shift+S"),
        Key("suggestions", gettext_lazy("hide or show suggested boxes"), "V"),
        Key("comment", gettext_lazy("comment on a place in the image"), "C"),
        Key("plan", gettext_lazy("add tools to the plan"), "P"),
        Key("add-facet", gettext_lazy("add a facet value"), "A"),
        Key("fit", gettext_lazy("fit image"), "F"),
        Key("evidence", gettext_lazy("zoom to evidence"), "G"),
        Key("eye", gettext_lazy("model view"), "M"),
        Key("boxes", gettext_lazy("hide or show the boxes"), "X"),
        Key("turn", gettext_lazy("rotate view"), "R"),
        Key("closer", gettext_lazy("zoom in"), "+", ("=",)),
        Key("farther", gettext_lazy("zoom out"), "-"),
        Key("undo", gettext_lazy("undo"), "Ctrl+Z"),
        Key("redo", gettext_lazy("redo"), "Ctrl+Y", ("Ctrl+Shift+Z",)),
        Key("submit", gettext_lazy("submit and next"), "Ctrl+Enter"),
        Key("previous", gettext_lazy("previous sample of yours"), "["),
        Key("following", gettext_lazy("next sample of yours"), "]"),
        Key("report", gettext_lazy("report a problem to the lead"), "L"),
    ),
    {
        **{str(number): gettext_lazy("value of the first facet") for number in range(1, 10)},
        "?": gettext_lazy("keyboard shortcuts"),
    },
)


REVIEW = KeyTable(
    "review",
    gettext_lazy("Reviewing"),
    (
        Key("accept", gettext_lazy("accept; in an audit: agree"), "A"),
        Key("fix", gettext_lazy("fix and accept"), "E"),
        Key("return", gettext_lazy("return to the author"), "R"),
        Key("discard", gettext_lazy("discard; in an audit: disagree"), "D"),
        Key("confirm", gettext_lazy("submit the answer or the decision"), "Ctrl+Enter"),
        Key("unsure", gettext_lazy("not sure about the answer"), "U"),
        Key("cannot", gettext_lazy("can't tell the answer"), "0"),
        Key("comment", gettext_lazy("comment on a place in the image"), "C"),
        Key("skip", gettext_lazy("skip the review"), "S"),
        Key("report", gettext_lazy("report a problem to the lead"), "L"),
        Key("gold", gettext_lazy("hide or show gold"), "G"),
        Key("evidence", gettext_lazy("zoom to evidence"), "Z"),
        Key("fit", gettext_lazy("full image"), "F"),
    ),
    {
        **{str(number): gettext_lazy("option or reason") for number in range(1, 10)},
        "?": gettext_lazy("keyboard shortcuts"),
    },
)


ADJUDICATE = KeyTable(
    "adjudicate",
    gettext_lazy("Adjudicating"),
    (
        Key("accept", gettext_lazy("accept the combined gold"), "Enter"),
        Key("edit", gettext_lazy("edit the combined gold"), "E"),
        Key("return", gettext_lazy("return to annotators"), "R"),
        Key("discard", gettext_lazy("discard"), "X"),
        Key("keep", gettext_lazy("keep several questions"), "K"),
        Key("confirm", gettext_lazy("submit the decision"), "Ctrl+Enter"),
        Key("skip", gettext_lazy("skip the review"), "S"),
        Key("report", gettext_lazy("report a problem to the lead"), "L"),
        Key("boxes", gettext_lazy("hide or show the boxes"), "B"),
        Key("evidence", gettext_lazy("zoom to evidence"), "Z"),
        Key("fit", gettext_lazy("full image"), "F"),
    ),
    {
        **{str(number): gettext_lazy("show only one annotation") for number in range(1, 10)},
        **{f"Shift+{number}": gettext_lazy("take one whole annotation") for number in range(1, 10)},
        "0": gettext_lazy("show the combined gold and all annotations"),
        "?": gettext_lazy("keyboard shortcuts"),
    },
)


def keys_json(user: User, table: KeyTable) -> list[dict[str, Any]]:
    """For the script of a page: the label of each keyboard action, and this person's keys for it."""
    own = own_keys(user, table)
    return [{"name": key.name, "words": str(key.words), "keys": table.used(key, own)} for key in table.keys]


def editor_keys(user: User, task: TaskSchema, *, clicks: bool = False) -> list[dict[str, Any]]:
    """As ``keys_json`` for the editor of a sample, without keys for shapes that the task does not allow. ``clicks``: a
    model proposes shapes for points."""
    shapes: set[str] = {shape.value for shape in Shape} - {shape.value for shape in task.evidence.shapes}
    if Shape.POLYGON in shapes:
        shapes |= {"corner", "add-corner"}
    if not clicks:
        shapes.add("click")
    return [key for key in keys_json(user, STUDIO) if key["name"] not in shapes]
