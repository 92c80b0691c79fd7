"""Recipes and tasks. A recipe is everything that can change a response, as data with a digest; a task is its sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from annotation.toolbox.offer import OMITTABLE
from annotation.toolbox.vtc import Profile
from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.images import ImagePolicy, SourceImage
from evaluation.runner.offers import offer_of
from evaluation.runner.protocols import PROTOCOLS, Limits, Protocol, Tools
from evaluation.runner.sampling import seeded
from evaluation.runner.templates import SLUGS, Prompt, Role, load_prompt

_OWN_KEYS = frozenset({"model", "messages", "tools", "stream", "n"})
"""Keys of a request that the runner sets. They are not sampling parameters."""


class RecipeError(ValueError):
    """A recipe that cannot be run. The message states what is allowed."""


class ToolImages(StrEnum):
    """The position of tool images: in one user message ``after`` all tool messages, or ``inside`` each of them."""

    AFTER = "after"
    INSIDE = "inside"


@dataclass(frozen=True)
class Recipe:
    """The way a model is run. Raises ``RecipeError`` for incompatible parts.

    ``frame``: coordinates of boxes in the dialects ``tools`` and ``json``; None for their default. ``sampling``:
    parameters as sent, with the seed of rollout 0. ``omit``: keywords of tool schemas that the host rejects.
    ``dropped``: parameters that the host rejects and that are not sent. ``checkpoint``: the weights that an endpoint
    serves, if its model name does not identify them; "" otherwise. ``offer``: digest of the tools and instructions for
    the model.
    """

    protocol: str
    model: str
    base_url: str
    user: Prompt
    offer: str
    limits: Limits
    system: Prompt | None = None
    dialect: str = "tools"
    profile: Profile = Profile.STRICT
    frame: Frame | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    images: str = "original"
    tool_images: ToolImages = ToolImages.AFTER
    omit: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    checkpoint: str = ""

    def __post_init__(self) -> None:
        task = self.task
        ImagePolicy(self.images)
        if self.dialect not in task.dialects:
            raise RecipeError(f"{self.protocol} can't use {self.dialect}. Allowed: {', '.join(task.dialects)}.")
        if (self.dialect == "vtc") != (self.profile is Profile.VTC):
            raise RecipeError("The dialect vtc and the tool profile vtc belong together.")
        if self.frame is not None and (task.tools is not Tools.ZOOM or self.dialect not in ("tools", "json")):
            raise RecipeError("Only the zoom tool of the dialects tools and json can have a frame.")
        if self.user.role is not SLUGS[task.user]:
            raise RecipeError(f"{self.protocol} needs a user prompt with the role {SLUGS[task.user].value}.")
        if self.system is not None and self.system.role is not Role.SYSTEM:
            raise RecipeError("The system prompt of a recipe needs the role system.")
        if unknown := [name for name in self.omit if name not in OMITTABLE]:
            raise RecipeError(f"{unknown[0]!r} can't be omitted from schemas. Allowed: {', '.join(OMITTABLE)}.")
        if own := sorted(_OWN_KEYS & self.sampling.keys()):
            raise RecipeError(f"{own[0]} is not a parameter of sampling.")

    @classmethod
    def of(
        cls,
        protocol: str,
        model: str,
        base_url: str,
        *,
        dialect: str = "",
        frame: Frame | None = None,
        system: Prompt | None = None,
        user: Prompt | None = None,
        omit: tuple[str, ...] = (),
        **more: Any,
    ) -> Recipe:
        """Return a recipe. Missing parts (dialect, prompts, limits) are the defaults of the protocol. ``more``: further
        fields. Raises ``RecipeError``.
        """
        if protocol not in PROTOCOLS:
            raise RecipeError(f"There is no protocol {protocol!r}. Allowed: {', '.join(PROTOCOLS)}.")
        task = PROTOCOLS[protocol]
        dialect = dialect or task.dialects[0]
        if dialect not in task.dialects:
            raise RecipeError(f"{protocol} can't use {dialect}. Allowed: {', '.join(task.dialects)}.")
        profile = Profile.VTC if dialect == "vtc" else Profile.STRICT
        fields: dict[str, Any] = {"profile": profile, "limits": task.limits} | more
        return cls(
            protocol=protocol,
            model=model,
            base_url=base_url,
            dialect=dialect,
            frame=frame,
            system=system or (load_prompt(task.system) if task.system else None),
            user=user or load_prompt(task.user),
            offer=offer_of(protocol, dialect, profile, frame, omit).digest,
            omit=omit,
            **fields,
        )

    @property
    def task(self) -> Protocol:
        """The protocol. Raises ``RecipeError`` for an unknown name."""
        if self.protocol not in PROTOCOLS:
            raise RecipeError(f"There is no protocol {self.protocol!r}. Allowed: {', '.join(PROTOCOLS)}.")
        return PROTOCOLS[self.protocol]

    def sampled(self, rollout: int) -> dict[str, Any]:
        """Return the parameters of a rollout as sent: its seed is the recipe's plus the number of the rollout."""
        return seeded(self.sampling, self.dropped, rollout)

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "protocol": self.protocol,
            "model": self.model,
            "base_url": self.base_url,
            "system": self.system.to_json() if self.system else None,
            "user": self.user.to_json(),
            "offer": self.offer,
            "dialect": self.dialect,
            "profile": self.profile.value,
            "frame": self.frame.value if self.frame else None,
            "sampling": dict(self.sampling),
            "images": self.images,
            "limits": {"rounds": self.limits.rounds, "calls": self.limits.calls},
            "tool_images": self.tool_images.value,
            "omit": sorted(self.omit),
            "dropped": sorted(self.dropped),
            **({"checkpoint": self.checkpoint} if self.checkpoint else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recipe:
        """Return the recipe of ``to_json``. Raises ``RecipeError`` for a missing part or an unknown value."""
        try:
            return cls(
                protocol=data["protocol"],
                model=data["model"],
                base_url=data["base_url"],
                system=Prompt.from_json(data["system"]) if data["system"] else None,
                user=Prompt.from_json(data["user"]),
                offer=data["offer"],
                dialect=data["dialect"],
                profile=Profile(data["profile"]),
                frame=Frame(data["frame"]) if data["frame"] else None,
                sampling=dict(data["sampling"]),
                images=data["images"],
                limits=Limits(**data["limits"]),
                tool_images=ToolImages(data["tool_images"]),
                omit=tuple(data["omit"]),
                dropped=tuple(data["dropped"]),
                checkpoint=str(data.get("checkpoint", "")),
            )
        except RecipeError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise RecipeError(f"The recipe can't be read: {error}") from error

    def digest(self) -> str:
        """Return the SHA-256 of everything that can change a response. Prompts count by their digests."""
        prompts = {
            role: [prompt.slug, prompt.version, prompt.digest] if prompt else None
            for role, prompt in (("system", self.system), ("user", self.user))
        }
        return digest_of(self.to_json() | prompts)


@dataclass(frozen=True)
class Task:
    """The sample that a recipe is applied to, without its gold. ``sample`` is its id, ``toolchain`` the names of the
    tools in its reference toolchain, for prompts that show it.
    """

    sample: str
    question: str
    image: SourceImage
    options: Mapping[str, str] = field(default_factory=dict)
    toolchain: tuple[str, ...] = ()

    def values(self) -> dict[str, str | None]:
        """Return the values of the sample for prompts; None for a value that it does not have."""
        listed = "".join(f"\n{letter}. {text}" for letter, text in self.options.items())
        return {
            "question": self.question,
            "options": f"Options:{listed}\n" if listed else "",
            "width": str(self.image.width),
            "height": str(self.image.height),
            "toolchain": ", ".join(self.toolchain) or None,
        }
