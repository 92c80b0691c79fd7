"""A person's mapping for a JSON file of no known format: fields to paths of keys. It is data, not code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.importers.column_mapping import BoxForm
from annotation.importers.interface import ImportProblem
from annotation.importers.storable import clean
from annotation.schema import shortened
from evaluation.importers.box_space import BoxSpace
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath
from evaluation.importers.mapped.texts import READERS

MOST_TEXTS = 20
MOST_ROLES = 50
MAX_ROLE = 100


@dataclass(frozen=True, slots=True)
class KeyField:
    """Something a key may be read as. ``hint`` says what it is; ``key``: the letter that puts the chosen key there."""

    name: str
    title: str
    hint: str
    key: str
    group: str


ROW, CALL = "row", "call"
_FIELDS = (
    KeyField("rows", "Rows", "The list, or the object by id, with one trajectory each", "r", ROW),
    KeyField("sample", "Sample: its id", "Joins the row with a sample", "s", ROW),
    KeyField("image", "Sample: its image", "A file name; joins where no id does", "i", ROW),
    KeyField("question", "Sample: its question", "Joins where no id does", "q", ROW),
    KeyField("answer", "Answer of the model", "Never the gold answer", "a", ROW),
    KeyField("model", "Model", "In the row, or in what encloses it", "m", ROW),
    KeyField("setting", "Setting", "How the model was run", "e", ROW),
    KeyField("rollout", "Rollout", "0, 1, 2 …", "o", ROW),
    KeyField("verdict", "Verdict of the file", "Whether its answer is correct", "v", ROW),
    KeyField("failed", "Failed", "Why there is no answer, or why a call failed", "f", ROW),
    KeyField("turns", "Turns", "The list of turns of a row", "u", CALL),
    KeyField("role", "Role of a turn", "Role: model, tool or user", "l", CALL),
    KeyField("said", "Reasoning", "The text before a call", "h", CALL),
    KeyField("calls", "Calls", "The list of tool calls, in a turn or in the row", "c", CALL),
    KeyField("tool", "Tool", "The name of the tool", "t", CALL),
    KeyField("arguments", "Arguments", "What the tool was given", "g", CALL),
    KeyField("box", "Box", "Four numbers, or an object of them", "b", CALL),
    KeyField("image_in", "Input image", "Which image a call works on", "n", CALL),
    KeyField("image_out", "Output image", "What the image it returned is called", "p", CALL),
    KeyField("observation", "Observation", "What the tool returned", "w", CALL),
)
FIELDS: Mapping[str, KeyField] = {one.name: one for one in _FIELDS}
OUTER = ("model", "setting")
"""Fields that may be outside a row, in an enclosing object."""
IN_CALL = ("said", "tool", "arguments", "box", "image_in", "image_out", "observation")
"""Fields whose path begins in a call, or in the row if it has the same beginning as that of turns or calls."""
_LISTS = ("rows", "turns", "calls")
_OPTIONS = ("box_form", "coordinates", "images_from", "texts", "roles")

MODEL, REPLY, PROMPT = "model", "reply", "prompt"
ROLES: Mapping[str, str] = {
    **dict.fromkeys(("assistant", "gpt", "model", "bot", "agent", "ai", "llm", "policy"), MODEL),
    **dict.fromkeys(
        ("tool", "function", "observation", "obs", "environment", "env", "tool_result", "result", "executor"), REPLY
    ),
    **dict.fromkeys(("user", "human", "system", "developer", "prompt", "question"), PROMPT),
}
"""The default meaning of roles of turns."""


@dataclass(frozen=True, slots=True)
class KeyMapping:
    """``paths`` of the fields. ``box_form``, ``coordinates``: the notation of boxes. ``images_from``: the number of the
    original image, if images are named by number. ``texts``: how the text at a path of the row is parsed; deeper paths
    lead into the result. ``roles``: the meaning of a role: model, reply or prompt.
    """

    paths: Mapping[str, KeyPath] = field(default_factory=dict)
    box_form: BoxForm = BoxForm.XYXY
    coordinates: str = "pixel"
    images_from: int = 0
    texts: Mapping[KeyPath, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> KeyPath:
        return self.paths.get("rows", KeyPath())

    @property
    def space(self) -> BoxSpace:
        return BoxSpace.parse(self.coordinates)

    @property
    def takes_whole_rows(self) -> bool:
        """Whether a row that is no object can be read: some path begins with the row itself being a text or list."""
        inner = [path for name, path in self.paths.items() if name not in ("rows", *OUTER)] + list(self.texts)
        return any(not path.steps or isinstance(path.steps[0], int) or path.steps[0] is EVERY for path in inner)

    def role_of(self, said: str) -> str:
        """The meaning of a turn with this role: model, reply, prompt, or "" if it is not set."""
        return self.roles.get(said) or ROLES.get(said.strip().casefold(), "")

    def as_dict(self) -> dict[str, Any]:
        """Return the mapping as JSON that ``mapping_from`` reads."""
        written: dict[str, Any] = {name: str(self.paths[name]) for name in FIELDS if name in self.paths}
        written |= {"box_form": self.box_form.value, "coordinates": self.coordinates}
        if self.images_from:
            written["images_from"] = self.images_from
        if self.texts:
            written["texts"] = {str(path): how for path, how in self.texts.items()}
        if self.roles:
            written["roles"] = dict(self.roles)
        return written

    def problem(self) -> str:
        """Return the missing choice without which no row can be read, as a sentence; "" if there is none."""
        if not any(name in self.paths for name in ("sample", "image", "question")):
            return "No key is mapped to a sample. Choose the key with its ID, image or question."
        if not any(name in self.paths for name in ("answer", "verdict", "failed", "calls", "tool", "arguments", "box")):
            return "No key is mapped to an answer, a call or a verdict. Choose at least one."
        return ""


def mapping_from(value: object) -> KeyMapping:
    """A mapping from JSON, such as ``{"rows": "results[*]", "sample": "qid", "answer": "log[-1].said"}``. An empty
    text leaves a field out. Raises ``ImportProblem``."""
    if not isinstance(value, Mapping):
        raise ImportProblem('A mapping is a JSON object such as {"rows": "[*]", "sample": "id", "answer": "said"}.')
    if unknown := sorted(str(name) for name in value if name not in FIELDS and name not in _OPTIONS):
        known = ", ".join([*FIELDS, *_OPTIONS])
        raise ImportProblem(f"A mapping has no field {shortened(unknown[0], 50)!r}. It has: {known}.")
    paths = {name: _path(name, value[name]) for name in FIELDS if value.get(name) not in (None, "")}
    rows = paths.get("rows", KeyPath())
    if not rows.steps:
        paths.pop("rows", None)
    mapping = KeyMapping(
        # A path may be written from the top of the file; it is kept as it leads on from the row.
        paths={name: path if name == "rows" else _in_row(path, rows) for name, path in paths.items()},
        box_form=_one_of("box_form", value.get("box_form", BoxForm.XYXY), BoxForm),
        coordinates=_coordinates(value.get("coordinates", "pixel")),
        images_from=_images_from(value.get("images_from", 0)),
        texts={_in_row(path, rows): how for path, how in _texts(value.get("texts")).items()},
        roles=_roles(value.get("roles")),
    )
    _check(mapping)
    return mapping


def mapping_in(text: str) -> KeyMapping:
    """Read a mapping from the text of a file, like ``mapping_from``. Raises ``ImportProblem``."""
    try:
        return mapping_from(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ImportProblem(f"The mapping is not JSON ({error}). Correct the file.") from error


def _path(name: str, value: object) -> KeyPath:
    try:
        return KeyPath.parse(value)
    except ImportProblem as problem:
        raise ImportProblem(f"{name}: {shortened(value, 60)!r} is not a path: {problem}.") from problem


def _in_row(path: KeyPath, rows: KeyPath) -> KeyPath:
    return path.behind(rows) if rows.steps and path.starts_with(rows) else path


def _check(mapping: KeyMapping) -> None:
    """Raises ``ImportProblem`` where paths do not fit each other."""
    for name in _LISTS:
        path = mapping.paths.get(name)
        if path and KEY in path.steps:
            raise ImportProblem(f"{name}: key() names a key, not a list. Choose the list.")
    if any(isinstance(step, int) and step < 0 for step in mapping.rows.steps):
        raise ImportProblem("rows: a file is read from its start; [-1] is not known there. Use [*] or [0].")
    turns, calls, role = (mapping.paths.get(name) for name in ("turns", "calls", "role"))
    if turns and calls and not calls.starts_with(turns):
        raise ImportProblem(f"calls: {calls} is not in a turn, {turns}. Leave turns out, or begin calls with it.")
    if role and not (turns and role.starts_with(turns)):
        raise ImportProblem(f"role: {role} is not in a turn. Give turns, and begin role with it.")


def _one_of(name: str, value: object, known: type[BoxForm]) -> BoxForm:
    if value not in [one.value for one in known]:
        raise ImportProblem(f"{name} is not {shortened(value, 50)!r}. Known are: {', '.join(known)}.")
    return known(str(value))


def _coordinates(value: object) -> str:
    if not isinstance(value, str):
        raise ImportProblem("coordinates: pixel, norm1, norm1000, or the size of the image as sent, such as 1024x768.")
    BoxSpace.parse(value)
    return value


def _images_from(value: object) -> int:
    if isinstance(value, bool) or value not in (0, 1):
        raise ImportProblem("images_from is 0 or 1: the number of the original image.")
    return 1 if value else 0


def _texts(value: object) -> dict[KeyPath, str]:
    """Return how texts are parsed, the shortest paths first, because a parsed text may contain another one."""
    found: dict[KeyPath, str] = {}
    for path, how in _pairs("texts", value, MOST_TEXTS):
        if not isinstance(how, str) or how not in READERS:
            raise ImportProblem(
                f"texts: {path} cannot be read as {shortened(how, 50)!r}, only as {', '.join(READERS)}."
            )
        found[_path("texts", path)] = how
    return dict(sorted(found.items(), key=lambda pair: (len(pair[0].steps), str(pair[0]))))


def _roles(value: object) -> dict[str, str]:
    found: dict[str, str] = {}
    for role, kind in _pairs("roles", value, MOST_ROLES):
        if kind not in (MODEL, REPLY, PROMPT) or len(role) > MAX_ROLE:
            raise ImportProblem(f"roles: {shortened(role, 50)} is model, reply or prompt, not {shortened(kind, 50)!r}.")
        found[clean(role)] = str(kind)
    return found


def _pairs(name: str, value: object, most: int) -> Iterable[tuple[str, object]]:
    if value is None:
        return ()
    if not isinstance(value, Mapping) or len(value) > most or not all(isinstance(key, str) for key in value):
        raise ImportProblem(f"{name} is a JSON object of at most {most} keys.")
    return value.items()
