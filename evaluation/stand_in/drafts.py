"""A model that drafts samples: the gold if it knows the image, else a correct question about its sides.

A toolchain crops to the drafted box and enlarges it. Tool plans are those of known samples only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.runner.dialects.zoom import Response
from evaluation.stand_in.brains import UNKNOWN
from evaluation.stand_in.chat import Chat
from evaluation.stand_in.recorded import Known, Recorded

_ASKED = re.compile(r'^- "([a-z]+)":', re.MULTILINE)
_SIZE = re.compile(r"the image has (\d+) × (\d+)")
"""The size of the original, in whose pixels calls are written."""
_WIDER, _HIGHER = "wider than high", "at least as high as wide"


@dataclass(frozen=True)
class Drafter:
    """Answers with the keys that a request asks for."""

    recorded: Recorded

    def respond(self, chat: Chat) -> Response:
        asked = _ASKED.findall(chat.opening)
        if not asked or not chat.images:
            return Response(UNKNOWN)
        planning = bool({"targets", "distractors"} & set(asked))
        known = self.recorded.sample_of("", chat.images, planning=planning)
        size = chat.images[0].size
        whole = _gold(known) if known is not None and known.question else _sides(size)
        frame = known.size if known is not None else size
        whole |= {"toolchain": _chain(whole["boxes"], frame, chat.opening)}
        whole |= {"boxes": [_scaled(box, chat.opening, frame) for box in whole["boxes"]]}
        return Response(json.dumps({name: whole[name] for name in asked if name in whole}))


def _gold(known: Known) -> dict[str, Any]:
    options: Mapping[str, Any] = known.row.get("options") or {}
    answer = str(options.get(known.answers[0], known.answers[0]))
    listed = known.options or [answer, "none of these"]
    whole = {"question": known.question, "options": listed, "answer": answer, "boxes": list(known.gold_boxes)}
    plan = {name: value for name in ("targets", "distractors") if (value := known.row.get(name))}
    return whole | plan


def _sides(size: tuple[int, int]) -> dict[str, Any]:
    wide, high = size
    return {
        "question": "What shape does the image have?",
        "options": [_WIDER, _HIGHER],
        "answer": _WIDER if wide > high else _HIGHER,
        "boxes": [[wide // 4, high // 4, wide // 2, high // 2]],
    }


def _chain(boxes: Any, frame: tuple[int, int], opening: str) -> list[dict[str, Any]]:
    """Crop to the first box, in pixels of the original, and enlarge it; convert the image without a box."""
    found = _SIZE.search(opening)
    width, height = (int(found[1]), int(found[2])) if found else frame
    if not boxes:
        return [{"tool": "colorspace_gray", "arguments": {}}]
    across, down = width / frame[0], height / frame[1]
    x1, y1, x2, y2 = (round(edge * (down if at % 2 else across)) for at, edge in enumerate(boxes[0]))
    place = {"x": max(0, x1), "y": max(0, y1), "width": max(1, x2 - x1), "height": max(1, y2 - y1)}
    return [{"tool": "crop", "arguments": place}, {"tool": "resize", "arguments": {"preset": "double"}}]


def _scaled(box: Any, opening: str, size: tuple[int, int]) -> list[float]:
    """The box in the numbers that the request asks for."""
    most = 1000 if "from 0 to 1000" in opening else 1 if "from 0 to 1 " in opening else 0
    return [edge * most / size[at % 2] if most else edge for at, edge in enumerate(box)]
