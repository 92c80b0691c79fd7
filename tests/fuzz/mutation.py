"""Changes that keep the shape of JSON or Python: values swapped for hostile ones, lost, taken from elsewhere, repeated.

A fuzzer that changes bytes alone breaks JSON far more often than it changes what the JSON says.
"""

from __future__ import annotations

import ast
import copy
import json
from random import Random
from typing import Any

from tests.fuzz.targets import PART

HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 1e308, -1e308, float("inf"), float("nan"), 10**400, 2**31, 2**53, 0.5, "", " ", "0",
    "1e999", "nan", "\x00", "\ud800", "a" * 5000, "null", "original", "[1, 2, 3, 4]", "<answer>A</answer>", "</think>",
    '<tool_call>{"name": "x", "arguments": {"bbox_2d": [1, 2, 3, 4]}}</tool_call>', "data:image/png;base64,", [], {},
    [[]], [{}], [None], {"": ""}, [1, 2, 3, 4], [4, 3, 2, 1], [0.1, 0.2, 0.3, 0.4], ["1", "2", "3", "4"], [1, 2, 3],
    {"type": "text", "text": "x"}, {"role": "assistant", "content": "x"}, ["a", "a"], [[1, 2, 3, 4]] * 3,
)  # fmt: skip

EXPRESSIONS = (
    "None", "1e999", "-1", "0", "10**9", "999999999999", "()", "[]", "image", "image.size", "image[::2]", "f(x)",
    "'o.png'", "a[1:]", "-image", "[1, 2, 3, 4]", "(1, 2)", "x if y else 0", "int('7')", "round(2.5, 1)",
    "image.crop((1, 2, 3, 4))", "min()", "max([1, 2])", "lambda: 0", "b''", "True", "1j", "a[-9]", "a[0.5]",
    "image[1:2, 3:4]", "cv2.resize(image, 5)",
)  # fmt: skip


def reshaped(data: bytes, random: Random) -> bytes | None:
    """``data`` with a change to a JSON document in it; None where there is none."""
    if not data:
        return None
    parts = data[1:].split(PART)
    index = random.randrange(len(parts))
    lines = [parts[index]]
    code = _other_code(lines[0], random)
    if code is not None:
        parts[index] = code
        return data[:1] + PART.join(parts)
    value = _read(lines[0])
    at = 0
    if value is None:
        lines = parts[index].split(b"\n")
        at = random.randrange(len(lines))
        value = _read(lines[at])
    if not isinstance(value, dict | list):
        return None
    for _ in range(random.randint(1, 3)):
        value = _changed(value, random) if isinstance(value, dict | list) else value
    lines[at] = json.dumps(value, ensure_ascii=random.random() < 0.9).encode("utf-8", "surrogatepass")
    parts[index] = b"\n".join(lines)
    return data[:1] + PART.join(parts)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every item of every object and list, as (holder, key)."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((value, key))
        if isinstance(item, dict | list) and len(found) < 2000:
            _places(item, found)
    return found


def _changed(value: Any, random: Random) -> Any:
    places = _places(value, [])
    if not places:
        return copy.deepcopy(random.choice(HOSTILE))
    holder, key = random.choice(places)
    other_holder, other_key = random.choice(places)
    match random.randrange(6):
        case 0 | 1:
            holder[key] = copy.deepcopy(random.choice(HOSTILE))
        case 2:
            del holder[key]
        case 3:
            holder[key] = copy.deepcopy(other_holder[other_key])
        case 4:
            copied = copy.deepcopy(holder[key])
            if isinstance(holder, list):
                holder.insert(key, copied)
            else:
                holder[str(other_key)] = copied
        case _:
            holder[key] = [holder[key]] if random.random() < 0.5 else json.dumps(holder[key])
    return value


def _other_code(text: bytes, random: Random) -> bytes | None:
    """A program with other expressions in some places; None when the text is no program of several statements."""
    try:
        tree = ast.parse(text)
        statements = tree.body
        if len(statements) < 2:
            return None
        for _ in range(random.randint(1, 3)):
            _swap(tree, random)
        return ast.unparse(tree).encode("utf-8", "replace")
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError, AttributeError):
        return None


def _swap(tree: ast.Module, random: Random) -> None:
    """One expression for another of the program, or for one of ``EXPRESSIONS``."""
    places = [
        (node, name, index)
        for node in ast.walk(tree)
        for name, value in ast.iter_fields(node)
        for index, item in enumerate(value if isinstance(value, list) else [value])
        if isinstance(item, ast.expr)
    ]
    if not places:
        return
    node, name, index = random.choice(places)
    if random.random() < 0.5:
        other = ast.parse(random.choice(EXPRESSIONS), mode="eval").body
    else:
        other = copy.deepcopy(random.choice([item for item in ast.walk(tree) if isinstance(item, ast.expr)]))
    held = getattr(node, name)
    if isinstance(held, list):
        held[index] = other
    else:
        setattr(node, name, other)
