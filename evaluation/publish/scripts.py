"""The scripts of a copy as one classic file: a browser that opens a page straight from a folder loads no modules."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from django.contrib.staticfiles.finders import find

JOINED = "js/copy.js"
ENTRIES = ("js/main.js", "js/viewer.js", "js/run.js")
"""The modules that the pages of a copy name."""
REPLACED = {"js/lib/catalog.js": "export const catalog = {};"}
"""A copy is English, and needs no catalog of texts."""
_IMPORT = re.compile(r"""^import\s*\{([^}]*)\}\s*from\s*["'](\.[^"']+)["'];[ \t]*$""", re.M)
_EXPORT = re.compile(r"^export\s+(?=(?:async\s+function\*?|function\*?|class|const)\s+([\w$]+))", re.M)
_OTHER = re.compile(r"^(?:import|export)\b.*$|\bimport\s*\(|\bimport\.meta\b", re.M)


class NotJoined(Exception):
    """A module is written in a way that is not joined here. The text names it."""


def joined() -> bytes:
    """All modules that the entries lead to, each a function called once, those it imports before it."""
    done: dict[str, str] = {}
    for entry in ENTRIES:
        _add(entry, done, ())
    return ('"use strict";\nconst modules = {};\n' + "".join(done.values())).encode()


def _add(name: str, done: dict[str, str], above: tuple[str, ...]) -> None:
    if name in done:
        return
    if name in above:
        raise NotJoined(f"{name} imports itself by way of others.")
    source = REPLACED.get(name) or Path(str(find(name))).read_text()
    targets = [posixpath.normpath(posixpath.join(posixpath.dirname(name), to)) for _, to in _IMPORT.findall(source)]
    for target in targets:
        _add(target, done, (*above, name))
    names = [found[1] for found in _EXPORT.finditer(source)]
    waiting = iter(targets)

    def bound(found: re.Match[str]) -> str:
        names_here = re.sub(r"\s+as\s+", ": ", found[1])
        return f'const {{{names_here}}} = modules["{next(waiting)}"];'

    body = _EXPORT.sub("", _IMPORT.sub(bound, source))
    if other := _OTHER.search(body):
        raise NotJoined(f"{name} holds “{other[0]}”. Only named imports and exports of declarations are joined.")
    done[name] = f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {", ".join(names)} }};\n}})();\n'
