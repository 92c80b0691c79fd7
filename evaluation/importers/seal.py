"""SEAL on V*: one JSON with the lists ``direct_attributes`` and ``relative_position``.

- A row joins by its image and question. Its answer is the option chosen, ``option_chosen`` 0 being the gold one.
- Each box found by its visual search is a step ``crop``: ``[x, y, width, height]`` in pixels of the image, enlarged
  1.2 times around its center before the model saw it (``executed_bbox``).
- Rows without ``search_result`` have no steps, which is noted once.
- ``prediction_freeform`` is what it said before the search, not its answer; it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.importers.reading import RowStream
from annotation.schema import ORIGINAL
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.rows import Record, read_rows
from evaluation.importers.zooming import Size, clamped, note_unless_box
from evaluation.schema import Coordinates, Step, Trajectory

LISTS = ("direct_attributes", "relative_position")
MODEL = "SEAL"
ENLARGED = 1.2
_READ = frozenset({"question", "image", "options", "option_chosen", "correct", "search_result"})


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``option_chosen``, and ``search_result`` or the two lists of V*."""
    if b'"option_chosen"' not in head:
        return Detection("seal", 0.0)
    if b'"search_result"' in head:
        return Detection("seal", 0.95, ("Its rows have search_result and option_chosen.",))
    lists = all(f'"{name}"'.encode() in head for name in LISTS)
    reasons = ("It has the two lists of V*, and its rows have option_chosen. They have no search_result: no steps.",)
    return Detection("seal", 0.9 if lists else 0.0, reasons if lists else ())


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""

    noted = False

    def convert(row: Mapping[str, Any], _: str, report: Report) -> Record:
        nonlocal noted
        trajectory = _trajectory(row, options, samples, report)
        if "search_result" not in row and not noted:
            noted = True
            done = "The file contains no search results. Its trajectories have answers and no steps."
            report.noted("no-search-results", "search_result", "", done)
        return trajectory

    empty = f"{path.name} contains no results of SEAL. Choose the JSON that vstar_bench_eval.py writes."
    return read_rows(RowStream(path, LISTS, options.start), convert, empty)


def _trajectory(row: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, report: Report) -> Trajectory:
    image = fields.text(row.get("image"), "image", report)
    sample = find_sample(
        Clues(image=image, question=fields.text(row.get("question"), "question", report)), samples, report
    )
    texts = [str(text) for text in fields.items(row.get("options"), "options", report)]
    chosen = row.get("option_chosen")
    known = isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(texts)
    size = samples.size_of(sample)
    found = fields.items(row.get("search_result"), "search_result", report)
    return Trajectory(
        model=options.model or MODEL,
        sample_id=sample,
        setting=options.setting,
        steps=tuple(
            _step(item, number, size, report) for number, item in enumerate(found, 1) if isinstance(item, dict)
        ),
        answer=texts[chosen] if known and isinstance(chosen, int) else None,
        judge_correct=fields.truth(row.get("correct"), "correct", report),
        extra=fields.extra(row, _READ),
        file=report.file,
        line=report.line,
    )


def _step(found: Mapping[str, Any], number: int, size: Size | None, report: Report) -> Step:
    placed = fields.four_numbers(found.get("bbox"))
    if placed is None:
        field = f"search_result[{number - 1}].bbox"
        report.noted(
            "no-box", field, found.get("bbox"), "The box is not four numbers. It is kept as written and never scored."
        )
    box = placed and (placed[0], placed[1], placed[0] + placed[2], placed[1] + placed[3])
    executed = None
    if box:
        field = f"search_result[{number - 1}].bbox"
        report.stands_for(field, field, placed)
        note_unless_box(box, field, report)
        across, down = ((ENLARGED - 1) / 2 * (box[n + 2] - box[n]) for n in (0, 1))
        executed = (box[0] - across, box[1] - down, box[2] + across, box[3] + down)
        executed = clamped(executed, size) if size else executed
    return Step(
        tool="crop",
        bbox=box,
        bbox_raw=found.get("bbox") if box is None else None,
        coords=Coordinates.PIXEL,
        image_in=ORIGINAL,
        image_out=f"crop_{number}" if box else None,
        ok=box is not None,
        executed_bbox=executed,
        label=str(found.get("name") or ""),
    )
