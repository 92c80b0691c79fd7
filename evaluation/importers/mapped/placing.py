"""From keys that a person points at to the paths of a mapping, and back: the tree begins at the top of the file, a path
in the row or in the call."""

from __future__ import annotations

from collections.abc import Container, Mapping

from evaluation.importers.mapped.mapping import IN_CALL, OUTER, KeyMapping
from evaluation.importers.mapped.outline import Node
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath

LISTS = ("rows", "turns", "calls")
_OF_CALL = ("tool", "arguments", "box", "image_in", "image_out")


def placed(field: str, chosen: KeyPath, paths: Mapping[str, KeyPath], tree: Node) -> dict[str, KeyPath]:
    """The paths once ``field`` is read from ``chosen``, which begins at the top of the file. A list represents its
    items where a list is meant; a key in a list that no calls are in makes its items the calls."""
    chosen = _with_items(chosen, tree) if field in LISTS else chosen
    if field == "rows":
        return {**paths, "rows": chosen} if chosen.steps else {k: v for k, v in paths.items() if k != "rows"}
    rows = paths.get("rows", KeyPath())
    if not chosen.starts_with(rows):
        return {**paths, field: chosen}
    inside = chosen.behind(rows)
    if field in OUTER or field not in IN_CALL:
        return {**paths, field: inside}
    changed = dict(paths)
    if "calls" not in changed and field in _OF_CALL and (calls := _items_of(inside)):
        changed["calls"] = calls
    calls = changed.get("calls")
    changed[field] = inside.behind(calls) if calls and inside.starts_with(calls) else inside
    return changed


def _with_items(path: KeyPath, tree: Node) -> KeyPath:
    """The items of a list; any other value unchanged."""
    node: Node | None = tree
    for step in path.steps:
        node = node.children.get(step) if node else None
    has_items = node is not None and EVERY in node.children
    return KeyPath((*path.steps, EVERY)) if has_items else path


def _items_of(path: KeyPath) -> KeyPath | None:
    """The innermost list that a path leads through."""
    last = max((place for place, step in enumerate(path.steps) if step is EVERY), default=None)
    return None if last is None else KeyPath(path.steps[: last + 1])


def from_top(field: str, mapping: KeyMapping, known: Container[KeyPath] = ()) -> KeyPath | None:
    """The path of a field from the top of the file; None if it is not mapped.

    ``known``: the existing paths, which distinguish a parallel list from a key of a call."""
    path = mapping.paths.get(field)
    if path is None or field == "rows":
        return path
    calls, turns = mapping.paths.get("calls"), mapping.paths.get("turns")
    if field in IN_CALL and not any(whole and path.starts_with(whole) for whole in (calls, turns)):
        shared = path.shared(calls) if calls else 0
        inner = KeyPath((*(calls or turns or KeyPath()).steps, *path.steps))
        if EVERY not in path.steps[:shared] and (
            _inside(mapping, path) not in known or _inside(mapping, inner) in known
        ):
            path = inner
    return _inside(mapping, path)


def _inside(mapping: KeyMapping, path: KeyPath) -> KeyPath:
    return KeyPath((*mapping.rows.steps, *path.steps))


def uses(mapping: KeyMapping, tree: Node) -> dict[KeyPath, list[str]]:
    """The fields that are read at each node of a tree.

    ``[0]`` and ``[-1]`` are items like any others. A model or setting that the row does not have is outside of it."""
    known = {node.path for node in tree.walk()}
    found: dict[KeyPath, list[str]] = {}
    for field in mapping.paths:
        path = from_top(field, mapping, known)
        if path is None:
            continue
        steps = tuple(EVERY if isinstance(step, int) else step for step in path.steps if step is not KEY)
        if field in OUTER and KeyPath(steps) not in known:
            steps = tuple(s for s in mapping.paths[field].steps if s is not KEY and not isinstance(s, int))
        found.setdefault(KeyPath(steps), []).append(field)
    return found
