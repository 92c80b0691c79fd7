"""R25: no public function without a caller in the product."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.architecture.source import PRODUCT, files, imported_modules, product_files, tree

OUTSIDE = ("tests", "bench", "demo")
Function = ast.FunctionDef | ast.AsyncFunctionDef
HOOKS = Path("webapp/wheel/backend.py")
"""Programs that build the package call its functions by names that PEP 517 gives."""


def module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path) for path in product_files()}


def named_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Names, attributes and texts without a space that occur in the code."""
    found: set[str] = set()
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        match node:
            case ast.Name(name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(str(text)) if " " not in text:
                found.add(text)
    return found


@cache
def names_of(path: Path) -> frozenset[str]:
    return frozenset(named_in([tree(path)]))


@cache
def known_to(path: Path) -> frozenset[str]:
    """Full names of all that the file can call: what it imports or says, and each of its names in each module that it
    imports or says."""
    modules = {name for name in imported_modules(path) | names_of(path) if name.startswith(PRODUCT)}
    return frozenset(modules | {f"{module}.{name}" for module in modules & MODULES for name in names_of(path)})


def test_every_public_function_has_a_caller():
    """Those with a decorator are registered by it."""
    known = Counter(name for path in files(".py") if path.parts[0] not in OUTSIDE for name in known_to(path))
    idle = []
    for path in product_files():
        if path == HOOKS:
            continue
        for node in tree(path).body:
            if isinstance(node, Function) and not node.name.startswith("_") and not node.decorator_list:
                beside = (other for other in tree(path).body if other is not node)
                if not known[f"{module_of(path)}.{node.name}"] and node.name not in named_in(beside):
                    idle.append(f"{path}:{node.lineno} {node.name}")
    assert not idle, "Nothing in the product calls these: delete them, or move them to their caller."
