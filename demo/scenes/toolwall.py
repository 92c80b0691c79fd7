"""A wall of hand tools over a bench. Evidence: the plates under alike tools, and small print and counts around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, dark, light
from demo.scenes.evidence import EvidenceSet, PlacedTool, Scene
from demo.scenes.hand_tools import MARKS, TOOLS, draw_tool
from demo.scenes.parts import lettered
from demo.scenes.toolwall_evidence import place_evidence

BENCH = 1690
CLUTTER = 130
"""Gaps wider than this, in pixels, may have something else hanging in them."""
LOOKS: Mapping[str, str] = {"peg": "#c9b48e", "steel": "#aab4ba"}
WALLS: Mapping[str, tuple[tuple[tuple[str, int], ...], ...]] = {
    "peg": (
        (
            ("hammer", 3),
            ("flat screwdriver", 1),
            ("cross screwdriver", 3),
            ("tape measure", 1),
            ("clamp", 2),
            ("combination wrench", 1),
            ("pliers", 1),
        ),
        (("hand drill", 3), ("pencil", 1), ("side cutters", 3), ("try square", 1), ("hand saw", 2), ("hex key", 1)),
        (
            ("hacksaw", 2),
            ("file", 3),
            ("sanding block", 2),
            ("mallet", 1),
            ("paint brush", 1),
            ("awl", 1),
            ("utility knife", 1),
        ),
    ),
    "steel": (
        (("hex key", 4), ("hand drill", 3), ("spirit level", 1), ("awl", 3), ("pliers", 1)),
        (("mallet", 2), ("tape measure", 1), ("clamp", 2), ("adjustable wrench", 1), ("utility knife", 3), ("file", 1)),
        (
            ("sanding block", 3),
            ("hacksaw", 1),
            ("paint brush", 3),
            ("hammer", 1),
            ("try square", 1),
            ("putty knife", 1),
        ),
    ),
}
"""Rows of tools from the left for each look, and how many of each hang there."""
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""What alike tools are named by, from the left: no letter stands twice on a wall. I, O and Q are omitted."""
PLATES: Mapping[str, str] = {"peg": "#efe7d2", "steel": "#e2e7ea"}
PLATE_WIDTH, PLATE_HEIGHT = 64, 54


def draw_tool_wall(name: str, seed: int, look: str) -> Scene:
    """The wall ``name`` with the tools of a look of ``WALLS``, a bench below, and the evidence."""
    c, back = Canvas(f"{name}:{seed}"), LOOKS[look]
    _board(c, back, pegs=look == "peg")
    tools: list[PlacedTool] = []
    letters = iter(LETTERS)
    for row, kinds in enumerate(WALLS[look]):
        tools += _row(c, [hung for kind in kinds for hung in _names(*kind, letters)], 100 + 530 * row)
    _bench(c, look)
    c.glow(1200, -100, 1100, "#fff3d6", 0.34)
    evidence = EvidenceSet(c)
    _plates(evidence, tools, PLATES[look])
    place_evidence(evidence, back, mirrored=look == "steel")
    return Scene(name, "tool wall", c.markup(), 0.34, evidence.parts, tuple(tools))


def _names(kind: str, count: int, letters: Iterator[str]) -> list[tuple[str, str]]:
    """Name and kind of ``count`` tools; each of several is named with the next letter."""
    return [(f"{kind} {next(letters)}" if count > 1 else kind, kind) for _ in range(count)]


def _plates(evidence: EvidenceSet, tools: Sequence[PlacedTool], back: str) -> None:
    """A plate under each of several alike, with its letter and in fine print one of the marks of its kind.

    Which of them bears which is up to the dice, and one bears the mark that the plans ask for.
    """
    for kind, alike in groupby((tool for tool in tools if tool.name != tool.kind), key=lambda tool: tool.kind):
        several = list(alike)
        asked, *others = MARKS[kind]
        borne = [asked, *evidence.canvas.rng.sample(others, len(several) - 1)]
        evidence.canvas.rng.shuffle(borne)
        for tool, value in zip(several, borne, strict=True):
            x1, _, x2, y2 = tool.box
            left, top = (x1 + x2 - PLATE_WIDTH) // 2, y2 + 20
            box = (left, top, left + PLATE_WIDTH, top + PLATE_HEIGHT)
            evidence.add(tool.name, box, MARKS[kind], lettered(box, back, tool.name[-1]), value)


