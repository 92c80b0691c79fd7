"""Tags and filters of every page: how numbers are written, and the small drawings (templates/ui/)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, FileInput, NumberInput, Select, Textarea
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_bidi, gettext

from webapp.common import drawing, formatting, fragments, svg
from webapp.common.formatting import MINUS, finite
from webapp.common.glossary import find_term
from webapp.common.status_icons import status_icon
from webapp.common.svg import QUADRANTS
from webapp.common.thumbnails import annotated_thumbnail
from webapp.common.translation import ENGLISH

register = template.Library()

THEMES = ("light", "dark")


# Numbers and times


@register.filter
def percent(value: object, digits: int = 1) -> str:
    return formatting.percent(value, digits)


@register.simple_tag
def rate(value: object, low: object, high: object, provisional: bool = False) -> str:
    """``{% rate metric.value metric.low metric.high %}``: 54.6 (54.6–57.9)."""
    return formatting.rate(value, low, high, provisional=provisional)


@register.filter
def share_percent(value: object) -> str:
    return formatting.small_share(value)


@register.filter
def signed_pp(value: object, digits: int = 1) -> str:
    return formatting.percentage_points(value, digits)


@register.filter
def number(value: object, digits: int = 0) -> str:
    return formatting.decimal(value, digits)


@register.filter
def whole(value: int | None) -> int:
    """The number that chooses singular or plural in a text to translate: 0 for a missing value."""
    return int(value or 0)


@register.filter
def p_value(value: object) -> str:
    return formatting.p_value(value)


@register.filter(name="bytes")
def file_size(value: object) -> str:
    return formatting.size_of_file(value)


@register.filter
def duration(seconds: object) -> str:
    return formatting.duration(seconds)


@register.filter
def ago(moment: datetime | None) -> str:
    return formatting.ago(moment, timezone.now())


@register.filter
def utc(moment: datetime | None) -> str:
    """A time as text, where no element is allowed, as in an option."""
    return formatting.written(moment)


@register.simple_tag
def when(moment: datetime | None, form: str = "minute") -> str:
    """A moment: ``{% when run.created_at "day" %}``. Scripts rewrite it in the visitor's zone. ``form``: a key of
    ``formatting.MOMENTS``, or "ago"."""
    if moment is None:
        return formatting.NOT_AVAILABLE
    words = ago(moment) if form == "ago" else formatting.written(moment, form)
    return format_html(
        '<sightline-time data-form="{}"><time datetime="{}" title="{}">{}</time></sightline-time>',
        form, moment.isoformat(timespec="seconds"), formatting.written(moment, "second"), words,
    )  # fmt: skip


@register.filter
def px(width: Any, height: object = None) -> str:
    """``{{ width|px:height }}``, or ``{{ thing|px }}`` of anything with a width and a height."""
    if height is None and hasattr(width, "width"):
        return formatting.pixels(width.width, width.height)
    return formatting.pixels(width, height)


# Repeated parts


@register.simple_tag
def counted(count: Any) -> SafeString:
    """``{% counted pair.samples as samples %}``: ``ui/_count.html`` as a value of a text to translate."""
    return SafeString(render_to_string("ui/_count.html", {"count": count}).strip())


@register.simple_tag
def fragment(name: str, **context: object) -> SafeString:
    """``{% fragment "annotation/samples/_rows.jinja" tiles=tiles %}``: rows or tiles, which know nothing else."""
    return fragments.fragment(name, context)


# Addresses and forms


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: Any) -> str:
    """The query of this page with changes: ``{% query page=2 tool=None %}``. None or "" takes a term away."""
    request = context.get("request")
    terms = request.GET.copy() if request else QueryDict(mutable=True)
    for name, value in changes.items():
        if value in (None, ""):
            terms.pop(name, None)
        elif isinstance(value, list | tuple):
            terms.setlist(name, [str(item) for item in value])
        else:
            terms[name] = str(value)
    return f"?{terms.urlencode()}"


@register.simple_tag
def page_language() -> str:
    """The language of the page; every English is "en"."""
    code = get_language() or ENGLISH
    return ENGLISH if code.partition("-")[0] == ENGLISH else code


@register.simple_tag
def language_attributes() -> SafeString:
    """Return the additional attributes of a page's root in languages other than English: the URL of texts for its
    scripts.
    """
    if (code := page_language()) == ENGLISH:
        return SafeString()
    direction = "rtl" if get_language_bidi() else "ltr"
    return format_html(' dir="{}" data-texts="{}"', direction, reverse("script-texts", args=[code]))


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The theme a person chose, from its cookie: "light", "dark", or "" to follow the system."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme", "") if request else ""
    return chosen if chosen in THEMES else ""


@register.filter
def control(field: BoundField) -> SafeString:
    """The control of a form field with its class; an error is announced by aria-invalid, which Django sets."""
    widget = field.field.widget
    if isinstance(widget, CheckboxInput | FileInput):
        return field.as_widget()
    name = "select" if isinstance(widget, Select) else "textarea" if isinstance(widget, Textarea) else "input"
    extra = " input--num" if isinstance(widget, NumberInput) else ""
    own = widget.attrs.get("class", "")
    return field.as_widget(attrs={"class": f"{name}{extra} {own}".strip()})


@register.filter
def is_checkbox(field: BoundField) -> bool:
    return isinstance(field.field.widget, CheckboxInput)


@register.filter
def has_checkboxes(field: BoundField) -> bool:
    """Whether each of its choices has a checkbox."""
    return isinstance(field.field.widget, CheckboxSelectMultiple)


# Signs


@register.inclusion_tag("ui/_icon.html")
def icon(name: str, label: str = "") -> dict[str, str]:
    """``{% icon "download" %}``. With a label it is read aloud; without, it is decoration."""
    return {"name": name, "label": label}


register.simple_tag(status_icon)


@register.filter
def quadrant_code(name: str) -> str:
    """``G+A-`` (with either minus) or ``gpam`` as ``gpam``."""
    code = name.lower().replace("+", "p").replace("-", "m").replace(MINUS, "m")
    if code not in QUADRANTS:
        raise ValueError(f"{name!r} is not a quadrant")
    return code


@register.filter
def quadrant_name(name: str) -> str:
    """``G+A-`` as "Grounded, incorrect"."""
    return gettext(QUADRANTS[quadrant_code(name)][1])


@register.simple_tag
def quadrant(name: str, kind: str = "", words: bool = False, explained: bool = False) -> SafeString:
    """``{% quadrant "G+A-" %}``. kind "tag" has a background, "glyph" is only the sign; words adds its meaning;
    explained: a press opens its entry of the glossary, if it is not part of a link.
    """
    return _quadrant(quadrant_code(name), kind, words, explained, get_language())


@lru_cache(maxsize=256)
def _quadrant(code: str, kind: str, words: bool, explained: bool, language: str | None) -> SafeString:
    """There are some dozen, and a list holds one in each row: each is drawn once."""
    label, meaning = QUADRANTS[code]
    drawn = {
        "code": code,
        "label": label,
        "meaning": gettext(meaning),
        "kind": kind,
        "words": words,
        "explained": explained,
    }
    return render_to_string("ui/_quadrant.html", drawn)


@register.simple_tag
def term(slug: str, text: object = "", sign: bool = False) -> SafeString:
    """``{% term "coverage" %}``: a word of the glossary with its explanation.

    ``{% term "mean_coverage" head.label %}`` has other words. ``sign=True`` shows a question mark next to an element
    that has another action, such as a head that sorts.
    """
    # Django doubles the percent signs of a text in ``_()``.
    return _term(slug, str(text).replace("%%", "%"), sign, get_language())


@register.filter
def term_of(field: BoundField) -> str:
    """The entry of the glossary that explains a form field: its form has it in ``terms``, by the name of the field."""
    found: Mapping[str, str] = getattr(field.form, "terms", {})
    return found.get(field.name, "")


@lru_cache(maxsize=1024)
def _term(slug: str, text: str, sign: bool, language: str | None) -> SafeString:
    """Kept in each language: a page has dozens."""
    entry = find_term(slug)
    return SafeString(
        render_to_string("ui/_term.html", {"term": entry, "text": text or entry.name, "sign": sign}).strip()
    )


# Bars and intervals


@register.simple_tag
def facet_width(count: object, largest: object) -> str:
    """Length of a facet's bar: its count relative to the largest of the list."""
    most = finite(largest)
    return drawing.as_percent(drawing.scale(finite(count) or 0.0, 0, most)) if most else "0%"


