"""The form of the page that maps the keys of a log: its fields, and what a click on it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from annotation.importers.interface import ImportProblem
from evaluation.importers.mapped.mapping import FIELDS, KeyMapping, mapping_from, mapping_in
from evaluation.importers.mapped.outline import Outline
from evaluation.importers.mapped.paths import KeyPath
from evaluation.importers.mapped.placing import placed
from evaluation.importers.mapped.proposals import propose

LEAVE = "text"
"""The value sent for a text that is not parsed."""


@dataclass
class KeyForm:
    """``values``: the mapping as sent, which may be none; ``chosen``: the key that is chosen in the tree; ``errors`` by
    field."""

    values: dict[str, Any] = field(default_factory=dict)
    chosen: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, mapping: KeyMapping) -> KeyForm:
        return cls(mapping.as_dict())

    @property
    def mapping(self) -> KeyMapping | None:
        """The mapping; None, with errors, if it is invalid."""
        try:
            return mapping_from(self.values)
        except ImportProblem as problem:
            name, _, said = str(problem).partition(": ")
            known = name in FIELDS or name in ("coordinates", "texts", "roles")
            self.errors[name if known else ""] = said if known else str(problem)
            return None

    @property
    def lenient(self) -> KeyMapping:
        """The valid part of the mapping."""
        values = dict(self.values)
        while True:
            form = KeyForm(values)
            if (mapping := form.mapping) is not None:
                return mapping
            for name in form.errors:
                values.pop(name, None)
            if "" in form.errors:
                return KeyMapping()


def sent(data: QueryDict, outline: Outline, is_sample: Callable[[str], bool] | None = None) -> KeyForm:
    """Return the posted form with the requested change. ``is_sample`` as for ``propose``."""
    form = KeyForm(_values(data), data.get("chosen", ""))
    what, _, which = data.get("do", "").partition(":")
    if what == "put" and which in FIELDS and form.chosen:
        _put(form, which, outline)
    elif what == "clear":
        form.values.pop(which, None)
    elif what == "take" and form.chosen:
        mapping = form.lenient
        path = KeyPath.parse(form.chosen).behind(mapping.rows)
        form.values["texts"] = {**form.values.get("texts", {}), str(path): which}
    elif what == "boxes":
        form.values["box_form"], _, form.values["coordinates"] = which.partition(",")
    elif what == "propose":
        form.values = propose(outline, form.lenient.paths.get("rows"), is_sample).as_dict()
    elif what == "load":
        try:
            form.values = mapping_in(data.get("json", "")).as_dict()
        except ImportProblem as problem:
            form.errors["json"] = str(problem)
    return form


def _put(form: KeyForm, name: str, outline: Outline) -> None:
    mapping = form.lenient
    try:
        chosen = KeyPath.parse(form.chosen)
    except ImportProblem:
        return
    paths = placed(name, chosen, mapping.paths, outline.tree(mapping.rows, mapping.texts))
    others = {key: value for key, value in form.values.items() if key not in FIELDS}
    form.values = {**others, **{key: str(path) for key, path in paths.items()}}


def _values(data: QueryDict) -> dict[str, Any]:
    values: dict[str, Any] = {name: text for name in FIELDS if (text := data.get(f"path.{name}", "").strip())}
    if form := data.get("box_form"):
        values["box_form"] = form
    space = data.get("coordinates", "")
    if space:
        values["coordinates"] = data.get("sent_size", "").strip() if space == "size" else space
    if data.get("images_from") == "1":
        values["images_from"] = 1
    texts = _pairs(data, "text", "text_how")
    roles = _pairs(data, "role", "role_is")
    if texts:
        values["texts"] = {path: how for path, how in texts.items() if how != LEAVE}
    if roles:
        values["roles"] = {role: kind for role, kind in roles.items() if kind}
    return values


def _pairs(data: QueryDict, name: str, value: str) -> Mapping[str, str]:
    return dict(zip(data.getlist(name), data.getlist(value), strict=False))
