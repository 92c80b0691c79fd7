"""Row locks let others refer to the row: docs/architecture.md#locks."""

import ast
from pathlib import Path

from tests.architecture.source import nodes, product_files

DELETED_NEXT = {
    Path("evaluation/common/judging/write.py"): "Questions and seats go: no one may add a seat to them any more.",
    Path("annotation/queue/qualification.py"): "An attempt without an item is deleted.",
}
"""Modules that lock rows in order to delete them."""


def locks(path: Path) -> list[ast.Call]:
    return [
        node
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "select_for_update"
    ]


def test_a_lock_does_not_keep_others_from_inserting_rows_that_refer_to_the_row() -> None:
    """Else a transaction waits at its commit for a lock on a row that it only names, and two wait for each other."""
    found = {path: locks(path) for path in product_files() if "migrations" not in path.parts}
    assert sum(map(len, found.values())) > 50
    full = [
        f"{path}:{call.lineno}"
        for path, calls in found.items()
        for call in calls
        if path not in DELETED_NEXT and not any(one.arg == "no_key" for one in call.keywords)
    ]
    assert full == []
    assert all(found[path] for path in DELETED_NEXT)


def test_a_lock_is_of_the_rows_that_it_names() -> None:
    """A join without ``of`` also locks the joined rows, such as the benchmark after a row of it."""
    joined = [
        f"{path}:{call.lineno}"
        for path in product_files()
        for call in locks(path)
        if not any(one.arg == "of" for one in call.keywords) and "select_related" in line_of(path, call)
    ]
    assert joined == []


def line_of(path: Path, call: ast.Call) -> str:
    """The whole expression with the call."""
    wholes = [node for node in nodes(path) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    return next((ast.unparse(one) for one in wholes if call in ast.walk(one)), "")
