"""The steps of a transcript whose calls are blocks of Python: each call of an image library is one step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from annotation.importers.fields import Report
from evaluation.importers.code_track import Program
from evaluation.importers.code_values import CodeCall
from evaluation.importers.zooming import note_unless_box
from evaluation.schema import Coordinates, Step

CODE = "code"
"""The tool of a block that does nothing we know, or could not be read."""
_BLOCK = re.compile(
    r"<code>\s*(?:```(?:python|py)?[ \t]*\n)?(.*?)(?:```\s*)?(?:</code>|(?=<sandbox_output>)|\Z)"
    r"|```(?:python|py)[ \t]*\n(.*?)(?:```|\Z)",
    re.DOTALL,
)
_FAILED = re.compile(r"\A\s*(?:error|traceback)|stderr:\s*```\s*\S", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CodeTurn:
    """A turn of the model and the text that came back for its code; None = nothing came back."""

    text: str
    reply: str | None = None


def blocks_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the position of each block of code and its text, without fences and tags."""
    for match in _BLOCK.finditer(text):
        if (code := match[1] if match[1] is not None else match[2]).strip():
            yield match.start(), code


def steps_of(turns: Sequence[CodeTurn], program: Program, report: Report) -> list[Step]:
    """The steps of all turns, their variables carried on from block to block."""
    steps: list[Step] = []
    for turn in turns:
        at = 0
        for start, code in blocks_of(turn.text):
            said = turn.text[at:start].strip()
            steps += block_steps(code, said, turn.reply, program, report)
            at = start + len(code)
    return steps


def block_steps(code: str, said: str, reply: str | None, program: Program, report: Report) -> list[Step]:
    """The steps of one block. ``said``: the text before it; ``reply``: what it printed or raised."""
    block = program.read(code)
    if block.problem:
        done = f"A block of code could not be read ({block.problem}); its effect on images is unknown."
        report.noted("code-unreadable", "code", code[:200], done)
    ok = reply is not None and not _FAILED.search(reply)
    for call in block.calls:
        if call.tool == "crop" and call.bbox is None:
            done = "The code crops with values known only at run time. The location is unknown and not scored."
            report.noted("location-unknown", "code", call.arguments.get("box"), done)
        elif call.tool == "crop" and call.bbox is not None:
            note_unless_box(call.bbox, "code", report, call.executed)
    made = [_step(call, ok) for call in block.calls]
    if not made:
        made = [Step(tool=CODE, ok=ok and not block.problem)]
    made[0] = replace(made[0], text=said, extra={"code": code})
    made[-1] = replace(made[-1], observation=(reply or "").strip())
    return made


def _step(call: CodeCall, ok: bool) -> Step:
    return Step(
        tool=call.tool,
        arguments=call.arguments,
        bbox=call.bbox,
        coords=Coordinates.PIXEL,
        image_in=call.image_in,
        image_out=call.image_out if ok else None,
        out_size=call.out_size if ok else None,
        ok=ok,
        executed_bbox=call.executed,
    )
