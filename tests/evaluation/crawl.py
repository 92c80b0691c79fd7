"""From a number to what it counts: ``data-count`` on the link, ``data-total`` on the main element of its list."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin

from django.contrib.auth import get_user
from django.http import HttpResponse, QueryDict
from django.test import Client

from annotation.models import Benchmark
from tests.evaluation.lists import pks_in

LINK = re.compile(r"<a\s[^>]*\bdata-count=[^>]*>")
LIST = re.compile(r"/benchmarks/([\w-]+)/trajectories/")
TOTAL = re.compile(r'<main\s[^>]*\bdata-total="(\d+)"')


def counted_links(response: HttpResponse) -> dict[str, int]:
    """Every number of a page that counts: the address it leads to, and the number."""
    links, page = LINK.findall(response.content.decode()), response.wsgi_request.path  # type: ignore[attr-defined]
    return {urljoin(page, unescape(_attribute(link, "href"))): int(_attribute(link, "data-count")) for link in links}


def total(client: Client, href: str) -> int:
    """How many the list at an address says that it holds."""
    response = client.get(href)
    assert response.status_code == 200, href
    found = TOTAL.search(response.content.decode())
    assert found, f"{href} does not say how many it lists"
    return int(found[1])


def wrong_links(client: Client, response: HttpResponse) -> dict[str, tuple[int, int]]:
    """The counted links of a page whose list holds another number: what the page says, what the list says.

    Of lists of trajectories with the same terms and other values the first is opened, and the others are counted: to
    draw each of some hundred pages takes half a minute.
    """
    opened: set[tuple[str, ...]] = set()
    wrong = {}
    for href, n in counted_links(response).items():
        path, _, query = href.partition("?")
        terms = QueryDict(query)
        kind = path, *sorted(terms)
        is_list = LIST.fullmatch(path)
        if is_list and kind in opened:
            benchmark = Benchmark.objects.get(slug=is_list[1])
            held = len(pks_in(benchmark, terms.dict(), get_user(client)))
        else:
            held = total(client, href)
        opened.add(kind)
        if held != n:
            wrong[href] = (n, held)
    return wrong


def miscounted(benchmark: Benchmark, client: Client, response: HttpResponse) -> dict[str, tuple[int, int]]:
    """As ``wrong_links``, but no list of trajectories is opened: for the pages of which another setting changes the
    numbers and not the lists."""
    found = {}
    for href, n in counted_links(response).items():
        path, _, query = href.partition("?")
        held = len(pks_in(benchmark, QueryDict(query).dict())) if LIST.fullmatch(path) else total(client, href)
        found[href] = (n, held)
    return {href: pair for href, pair in found.items() if pair[0] != pair[1]}


def _attribute(link: str, name: str) -> str:
    return re.findall(rf'\s{name}="([^"]*)"', link)[0]
