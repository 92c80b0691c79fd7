"""Markup out of small pieces: text of people stays text, whatever it holds."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from webapp.common.markup import fast_format_html, fast_format_html_join

TEXTS = st.text(alphabet="ab<>&\"'{} é−", max_size=8)
VALUES = TEXTS | TEXTS.map(SafeString) | st.integers() | st.floats() | st.none()


@given(VALUES, VALUES)
def test_values_are_put_as_django_puts_them(first, second):
    form = '<a href="{}" title="">{}</a>'
    assert fast_format_html(form, first, second) == format_html(form, first, second)
    assert isinstance(fast_format_html(form, first, second), SafeString)


@given(st.lists(st.tuples(VALUES, VALUES), max_size=4))
def test_each_row_is_put_once_and_in_its_order(rows):
    assert fast_format_html_join(" ", "<i>{}</i>{}", rows) == " ".join(
        fast_format_html("<i>{}</i>{}", *row) for row in rows
    )


class Bold(str):
    """Text that claims nothing about being markup."""


def test_only_markup_is_left_as_it_is():
    assert fast_format_html("{}", Bold("<b>")) == "&lt;b&gt;"
    assert fast_format_html("{}", True) == "True"
