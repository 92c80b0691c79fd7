"""The tests test: each asserts something, and none is dropped by a name that shadows it."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import files, nodes, tree

CHECKS = re.compile(
    r"^(assert|expect|check|raises|warns|fail|crawl)|_(assert|expect|check)_|(num_queries|raises|fail)$"
)


def modules() -> list[Path]:
    return [path for path in files(".py") if path.parts[0] == "tests"]


def functions_that_test(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def asserts_something(function: ast.AST) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return True
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if CHECKS.search(name):
                return True
    return False


def test_every_test_asserts_something():
    silent = [
        f"{path}:{function.lineno} {function.name}"
        for path in modules()
        if path.name.startswith("test_")
        for function in functions_that_test(path)
        if not asserts_something(function)
    ]
    assert not silent


def test_no_test_hides_another_of_the_same_name():
    for path in modules():
        names = Counter(node.name for node in tree(path).body if isinstance(node, ast.FunctionDef))
        assert not [name for name, count in names.items() if count > 1 and name.startswith("test_")], path
