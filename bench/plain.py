"""The measures of docs/metrics.md#grounding-measures, #answers, #toolchains and #statistics, one trajectory at a time
in plain Python.

The reference that the vectorised code is held against: the same definitions in plain loops, written from the
specification, sharing with it only what reads a single text (an answer, a tool name). The oracle of the tests and the
yardstick of the benchmark.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bench.plain_boxes import Box, area, clip, gold_measures, is_valid, union_measures
from bench.plain_chains import alignment, effective_chain
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import UNKNOWN, ChainStatus, Quadrant, RunColumns, SampleColumns
from evaluation.metrics.names import ToolKind, canonical_name, tool_kind
from evaluation.metrics.settings import MetricSettings

TIE = 1e-9
Frame = tuple[float, float, float, float, float, float]
"""x, y, scale x, scale y, width, height of an image in the original."""


@dataclass(frozen=True, slots=True)
class PlainStep:
    tool: str
    bbox: Box
    executed: Box
    coords: int
    inputs: tuple[int, ...]
    image_out: int
    out_size: tuple[float, float]
    ok: bool
    unused: bool


def score_run_plain(samples: SampleColumns, run: RunColumns, settings: MetricSettings) -> dict[str, list[Any]]:
    """The fields of ``ScoreColumns`` without planning, as lists by field name; NaN and -1 where undefined."""
    columns: dict[str, list[Any]] = {}
    gold = _split(samples.gold_boxes.tolist(), samples.gold_start.tolist())
    sizes = samples.size.tolist()
    given = run.sample.tolist(), run.answers, run.verdict.tolist(), run.final_image.tolist()
    for sample, answer, verdict, final_image, steps in zip(*given, _steps(run), strict=True):
        judged = judge_answer(answer, samples.answers[sample], verdict, settings)
        row: dict[str, Any] = {
            "sample": sample,
            "correct": judged.correct,
            "letter": judged.letter,
            "undecided": judged.undecided,
            "unread": judged.unread,
            "missing_answer": judged.missing,
            "visual_evidence": any(s.ok and s.image_out >= 0 for s in steps),
        }
        row |= _grounding(steps, gold[sample], sizes[sample], settings, judged.correct == 1, judged.undecided)
        chains = [samples.references[sample], *(samples.accepted[sample] if samples.accepted else ())]
        row |= _toolchain(steps, final_image, chains, settings)
        for name, value in row.items():
            column = columns.setdefault(name, [])
            column.extend(value) if name in ("step_crops", "step_coverage", "effective") else column.append(value)
    return columns


def _steps(run: RunColumns) -> Iterator[list[PlainStep]]:
    s = run.steps
    inputs = _split(s.image_in.tolist(), s.in_start.tolist())
    names = [run.tools[code] for code in s.tool.tolist()]
    before = names, s.bbox.tolist(), s.executed.tolist(), s.coords.tolist(), inputs
    after = s.image_out.tolist(), s.out_size.tolist(), s.ok.tolist(), s.unused.tolist()
    flat = [PlainStep(*values) for values in zip(*before, *after, strict=True)]
    yield from _split(flat, run.step_start.tolist())


def _split(flat: Sequence[Any], start: Sequence[int]) -> list[list[Any]]:
    return [list(flat[begin:end]) for begin, end in pairwise(start)]


def _grounding(
    steps: Sequence[PlainStep],
    gold: Sequence[Box],
    size: Box,
    settings: MetricSettings,
    correct: bool,
    undecided: bool,
) -> dict[str, Any]:
    known = all(math.isfinite(v) and v > 0 for v in size)
    gold = [c for g in gold if is_valid(g) and known and (c := clip(g, *size))]
    crops = crops_of(steps, size, settings.crop_box == "requested")
    usable = [(i, c) for i, c in enumerate(crops) if c]
    zooms = sum(tool_kind(s.tool) == ToolKind.ZOOM for s in steps)
    everyone = bool(gold) and (zooms > 0 or settings.no_crop != "exclude")
    inside = everyone and not (undecided and settings.undecided_answer == "exclude")
    row: dict[str, Any] = {
        "invoked": zooms > 0,
        "in_population": inside,
        "scorable": bool(gold),
        "usable_crops": len(usable),
        "unusable_crops": zooms - len(usable),
        "cropped_region_size": sum(area(c) for _, c in usable) / (size[0] * size[1]) if usable else 0.0,
        "step_crops": [c or (math.nan,) * 4 for c in crops],
        "step_coverage": _coverage_so_far(crops, gold),
    }
    whole = everyone and not zooms and settings.no_crop == "full_image"
    covered = 1.0 if whole else row["step_coverage"][-1] if crops else 0.0
    if whole:
        usable = [(-1, (0.0, 0.0, size[0], size[1]))]
    scored = _scored(usable, gold, size, settings) if everyone else _unscored(math.nan)
    row |= scored if inside else _unscored(math.nan)
    grounded = everyone and scored["ioa"] > settings.ioa_threshold + TIE
    quadrant = 2 * (not grounded) + (not correct) if inside else Quadrant.OUTSIDE
    named = {"grounded": int(grounded) if inside else UNKNOWN, "union_coverage": covered if inside else math.nan}
    named["grounded_anyway"] = int(grounded) if everyone else UNKNOWN
    return row | named | {"quadrant": quadrant}


def _unscored(value: float) -> dict[str, Any]:
    measures = dict.fromkeys(("coverage", "concentration", "ioa", "iou"), value)
    return measures | {"crop_index": -1, "crop_box": (math.nan,) * 4, "center_hit": -1, "zoom_factor": math.nan}


def _scored(
    usable: Sequence[tuple[int, Box]], gold: Sequence[Box], size: Box, settings: MetricSettings
) -> dict[str, Any]:
    if not usable:
        return _unscored(0.0)
    each = [gold_measures([crop], gold, settings.multi_gold) for _, crop in usable]
    chosen = 0
    if settings.multi_crop == "last":
        chosen = len(usable) - 1
    elif settings.multi_crop == "best":
        highest = max(m["ioa"] for m in each)
        chosen = next(i for i, m in enumerate(each) if m["ioa"] >= highest - TIE)
    if len(usable) > 1 and settings.multi_crop == "union":
        return _unscored(0.0) | gold_measures([c for _, c in usable], gold, settings.multi_gold)
    if len(usable) > 1 and settings.multi_crop == "mean":
        return _unscored(0.0) | {name: sum(m[name] for m in each) / len(each) for name in each[0]}
    index, crop = usable[chosen]
    x, y = (crop[0] + crop[2]) / 2, (crop[1] + crop[3]) / 2
    hit = any(g[0] - TIE <= x <= g[2] + TIE and g[1] - TIE <= y <= g[3] + TIE for g in gold)
    zoom = math.sqrt(size[0] * size[1] / area(crop))
    return each[chosen] | {"crop_index": index, "crop_box": crop, "center_hit": int(hit), "zoom_factor": zoom}


def _coverage_so_far(crops: Sequence[Box | None], gold: Sequence[Box]) -> list[float]:
    shares, seen = [], []
    for crop in crops:
        if crop:
            seen.append(crop)
        if not gold:
            shares.append(math.nan)
        else:
            shares.append(union_measures(seen, gold)["coverage"] if crop else shares[-1] if shares else 0.0)
    return shares


def crops_of(steps: Sequence[PlainStep], size: Box, requested: bool) -> list[Box | None]:
    """Every step's usable crop in original pixels, None when it has none."""
    frames: dict[int, Frame | None] = {}
    if all(math.isfinite(v) and v > 0 for v in size):
        frames[0] = (0.0, 0.0, 1.0, 1.0, size[0], size[1])
    crops: list[Box | None] = []
    returned = False
    for step in steps:
        frame = frames.get(step.inputs[0]) if step.inputs else None if returned else frames.get(0)
        kind = tool_kind(step.tool)
        actual = step.bbox if any(map(math.isnan, step.executed)) else step.executed
        crop = None
        if kind == ToolKind.ZOOM and frame and step.ok and not step.unused:
            region = _local(step.bbox if requested else actual, step.coords, frame)
            crop = clip(_to_original(region, frame), size[0], size[1]) if region else None
        crops.append(crop)
        if step.ok and step.image_out > 0:
            returned = True
            frames[step.image_out] = _output_frame(kind, frame, _local(actual, step.coords, frame), step.out_size)
    return crops


