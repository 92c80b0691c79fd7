"""Steps from calls of unknown tools, from their arguments and replies.

The image that was cropped is not recorded. If an argument names one by its number (``img_idx``, ``image_index``,
``target_image`` from 1), it is used; otherwise it is the original.
"""

from __future__ import annotations

from annotation.importers import fields
from annotation.importers.fields import Report
from evaluation.importers.failed_replies import says_failure
from evaluation.importers.interface import BoxSpace
from evaluation.importers.messages import Exchange
from evaluation.importers.zooming import ImageFrames, box_in, note_unless_box, on_picture
from evaluation.schema import Step


def step_of(
    exchange: Exchange, pictures: ImageFrames, space: BoxSpace, report: Report, *, number: int | None = None
) -> Step:
    """Return one call of a tool of which only the arguments and the reply are known. ``number``: that of the image it
    names, 0 = the original, if the format has its own notation.
    """
    arguments = exchange.arguments or {}
    readable = exchange.arguments is not None
    written = box_in(arguments) if readable else exchange.raw
    asked = fields.four_numbers(written)
    if not readable:
        done = "The arguments are not a JSON object (cut off?). The call is kept as written and counts as failed."
        report.noted("call-unreadable", "arguments", exchange.raw, done)
    elif asked is None and written is not None:
        report.noted(
            "no-box", "arguments", written, "The box is not four numbers. It is kept as written and never scored."
        )
    source = pictures.at(_number(arguments) if number is None else number)
    bbox, coords = on_picture(asked, space, source) if asked else (None, space.kind)
    ok = readable and not exchange.error and not says_failure(exchange.reply or None)
    ok = ok or (readable and not exchange.error and bool(exchange.pictures))
    if asked and ok:
        note_unless_box(asked, "arguments", report)
    made = pictures.add(None) if ok and exchange.pictures else None
    return Step(
        tool=exchange.name[: fields.MAX_NAME] or "unnamed",
        arguments=arguments,
        bbox=bbox,
        bbox_raw=written if asked is None else None,
        coords=coords,
        image_in=source.id if source else None,
        image_out=made.id if made else None,
        ok=ok,
        text=exchange.text,
        observation=exchange.reply or exchange.error,
        label=str(arguments.get("label") or ""),
    )


def _number(arguments: dict[str, object]) -> object:
    """The number of the image a call names, 0 = the original."""
    target = arguments.get("target_image")
    if isinstance(target, int):
        return target - 1
    return next((arguments[name] for name in ("img_idx", "image_index", "image_idx") if name in arguments), 0)
