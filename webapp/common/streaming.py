"""Files that are assigned while they are made."""

from collections.abc import Iterator
from itertools import chain
from mimetypes import guess_type

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

PIECE = 1 << 16
"""Bytes that are sent at once."""


def streamed(filename: str, parts: Iterator[bytes]) -> StreamingHttpResponse:
    """A file to keep. What fails before the first piece is answered as an error; a later fault breaks the answer off,
    which a client takes for a failed download, as the end of the chunks is missing."""
    pieces = gathered(parts)
    response = StreamingHttpResponse(chain([next(pieces)], pieces), content_type=_type_of(filename))
    response["Content-Disposition"] = content_disposition_header(True, filename) or ""
    return response


def _type_of(filename: str) -> str:
    """The content type by the end of a name. Systems differ in what they know of lines of JSON."""
    if filename.endswith(".jsonl"):
        return "application/x-ndjson"
    return guess_type(filename)[0] or "application/octet-stream"


def gathered(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in fewer, larger pieces; at least one."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)
