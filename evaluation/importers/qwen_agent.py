"""Qwen-Agent message lists, as Qwen3-VL's zoom tool writes them.

- A dialogue is a JSON list of messages: alone in a file, one to a line, or under ``messages`` of an object with an id.
  Without an id, the file's name or the prompt's image and question identify the sample.
- Boxes are 0-1000 of ``images[img_idx]``: the distinct images so far, the prompt's first, without those of failed
  calls. Older models use the same tool name with pixels: set ``coordinates``.
- ``executed_bbox`` is the box after clamping and growing to 32 px, ``out_size`` the size then shown: both need the
  image's size.
- It has no answer rule: the answer is the last text, in which scoring searches for tags.
"""

from __future__ import annotations

from pathlib import Path

from annotation.importers import fields
from annotation.importers.fields import Number4, Report
from evaluation.importers.dialogues import NO_TURNS, Dialogue, read_dialogues, trajectory_of
from evaluation.importers.failed_replies import says_failure
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.messages import Exchange
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.zooming import (
    ImageFrame,
    ImageFrames,
    Size,
    box_in,
    expanded_to,
    from_pixels,
    in_pixels,
    is_box,
    note_unless_box,
    on_picture,
    size_of,
)
from evaluation.schema import Coordinates, Step, Trajectory

FACTOR = 32
MIN_PIXELS = 256 * FACTOR * FACTOR
MODEL = "Qwen3-VL"
_ZOOM = "image_zoom_in_tool"


def detect(head: bytes, name: str) -> Detection:
    """Messages with calls under ``function_call``."""
    reasons = []
    others = any(sign in head for sign in (b'"response_list"', b'"call_id"'))
    if b'"role"' in head and b'"function_call"' in head and not others:
        reasons.append("Its messages have calls under function_call.")
        if _ZOOM.encode() in head:
            reasons.append(f"They call {_ZOOM}.")
    return Detection("qwen-agent", (0.0, 0.7, 0.9)[len(reasons)], tuple(reasons))


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no dialogue at all."""
    space = options.coordinates or BoxSpace(Coordinates.NORM1000)

    def step(exchange: Exchange, pictures: ImageFrames, report: Report) -> Step:
        return _zoom(exchange, pictures, space, report) if exchange.name == _ZOOM else _other(exchange)

    def convert(dialogue: Dialogue, report: Report) -> Trajectory:
        return trajectory_of(dialogue, options, samples, report, model=MODEL, step=step)

    return read_dialogues(path, options, convert, f"{path.name} contains {NO_TURNS}")


def _zoom(exchange: Exchange, pictures: ImageFrames, space: BoxSpace, report: Report) -> Step:
    arguments = exchange.arguments or {}
    written = box_in(arguments) if exchange.arguments is not None else exchange.raw
    asked = fields.four_numbers(written)
    source = pictures.at(arguments.get("img_idx", 0))
    if asked is None:
        done = "The call has no box of four numbers. It is kept as written and never scored."
        report.noted("call-unreadable", "arguments", exchange.raw or arguments, done)
    elif source is None:
        done = "The call names an unknown image, so the crop location is unknown."
        report.noted("no-such-picture", "img_idx", arguments.get("img_idx"), done)
    ok = not says_failure(exchange.reply) and bool(exchange.pictures)
    if asked and ok:
        note_unless_box(asked, "arguments.bbox_2d", report)
    bbox, coords = on_picture(asked, space, source) if asked else (None, space.kind)
    executed, shown = _seen(bbox, coords, source) if bbox and source else (None, None)
    made = pictures.add(shown) if ok else None
    return Step(
        tool=exchange.name,
        arguments=arguments,
        bbox=bbox,
        bbox_raw=written if asked is None else None,
        coords=coords,
        image_in=source.id if source else None,
        image_out=made.id if made else None,
        out_size=shown if made else None,
        ok=ok,
        text=exchange.text,
        observation=exchange.reply or exchange.error,
        executed_bbox=executed,
        label=str(arguments.get("label") or ""),
    )


def _seen(asked: Number4, coords: Coordinates, source: ImageFrame) -> tuple[Number4 | None, Size | None]:
    """Return the executed box, if it differs, and the size at which its image was shown; unknown without the source's
    size.
    """
    if source.size is None:
        return None, None
    pixels = in_pixels(asked, coords, source.size)
    cut = expanded_to(pixels, source.size)
    if not is_box(cut):
        return None, None
    shown = smart_resize(*size_of(cut), factor=FACTOR, min_pixels=MIN_PIXELS)
    return (None if cut == pixels else from_pixels(cut, coords, source.size)), shown


def _other(exchange: Exchange) -> Step:
    """A call of another tool: it has no box, and what its image shows is not known."""
    failed = says_failure(exchange.reply)
    return Step(
        tool=exchange.name[: fields.MAX_NAME] or "unnamed",
        arguments=exchange.arguments or {},
        bbox_raw=None if exchange.arguments is not None else exchange.raw,
        ok=not failed,
        text=exchange.text,
        observation=exchange.reply or exchange.error,
    )
