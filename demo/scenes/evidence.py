"""Evidence in a drawn scene: a small part that shows one of several values, and is known to the pixel.

The same drawing makes the picture and the renderings of the values it does not show, so somebody who knows what each
value would look like can compare; nobody needs to be told which one is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from demo.scenes.canvas import Canvas

Pixels = tuple[int, int, int, int]
Drawing = Callable[[Canvas, str], None]


@dataclass(frozen=True)
class Evidence:
    """A part of a scene that fills ``box`` (pixels of the image) and shows ``truth``, one of ``values``."""

    name: str
    box: Pixels
    values: tuple[str, ...]
    truth: str
    drawing: Drawing

    def draw(self, canvas: Canvas) -> None:
        self.drawing(canvas, self.truth)

    def patch(self, value: str) -> str:
        """The SVG of the box alone, as it would look if it showed ``value``. Raises ``ValueError`` on another value."""
        if value not in self.values:
            raise ValueError(f"{self.name} cannot show {value!r}: it shows one of {', '.join(self.values)}.")
        canvas = Canvas(prefix="p")
        self.drawing(canvas, value)
        return canvas.markup(self.box)


@dataclass(frozen=True)
class PlacedTool:
    """A hand tool on a wall: what it is called there, its kind in the tool bank, and the box it fills.

    The name is the kind, with a letter where several alike hang: what sets those apart is the evidence of that name.
    """

    name: str
    kind: str
    box: Pixels


@dataclass(frozen=True)
class Scene:
    """A drawn image: its markup, and the evidence and the tools in it, by construction.

    ``shade`` is how dark the corners become (0..1) when the image is made.
    """

    name: str
    kind: str
    svg: str
    shade: float = 0.2
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    tools: tuple[PlacedTool, ...] = ()


class EvidenceSet:
    """Collects a scene's evidence; the scene's dice choose what each part shows."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.parts: dict[str, Evidence] = {}

    def add(self, name: str, box: Pixels, values: tuple[str, ...], drawing: Drawing, truth: str | None = None) -> None:
        """Draws a part on the scene's canvas and remembers it."""
        shown = truth if truth is not None else self.canvas.rng.choice(values)
        part = Evidence(name, box, values, shown, drawing)
        part.draw(self.canvas)
        self.parts[name] = part
