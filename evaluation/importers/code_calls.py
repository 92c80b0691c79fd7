"""Evaluates expressions and collects their tool calls; see ``code_track``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Protocol

from annotation.importers.fields import Number4
from evaluation.importers import code_tools as tools
from evaluation.importers.code_builtins import LISTS, joined_text, mapped, of_items
from evaluation.importers.code_values import (
    FUNCTIONS,
    MOST_ITEMS,
    NOWHERE,
    CodeCall,
    Maker,
    Number,
    Raster,
    Scope,
    Table,
    Value,
    arithmetic,
    negative,
    numbers_of,
    plain,
    worked_out,
)
from evaluation.importers.zooming import Size


class Follower(Protocol):
    """Follows statements; see ``code_track``."""

    def assign(self, target: ast.expr, given: Value) -> None: ...
    def run(self, name: str, given: Sequence[Value], named: dict[str, Value], reader: Reader) -> Value: ...


class Reader:
    """Works out expressions against what the program knows; calls of tools go to ``calls``."""

    def __init__(self, scope: Scope, calls: list[CodeCall], follower: Follower) -> None:
        self.scope, self.calls, self.follower = scope, calls, follower

    def value(self, node: ast.expr) -> Value:
        """The value of ``node``, None if it is unknown."""
        match node:
            case ast.Constant(value=bool() | None | bytes() | complex()):
                return None
            case ast.Constant(value=int() | float() as number):
                return Number.of(float(number)) if abs(number) < 1e9 else None
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id=name):
                return self.scope.variables.get(name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(self._all(parts))
            case ast.Dict(keys=keys, values=values):
                pairs = list(zip(keys, values, strict=True))[:MOST_ITEMS]
                found = [(self.value(key) if key else None, self.value(item)) for key, item in pairs]
                return Table(tuple((key, item) for key, item in found if isinstance(key, str)))
            case ast.JoinedStr(values=parts):
                return joined_text([self.value(part) for part in parts])
            case ast.FormattedValue(value=inner):
                return self.value(inner)
            case ast.ListComp() | ast.GeneratorExp():
                return tuple(self._comprehended(node.elt, node.generators))
            case ast.NamedExpr(target=target, value=inner):
                self.follower.assign(target, given := self.value(inner))
                return given
            case ast.BinOp(left=left, op=op, right=right):
                return arithmetic(type(op), self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return negative(self.value(operand))
            case ast.Attribute(value=owner, attr=name):
                return self._attribute(self.value(owner), name)
            case ast.Subscript(value=owner, slice=index):
                return self._item(self.value(owner), index)
            case ast.Call():
                return self._call(node)
            case ast.IfExp(body=body, orelse=orelse):
                given = self.value(body)
                return self.value(orelse) if given is None else given
        return None

    def _all(self, parts: Sequence[ast.expr]) -> list[Value]:
        """The values of some expressions, those of lists with a star taken apart."""
        found: list[Value] = []
        for part in parts[:MOST_ITEMS]:
            given = self.value(part.value if isinstance(part, ast.Starred) else part)
            apart = isinstance(part, ast.Starred) and isinstance(given, tuple)
            found += given if apart and isinstance(given, tuple) else [given]
        return found[:MOST_ITEMS]

    def _comprehended(self, item: ast.expr, loops: Sequence[ast.comprehension]) -> list[Value]:
        over = self.value(loops[0].iter)
        found: list[Value] = []
        for given in over[:MOST_ITEMS] if isinstance(over, tuple) else (None,):
            self.follower.assign(loops[0].target, given)
            found += self._comprehended(item, loops[1:]) if loops[1:] else [self.value(item)]
        return found[:MOST_ITEMS]

    def _attribute(self, owner: Value, name: str) -> Value:
        if not isinstance(owner, Raster):
            return name if owner is None and name.isupper() else None  # a constant of a library
        size = owner.size and (Number.of(owner.size[0]), Number.of(owner.size[1]))
        if size is None:
            return None
        known: dict[str, Value] = {
            "size": size,
            "shape": (size[1], size[0], Number.of(3.0)),
            "width": size[0],
            "height": size[1],
        }
        return known.get(name)

    def _item(self, owner: Value, index: ast.expr) -> Value:
        if isinstance(owner, Raster):
            return self._slice(owner, index)
        if isinstance(owner, Table):
            return owner.get(self.value(index))
        if not isinstance(owner, tuple):
            return None
        if isinstance(index, ast.Slice):
            low, high = (self.value(end) if end else None for end in (index.lower, index.upper))
            first = int(low.asked) if isinstance(low, Number) else 0
            last = int(high.asked) if isinstance(high, Number) else len(owner)
            return owner[first:last]
        at = self.value(index)
        in_range = isinstance(at, Number) and -len(owner) <= at.asked < len(owner)
        return owner[int(at.asked)] if in_range and isinstance(at, Number) else None

    def _slice(self, raster: Raster, index: ast.expr) -> Value:
        """``picture[y1:y2, x1:x2]`` is a crop, rows first; a channel or a mask is the same image."""
        parts = index.elts[:2] if isinstance(index, ast.Tuple) else [index]
        cuts = [part for part in parts if isinstance(part, ast.Slice)]
        if len(cuts) != len(parts) or all(cut.lower is None and cut.upper is None for cut in cuts):
            return self._mirrored(raster, cuts) if len(cuts) == len(parts) else raster
        rows = cuts[0]
        columns = cuts[1] if len(cuts) > 1 else ast.Slice()
        wide, high = raster.size or (None, None)
        x1, x2 = self._ends(columns, wide)
        y1, y2 = self._ends(rows, high)
        return self.crop(raster, (x1, y1, x2, y2), inside=True)

    def _mirrored(self, raster: Raster, cuts: Sequence[ast.Slice]) -> Raster:
        """``picture[::-1]`` is turned upside down, ``picture[:, ::-1]`` has its sides changed."""
        for cut, direction in zip(cuts, ("vertical", "horizontal"), strict=False):
            if cut.step is not None and plain(self.value(cut.step)) == -1:
                raster = self.record("flip", {"direction": direction}, raster, raster.size)
        return raster

    def _ends(self, cut: ast.Slice, length: float | None) -> tuple[Value, Value]:
        """Return the beginning and end of a slice; negative numbers are counted from the end."""
        low = self.value(cut.lower) if cut.lower else Number.of(0.0)
        full = None if length is None else Number.of(length)
        high = self.value(cut.upper) if cut.upper else full
        return _from_start(low, length), _from_start(high, length)

    def crop(self, raster: Raster, edges: Value, inside: bool = False) -> Raster:
        """A crop of ``raster``; ``inside``: what reaches beyond the image is not there, as for arrays."""
        numbers = numbers_of(edges)
        asked = _box([number.asked for number in numbers or ()])
        ran = _box([number.ran for number in numbers or ()])
        if inside and ran and raster.size:
            ran = (ran[0], ran[1], min(ran[2], raster.size[0]), min(ran[3], raster.size[1]))
        size = (ran[2] - ran[0], ran[3] - ran[1]) if ran and ran[0] < ran[2] and ran[1] < ran[3] else None
        return self.record("crop", {"box": plain(edges)}, raster, size, asked, None if ran == asked else ran)

    def record(
        self,
        tool: str,
        arguments: dict[str, Any],
        raster: Raster | None,
        size: Size | None,
        asked: Number4 | None = None,
        ran: Number4 | None = None,
        returns: bool = True,
    ) -> Raster:
        """Notes a call; the image it gives, or for one that only measures, the image it measured."""
        made = self.scope.new_picture(size) if returns else None
        if raster is NOWHERE:
            asked = ran = None
        given, out = (picture.id if picture else None for picture in (raster, made))
        self.calls.append(CodeCall(tool, arguments, given, out, asked, ran, made.size if made else None))
        return made or raster or self.scope.original

    def _call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(value=owner, attr=name):
                on = self.value(owner)
            case ast.Name(id=name):
                on = None
            case _:
                on, name = None, ""
        constants = tools.constants_in(node)
        given = self._all(node.args)
        named = {part.arg: self.value(part.value) for part in node.keywords if part.arg}
        if isinstance(on, Raster) and (made := self._method(name, on, given, named, constants)) is not None:
            return made
        if isinstance(on, Maker):
            return self._made(name, on, given)
        if isinstance(on, tuple | Table):
            return self._of_items(node.func, name, on, given)
        if isinstance(node.func, ast.Name) and name in self.scope.functions:
            return self.follower.run(name, given, named, self)
        if isinstance(node.func, ast.Name) and name in {"open", "map"}:
            function = node.args[0] if node.args else None
            return mapped(function.id, given[-1]) if name == "map" and isinstance(function, ast.Name) else None
        return self._function(name, given, named, constants, node)

    def _of_items(self, function: ast.expr, name: str, on: tuple[Value, ...] | Table, given: list[Value]) -> Value:
        """A method of a list or dictionary; what is appended to a variable is in it from then on."""
        if name == "append" and isinstance(on, tuple) and given and isinstance(function, ast.Attribute):
            self.follower.assign(function.value, (*on, given[0])[:MOST_ITEMS])
            return None
        return of_items(name, on, given)

    def _method(
        self, name: str, raster: Raster, given: list[Value], named: dict[str, Value], constants: list[str]
    ) -> Value:
        """A method of an image."""
        first = given[0] if given else None
        if name == "crop":
            return self.crop(raster, named.get("box", first))
        if name == "resize":
            raster = self.crop(raster, named["box"]) if "box" in named else raster
            return self._resized(raster, tools.pair(tools.resized(given, named, raster.size)))
        if name == "thumbnail":
            made = self._resized(raster, tools.thumbnail(tools.pair(named.get("size", first)), raster.size))
            self.scope.replace(raster, made)
            return made
        if name == "rotate":
            angle = negative(named.get("angle", first))
            grows = "expand" in named or len(given) > 2
            size = tools.turned_size(raster.size, angle) if grows else raster.size
            return self.record("rotate", {"angle": plain(angle)}, raster, size)
        if name == "transpose":
            return self._turned(raster, constants)
        if name == "convert" and isinstance(first, str):
            tool = tools.MODES.get(first)
            return self.record(tool, {}, raster, raster.size) if tool else raster
        if name == "filter":
            tool = next((tools.FILTERS[part] for part in constants if part in tools.FILTERS), None)
            return self.record(tool or "filter", {}, raster, raster.size)
        if name == "point":
            return self.record("threshold", {}, raster, raster.size)
        if name == "save":
            self.scope.save(first, raster)
        return raster if name in tools.COPIES | {"save"} else None

    def _resized(self, raster: Raster, wanted: Size | None) -> Raster:
        return self.record("resize", {"size": plain(wanted and tuple(map(Number.of, wanted)))}, raster, wanted)

    def _turned(self, raster: Raster, constants: list[str]) -> Raster:
        for part in constants:
            if part in tools.FLIPS:
                return self.record("flip", {"direction": tools.FLIPS[part]}, raster, raster.size)
            if part in tools.TURNS:
                size = tools.turned_size(raster.size, Number.of(tools.TURNS[part]))
                return self.record("rotate", {"angle": tools.TURNS[part]}, raster, size)
        return self.record("rotate", {}, raster, None)

    def _made(self, name: str, maker: Maker, given: list[Value]) -> Value:
        """A method of an enhancer or of CLAHE."""
        if maker.name in tools.ENHANCERS and name == "enhance":
            tool, parameter = tools.ENHANCERS[maker.name]
            size = maker.raster.size if maker.raster else None
            return self.record(tool, {parameter: plain(given[0] if given else None)}, maker.raster, size)
        if maker.name == "Draw" and name in tools.DRAWN and maker.raster:
            self.scope.replace(maker.raster, self.record(tools.DRAWN[name], {}, maker.raster, maker.raster.size))
            return None
        raster = given[0] if given and isinstance(given[0], Raster) else None
        if maker.name == "createCLAHE" and name == "apply":
            return self.record("histogram", {"mode": "clahe"}, raster, raster.size if raster else None)
        return None

    def _function(
        self, name: str, given: list[Value], named: dict[str, Value], constants: list[str], node: ast.Call
    ) -> Value:
        """Evaluate a function of any module."""
        raster = next((value for value in given if isinstance(value, Raster)), None)
        if name in FUNCTIONS:
            return worked_out(name, given)
        if name in LISTS and (made := LISTS[name](given)) is not None:
            return made
        if name in {"open", "imread"}:
            return self.scope.opened(given[0] if given else None)
        if name in tools.ENHANCERS or name in {"createCLAHE", "Draw"}:
            return Maker(name, raster)
        if name == "imwrite" and raster:
            self.scope.save(given[0], raster)
            return None
        if raster is None:
            box = named.get("box", given[0] if given else None)
            return self.crop(NOWHERE, box) if name == "crop" and isinstance(node.func, ast.Attribute) else None
        if name in tools.COPIES or name in {"split", "merge", "imshow"}:
            return raster
        return self._library(name, raster, given, named, constants, node)

    def _library(
        self,
        name: str,
        raster: Raster,
        given: list[Value],
        named: dict[str, Value],
        constants: list[str],
        node: ast.Call,
    ) -> Value:
        """A function of ``cv2`` or ``ImageOps`` on an image."""
        rest = given[given.index(raster) + 1 :]
        if name == "cvtColor":
            tool = next((found for part in constants if (found := tools.colour_of(part))), None)
            return self.record(tool, {}, raster, raster.size) if tool else raster
        if name == "resize":
            return self._resized(raster, tools.pair(tools.resized(rest, named, raster.size)))
        if name == "crop":
            return self.crop(raster, tools.edges_cut(rest or [named.get("border")], raster.size))
        if name == "rot90":
            times = plain(rest[0]) if rest else 1
            angle = Number.of(-90.0 * times) if isinstance(times, int) else None
            return self.record("rotate", {"angle": plain(angle)}, raster, tools.turned_size(raster.size, angle))
        if name in {"flip", "mirror", "fliplr", "flipud"}:
            across = name in {"mirror", "fliplr"} or (name == "flip" and rest and plain(rest[0]) == 1)
            return self.record("flip", {"direction": "horizontal" if across else "vertical"}, raster, raster.size)
        if name == "rotate":
            return self._turned(raster, constants)
        known = tools.CALLS.get(name)
        if known is None:
            return None
        arguments = tools.arguments_of(known, rest, named)
        size = raster.size if known.tool != "pyramid" else None
        made = self.record(known.tool, arguments, raster, size, returns=known.picture)
        if name in tools.IN_PLACE:
            self.scope.replace(raster, made)
        if not known.picture:
            return None
        return made if known.returns is None else tuple(made if n == known.returns else None for n in range(2))


def _box(edges: list[float]) -> Number4 | None:
    if len(edges) != 4:
        return None
    a, b, c, d = edges
    return a, b, c, d


def _from_start(value: Value, length: float | None) -> Value:
    if not isinstance(value, Number) or value.asked >= 0:
        return value
    return None if length is None else Number(length + value.asked, length + value.ran)
