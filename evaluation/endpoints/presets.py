"""Kinds of endpoints: their usual address, what they reject, and what else is known of them.

A preset fills the form of a new endpoint and names keywords that are not sent. The probe finds what a server really
does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from annotation.marking import gettext_noop
from evaluation.endpoints.limiter import HOSTED, LOCAL


class Prefix(StrEnum):
    """The way an endpoint continues a last message of the assistant. ``FLAGS``: with two parameters. ``MESSAGE``:
    without any. ``NONE``: not at all. ``UNKNOWN``: undocumented.
    """

    FLAGS = "flags"
    MESSAGE = "message"
    NONE = "none"
    UNKNOWN = "unknown"

    @property
    def parameters(self) -> Mapping[str, bool]:
        """Return the parameters with which a request continues its last message."""
        return _CONTINUE if self is Prefix.FLAGS else _NOTHING


_CONTINUE: Mapping[str, bool] = MappingProxyType({"continue_final_message": True, "add_generation_prompt": False})
_NOTHING: Mapping[str, bool] = MappingProxyType({})


@dataclass(frozen=True)
class Preset:
    """One kind of endpoint.

    ``base_url``: the usual address, empty if there is none. ``hosted``: a provider runs it, so images leave the site
    and requests cost money. ``images``: default image policy, ``original`` or ``fit:N``. ``drop``, ``rename``,
    ``detector``, ``renderer`` and ``backend``: as in ``client.Settings``. ``limits``: known limits, as sentences for
    people.
    """

    name: str
    title: str
    base_url: str
    hosted: bool
    prefix: Prefix
    images: str = "original"
    drop: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    image_in_tool_message: bool | None = None
    detector: bool = False
    renderer: bool = False
    backend: bool = False
    limits: tuple[str, ...] = field(default=())

    @property
    def chats(self) -> bool:
        """Whether a model chats here. Others have no tokens."""
        return not (self.detector or self.backend)

    @property
    def in_flight(self) -> int:
        """Requests in flight at most."""
        return HOSTED if self.hosted else LOCAL

    def defaults(self) -> dict[str, Any]:
        """Return what ``client.Settings`` gets from the preset."""
        names = ("base_url", "drop", "rename", "detector", "renderer", "backend")
        return {"preset": self.name} | {name: getattr(self, name) for name in names}


_OPEN_MODELS = ("top_k", "min_p", "repetition_penalty", "chat_template_kwargs")
"""Parameters of open servers that hosted ones reject as unknown."""
_FROM_SAMPLING = ("seed", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs")

_ALL = (
    Preset(
        "vllm", "vLLM", "http://127.0.0.1:8000/v1", False, Prefix.FLAGS,
        image_in_tool_message=False,
        limits=("It rejects images in tool messages (vllm#43203), so they follow in a user message.",),
    ),
    Preset("sglang", "SGLang", "http://127.0.0.1:30000/v1", False, Prefix.FLAGS),
    Preset(
        "llama-cpp", "llama.cpp", "http://127.0.0.1:8080/v1", False, Prefix.FLAGS,
        limits=("It continues a message since May 2026 (llama.cpp#23012). Older versions begin another one.",),
    ),
    Preset(
        "lmdeploy", "LMDeploy", "http://127.0.0.1:23333/v1", False, Prefix.MESSAGE,
        limits=("It continues a last message of the assistant without being asked.",),
    ),
    Preset("ollama", "Ollama", "http://127.0.0.1:11434/v1", False, Prefix.UNKNOWN),
    Preset(
        "openai", "OpenAI", "https://api.openai.com/v1", True, Prefix.NONE,
        images="fit:2048", drop=_OPEN_MODELS, rename=(("max_tokens", "max_completion_tokens"),),
        limits=(
            "It can't continue a message, so no prefix arms.",
            "Reasoning models accept only the default temperature and top-p.",
        ),
    ),
    Preset(
        "anthropic", "Anthropic", "https://api.anthropic.com/v1", True, Prefix.NONE,
        images="fit:1568", drop=(*_OPEN_MODELS, *_FROM_SAMPLING),
        limits=(
            "It rejects a last message of the assistant since Claude 4.6, so no prefix arms.",
            "Its OpenAI-compatible address ignores seeds, penalties and logprobs, and returns no reasoning text.",
        ),
    ),
    Preset(
        "gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", True, Prefix.UNKNOWN,
        images="fit:2048", drop=(*_OPEN_MODELS, "additionalProperties", "emptyObjects"),
        limits=("Schemas of tools can list texts only, and are sent without additionalProperties.",),
    ),
    Preset("generic", gettext_noop("Other OpenAI-compatible server"), "", False, Prefix.UNKNOWN),
    Preset(
        "detector", gettext_noop("Detector over HTTP"), "http://127.0.0.1:8001", False, Prefix.NONE, detector=True,
        limits=(
            gettext_noop("It gets an image and names, and answers with boxes, labels and scores. It has no tokens."),
        ),
    ),
    Preset(
        "images", gettext_noop("Image generator"), "http://127.0.0.1:8002/v1", False, Prefix.NONE, renderer=True,
        limits=(gettext_noop("It gets a description and answers with an image inside the response (b64_json)."),),
    ),
    Preset(
        "openai-images", gettext_noop("OpenAI, image generation"), "https://api.openai.com/v1", True, Prefix.NONE,
        drop=("seed", "response_format"), renderer=True,
        limits=(gettext_noop("It takes no seed, so the same description gives another image each time."),),
    ),
    Preset(
        "stand-in-images", gettext_noop("Stand-in, image generation"), "http://127.0.0.1:9001/v1", False, Prefix.NONE,
        renderer=True, limits=("It is a program that draws a simple image, for tests and the demo.",),
    ),
    Preset(
        "label-studio", gettext_noop("Label Studio ML backend"), "http://127.0.0.1:9090", False, Prefix.NONE,
        backend=True,
        limits=(
            gettext_noop("It drafts boxes and answers. It fetches images from the address of this site."),
            gettext_noop("Its key is a token, or NAME:PASSWORD for basic authentication."),
        ),
    ),
    Preset(
        "stand-in", gettext_noop("Stand-in endpoint"), "http://127.0.0.1:9001/v1", False, Prefix.FLAGS,
        limits=("It is a program that imitates a model, for tests and the demo.",),
    ),
)  # fmt: skip

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _ALL})
"""Presets by name, in the order of the form."""
