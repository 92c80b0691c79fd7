"""What the architecture tests look at: the files of the project, and Python files as trees."""

from __future__ import annotations

import ast
import gc
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("annotation", "evaluation", "webapp")


@cache
def files(*suffixes: str) -> tuple[Path, ...]:
    """The files that are in the repository or about to be, relative to its top folder, in order."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout  # fmt: skip
    paths = sorted({Path(name) for name in listed.split("\0") if name})
    return tuple(path for path in paths if (not suffixes or path.suffix in suffixes) and (ROOT / path).is_file())


def product_files() -> list[Path]:
    return [path for path in files(".py") if path.parts[0] in PRODUCT]


@cache
def text(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    # It stays until the end; to look for garbage in it takes longer than to read it.
    gc.disable()
    try:
        return ast.parse(text(path), filename=str(path))
    finally:
        gc.freeze()
        gc.enable()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a Python file, in the order of ``ast.walk``, which takes seconds for all files."""
    return tuple(ast.walk(tree(path)))


def imported_modules(path: Path) -> set[str]:
    """The full names a Python file imports, wherever in it; ``from a import b`` counts as ``a`` and ``a.b``."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names
