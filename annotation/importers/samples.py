"""One sample row, a JSON object with the keys of FORMATS N, as a ``SampleRecord``; every repair and refusal named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.regions import crosses_itself
from annotation.schema import (
    FILED_STATES,
    LEAST_VERTICES,
    LONGEST_NOTE,
    MOST_CHAINS,
    MOST_VERTICES,
    ORIGINAL,
    PLAIN_FACETS,
    SAMPLE_KEYS,
    AnswerType,
    Box,
    FurtherChain,
    Likeness,
    Outline,
    SampleContent,
    SampleRecord,
    Target,
    ToolCall,
    ToolPlan,
    outline_of,
)

_STATES = {state.value: state for state in FILED_STATES}
_CALL_KEYS = frozenset({"tool", "arguments", "image_in", "image_out"})
_LETTER = re.compile(r"\(?([A-Za-z])\)?[.:]?")


def sample_from(data: Mapping[str, Any], report: Report) -> SampleRecord:
    """One row of ``samples`` as a record; issues go to ``report``. Raises ``RowRefused``."""
    width, height = (_side(data.get(side), side, report) for side in ("width", "height"))
    return SampleRecord(
        id=fields.name(data.get("id"), "id", report),
        content=_content(data, (width, height), report),
        image=fields.text(data.get("image"), "image", report) or None,
        image_group=fields.label(data.get("image_group"), "image_group", report) or None,
        width=width,
        height=height,
        facets=_facets(data, report),
        extra=_extra(data),
        accepted_chains=_further(data.get("accepted_chains"), report),
        state=_STATES.get(state) if isinstance(state := data.get("state"), str) else None,
        boxes_called=report.called("gold_boxes"),
        file=report.file,
        line=report.line,
        row=report.row,
    )


def _extra(data: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that the format does not know, and a ``state`` beyond ``FILED_STATES``, such as of a country."""
    kept = fields.extra(data, SAMPLE_KEYS)
    state = data.get("state")
    if state is not None and not (isinstance(state, str) and state in _STATES):
        kept["state"] = state
    return kept


def _side(value: object, field: str, report: Report) -> int | None:
    if value is None:
        return None
    if isinstance(value, int | float) and fields.is_number(value) and value == int(value) and 0 < value < 2**31:
        return int(value)
    report.repaired("size-not-positive", field, value, f"{field} is not a positive whole number, so it is unknown.")
    return None


def _content(data: Mapping[str, Any], size: tuple[int | None, int | None], report: Report) -> SampleContent:
    options = _options(data.get("options"), report)
    answer_type = _answer_type(data.get("answer_type"), bool(options), report)
    return SampleContent(
        question=fields.text(data.get("question"), "question", report),
        answer_type=answer_type,
        options=options,
        answers=answers_from(data.get("answer"), answer_type, options, report),
        gold_boxes=gold_boxes_from(data.get("gold_boxes"), size, report),
        reference_toolchain=_toolchain(data.get("reference_toolchain"), report),
        plan=_plan(data, report),
    )


def _options(value: object, report: Report) -> dict[str, str]:
    if isinstance(value, list):
        report.repaired("options-without-letters", "options", value, "The options were lettered A, B, C ... in order.")
        value = {chr(ord("A") + index): item for index, item in enumerate(value[:26])}
    given = fields.mapping(value, "options", report)
    return {letter: fields.text(item, f"options.{letter}", report) for letter, item in given.items()}


def _answer_type(value: object, has_options: bool, report: Report) -> AnswerType:
    if isinstance(value, str) and value in {"mc", "open"}:
        return AnswerType(value)
    guess = AnswerType.MULTIPLE_CHOICE if has_options else AnswerType.OPEN
    if value is not None:
        done = f"answer_type is neither mc nor open. From the options, it was set to {guess.value}."
        report.repaired("unknown-answer-type", "answer_type", value, done)
    return guess


def answers_from(value: Any, kind: AnswerType, options: Mapping[str, str], report: Report) -> tuple[str, ...]:
    """The gold letter, or the accepted strings. A letter that is no option is kept and reported."""
    given = value if isinstance(value, list) else [value]
    answers = tuple(fields.text(item, "answer", report) for item in given if item is not None and item != "")
    if kind is AnswerType.OPEN or not answers:
        return answers
    return tuple(_letter(answer, options, report) for answer in answers)


