"""The addresses of the site, and one whose answer is large, made piece by piece, and costs nothing."""

from __future__ import annotations

from django.http import HttpRequest, StreamingHttpResponse
from django.urls import include, path

MEGABYTES = 12
"""More than the system keeps for a client that does not read."""


def flood(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(b"x" * 65536 for _ in range(16 * MEGABYTES))


urlpatterns = [path("flood", flood), path("", include("webapp.urls"))]
