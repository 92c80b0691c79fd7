"""Reads a tool's parameters from its signature, the only source of checks, JSON schemas, forms and documentation."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, wraps
from types import UnionType
from typing import Annotated, Any, Literal, ParamSpec, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from annotation.marking import Sentence, gettext_noop
from annotation.toolbox.results import MISSING, Picture, Range, ToolError, ToolResult, Unit

P = ParamSpec("P")


class Kind(StrEnum):
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    LIST = "list"


_KINDS = {
    Kind.INTEGER: gettext_noop("a whole number"),
    Kind.NUMBER: gettext_noop("a number"),
    Kind.BOOLEAN: gettext_noop("true or false"),
}
"""Kind -> its allowed values, as text."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword of a tool. ``optional`` means None is allowed. ``length`` counts the numbers of a list, 0 = any
    number of them; ``whole``: they are whole numbers. ``description`` is a ``Sentence``: English that pages translate.
    """

    name: str
    kind: Kind
    required: bool
    default: Any
    optional: bool
    range: Range | None
    choices: tuple[str | int, ...]
    length: int
    description: str
    unit: Unit | None = None
    whole: bool = True

    @property
    def allowed(self) -> str:
        """The allowed values as a ``Sentence``: "a whole number from 1 to 99, odd"."""
        words = self._allowed_kind()
        if self.range:
            template = gettext_noop("%(kind)s from %(low)s to %(high)s")
            words = Sentence(template, kind=words, low=f"{self.range.low:g}", high=f"{self.range.high:g}")
            words = Sentence(gettext_noop("%(allowed)s, odd"), allowed=words) if self.range.odd else words
        return Sentence(gettext_noop("%(allowed)s, or nothing"), allowed=words) if self.optional else words

    def _allowed_kind(self) -> Sentence:
        """Return the allowed values without their range."""
        if self.kind is Kind.CHOICE:
            return Sentence(gettext_noop("one of %(choices)s"), choices=", ".join(map(str, self.choices)))
        if self.kind is Kind.LIST and self.length:
            whole, any_number = gettext_noop("%(count)s whole numbers"), gettext_noop("%(count)s numbers")
            return Sentence(whole if self.whole else any_number, count=self.length)
        if self.kind is Kind.LIST:
            whole, any_number = gettext_noop("a list of whole numbers"), gettext_noop("a list of numbers")
            return Sentence(whole if self.whole else any_number)
        return Sentence(_KINDS[self.kind])

    def checked(self, tool: str, value: object) -> Any:
        """Return ``value`` with the type that the tool expects: 5.0 becomes 5, a list becomes a tuple. Nothing else is
        converted.
        """
        if self.kind is Kind.LIST:
            items = value if isinstance(value, list | tuple) and self.length in (0, len(value)) else [None]
            found: Any = tuple(self._fitted(_number(item, whole=self.whole)) for item in items)
            fits = all(item is not None and self._in_range(item) for item in found)
        elif self.kind is Kind.CHOICE:
            found = next((one for one in self.choices if one == value and not isinstance(value, bool)), None)
            fits = found is not None
        elif self.kind is Kind.BOOLEAN:
            found, fits = value, isinstance(value, bool)
        else:
            found = self._fitted(_number(value, whole=self.kind is Kind.INTEGER))
            fits = found is not None and self._in_range(found)
        if not fits:
            raise ToolError(tool, self.name, value, self.allowed)
        return found

    def _fitted(self, value: float | int | None) -> float | int | None:
        return value if value is None or self.range is None else self.range.clamped(value)

    def _in_range(self, value: float) -> bool:
        return self.range is None or (
            self.range.low <= value <= self.range.high and not (self.range.odd and value % 2 == 0)
        )

    def json_schema(self) -> dict[str, Any]:
        """The parameter as a flat JSON Schema that hosted model APIs accept.

        One ``type``, with ``description``, ``enum`` of strings, bounds and ``items`` only: no combinators, no ``null``,
        no ``default``. Rules that these keywords cannot express are in the description, and the call checks them.
        """
        schema = _json_type(self)
        if said := "; ".join(part for part in (self.description, *self._beyond_schema()) if part):
            schema["description"] = said
        return schema

    def _beyond_schema(self) -> Iterator[str]:
        """Rules that only the description can express: odd numbers, choices of integers, and the default."""
        if self.range and self.range.odd:
            yield "odd"
        if self.kind is Kind.CHOICE and not all(isinstance(choice, str) for choice in self.choices):
            yield "one of " + ", ".join(str(choice) for choice in self.choices)
        if not self.required and self.default is not None:
            yield f"default {json.dumps(self.default)}"


def shown_value(value: object) -> str:
    """Return a value of a parameter as people read and write it: "0, 255, 0", "true", "nothing"."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(shown_value(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: object, *, whole: bool) -> float | int | None:
    """Return ``value`` as a finite number; None if it is not a number (or not an integer, if ``whole``)."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if not whole:
        return float(value)
    return int(value) if float(value).is_integer() else None


def _json_type(parameter: Parameter) -> dict[str, Any]:
    if parameter.kind is Kind.CHOICE:
        numbers = [choice for choice in parameter.choices if isinstance(choice, int)]
        if numbers:
            return {"type": "integer", "minimum": min(numbers), "maximum": max(numbers)}
        return {"type": "string", "enum": list(parameter.choices)}
    if parameter.kind is Kind.BOOLEAN:
        return {"type": "boolean"}
    number: dict[str, Any] = {"type": "number" if parameter.kind is Kind.NUMBER else "integer"}
    if parameter.range:
        number |= {"minimum": parameter.range.low, "maximum": parameter.range.high}
    if parameter.kind is Kind.LIST:
        if not parameter.whole:
            number["type"] = "number"
        length = {"minItems": parameter.length, "maxItems": parameter.length} if parameter.length else {}
        return {"type": "array", "items": number, **length}
    return number


@cache
def parameters_of(function: Callable[..., ToolResult]) -> tuple[Parameter, ...]:
    """Return the keyword parameters of a tool, in the order of its signature."""
    hints = get_type_hints(function, include_extras=True)
    return tuple(
        _parameter(name, hints[name], found.default)
        for name, found in inspect.signature(function).parameters.items()
        if found.kind is inspect.Parameter.KEYWORD_ONLY
    )


@cache
def picture_names(function: Callable[..., ToolResult]) -> tuple[str, ...]:
    """Return the names of the images of a tool, the main input first."""
    found = inspect.signature(function).parameters.values()
    return tuple(parameter.name for parameter in found if parameter.kind is not inspect.Parameter.KEYWORD_ONLY)


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    core, optional, notes = _unwrapped(hint)
    kinds = {int: Kind.INTEGER, float: Kind.NUMBER, bool: Kind.BOOLEAN}
    origin = get_origin(core)
    kind = Kind.CHOICE if origin is Literal else Kind.LIST if origin is tuple else kinds[core]
    return Parameter(
        name=name,
        kind=kind,
        required=default is inspect.Parameter.empty,
        default=None if default is inspect.Parameter.empty else default,
        optional=optional,
        range=next((note for note in notes if isinstance(note, Range)), None),
        choices=get_args(core) if kind is Kind.CHOICE else (),
        length=len(get_args(core)) if kind is Kind.LIST and Ellipsis not in get_args(core) else 0,
        whole=kind is not Kind.LIST or get_args(core)[0] is int,
        description=_described(notes),
        unit=next((note for note in notes if isinstance(note, Unit)), None),
    )


def _described(notes: list[Any]) -> str:
    """Return the meaning of the parameter, with its unit."""
    meaning: str = next((note for note in notes if isinstance(note, str) and not isinstance(note, Unit)), "")
    if Unit.PIXELS not in notes or "pixel" in meaning:
        return Sentence(meaning) if meaning else ""
    if not meaning:
        return Sentence(gettext_noop("in pixels"))
    return Sentence(gettext_noop("%(meaning)s, in pixels"), meaning=Sentence(meaning))


def _unwrapped(hint: Any) -> tuple[Any, bool, list[Any]]:
    """Return the plain type inside ``Annotated`` and ``| None``, whether None is allowed, and the notes, outermost
    first.
    """
    optional = False
    notes: list[Any] = []
    while True:
        origin = get_origin(hint)
        if origin is Annotated:
            hint, *found = get_args(hint)
            notes += reversed(found)
        elif origin in (Union, UnionType):
            optional = True
            hint = next(part for part in get_args(hint) if part is not type(None))
        else:
            return hint, optional, notes


def snake_case(name: str) -> str:
    """Return ``minLineLength`` as ``min_line_length``: the published interface writes some parameters in camel case."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def checked_arguments(function: Callable[..., ToolResult], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``arguments`` by our parameter names, each checked. A null counts as missing.

    Raises ``ToolError`` for the first invalid argument.
    """
    tool = function.__name__
    known = {parameter.name: parameter for parameter in parameters_of(function)}
    given = {snake_case(name): value for name, value in arguments.items() if value is not None}
    for name in given:
        if name not in known:
            raise ToolError(tool, name, given[name], "the parameters " + (", ".join(known) or "(none)"))
    for name, parameter in known.items():
        if parameter.required and name not in given:
            raise ToolError(tool, name, MISSING, parameter.allowed)
    return {name: known[name].checked(tool, value) for name, value in given.items()}


def tool(description: str) -> Callable[[Callable[P, ToolResult]], Callable[P, ToolResult]]:
    """Decorator that makes a function a tool. Each call checks images and arguments against the signature first.

    ``description``: what the tool does, in English. Models, files and the API get it unchanged. Pages translate it if
    it is marked with ``gettext_noop``. It becomes the docstring. Calls raise ``ToolError``.
    """

    def described(function: Callable[P, ToolResult]) -> Callable[P, ToolResult]:
        @wraps(function)
        def call(*pictures: P.args, **arguments: P.kwargs) -> ToolResult:
            for name, picture in zip(picture_names(function), pictures, strict=False):
                _check_picture(function.__name__, name, picture)
            return cast(Callable[..., ToolResult], function)(*pictures, **checked_arguments(function, arguments))

        call.__doc__ = description
        return call

    return described


def _check_picture(tool: str, name: str, picture: object) -> None:
    allowed = "an RGB (height, width, 3) or gray (height, width) array of uint8 with at least one pixel"
    if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8 or picture.size == 0:
        raise ToolError(tool, name, type(picture).__name__, allowed)
    values = cast(Picture, picture)
    if values.ndim != 2 and not (values.ndim == 3 and values.shape[2] == 3):
        raise ToolError(tool, name, f"an array of shape {values.shape}", allowed)
