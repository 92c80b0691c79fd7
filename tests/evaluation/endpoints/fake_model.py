"""A model that sees: it finds the red square in the bytes it is sent, and knows its abilities by name."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx
import numpy as np
from PIL import Image

from evaluation.endpoints.frames import Box, frame_size
from evaluation.endpoints.probe_images import number_image
from tests.evaluation.endpoints.server import Answer, spoken, streamed, whole

EVERYTHING = frozenset(
    {"vision", "tools", "inside", "prefix", "seed", "usage", "stream", "logprobs", "sampling", "large", "reasoning"}
)


def square_in(image: Image.Image) -> Box:
    """The box of the red pixels."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    rows, columns = np.nonzero((pixels[..., 0] > 200) & (pixels[..., 1] < 100))
    return (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)


@dataclass
class FakeModel:
    """Answers the probe. ``frame``: what its boxes count. ``noise``: standard deviation of an edge, as a share of the
    image. ``y_first``: boxes begin with y. ``numbers``: those that the images may show. ``blind``: shown as 1234."""

    abilities: frozenset[str] = EVERYTHING
    frame: str = "sent"
    noise: float = 0.0
    y_first: bool = False
    numbers: tuple[int, ...] = ()
    rng: Random = field(default_factory=lambda: Random(1))
    bodies: list[Any] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.read())
        self.bodies.append(body)
        return whole(self.answer(body))

    def answer(self, body: Any) -> Answer:
        last = body["messages"][-1]
        parts = last["content"] if isinstance(last["content"], list) else [{"type": "text", "text": last["content"]}]
        text = " ".join(part["text"] for part in parts if part["type"] == "text")
        images = [opened(part["image_url"]["url"]) for part in parts if part["type"] == "image_url"]
        if images and max(images[0].size) > 4000 and "large" not in self.abilities:
            return rejected("image exceeds 5 MB", 413)
        if last["role"] == "tool" and images and "inside" not in self.abilities:
            return rejected("Unknown part type image_url in tool message")
        if "top_k" in body and "sampling" not in self.abilities:
            return rejected("Unrecognized request argument supplied: top_k")
        if "continue_final_message" in body and "prefix" not in self.abilities:
            return rejected("extra fields not permitted")
        usage = {"prompt_tokens": 20, "completion_tokens": 5} if "usage" in self.abilities else None
        if images and usage:
            usage["prompt_tokens"] += images[0].size[0] * images[0].size[1] // 784
        if body.get("tools") and last["role"] == "user" and "tools" in self.abilities:
            call = {
                "id": "c",
                "function": {"name": "report_number", "arguments": json.dumps({"number": self.numbers[0]})},
            }
            return spoken(None, calls=[call], usage=usage)
        said = self.said(body, last["role"], text, images)
        if body["stream"] and "stream" in self.abilities:
            return streamed({"content": said}, usage=usage)
        return self.in_full(said, body, usage)

    def in_full(self, said: str, body: Any, usage: Any) -> Answer:
        more = {"reasoning_content": "hm"} if "reasoning" in self.abilities else {}
        answer = spoken(said, usage=usage, **more)
        if body.get("logprobs") and "logprobs" in self.abilities:
            read = json.loads(answer.body)
            read["choices"][0]["logprobs"] = {"content": [{"token": "a", "logprob": -0.1}]}
            return Answer(body=json.dumps(read).encode())
        return answer

    def said(self, body: Any, role: str, text: str, images: list[Image.Image]) -> str:
        if "red square" in text and images:
            return self.box(images[0])
        if role == "assistant":
            return "hijklmnop" if "prefix" in self.abilities else f"{text[:4]}: abcdef"
        if images and "vision" in self.abilities:
            return next((f"It is {number}." for number in self.numbers if same(images[0], number)), "noise")
        if body.get("seed") and "seed" in self.abilities:
            return str(Random(body["seed"]).random())
        return str(self.rng.random())

    def box(self, image: Image.Image) -> str:
        across, down = frame_size(self.frame, *image.size)
        x1, y1, x2, y2 = square_in(image)
        shares = [x1 / image.width, y1 / image.height, x2 / image.width, y2 / image.height]
        x1, y1, x2, y2 = (share + self.rng.gauss(0, self.noise) for share in shares)
        box = [x1 * across, y1 * down, x2 * across, y2 * down]
        if self.y_first:
            box = [box[1], box[0], box[3], box[2]]
        return json.dumps([round(edge, 3) if across == 1 else round(edge) for edge in box])


def opened(url: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(url.split(",")[1])))


def same(image: Image.Image, number: int) -> bool:
    return np.array_equal(np.asarray(image), np.asarray(Image.open(io.BytesIO(number_image(number)))))


def rejected(message: str, status: int = 400) -> Answer:
    return Answer(status, json.dumps({"error": {"message": message}}).encode())
