"""A page of the application as a reader of the copy sees it, made by its view without a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.urls import resolve
from django_htmx.middleware import HtmxDetails

from annotation.common.access import PublicReader
from webapp.common.errors import ApplicationError


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of a view: its bytes and their type."""

    content: bytes
    is_page: bool


def read(address: str, reader: PublicReader) -> Answer | None:
    """The answer at an address; None when there is nothing, or nothing for a reader."""
    parts = urlsplit(address)
    request = HttpRequest()
    request.method = "GET"
    request.path = request.path_info = parts.path
    request.GET = QueryDict(parts.query)
    request.META = {"SERVER_NAME": "localhost", "SERVER_PORT": "80", "QUERY_STRING": parts.query}
    request.user = reader
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]
    view = resolve(parts.path)
    request.resolver_match = view
    try:
        response = view.func(request, *view.args, **view.kwargs)
    except (Http404, ApplicationError):
        return None
    if response.status_code != 200:
        return None
    kind = str(response.headers.get("Content-Type", ""))
    return Answer(_bytes(response), kind.startswith("text/html"))


def _bytes(response: HttpResponse | StreamingHttpResponse) -> bytes:
    if response.streaming:
        content = b"".join(cast(StreamingHttpResponse, response))
        # Closing the answer itself would say that a request is over, and end the connection to the database.
        if isinstance(response, FileResponse) and response.file_to_stream is not None:
            response.file_to_stream.close()
        return content
    return cast(HttpResponse, response).content
