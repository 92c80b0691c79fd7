"""The exchanges of an experiment as a file: one line of JSON each, in the shape of OpenAI's chat completions."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from math import isfinite
from typing import Any

from evaluation.experiments.read.attempts import attempts_known_to
from evaluation.models import Attempt, Exchange, Experiment, SentImage
from webapp.common import objects

FORMAT = "openai-chat"
_URL = re.compile(r"sha256:([0-9a-f]{64})")
_TOGETHER = 20
"""Attempts whose exchanges are read at once."""
_FIELDS = (
    "status", "milliseconds", "retries", "input_tokens", "cached_tokens", "output_tokens", "estimated", "usd",
    "finish_reason", "served_model", "fingerprint",
)  # fmt: skip


def export_name(experiment: Experiment) -> str:
    """The name of the file of an export."""
    return f"experiment-{experiment.pk}.{FORMAT}.jsonl"


def exchange_lines(experiment: Experiment, user: Any, *, images: bool = False) -> Iterator[bytes]:
    """Yield the exchanges of an experiment that a person may read, in the order of its attempts, each as one line of
    JSON. ``user`` None: a command.

    ``request`` is the body as sent and ``response`` as received: an object if it is JSON, else text, None if none came.
    Images in requests are ``sha256:…`` of their bytes; with ``images``, the data URL that was sent. A linked attempt
    has the exchanges of the attempt that it is linked to. Headers are not stored, so no key is in it. Memory: the
    exchanges of a few attempts.
    """
    attempts = attempts_known_to(user, experiment).select_related("sample", "item", "reused_from").order_by("pk")
    rows = attempts.iterator(chunk_size=_TOGETHER)
    while some := list(islice(rows, _TOGETHER)):
        sources = {attempt.reused_from_id or attempt.pk for attempt in some}
        of: dict[int, list[Exchange]] = {}
        for row in Exchange.objects.filter(attempt__in=sources).order_by("attempt", "n"):
            of.setdefault(row.attempt_id, []).append(row)
        for attempt in some:
            source = attempt.reused_from or attempt
            for row in of.get(source.pk, ()):
                line = _line(attempt, row, source.experiment_id if images else None)
                yield json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _line(attempt: Attempt, row: Exchange, images_of: int | None) -> dict[str, Any]:
    request = body_of(row.request)
    return {
        "id": f"{row.attempt_id}-{row.n}",
        "sample": attempt.subject,
        "rollout": attempt.rollout,
        "attempt": attempt.pk,
        "attempt_state": attempt.state,
        "reused_from": attempt.reused_from_id,
        "n": row.n,
        "state": row.state,
        "started_at": row.started_at.isoformat(),
        **{name: getattr(row, name) for name in _FIELDS},
        "request": request if images_of is None else _with_images(request, images_of),
        "response": None if row.response is None else body_of(row.response),
    }


def body_of(body: bytes | memoryview[int]) -> Any:
    """The body as JSON, else as text: a stream, an error page, or numbers and depths that JSON files can't have."""
    text = bytes(body).decode("utf-8", "replace")
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError):
        return text


def _finite(number: str) -> float:
    if not isfinite(value := float(number)):
        raise ValueError(f"{number} can't be written as JSON.")
    return value


def _with_images(part: Any, experiment: int) -> Any:
    """The request with its images as data URLs. One that is no longer stored keeps its digest."""
    if isinstance(part, list):
        return [_with_images(one, experiment) for one in part]
    if not isinstance(part, Mapping):
        return part
    whole = {name: _with_images(one, experiment) for name, one in part.items()}
    for name in ("url", "image"):
        if isinstance(url := part.get(name), str) and (named := _URL.fullmatch(url)):
            image = SentImage.objects.filter(experiment=experiment, sha256=named[1]).first()
            if image is not None and objects.exists(image.name):
                data = base64.b64encode(objects.read(image.name)).decode("ascii")
                whole[name] = f"data:{image.media_type};base64,{data}"
    return whole
