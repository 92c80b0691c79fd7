"""The samples in a log of Inspect AI: which files of an ``.eval`` belong to one, and that one put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document
from annotation.importers.reading import RawRow
from annotation.schema import Issue

WANTED = "samples/*.json of a log"


def group(names: Sequence[str]) -> Sequence[Sequence[str]]:
    """One sample per file of ``samples/``, or per folder with ``sample.json`` and its chunks of messages."""
    whole = [[n] for n in names if re.fullmatch(r"samples/[^/]+\.json", n)]
    chunked = [n for n in names if re.fullmatch(r"samples/.+/sample\.json", n)]
    for main in chunked:
        place = f"{main.removesuffix('sample.json')}messages/"
        parts = [n for n in names if n.startswith(place)]
        whole.append([main, *sorted(parts, key=lambda n: (len(n), n))])
    return whole


def whole_sample(document: Document) -> tuple[Any, list[Issue]]:
    """The sample of a document, its messages put together from their chunks."""
    decoder = RowDecoder()
    sample, issues = decoder.decode_any(RawRow("", document.name, 1, document.main, len(document.main)))
    chunks = [name for name in document.parts if name != PurePosixPath(document.name).name]
    if chunks and isinstance(sample, dict):
        messages: list[Any] = []
        for name in chunks:
            part, found = decoder.decode_any(RawRow("", name, 1, document.parts[name], 0))
            issues += found
            messages += part if isinstance(part, list) else []
        sample["messages"] = messages
    return sample, issues
