"""From a number to what it counts: ``data-count`` on the link, ``data-total`` on the main element of its list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import copy
from html import unescape
from typing import Any
from urllib.parse import urljoin

from django.contrib.auth import get_user
from django.http import HttpResponse, QueryDict
from django.test import Client
from lxml import html

from tests.evaluation.lists import Lists

LINK = re.compile(r"<a\s[^>]*\bdata-count=[^>]*>")
LIST = re.compile(r"/benchmarks/([\w-]+)/trajectories/")
TOTAL = re.compile(r'<main\s[^>]*\bdata-total="(\d+)"')


def counted_links(response: HttpResponse) -> dict[str, int]:
    """Every number of a page that counts: the address it leads to, and the number."""
    links, page = LINK.findall(response.content.decode()), response.wsgi_request.path  # type: ignore[attr-defined]
    found: dict[str, int] = {}
    for link in links:
        href, n = urljoin(page, unescape(_attribute(link, "href"))), int(_attribute(link, "data-count"))
        assert found.setdefault(href, n) == n, f"{href} is said to list {found[href]} and {n}"
    return found


def total(client: Client, href: str) -> int:
    """How many the list at an address says that it holds."""
    response = client.get(href)
    assert response.status_code == 200, href
    found = TOTAL.search(response.content.decode())
    assert found, f"{href} does not say how many it lists"
    return int(found[1])


def covering(addresses: Iterable[str]) -> set[str]:
    """Of the addresses of lists some that have every term that any of them has, on the same path."""
    known, found = set[tuple[str, str]](), set[str]()
    terms = {href: QueryDict(href.partition("?")[2]) for href in addresses}
    for href in sorted(terms, key=lambda href: -len(terms[href])):
        names = {(href.partition("?")[0], name) for name in ("", *terms[href])}
        if not names <= known:
            found.add(href)
            known |= names
    return found


def wrong_links(client: Client, *responses: HttpResponse) -> dict[str, tuple[int, int]]:
    """The counted links of pages whose list holds another number: what the page says, what the list says.

    Lists of trajectories are opened until one with each term was, and the others are counted: to draw each of some
    hundred pages takes half a minute.
    """
    links = [link for response in responses for link in counted_links(response).items()]
    opened = covering(href for href, _ in links if LIST.fullmatch(href.partition("?")[0]))
    lists = Lists(get_user(client))
    found = [(href, n, total(client, href) if href in opened else _held(client, lists, href)) for href, n in links]
    return {href: (n, held) for href, n, held in found if n != held}


def miscounted(client: Client, response: HttpResponse) -> dict[str, tuple[int, int]]:
    """As ``wrong_links``, but no list of trajectories is opened: for the pages of which another setting changes the
    numbers and not the lists."""
    lists = Lists(get_user(client))
    found = {href: (n, _held(client, lists, href)) for href, n in counted_links(response).items()}
    return {href: pair for href, pair in found.items() if pair[0] != pair[1]}


def _held(client: Client, lists: Lists, href: str) -> int:
    """How many the list at an address holds; its page is not drawn if it is one of trajectories."""
    path, _, query = href.partition("?")
    is_list = LIST.fullmatch(path)
    return lists.count(is_list[1], query) if is_list else total(client, href)


def _attribute(link: str, name: str) -> str:
    return re.findall(rf'\s{name}="([^"]*)"', link)[0]


def unlinked_counts(response: HttpResponse) -> set[str]:
    """The heads of columns of a page with a whole number above 0 that leads nowhere, and what is written as "n 12" or
    "n = 12" without a link."""
    [main] = html.fromstring(response.content.decode()).xpath("//main")
    found = set()
    for table in main.iter("table"):
        heads = [_said(cell) for row in table.xpath("./thead/tr[last()]") for cell in _columns(row)]
        for row in table.xpath("./tbody/tr"):
            # A head of several rows is a cell of the first one alone.
            cells = list(_columns(row))
            for head, cell in zip(reversed(heads), reversed(cells), strict=False):
                if re.fullmatch(r"[1-9][\d,]*", _said(cell)) and not cell.xpath(".//a[@href]"):
                    found.add(head)
    texts = main.xpath(".//text()[not(ancestor::a) and not(ancestor::svg) and not(ancestor::*[@popover])]")
    return found | {text.strip() for text in texts if re.search(r"\bn\s*(=\s*)?[1-9]\d*\s*$", text)}


def with_other_counts(response: HttpResponse) -> HttpResponse:
    """The same page, on which every counted link says one more than its list holds."""
    changed = copy(response)
    said = re.sub(r'\bdata-count="(\d+)"', lambda found: f'data-count="{int(found[1]) + 1}"', response.content.decode())
    changed.content = said.encode()
    return changed


def _columns(row: Any) -> Iterator[Any]:
    """The cells of a row, as often as they are wide."""
    for cell in row.xpath("./td|./th"):
        yield from [cell] * int(cell.get("colspan", "1"))


def _said(cell: Any) -> str:
    return " ".join("".join(cell.xpath(".//text()[not(ancestor::*[@popover])]")).split())
