"""Which call read whose picture, drawn from left to right; what reached the final output is in ink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evaluation.actions.read_trajectory import TrajectoryDetail
from evaluation.metrics.columns import ORIGINAL_IMAGE, ChainStatus
from evaluation.metrics.producers import NO_STEP

NODE_WIDTH, NODE_HEIGHT, GAP_X, GAP_Y = 96, 34, 18, 8
MOST_CALLS = 60
"""More calls than these make no picture that anybody reads."""
NAME_LENGTH = 14

ORIGINAL, ANSWER = -1, -2
"""Keys beside the rows of calls."""

Corners = dict[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Node:
    """A box of the drawing: its corner, a name, a line under it, its full name, and whether it is on the path."""

    x: int
    y: int
    name: str
    line: str
    title: str
    effective: bool


@dataclass(frozen=True, slots=True)
class Edge:
    path: str
    effective: bool


@dataclass(frozen=True)
class Graph:
    """``left_out``: calls that are not drawn. ``status``: of the effective toolchain, see ``ChainStatus``."""

    width: int
    height: int
    nodes: list[Node]
    edges: list[Edge]
    calls: int
    effective: int
    left_out: int
    status: str

    @property
    def dead(self) -> int:
        return self.calls - self.effective


def graph_of(detail: TrajectoryDetail, said: str) -> Graph | None:
    """The data flow of the calls that count; None without one. ``said``: the answer as read."""
    calls = len(detail.loaded.columns.steps)
    if not calls:
        return None
    drawn = min(calls, MOST_CALLS)
    sources = _sources(detail, drawn)
    depth, lane = _places(sources)
    columns, lanes = max(depth) + 2, max(lane) + 1
    middle = (lanes - 1) / 2
    corners = {row: _corner(depth[row], lane[row]) for row in range(drawn)}
    corners |= {ORIGINAL: _corner(0, middle), ANSWER: _corner(columns - 1, middle)}
    return Graph(
        width=columns * (NODE_WIDTH + GAP_X) - GAP_X,
        height=lanes * (NODE_HEIGHT + GAP_Y) - GAP_Y,
        nodes=_nodes(detail, corners, said),
        edges=_edges(detail, sources, corners),
        calls=calls,
        effective=int(detail.scores.effective.sum()),
        left_out=calls - drawn,
        status=ChainStatus.NAMES[int(detail.scores.chain_status[0])],
    )


def _edges(detail: TrajectoryDetail, sources: Sequence[Sequence[int]], corners: Corners) -> list[Edge]:
    """The dead ones first, so that the path lies over them. The final output is the last call on the path."""
    effective = detail.scores.effective.tolist()
    edges = [
        Edge(_curve(corners[source], corners[row]), effective[row])
        for row, found in enumerate(sources)
        for source in found
    ]
    final = max((row for row, reached in enumerate(effective) if reached), default=ORIGINAL)
    if final in corners and int(detail.scores.chain_status[0]) != ChainStatus.BROKEN:
        edges.append(Edge(_curve(corners[final], corners[ANSWER]), True))
    return sorted(edges, key=lambda edge: edge.effective)


def _nodes(detail: TrajectoryDetail, corners: Corners, said: str) -> list[Node]:
    width, height = detail.record.width, detail.record.height
    size = "size unknown" if width is None or height is None else f"{width} × {height}"
    calls = [_node(detail, row, corner) for row, corner in corners.items() if row not in (ORIGINAL, ANSWER)]
    return [
        Node(*corners[ORIGINAL], "original", size, f"The original picture, {size}", True),
        *calls,
        Node(*corners[ANSWER], "answer", _short(said), said[:200], True),
    ]


def _sources(detail: TrajectoryDetail, drawn: int) -> list[list[int]]:
    """For each call the rows it reads from, ``ORIGINAL`` among them; pictures that nobody made are left out."""
    steps, producers = detail.loaded.columns.steps, detail.producers
    found = []
    for first, last in pairwise(steps.in_start[: drawn + 1].tolist()):
        made = [
            ORIGINAL if image == ORIGINAL_IMAGE else producer
            for image, producer in zip(
                steps.image_in[first:last].tolist(), producers.of_input[first:last].tolist(), strict=True
            )
            if image == ORIGINAL_IMAGE or producer != NO_STEP
        ]
        found.append(list(dict.fromkeys(made)))
    return found


def _places(sources: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Column and lane of each call: right of all it reads, and in the lane of the first if nobody is there yet."""
    depth: list[int] = []
    lane: list[int] = []
    taken: set[tuple[int, int]] = set()
    for found in sources:
        column = 1 + max((depth[source] for source in found if source != ORIGINAL), default=0)
        wanted = next((lane[source] for source in found if source != ORIGINAL), None)
        if wanted is None or (column, wanted) in taken:
            wanted = max(lane, default=-1) + 1
        taken.add((column, wanted))
        depth.append(column)
        lane.append(wanted)
    return depth, lane


def _corner(column: int, lane: float) -> tuple[int, int]:
    return column * (NODE_WIDTH + GAP_X), round(lane * (NODE_HEIGHT + GAP_Y))


def _curve(source: tuple[int, int], target: tuple[int, int]) -> str:
    x1, y1 = source[0] + NODE_WIDTH, source[1] + NODE_HEIGHT // 2
    x2, y2 = target[0], target[1] + NODE_HEIGHT // 2
    # The bend lies in the first gap, so that a line to a far column passes beside the boxes between.
    bend = x1 + GAP_X
    half = GAP_X // 2
    return f"M{x1} {y1}C{x1 + half} {y1} {bend - half} {y2} {bend} {y2}H{x2}"


def _node(detail: TrajectoryDetail, row: int, corner: tuple[int, int]) -> Node:
    steps, turn = detail.loaded.columns.steps, int(detail.loaded.positions[row]) + 1
    name = detail.loaded.columns.tools[int(steps.tool[row])]
    line = f"turn {turn}" if steps.ok[row] else f"turn {turn}, failed"
    return Node(*corner, _short(name), line, f"{name[:200]}, {line}", bool(detail.scores.effective[row]))


def _short(text: str) -> str:
    return text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"
