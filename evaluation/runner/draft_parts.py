"""Drafted toolchains and tool plans: parsing, a run in the toolbox, and names of the tool bank.

Source: docs/drafting.md#toolchains-and-plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.importers.storable import storable
from annotation.schema import ORIGINAL, ToolCall, shortened
from annotation.tool_bank import LONGEST_NAME, Bank, ToolState, distinct, key_of
from annotation.toolbox.names import UnknownToolError, resolve
from annotation.toolbox.runner import Limits, Unopened, run_chain
from annotation.toolbox.table import TOOLS, json_schema
from evaluation.runner.images import SourceImage

MOST_TEXT, MOST_BOXES = 2000, 20
MOST_STEPS, MOST_TARGETS, MOST_DISTRACTORS, MOST_ARGUMENTS = 30, 20, 50, 5000
KEYS = ("tool", "arguments", "image_in", "image_out")


class DraftError(ValueError):
    """A recipe of drafts that can't be run. The message states what is allowed."""


class FieldUnread(ValueError):
    """A field of a response in another form than was asked for. ``new_tools``: as of ``PartRead``."""

    def __init__(self, message: str, new_tools: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.new_tools = new_tools


@dataclass(frozen=True)
class PartRead:
    """A field that was read. ``note``: what of it was left out, "" for nothing. ``new_tools``: names that were left out
    because the tool bank has no tool that they mean."""

    content: Any
    note: str = ""
    new_tools: tuple[str, ...] = ()


def tools_text() -> str:
    """The tools of the toolbox with their arguments, one on a line, for a prompt."""
    lines = []
    for name in TOOLS:
        schema = json_schema(name)
        required = set(schema.get("required", ()))
        names = (f"{one}" if one in required else f"{one}?" for one in schema["properties"])
        lines.append(f"* {name}({', '.join(names)})")
    return "\n".join(lines)


def read_toolchain(value: object, run: Callable[[Sequence[ToolCall]], str]) -> PartRead:
    """Return the calls of a drafted toolchain that runs to its end. ``run``: why it does not, "" if it does. Raises
    ``FieldUnread``."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_STEPS:
        raise FieldUnread(f"toolchain must be a list of 1 to {MOST_STEPS} calls.")
    calls = [_call(one, number) for number, one in enumerate(value, 1)]
    if problem := run(calls):
        raise FieldUnread(f"The toolchain does not run: {shortened(problem, 500)}")
    return PartRead([_call_json(call) for call in calls])


def chain_problem(image: SourceImage, calls: Sequence[ToolCall]) -> str:
    """Run a toolchain on an image at full resolution; return why it stops, "" if it runs to its end. It works on
    pixels, and can take seconds. Raises ``PictureProblem`` for a damaged image."""
    error = run_chain(Unopened(image.width, image.height, image.picture), calls, Limits()).error
    return "" if error is None else f"step {error.number}, {error.tool}: {error.message}"


def _call(value: object, number: int) -> ToolCall:
    if not isinstance(value, Mapping):
        raise FieldUnread(f"Call {number} of the toolchain is not an object.")
    if unknown := sorted(str(key) for key in value if key not in KEYS):
        raise FieldUnread(f"Call {number} has the unknown key {shortened(unknown[0], 60)!r}.")
    if not isinstance(value.get("tool"), str):
        raise FieldUnread(f"Call {number} has no tool name.")
    try:
        tool = resolve(value["tool"])
    except UnknownToolError as error:
        raise FieldUnread(f"Call {number}: {shortened(str(error), 300)}") from None
    arguments = value.get("arguments", {})
    if not isinstance(arguments, Mapping) or len(str(arguments)) > MOST_ARGUMENTS:
        raise FieldUnread(f"Call {number} needs an object of at most {MOST_ARGUMENTS:,} characters as arguments.")
    image_in, image_out = value.get("image_in"), value.get("image_out")
    several = isinstance(image_in, list)
    inputs: list[Any] = list(image_in) if isinstance(image_in, list) else [] if image_in is None else [image_in]
    if not all(_is_name(one) for one in inputs) or (several and not inputs):
        raise FieldUnread(f"Call {number} needs a name or a list of names as image_in.")
    if image_out is not None and (not _is_name(image_out) or image_out == ORIGINAL):
        raise FieldUnread(f"Call {number} needs another name as image_out.")
    return ToolCall(tool, storable(dict(arguments)), tuple(inputs) if several else image_in, image_out)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and storable(value) == value


def _call_json(call: ToolCall) -> dict[str, Any]:
    inputs = list(call.image_in) if isinstance(call.image_in, tuple) else call.image_in
    return {"tool": call.tool, "arguments": dict(call.arguments), "image_in": inputs, "image_out": call.image_out}


def read_targets(value: object, bank: Bank) -> PartRead:
    """Return the targets with the names of the bank, their steps numbered from 1 without gaps. Unknown names are left
    out, and the note names them. Raises ``FieldUnread``."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_TARGETS:
        raise FieldUnread(f"targets must be a list of 1 to {MOST_TARGETS} tools with their steps.")
    named: dict[str, tuple[str, int]] = {}
    unknown = _Unknown()
    for one in value:
        step = one.get("step") if isinstance(one, Mapping) else None
        if not isinstance(step, int) or isinstance(step, bool) or not 1 <= step <= MOST_TARGETS:
            raise FieldUnread(f"A target needs a tool and a step from 1 to {MOST_TARGETS}.")
        name = _known(one.get("tool"), bank, "A target", unknown)
        if name is not None:
            named.setdefault(key_of(name), (name, step))
    if not named:
        raise FieldUnread(unknown.note, unknown.new)
    steps = {step: at for at, step in enumerate(sorted({step for _, step in named.values()}), 1)}
    return PartRead([{"tool": name, "step": steps[step]} for name, step in named.values()], unknown.note, unknown.new)


def read_distractors(value: object, bank: Bank, targets: Sequence[Mapping[str, Any]] = ()) -> PartRead:
    """Return the distractors with the names of the bank. Unknown names, and ``targets`` of the same response, are left
    out, and the note names them. Raises ``FieldUnread``."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_DISTRACTORS:
        raise FieldUnread(f"distractors must be a list of 1 to {MOST_DISTRACTORS} names of tools.")
    unknown = _Unknown()
    names = [name for one in value if (name := _known(one, bank, "A distractor", unknown)) is not None]
    needed = {key_of(one["tool"]) for one in targets}
    both = [name for name in names if key_of(name) in needed]
    kept = list({key_of(name): name for name in names if key_of(name) not in needed}.values())
    notes = [unknown.note, f"Also a target: {_listed(both)}." if both else ""]
    note = " ".join(one for one in notes if one)
    if not kept:
        raise FieldUnread(note, unknown.new)
    return PartRead(kept, note, unknown.new)


class _Unknown:
    """Names that a plan can't have. ``new``: those that the bank lacks, in their first spelling; a rejected one is not
    among them."""

    def __init__(self) -> None:
        self._left_out: list[str] = []
        self._new: list[str] = []

    def add(self, name: str, *, rejected: bool) -> None:
        self._left_out.append(name)
        if not rejected:
            self._new.append(str(storable(name)))

    @property
    def note(self) -> str:
        return f"Not in the tool bank: {_listed(self._left_out)}." if self._left_out else ""

    @property
    def new(self) -> tuple[str, ...]:
        return tuple(distinct(self._new).values())


def _known(value: object, bank: Bank, what: str, unknown: _Unknown) -> str | None:
    """The name of the bank that a written name means; None, and noted in ``unknown``, if there is none."""
    if not isinstance(value, str) or not key_of(value) or len(value) > LONGEST_NAME:
        raise FieldUnread(f"{what} needs a name of 1 to {LONGEST_NAME} characters.")
    tool = bank.find(value)
    if tool is None or tool.state is ToolState.REFUSED:
        unknown.add(value, rejected=tool is not None)
        return None
    return tool.name


def _listed(names: Sequence[str]) -> str:
    return ", ".join(str(storable(shortened(name, 60))) for name in dict.fromkeys(names))
