"""The content of an annotation as JSON, the way pages send and get it. Only the shape is checked here; whether the
content is good enough to submit, ``annotation.validation`` says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.utils.translation import gettext

from annotation.importers.fields import four_numbers, two_numbers
from annotation.schema import (
    LEAST_VERTICES,
    MOST_VERTICES,
    ORIGINAL,
    AnswerType,
    Box,
    Likeness,
    Outline,
    OutlineKind,
    SampleContent,
    Target,
    ToolCall,
    ToolPlan,
    outline_of,
    shortened,
)
from annotation.task_schema import AnswerKind, TaskSchema
from webapp.common.errors import InvalidInput

Facets = dict[str, tuple[Any, ...]]
T = TypeVar("T")

LONGEST_TEXT, LONGEST_NAME, LONGEST_FACET, LONGEST_FACET_NAME = 20_000, 255, 200, 60
MOST = {"options": 26, "answer": 50, "gold_boxes": 500, "reference_toolchain": 100, "targets": 100, "distractors": 200}
MOST_FACETS, MOST_FACET_VALUES, MOST_STEP = 60, 50, 1000
KEYS = frozenset(
    {"question", "answer_type", "options", "answer", "gold_boxes", "reference_toolchain", "targets", "distractors",
     "likeness", "ordered", "facets", "unanswerable"}
)  # fmt: skip


class BoxName(NamedTuple):
    """The name of a box and, if it was adopted from a suggestion, the source."""

    label: str = ""
    source: str = ""


def content_from_json(
    data: object, width: int | None = None, height: int | None = None
) -> tuple[SampleContent, tuple[BoxName, ...], Facets]:
    """Return the content, the names of its boxes in their order, and the facets; missing parts are empty.

    Given the size of the image, a box beyond its edge is rejected. Drafts are read without the size: their authors see
    the finding and can continue to work. Raises ``InvalidInput`` with ``field`` as "gold_boxes[0].box".
    """
    given = _object(data, "content")
    unknown = sorted(set(given) - KEYS)
    if unknown:
        raise InvalidInput(
            gettext("The content has the unknown field %(value)s. Remove it.")
            % {"value": repr(shortened(unknown[0], 60))},
            field=unknown[0][:60],
        )
    boxes = _list(given, "gold_boxes", lambda value, field: _box(value, field, width, height))
    content = SampleContent(
        question=_text(given.get("question", ""), "question"),
        answer_type=_answer_type(given.get("answer_type", AnswerType.OPEN.value)),
        options=_options(given.get("options", {})),
        answers=_list(given, "answer", _text),
        gold_boxes=tuple(box for box, _ in boxes),
        reference_toolchain=_list(given, "reference_toolchain", _call),
        plan=_plan(given),
        unanswerable=_reason(given.get("unanswerable")),
    )
    return content, tuple(name for _, name in boxes), _facets(given.get("facets", {}))


def content_to_json(
    content: SampleContent, names: Sequence[BoxName] = (), facets: Mapping[str, Iterable[Any]] | None = None
) -> dict[str, Any]:
    """Return the same as JSON with all keys: ``content_from_json`` returns the same content for it."""
    named = [*names, *[BoxName()] * len(content.gold_boxes)]
    return {
        "question": content.question,
        "answer_type": content.answer_type.value,
        "options": dict(content.options),
        "answer": list(content.answers),
        "gold_boxes": [_named(box, name) for box, name in zip(content.gold_boxes, named, strict=False)],
        "reference_toolchain": calls_to_json(content.reference_toolchain),
        "targets": [target_to_json(target) for target in content.plan.targets],
        "distractors": list(content.plan.distractors),
        "likeness": content.plan.likeness_by_name,
        "ordered": content.plan.ordered,
        "facets": {name: list(values) for name, values in (facets or {}).items()},
        "unanswerable": content.unanswerable,
    }


def blank_content(task: TaskSchema, facets: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the initial content of a sample without work."""
    first = task.answer.default
    kind = AnswerType.OPEN if first is AnswerKind.NONE else AnswerType(first.value)
    return content_to_json(SampleContent(answer_type=kind), (), facets)


def calls_from_json(value: object) -> tuple[ToolCall, ...]:
    """The calls of a toolchain as pages send them. Raises ``InvalidInput`` with ``field`` as above."""
    return _list({"reference_toolchain": value}, "reference_toolchain", _call)


