"""The data flow of calls as a drawing. The calls that produced the final output are in ink."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext, gettext_noop

from evaluation.common.frame import Frame
from evaluation.common.trajectory.read import TrajectoryDetail
from evaluation.common.trajectory.turns import SHOWN_SIDE
from evaluation.metrics.columns import ORIGINAL_IMAGE, ChainStatus
from evaluation.metrics.producers import NO_STEP
from webapp.common.translation import all_of

NODE_WIDTH, GAP_X, GAP_Y = 108, 18, 8
TEXT_HEIGHT, PICTURE_HEIGHT = 34, 56
"""Heights of a box; one with an image has the sum of both."""
MOST_CALLS = 60
"""With more calls, the drawing would be unreadable."""
NAME_LENGTH = 14

ORIGINAL, ANSWER = -1, -2
"""Keys for boxes other than rows of calls."""

EFFECTIVE, DEAD, FAILED = "effective", "dead", "failed"
WORDS = {
    EFFECTIVE: gettext_noop("reached the answer"),
    DEAD: gettext_noop("did not reach the answer"),
    FAILED: gettext_noop("failed"),
}

Places = dict[int, tuple[int, float]]
"""Column and lane of each box; the original may be between two lanes."""


@dataclass(frozen=True, slots=True)
class Node:
    """A box of the drawing: its corner, a name, a line under it, its full name, and its outcome.

    ``turn``, ``tool``: None and "" for the original and the answer. ``picture``: the address of the returned image, ""
    if unknown. ``reads``: its inputs, as text.
    """

    x: int
    y: int
    name: str
    line: str
    title: str
    state: str
    turn: int | None = None
    tool: str = ""
    picture: str = ""
    reads: str = ""

    @property
    def words(self) -> str:
        return gettext(WORDS[self.state])


@dataclass(frozen=True, slots=True)
class Edge:
    path: str
    effective: bool


@dataclass(frozen=True)
class Graph:
    """``left_out``: calls that are not drawn. ``status``: of the effective toolchain, see ``ChainStatus``. ``box``: the
    height of a box, ``across`` its width; ``picture``: the height of the image in it, 0 without."""

    width: int
    height: int
    box: int
    picture: int
    nodes: list[Node]
    edges: list[Edge]
    calls: int
    effective: int
    left_out: int
    status: str

    failed: int
    across: int = NODE_WIDTH

    @property
    def dead(self) -> int:
        return self.calls - self.effective - self.failed

    @property
    def half(self) -> int:
        """The vertical offset of the text in a box without an image, among boxes with images."""
        return self.picture // 2

    @property
    def listed(self) -> list[Node]:
        """The calls in their order, for screen readers."""
        return [node for node in self.nodes if node.turn is not None]


def graph_of(
    detail: TrajectoryDetail, said: str, frame: Frame | None = None, made: Mapping[int, str] | None = None
) -> Graph | None:
    """Return the data flow of the calls that count; None without one. ``said``: the answer as read. ``frame``: the
    source of images of zooms; None: no box has one. ``made``: the images of a replay, by turn.
    """
    calls = len(detail.loaded.columns.steps)
    if not calls:
        return None
    drawn = min(calls, MOST_CALLS)
    sources = _sources(detail, drawn)
    depth, lane = _places(sources)
    lanes = max(lane) + 1
    box = TEXT_HEIGHT + (PICTURE_HEIGHT if frame else 0)
    final = _final(detail)
    places: Places = {row: (depth[row], lane[row]) for row in range(drawn)}
    middle = (lanes - 1) / 2
    places |= {ORIGINAL: (0, middle), ANSWER: (max(depth) + 1, places[final][1] if final in places else middle)}
    return Graph(
        width=(max(depth) + 2) * (NODE_WIDTH + GAP_X) - GAP_X,
        height=lanes * (box + GAP_Y) - GAP_Y,
        box=box,
        picture=box - TEXT_HEIGHT,
        nodes=_nodes(detail, sources, places, said, frame, box, made or {}),
        edges=_edges(detail, sources, places, final, box),
        calls=calls,
        effective=int(detail.scores.effective.sum()),
        left_out=calls - drawn,
        status=ChainStatus.NAMES[int(detail.scores.chain_status[0])],
        failed=int((~detail.loaded.columns.steps.ok).sum()),
    )


def _final(detail: TrajectoryDetail) -> int | None:
    """The call whose image is the final output, or ``ORIGINAL``: the last one on the path; None for a broken
    toolchain."""
    if int(detail.scores.chain_status[0]) == ChainStatus.BROKEN:
        return None
    return max((row for row, reached in enumerate(detail.scores.effective.tolist()) if reached), default=ORIGINAL)


def _edges(
    detail: TrajectoryDetail, sources: Sequence[Sequence[int]], places: Places, final: int | None, box: int
) -> list[Edge]:
    """Return the edges. Unused ones come first, so that the path is drawn over them."""
    effective, taken = detail.scores.effective.tolist(), set(places.values())
    edges = [
        Edge(_line(places[source], places[row], taken, box), effective[row])
        for row, found in enumerate(sources)
        for source in found
    ]
    if final in places:
        edges.append(Edge(_line(places[final], places[ANSWER], taken, box), True))
    return sorted(edges, key=lambda edge: edge.effective)


def _nodes(
    detail: TrajectoryDetail,
    sources: Sequence[Sequence[int]],
    places: Places,
    said: str,
    frame: Frame | None,
    box: int,
    made: Mapping[int, str],
) -> list[Node]:
    width, height = detail.record.width, detail.record.height
    size = gettext("size unknown") if width is None or height is None else f"{width} × {height}"
    original = Node(
        *_corner(*places[ORIGINAL], box), gettext("original"), size,
        gettext("The original image, %(size)s") % {"size": size}, EFFECTIVE,
        picture=frame.thumbnail if frame else "",
    )  # fmt: skip
    calls = [_node(detail, row, _corner(*places[row], box), found, frame, made) for row, found in enumerate(sources)]
    answer = Node(*_corner(*places[ANSWER], box), gettext("answer"), _short(said), said[:200], EFFECTIVE)
    return [original, *calls, answer]


def _sources(detail: TrajectoryDetail, drawn: int) -> list[list[int]]:
    """For each call its input rows, possibly including ``ORIGINAL``; images of unknown origin are omitted."""
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
    """Column and lane of each call: after all its inputs, and in the lane of the first one if it is free."""
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


def _corner(column: int, lane: float, box: int) -> tuple[int, int]:
    return column * (NODE_WIDTH + GAP_X), round(lane * (box + GAP_Y))


def _line(source: tuple[int, float], target: tuple[int, float], taken: Collection[tuple[int, float]], box: int) -> str:
    """Draw a line between two boxes past the boxes between them: along the lane of either one if it is free,
    otherwise along the gap under the first."""
    (x1, y1), (x2, y2) = _corner(*source, box), _corner(*target, box)
    x1, y1, y2, half = x1 + NODE_WIDTH, y1 + box // 2, y2 + box // 2, GAP_X // 2
    between = range(source[0] + 1, target[0])
    first, last = (
        f"C{x1 + half} {y1} {x1 + half} {{}} {x1 + GAP_X} {{}}",
        f"C{x2 - half} {{}} {x2 - half} {y2} {x2} {y2}",
    )
    if not _free(target[1], between, taken) and _free(source[1], between, taken):
        return f"M{x1} {y1}H{x2 - GAP_X}{last.format(y1)}"
    if _free(target[1], between, taken):
        return f"M{x1} {y1}{first.format(y2, y2)}H{x2}"
    under = y1 + (box + GAP_Y) // 2
    return f"M{x1} {y1}{first.format(under, under)}H{x2 - GAP_X}{last.format(under)}"


def _free(lane: float, columns: Iterable[int], taken: Collection[tuple[int, float]]) -> bool:
    return all((column, beside) not in taken for column in columns for beside in {math.floor(lane), math.ceil(lane)})


def _node(
    detail: TrajectoryDetail,
    row: int,
    corner: tuple[int, int],
    sources: Sequence[int],
    frame: Frame | None,
    made: Mapping[int, str],
) -> Node:
    steps, positions = detail.loaded.columns.steps, detail.loaded.positions
    turn, name = int(positions[row]) + 1, detail.loaded.columns.tools[int(steps.tool[row])]
    state = EFFECTIVE if detail.scores.effective[row] else DEAD if steps.ok[row] else FAILED
    line = gettext("turn %(number)s, failed") if state == FAILED else gettext("turn %(number)s")
    line %= {"number": turn}
    crop = detail.turns[turn - 1].executed
    reads = [
        gettext("the original")
        if source == ORIGINAL
        else gettext("turn %(number)s") % {"number": int(positions[source]) + 1}
        for source in sources
    ]
    return Node(
        *corner, _short(name), line, f"{name[:200]}, {line}", state, turn, name[:200],
        made.get(turn) or (frame.region(crop, SHOWN_SIDE) if frame and crop else ""),
        all_of(reads) or gettext("nothing known"),
    )  # fmt: skip


def _short(text: str) -> str:
    return text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"