def _local(box: Box, coords: int, frame: Frame | None) -> Box | None:
    if frame is None or not is_valid(box):
        return None
    unit = (1.0, frame[4], frame[4] / 1000)[coords], (1.0, frame[5], frame[5] / 1000)[coords]
    return clip((box[0] * unit[0], box[1] * unit[1], box[2] * unit[0], box[3] * unit[1]), frame[4], frame[5])


def _to_original(box: Box, frame: Frame) -> Box:
    x, y, sx, sy = frame[:4]
    return x + box[0] * sx, y + box[1] * sy, x + box[2] * sx, y + box[3] * sy


def _output_frame(kind: ToolKind, frame: Frame | None, region: Box | None, out: tuple[float, float]) -> Frame | None:
    if frame is None or kind == ToolKind.LOSE or (kind == ToolKind.ZOOM and region is None):
        return None
    if kind == ToolKind.KEEP:
        return frame
    x, y, sx, sy, w, h = frame
    if kind == ToolKind.ZOOM and region is not None:
        x, y, w, h = x + region[0] * sx, y + region[1] * sy, region[2] - region[0], region[3] - region[1]
    if not all(math.isfinite(v) and v > 0 for v in out):
        return (x, y, sx, sy, w, h) if kind == ToolKind.ZOOM else None
    return x, y, sx * w / out[0], sy * h / out[1], out[0], out[1]


def _toolchain(
    steps: Sequence[PlainStep], final_image: int, chains: Sequence[Sequence[str] | None], settings: MetricSettings
) -> Mapping[str, Any]:
    names = [s.tool if settings.tool_aliases == "exact" else canonical_name(s.tool) for s in steps]
    effective, status = effective_chain(steps, final_image)
    kept = effective if status == ChainStatus.OK else set()
    return {
        "calls": len(steps),
        "unique_tools": len(set(names)),
        "effective_calls": len(kept),
        "effective_unique_tools": len({names[i] for i in kept}),
        "chain_status": status,
        "effective": [i in kept for i in range(len(steps))],
    } | alignment(chains, [s.tool for s in steps])
