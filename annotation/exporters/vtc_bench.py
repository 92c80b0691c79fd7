"""VTC-Bench's TSV with the reference toolchains."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence

from annotation.schema import SampleRecord
from annotation.spreadsheets import guarded

LETTERS = "ABCDEFGH"
COLUMNS = ("index", "id", "category", "image", "question", "answer", *LETTERS, "model_tools_gt")


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """A heading and one row for each sample."""
    yield _line(COLUMNS)
    for count, sample in enumerate(samples, 1):
        yield _line(_cells(count, sample))


def guarded_parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """The same for a spreadsheet: no cell runs as a formula. Questions that begin like one are no longer as written."""
    yield _line(COLUMNS)
    for count, sample in enumerate(samples, 1):
        yield _line([guarded(cell) for cell in _cells(count, sample)])


def _line(cells: Sequence[str]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, dialect="excel-tab").writerow(cells)
    return out.getvalue().encode()


def _cells(index: int, sample: SampleRecord) -> list[str]:
    content = sample.content
    chain = [call.tool for call in content.reference_toolchain]
    return [
        str(index),
        sample.id,
        ", ".join(str(value) for value in sample.facets.get("category", ())),
        sample.image or "",
        content.question,
        content.answers[0] if content.answers else "",
        *(content.options.get(letter, "") for letter in LETTERS),
        json.dumps(chain, ensure_ascii=False) if chain else "",
    ]
