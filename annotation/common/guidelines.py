"""The way to the guidelines for a person who has to read them before they go on."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse


def to_guidelines(slug: str, onward: str) -> HttpResponse:
    """To the guidelines of the benchmark at ``slug``; having read them, the person goes on at ``onward``."""
    address = reverse("annotation:guidelines", args=[slug])
    return HttpResponseRedirect(f"{address}?{urlencode({'next': onward})}", status=303)
