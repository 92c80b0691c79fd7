"""Numbers, sizes and times as a person reads them."""

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from webapp.common.templatetags import ui

GAP = "\N{NO-BREAK SPACE}"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "write", [ui.percent, ui.share_percent, ui.signed_pp, ui.number, ui.p_value, ui.file_size, ui.duration]
)
@pytest.mark.parametrize("undefined", [None, float("nan"), float("inf"), "", True])
def test_the_undefined_is_said_and_never_nought(write, undefined):
    assert write(undefined) == "n/a"


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.572, "57.2"), (0, "0.0"), (1, "100.0"), (-0.031, "−3.1"), (-0.0001, "0.0"), ("0.5", "50.0")],
)
def test_a_share_is_written_in_percent(share, expected):
    assert ui.percent(share) == expected


def test_a_share_takes_the_decimals_it_is_given():
    assert ui.percent(0.572, 0) == "57"


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.00047, "0.047%"),
        (0.00627, "0.627%"),
        (0.0214, "2.14%"),
        (0.312, "31.2%"),
        (0, "0%"),
        (0.000001, "< 0.001%"),
    ],
)
def test_a_small_share_keeps_the_decimals_it_needs(share, expected):
    assert ui.share_percent(share) == expected.replace(" ", GAP)


@pytest.mark.parametrize(("difference", "expected"), [(0.028, "+2.8"), (-0.059, "−5.9"), (0.0001, "0.0")])
def test_a_difference_has_a_sign_unless_it_is_nought(difference, expected):
    assert ui.signed_pp(difference) == expected


@pytest.mark.parametrize(("count", "expected"), [(1240, "1,240"), (-1240.6, "−1,241"), (7, "7"), (0, "0")])
def test_thousands_are_parted(count, expected):
    assert ui.number(count) == expected


@pytest.mark.parametrize(
    ("p", "expected"),
    [(0.0004, "< .001"), (0.018, ".018"), (0.11, ".11"), (0.0996, ".10"), (0.42, ".42"), (0.999, "1"), (1, "1")],
)
def test_a_p_value_has_no_leading_nought(p, expected):
    assert ui.p_value(p) == expected.replace(" ", GAP)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (8_400_000, "8.4 MB"), (212_600_000, "213 MB"), (5e15, "5,000 TB")],
)
def test_bytes_have_a_unit(count, expected):
    assert ui.file_size(count) == expected.replace(" ", GAP)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.42, "0.4_s"),
        (20.4, "20_s"),
        (59.7, "1_min"),
        (72, "1_min 12_s"),
        (540, "9_min"),
        (7500, "2_h 5_min"),
        (7200, "2_h"),
        (50_000, "13_h"),
        (90_000, "1_d 1_h"),
        (-3, "0.0_s"),
    ],
)
def test_a_duration_uses_the_units_that_matter(seconds, expected):
    assert ui.duration(seconds) == expected.replace("_", GAP)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(5, "just now"), (720, "12_min ago"), (3600, "1_h ago"), (200_000, "2_d ago"), (20 * 86400, "31 Oct 2026")],
)
def test_a_moment_is_said_in_one_unit(monkeypatch, seconds, expected):
    monkeypatch.setattr(ui.timezone, "now", lambda: NOW)
    assert ui.ago(NOW - timedelta(seconds=seconds)) == expected.replace("_", GAP)


def test_no_moment_is_not_available():
    assert ui.ago(None) == "n/a"


def test_a_size_is_written_with_a_true_times_sign():
    assert ui.px(3840, 2160) == f"3840 × 2160{GAP}px"
    assert ui.px(SimpleNamespace(width=56, height=72)) == f"56 × 72{GAP}px"
    assert ui.px(None, 72) == "n/a"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("minute", "5 Sep 2026, 23:04 UTC"),
        ("second", "5 Sep 2026, 23:04:09 UTC"),
        ("time", "23:04 UTC"),
        ("clock", "23:04:09 UTC"),
        ("day", "5 Sep 2026"),
        ("weekday", "Saturday 5 September"),
    ],
)
def test_a_moment_names_its_zone_and_is_written_as_scripts_write_it(form, expected):
    """D7.18: the same forms as in tests/js/moments.test.js, whatever the zone of the value."""
    at = datetime(2026, 9, 6, 8, 4, 9, tzinfo=timezone(timedelta(hours=9)))
    markup = ui.when(at, form)
    assert f">{expected}</time>" in markup
    assert 'datetime="2026-09-06T08:04:09+09:00"' in markup
    assert f'data-form="{form}"' in markup
    assert ui.utc(at) == "5 Sep 2026, 23:04 UTC"
    assert ui.when(None, form) == "n/a"
