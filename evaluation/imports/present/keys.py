"""The page that maps keys: the tree as rows, the fields with their first values, and the numbers of the preview."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_lazy

from evaluation.common.extraction.present import report_shown
from evaluation.importers.mapped.doubts import OUTSIDE
from evaluation.importers.mapped.mapping import CALL, FIELDS, ROW, KeyMapping
from evaluation.importers.mapped.outline import Node
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath
from evaluation.importers.mapped.placing import from_top, uses
from evaluation.importers.mapped.texts import READERS
from evaluation.imports.forms.choices import BOX_FORMS, SPACES
from evaluation.imports.forms.keys import KeyForm
from evaluation.imports.present.record import Figure, issue_groups, pictures_shown
from evaluation.imports.write.preview.keys import SHOWN, KeyPreview
from evaluation.scoring.settings import settings_of
from webapp.common.translation import any_of

TREE = 400
"""Nodes of the tree that are shown."""
ISSUES = 5
ALWAYS = ("joined", "refused", "calls", "boxes")
"""Figures that are shown also when they are 0."""
ROLES = 12
"""Roles of turns that are listed."""
DEEPEST = 9
HOWS = {"json": "JSON", "python": "Python", "tags": gettext_lazy("tags"), "react": "ReAct"}


def tree_shown(tree: Node, mapping: KeyMapping, chosen: str) -> list[dict[str, Any]]:
    """The nodes as rows in the order of the file, each with the fields read from it."""
    used = uses(mapping, tree)
    rows: list[dict[str, Any]] = []
    whole = gettext("the whole row")
    boxes = {KeyPath((*node.path.steps, EVERY)) for node in tree.walk() if node.marks["box"] and node.types["list"]}
    for node in tree.walk():
        if node.path in boxes and not node.types["list"]:
            continue
        path = str(node.path)
        rows.append({
            "id": f"key-{len(rows)}",
            "path": path,
            "label": node.label if node.path.steps else gettext("the file") if mapping.rows.steps else whole,
            "depth": min(len(node.path.steps), DEEPEST),
            "types": any_of([f"{kind} {count}" for kind, count in node.types.most_common(2)]),
            "examples": node.examples,
            "uses": [FIELDS[name].title for name in used.get(node.path, [])],
            "looks": _looks(node),
            "chosen": path == chosen,
        })  # fmt: skip
        if node.path.steps[-1:] == (EVERY,) and _by_id(node, tree):
            own = str(KeyPath((*node.path.steps, KEY)))
            rows.append({
                **rows[-1], "id": f"key-{len(rows)}", "path": own, "label": "key()", "types": gettext("its key"),
                "examples": [], "uses": [], "looks": "", "depth": min(len(node.path.steps) + 1, DEEPEST),
                "chosen": own == chosen,
            })  # fmt: skip
        if len(rows) >= TREE:
            break
    return rows


def _by_id(node: Node, tree: Node) -> bool:
    """Whether a node is the values of objects, which have keys."""
    above: Node | None = tree
    for step in node.path.steps[:-1]:
        above = above.children.get(step) if above else None
    return above is not None and bool(above.types["object"])


def _looks(node: Node) -> str:
    """A description of the values under a key."""
    marks = [(mark, count) for mark, count in node.marks.most_common() if mark in {"box", "image", *HOWS}]
    if not marks or 2 * marks[0][1] < node.count:
        return ""
    mark = marks[0][0]
    if mark in HOWS:
        return gettext("text as %(form)s") % {"form": HOWS[mark]}
    return gettext("looks like a box") if mark == "box" else gettext("looks like an image")


def fields_shown(form: KeyForm, tree: Node, mapping: KeyMapping) -> list[tuple[str, list[dict[str, Any]]]]:
    """The fields by group, each with its path, its first value and its error."""
    nodes = {node.path: node for node in tree.walk()}
    groups = []
    for group, title in ((ROW, gettext("Of a row")), (CALL, gettext("Of its calls"))):
        rows = []
        for one in FIELDS.values():
            if one.group != group:
                continue
            path = from_top(one.name, mapping, nodes)
            steps = tuple(EVERY if isinstance(step, int) else step for step in path.steps) if path else ()
            node = nodes.get(KeyPath(steps)) if path else None
            rows.append({
                "field": one,
                "value": form.values.get(one.name, ""),
                "example": node.examples[0] if node and node.examples else "",
                "error": form.errors.get(one.name, ""),
            })  # fmt: skip
        groups.append((title, rows))
    return groups


def texts_shown(mapping: KeyMapping) -> list[dict[str, Any]]:
    """The texts that are taken apart, with the ways there are."""
    hows = [(name, HOWS[name]) for name in READERS]
    return [{"path": str(path), "how": how, "hows": hows} for path, how in mapping.texts.items()]


def roles_shown(mapping: KeyMapping, tree: Node) -> list[tuple[str, str]]:
    """The roles in the first rows, and what each is: model, reply, prompt, or nothing yet."""
    path = from_top("role", mapping)
    node = next((node for node in tree.walk() if node.path == path), None)
    return [(role, mapping.role_of(role)) for role in sorted(node.different)[:ROLES]] if node else []


def preview_shown(record: Any, found: KeyPreview) -> dict[str, Any]:
    """The numbers of the preview, with a text for each doubt and a button for each solution."""
    counts = found.counts
    names = {
        "joined": gettext("joined"),
        "refused": gettext("rejected"),
        "calls": gettext("calls"),
        "boxes": gettext("boxes"),
        "answers": gettext("answers"),
        "unread": gettext("answers unread"),
        "failed": gettext("failed"),
    }
    forms, spaces = dict(BOX_FORMS), dict(SPACES)
    rows = [{**row, "index": index, **pictures_shown(record, row, index)} for index, row in enumerate(found.records)]
    return {
        "problem": found.problem,
        "rows_n": counts["rows"],
        "whole": found.whole,
        "figures": [Figure(counts[name], words) for name, words in names.items() if counts[name] or name in ALWAYS],
        "rows": rows,
        "groups": issue_groups(found.issues, record.file_name)[:ISSUES],
        "inside": found.inside,
        "doubted": 1 - found.inside > OUTSIDE or bool(found.likelier),
        "likelier": [
            {
                "do": f"boxes:{one.form.value},{one.coordinates.value}",
                "words": f"{forms[one.form.value]}, {spaces[one.coordinates.value].lower()}",
                "inside": one.inside,
            }
            for one in found.likelier
        ],
        "is_gold": found.is_gold,
        "read": report_shown(found.answers, settings=settings_of(record.benchmark)) if found.answers else None,
        "off_original": counts["off_original"],
        "shown": SHOWN,
    }
