"""The build backend (PEP 517): the checkout as one package, ``sightline``, through setuptools.

``annotation``, ``evaluation`` and ``webapp`` are too general as names of installed packages: they would hide a folder
of the same name next to a person's notebook. They are therefore copied into one package with the templates and static
files, and the names of our modules are rewritten: in imports, and in strings that are exactly the name of a module or
of one of its members, as in the settings.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import tarfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "sightline"
HALVES = ("annotation", "evaluation", "webapp")
FOLDERS = (*HALVES, "templates", "static")
FILES = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "manage.py")
NAME = re.compile(rf"(?:{'|'.join(HALVES)})(?:\.\w+)+(?::\w+)?")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")

Settings = Mapping[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return []


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel in this folder; return its name."""
    with _staged() as backend:
        return str(backend.build_wheel(wheel_directory, config_settings))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata of the wheel to this folder; return its name."""
    with _staged() as backend:
        return str(backend.prepare_metadata_for_build_wheel(metadata_directory, config_settings))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Archive the unchanged source files of a wheel; return the name of the archive."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    name = f"{project['name']}-{project['version']}"
    with TemporaryDirectory() as folder, tarfile.open(Path(sdist_directory, f"{name}.tar.gz"), "w:gz") as archive:
        info = Path(folder, prepare_metadata_for_build_wheel(folder), "METADATA")
        archive.add(info, f"{name}/PKG-INFO")
        for part in (*FOLDERS, *FILES):
            archive.add(ROOT / part, f"{name}/{part}", filter=_kept)
    return f"{name}.tar.gz"


def _kept(found: tarfile.TarInfo) -> tarfile.TarInfo | None:
    last = Path(found.name).name
    return None if last == "__pycache__" or last.startswith(".") else found


@contextmanager
def _staged() -> Iterator[Any]:
    """Yield setuptools with the package in a separate folder, which is the current one meanwhile."""
    # Imported here, because running the program does not require build tools.
    build_meta = import_module("setuptools.build_meta")
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        stage(Path(folder))
        os.chdir(folder)
        try:
            yield build_meta
        finally:
            os.chdir(before)


def stage(folder: Path) -> None:
    """Write the package and the configuration for setuptools to this folder."""
    package = folder / PACKAGE
    package.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    for part in FOLDERS:
        shutil.copytree(ROOT / part, package / part, ignore=LEFT_OUT)
    shutil.rmtree(package / "webapp/wheel")
    for part in HALVES:
        for file in package.joinpath(part).rglob("*.py"):
            source = file.read_text("utf-8")
            file.write_text(renamed(source, strings="migrations" not in file.parts), "utf-8")
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    project = ROOT.joinpath("pyproject.toml").read_text("utf-8")
    found = f'[tool.setuptools]\npackages.find = {{ include = ["{PACKAGE}*"] }}\npackage-data = {{ "*" = ["*"] }}\n'
    # The first two tables, of the project itself, come before those of tools.
    folder.joinpath("pyproject.toml").write_text(project.partition("\n[build-system]")[0] + "\n\n" + found, "utf-8")


def renamed(source: str, *, strings: bool = True) -> str:
    """Return a module with the names of our modules below ``sightline``.

    ``strings``: also those in strings. In migrations, such strings are labels of models, which keep their names.
    """
    lines = source.encode().split(b"\n")
    for line, column in sorted(set(_places(ast.parse(source), strings)), reverse=True):
        text = lines[line - 1]
        if not text[column:].startswith(tuple(half.encode() for half in HALVES)):
            raise ValueError(f"Line {line}: a name of ours is written in a way that cannot be rewritten.")
        lines[line - 1] = text[:column] + f"{PACKAGE}.".encode() + text[column:]
    return b"\n".join(lines).decode()


def _places(tree: ast.AST, strings: bool) -> Iterator[tuple[int, int]]:
    """Yield the position of each name of ours, as line and byte. Other forms are not rewritten."""
    pieces = {id(piece) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for piece in node.values}
    for node in ast.walk(tree):
        if id(node) in pieces:
            continue
        if isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module or ""):
            yield node.lineno, node.col_offset + len("from ")
        elif isinstance(node, ast.Import):
            if any(_is_ours(each.name) and not each.asname for each in node.names):
                raise ValueError(f"Line {node.lineno}: write `from … import …`; a plain import binds the first name.")
            yield from ((each.lineno, each.col_offset) for each in node.names if _is_ours(each.name))
        elif strings and isinstance(node, ast.Constant) and isinstance(node.value, str) and _names_module(node.value):
            yield node.lineno, node.col_offset + 1


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in HALVES


@cache
def _names_module(text: str) -> bool:
    """Return whether a string is the name of a module or of one of its members: "webapp.jobs.apps.JobsConfig"."""
    if not NAME.fullmatch(text):
        return False
    names = text.partition(":")[0].split(".")
    return _exists(names) or (len(names) > 2 and _exists(names[:-1]))


def _exists(names: list[str]) -> bool:
    path = ROOT.joinpath(*names)
    return path.with_suffix(".py").is_file() or path.joinpath("__init__.py").is_file()
