"""Formats numbers, sizes and times. Undefined values (None or NaN) are "n/a", never 0."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from django.utils.translation import gettext

NOT_AVAILABLE = "n/a"
MINUS = "\N{MINUS SIGN}"
GAP = "\N{NO-BREAK SPACE}"
TIMES = "\N{MULTIPLICATION SIGN}"

_DURATIONS: tuple[tuple[float, int, str, int, str], ...] = (
    (300, 60, "min", 1, "s"),
    (3600, 60, "min", 0, ""),
    (36_000, 3600, "h", 60, "min"),
    (86_400, 3600, "h", 0, ""),
    (math.inf, 86_400, "d", 3600, "h"),
)
"""Upper limit in seconds, unit and its seconds, and a smaller unit that follows it, if any."""


def finite(value: object) -> float | None:
    """The value as a float, or None when it is missing, not a number or not finite."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def decimal(value: object, digits: int = 0, *, sign: bool = False) -> str:
    """``1240`` as "1,240", with a true minus and no "-0". ``sign`` writes a plus too."""
    number = finite(value)
    if number is None:
        return NOT_AVAILABLE
    text = f"{abs(number):,.{digits}f}"
    if number >= 0 and not sign:
        return text
    if float(text.replace(",", "")) == 0:
        return text
    return (MINUS if number < 0 else "+" if sign else "") + text


def percent(share: object, digits: int = 1) -> str:
    """A share from 0 to 1 in percent, without the sign: 0.572 as "57.2"."""
    number = finite(share)
    return NOT_AVAILABLE if number is None else decimal(100 * number, digits)


def range_of(low: object, high: object) -> str:
    """Return the shares that undecided answers allow in percent: "54.6–57.9"; "" if they are equal, or undefined."""
    least, most = finite(low), finite(high)
    if least is None or most is None or most - least < 1e-9:
        return ""
    return f"{percent(least)}\N{EN DASH}{percent(most)}"


def span(low: str, high: str) -> str:
    """Two formatted numbers as an interval: "−1.0 to +3.0"."""
    return gettext("%(low)s to %(high)s") % {"low": low, "high": high}


def points_between(low: object, high: object) -> str:
    """Return the differences that undecided answers allow in percentage points: "−1.0 to +3.0"; "" if they are equal,
    or undefined.
    """
    least, most = finite(low), finite(high)
    if least is None or most is None or most - least < 1e-9:
        return ""
    return span(percentage_points(least), percentage_points(most))


def points_open(low: object, high: object, *, could_turn: bool) -> str:
    """Return the range of a difference due to undecided answers: "−1.0 to +3.0 pp, could change its sign"; "" without
    one.
    """
    points = points_between(low, high)
    if not points:
        return ""
    return (gettext("%(points)s pp, could change its sign") if could_turn else gettext("%(points)s pp")) % {
        "points": points
    }


def rate(share: object, low: object, high: object, *, provisional: bool = False) -> str:
    """A share with its range: "54.6 (54.6–57.9)"; only the range for a provisional run."""
    spread = range_of(low, high)
    if not spread or finite(share) is None:
        return percent(share)
    return spread if provisional else f"{percent(share)} ({spread})"


def small_share(share: object) -> str:
    """A share that may be tiny, with its sign and as many decimals as it needs: 0.00047 as "0.047%"."""
    number = finite(share)
    if number is None:
        return NOT_AVAILABLE
    value = 100 * number
    if 0 < value < 0.0005:
        return f"<{GAP}0.001%"
    digits = 3 if value < 1 else 2 if value < 10 else 1
    return f"{decimal(value, digits if value else 0)}%"


def percentage_points(difference: object, digits: int = 1) -> str:
    """A difference of two shares in percentage points, signed: -0.059 as "−5.9"."""
    number = finite(difference)
    return NOT_AVAILABLE if number is None else decimal(100 * number, digits, sign=True)


def p_value(value: object) -> str:
    """Three decimals below .1, else two, no leading 0; "< .001" below that: 0.018 as ".018"."""
    number = finite(value)
    if number is None:
        return NOT_AVAILABLE
    if number < 0.001:
        return f"<{GAP}.001"
    if number >= 0.995:
        return "1"
    return f"{number:.{3 if number < 0.0995 else 2}f}".removeprefix("0")


def size_of_file(count: object) -> str:
    """Bytes with a unit of 1000: 8_400_000 as "8.4 MB"."""
    number = finite(count)
    if number is None:
        return NOT_AVAILABLE
    units = ["B", "kB", "MB", "GB", "TB"]
    while number >= 999.5 and len(units) > 1:
        number /= 1000
        units.pop(0)
    return f"{decimal(number, 0 if units[0] == 'B' or number >= 99.5 else 1)}{GAP}{units[0]}"


def duration(seconds: object) -> str:
    """The two largest units that matter: "0.4 s", "20 s", "1 min 12 s", "9 min", "2 h 5 min", "3 d"."""
    number = finite(seconds)
    if number is None:
        return NOT_AVAILABLE
    number = max(0.0, number)
    if number < 9.95:
        return f"{decimal(number, 1)}{GAP}s"
    whole = round(number)
    if whole < 60:
        return f"{whole}{GAP}s"
    size, unit, part_size, part = next(row[1:] for row in _DURATIONS if whole < row[0])
    many, rest = divmod(whole, size)
    smaller = rest // part_size if part_size else 0
    return f"{many}{GAP}{unit}" + (f" {smaller}{GAP}{part}" if smaller else "")


def ago(moment: datetime | None, now: datetime) -> str:
    """Return the elapsed time in one unit: "just now", "12 min ago", "3 h ago", "2 d ago"; the date after two weeks."""
    if moment is None:
        return NOT_AVAILABLE
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return gettext("just now")
    for unit, size, most in (("min", 60, 3600), ("h", 3600, 86400), ("d", 86400, 14 * 86400)):
        if seconds < most:
            return gettext("%(time)s ago") % {"time": f"{int(seconds // size)}{GAP}{unit}"}
    return written(moment, "day")


MOMENTS = {
    "minute": "%-d %b %Y, %H:%M UTC",
    "second": "%-d %b %Y, %H:%M:%S UTC",
    "time": "%H:%M UTC",
    "clock": "%H:%M:%S UTC",
    "day": "%-d %b %Y",
    "weekday": "%A %-d %B",
}
"""The formats of a moment by purpose. Scripts use the same in the visitor's zone (lib/moments.js)."""


def written(value: datetime | None, form: str = "minute") -> str:
    """Return a moment in UTC with its zone: "23 Nov 2026, 18:24 UTC"."""
    if value is None:
        return NOT_AVAILABLE
    shown = value.astimezone(UTC) if value.tzinfo else value
    # Not every system knows %-d.
    return shown.strftime(MOMENTS[form].replace("%-d", str(shown.day)))


def pixels(width: object, height: object) -> str:
    """``56, 72`` as "56 × 72 px"."""
    if finite(width) is None or finite(height) is None:
        return NOT_AVAILABLE
    return f"{decimal(width).replace(',', '')} {TIMES} {decimal(height).replace(',', '')}{GAP}px"
