"""Mappings from columns of a table to fields: the available fields, guesses by column names, and mappings as JSON.

A mapping is chosen by a person, so it is only checked against the available fields: a column that a row does not have
is an empty cell. Several fields may be read from one column; a field has one column.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.importers.column_mapping import BoxForm, ColumnMapping
from annotation.importers.interface import ImportProblem
from annotation.importers.storable import storable
from annotation.schema import shortened

MAX_COLUMN = 200
"""The maximum length of a column name, in characters."""
MAX_NAME = 60
"""The maximum length of a field name given by a person, in characters."""
MAX_FREE = 50
"""The maximum number of fields named by a person."""
BOX_FIELDS = ("box_1", "box_2", "box_3", "box_4")
_AFFIXES = re.compile(r"^(?:raw|full)_|_(?:text|txt|str|string|raw|column|col)$")
"""Affixes that writers of tables add to a name that already gives the meaning: "Prediction_text" is a prediction."""
_INSIDE = ("final_answer", "final", "answer", "text", "content", "value")
"""Last keys under which an object contains the value that its own name describes, the most likely first:
"model_output.final".
"""
_SIZES = frozenset({"w", "width", "box_w", "box_width"})
_CENTRES = frozenset({"cx"})


@dataclass(frozen=True, slots=True)
class Field:
    """A meaning of a column: its name, its title on pages, and the column names that mean it, the most likely first.

    ``beside``: a name that means it only if the table also has one of the others. ``after``: the field without which
    this one is not suggested, as option C without option B.
    """

    name: str
    title: str
    names: tuple[str, ...]
    beside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    after: str = ""


class TableFields:
    """The possible fields of the columns of one kind of table.

    ``needed``: at least one field of each group must have a column, else the sentence of the group is reported.
    ``free``: the prefix of fields named by a person, such as ``facet.`` in ``facet.light``; "" if there are no such
    fields. ``never``: for each field, the columns that are never guessed as it.
    """

    def __init__(
        self,
        fields: Iterable[Field],
        needed: Sequence[tuple[Sequence[str], str]],
        *,
        free: str = "",
        never: Mapping[str, Callable[[str], bool]] | None = None,
    ) -> None:
        self.fields: Mapping[str, Field] = {one.name: one for one in fields}
        self.free = free
        self._needed = needed
        self._never = never or {}

    def problem(self, mapping: ColumnMapping) -> str:
        """Return a sentence that names what is missing before rows can be read; "" if nothing is missing."""
        for names, sentence in self._needed:
            if not any(name in mapping.columns for name in names):
                return sentence
        lacking = [name for name in BOX_FIELDS if name not in mapping.columns]
        if 0 < len(lacking) < 4:
            named = ", ".join(self.fields[name].title for name in lacking)
            return f"A box needs four numbers. Choose a column also for: {named}."
        return ""

    def mapping_from(self, value: object) -> ColumnMapping:
        """Read a mapping from JSON: ``{"columns": {FIELD: COLUMN}, "boxes": "xyxy"}``. Raises ``ImportProblem``."""
        if not isinstance(value, Mapping) or not isinstance(value.get("columns"), Mapping):
            raise ImportProblem('A mapping is a JSON object such as {"columns": {"question": "q", "answer": "label"}}.')
        if unknown := sorted(set(value) - {"columns", "boxes", "list"}):
            raise ImportProblem(f"A mapping has no key {shortened(unknown[0], 50)!r}. It has columns, boxes and list.")
        one = storable(value.get("list") or "")
        if not isinstance(one, str) or len(one) > MAX_COLUMN:
            raise ImportProblem(f"list is not the name of a list, of at most {MAX_COLUMN} characters.")
        columns: dict[str, str] = {}
        for name, column in value["columns"].items():
            if name not in self.fields and not self._is_free(name):
                known = ", ".join([*self.fields, *([f"{self.free}NAME"] if self.free else [])])
                raise ImportProblem(f"A column cannot be read as {shortened(name, 50)!r}. It can be read as: {known}.")
            column = storable(column)
            if not isinstance(column, str) or not 0 < len(column) <= MAX_COLUMN:
                raise ImportProblem(
                    f"The column of {name} is not the name of a column, 1 to {MAX_COLUMN} characters long."
                )
            columns[name] = column
        form = value.get("boxes", BoxForm.XYXY.value)
        if form not in [one.value for one in BoxForm]:
            raise ImportProblem(f"Boxes are not written as {shortened(form, 50)!r}. Known are: {', '.join(BoxForm)}.")
        named = [name for name in columns if name not in self.fields]
        if len(named) > MAX_FREE:
            raise ImportProblem(f"At most {MAX_FREE} columns can be read as {self.free}NAME; these are {len(named)}.")
        order = [*(name for name in self.fields if name in columns), *sorted(named)]
        return ColumnMapping({name: columns[name] for name in order}, BoxForm(form), one)

    def _is_free(self, name: object) -> bool:
        """Return whether a person named this field with a valid name."""
        own = isinstance(name, str) and bool(self.free) and name.startswith(self.free) and name[len(self.free) :]
        return bool(own) and 0 < len(own.strip()) <= MAX_NAME and own.isprintable()  # type: ignore[union-attr]

    def mapping_in(self, text: str) -> ColumnMapping:
        """Read a mapping from the text of a file, like ``mapping_from``. Raises ``ImportProblem``."""
        try:
            return self.mapping_from(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise ImportProblem(f"The mapping is not JSON ({error}). Correct the file.") from error

    def means(self, field: str, column: str) -> bool:
        """Return whether a column has one of the names of a field."""
        return bool(names_of(column) & {*self.fields[field].names})

    def guessed(self, columns: Sequence[str]) -> ColumnMapping:
        """Return the mapping suggested by the column names: for each field, the most likely name that exists and is not
        used yet.
        """
        by_name: dict[str, str] = {}
        for names in ([plain(column)] for column in columns), (_short(column) for column in columns):
            for column, own in zip(columns, names, strict=True):
                for name in own:
                    by_name.setdefault(name, column)
        for name, column in _around(columns):
            by_name.setdefault(name, column)
        found: dict[str, str] = {}
        for one in self.fields.values():
            if one.after and one.after not in found:
                continue
            named = [*one.names, *(name for name, others in one.beside.items() if others & by_name.keys())]
            refused = self._never.get(one.name)
            taken = {*found.values(), *(filter(refused, columns) if refused else ())}
            if column := next((by_name[name] for name in named if name in by_name and by_name[name] not in taken), ""):
                found[one.name] = column
        if "boxes" in found or not all(name in found for name in BOX_FIELDS):
            found = {name: column for name, column in found.items() if name not in BOX_FIELDS}
        return ColumnMapping(found, _form(found))


def _form(found: Mapping[str, str]) -> BoxForm:
    if not _SIZES & {*_short(found.get("box_3", ""))}:
        return BoxForm.XYXY
    return BoxForm.CXCYWH if _CENTRES & {*_short(found["box_1"])} else BoxForm.XYWH


def plain(name: str) -> str:
    """Return a name in the form used for comparison.

    >>> plain("Sample ID"), plain("sampleId"), plain("Latency (s)"), plain("Correct?")
    ('sample_id', 'sample_id', 'latency_s', 'correct')
    """
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^\w.]+|_{2,}", "_", name).strip("_").casefold()


def names_of(column: str) -> set[str]:
    """Return all names of a column in the form used for comparison."""
    return {plain(column), *_short(column)}


def _short(column: str) -> list[str]:
    """Return shorter names of a column: its last key, and its name without the affixes of writers."""
    last = plain(column.rsplit(".", 1)[-1])
    bare = _AFFIXES.sub("", last)
    return [last, bare] if bare != last else [last]


def _around(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Return the objects that contain the described value under one of their keys, with the column of that key."""
    inner = [(*column.rpartition(".")[::2], column) for column in columns if "." in column]
    found = [
        (key, plain(around.rsplit(".", 1)[-1]), column)
        for around, last, column in inner
        if (key := plain(last)) in _INSIDE
    ]
    return [(name, column) for _, name, column in sorted(found, key=lambda one: _INSIDE.index(one[0]))]


def header_digest(columns: Iterable[str], kind: str = "") -> str:
    """Return a digest that is equal for tables with the same columns, in any order, that are read as one ``kind``."""
    said = sorted(set(columns))
    return hashlib.sha256(json.dumps([said, kind] if kind else said).encode("ascii")).hexdigest()
