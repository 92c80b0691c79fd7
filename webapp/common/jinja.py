"""The second template engine, of rows, cells and tiles. When to use which: docs/architecture.md.

Texts are written ``_("...")`` in a tag or at the beginning of an expression, where ``make messages`` finds them; values
are put in by ``|format``.
"""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from jinja2 import Environment, StrictUndefined

from webapp.common import status_icons, svg
from webapp.common.templatetags import ui
from webapp.common.thumbnails import annotated_thumbnail

FILTERS = (ui.number, ui.percent, ui.signed_pp, ui.p_value, ui.share_percent, ui.duration)
DRAWINGS = (ui.interval, ui.difference, ui.when, svg.linked_quadrants, svg.quadrants, annotated_thumbnail)
SIGNS = (status_icons.icon, status_icons.icon_address, status_icons.status_icon)


def environment(**options: Any) -> Environment:
    """Return the environment of fragments: filters and drawings with the names used in pages, and ``piece``. Unknown
    names are errors.
    """
    # Django's options include autoescape. It is set explicitly, because a fragment must never be without it.
    layout = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    found = Environment(**{**options, **layout, "autoescape": True})  # noqa: S701
    found.filters |= {one.__name__: one for one in FILTERS}
    found.globals |= {one.__name__: one for one in (*DRAWINGS, *SIGNS, piece)} | {"_": gettext}
    return found


def piece(name: str, /, **context: object) -> SafeString:
    """A template of pages, as ``{% include %}`` puts it there; for what few rows have."""
    return render_to_string(name, context)
