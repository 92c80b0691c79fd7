"""The small drawings as markup: intervals, differences, stacked bars. Styles hold what is the same in all of them.

Here and not in templates: a page draws hundreds, and a template for each takes most of its time.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

from webapp.common import formatting
from webapp.common.drawing import Bar, as_percent, scale, stacked
from webapp.common.formatting import MINUS, finite, percent, percentage_points
from webapp.common.markup import fast_format_html, fast_format_html_join

QUADRANTS = {
    "gpap": ("G+A+", gettext_noop("Grounded & correct")),
    "gpam": (f"G+A{MINUS}", gettext_noop("Grounded, incorrect")),
    "gmap": (f"G{MINUS}A+", gettext_noop("Ungrounded but correct")),
    "gmam": (f"G{MINUS}A{MINUS}", gettext_noop("Neither")),
}
NOTHING = SafeString()
CI = '<svg class="ci" role="img" aria-label="{}">{}{}{}</svg>'
TRACK = fast_format_html('<rect class="{}"/>', "ci__track")


def interval(value: object, low: object, high: object, axis_low: float = 0, axis_high: float = 1) -> SafeString:
    """Track, whisker and point of a share on one axis."""
    point, start, end = finite(value), finite(low), finite(high)
    whisker = _whisker(point, start, end, axis_low, axis_high)
    words = _interval_words(percent(start), percent(end)) if whisker else gettext("no interval")
    return fast_format_html(CI, words, TRACK, whisker, _mark("ci__point", point, axis_low, axis_high))


def difference(
    value: object,
    low: object,
    high: object,
    p: object = None,
    axis_low: float = -0.4,
    axis_high: float = 0.4,
    tie: bool | None = None,
) -> SafeString:
    """A difference of shares with its zero line and its adjusted p; "tie" as said, else when the interval holds 0."""
    point, start, end = finite(value), finite(low), finite(high)
    if tie is None:
        tie = start is not None and end is not None and start <= 0 <= end
    shown_p = "" if p is None else gettext("p %(value)s") % {"value": formatting.p_value(p)}
    told = ", ".join(part for part in (gettext("tie") if tie else "", shown_p) if part)
    return fast_format_html(
        '<span class="delta"><span class="delta__value">{}</span>{}<span class="{}">{}</span></span>',
        percentage_points(value),
        around_zero(point, start, end, axis_low, axis_high),
        "delta__p faint" if tie else "delta__p",
        told,
    )


def _interval_words(low: str, high: str) -> str:
    return gettext("interval %(low)s to %(high)s") % {"low": low, "high": high}


def around_zero(
    point: float | None, start: float | None, end: float | None, axis_low: float, axis_high: float
) -> SafeString:
    """Zero line, whisker and point of a difference on one axis."""
    whisker = _whisker(point, start, end, axis_low, axis_high)
    words = _interval_words(percentage_points(start), percentage_points(end)) if whisker else gettext("no interval")
    zero, mark = (_mark(name, at, axis_low, axis_high) for name, at in (("ci__zero", 0.0), ("ci__point", point)))
    return fast_format_html(CI, words, zero, whisker, mark)


def quadrants(shares: Sequence[object], size: str = "", numbers: bool = False) -> SafeString:
    """The four quadrants, in their fixed order, as a stacked bar of shares or counts."""
    bars = stacked(zip(QUADRANTS, shares, strict=True))
    return stack(bars, [label for label, _ in QUADRANTS.values()], size, numbers)


def linked_quadrants(shares: Sequence[object], links: Sequence[tuple[str, str]]) -> SafeString:
    """The same, with each part as a link with its tooltip, (address, words).

    People who cannot see it find the links in the numbers next to it."""
    bars = stacked(zip(QUADRANTS, shares, strict=True))
    parts = (
        (href, f"{label}: {percent(bar.share)}%. {words}", bar.name, bar.x, bar.width)
        for bar, (href, words), (label, _) in zip(bars, links, QUADRANTS.values(), strict=False)
        if bar.share
    )
    part = '<a href="{}" tabindex="-1"><title>{}</title><rect class="fill-{}" x="{}" width="{}"/></a>'
    return fast_format_html(
        '<svg class="stack stack--links" aria-hidden="true">{}</svg>', fast_format_html_join("", part, parts)
    )


def stack(bars: Sequence[Bar], names: Sequence[str], size: str = "", numbers: bool = False) -> SafeString:
    """A stacked bar, its parts read aloud by ``names``; ``numbers``: percentages under it. Its page needs
    ui/_patterns.html once."""
    seen = [bar for bar in bars if bar.share]
    drawn = fast_format_html(
        '<svg class="{}" role="img" aria-label="{}">{}{}</svg>',
        f"stack stack--{size}" if size else "stack",
        _spoken(bars, names),
        fast_format_html_join("", '<rect class="fill-{}" x="{}" width="{}"/>', ((b.name, b.x, b.width) for b in seen)),
        fast_format_html_join("", '<rect class="stack__gap" x="{}"/>', ((bar.end,) for bar in bars[:-1] if bar.share)),
    )
    if not numbers or not bars:
        return drawn
    shares = fast_format_html_join("", "<span>{}</span>", ((percent(bar.share, 0),) for bar in bars))
    return fast_format_html('{}<span class="stack-numbers" aria-hidden="true">{}</span>', drawn, shares)


def _spoken(bars: Sequence[Bar], names: Sequence[str]) -> str:
    named = zip(bars, names, strict=False)
    return ", ".join(f"{name} {percent(bar.share)}%" for bar, name in named) or "n/a"


def _whisker(
    point: float | None, start: float | None, end: float | None, axis_low: float, axis_high: float
) -> SafeString:
    if point is None or start is None or end is None:
        return NOTHING
    left, right = scale(start, axis_low, axis_high), scale(end, axis_low, axis_high)
    width = as_percent(max(0.0, right - left))
    return fast_format_html('<rect class="ci__range" x="{}" width="{}"/>', as_percent(left), width)


def _mark(name: str, at: float | None, axis_low: float, axis_high: float) -> SafeString:
    if at is None:
        return NOTHING
    return fast_format_html('<rect class="{}" x="{}"/>', name, as_percent(scale(at, axis_low, axis_high)))
