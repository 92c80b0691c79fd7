"""Redirects to the guidelines for a person who must read them before continuing."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse


def to_guidelines(slug: str, onward: str) -> HttpResponse:
    """Redirect to the guidelines of the benchmark at ``slug``; after reading them, the person continues at
    ``onward``.
    """
    address = reverse("annotation:guidelines", args=[slug])
    return HttpResponseRedirect(f"{address}?{urlencode({'next': onward})}", status=303)
