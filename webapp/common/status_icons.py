"""The signs of states of work as markup: a shape of the sprite, and a word.

Here and not in templates: a list has one or two for each row.
"""

from __future__ import annotations

from django.templatetags.static import static
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

from webapp.common.markup import fast_format_html

STATES = {
    "todo": gettext_noop("To do"),
    "draft": gettext_noop("Draft"),
    "review": gettext_noop("In review"),
    "disputed": gettext_noop("Disputed"),
    "accepted": gettext_noop("Accepted"),
    "returned": gettext_noop("Returned"),
    "discarded": gettext_noop("Discarded"),
    "running": gettext_noop("Running"),
    "waiting": gettext_noop("Waiting"),
    "needs": gettext_noop("Failed"),
    "done": gettext_noop("Done"),
    "stopped": gettext_noop("Stopped"),
}


def icon_address(name: str) -> str:
    """Return the URL of a drawing in the sprite."""
    return f"{static('img/icons.svg')}#{name}"


def status_icon(kind: str, label: str = "", bad: bool = False) -> SafeString:
    """``{% status_icon "review" %}``, ``{% status_icon "done" "as asked" %}``. Kinds: the keys of STATES. ``bad``: in
    rose."""
    return fast_format_html(
        '<span class="{}"><svg aria-hidden="true"><use href="{}"/></svg>{}</span>',
        "state is-bad" if bad or kind == "needs" else "state",
        icon_address(f"state-{kind}"),
        label or gettext(STATES[kind]),
    )


def icon(kind: str) -> SafeString:
    """The shape alone; its label is nearby or read aloud."""
    return fast_format_html(
        '<svg class="sign" aria-hidden="true"><use href="{}"/></svg>', icon_address(f"state-{kind}")
    )