def kept_calls(stored: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """The calls of a stored toolchain, as ``calls_to_json`` wrote them: a file may have brought longer ones than a page
    sends."""
    return tuple(
        ToolCall(
            call["tool"],
            call.get("arguments") or {},
            _inputs(call.get("image_in")),
            call.get("image_out"),
            call.get("source") or "",
        )
        for call in stored
    )


def _inputs(names: Any) -> Any:
    return tuple(names) if isinstance(names, list) else names


def calls_to_json(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """The same as JSON, every key present except the source of a call that a person made."""
    return [
        {
            "tool": call.tool,
            "arguments": dict(call.arguments),
            "image_in": list(call.image_in) if isinstance(call.image_in, tuple) else call.image_in,
            "image_out": call.image_out,
        }
        | ({"source": call.source} if call.source else {})
        for call in calls
    ]


def _named(box: Box, name: BoxName) -> dict[str, Any]:
    """A shape that was drawn says nothing of a source. The box of a polygon or a point is the one around it."""
    said = {"box": box.as_list(), "label": name.label}
    if isinstance(box, Outline):
        said |= box.written()
    return said | {"source": name.source} if name.source else said


def _wrong(field: str, wanted: str, found: object) -> InvalidInput:
    return InvalidInput(
        gettext("%(field)s must be %(wanted)s; it is %(value)s.")
        % {"field": field, "wanted": wanted, "value": shortened(found, 60)},
        field=field,
    )


def _object(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise _wrong(field, "an object", value)
    return value


def _list(data: Mapping[str, Any], field: str, item: Callable[[object, str], T]) -> tuple[T, ...]:
    values = data.get(field, [])
    if not isinstance(values, list):
        raise _wrong(field, "a list", values)
    if len(values) > MOST[field]:
        raise InvalidInput(
            gettext("%(field)s has %(count)s entries (limit: %(limit)s).")
            % {"field": field, "count": len(values), "limit": MOST[field]},
            field=field,
        )
    return tuple(item(value, f"{field}[{index}]") for index, value in enumerate(values))


def _text(value: object, field: str, longest: int = LONGEST_TEXT) -> str:
    if not isinstance(value, str):
        raise _wrong(field, "a text", value)
    if len(value) > longest:
        raise InvalidInput(
            gettext("%(field)s has %(count)s characters (limit: %(limit)s).")
            % {"field": field, "count": len(value), "limit": longest},
            field=field,
        )
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InvalidInput(
            gettext("%(field)s contains an invalid character. Type the text again.") % {"field": field}, field=field
        )
    return value


def _reason(value: object) -> str | None:
    return None if value is None else _text(value, "unanswerable")


def _name(value: object, field: str) -> str:
    return _text(value, field, LONGEST_NAME)


def _answer_type(value: object) -> AnswerType:
    if value not in [kind.value for kind in AnswerType]:
        raise _wrong("answer_type", "mc or open", value)
    return AnswerType(str(value))


def _options(value: object) -> dict[str, str]:
    given = _object(value, "options")
    if len(given) > MOST["options"]:
        raise InvalidInput(
            gettext("There are %(count)s options (limit: %(options)s).")
            % {"count": len(given), "options": MOST["options"]},
            field="options",
        )
    for letter in given:
        if len(letter) != 1 or not "A" <= letter <= "Z":
            raise InvalidInput(
                gettext("An option needs a letter from A to Z, not %(value)s.") % {"value": shortened(letter, 20)},
                field="options",
            )
    return {letter: _text(text, f"options.{letter}") for letter, text in sorted(given.items())}


def _box(value: object, field: str, width: int | None, height: int | None) -> tuple[Box, BoxName]:
    data = _object(value, field)
    name = BoxName(*(_text(data.get(part, ""), f"{field}.{part}", LONGEST_NAME) for part in BoxName._fields))
    if data.get("kind", "box") != "box":
        return _outline(data, field, width, height), name
    numbers = four_numbers(data.get("box"))
    if numbers is None:
        raise _wrong(f"{field}.box", "four numbers x1, y1, x2, y2", data.get("box"))
    try:
        box = Box(*(float(number) for number in numbers))
    except ValueError as error:
        raise _wrong(f"{field}.box", "a box with an area: x1 < x2 and y1 < y2", data.get("box")) from error
    if width and height and box.clipped(width, height) != box:
        raise _wrong(f"{field}.box", f"inside the image of {width} × {height}", data.get("box"))
    return box, name


def _outline(data: Mapping[str, Any], field: str, width: int | None, height: int | None) -> Outline:
    """A polygon or a point; its box, if it is sent, is the one around it and is not read."""
    kind, points = data.get("kind"), data.get("points")
    if kind not in [one.value for one in OutlineKind]:
        raise _wrong(f"{field}.kind", "box, polygon or point", kind)
    pairs = [two_numbers(point) for point in points] if isinstance(points, list) else []
    if not pairs or None in pairs:
        raise _wrong(f"{field}.points", "a list of points [x, y]", points)
    try:
        outline = outline_of(str(kind), [pair for pair in pairs if pair])
    except ValueError as error:
        wanted = "one point" if kind == "point" else f"{LEAST_VERTICES} to {MOST_VERTICES} points around an area"
        raise _wrong(f"{field}.points", wanted, points) from error
    if width and height and not outline.is_inside(width, height):
        raise _wrong(f"{field}.points", f"inside the image of {width} × {height}", points)
    return outline


def _call(value: object, field: str) -> ToolCall:
    data = _object(value, field)
    arguments = _object(data.get("arguments", {}), f"{field}.arguments")
    _plain(arguments, f"{field}.arguments")
    image_in, image_out = data.get("image_in"), data.get("image_out")
    if isinstance(image_in, list):
        image_in = tuple(_name(one, f"{field}.image_in") for one in image_in)
    elif image_in is not None:
        image_in = _name(image_in, f"{field}.image_in")
    if image_out is not None and _name(image_out, f"{field}.image_out") == ORIGINAL:
        raise InvalidInput(
            gettext("%(field)s: a result can't be named original. Rename it.") % {"field": field},
            field=f"{field}.image_out",
        )
    tool, source = (_name(data.get(part, ""), f"{field}.{part}") for part in ("tool", "source"))
    return ToolCall(tool, arguments, image_in, image_out, source)


def _plain(arguments: Mapping[str, Any], field: str) -> None:
    """Arguments are any JSON, but no longer than a text, and without characters that PostgreSQL cannot keep."""
    _text(json.dumps(arguments, ensure_ascii=False), field)
    if "\\u0000" in json.dumps(arguments):
        raise InvalidInput(
            gettext("%(field)s contains an invalid character. Type the text again.") % {"field": field}, field=field
        )


def _target(value: object, field: str) -> Target:
    data = _object(value, field)
    step = data.get("step")
    if isinstance(step, bool) or not isinstance(step, int) or not 1 <= step <= MOST_STEP:
        raise _wrong(f"{field}.step", f"a whole number from 1 to {MOST_STEP}", step)
    either = data.get("either")
    if either is not None and (isinstance(either, bool) or not isinstance(either, int) or not 1 <= either <= MOST_STEP):
        raise _wrong(f"{field}.either", f"a whole number from 1 to {MOST_STEP}, or null", either)
    return Target(_name(data.get("tool", ""), f"{field}.tool"), step, either)


def target_to_json(target: Target) -> dict[str, Any]:
    """A target; without a group if it is in none."""
    group = {} if target.either is None else {"either": target.either}
    return {"tool": target.tool, "step": target.step, **group}


def _plan(given: Mapping[str, Any]) -> ToolPlan:
    distractors = _list(given, "distractors", _name)
    kinds = _object(given.get("likeness", {}), "likeness")
    for tool, kind in kinds.items():
        if kind not in list(Likeness):
            raise _wrong(f"likeness.{tool}"[:60], " or ".join(Likeness), kind)
    # A page may still have the likeness of a distractor that was removed.
    return ToolPlan(
        _list(given, "targets", _target), distractors, _ordered(given.get("ordered")),
        tuple(kinds.get(tool, "") for tool in distractors),
    )  # fmt: skip


def _ordered(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise _wrong("ordered", "true, false or null", value)
    return value


def _facets(value: object) -> Facets:
    given = _object(value, "facets")
    if len(given) > MOST_FACETS:
        raise InvalidInput(
            gettext("There are %(count)s facets (limit: %(limit)s).") % {"count": len(given), "limit": MOST_FACETS},
            field="facets",
        )
    facets: Facets = {}
    for name, values in given.items():
        field = f"facets.{_text(name, 'facets', LONGEST_FACET_NAME)}"
        if not name.strip() or not isinstance(values, list) or len(values) > MOST_FACET_VALUES:
            raise _wrong(field, f"a name with a list of at most {MOST_FACET_VALUES} values", values)
        facets[name] = tuple(_facet_value(one, field) for one in values)
    return {name: values for name, values in facets.items() if values}


def _facet_value(value: object, field: str) -> Any:
    if isinstance(value, bool) or (isinstance(value, int | float) and abs(value) < 1e15):
        return value
    return _text(value, field, LONGEST_FACET)