@register.simple_tag
def interval(value: object, low: object, high: object, axis_low: float = 0, axis_high: float = 1) -> SafeString:
    """Track, whisker and point on one axis: ``{% interval m.value m.low m.high axis_low=0.3 axis_high=0.8 %}``."""
    return svg.interval(value, low, high, axis_low, axis_high)


@register.simple_tag
def difference(
    value: object,
    low: object,
    high: object,
    p: object = None,
    axis_low: float = -0.4,
    axis_high: float = 0.4,
    tie: bool | None = None,
) -> SafeString:
    """A difference of shares: ``{% difference value low high p %}``. See ``webapp.common.svg.difference``."""
    return svg.difference(value, low, high, p, axis_low, axis_high, tie)


@register.simple_tag
def stack(gpap: object, gpam: object, gmap: object, gmam: object, size: str = "", numbers: bool = False) -> SafeString:
    """The four quadrants, in their fixed order, as shares or counts: ``{% stack 0.57 0.08 0.14 0.21 %}``."""
    return svg.quadrants((gpap, gpam, gmap, gmam), size, numbers)


@register.simple_tag
def stack_of(*parts: object, size: str = "") -> SafeString:
    """Shares in ink, as name and value by turns: ``{% stack_of "accepted" 872 "in review" 38 "to do" 269 %}``.

    The fills are ink, gray, open and empty, in this order; a name that begins with "!" is drawn as a failure.
    """
    names = [str(name) for name in parts[::2]]
    fills = iter("abcdd")
    kinds = ["bad" if name.startswith("!") else next(fills) for name in names]
    bars = drawing.stacked(zip(kinds, parts[1::2], strict=True))
    return svg.stack(bars, [name.removeprefix("!") for name in names], size)


@register.inclusion_tag("ui/_meter.html")
def meter(value: object, most: object = 1, mark: object = None, kind: str = "") -> dict[str, Any]:
    """A bar of ``value`` out of ``most`` with, if given, a gold line at ``mark``; kind "crop" is blue."""
    whole = finite(most) or 1.0
    at = finite(mark)
    return {
        "width": drawing.as_percent(drawing.scale(finite(value) or 0.0, 0, whole)),
        "mark": None if at is None else drawing.as_percent(drawing.scale(at, 0, whole)),
        "kind": kind,
    }


@register.inclusion_tag("ui/_progress.html")
def progress(done: object, total: object, label: str = "Progress", kind: str = "") -> dict[str, Any]:
    """``{% progress job.done job.total %}``; without a total it moves. Kinds: "bad", "done"."""
    whole = finite(total)
    return {"done": int(finite(done) or 0), "total": int(whole) if whole else None, "label": label, "kind": kind}


# Images

register.simple_tag(annotated_thumbnail)
