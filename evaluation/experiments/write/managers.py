"""Permissions to change what experiments share: leads for their benchmark, site admins for the site."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import NotAllowed


def require_manager(actor: User | None, benchmark: Benchmark | None) -> None:
    """Raise ``NotAllowed`` unless this person manages the benchmark, or the site if it is None."""
    if benchmark is not None:
        require(actor, benchmark, Right.MANAGE)
    elif actor is not None and not actor.is_staff:
        raise NotAllowed(
            gettext("Only site admins can change endpoints and prompts of the site. Add one to your benchmark instead.")
        )
