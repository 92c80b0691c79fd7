"""A page of the application as a page of the copy: links to files, nothing that needs a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from lxml import html

from evaluation.publish.scripts import JOINED

REMOVED = " | ".join(
    (
        "//form",
        "//sightline-query",
        "//sightline-palette",
        "//a[@data-opens]",
        "//sightline-session",
        "//sightline-menu[not(details[@class='slices'])]",
        "//aside[contains(@class, 'facets')]",
        "//aside[@id='preview']",
        "//*[contains(@class, 'trajectories__foot')]/*[@data-needs-script]",
        "//nav[contains(@class, 'board-tools__all')]",
        "//section[starts-with(@class, 'toolbar')]",
        "//details[contains(@class, 'menu')]",
        "//meta[@name='htmx-config']",
        "//script[contains(@src, 'htmx')]",
        "//*[@data-live and not(self::a)]",
    )
)
"""What works with a server only. Of menus the slices stay: they are links to pages that are copied."""
SIGN = "sign-"
"""Before the name of a sign that is drawn in a page."""
_ADDRESSES = {"href", "src", "srcset", "data-tiles", "data-viewer", "data-image"}
_POLICY = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Targets:
    """Where an address of the application leads in the copy. Each gives a relative link, or None: not copied.
    ``signs``: what pages draw with ``use``, by name."""

    page: Callable[[str], str | None]
    static: Callable[[str], str | None]
    tiles: Callable[[str], str | None]
    signs: Mapping[str, html.HtmlElement] = field(default_factory=dict)


def rewritten(page: bytes, targets: Targets, notice: Sequence[tuple[str, str]]) -> bytes:
    """The page with its links rewritten and a line that says what it is; what is not copied is no link.

    page: HTML of a view. notice: the pieces of the line, each plain words and a link in the copy ("" for none).
    """
    document = html.document_fromstring(page.decode())
    for element in document.xpath(REMOVED):
        element.drop_tree()
    _join_scripts(document)
    for element in list(document.iter()):
        if isinstance(element.tag, str):
            _rewrite(element, targets)
    _draw_signs(document, targets.signs)
    for time in document.xpath("//time[@datetime]"):
        for child in list(time):
            child.drop_tree()
        # "2 minutes ago" is only true on the day the copy was made.
        time.text = time.get("datetime", "")[:10]
    _mark(document, notice)
    return b"<!doctype html>\n" + html.tostring(document, encoding="utf-8") + b"\n"


@dataclass(frozen=True, slots=True)
class Link:
    """What a page leads to ("a"), shows ("img") or zooms into ("tiles"). ``next``: the following page of a list."""

    address: str
    kind: str
    next: bool = False


def links(page: bytes) -> list[Link]:
    """Everything a page leads to or shows, in its order."""
    document = html.document_fromstring(page.decode())
    found = []
    for element in document.xpath("//a[@href] | //img[@src] | //*[@data-tiles]"):
        if element.tag == "a":
            found.append(Link(str(element.get("href")), "a", "next" in str(element.get("rel", "")).split()))
        elif element.tag == "img":
            found.append(Link(str(element.get("src")), "img"))
        else:
            found.append(Link(str(element.get("data-tiles")), "tiles"))
    return found


def _join_scripts(document: html.HtmlElement) -> None:
    """One classic script instead of the modules, which run after the page is read as it does."""
    modules = document.xpath("//script[@type='module']")
    for place, module in enumerate(modules):
        if place == 0:
            module.set("src", f"/static/{JOINED}")
            module.set("defer", "")
            del module.attrib["type"]
        else:
            module.drop_tree()


def _draw_signs(document: html.HtmlElement, signs: Mapping[str, html.HtmlElement]) -> None:
    """The signs of a page stand in it: a browser that opens it straight from a folder takes none from another file."""
    used = [(use, name) for use in document.iter("use") if (name := use.get("href").partition("#")[2]) in signs]
    if not used:
        return
    drawn = html.Element("svg", {"class": "vh", "aria-hidden": "true"})
    for name in sorted({name for _, name in used}):
        sign = deepcopy(signs[name])
        sign.set("id", SIGN + name)
        drawn.append(sign)
    for use, name in used:
        use.set("href", f"#{SIGN}{name}")
    document.body.insert(0, drawn)


def _rewrite(element: html.HtmlElement, targets: Targets) -> None:
    for name in [name for name in element.attrib if name.startswith("hx-")]:
        del element.attrib[name]
    for name in _ADDRESSES & set(element.attrib):
        _replace(element, name, str(element.attrib[name]), targets)


def _replace(element: html.HtmlElement, name: str, value: str, targets: Targets) -> None:
    if value.startswith("#"):
        return
    if value.startswith("/static/"):
        new = targets.static(value)
    elif name == "data-tiles":
        new = targets.tiles(value)
    else:
        new = targets.page(value)
    if new is not None:
        element.set(name, new)
        return
    del element.attrib[name]
    if element.tag == "a":
        _unlink(element)


def _unlink(element: html.HtmlElement) -> None:
    """What led to a page that is not copied: its words stay where they say something; a button, a tab, and what only
    the application does (``data-live``) goes."""
    classes = str(element.get("class", "")).split()
    parent = element.getparent()
    if (
        "btn" in classes
        or "data-live" in element.attrib
        or (parent is not None and "tabs" in str(parent.get("class", "")).split())
    ):
        element.drop_tree()
        return
    # In a drawing anything else than a group would end the drawing there, and take what it draws along.
    element.tag = "g" if next(element.iterancestors("svg"), None) is not None else "span"
    for name in [name for name in element.attrib if name not in {"class", "title", "dir", "lang"}]:
        del element.attrib[name]


def _mark(document: html.HtmlElement, notice: Sequence[tuple[str, str]]) -> None:
    """The line at the top of each page, and a policy as strict as the site's."""
    line = html.Element("p", {"class": "published-copy"})
    for words, link in notice:
        piece = html.Element("a", {"href": link}) if link else html.Element("span")
        piece.text = words
        line.append(piece)
    head = document.xpath("//header[contains(@class, 'bar')]")
    if head:
        head[0].addnext(line)
    else:
        document.body.insert(0, line)
    document.head.insert(1, html.Element("meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY}))
