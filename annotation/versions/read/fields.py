"""The fields in which two revisions of a sample's gold differ, as short texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from annotation.common.words import LIKENESS
from annotation.content.json import kept_calls
from annotation.models import GoldShape, Revision
from annotation.schema import OutlineKind
from webapp.common.word_diff import Piece, word_diff

LONGEST = 600
"""The maximum number of words of a text that are compared individually; a longer text is shown in full, before and
after.
"""
AROUND = 6
"""The number of unchanged words shown on each side of a change."""
ORDERS = {None: gettext_lazy("as the steps say"), True: gettext_lazy("fixed"), False: gettext_lazy("free")}


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A changed field, and its text in pieces."""

    label: str
    pieces: list[Piece]


Chains = Sequence[Mapping[str, Any]]


def changed_fields(
    before: Revision | None, after: Revision | None, chains_before: Chains = (), chains_after: Chains = ()
) -> list[FieldChange]:
    """Return the changed fields, in the order of the annotation page. Load revisions ``with_content``."""
    old = fields_of(before) | _further(chains_before)
    new = fields_of(after) | _further(chains_after)
    sentences = {*_sentences(before), *_sentences(after)}
    labels = [*new, *(label for label in old if label not in new)]
    return [
        FieldChange(label, pieces(old.get(label, ""), new.get(label, ""), words=label in sentences))
        for label in labels
        if old.get(label) != new.get(label)
    ]


def _sentences(revision: Revision | None) -> dict[str, str]:
    """Return the fields that are sentences: their words are compared. Other fields are shown in full,
    before and after.
    """
    if revision is None:
        return {}
    options = sorted(revision.options.items())
    return {
        gettext("Question"): revision.question,
        **{gettext("Option %(letter)s") % {"letter": letter}: str(text) for letter, text in options},
    }


def fields_of(revision: Revision | None) -> dict[str, str]:
    """Return the content of a revision, by label."""
    if revision is None:
        return {}
    targets = [tool for tool in revision.plan_tools.all() if tool.step is not None]
    distractors = [_distractor(tool) for tool in revision.plan_tools.all() if tool.step is None]
    question, *options = _sentences(revision).items()
    fields = dict(
        [
            question,
            (gettext("Answer type"), revision.get_answer_type_display()),
            *options,
            (gettext("Answer"), ", ".join(map(str, revision.answers))),
            *_numbered(gettext("Box G%(number)s"), map(_box, revision.evidence)),
            *_numbered(gettext("Call %(number)s"), map(_call, revision.reference_calls.all())),
            *_numbered(gettext("Target %(number)s"), map(_target, targets)),
            (gettext("Distractors"), ", ".join(distractors)),
            (gettext("Order of the steps"), str(ORDERS[revision.ordered]) if targets else ""),
        ]
    )
    return {label: text for label, text in fields.items() if text}


def _numbered(label: str, texts: Iterable[str]) -> list[tuple[str, str]]:
    return [(label % {"number": number}, text) for number, text in enumerate(texts, 1)]


def _target(tool: Any) -> str:
    values = {"tool": tool.tool, "step": tool.step, "group": tool.either}
    if tool.either is not None:
        return gettext("%(tool)s, step %(step)s, interchangeable (group %(group)s)") % values
    return gettext("%(tool)s, step %(step)s") % values


def _distractor(tool: Any) -> str:
    return f"{tool.tool} ({LIKENESS[tool.likeness]})" if tool.likeness else str(tool.tool)


def _further(chains: Chains) -> dict[str, str]:
    """Return the reference toolchains accepted in addition to that of the gold, as stored in a version."""
    found = []
    for chain in chains:
        calls = " → ".join(_call(call) for call in kept_calls(chain["calls"]))
        found.append(f"{calls} ({chain['note']})" if chain["note"] else calls)
    return dict(_numbered(gettext("Accepted toolchain %(number)s"), found))


def _box(box: Any) -> str:
    if isinstance(box, GoldShape):
        return _shape(box)
    size = f"{box.x2 - box.x1:g} × {box.y2 - box.y1:g} px"
    text = gettext("%(size)s at %(place)s") % {"size": size, "place": f"{box.x1:g}, {box.y1:g}"}
    return f"{text}, {box.label}" if box.label else text


def _shape(shape: GoldShape) -> str:
    """A polygon as its vertices, a point as its place."""
    places = "; ".join(f"{x:g}, {y:g}" for x, y in shape.points)
    words = gettext("polygon %(points)s") if shape.kind == OutlineKind.POLYGON else gettext("point %(points)s")
    text = words % {"points": places}
    return f"{text}, {shape.label}" if shape.label else text


def _call(call: Any) -> str:
    arguments = ", ".join(f"{name}={json.dumps(value)}" for name, value in sorted(call.arguments.items()))
    names = [call.image_in if isinstance(call.image_in, str) else json.dumps(call.image_in), call.image_out]
    pictures = " → ".join(name for name in names if name and name != "null")
    made = f"{call.tool}({arguments})"
    return gettext("%(call)s on %(images)s") % {"call": made, "images": pictures} if pictures else made


def pieces(before: str, after: str, *, words: bool) -> list[Piece]:
    """Return removed and added text: in full, or word by word with a few words around it."""
    if not words or not before or not after:
        return [Piece(kind, text) for kind, text in (("cut", before), ("new", after)) if text]
    found = word_diff(before.split(" "), after.split(" "), joined=" ", longest=LONGEST)
    last = len(found) - 1
    return [
        Piece("same", _shortened(piece.text.split(" "), n > 0, n < last)) if piece.kind == "same" else piece
        for n, piece in enumerate(found)
    ]


def _shortened(words: list[str], after_change: bool, before_change: bool) -> str:
    """Return unchanged words: those next to a change, the others as an ellipsis."""
    head = words[:AROUND] if after_change else []
    tail = words[-AROUND:] if before_change else []
    if len(head) + len(tail) >= len(words):
        return " ".join(words)
    return " ".join([*head, "…", *tail])