def _letter(answer: str, options: Mapping[str, str], report: Report) -> str:
    if answer in options:
        return answer
    match = _LETTER.fullmatch(answer.strip())
    by_text = [letter for letter, option in options.items() if option.strip() == answer.strip()]
    letter = match[1].upper() if match and match[1].upper() in options else by_text[0] if len(by_text) == 1 else ""
    if not letter:
        done = "The answer is not the letter of an option; it was kept as written. No model answer can match it."
        report.noted("answer-not-an-option", "answer", answer, done)
        return answer
    report.repaired("answer-not-a-letter", "answer", answer, f"The answer was read as option {letter}.")
    return letter


def gold_boxes_from(value: object, size: tuple[int | None, int | None], report: Report) -> tuple[Box, ...]:
    """Valid gold boxes, clipped to the image where ``size`` is known; every other is ignored and reported."""
    given = fields.items(value, "gold_boxes", report)
    if fields.four_numbers(given):
        report.repaired("box-not-in-a-list", "gold_boxes", given, "The four numbers were read as one box.")
        given = [given]
    boxes = (_gold_box(item, f"gold_boxes[{index}]", size, report) for index, item in enumerate(given))
    return tuple(box for box in boxes if box is not None)


def _gold_box(value: object, field: str, size: tuple[int | None, int | None], report: Report) -> Box | None:
    if isinstance(value, Mapping):
        return _gold_shape(value, field, size, report)
    numbers = fields.four_numbers(value)
    if numbers is None:
        report.repaired(
            "box-not-numbers", field, value, "This is not four finite numbers; the gold box was ignored. Correct it."
        )
        return None
    try:
        box = Box(*numbers)
    except ValueError:
        done = "The gold box is empty or reversed and was ignored. It needs x1 < x2 and y1 < y2."
        report.repaired("box-empty", field, value, done)
        return None
    if size[0] is None or size[1] is None:
        return box
    return _inside(box, value, field, (size[0], size[1]), report)


def _gold_shape(
    value: Mapping[str, Any], field: str, size: tuple[int | None, int | None], report: Report
) -> Outline | None:
    """Read ``{"kind": "polygon" | "point", "points": [[x, y], …]}``."""
    kind, given = value.get("kind"), value.get("points")
    points = [fields.two_numbers(point) for point in given] if isinstance(given, list) else []
    ignored = "so it was ignored. Correct it."
    try:
        if not points or None in points:
            raise ValueError
        outline = outline_of(str(kind), [point for point in points if point])
    except ValueError:
        done = f"The gold shape is no polygon of {LEAST_VERTICES} to {MOST_VERTICES} points with an area, and no point"
        report.repaired("shape-invalid", field, value, f"{done}, {ignored}")
        return None
    if crosses_itself(outline):
        report.repaired("polygon-crosses", field, value, f"The sides of the polygon cross or touch, {ignored}")
        return None
    if size[0] is None or size[1] is None:
        return outline
    found = _inside(outline, value, field, (size[0], size[1]), report)
    return found if isinstance(found, Outline) else None


def _inside(box: Box, value: object, field: str, size: tuple[int, int], report: Report) -> Box | None:
    """The part of a shape inside the image; what is lost is reported."""
    clipped = box.clipped(size[0], size[1])
    if clipped is None:
        report.repaired("box-outside", field, value, f"The gold box lies outside {size[0]}x{size[1]}; it was ignored.")
    elif clipped != box:
        report.repaired("box-over-edge", field, value, f"The gold box was clipped to {size[0]}x{size[1]}.")
    return clipped


def _toolchain(value: object, report: Report) -> tuple[ToolCall, ...]:
    return _calls(value, "reference_toolchain", report)


def _calls(value: object, field: str, report: Report) -> tuple[ToolCall, ...]:
    given = fields.items(value, field, report)
    return tuple(_call(item, f"{field}[{index}]", report) for index, item in enumerate(given))


def _further(value: object, report: Report) -> tuple[FurtherChain, ...] | None:
    """Alternative toolchains that were accepted; None if the row has none."""
    if value is None:
        return None
    given = fields.items(value, "accepted_chains", report)
    if len(given) > MOST_CHAINS:
        done = f"At most {MOST_CHAINS} accepted toolchains are possible per sample; the row was rejected. Remove some."
        report.refuse("too-many-chains", "accepted_chains", len(given), done)
    found = (_chain(item, f"accepted_chains[{index}]", report) for index, item in enumerate(given))
    return tuple(chain for chain in found if chain.calls)


