"""The fields in which two revisions of a sample's gold differ, as short texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class GoldContent:
    """The content of a gold as pages compare it. ``evidence``, ``calls`` and ``tools`` have the attributes of their
    models. ``state`` and ``facets`` are only of portable files."""

    question: str = ""
    answer_type: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[Any] = ()
    unanswerable: str | None = None
    evidence: Sequence[Any] = ()
    calls: Sequence[Any] = ()
    tools: Sequence[Any] = ()
    ordered: bool | None = None
    chains: Chains = ()
    state: str = ""
    facets: Mapping[str, Sequence[str]] = field(default_factory=dict)


def gold_content(revision: Revision | None, chains: Chains = ()) -> GoldContent | None:
    """The content of a revision, loaded ``with_content``, and its accepted toolchains."""
    if revision is None:
        return GoldContent(chains=chains) if chains else None
    return GoldContent(
        question=revision.question,
        answer_type=revision.get_answer_type_display(),
        options=revision.options,
        answers=revision.answers,
        unanswerable=revision.unanswerable,
        evidence=revision.evidence,
        calls=list(revision.reference_calls.all()),
        tools=list(revision.plan_tools.all()),
        ordered=revision.ordered,
        chains=chains,
    )


def changed_fields(
    before: Revision | None, after: Revision | None, chains_before: Chains = (), chains_after: Chains = ()
) -> list[FieldChange]:
    """Return the changed fields, in the order of the annotation page. Load revisions ``with_content``."""
    return changed_content(gold_content(before, chains_before), gold_content(after, chains_after))


def changed_content(before: GoldContent | None, after: GoldContent | None) -> list[FieldChange]:
    """Return the fields in which two golds differ."""
    old, new = fields_of(before), fields_of(after)
    sentences = {*_sentences(before), *_sentences(after)}
    labels = [*new, *(label for label in old if label not in new)]
    return [
        FieldChange(label, pieces(old.get(label, ""), new.get(label, ""), words=label in sentences))
        for label in labels
        if old.get(label) != new.get(label)
    ]


def _sentences(gold: GoldContent | None) -> dict[str, str]:
    """Return the fields that are sentences: their words are compared. Other fields are shown in full,
    before and after.
    """
    if gold is None:
        return {}
    options = sorted(gold.options.items())
    return {
        gettext("Question"): gold.question,
        **{gettext("Option %(letter)s") % {"letter": letter}: str(text) for letter, text in options},
    }


def fields_of(gold: GoldContent | None) -> dict[str, str]:
    """Return the texts of a gold, by label."""
    if gold is None:
        return {}
    targets = [tool for tool in gold.tools if tool.step is not None]
    distractors = [_distractor(tool) for tool in gold.tools if tool.step is None]
    question, *options = _sentences(gold).items()
    fields = dict(
        [
            (gettext("State"), gold.state),
            question,
            (gettext("Answer type"), gold.answer_type),
            *options,
            (gettext("Answer"), ", ".join(map(str, gold.answers))),
            (gettext("Cannot be answered"), gold.unanswerable or ""),
            *_numbered(gettext("Box G%(number)s"), map(_box, gold.evidence)),
            *_numbered(gettext("Call %(number)s"), map(_call, gold.calls)),
            *_numbered(gettext("Target %(number)s"), map(_target, targets)),
            (gettext("Distractors"), ", ".join(distractors)),
            (gettext("Order of the steps"), str(ORDERS[gold.ordered]) if targets else ""),
            *(
                (gettext("Facet %(name)s") % {"name": name}, ", ".join(map(str, values)))
                for name, values in gold.facets.items()
            ),
        ]
    )
    return {label: text for label, text in fields.items() if text} | _further(gold.chains)


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
    message = gettext("polygon %(points)s") if shape.kind == OutlineKind.POLYGON else gettext("point %(points)s")
    text = message % {"points": places}
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
