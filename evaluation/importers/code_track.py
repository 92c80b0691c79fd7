"""Python in a transcript, read with ``ast`` and never run: its calls of PIL and OpenCV, and their images.

It follows constants, tuples and their unpacking, names, arithmetic on known numbers, sizes of known images, and images
through variables, lists, dictionaries, files and the program's own functions. Branches and loops are read once, in the
order in which they are written; a loop over a known list is read once per item. Everything else stays unknown: such a
crop has no box ("location unknown").
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from annotation.importers.fields import Number4
from evaluation.importers.code_calls import Reader
from evaluation.importers.code_values import MOST_ITEMS, CodeCall, Number, Raster, Scope, Table, Value, numbers_of
from evaluation.importers.zooming import Size

MAX_CODE = 200_000
MAX_CALLS = 200
MAX_ROUNDS = 20
"""Maximum number of items for which a loop over a list is followed."""
MAX_DEPTH = 8
"""Functions that call functions are followed so deep."""
MAX_STEPS = 20_000
"""Maximum number of statements that are followed in a block, counting each round of a loop."""

Rewrite = Callable[[Number4, Size], Number4]
"""Changes a box of four literal numbers like the sandbox, given the size of the original."""
BOX_NAMES = frozenset({"crop_box", "bbox", "box", "coordinates", "coords", "crop_coords", "crop_coordinates", "region"})
EDGE_NAMES = frozenset({("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom"), ("xmin", "ymin", "xmax", "ymax")})


@dataclass(frozen=True, slots=True)
class Block:
    """The content of one block of code. ``problem``: the reason why it could not be read, "" if it could."""

    calls: tuple[CodeCall, ...] = ()
    problem: str = ""


class _Enough(Exception):
    """The program does more than is followed."""


@dataclass(slots=True)
class Program:
    """The blocks of one transcript, one after the other: variables and saved files live on.

    ``names``: the variables that hold the original from the start. ``rewrite``: see ``Rewrite``. ``path``: see
    ``Scope``.
    """

    original: Raster
    names: Sequence[str] = ("image", "img", "image_1")
    rewrite: Rewrite | None = None
    path: str = ""
    scope: Scope = field(init=False)
    _left: int = field(init=False, default=0)
    _returned: list[Value] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.scope = Scope(self.original, self.path, dict.fromkeys(self.names, self.original))

    def read(self, code: str) -> Block:
        """Return the calls of the next block. Invalid Python code gives none, with the reason."""
        if len(code) > MAX_CODE:
            return Block(problem=f"the code is longer than {MAX_CODE:,} characters")
        try:
            tree = ast.parse(_outdented(code))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
            return Block(problem=f"the code is not Python{where}")
        calls: list[CodeCall] = []
        reader = Reader(self.scope, calls, self)
        self._left = MAX_STEPS
        try:
            for statement in tree.body:
                self._follow(statement, reader)
                if len(calls) >= MAX_CALLS:
                    break
        except RecursionError:
            return Block(tuple(calls[:MAX_CALLS]), "it nests too deep to be followed to its end")
        except _Enough:
            return Block(tuple(calls[:MAX_CALLS]), f"it does more than the {MAX_STEPS:,} steps that are followed")
        return Block(tuple(calls[:MAX_CALLS]))

    def run(self, name: str, given: Sequence[Value], named: dict[str, Value], reader: Reader) -> Value:
        """Return the result of a function of the program by following its body with these arguments."""
        function, outside = self.scope.functions[name], self.scope.variables
        if len(self._returned) >= MAX_DEPTH:
            return None
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        defaults = function.args.defaults
        told = {names[place - len(defaults)]: reader.value(value) for place, value in enumerate(defaults)}
        told |= dict(zip(names, given, strict=False)) | named
        self.scope.variables = {**outside, **dict.fromkeys(names), **told}
        self._returned.append(None)
        try:
            self._all(function.body, reader)
            return self._returned[-1]
        finally:
            self._returned.pop()
            self.scope.variables = outside

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _Enough

    def _follow(self, statement: ast.stmt, reader: Reader) -> None:
        self._spend()
        match statement:
            case ast.Assign(targets=targets, value=value):
                given = reader.value(value)
                for target in targets:
                    self._assign(target, _as_unpacked(given, value, target), _is_written_box(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, reader.value(value), _is_written_box(value))
            case ast.FunctionDef(name=name):
                self.scope.functions[name] = statement
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                self.scope.variables[name] = reader.value(ast.BinOp(ast.Name(id=name, ctx=ast.Load()), op, value))
            case ast.Expr(value=value):
                reader.value(value)
            case ast.For(target=target, iter=over, body=body):
                self._loop(target, reader.value(over), body, reader)
            case ast.With(items=items, body=body):
                for item in items:
                    given = reader.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, given)
                self._all(body, reader)
            case ast.If() | ast.While() | ast.Try():
                for part in _parts(statement):
                    self._all(part, reader)
            case ast.Return(value=ast.expr() as value):
                given = reader.value(value)
                if self._returned and given is not None:
                    self._returned[-1] = given

    def _all(self, body: Sequence[ast.stmt], reader: Reader) -> None:
        for statement in body:
            self._follow(statement, reader)

    def _loop(self, target: ast.expr, over: Value, body: Sequence[ast.stmt], reader: Reader) -> None:
        rounds = over[:MAX_ROUNDS] if isinstance(over, tuple) else (None,)
        for given in rounds:
            self.assign(target, given)
            self._all(body, reader)

    def assign(self, target: ast.expr, given: Value) -> None:
        """``target`` is ``given`` from now on."""
        self._spend()
        self._assign(target, given, False)

    def _assign(self, target: ast.expr, given: Value, written_box: bool) -> None:
        if isinstance(target, ast.Name):
            boxed = written_box and target.id in BOX_NAMES
            self.scope.variables[target.id] = self._rewritten(given) if boxed else given
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._put(target.value.id, target.slice, given)
        elif isinstance(target, ast.Tuple | ast.List):
            names = tuple(item.id if isinstance(item, ast.Name) else "" for item in target.elts)
            given = self._rewritten(given) if written_box and names in EDGE_NAMES else given
            parts = given if isinstance(given, tuple) and len(given) == len(names) else (None,) * len(names)
            for item, part in zip(target.elts, parts, strict=True):
                self._assign(item, part, False)

    def _put(self, name: str, index: ast.expr, given: Value) -> None:
        """``name[index] = given`` for a dictionary and a written key."""
        known = self.scope.variables.get(name)
        if isinstance(known, Table) and isinstance(index, ast.Constant) and isinstance(index.value, str):
            self.scope.variables[name] = Table((*known.items, (index.value, given))[-MOST_ITEMS:])

    def _rewritten(self, given: Value) -> Value:
        numbers = numbers_of(given)
        if self.rewrite is None or numbers is None or len(numbers) != 4 or self.original.size is None:
            return given
        a, b, c, d = (number.asked for number in numbers)
        ran = self.rewrite((a, b, c, d), self.original.size)
        return tuple(Number(number.asked, edge) for number, edge in zip(numbers, ran, strict=True))


def _is_written_box(value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple | ast.List) and len(value.elts) == 4 and all(
        isinstance(item, ast.Constant) for item in value.elts
    )  # fmt: skip


def _as_unpacked(given: Value, value: ast.expr, target: ast.expr) -> Value:
    """``h, w = grey.shape``: an image without channels has a shape of two."""
    shape = isinstance(value, ast.Attribute) and value.attr == "shape" and isinstance(given, tuple)
    two = isinstance(target, ast.Tuple | ast.List) and len(target.elts) == 2
    return given[:2] if shape and two and isinstance(given, tuple) else given


def _parts(statement: ast.If | ast.While | ast.Try) -> Iterator[Sequence[ast.stmt]]:
    yield statement.body
    if isinstance(statement, ast.Try):
        yield statement.finalbody
    yield statement.orelse


def _outdented(code: str) -> str:
    """The code without an indentation all its lines share, or that only its first line lacks."""
    code = textwrap.dedent(code.replace("\t", "    ").strip("\n"))
    first, newline, rest = code.partition("\n")
    lines = [line for line in rest.split("\n") if line.strip()]
    shifted = bool(lines) and not first.rstrip().endswith(":") and all(line.startswith(" ") for line in lines)
    return first + newline + textwrap.dedent(rest) if shifted else code.lstrip(" ")
