"""Files that views assign."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

from django.http import FileResponse
from django.utils.translation import gettext

from annotation.exporters.interface import MissingLibrary
from evaluation.exporters.tables import WRITERS
from webapp.common.errors import InvalidInput, Unavailable
from webapp.common.translation import any_of

IN_MEMORY = 1 << 20
"""Bytes of a file kept in memory before it goes to the disk."""
FORMATS = ("csv", "json")


def download(filename: str, write: Callable[[IO[bytes]], object]) -> FileResponse:
    """A file to keep. It is written whole before the answer begins, so that a fault is an error and not half a file."""
    out = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 the response closes it
    try:
        write(out)
    except MissingLibrary as error:
        out.close()
        raise Unavailable(str(error)) from error
    out.seek(0)
    return FileResponse(out, as_attachment=True, filename=filename)


def rows_file(name: str, format: str, rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> FileResponse:
    """Raises ``InvalidInput`` for a format that there is not."""
    if format not in FORMATS:
        raise InvalidInput(
            gettext("A table is exported as %(formats)s, not as %(format)s.")
            % {"formats": any_of(list(FORMATS)), "format": repr(format[:40])},
            field="format",
        )
    return download(f"{name}.{format}", lambda out: WRITERS[format](out, rows, columns))
