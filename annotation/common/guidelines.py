"""Redirects to the guidelines for a person who must read them before continuing."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

QUEUES = {"annotate": "annotation:annotate-next", "review": "annotation:review-next"}
"""The addresses that assign the next sample, by queue."""


def to_guidelines(slug: str, queue: str) -> HttpResponse:
    """Redirect to the guidelines of the benchmark at ``slug``; after reading them, the person gets the next sample of
    ``queue``, a key of ``QUEUES``.
    """
    address = reverse("annotation:guidelines", args=[slug])
    return HttpResponseRedirect(f"{address}?{urlencode({'queue': queue})}", status=303)


def to_next(slug: str, queue: str) -> HttpResponse | None:
    """Repeat the current POST at the address that assigns the next sample; None for an unknown queue."""
    if queue not in QUEUES:
        return None
    return HttpResponseRedirect(reverse(QUEUES[queue], args=[slug]), status=307)
