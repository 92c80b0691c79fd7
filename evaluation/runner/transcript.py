"""The messages of an attempt, as requests contain them and as the trajectory keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.importers.storable import clean
from evaluation.runner.images import SentImage
from evaluation.runner.recipe import ToolImages
from evaluation.runner.replies import Reply
from evaluation.runner.toolsets import ToolResult


class Transcript:
    """``messages`` are those of the next request; ``kept`` has role, text and number of images of each."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.kept: list[dict[str, Any]] = []
        self.images: dict[str, SentImage] = {}
        """The images in the messages by their digests."""

    def say(self, role: str, text: str, images: Sequence[tuple[str, SentImage]] = (), **keys: Any) -> None:
        """Add a message: images, each behind its label, then the text. Halves of characters become U+FFFD."""
        text = clean(text)
        parts: list[dict[str, Any]] = []
        for label, image in images:
            self.images[image.sha256] = image
            parts += [{"type": "text", "text": label}] if label else []
            parts.append({"type": "image_url", "image_url": {"url": image.url}})
        parts += [{"type": "text", "text": text}] if text else []
        self.messages.append({"role": role, **keys, "content": parts if images else text})
        labels = "\n".join(label for label, _ in images if label)
        self.kept.append({"role": role, "text": "\n".join(filter(None, (labels, text))), "images": len(images)})

    def hear(self, reply: Reply) -> None:
        """Add a response of the model."""
        self.messages.append(reply.message())
        self.kept.append({"role": "assistant", "text": reply.said, "images": 0})

    def give(self, ids: Sequence[str], results: Sequence[ToolResult], place: ToolImages, note: str = "") -> None:
        """Add the results of native calls, in order: a tool message for each id, and where ``place`` is ``AFTER`` one
        user message with all images. ``note`` is a last text."""
        shown: list[tuple[str, SentImage]] = []
        for name, result in zip(ids, results, strict=True):
            inside = [("", result.image)] if result.image and place is ToolImages.INSIDE else []
            self.say("tool", result.text, inside, tool_call_id=name)
            if result.image and place is ToolImages.AFTER:
                shown.append((f"{result.image_id}:", result.image))
        if shown or note:
            self.say("user", note, shown)

    def give_as_text(self, results: Sequence[ToolResult]) -> None:
        """Add the results of calls in a text, each as a user message."""
        for result in results:
            self.say("user", result.text, [("", result.image)] if result.image else [])
