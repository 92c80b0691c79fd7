"""What keeps an account from being closed: benchmarks that no other person could lead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from django.utils.translation import gettext

from webapp.accounts.models import User
from webapp.common.errors import Conflict

LedAlone = Callable[[User, Collection[User]], Sequence[str]]
_led_alone: list[LedAlone] = []


def led_alone_by(callback: LedAlone) -> LedAlone:
    """Decorator: register a function that returns the titles of what this person leads, and no other person but those
    who leave at the same time. It locks the rows.
    """
    _led_alone.append(callback)
    return callback


def refuse_last_lead(user: User, beside: Collection[User] = ()) -> None:
    """Raises ``Conflict``, naming the benchmarks, for the only lead who can sign in. ``beside``: accounts that are
    closed together with this one.
    """
    titles = [title for callback in _led_alone for title in callback(user, beside)]
    if titles:
        raise Conflict(
            gettext("%(user)s is the only lead of %(title)s. Make another member a lead first.")
            % {"user": user, "title": ", ".join(titles)},
            field="is_active",
        )
