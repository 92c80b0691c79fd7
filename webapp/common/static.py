"""Static files: hashed names and few requests in production."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.core.management import call_command
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Content-hashed names, in the import lines of our modules too.

    Without it a browser mixes a new main.js with an old lib/dom.js after a release.
    """

    support_js_module_import_aggregation = True
    # One pass for each step of the longest import path, if every module sorts before its imports.
    max_post_process_passes = 12
    # Only our modules: in third-party ones, "import" may be in a comment, or a source map may be missing. Collecting
    # would then stop at a file that no page needs.
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
    patterns = tuple(pair for pair in CompressedManifestStaticFilesStorage.patterns if pair[0] == "*.css")

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        rewritten: dict[str, Callable[[str], str]] = {STYLES: partial(joined_styles, paths=paths)}
        rewritten |= {
            name: partial(early_imports, name=name, paths=dict(paths)) for name in paths if ENTRY.fullmatch(name)
        }
        for name, text in rewritten.items():
            if name in paths:
                storage, path = paths[name]
                paths[name] = (_Rewritten(storage, text), path)
        return super().post_process(paths, dry_run=dry_run, **options)


STYLES = "css/app.css"
ENTRY = re.compile(r"js/[\w-]+\.js")
"""The modules that pages name: one for every page, and one for each kind of page that needs more."""
_IMPORTED = re.compile(r"""(?:^|[;\s])(?:import|export)\b[^'"();]*?(?:from\s*)?["'](\.[^"']+)["']""")
_STYLE = re.compile(r"""@import url\("([^"]+)"\) layer\(([\w-]+)\);""")


def joined_styles(text: str, paths: Mapping[str, tuple[Storage, str]]) -> str:
    """The style sheet with what it imports in its place: a browser asks for one file instead of for all of them."""

    def whole(found: re.Match[str]) -> str:
        storage, path = paths[f"css/{found[1]}"]
        with storage.open(path) as file:
            return f"@layer {found[2]} {{\n{file.read().decode()}}}"

    return _STYLE.sub(whole, text)


def early_imports(text: str, name: str, paths: Mapping[str, tuple[Storage, str]]) -> str:
    """A module that a page names, naming all that it leads to: a browser asks for them at once, and not for each when
    it has read another that imports it."""
    needed: list[str] = []

    def follow(module: str, source: str) -> None:
        for found in _IMPORTED.findall(source):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(module), found))
            if target != name and target not in needed:
                needed.append(target)
                storage, path = paths[target]
                with storage.open(path) as file:
                    follow(target, file.read().decode())

    follow(name, text)
    return text + "".join(f'import "./{one.removeprefix("js/")}";\n' for one in sorted(needed))


class _Rewritten(Storage):
    """A storage whose files are read with another text."""

    def __init__(self, storage: Storage, rewritten: Callable[[str], str]) -> None:
        self._storage = storage
        self._rewritten = rewritten

    def _open(self, name: str, mode: str = "rb") -> ContentFile:
        with self._storage.open(name) as file:
            return ContentFile(self._rewritten(file.read().decode()).encode(), name=name)


def collect() -> None:
    """Put the hashed static files into the home folder, unless they are there as the sources are now."""
    if settings.DEBUG:
        return
    kept = Path(settings.STATIC_ROOT) / ".collected"
    kept.parent.mkdir(parents=True, exist_ok=True)
    sources = _sources()
    if kept.exists() and kept.read_text(encoding="ascii") == sources:
        return
    kept.unlink(missing_ok=True)
    call_command("collectstatic", verbosity=0, interactive=False)
    kept.write_text(sources, encoding="ascii")


def _sources() -> str:
    """A digest of every source file's name, size and time, and of what makes the collected files of them."""
    found = sha256(f"{django.__version__} {Path(__file__).stat().st_mtime_ns}".encode())
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            found.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return found.hexdigest()
