"""One row of the native ``trajectories`` as a record. The most frequent row by far, so clean rows take a short way."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Number4, Report
from annotation.schema import ORIGINAL
from evaluation.importers.interface import BoxSpace, ReadOptions
from evaluation.schema import (
    ARGS_RAW,
    STEP_KEYS,
    TRAJECTORY_KEYS,
    Condition,
    Coordinates,
    Step,
    StepFlag,
    Trajectory,
    Usage,
)

SHA256 = re.compile(r"[0-9a-f]{64}")
_COORDS = {kind.value: kind for kind in Coordinates}
_FLAGS = {flag.value: flag for flag in StepFlag}
_NO_USAGE = Usage()


def trajectory_from(data: Mapping[str, Any], options: ReadOptions, report: Report) -> Trajectory:
    """One row of ``trajectories``; issues go to ``report``. Raises ``RowRefused``."""
    get = data.get
    space = options.coordinates or BoxSpace()
    steps = get("steps")
    if steps is not None and not isinstance(steps, list):
        steps = fields.items(steps, "steps", report)
    return Trajectory(
        model=fields.name(get("model"), "model", report, default=options.model),
        sample_id=fields.name(get("sample_id"), "sample_id", report),
        setting=fields.label(get("setting"), "setting", report, default=options.setting),
        rollout=_rollout(get("rollout"), report),
        condition=fields.label(get("condition"), "condition", report, default=Condition.NONE),
        steps=tuple([_step(item, i, space, report) for i, item in enumerate(steps)]) if steps else (),
        final_image=_picture(get("final_image"), "final_image", report),
        answer=_text_or_none(get("answer"), report),
        judge_correct=fields.truth(get("judge_correct"), "judge_correct", report),
        recognition=_tools(get("predicted_tools_recognition"), "predicted_tools_recognition", report),
        plan=_tools(get("predicted_tools_plan"), "predicted_tools_plan", report),
        recognition_map=_match_map(get("match_map_recognition"), "match_map_recognition", report),
        plan_map=_match_map(get("match_map_plan"), "match_map_plan", report),
        error=fields.text(get("error"), "error", report),
        usage=_usage(get("usage"), report),
        image_size=_image_size(get("image_size"), report),
        image_sha256=_image_sha256(get("image_sha256"), report),
        extra={} if data.keys() <= TRAJECTORY_KEYS else fields.extra(data, TRAJECTORY_KEYS),
        file=report.file,
        line=report.line,
        row_digest=report.row_digest,
    )


def _step(value: object, index: int, space: BoxSpace, report: Report) -> Step:
    if not isinstance(value, dict):
        done = "The row was rejected because a step is not an object."
        report.refuse("step-not-an-object", f"steps[{index}]", value, done)
    get, field = value.get, f"steps[{index}]"
    image_out = get("image_out")
    if image_out == ORIGINAL:
        done = 'The row was rejected because a step names its result "original", the original image. Rename it.'
        report.refuse("image-out-original", f"{field}.image_out", image_out, done)
    box, executed_box = get("bbox"), get("executed_bbox")
    image_in, ok, arguments, out_size = get("image_in"), get("ok", True), get("args"), get("out_size")
    flag, coords = get("flag"), _coordinates(get("coords"), index, report)
    bbox, raw = _box(box, "bbox", index, report) if box is not None else (None, None)
    executed, unread = _box(executed_box, "executed_bbox", index, report) if executed_box is not None else (None, None)
    if coords is None:
        bbox, executed, coords = _in_space(space, image_in, bbox, executed)
    extra = {} if value.keys() <= STEP_KEYS else fields.extra(value, STEP_KEYS)
    if unread is not None:
        extra["executed_bbox_raw"] = unread
    tool, text, observation, label = get("tool"), get("text", ""), get("observation", ""), get("label", "")
    return Step(
        tool=tool if type(tool) is str and 0 < len(tool) < 200 else fields.name(tool, f"{field}.tool", report),
        arguments=arguments if type(arguments) is dict else _arguments(arguments, field, extra, report),
        bbox=bbox,
        bbox_raw=raw,
        coords=coords,
        image_in=image_in if type(image_in) is str else fields.pictures(image_in, field, report),
        image_out=image_out if type(image_out) is str else _picture(image_out, field, report),
        out_size=_size(out_size, field, report) if out_size is not None else None,
        ok=ok if type(ok) is bool else _ok(ok, field, report),
        text=text if type(text) is str else fields.text(text, field, report),
        observation=observation if type(observation) is str else fields.text(observation, field, report),
        executed_bbox=executed,
        label=label if type(label) is str else fields.text(label, field, report),
        flag=_flag(flag, field, report) if flag else StepFlag.NONE,
        extra=extra,
    )


def _box(value: object, field: str, index: int, report: Report) -> tuple[Number4 | None, Any]:
    """Return the box as four numbers, or its original value if it is not one. An invalid box is kept as recorded and
    reported.
    """
    if value is None:
        return None, None
    numbers = fields.four_numbers(value)
    if numbers is not None and numbers[2] > numbers[0] and numbers[3] > numbers[1]:
        return numbers, None
    field = f"steps[{index}].{field}"
    if numbers is None:
        report.noted(
            "box-not-numbers", field, value, "This is not four finite numbers. It is kept as written and never scored."
        )
        return None, value
    report.noted("box-empty", field, value, "The box is empty or reversed. It is kept as recorded and never scored.")
    return numbers, None


def _in_space(
    space: BoxSpace, image_in: object, bbox: Number4 | None, executed: Number4 | None
) -> tuple[Number4 | None, Number4 | None, Coordinates]:
    """Boxes of a step without a declared space.

    Pixels of the original as sent become fractions of it. Other images have no such size, so their boxes stay pixels.
    """
    if space.size is None or image_in not in (None, ORIGINAL):
        return bbox, executed, space.kind
    return _fractions(bbox, space.size), _fractions(executed, space.size), Coordinates.NORM1


def _fractions(box: Number4 | None, size: tuple[int, int]) -> Number4 | None:
    width, height = size
    return (box[0] / width, box[1] / height, box[2] / width, box[3] / height) if box else None


def _coordinates(value: object, index: int, report: Report) -> Coordinates | None:
    if value is None:
        return None
    if isinstance(value, str) and value in _COORDS:
        return _COORDS[value]
    known = ", ".join(_COORDS)
    done = f"The row was rejected because coords must be one of {known}. Correct it."
    report.refuse("unknown-coordinates", f"steps[{index}].coords", value, done)


def _arguments(value: object, field: str, extra: dict[str, Any], report: Report) -> dict[str, Any]:
    """Arguments that are no object: kept as written in ``extra``."""
    if value is not None:
        extra[ARGS_RAW] = value
    return fields.mapping(value, f"{field}.args", report)


def _picture(value: object, field: str, report: Report) -> str | None:
    return value or None if value is None or type(value) is str else fields.label(value, field, report) or None


def _size(value: object, field: str, report: Report) -> tuple[float, float] | None:
    if isinstance(value, list) and len(value) == 2:
        width, height = value
        if fields.is_number(width) and fields.is_number(height) and width > 0 and height > 0:
            return (width, height)
    report.repaired(
        "size-not-positive", f"{field}.out_size", value, "It must be a width and a height above 0. The size is unknown."
    )
    return None


def _image_size(value: object, report: Report) -> tuple[int, int] | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2 and all(type(one) is int and 0 < one < 2**31 for one in value):
        return (value[0], value[1])
    done = "It must be a width and a height in pixels. The image is taken as that of the sample."
    report.repaired("size-not-positive", "image_size", value, done)
    return None


def _image_sha256(value: object, report: Report) -> str:
    if value is None:
        return ""
    if isinstance(value, str) and SHA256.fullmatch(value):
        return value
    done = "It must be the SHA-256 of an image, 64 characters of 0 to 9 and a to f. It was ignored."
    report.repaired("digest-not-sha256", "image_sha256", value, done)
    return ""


def _ok(value: object, field: str, report: Report) -> bool:
    """Only a plain false is a failed call; an unreadable value counts as a call that succeeded, and is reported."""
    truth = fields.truth(value, f"{field}.ok", report)
    return True if truth is None else truth


def _flag(value: object, field: str, report: Report) -> StepFlag:
    if isinstance(value, str) and value in _FLAGS:
        return _FLAGS[value]
    done = "flag must be post_answer or unused; it was ignored and the call counts as evidence."
    report.repaired("unknown-flag", f"{field}.flag", value, done)
    return StepFlag.NONE


def _rollout(value: object, report: Report) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        report.refuse("rollout-not-an-index", "rollout", value, "rollout must be 0, 1, 2 ... The row was rejected.")
    return value


def _text_or_none(value: object, report: Report) -> str | None:
    return value if value is None or type(value) is str else fields.text(value, "answer", report)


def _tools(value: object, field: str, report: Report) -> tuple[str, ...] | None:
    return None if value is None else fields.names(value, field, report)


def _match_map(value: object, field: str, report: Report) -> dict[str, str | None]:
    if value is None:
        return {}
    found: dict[str, str | None] = {}
    for predicted, target in fields.mapping(value, field, report).items():
        if target is None or isinstance(target, str):
            found[predicted] = target
        else:
            report.repaired(
                "not-a-name", f"{field}.{predicted}", target, "This is not a tool name. The entry was ignored."
            )
    return found


def _usage(value: object, report: Report) -> Usage:
    if value is None:
        return _NO_USAGE
    data = fields.mapping(value, "usage", report)
    numbers: dict[str, Any] = {}
    for key in ("input_tokens", "output_tokens", "seconds", "usd"):
        number = data.get(key)
        if number is None:
            continue
        whole = key.endswith("tokens")
        if not fields.is_number(number) or number < 0 or (whole and (number != int(number) or number >= 2**63)):
            report.repaired("not-a-count", f"usage.{key}", number, fields.NO_AMOUNT)
            continue
        numbers[key] = int(number) if whole else number
    for key in sorted(set(data) - {"input_tokens", "output_tokens", "seconds", "usd"}):
        report.noted("unknown-key", f"usage.{key}", data[key], "This amount is unknown and was ignored.")
    return Usage(**numbers)
