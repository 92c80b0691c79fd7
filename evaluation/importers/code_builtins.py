"""The results of Python's built-in functions for lists, texts and dictionaries in a program that is parsed and never
run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from evaluation.importers.code_values import FUNCTIONS, LONGEST, MOST_ITEMS, Number, Table, Value, worked_out


def _same(given: list[Value]) -> Value:
    return given[0] if len(given) == 1 and isinstance(given[0], tuple) else None


def _reversed(given: list[Value]) -> Value:
    return given[0][::-1] if given and isinstance(given[0], tuple) else None


def _numbered(given: list[Value]) -> Value:
    items = given[0] if given else None
    first = int(given[1].asked) if len(given) > 1 and isinstance(given[1], Number) else 0
    if not isinstance(items, tuple):
        return None
    return tuple((Number.of(float(place)), item) for place, item in enumerate(items, first))


def _zipped(given: list[Value]) -> Value:
    lists = [item for item in given if isinstance(item, tuple)]
    return tuple(zip(*lists, strict=False)) if lists and len(lists) == len(given) else None


def _range(given: list[Value]) -> Value:
    ends = [int(item.asked) for item in given if isinstance(item, Number)]
    if not 0 < len(ends) < 4 or len(ends) != len(given) or ends[2:] == [0]:
        return None
    return tuple(Number.of(float(place)) for place in range(*ends)[:MOST_ITEMS])


def _length(given: list[Value]) -> Value:
    return Number.of(float(len(given[0]))) if len(given) == 1 and isinstance(given[0], tuple) else None


def _path(given: list[Value]) -> Value:
    """``os.path.join``: the last part names the file."""
    return given[-1][-LONGEST:] if given and isinstance(given[-1], str) else None


def _kernel(given: list[Value]) -> Value:
    """``np.ones((5, 5))`` and ``cv2.getStructuringElement(shape, (5, 5))``: its sides."""
    return next((item for item in given if isinstance(item, tuple)), None)


LISTS: Mapping[str, Callable[[list[Value]], Value]] = {
    "list": _same,
    "tuple": _same,
    "array": _same,
    "asarray": _same,
    "sorted": _same,
    "reversed": _reversed,
    "enumerate": _numbered,
    "zip": _zipped,
    "range": _range,
    "len": _length,
    "ones": _kernel,
    "getStructuringElement": _kernel,
    "join": _path,
    "str": _path,
    "Path": _path,
}
"""Functions of lists and of file names; each returns None if the result is unknown."""


def mapped(name: str, items: Value) -> Value:
    """``map(name, items)`` for a function of numbers."""
    if name not in FUNCTIONS or not isinstance(items, tuple):
        return None
    return tuple(worked_out(name, [item]) for item in items)


def of_items(name: str, owner: tuple[Value, ...] | Table, given: list[Value]) -> Value:
    """A method of a list, an array of numbers or a dictionary."""
    if isinstance(owner, tuple):
        return owner if name in {"copy", "tolist", "astype", "flatten"} else None
    if name == "get" and given:
        return owner.get(given[0]) or (given[1] if len(given) > 1 else None)
    if name == "items":
        return tuple((key, value) for key, value in owner.items)
    if name in {"keys", "values"}:
        return tuple(item[name == "values"] for item in owner.items)
    return None


def joined_text(parts: list[Value]) -> str:
    """An f-string: what only a run knows is there as a question mark, the same one wherever it is written."""
    said = []
    for part in parts:
        number = part.asked if isinstance(part, Number) else None
        whole = int(number) if number is not None and number.is_integer() else number
        said.append(part if isinstance(part, str) else "?" if whole is None else str(whole))
    return "".join(said)[-LONGEST:]
