"""Translation: pages are translated; the API, commands, jobs and files stay English.

Pages are in the language of the request. Their code marks text with Django's ``gettext``, ``gettext_lazy`` (at import
time) and ``ngettext``. Pure packages mark it with ``annotation.marking.gettext_noop``, and presenters translate it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from django.http import FileResponse, StreamingHttpResponse
from django.utils.translation import gettext, override

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

Text: TypeAlias = "str | _StrPromise"
"""Text of pages, which may be lazy and translated on display. Files, rows and JSON need ``str()`` of it."""
ENGLISH = "en"

P = ParamSpec("P")
R = TypeVar("R")


def in_english(call: Callable[P, R]) -> Callable[P, R]:
    """Decorator: run a function in English, whatever the language of the request. A streamed response is English to its
    end.
    """

    @wraps(call)
    def speaking(*args: P.args, **kwargs: P.kwargs) -> R:
        with override(ENGLISH):
            answer: Any = call(*args, **kwargs)
        if isinstance(answer, StreamingHttpResponse) and not isinstance(answer, FileResponse):
            answer.streaming_content = _english(answer.streaming_content)
        return answer

    return speaking


def english(text: Text) -> str:
    """Return the English of a lazy text, for storage."""
    with override(ENGLISH):
        return str(text)


def all_of(names: Sequence[str]) -> str:
    """The names as one text: "Ana and Ben and Cleo"; "" of none."""
    return _joined(gettext("%(one)s and %(other)s"), names)


def any_of(names: Sequence[str]) -> str:
    """The names as one text: "Ana or Ben or Cleo"; "" of none."""
    return _joined(gettext("%(one)s or %(other)s"), names)


def _joined(pair: str, names: Sequence[str]) -> str:
    return reduce(lambda one, other: pair % {"one": one, "other": other}, names) if names else ""


def _english(parts: Any) -> Iterator[bytes]:
    """Yield the parts, each of which is created in English. Between them, the language is that of the caller."""
    remaining: Iterator[bytes] = iter(parts)
    while True:
        with override(ENGLISH):
            part = next(remaining, None)
        if part is None:
            return
        yield part
