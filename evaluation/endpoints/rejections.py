"""Interprets an HTTP status and its body: the kind of failure, a message, and whether to retry."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from evaluation.endpoints.errors import ErrorKind

OVERLOADED = frozenset({429, 503, 529})
"""Statuses that make the window of requests in flight smaller."""
_AGAIN = frozenset({408, 409, 425, 429})
_SHOWN = 500
"""Characters of an endpoint's own message that are kept in ours."""
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum (?:sequence|model) length|max(?:imum)?[ _]model[ _]len"
    r"|too many tokens|prompt (?:is )?too long|input (?:is )?too long|input token count|reduce the length of the"
    r"|longer than the maximum|exceeds? the (?:model's )?(?:context|maximum (?:context|number of (?:input )?tokens))",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[ _-]?(?:filter|policy|management)|moderation|safety (?:system|filter|policy|reasons)|flagged"
    r"|prohibited[ _]content|data_inspection_failed",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient[ _](?:quota|credit)|billing_hard_limit|credit balance|not active", re.IGNORECASE)
"""No credit: waiting does not help. Gemini also says "exceeded your current quota" to what is only too fast."""


@dataclass(frozen=True)
class Rejection:
    """A failed request. ``retry_after``: seconds the endpoint asked to wait, or None."""

    kind: ErrorKind
    message: str
    again: bool
    overloaded: bool = False
    retry_after: float | None = None


def read_rejection(status: int, body: bytes, *, retry_after: float | None = None) -> Rejection:
    """Return the meaning of a status that is not 2xx, with the endpoint's own message if the body has one."""
    said = words_of(body)
    kind = kind_of(status, said)
    own = {ErrorKind.CONTEXT_LENGTH, ErrorKind.CONTENT_FILTER, ErrorKind.AUTH}
    again = (status in _AGAIN or status >= 500) and kind not in own
    text = f"The endpoint answered {status}" + (f": {said}" if said else ".")
    if 300 <= status < 400:
        text = f"The endpoint answered {status}: it redirects elsewhere. Enter the address that it leads to."
    return Rejection(kind, text, again, status in OVERLOADED and again, retry_after if again else None)


def kind_of(status: int, said: str) -> ErrorKind:
    """Return the kind of a status with the message of its body. Specific messages take precedence over the status.

    Several servers answer 500 to a prompt that is too long, and some 403 to a filtered one.
    """
    if status in (400, 413, 422, 500) and _CONTEXT.search(said):
        return ErrorKind.CONTEXT_LENGTH
    if status in (400, 403, 422, 451) and _FILTER.search(said):
        return ErrorKind.CONTENT_FILTER
    if status in (401, 402, 403) or (status in (400, 429) and _QUOTA.search(said)):
        return ErrorKind.AUTH
    if status == 429:
        return ErrorKind.RATE
    if status == 408:
        return ErrorKind.TIMEOUT
    if status in (409, 425) or status >= 500 or status < 400:
        return ErrorKind.SERVER
    return ErrorKind.INPUT_REJECTED


def read_error(error: Any) -> Rejection:
    """Return what an error inside a successful response means. Its code counts as a status if it is one."""
    code = error.get("code") if isinstance(error, Mapping) else None
    if isinstance(code, str) and code.isascii() and code.isdecimal():
        code = int(code[:6])
    named = _NAMED.get(_name(error), 0)
    status = code if isinstance(code, int) and 400 <= code < 600 else named or 500
    found = read_rejection(status, json.dumps({"error": error}).encode())
    message = f"The response reports an error: {words_of(json.dumps({'error': error}).encode())}"
    return Rejection(found.kind, message, found.again, found.overloaded)


_NAMED = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "authentication_error": 401,
    "permission_error": 403,
    "invalid_request_error": 400,
    "BadRequestError": 400,
    "exceed_context_size_error": 400,
    "context_length_exceeded": 400,
}


def _name(error: Any) -> str:
    """The type or code of an error, whichever is known."""
    if not isinstance(error, Mapping):
        return ""
    return next((str(error[key]) for key in ("code", "type") if str(error.get(key)) in _NAMED), "")


def words_of(body: bytes) -> str:
    """Return what a body says about an error, on one line of at most 500 characters. Code and type are included.

    A web page says nothing that helps, so it gives the empty text.
    """
    try:
        whole = json.loads(body)
    except (ValueError, RecursionError):
        text = body[: 4 * _SHOWN].decode("utf-8", "replace")
        return "" if "<html" in text.lower() or text.lstrip().startswith("<") else _line(text)
    if isinstance(whole, list) and whole:  # Gemini wraps its error in a list
        whole = whole[0]
    error = whole.get("error", whole) if isinstance(whole, Mapping) else whole
    if not isinstance(error, Mapping):
        return _line(error if isinstance(error, str) else json.dumps(error, ensure_ascii=False))
    message = next((error[key] for key in ("message", "detail", "msg") if error.get(key)), "")
    message = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    names = [str(error[key]) for key in ("type", "code", "param") if isinstance(error.get(key), str) and error[key]]
    return _line(message + (f" ({', '.join(names)})" if names else ""))


def _line(text: str) -> str:
    text = " ".join("".join(char if char.isprintable() else " " for char in text[: 4 * _SHOWN]).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that ``retry-after-ms`` or ``retry-after`` asks to wait, None if neither can be read."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        given = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", given):
            return float(given) * scale
        if given:
            try:
                when = parsedate_to_datetime(given)
            except (ValueError, TypeError):
                continue
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
    return None
