"""Requests and responses of an attempt, as text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.utils.translation import gettext

from evaluation.endpoints.replies import ErrorInBody, Unreadable, read_answer
from evaluation.experiments.write.images import SUFFIX
from evaluation.models import Attempt, Exchange, SentImage
from webapp.common import objects

_SHA256 = re.compile(r'"sha256:([0-9a-f]{64})"')
MINUTES = 10 * 60
LONGEST = 200_000
"""Characters of a body that a page shows; the API has all of it."""


@dataclass(frozen=True)
class ShownExchange:
    """``request`` and ``response``: bodies, indented if they are JSON; ``cut``: whether one is longer than shown.
    ``said`` and ``calls``: the content of the response, empty if it cannot be read. ``images``: those that no earlier
    request contains.
    """

    exchange: Exchange
    images: list[SentImage]
    said: str
    calls: tuple[str, ...]
    request: str
    response: str
    cut: bool


def exchanges_of(attempt: Attempt) -> list[ShownExchange]:
    """The exchanges of an attempt, or of the equal one that it is linked to. Two queries."""
    source = attempt.reused_from or attempt
    rows, seen, shown = list(source.exchanges.order_by("n")), set[str](), []
    named = {row.pk: images_in(row.request) for row in rows}
    wanted = {sha256 for found in named.values() for sha256 in found}
    kept = SentImage.objects.filter(experiment=source.experiment_id, sha256__in=wanted)
    images = {image.sha256: image for image in kept}
    for row in rows:
        new = [sha256 for sha256 in named[row.pk] if sha256 in images and sha256 not in seen]
        seen |= named[row.pk].keys()
        shown.append(_shown(row, [images[sha256] for sha256 in new]))
    return shown


def images_in(request: bytes | memoryview[int]) -> dict[str, None]:
    """The digests of the images that a stored request names, in their order."""
    return dict.fromkeys(_SHA256.findall(body_text(request)))


def image_answer(image: SentImage) -> HttpResponse:
    """An image as a model received it, which a browser keeps for a few minutes: rights can be removed."""
    if image.media_type not in SUFFIX:
        raise Http404(gettext("This is no image."))
    if not objects.exists(image.name):
        raise Http404(gettext("This image was removed."))
    answer = HttpResponse(objects.read(image.name), content_type=image.media_type)
    answer["Cache-Control"] = f"private, max-age={MINUTES}"
    return answer


def _shown(exchange: Exchange, images: list[SentImage]) -> ShownExchange:
    request, response = _text(exchange.request), _text(exchange.response)
    cut = len(request) > LONGEST or len(response) > LONGEST
    said, calls = _read(bytes(exchange.response or b""))
    return ShownExchange(exchange, images, said[:LONGEST], calls, request[:LONGEST], response[:LONGEST], cut)


def _read(body: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        answer = read_answer(body)
    except (Unreadable, ErrorInBody):
        return "", ()
    said = "\n\n".join(part for part in (answer.reasoning, answer.text) if part)
    return said, tuple(f"{name}({arguments})" for _, name, arguments in answer.calls)


def body_text(body: bytes | memoryview[int] | None) -> str:
    """The body as text; bytes that are no UTF-8 are replaced."""
    return bytes(body or b"").decode("utf-8", "replace")


def _text(body: bytes | memoryview[int] | None) -> str:
    text = body_text(body)
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except ValueError:
        return text
