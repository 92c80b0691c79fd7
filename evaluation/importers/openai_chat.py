"""Chat completions with tools, as OpenAI's interface writes them: ``tool_calls`` answered by id. FORMATS 7c.

- A dialogue is a JSON list of messages: alone in a file, one to a line, or under ``messages`` of an object with an id.
- Arguments are a text that may be cut off: such a call is a failed step with the text kept.
- The space of boxes is declared nowhere: pixels, unless ``coordinates`` says otherwise.
- Nothing tells from which picture a crop was cut. An argument that names one by its number (``img_idx``,
  ``image_index``, ``target_image`` from 1) is believed; otherwise it is the original.
- The answer is the text after the last call.
"""

from __future__ import annotations

from pathlib import Path

from annotation.importers import fields
from annotation.importers.fields import Report
from evaluation.importers.dialogues import Dialogue, read_dialogues, trajectory_of
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.messages import Exchange
from evaluation.importers.zooming import Pictures, box_in, on_picture
from evaluation.schema import Step, Trajectory

MODEL = "unnamed"
_FAILED = ("error", "tool execution error", "an error occurred", "failed")


def detect(head: bytes, name: str) -> Detection:
    """Messages whose calls stand under ``tool_calls``, outside of a log of Inspect AI."""
    found = b'"role"' in head and b'"tool_calls"' in head and b'"eval"' not in head
    return Detection("openai-chat", 0.7 if found else 0.0, ("Its messages have tool_calls.",) if found else ())


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no dialogue at all."""

    def step(exchange: Exchange, pictures: Pictures, report: Report) -> Step:
        return step_of(exchange, pictures, options.coordinates or BoxSpace(), report)

    def convert(dialogue: Dialogue, report: Report) -> Trajectory:
        return trajectory_of(dialogue, options, samples, report, model=MODEL, step=step)

    return read_dialogues(path, options, convert, f"{path.name} holds no list of messages with a model's turns in it.")


def step_of(exchange: Exchange, pictures: Pictures, space: BoxSpace, report: Report) -> Step:
    """One call of a tool that nothing more is known of than its arguments and its reply."""
    arguments = exchange.arguments or {}
    readable = exchange.arguments is not None
    written = box_in(arguments) if readable else exchange.raw
    asked = fields.four_numbers(written)
    if not readable:
        done = "The arguments are no JSON object (cut off?); the call is kept as written and counts as failed."
        report.noted("call-unreadable", "arguments", exchange.raw, done)
    elif asked is None and written is not None:
        report.noted("no-box", "arguments", written, "The box is not four numbers; kept as written, never scored.")
    source = pictures.at(_number(arguments))
    bbox, coords = on_picture(asked, space, source) if asked else (None, space.kind)
    ok = readable and not exchange.error and not (exchange.reply or "error").lstrip().lower().startswith(_FAILED)
    ok = ok or (readable and not exchange.error and bool(exchange.pictures))
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
    """The number of the picture a call names, 0 = the original."""
    target = arguments.get("target_image")
    if isinstance(target, int):
        return target - 1
    return next((arguments[name] for name in ("img_idx", "image_index", "image_idx") if name in arguments), 0)
