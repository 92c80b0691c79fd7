"""The stand-in at the building board: it describes scenes and checks texts by simple rules, and draws a simple image of
a description."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.imaging.encoding import encode
from evaluation.runner.dialects.zoom import Response
from evaluation.stand_in.brains import UNKNOWN
from evaluation.stand_in.chat import BadRequest, Chat

_TOOLS = re.compile(r"^- (.+)$", re.MULTILINE)
_SCENE = re.compile(r"^Scene: (.*?)\n\nTools, in random order:\n(.*?)\n\n", re.DOTALL | re.MULTILINE)
_TO_DESCRIBE = re.compile(r"^You describe the scene .*?^Tools, in random order:\n(.*?)\n\n", re.DOTALL | re.MULTILINE)
_SIZE = re.compile(r"([1-9]\d{1,3})x([1-9]\d{1,3})")
LARGEST, DEFAULT = 2048, (1024, 1024)
TILES = 8


class Auditor:
    """Finds that a task needs the tool that its scene names first, that all tools fit, and that each order is valid. Of
    a scene that it describes, it says nothing but the names of the tools."""

    def respond(self, chat: Chat) -> Response:
        if chat.turns:
            return Response(json.dumps({"valid": True}))
        if wanted := _TO_DESCRIBE.search(chat.opening):
            listed = ", ".join(_TOOLS.findall(wanted[1]))
            return Response(json.dumps({"description": f"The workbench in the photograph holds these: {listed}."}))
        found = _SCENE.search(chat.opening)
        if found is None:
            return Response(UNKNOWN)
        scene, tools = found[1].casefold(), _TOOLS.findall(found[2])
        places = {tool: scene.find(tool.casefold()) for tool in tools}
        first = min((tool for tool in tools if places[tool] >= 0), key=lambda tool: places[tool], default="")
        return Response(json.dumps({tool: {"essential": tool == first, "consistent": True} for tool in tools}))


@dataclass(frozen=True)
class Wanted:
    """A request for an image. ``size``: width and height in pixels."""

    model: str
    prompt: str
    size: tuple[int, int]
    seed: int

    @property
    def digest(self) -> str:
        said = json.dumps([self.model, self.prompt, self.size, self.seed])
        return hashlib.sha256(said.encode()).hexdigest()


def wanted_of(data: bytes) -> Wanted:
    """Read a request. Raises ``BadRequest``."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRequest("The body is not JSON.") from error
    prompt = body.get("prompt") if isinstance(body, Mapping) else None
    if not isinstance(prompt, str) or not prompt.strip():
        raise BadRequest("prompt must be a text.", "prompt")
    found = _SIZE.fullmatch(str(body.get("size") or "x".join(map(str, DEFAULT))))
    if found is None or max(int(found[1]), int(found[2])) > LARGEST:
        raise BadRequest(f"size must be WIDTHxHEIGHT, each at most {LARGEST}.", "size")
    seed = body.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise BadRequest("seed must be a whole number.", "seed")
    return Wanted(str(body.get("model") or ""), prompt, (int(found[1]), int(found[2])), seed)


def picture_of(wanted: Wanted) -> dict[str, Any]:
    """An image of colored tiles, drawn from the request: the same request gives the same file."""
    drawn = hashlib.shake_256(wanted.digest.encode()).digest(TILES * TILES * 3)
    tiles = np.frombuffer(drawn, np.uint8).reshape(TILES, TILES, 3)
    width, height = wanted.size
    rows, columns = np.arange(height) * TILES // height, np.arange(width) * TILES // width
    image = base64.b64encode(encode(np.ascontiguousarray(tiles[rows][:, columns]))).decode()
    return {"created": 0, "model": wanted.model, "data": [{"b64_json": image}]}
