"""The static files that the pages of a copy need, under the names the pages use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from django.contrib.staticfiles.finders import find, get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from lxml import html

from evaluation.publish.scripts import JOINED, joined

NEEDED = ("css/", "fonts/", "img/", "vendor/")
_JOINED = "css/app.css"


def signs() -> dict[str, html.HtmlElement]:
    """The symbols of the one file of signs, by name."""
    drawing = html.fragment_fromstring(Path(str(find("img/icons.svg"))).read_text())
    return {str(symbol.get("id")): symbol for symbol in drawing.iter("symbol")}


def static_files() -> Iterator[tuple[str, bytes]]:
    """(name below the folder of static files, content) of each. The scripts are one file, and with hashed names the
    style sheet is."""
    yield JOINED, joined()
    named: Callable[[str], str] | None = getattr(staticfiles_storage, "stored_name", None)
    for finder in get_finders():
        for path, storage in finder.list([]):
            name = PurePosixPath(path).as_posix()
            if not name.startswith(NEEDED) or (named and name.startswith("css/") and name != _JOINED):
                continue
            stored = named(name) if named else name
            with (staticfiles_storage if named else storage).open(stored) as file:
                yield stored, file.read()
