"""The stand-in as a detector: it finds the tools of the sample whose image it gets, with planned errors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.stand_in.brains import drawn
from evaluation.stand_in.chat import BadRequest, SentImage, read_image
from evaluation.stand_in.recorded import Recorded

FOUND, WRONG = 0.8, 0.05
"""Probability that a target is found, and that another name is."""
SIDE = 40.0


@dataclass(frozen=True)
class Sought:
    """A request: the image and the names to look for."""

    model: str
    image: SentImage
    names: Sequence[str]

    @property
    def digest(self) -> str:
        said = json.dumps([self.model, self.image.sha256, list(self.names)])
        return hashlib.sha256(said.encode()).hexdigest()


def sought_of(data: bytes) -> Sought:
    """Read a request. Raises ``BadRequest``."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRequest("The body is not JSON.") from error
    names = body.get("names") if isinstance(body, Mapping) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadRequest("names must be a list of texts.", "names")
    return Sought(str(body.get("model") or ""), read_image(body.get("image"), "image"), names)


def detections_of(sought: Sought, recorded: Recorded, seed: int) -> dict[str, Any]:
    """Return the detections of the stand-in: each target with probability ``FOUND`` at one of the gold boxes, each
    other name with ``WRONG`` anywhere. An unknown image has none.
    """
    known = recorded.sample_of("", [sought.image], planning=True)
    found: list[dict[str, Any]] = []
    if known is not None:
        width, height = sought.image.size
        across, down = width / known.size[0], height / known.size[1]
        targets = [str(one.get("tool")) for one in known.row.get("targets") or ()]
        for number, name in enumerate(sought.names):
            rng, there = drawn("detector", known.id, name, seed), name in targets
            if rng.random() >= (FOUND if there else WRONG):
                continue
            x, y = rng.uniform(0, max(1.0, width - SIDE)), rng.uniform(0, max(1.0, height - SIDE))
            box = [x, y, min(x + SIDE, width), min(y + SIDE, height)]
            if there and known.gold_boxes:
                x1, y1, x2, y2 = known.gold_boxes[number % len(known.gold_boxes)]
                box = [x1 * across, y1 * down, x2 * across, y2 * down]
            score = rng.uniform(0.35, 0.95) if there else rng.uniform(0.1, 0.5)
            found.append({"label": name, "score": round(score, 3), "box": [round(one, 2) for one in box]})
    return {"model": sought.model, "detections": found}
