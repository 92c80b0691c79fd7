"""The tree of a JSON file: the keys of its first rows, their values, and their frequency.

Only the beginning of a file is read, whatever its length. Items of a list are one node, and so are the values of an
object whose keys are ids. Parsed texts are shown by their result.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.box_cells import boxes_in
from annotation.importers.interface import ImportProblem
from annotation.importers.reading import is_lines
from annotation.importers.sources import HEAD_BYTES, Limits, Member, open_members
from annotation.importers.storable import storable
from annotation.schema import shortened
from evaluation.importers.mapped.calls import named_box
from evaluation.importers.mapped.paths import EVERY, KeyPath, Place, Step
from evaluation.importers.mapped.pictures import is_image, is_image_data
from evaluation.importers.mapped.reading import take_apart
from evaluation.importers.mapped.rows import WANTED, data_files
from evaluation.importers.mapped.scanning import RowScanner
from evaluation.importers.mapped.texts import kind_of

ROWS = 50
"""The maximum number of rows for the tree."""
FIRST_BYTES, MOST_BYTES = 2 << 20, 64 << 20
"""So much of a document is looked at; more, up to the second, while not even one row ends in it."""
MAX_NODES, MAX_DEPTH, MAX_KEYS = 600, 14, 120
EXAMPLES = 3
SIMILAR, MOST_ALIKE = 0.5, 0.75
"""Shares for recognizing objects under ids: each object has at least this share of the common keys, and at least this
share of the objects does. The others lack a key that may be missing."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"|[\[\]{}]', re.DOTALL)
_CLOSER = {"[": "]", "{": "}"}
_TYPES = {dict: "object", list: "list", str: "text", bool: "boolean", int: "number", float: "number"}


@dataclass(slots=True)
class Node:
    """A key, or the items of a list or of an object by id: how often it is there, as what, and the first values.

    ``marks`` counts what values look like: box, image, word (a short name), and the ways texts ask to be taken apart.
    ``numbers``: the values of boxes, for proposing how they are written.
    """

    path: KeyPath
    count: int = 0
    types: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    marks: Counter[str] = field(default_factory=Counter)
    numbers: list[tuple[float, float, float, float]] = field(default_factory=list)
    different: set[str] = field(default_factory=set)
    children: dict[Step, Node] = field(default_factory=dict)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the file."""
        yield self
        for child in self.children.values():
            yield from child.walk()

    @property
    def label(self) -> str:
        """The last step of its path."""
        return str(KeyPath(self.path.steps[-1:])) if self.path.steps else "."

    @property
    def name(self) -> str:
        """Its key, "" of items."""
        last = self.path.steps[-1] if self.path.steps else ""
        return last if isinstance(last, str) else ""


@dataclass(frozen=True, slots=True)
class Outline:
    """``values``: the beginning of the file, as one document or as the first lines; ``lines``: it is JSONL."""

    values: Sequence[Any]
    lines: bool = False

    def tree(self, rows: KeyPath | None = None, texts: Mapping[KeyPath, str] | None = None) -> Node:
        """The tree from the top of the file, of at most ``ROWS`` rows, with texts of the rows taken apart."""
        top = Node(KeyPath())
        room = [MAX_NODES]
        for value in self.values:
            copy = json.loads(json.dumps(value))
            if texts:
                copy = _taken_apart(copy, rows.steps if rows else (), texts)
            _add(top, copy, room)
        return top

    def rows(self, rows: KeyPath) -> list[Any]:
        """The first rows."""
        found = (place.value for value in self.values for place in rows.places(Place(value)))
        return list(islice(found, ROWS))


def outline_of(path: Path) -> Outline:
    """The beginning of a file. Raises ``ImportProblem`` when it is no JSON that can be looked into."""
    member = open_members(path, lambda names: list(data_files(names))[:1], WANTED, Limits(), deep=True)[0]
    with member.open() as file:
        head = file.read(HEAD_BYTES)
    if is_lines(head, member.name):
        return Outline(list(_lines(member)), lines=True)
    return Outline([_document(member)])


def outline_in(head: bytes, name: str) -> Outline:
    """Return the outline of the first bytes of a file, like ``outline_of``; empty if they aren't JSON."""
    if is_lines(head, name):
        values = (_decoded(line) for line in head.split(b"\n")[:-1] or [head])
        return Outline([value for value in values if value is not None][:ROWS], lines=True)
    value = _decoded(head)
    if value is None:
        value = _decoded(_closed(head.decode("utf-8", "replace")).encode())
    return Outline([value] if isinstance(value, dict | list) else [])


def digest_of(tree: Node) -> str:
    """Return a digest that is equal for files with the same keys: those that at least half of their holders have."""
    said = sorted(_usual(tree))
    return hashlib.sha256(json.dumps(said).encode("ascii")).hexdigest()


def _usual(node: Node) -> Iterator[str]:
    yield str(node.path)
    for child in node.children.values():
        if child.path.steps[-1] is EVERY or 2 * child.count >= node.count:
            yield from _usual(child)


def _lines(member: Member) -> Iterator[Any]:
    read = 0
    with member.open() as file:
        for line in islice(iter(lambda: file.readline(MOST_BYTES), b""), 4 * ROWS):
            read += len(line)
            if line.strip() and (value := _decoded(line)) is not None:
                yield value
            if read > MOST_BYTES:
                return


def _document(member: Member) -> Any:
    """The beginning of a document: cut behind something that ended, with everything that is open closed."""
    size = FIRST_BYTES
    while True:
        with member.open() as file:
            head = file.read(size)
        whole = len(head) < size
        value = _decoded(head) if whole else None
        if value is None:
            value = _decoded(_closed(head.decode("utf-8", "replace")).encode())
        if value is None and (whole or size >= MOST_BYTES):
            value = _by_rows(head)
        if value is not None or whole or size >= MOST_BYTES:
            break
        size *= 4
    if not isinstance(value, dict | list):
        raise ImportProblem(f"{member.name} is not JSON: it contains no object and no list. Check the format.")
    return value


