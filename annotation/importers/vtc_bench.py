"""VTC-Bench: ``VTC-Bench.tsv`` and ``VTC-Bench_GTToolChain.tsv``, and other TSVs of VLMEvalKit's shape.

Columns ``index, id, category, image, question, answer, A, B, C, D[, model_tools_gt]``. An ``image`` column may hold
image names or, as VLMEvalKit has it, the images themselves in base64; these come as ``data:`` in ``image``. The
two TSVs number their rows differently: toolchains are joined by question and options, never by id.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import PROGRESS_EVERY, Detection, ImportProblem, Read, ReadOptions
from annotation.importers.samples import sample_from
from annotation.importers.storable import storable
from annotation.importers.tables import TableRow, TableStream
from annotation.importers.toolchain_join import join_toolchains
from annotation.schema import Issue, SampleRecord

TOOLCHAIN = "model_tools_gt"
_OWN = frozenset({"id", "category", "image", "image_path", "question", "answer", TOOLCHAIN})
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"', "‟": '"', "＂": '"'})
_PICTURES = {"/9j/": "jpeg", "iVBORw0KGgo": "png", "UklGR": "webp", "R0lGOD": "gif", "Qk": "bmp"}
_BASE64 = re.compile(r"[A-Za-z0-9+/]{200}")


def detect(head: bytes, name: str) -> Detection:
    """A TSV with a column ``question``; surely VTC-Bench with ``model_tools_gt`` or ``id`` and ``category``."""
    columns = head.split(b"\n", 1)[0].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip().split("\t")
    if "question" not in columns or not {"id", "index"} & set(columns):
        return Detection("vtc-bench", 0.0)
    reasons = ["It is a TSV with the columns question and answer options."]
    if TOOLCHAIN in columns:
        reasons.append(f"It has the column {TOOLCHAIN}.")
    if {"id", "category", "image"} <= set(columns):
        reasons.append("It has the columns id, category and image.")
    if "prediction" in columns:
        return Detection("vtc-bench", 0.1, ("It has the column prediction: these are answers of a model.",))
    return Detection("vtc-bench", (0.0, 0.6, 0.9, 1.0)[len(reasons)], tuple(reasons))


def read(path: Path, options: ReadOptions) -> Read:
    """Samples and issues of a TSV. With ``options.toolchains`` both files are held in memory and joined."""
    if options.toolchains is None:
        yield from _rows(path, options)
        return
    base = list(_rows(path, ReadOptions(options.images)))
    chains = _rows(options.toolchains, ReadOptions(options.images))
    yield from (item for item in base if isinstance(item, Issue))
    samples = (item for item in base if isinstance(item, SampleRecord))
    yield from join_toolchains(samples, (item for item in chains if isinstance(item, SampleRecord | Issue)))


def _rows(path: Path, options: ReadOptions) -> Read:
    stream = TableStream(path, options.start)
    missing = {"question", "answer"} - set(stream.columns)
    if missing:
        raise ImportProblem(f"{path.name} has no column {sorted(missing)[0]}. VTC-Bench has question, answer, A, B ...")
    given = 0
    for row in stream:
        if isinstance(row, Issue):
            yield row
            continue
        report = Report(row.file, row.line)
        try:
            sample = sample_from(_native(row, report), report)
        except RowRefused as refused:
            yield from report.issues
            yield refused.issue
        else:
            yield from report.issues
            yield sample
        given += 1
        if given % PROGRESS_EVERY == 0:
            yield stream.progress()
    yield stream.progress()
    if not given and not options.start.offset:
        raise ImportProblem(f"{path.name} has a heading but no rows. Check that it was written completely.")


def _native(row: TableRow, report: Report) -> dict[str, Any]:
    """The row with the keys of the native format."""
    cells = row.cells
    letters = {key: text for key, text in cells.items() if len(key) == 1 and "A" <= key <= "Z"}
    options = {letter: text for letter, text in letters.items() if text.strip()}
    extra = {key: text for key, text in cells.items() if key not in _OWN and key not in letters and text}
    report.stands_for("reference_toolchain", TOOLCHAIN)
    data: dict[str, Any] = {
        **extra,
        "id": cells.get("id") or cells.get("index"),
        "image": _image(cells, report),
        "category": cells.get("category") or None,
        "question": cells["question"],
        "answer_type": "mc" if options else "open",
        "options": options,
        "answer": cells["answer"],
        "reference_toolchain": toolchain_from(cells.get(TOOLCHAIN, ""), report),
    }
    return data


def _image(cells: Mapping[str, str], report: Report) -> str | None:
    """The name of the image, or the image itself as a ``data:`` address."""
    named, given = cells.get("image_path", ""), cells.get("image", "")
    if not _BASE64.match(given):
        if given.isdecimal() and "image_path" not in cells:
            done = "This names the image of another row, not a file; the sample has no image."
            report.noted("image-reference", "image", given, done)
            return None
        return named or given or None
    if named:
        return named
    kind = next((kind for start, kind in _PICTURES.items() if given.startswith(start)), "jpeg")
    return f"data:image/{kind};base64,{given}"


def toolchain_from(text: str, report: Report) -> list[Any]:
    """The tool names of one cell: a JSON list, often damaged by curly quotes. An unreadable one is omitted."""
    text = text.strip()
    if not text:
        return []
    straight = text.translate(_CURLY)
    if straight != text:
        done = "Curly quotes were read as straight ones."
        report.repaired("curly-quotes", TOOLCHAIN, text, done)
    chain = storable(_list(straight))
    if isinstance(chain, list) and all(
        (isinstance(name, str) and name.strip()) or isinstance(name, dict) for name in chain
    ):
        return chain
    done = 'The toolchain was ignored because it is not a JSON list of names. Write it as ["Crop", "Flip"].'
    report.repaired("toolchain-unreadable", TOOLCHAIN, text, done)
    return []


def _list(text: str) -> Any:
    """JSON, or the Python literal that ``str()`` of a list gives, else None."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text[:100_000])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return None
