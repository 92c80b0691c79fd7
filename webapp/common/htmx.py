"""One address, two forms: the page, and the piece of it that htmx asks for."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from webapp.common.http import Request


def render_page(
    request: Request, page: str, piece: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render ``piece`` for htmx, and the full ``page`` otherwise. Templates read which as ``is_piece``.

    The response varies with the deciding headers; otherwise, a cache would show the piece as a page. When the browser
    goes back and htmx no longer has the page, it requests the full page; so does a boosted link.
    """
    wants_piece = bool(request.htmx) and not request.htmx.history_restore_request and not request.htmx.boosted
    context = {**context, "is_piece": wants_piece}
    response = render(request, piece if wants_piece else page, context, status=status)
    patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request", "HX-Boosted"))
    return response
