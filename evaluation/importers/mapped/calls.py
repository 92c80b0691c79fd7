"""The steps of a mapped row: its turns, their calls, the text before and the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from annotation.importers import fields
from annotation.importers.box_cells import boxes_in
from annotation.importers.column_mapping import BoxForm
from annotation.importers.fields import Number4, Report
from annotation.importers.storable import storable
from annotation.schema import ORIGINAL
from evaluation.importers.cells import is_no, number_in
from evaluation.importers.failed_replies import says_failure
from evaluation.importers.interface import BoxSpace
from evaluation.importers.mapped.mapping import MODEL, PROMPT, REPLY, KeyMapping
from evaluation.importers.mapped.paths import EVERY, KeyPath, Place, branches
from evaluation.importers.mapped.pictures import SeenImages, texts_in, without_images
from evaluation.importers.zooming import ImageFrame, note_unless_box, on_picture
from evaluation.schema import Coordinates, Step

TOOL = "crop"
"""The name of a call if the file does not name its tool."""
MAX_CALLS = 10_000
MAX_BOXES = 200
ENDS = frozenset({"finish", "final_answer", "final answer", "answer", "terminate", "submit", "none"})
"""Calls that only end a talk with its answer: they are no use of a tool."""
ANSWERS = ("answer", "final_answer", "ans", "response", "value", "text", "result")
_SIDES = (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("x_min", "y_min", "x_max", "y_max"),
          ("left", "top", "right", "bottom"))  # fmt: skip
_SIZED = (("x", "y", "width", "height"), ("x", "y", "w", "h"), ("left", "top", "width", "height"))
_CENTERED = (("cx", "cy", "w", "h"), ("cx", "cy", "width", "height"))
_NAMED = (
    *((names, BoxForm.XYXY) for names in _SIDES),
    *((names, BoxForm.XYWH) for names in _SIZED),
    *((names, BoxForm.CXCYWH) for names in _CENTERED),
)


Chain = tuple[Place, ...]
_IN_CHAIN = ("said", "tool", "arguments", "box", "image_in", "image_out", "observation", "failed", "role")


@dataclass(slots=True)
class Call:
    """A call as in the file: the positions on its path, the text before it, its result."""

    chain: Chain
    said: str = ""
    reply: Any = None


@dataclass(slots=True)
class Talk:
    """The calls of a row in their order. ``said``: since the last of them. ``closed``: what a call that only ends the
    talk was given."""

    calls: list[Call] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    closed: Any = None
    heard: set[int] = field(default_factory=set)

    def hear(self, text: str) -> None:
        if text.strip():
            self.said.append(text)

    def answer(self, reply: Any) -> None:
        """Assign a result without its own call to the first call without a reply."""
        waiting = next((call for call in self.calls if call.reply is None), None)
        if waiting is not None and reply is not None:
            waiting.reply = reply

    @property
    def final(self) -> Any:
        """The last text: of a closing call, else the text after the last call."""
        return self.closed if self.closed is not None else "\n".join(self.said)


class CallReader:
    """Reads the calls of rows by one mapping; what does not depend on a row is worked out once."""

    def __init__(self, mapping: KeyMapping, space: BoxSpace) -> None:
        self._mapping, self._space = mapping, space
        paths = mapping.paths
        self._turns, self._calls = paths.get("turns"), paths.get("calls")
        scopes = {name: self._scope(paths[name], own=name != "failed") for name in _IN_CHAIN if name in paths}
        self._scopes = {name: scope for name, scope in scopes.items() if scope is not None}
        self._told = [name for name in ("tool", "arguments", "box") if name in paths]
        self.reads = bool(self._calls or self._turns or self._told)

    def _scope(self, path: KeyPath, *, own: bool) -> tuple[int, KeyPath] | None:
        """Return where a path leaves the way to a call, and its rest; None if it doesn't belong to a call."""
        for whole in (self._calls, self._turns):
            if whole is not None and path.starts_with(whole):
                return len(whole.steps), path.behind(whole)
        shared = path.shared(self._calls) if self._calls else 0
        while shared and path.steps[shared - 1] is not EVERY:
            shared -= 1
        if shared:
            return shared, KeyPath(path.steps[shared:])
        return (len((self._calls or self._turns or KeyPath()).steps), path) if own else None

    @property
    def fails_calls(self) -> bool:
        """Whether ``failed`` refers to calls, not to rows."""
        return "failed" in self._scopes

    def talk(self, row: Place, report: Report) -> Talk:
        """The calls with their tools and results."""
        talk = Talk()
        for turn in branches(row, self._turns.steps) if self._turns else ((row,),):
            if len(talk.calls) < MAX_CALLS:
                self._hear(turn, talk, report)
        return talk

    def _hear(self, turn: Chain, talk: Talk, report: Report) -> None:
        kind = self._kind(turn, report)
        if kind != MODEL:
            if kind in (REPLY, PROMPT):
                talk.answer(self._reply_of(turn))
            return
        self._say(turn, talk)
        before = len(talk.calls)
        elements = self._with_beside(turn, list(self._elements(turn)))
        for chain in elements:
            self._say(chain, talk)
            if self._is_call(chain):
                self._call(chain, talk)
            elif "role" not in self._scopes and len(chain) > self._scopes.get("observation", (len(chain), 0))[0]:
                talk.answer(self._value("observation", chain))
        if "role" not in self._scopes and self._at_turn("observation", turn):
            _share(self._value("observation", turn), talk, before)

    def _elements(self, turn: Chain) -> Iterator[Chain]:
        """Yield the possible calls of a turn."""
        if self._calls is None:
            yield turn
            return
        within = self._calls.steps[len(turn) - 1 :]
        for rest in branches(turn[-1], within):
            if isinstance(rest[-1].value, list) and within[-1:] != (EVERY,):
                yield from ((*turn, *rest[1:], Place(item)) for item in rest[-1].value)
            elif rest[-1].value is not None:
                yield (*turn, *rest[1:])

    def _with_beside(self, turn: Chain, elements: list[Chain]) -> list[Chain]:
        """The calls of a turn, each with its items of parallel lists.

        A parallel list is at the path of a field that no call has, and has as many items as there are calls."""
        if self._calls is None:
            return elements
        beside: dict[str, list[Any]] = {}
        for name, (depth, path) in self._scopes.items():
            own = depth == len(self._calls.steps) and path.steps
            if own and all(self._value(name, chain) is None for chain in elements):
                found = [place.value for place in path.places(turn[-1])]
                listed = found[0] if len(found) == 1 and isinstance(found[0], list) else found
                if listed and len(listed) == len(elements):
                    beside[name] = listed
        if not beside:
            return elements
        return [
            (*chain[:-1], replace(chain[-1], beside={name: items[number] for name, items in beside.items()}))
            for number, chain in enumerate(elements)
        ]

    def _at_turn(self, name: str, turn: Chain) -> bool:
        """Whether the turn has a field outside its calls."""
        return self._calls is not None and self._scopes.get(name, (len(turn), 0))[0] < len(turn)

    def _say(self, chain: Chain, talk: Talk) -> None:
        """The text at a position, without repetitions."""
        depth, _ = self._scopes.get("said", (len(chain), KeyPath()))
        if depth >= len(chain) or "said" not in self._scopes or id(chain[depth]) in talk.heard:
            return
        talk.heard.add(id(chain[depth]))
        for value in self._values("said", chain):
            talk.hear(texts_in(value)[0])

    def _call(self, chain: Chain, talk: Talk) -> None:
        arguments = self._value("arguments", chain)
        if fields.word_in(self._value("tool", chain)).casefold() in ENDS and self._value("box", chain) is None:
            talk.closed = _closing(arguments)
            return
        reply = None
        turn = chain[: len(self._turns.steps) + 1 if self._turns else 1]
        if len(turn) == len(chain) or not self._at_turn("observation", turn):
            reply = self._value("observation", chain)
        talk.calls.append(Call(chain, "\n".join(talk.said), reply))
        talk.said.clear()

    def _kind(self, turn: Chain, report: Report) -> str:
        if "role" not in self._scopes:
            return MODEL
        role = fields.word_in(self._value("role", turn))
        kind = self._mapping.role_of(role)
        if not kind:
            done = "This role is not mapped; the turn was skipped. Map the role under roles."
            report.noted("unknown-role", "role", role, done)
        return kind

    def _reply_of(self, turn: Chain) -> Any:
        name = "observation" if self._scopes.get("observation", (len(turn), 0))[0] < len(turn) else "said"
        depth, path = self._scopes.get(name, (len(turn), KeyPath()))
        return path.first(turn[depth]) if depth < len(turn) else None

    def _is_call(self, chain: Chain) -> bool:
        if not self._told:
            return self._calls is not None
        return any(self._value(name, chain) not in (None, "", {}, []) for name in self._told)

    def _value(self, name: str, chain: Chain) -> Any:
        """The first value of a field of a call; None if it has none or the field is deeper than this position."""
        return next((value for value in self._values(name, chain) if value is not None), None)

    def _values(self, name: str, chain: Chain) -> Iterator[Any]:
        """All values of a field of a call, its own or those at its index in a parallel list."""
        if name in chain[-1].beside:
            yield chain[-1].beside[name]
        elif name in self._scopes:
            depth, path = self._scopes[name]
            yield from (place.value for place in path.places(chain[depth])) if depth < len(chain) else ()

    def steps(self, talk: Talk, size: tuple[int, int] | None, images: SeenImages, report: Report) -> tuple[Step, ...]:
        """The steps of the calls. Raises ``RowRefused`` for a box beyond any number."""
        return tuple(step for call in talk.calls for step in self._steps_of(call, size, images, report))

    def _steps_of(self, call: Call, size: tuple[int, int] | None, images: SeenImages, report: Report) -> Iterator[Step]:
        observation, pictured = texts_in(call.reply)
        failure = None if not self.fails_calls else self._value("failed", call.chain)
        ok = is_no(failure) and (pictured or not observation or not says_failure(observation))
        named = self._value("image_in", call.chain)
        source = images.named(named)
        if source is None:
            done = "No image of this name or number came before; what the box shows is not known, and it is not scored."
            report.noted("image-unknown", "image_in", without_images(named), done)
        boxes, rest = self._boxes(call.chain, report)
        for other in rest:
            report.noted("no-box", "box", other, "Not a box of four numbers. It is kept as written and never scored.")
        out = self._value("image_out", call.chain)
        first = Step(
            tool=(fields.word_in(self._value("tool", call.chain)) or TOOL)[: fields.MAX_NAME],
            arguments=_arguments(self._value("arguments", call.chain)),
            bbox_raw=storable(rest[0]) if rest and not boxes else None,
            coords=self._space.kind,
            image_in=source,
            ok=ok,
            text=call.said,
            observation=observation or ("" if is_no(failure) else texts_in(failure)[0]),
        )
        if not boxes:
            yield replace(first, image_out=images.made(out) if ok and (pictured or out) else None)
        for place, box in enumerate(boxes):
            bbox, coords = self._placed(box, source, size, report)
            made = images.made(None if place else out) if ok else None
            step = first if place == 0 else replace(first, text="", observation="")
            yield replace(step, bbox=bbox, coords=coords, image_out=made)

    def _boxes(self, chain: Chain, report: Report) -> tuple[list[Number4], list[Any]]:
        found: list[Number4] = []
        rest: list[Any] = []
        for value in self._values("box", chain):
            boxes, other = read_boxes(value, self._mapping.box_form)
            found += boxes
            rest += other
        if not all(isfinite(side) for box in found for side in box):
            report.refuse("box-too-large", "box", found, "A number of the box is too large. The row was rejected.")
        return found[:MAX_BOXES], rest[:MAX_BOXES]

    def _placed(
        self, box: Number4, source: str | None, size: tuple[int, int] | None, report: Report
    ) -> tuple[Number4, Coordinates]:
        note_unless_box(box, "box", report)
        picture = ImageFrame(source, size if source == ORIGINAL else None) if source else None
        return on_picture(box, self._space, picture)