def _chain(value: object, field: str, report: Report) -> FurtherChain:
    """A list of calls, or an object of them and a note."""
    data = {"calls": value} if isinstance(value, list) else fields.mapping(value, field, report)
    chain = FurtherChain(
        _calls(data.get("calls"), f"{field}.calls", report), fields.text(data.get("note"), f"{field}.note", report)
    )
    if not chain.calls:
        report.repaired("chain-without-calls", field, value, "A toolchain without calls was ignored.")
    if len(chain.note) > LONGEST_NOTE:
        done = f"The row was rejected: a toolchain note is longer than {LONGEST_NOTE} characters. Shorten it."
        report.refuse("note-too-long", f"{field}.note", chain.note, done)
    return chain


def _call(value: object, field: str, report: Report) -> ToolCall:
    if isinstance(value, str):
        return ToolCall(fields.name(value, field, report))
    data = fields.mapping(value, field, report)
    if data.get("image_out") == ORIGINAL:
        done = 'The row was rejected because a call names its result "original", the original image. Rename it.'
        report.refuse("image-out-original", f"{field}.image_out", ORIGINAL, done)
    for key in sorted(set(data) - _CALL_KEYS):
        report.noted("unknown-key", f"{field}.{key}", data[key], "This key of a call is unknown and was ignored.")
    return ToolCall(
        tool=fields.name(data.get("tool"), f"{field}.tool", report),
        arguments=fields.mapping(data.get("arguments"), f"{field}.arguments", report),
        image_in=fields.pictures(data.get("image_in"), f"{field}.image_in", report),
        image_out=fields.label(data.get("image_out"), f"{field}.image_out", report) or None,
    )


def _plan(data: Mapping[str, Any], report: Report) -> ToolPlan:
    given = fields.items(data.get("targets"), "targets", report)
    targets = tuple(_target(item, f"targets[{index}]", report) for index, item in enumerate(given))
    seen: set[str] = set()
    for target in targets:
        key = " ".join(unicodedata.normalize("NFC", target.tool).casefold().split())
        if key in seen:
            done = "The row was rejected because it names this target twice. Name each target once."
            report.refuse("duplicate-target", "targets", target.tool, done)
        seen.add(key)
    ordered = fields.truth(data.get("ordered"), "ordered", report)
    distractors = fields.names(data.get("distractors"), "distractors", report)
    kinds = fields.mapping(data.get("likeness"), "likeness", report)
    for tool, kind in kinds.items():
        if tool not in distractors or kind not in list(Likeness):
            known = ", ".join(Likeness)
            done = f"The row was rejected: likeness gives each distractor one of {known}. Correct or remove the entry."
            report.refuse("unknown-likeness", f"likeness.{tool}", kind, done)
    return ToolPlan(targets, distractors, ordered, tuple(kinds.get(tool, "") for tool in distractors))


def _target(value: object, field: str, report: Report) -> Target:
    data = fields.mapping(value, field, report)
    step = data.get("step")
    if isinstance(step, bool) or not isinstance(step, int) or not 1 <= step < 2**31:
        done = "The row was rejected because the step of a target is not a whole number of 1 or more. Correct it."
        report.refuse("step-below-one", f"{field}.step", step, done)
    either = data.get("either")
    if either is not None and (isinstance(either, bool) or not isinstance(either, int) or not 1 <= either < 2**15):
        done = "The row was rejected because the group of a target is not a whole number of 1 or more. Correct it."
        report.refuse("group-below-one", f"{field}.either", either, done)
    return Target(fields.name(data.get("tool"), f"{field}.tool", report), step, either)


def _facets(data: Mapping[str, Any], report: Report) -> dict[str, tuple[Any, ...]]:
    own: dict[str, Any] = {key: data.get(key) for key in PLAIN_FACETS}
    own["segment"] = data.get("segments")
    facets: dict[str, tuple[Any, ...]] = {}
    for facet, value in fields.mapping(data.get("facets"), "facets", report).items():
        if own.get(facet) is not None and own[facet] != value:
            done = f"The row contains {facet} twice. The value outside of facets was used."
            report.repaired("facet-twice", f"facets.{facet}", value, done)
        facets[facet] = _facet_values(value, f"facets.{facet}", report)
    for facet, value in own.items():
        if value is not None:
            facets[facet] = _facet_values(value, facet, report)
    return {facet: values for facet, values in facets.items() if values}


def _facet_values(value: object, field: str, report: Report) -> tuple[Any, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(
        item if isinstance(item, str | int | float) else fields.text(item, field, report)
        for item in values
        if item is not None
    )
