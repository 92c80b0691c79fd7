"""VTC-Bench's TSV with the reference toolchains. FORMATS 6.1.

It cannot hold: gold boxes, sizes, arguments and pictures of calls, tool plans, facets other than ``category``, options
beyond H, and of several accepted answers all but the first.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterable

from annotation.exporters.interface import Files
from annotation.schema import SampleRecord

LETTERS = "ABCDEFGH"
COLUMNS = ("index", "id", "category", "image", "question", "answer", *LETTERS, "model_tools_gt")


def write(files: Files, samples: Iterable[SampleRecord]) -> int:
    """Writes ``VTC-Bench_GTToolChain.tsv``; the number of rows."""
    count = 0
    with files.open("VTC-Bench_GTToolChain.tsv") as out:
        table = csv.writer(codecs.getwriter("utf-8")(out), dialect="excel-tab")
        table.writerow(COLUMNS)
        for count, sample in enumerate(samples, 1):
            table.writerow(_cells(count, sample))
    return count


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
