"""Where the scripted agents look: each rule proposes zooms from what it has seen so far, without knowing the answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.imaging.crops import Picture, scaled
from annotation.schema import Box
from demo.agents.matching import Floats, best_places, grey, resized
from demo.agents.planning import choose
from demo.agents.sample import AgentSample, ToolBank
from demo.agents.views import View


@dataclass(frozen=True)
class ZoomProposal:
    """A zoom somebody wants: the region in pixels of the original (it may reach beyond), why, and how.

    ``tool`` is the tool's name; ``inside`` says that the region is cut from the crop before, not from the original.
    ``enhance`` names toolbox calls to make on the crop afterwards.
    """

    box: Box
    why: str
    tool: str = "zoom_in"
    inside: bool = False
    enhance: tuple[tuple[str, dict[str, float]], ...] = ()


Rule = Callable[[AgentSample, View, random.Random], Sequence[ZoomProposal]]

SHARPEN: tuple[tuple[str, dict[str, float]], ...] = (("sharpen", {"amount": 0.6}),)
BRIGHTEN: tuple[tuple[str, dict[str, float]], ...] = (
    ("convertscaleabs", {"alpha": 1.15, "beta": 6.0}),
    ("sharpen", {"amount": 0.5}),
)


def no_zoom(sample: AgentSample, whole: View, rng: random.Random) -> Sequence[ZoomProposal]:
    """Answers from the full image."""
    return ()


def center_zoom(sample: AgentSample, whole: View, rng: random.Random) -> Sequence[ZoomProposal]:
    """One zoom into the middle half."""
    width, height = _original(whole)
    box = Box(width / 4, height / 4, width * 3 / 4, height * 3 / 4)
    return (ZoomProposal(box, "The middle of a picture often holds what matters, so I enlarge it."),)


def random_zoom(sample: AgentSample, whole: View, rng: random.Random) -> Sequence[ZoomProposal]:
    """Two zooms of random place and size (a tenth to a third of the width)."""
    width, height = _original(whole)
    looks = []
    for words in ("I cannot tell from the whole picture and try some place.", "I try another place."):
        w = round(width * rng.uniform(0.1, 0.33))
        h = round(w * 9 / 16)
        x, y = rng.randint(0, width - w), rng.randint(0, height - h)
        looks.append(ZoomProposal(Box(x, y, x + w, y + h), words))
    return looks


def contrast(sample: AgentSample, whole: View, rng: random.Random) -> Sequence[ZoomProposal]:
    """One to three zooms into busy small regions that look, blurred as they are, like what the question names.

    Busyness is the local mean of absolute differences from a blurred copy; likeness the correlation with the mean of
    the possible appearances, so the agent knows what kind of thing to look for. Sometimes the first zoom is wide and
    the next one goes on inside it, sometimes it is enhanced.
    """
    places = _busy_places(sample, whole, rng.choice((1, 1, 2, 2, 3)))
    looks: list[ZoomProposal] = []
    for k, (x, y) in enumerate(places):
        side = rng.choice((240, 300, 380, 620))
        words = f"Place {k + 1} is busy and could be what I am asked about; I enlarge it."
        if k == 0 and rng.random() < 0.35:
            looks.append(ZoomProposal(_around(x, y, 1300), "Something small is going on in this part of the picture."))
            looks.append(ZoomProposal(_around(x, y, side), "There it is, still small; I go closer.", inside=True))
        else:
            looks.append(
                ZoomProposal(_around(x, y, side), words, "crop", enhance=rng.choice(((), (), SHARPEN, BRIGHTEN)))
            )
    return looks


def oracle(sample: AgentSample, whole: View, rng: random.Random) -> Sequence[ZoomProposal]:
    """One zoom into every gold box, with a margin: what looking in the right place is worth."""
    looks = []
    for k, box in enumerate(sample.gold_boxes):
        margin = max(20.0, 0.3 * max(box.width, box.height))
        around = Box(box.x1 - margin, box.y1 - margin, box.x2 + margin, box.y2 + margin)
        looks.append(ZoomProposal(around, f"I was told where evidence {k + 1} is and look there."))
    return looks


def _original(whole: View) -> tuple[int, int]:
    return whole.box[2], whole.box[3]


def _around(x: float, y: float, side: float) -> Box:
    return Box(round(x - side / 2), round(y - side * 0.35), round(x + side / 2), round(y + side * 0.35))


def _busy_places(sample: AgentSample, whole: View, count: int) -> list[tuple[float, float]]:
    """The middles, in pixels of the original, of the most promising places."""
    busy = _busyness(whole)
    places: list[tuple[float, float]] = []
    targets = [list(piece.values.values()) for piece in sample.pieces]
    if sample.tools:
        targets, count = _plates(sample.tools, sample.question), 1
    for patches in targets:
        mean = np.mean([grey(patch) for patch in patches], axis=0).astype(np.uint8)
        small = grey(resized(mean, whole.scale))
        like = np.maximum(whole.field.scores(small), 0)
        h, w = small.shape
        middle = busy[h // 2 : h // 2 + like.shape[0], w // 2 : w // 2 + like.shape[1]]
        for place in best_places(like * middle, count, max(h, w)):
            places.append(((place.x + w / 2) / whole.scale, (place.y + h / 2) / whole.scale))
    return places[:3]


def _plates(tools: ToolBank, task: str) -> list[list[Picture]]:
    """For every kind the task needs of which several hang: how the plate of the middle one could look."""
    alike = (list(tools.plates.get(kind, {}).values()) for kind in choose(dict.fromkeys(tools.looks, 0.0), task))
    return [list(pieces[len(pieces) // 2].values.values()) for pieces in alike if pieces]


def _busyness(whole: View) -> Floats:
    """Local contrast, 0 to 1: above the 90th percentile everything counts as equally busy."""
    values = grey(whole.pixels)
    height, width = values.shape
    rough = scaled(values.clip(0, 255).astype(np.uint8), width // 8, height // 8)
    detail = np.abs(values - scaled(rough, width, height).astype(np.float32))
    local = scaled(scaled(detail.clip(0, 255).astype(np.uint8), width // 6, height // 6), width, height)
    level = local.astype(np.float32) / max(1.0, float(np.percentile(local, 90)))
    return np.asarray(np.minimum(level, 1), dtype=np.float32)