def _board(c: Canvas, back: str, pegs: bool) -> None:
    c.rect(0, 0, WIDTH, BENCH, back)
    if pegs:
        for y in range(34, BENCH, 64):
            for x in range(34, WIDTH, 64):
                c.circle(x, y, 7, dark(back, 0.45))
                c.circle(x + 1.5, y + 2, 5, dark(back, 0.62))
    else:
        for y in range(60, BENCH, 96):
            for x in range(50 + 48 * (y // 96 % 2), WIDTH, 96):
                c.rect(x, y, 44, 12, dark(back, 0.35), 6)
                c.rect(x, y + 9, 44, 3, light(back, 0.4), 2)
    for y in (0, 534, 1068):
        c.rect(0, y, WIDTH, 60, c.gradient([(0, "#000000", 0.16), (1, "#000000", 0)]))
        c.rect(0, y, WIDTH, 14, dark(back, 0.5))
        c.rect(0, y + 14, WIDTH, 3, light(back, 0.3))


def _row(c: Canvas, names: Sequence[tuple[str, str]], top: int) -> list[PlacedTool]:
    """Hangs the tools with equal gaps, a little off the line, over the whole width."""
    free = WIDTH - 240 - sum(TOOLS[kind].width for _, kind in names)
    gap, x, placed = free / (len(names) - 1), 120.0, []
    for (name, kind), (_, following) in zip(names, [*names[1:], ("", "")], strict=True):
        tool = TOOLS[kind]
        left, y = round(x), top + (360 - tool.height) // 2 + c.rng.randint(-14, 14)
        c.rect(left + tool.width / 2 - 7, y - 34, 14, 40, "#6b6f72", 6)
        draw_tool(c, kind, left, y)
        placed.append(PlacedTool(name, kind, (left, y, left + tool.width, y + tool.height)))
        x += tool.width + gap
        if following not in ("", kind) and gap > CLUTTER and c.rng.random() < 0.7:
            c.rng.choice((_tape_roll, _cord, _washers))(c, x - gap / 2, top + 130)
    return placed


def _tape_roll(c: Canvas, x: float, y: float) -> None:
    colour = c.rng.choice(("#5c6f7b", "#8a5a3c", "#d9d2bd", "#6d7f5a"))
    c.ring(x + 7, y + 9, 33, dark(colour, 0.75), 22)
    c.ring(x, y, 33, colour, 22)
    c.ring(x, y, 40, light(colour, 0.2), 3)
    c.ring(x, y, 24, light(colour, 0.45), 4)
    c.circle(x, y - 22, 7, "#6b6f72")


def _cord(c: Canvas, x: float, y: float) -> None:
    colour = c.rng.choice(("#c46a2c", "#3f6f86", "#e3ddc8"))
    for k in range(4):
        wide, long = 46 + 5 * k, 124 + 7 * k
        c.path(
            f"M{x:.0f} {y - 30} q-{wide} {70 + 9 * k} 0 {long} q{wide} {2 * k - 54} 0 -{long}",
            "none",
            dark(colour, 0.12 * k),
            7,
        )
    c.rect(x - 13, y + 22, 26, 22, dark(colour, 0.4), 5)
    c.circle(x, y - 30, 7, "#6b6f72")


def _washers(c: Canvas, x: float, y: float) -> None:
    c.line(x, y - 30, x, y + 70, "#6b6f72", 5)
    for k in range(6):
        c.ellipse(x, y - 10 + 14 * k, 26 - 2 * k, 9, "#596064")
        c.ellipse(x, y - 13 + 14 * k, 26 - 2 * k, 9, "#b5bcc0")


def _bench(c: Canvas, look: str) -> None:
    wood = "#8d6a45" if look == "peg" else "#6f5b49"
    c.rect(0, BENCH, WIDTH, HEIGHT - BENCH, c.gradient([(0, light(wood, 0.1)), (1, dark(wood, 0.4))]))
    c.rect(0, BENCH, WIDTH, 10, light(wood, 0.35))
    for _ in range(46):
        y, bend = c.rng.randint(BENCH + 16, HEIGHT), c.rng.randint(-16, 16)
        c.path(
            f"M0 {y} C900 {y + bend} 2600 {y - bend} {WIDTH} {y}", "none", dark(wood, 0.45), c.rng.uniform(1, 3.4), 0.4
        )
    for _ in range(52):
        with c.group(c.rng.randint(120, WIDTH - 120), c.rng.randint(BENCH + 60, HEIGHT - 50), c.rng.randint(0, 359)):
            c.rect(0, 3, 52, 8, "#000000", 4, 0.25)
            c.rect(0, 0, 52, 7, "#c9cfd2", 3)
            c.circle(0, 3.5, 9, "#aab1b5")
            c.line(-5, 3.5, 5, 3.5, "#596064", 2)
    for x, colour in ((560, "#b0553f"), (760, "#3f6f86"), (3000, "#b58a35"), (3200, "#566b4c")):
        _jar(c, x, 1770, colour)


def _jar(c: Canvas, x: int, y: int, lid: str) -> None:
    c.ellipse(x + 84, y + 216, 100, 16, "#000000", 0.35)
    c.rect(
        x,
        y + 34,
        160,
        180,
        c.gradient([(0, "#e6ecec", 0.5), (0.3, "#ffffff", 0.7), (1, "#b9c4c6", 0.6)], across=True),
        20,
    )
    for _ in range(46):
        c.circle(
            x + c.rng.randint(18, 142),
            y + c.rng.randint(92, 200),
            c.rng.randint(6, 11),
            c.rng.choice(("#8d949a", "#b7a06a", "#6f767b")),
        )
    c.rect(x + 8, y, 144, 42, lid, 8)
    c.rect(x + 8, y + 30, 144, 8, dark(lid, 0.3))