def _share(replies: Any, talk: Talk, before: int) -> None:
    """Distribute the results of a turn: one to each call if the numbers are equal, else all to the last one."""
    calls = talk.calls[before:]
    if not calls:
        talk.answer(replies)
    elif isinstance(replies, list) and len(replies) == len(calls) > 1:
        for call, reply in zip(calls, replies, strict=True):
            call.reply = reply
    else:
        calls[-1].reply = replies


def _arguments(value: Any) -> dict[str, Any]:
    """Arguments as an object; a list is ``args``, a text or a number ``value``."""
    kept = without_images(value)
    if kept is None or kept == "":
        return {}
    return kept if isinstance(kept, dict) else {"args" if isinstance(kept, list) else "value": kept}


def _closing(arguments: Any) -> Any:
    """The answer that a call which ends the talk was given."""
    if isinstance(arguments, dict):
        by_name = next((arguments[name] for name in ANSWERS if name in arguments), None)
        return by_name if by_name is not None else next(iter(arguments.values()), None)
    return arguments


def read_boxes(value: Any, form: BoxForm) -> tuple[list[Number4], list[Any]]:
    """The boxes of a value as ``(x1, y1, x2, y2)``, and what is no box. An object of four named numbers says
    itself what they are; four numbers are read in ``form``; two points are two corners.

    >>> read_boxes({"x": 1, "y": 2, "w": 3, "h": 4}, BoxForm.XYXY)
    ([(1.0, 2.0, 4.0, 6.0)], [])
    """
    if isinstance(value, dict) and (named := named_box(value)):
        return [named], []
    if (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(point, list) and len(point) == 2 for point in value)
    ):
        four = fields.four_numbers([*value[0], *value[1]])
        return ([four], []) if four else ([], [value])
    boxes, rest = boxes_in(value)
    return [form.corners(box) for box in boxes], rest


def named_box(value: Mapping[str, Any]) -> Number4 | None:
    """The box of an object whose four sides are named; None of any other object."""
    lower = {str(key).casefold(): item for key, item in value.items()}
    for names, own in _NAMED:
        a, b, c, d = (number_in(lower.get(name)) for name in names)
        if a is not None and b is not None and c is not None and d is not None:
            return own.corners((a, b, c, d))
    return None