def _decoded(text: bytes) -> Any:
    try:
        return storable(json.loads(text.decode("utf-8", "replace").removeprefix("\ufeff"), strict=False))
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> str:
    """The text up to its last closing bracket, and a closing bracket for each that is still open there."""
    stack: list[str] = []
    cut, ends = 0, ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "[{":
            stack.append(_CLOSER[token])
        elif token in "]}":
            if not stack or stack.pop() != token:
                break
            cut, ends = match.end(), "".join(reversed(stack))
    return text[:cut] + ends


def _by_rows(head: bytes) -> Any:
    """Return the readable part of a damaged document: the rows of its top-level list, or of the lists under
    its keys.
    """
    for rows in ("[*][*]", "[*]"):
        scanner = RowScanner(KeyPath.parse(rows), MOST_BYTES)
        found: dict[str, list[Any]] = {}
        for row in islice(scanner.feed(head), 4 * ROWS):
            value = _decoded(row.text or b"")
            if isinstance(value, dict) and row.around.keys[-1] == "" and row.around.keys != ("", ""):
                found.setdefault(row.around.keys[0], []).append(value)
            elif isinstance(value, dict) and rows == "[*]":
                found[row.around.keys[0]] = [value]
        if found:
            return found.get("", {**scanner.root, **found})
    return None


def _taken_apart(value: Any, rows: Sequence[Step], texts: Mapping[KeyPath, str]) -> Any:
    """``value`` with the texts of the rows in it taken apart."""
    if not rows:
        return take_apart(value, texts)
    if isinstance(value, list):
        for index, item in enumerate(value[:ROWS]):
            if rows[0] is EVERY or rows[0] == index:
                value[index] = _taken_apart(item, rows[1:], texts)
    elif isinstance(value, dict):
        for key in list(value) if rows[0] is EVERY else [rows[0]] if isinstance(rows[0], str) else ():
            if key in value:
                value[key] = _taken_apart(value[key], rows[1:], texts)
    return value


def _add(node: Node, value: Any, room: list[int]) -> None:
    """Counts a value in its node, and what is in it below."""
    node.count += 1
    node.types[_TYPES.get(type(value), "null")] += 1
    if isinstance(value, dict):
        pairs: Iterator[tuple[Step, Any]] = iter(value.items())
        if is_by_id(value):
            pairs = ((EVERY, item) for item in islice(value.values(), ROWS))
    elif isinstance(value, list):
        pairs = ((EVERY, item) for item in value[:ROWS])
    else:
        pairs = iter(())
    _look(node, value)
    for step, item in islice(pairs, MAX_KEYS):
        if step not in node.children:
            if room[0] <= 0 or len(node.path.steps) >= MAX_DEPTH:
                continue
            room[0] -= 1
            node.children[step] = Node(KeyPath((*node.path.steps, step)))
        _add(node.children[step], item, room)


def is_by_id(value: Mapping[str, Any]) -> bool:
    """Whether the keys of an object are ids: their values are similar."""
    items = list(islice(value.values(), ROWS))
    numbered = all(any(character.isdigit() for character in key) for key in islice(value, ROWS))
    if numbered:  # a record may have failed and be null, or contain only a reason
        items = [item for item in items if isinstance(item, dict | list)] or items
    if len(items) < (2 if numbered else 3):
        return False
    if all(isinstance(item, str) for item in items):
        return numbered
    firsts = [item[0] if isinstance(item, list) and item else item for item in items]
    if len({type(item) for item in items}) > 1 or not all(isinstance(item, dict) and item for item in firsts):
        return False
    counted = Counter(key for one in firsts for key in one)
    usual = {key for key, count in counted.items() if 2 * count >= len(firsts)}
    alike = sum(len(one.keys() & usual) >= SIMILAR * len(one.keys() | usual) for one in firsts)
    return bool(usual) and alike >= MOST_ALIKE * len(firsts)


def _look(node: Node, value: Any) -> None:
    """Marks what a value looks like, and keeps the first as examples."""
    four = fields.four_numbers(value) if isinstance(value, list) else None
    if four is None and isinstance(value, list) and len(value) == 2 and all(isinstance(one, list) for one in value):
        four = fields.four_numbers([*value[0], *value[1]])
    if isinstance(value, dict) and len(value) <= MAX_KEYS:
        four = named_box(value)
    if four is None and isinstance(value, str) and len(value) < 200 and any(c.isdigit() for c in value):
        found, rest = boxes_in(value)
        four = found[0] if found and not rest else None
    if four is not None:
        node.marks["box"] += 1
        node.numbers.append(four)
    if isinstance(value, str):
        if is_image(value):
            node.marks["image"] += 1
        elif how := kind_of(value):
            node.marks[how] += 1
        elif 0 < len(value) <= 60 and len(value.split()) <= 4:
            node.marks["word"] += 1
    if value is not None and not isinstance(value, dict | list):
        node.different.add(str(value)[:100])
    text = _example(value)
    if text and len(node.examples) < EXAMPLES and text not in node.examples:
        node.examples.append(text)


def _example(value: Any) -> str:
    if isinstance(value, str):
        return "(image data)" if is_image_data(value) else shortened(value, 60)
    if isinstance(value, dict) or value is None or value == []:
        return ""
    if isinstance(value, list):
        flat = len(value) <= 8 and not any(isinstance(item, dict | list) for item in value)
        return shortened(json.dumps(value, ensure_ascii=False), 60) if flat else f"{len(value)} items"
    return shortened(json.dumps(value), 60)
