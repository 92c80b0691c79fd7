"""Tests an endpoint with at most 14 requests: what works, how many tokens images cost, and what its boxes count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from random import Random, SystemRandom
from typing import Any

from evaluation.endpoints.client import Client, Reply, Settings
from evaluation.endpoints.errors import CallFailed, ErrorKind
from evaluation.endpoints.findings import (
    TOOL,
    YES,
    Finding,
    Outcome,
    found_authentication,
    found_image_tokens,
    found_largest,
    found_logprobs,
    found_number,
    found_prefix,
    found_reasoning,
    found_rejected,
    found_seed,
    found_square,
    found_streaming,
    found_tools,
    found_usage,
)
from evaluation.endpoints.frames import SIZES, FrameFound, find_frame, read_box
from evaluation.endpoints.ml_backend import PROJECT, TEST_CONFIG
from evaluation.endpoints.presets import PRESETS
from evaluation.endpoints.probe_images import LARGE, large_image, number_image, square_image

_MOST_TOKENS = 4096
_BOX = "Give the bounding box of the red square as [x1, y1, x2, y2]. Write only the list."
_READ = "Which number does the image show? Write only the number."
_DIGITS = "Write 30 random digits. Write only the digits."
_NOT_SENT = "The preset does not send it."
_SAMPLING: Mapping[str, Any] = {
    "temperature": 0.7, "top_p": 0.8, "top_k": 20, "repetition_penalty": 1.0, "presence_penalty": 1.5, "min_p": 0.0,
}  # fmt: skip
_TOOL: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": TOOL,
        "description": "Reports a number and returns an image.",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer", "description": "the number"}},
            "required": ["number"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True)
class Report:
    """The findings of a probe, each with its time. ``requests``: number of requests. ``served_model``: as reported.

    ``image_tokens``: list of width, height, tokens. ``frame``: as ``FrameFound.to_json``. ``largest_image``: width,
    height and bytes of the accepted image. Findings without a probe are ``unknown``.
    """

    model: str
    served_model: str = ""
    requests: int = 0
    authentication: Finding = field(default_factory=Finding)
    vision: Finding = field(default_factory=Finding)
    tools: Finding = field(default_factory=Finding)
    image_in_tool_message: Finding = field(default_factory=Finding)
    prefix: Finding = field(default_factory=Finding)
    seed: Finding = field(default_factory=Finding)
    usage: Finding = field(default_factory=Finding)
    streaming: Finding = field(default_factory=Finding)
    logprobs: Finding = field(default_factory=Finding)
    reasoning_text: Finding = field(default_factory=Finding)
    rejected_parameters: Finding = field(default_factory=Finding)
    largest_image: Finding = field(default_factory=Finding)
    image_tokens: Finding = field(default_factory=Finding)
    frame: Finding = field(default_factory=Finding)

    def agrees(self, frame: str) -> bool:
        """Whether the frame of a dialect was found. If not, or if none was, a person has to confirm the start."""
        found = self.frame.value
        return isinstance(found, Mapping) and FrameFound.from_json(found).agrees(frame)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Report:
        """Return a stored report. Findings that an older version did not store are unknown."""
        known = {one.name: stored[one.name] for one in fields(cls) if one.name in stored}
        read: dict[str, Any] = {
            name: Finding(**value) if isinstance(value, Mapping) else value for name, value in known.items()
        }
        return cls(**read)


class Probe:
    """One test of an endpoint. ``number`` and ``second`` are drawn, and shown in images.

    ``rng`` draws; ``now`` gives the time of the report. Further arguments are those of ``Client``. Requests are not
    retried, so that there are at most 14.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        rng: Random | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        **network: Any,
    ) -> None:
        self._rng = rng or SystemRandom()
        self._now = now
        self._client = Client(replace(settings, retries=0), **network)
        self._images: dict[str, tuple[bytes, str]] = {}
        self._sent = 0
        self._cancelled: Callable[[], bool] = lambda: False
        self.number, self.second = self._rng.sample(range(1000, 10_000), 2)

    def run(self, cancelled: Callable[[], bool] = lambda: False) -> Report:
        """Send the requests and return what they show. Raises ``CallCancelled``."""
        self._cancelled = cancelled
        if self._client.settings.detector:
            return self._detector()
        if self._client.settings.renderer:
            return self._renderer()
        if self._client.settings.backend:
            return self._backend()
        with self._client:
            plain = self._ask([_user(_BOX)])
            found = {"authentication": found_authentication(plain)}
            if isinstance(plain, Reply) or plain.kind is ErrorKind.EMPTY:
                found |= self._boxes(plain) | self._abilities() | self._parameters()
                found["largest_image"] = self._largest()
        at = self._now().isoformat(timespec="seconds")
        dated: dict[str, Any] = {name: replace(one, at=at) for name, one in found.items()}
        served = plain.served_model if isinstance(plain, Reply) else ""
        return Report(self._client.settings.model, served, self._sent, **dated)

    def _detector(self) -> Report:
        """One request to a detector: whether it accepts the key, answers in a known form, and finds a red square."""
        data, square = square_image(*SIZES[0], self._rng)
        name = sha256(data).hexdigest()
        self._images[name] = (data, "image/png")
        with self._client:
            outcome = self._send({"image": f"sha256:{name}", "names": ["red square"]})
        found = {"authentication": found_authentication(outcome), "vision": found_square(outcome, square)}
        at = self._now().isoformat(timespec="seconds")
        served = outcome.served_model if isinstance(outcome, Reply) else ""
        dated: dict[str, Any] = {part: replace(one, at=at) for part, one in found.items()}
        return Report(self._client.settings.model, served, self._sent, **dated)

    def _renderer(self) -> Report:
        """One request to an image generator: whether it accepts the key and answers with an image."""
        with self._client:
            outcome = self._send({"prompt": "A red square on white ground.", "n": 1, "response_format": "b64_json"})
        authentication = replace(found_authentication(outcome), at=self._now().isoformat(timespec="seconds"))
        served = outcome.served_model if isinstance(outcome, Reply) else ""
        return Report(self._client.settings.model, served, self._sent, authentication=authentication)

    def _backend(self) -> Report:
        """Two requests to a backend: whether it is up and accepts the key, and the version of its model. It gets no
        image, because it would fetch it."""
        self._sent = 2
        with self._client:
            try:
                served = self._client.set_up(PROJECT, TEST_CONFIG, self._cancelled)
                found = Finding(YES)
            except CallFailed as failed:
                served, found = "", found_authentication(failed)
        at = self._now().isoformat(timespec="seconds")
        return Report(self._client.settings.model, served, self._sent, authentication=replace(found, at=at))

    def _boxes(self, plain: Outcome) -> dict[str, Finding]:
        """Three images with the prompt of the first request: their tokens, and the frame."""
        squares = [square_image(*size, self._rng) for size in SIZES]
        boxes = [self._ask([_user(_BOX, self._image(data))]) for data, _ in squares]
        texts = [one.text if isinstance(one, Reply) else "" for one in boxes]
        frame = find_frame([(square, read_box(text)) for (_, square), text in zip(squares, texts, strict=True)])
        read = any(isinstance(one, Reply) for one in boxes)
        return {
            "frame": Finding(frame.to_json(), "" if frame.frame else f"Answers: {' | '.join(texts)}"[:300])
            if read
            else Finding(),
            "image_tokens": found_image_tokens(plain, list(zip(SIZES, boxes, strict=True))),
            "reasoning_text": found_reasoning([plain, *boxes]),
        }

    def _abilities(self) -> dict[str, Finding]:
        """Four requests: an image, a tool, an image inside a tool message, and a message to continue."""
        shown = self._ask([_user(_READ, self._image(number_image(self.number)))])
        called = self._ask([_user(f"Report the number {self.number} with the tool.")], tools=[_TOOL])
        inside = self._ask(self._tool_turns(), tools=[_TOOL])
        return {
            "vision": found_number(shown, self.number),
            "tools": found_tools(called, self.number),
            "image_in_tool_message": found_number(inside, self.second),
            "prefix": self._prefix(),
        }

    def _prefix(self) -> Finding:
        prefix = f"{self.number}: abcdefg"
        turns = [_user(f"Write {self.number}, a colon, and the alphabet."), {"role": "assistant", "content": prefix}]
        preset = PRESETS.get(self._client.settings.preset)
        parameters = preset.prefix.parameters if preset else {}
        return found_prefix(self._ask(turns, **parameters), prefix)

    def _parameters(self) -> dict[str, Finding]:
        """Five requests: a stream, the same seed twice, probabilities, and the parameters of sampling."""
        drop = self._client.settings.drop
        streamed = self._ask([_user(_DIGITS)], stream=True)
        seeded = [self._ask([_user(_DIGITS)], seed=7) for _ in range(2)]
        detailed = self._ask([_user(_DIGITS)], logprobs=True, top_logprobs=1)
        sampled = self._ask([_user(_DIGITS)], **_SAMPLING)
        return {
            "streaming": found_streaming(streamed),
            "usage": found_usage(seeded[0], streamed),
            "seed": Finding(note=_NOT_SENT) if "seed" in drop else found_seed(seeded),
            "logprobs": Finding(note=_NOT_SENT) if "logprobs" in drop else found_logprobs(detailed),
            "rejected_parameters": found_rejected(sampled, [name for name in _SAMPLING if name not in drop]),
        }

    def _largest(self) -> Finding:
        data = large_image(self._rng)
        return found_largest(self._ask([_user("Is this noise?", self._image(data, "image/jpeg"))]), LARGE, len(data))

    def _ask(self, messages: Sequence[Mapping[str, Any]], **parameters: Any) -> Reply | CallFailed:
        return self._send({"messages": list(messages), "max_tokens": _MOST_TOKENS, "stream": False, **parameters})

    def _send(self, body: Mapping[str, Any]) -> Reply | CallFailed:
        self._sent += 1
        try:
            return self._client.complete(body, self._images.__getitem__, cancelled=self._cancelled)
        except CallFailed as failed:
            return failed

    def _image(self, data: bytes, kind: str = "image/png") -> dict[str, Any]:
        name = sha256(data).hexdigest()
        self._images[name] = (data, kind)
        return {"type": "image_url", "image_url": {"url": f"sha256:{name}"}}

    def _tool_turns(self) -> list[dict[str, Any]]:
        """A call that was answered with an image."""
        function = {"name": TOOL, "arguments": '{"number": 1}'}
        image = self._image(number_image(self.second))
        return [
            _user(f"Call the tool with the number 1. Then: {_READ}"),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "The image:"}, image]},
        ]


def _user(text: str, *images: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": [*images, {"type": "text", "text": text}] if images else text}
