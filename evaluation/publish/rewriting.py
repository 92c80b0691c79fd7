"""Converts a page of the application to a page of the copy: links to files, and no parts that need a server."""

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
"""Parts that need a server. Of menus, slices stay: they are links to copied pages."""
SIGN = "sign-"
"""The prefix of the name of a sign that is drawn in a page."""
_ADDRESSES = {"href", "src", "srcset", "data-tiles", "data-viewer", "data-image"}
_POLICY = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of addresses in the copy. Each function returns a relative link, or None: not copied. ``signs``: the
    symbols that pages draw with ``use``, by name.
    """

    page: Callable[[str], str | None]
    static: Callable[[str], str | None]
    tiles: Callable[[str], str | None]
    signs: Mapping[str, html.HtmlElement] = field(default_factory=dict)


def rewritten(page: bytes, targets: Targets, notice: Sequence[tuple[str, str]]) -> bytes:
    """Return the page with rewritten links and a line that describes the copy. Links to pages that are not copied are
    removed.

    page: HTML of a view. notice: the pieces of the line, each a text and a link in the copy ("" for none).
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
        # "2 minutes ago" is only true at the time of the copy.
        time.text = time.get("datetime", "")[:10]
    _mark(document, notice)
    return b"<!doctype html>\n" + html.tostring(document, encoding="utf-8") + b"\n"


@dataclass(frozen=True, slots=True)
class Link:
    """A link ("a"), an image ("img") or tiles ("tiles") of a page. ``next``: the following page of a list."""

    address: str
    kind: str
    next: bool = False


def links(page: bytes) -> list[Link]:
    """Return all links and images of a page, in their order."""
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
    """Replace the modules by one classic script that, like them, runs after the page is parsed."""
    modules = document.xpath("//script[@type='module']")
    for place, module in enumerate(modules):
        if place == 0:
            module.set("src", f"/static/{JOINED}")
            module.set("defer", "")
            del module.attrib["type"]
        else:
            module.drop_tree()


def _draw_signs(document: html.HtmlElement, signs: Mapping[str, html.HtmlElement]) -> None:
    """Embed the signs in the page: a browser that opens it directly from a folder loads none from another file."""
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
    """Remove a link to a page that is not copied. Its text stays if it is informative; buttons, tabs and elements that
    only work in the application (``data-live``) are removed.
    """
    classes = str(element.get("class", "")).split()
    parent = element.getparent()
    if (
        "btn" in classes
        or "data-live" in element.attrib
        or (parent is not None and "tabs" in str(parent.get("class", "")).split())
    ):
        element.drop_tree()
        return
    # In a drawing, any element other than a group would end the drawing there, and remove its content.
    element.tag = "g" if next(element.iterancestors("svg"), None) is not None else "span"
    for name in [name for name in element.attrib if name not in {"class", "title", "dir", "lang"}]:
        del element.attrib[name]


def _mark(document: html.HtmlElement, notice: Sequence[tuple[str, str]]) -> None:
    """Add the line at the top of each page, and a policy as strict as the site's."""
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
