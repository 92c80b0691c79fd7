"""A model that drafts samples: the gold if it knows the image, else a correct question about its sides."""

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
_WIDER, _HIGHER = "wider than high", "at least as high as wide"


@dataclass(frozen=True)
class Drafter:
    """Answers with the keys that a request asks for."""

    recorded: Recorded

    def respond(self, chat: Chat) -> Response:
        asked = _ASKED.findall(chat.opening)
        if not asked or not chat.images:
            return Response(UNKNOWN)
        known = self.recorded.sample_of("", chat.images, planning=False)
        size = chat.images[0].size
        whole = _gold(known) if known is not None and known.question else _sides(size)
        boxes = [_scaled(box, chat.opening, known.size if known is not None else size) for box in whole["boxes"]]
        whole |= {"boxes": boxes}
        return Response(json.dumps({name: whole[name] for name in asked if name in whole}))


def _gold(known: Known) -> dict[str, Any]:
    options: Mapping[str, Any] = known.row.get("options") or {}
    answer = str(options.get(known.answers[0], known.answers[0]))
    listed = known.options or [answer, "none of these"]
    return {"question": known.question, "options": listed, "answer": answer, "boxes": list(known.gold_boxes)}


def _sides(size: tuple[int, int]) -> dict[str, Any]:
    wide, high = size
    return {
        "question": "What shape does the image have?",
        "options": [_WIDER, _HIGHER],
        "answer": _WIDER if wide > high else _HIGHER,
        "boxes": [[wide // 4, high // 4, wide // 2, high // 2]],
    }


def _scaled(box: Any, opening: str, size: tuple[int, int]) -> list[float]:
    """The box in the numbers that the request asks for."""
    most = 1000 if "from 0 to 1000" in opening else 1 if "from 0 to 1 " in opening else 0
    return [edge * most / size[at % 2] if most else edge for at, edge in enumerate(box)]
