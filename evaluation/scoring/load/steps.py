"""Columns of steps from database rows, chunk by chunk: the rows of a large run are never all in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from annotation.schema import ORIGINAL
from evaluation.metrics.columns import (
    NO_IMAGE,
    NORM1,
    NORM1000,
    ORIGINAL_IMAGE,
    PIXEL,
    Bools,
    Floats,
    Ints,
    StepColumns,
)
from evaluation.metrics.ragged import different
from evaluation.models import Step
from evaluation.models.querysets.replay import ReplayedStepQuerySet
from webapp.common.bulk import raw_value

COORDS = {"pixel": PIXEL, "norm1": NORM1, "norm1000": NORM1000}
CHUNK = 5000

_FIELDS = (
    "trajectory_id", "position", "x1", "y1", "x2", "y2", "executed_x1", "executed_y1", "executed_x2", "executed_y2",
    "out_width", "out_height", "tool", "coords", "image_out", "flag",
)  # fmt: skip


@dataclass(frozen=True)
class LoadedSteps:
    """The steps of some trajectories, in the order of these; see ``RunColumns`` for ``start``, ``final_image`` and
    ``tools``. ``positions``: the position of every step in its trajectory; ``failed``: the record says that the call
    failed, whatever a replay gave."""

    columns: StepColumns
    start: Ints
    positions: Ints
    failed: Bools
    final_image: Ints
    tools: list[str]


class _Codes(dict[Any, int]):
    """Numbers values in the order in which they first occur."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


def load_steps(
    found: QuerySet[Step], replayed: ReplayedStepQuerySet, trajectories: Sequence[int], finals: Sequence[str | None]
) -> LoadedSteps:
    """The steps of ``trajectories`` (primary keys) among ``found``, without those after the answer. Two queries.

    ``replayed``: stored replays that replace the record. ``finals``: the name of each trajectory's final image.
    """
    tools, pictures, sources = _Codes(), _Codes({ORIGINAL: ORIGINAL_IMAGE}), _Codes()
    parts = [_arrays(rows, tools, pictures, sources) for rows in _chunks(found)]
    whole = [np.concatenate(column) for column in zip(*(parts or [_arrays([], tools, pictures, sources)]), strict=True)]
    owner, failed = whole[0], ~whole[6]
    _put_replayed(replayed, owner, whole[1], whole[2], whole[6])
    wanted = np.array(trajectories, np.int64)
    first = np.searchsorted(owner, wanted)
    counts = np.searchsorted(owner, wanted, "right") - first
    start, chosen = _starts(counts), _ranges(first, counts)
    _, positions, numbers, tool, coords, image_out, ok, unused, has_bbox, source = (column[chosen] for column in whole)
    in_start, image_in = _inputs(source, sources, pictures)
    named = np.array([NO_IMAGE if name is None else pictures[name] for name in finals], np.int64)
    trajectory = np.repeat(np.arange(len(wanted)), counts)
    reader = np.repeat(trajectory, np.diff(in_start))
    image_in, image_out, named = _own_codes(
        [(reader, image_in), (trajectory, image_out), (np.arange(len(wanted)), named)], len(pictures)
    )
    columns = StepColumns(
        tool=tool,
        bbox=numbers[:, :4],
        executed=numbers[:, 4:8],
        has_bbox=has_bbox,
        coords=coords,
        in_start=in_start,
        image_in=image_in,
        image_out=image_out,
        out_size=numbers[:, 8:],
        ok=ok,
        unused=unused,
    )
    return LoadedSteps(columns, start, positions, failed[chosen], named, list(tools))


def _chunks(found: QuerySet[Step]) -> Iterator[list[tuple[Any, ...]]]:
    # The database sends JSON as text. Few values differ, and each is parsed once.
    cast = [raw_value("ok"), Cast("image_in", TextField()), Cast("bbox_raw", TextField())]
    ordered = found.exclude(flag="post_answer").order_by("trajectory_id", "position")
    rows = ordered.values_list(*_FIELDS, *cast).iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _put_replayed(found: ReplayedStepQuerySet, owner: Ints, position: Ints, numbers: Floats, ok: Bools) -> None:
    """Replace recorded success, executed boxes and sizes by those of replays. One query."""
    names = ("replay__trajectory_id", "position", "x1", "y1", "x2", "y2", "out_width", "out_height")
    rows = list(found.in_force().order_by().values_list(*names, raw_value("ok")))
    if not rows or not len(owner):
        return
    given = np.array(rows, float)
    pair = 1 + max(int(position.max()), int(given[:, 1].max()))
    key, wanted = owner * pair + position, (given[:, 0] * pair + given[:, 1]).astype(np.int64)
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    there = key[at] == wanted
    at, given = at[there], given[there]
    ok[at] = given[:, 8] > 0
    for columns, values in ((slice(4, 8), given[:, 2:6]), (slice(8, 10), given[:, 6:8])):
        known = ~np.isnan(values[:, 0])
        numbers[at[known], columns] = values[known]


def _arrays(
    rows: list[tuple[Any, ...]], tools: _Codes, pictures: _Codes, sources: _Codes
) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints, Bools, Bools, Bools, Ints]:
    """The columns of a chunk: owner, position, ten numbers, tool, space, image made, ok, unused, box, source."""
    columns = list(zip(*rows, strict=True)) or [()] * (len(_FIELDS) + 3)
    owner, position, *numbers, tool, coords, image_out, flag, ok, image_in, raw = columns
    return (
        np.array(owner, np.int64),
        np.array(position, np.int64),
        np.array(numbers, float).T,
        np.array([tools[name] for name in tool], np.int64),
        np.array([COORDS[name] for name in coords], np.int64),
        np.array([NO_IMAGE if name is None else pictures[name] for name in image_out], np.int64),
        np.array(ok, bool),
        np.array([kind == "unused" for kind in flag], bool),
        np.array([x1 is not None or text is not None for x1, text in zip(numbers[0], raw, strict=True)], bool),
        np.array([sources[text] for text in image_in], np.int64),
    )


def _inputs(source: Ints, sources: _Codes, pictures: _Codes) -> tuple[Ints, Ints]:
    """Ragged image codes of every step, from the code of the text that names its inputs."""
    lists = [[pictures[name] for name in _names(text)] for text in sources]
    start = _starts(np.array([len(codes) for codes in lists], np.int64))
    flat = np.array([code for codes in lists for code in codes], np.int64)
    counts = np.diff(start)[source]
    return _starts(counts), flat[_ranges(start[source], counts)]


def _names(text: str | None) -> Sequence[str]:
    named = None if text is None else json.loads(text)
    return [named] if isinstance(named, str) else named or ()


def _own_codes(given: Sequence[tuple[Ints, Ints]], most: int) -> list[Ints]:
    """Image codes of the run as codes of each trajectory, 1, 2, ...: products of codes stay small. ``given``: pairs
    of trajectory and code."""
    place = [trajectory * most + code for trajectory, code in given]
    used = different(np.concatenate([p[code > ORIGINAL_IMAGE] for p, (_, code) in zip(place, given, strict=True)]))
    return [
        np.where(code > ORIGINAL_IMAGE, np.searchsorted(used, p) - np.searchsorted(used, trajectory * most) + 1, code)
        for p, (trajectory, code) in zip(place, given, strict=True)
    ]


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def _ranges(first: NDArray[np.int64], counts: Ints) -> Ints:
    """first[0], first[0] + 1, ... of each range, one range after another."""
    return np.repeat(first - _starts(counts)[:-1], counts) + np.arange(int(counts.sum()))
