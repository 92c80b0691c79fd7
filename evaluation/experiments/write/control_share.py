"""The control share of a benchmark: a setting of the lead until its first use, which fixes it."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.proposals import begin_control_share, locked_drafting
from annotation.models import Benchmark, Drafting
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

LEAST_SHARE, MOST_SHARE = 0.05, 0.5


@transaction.atomic
def set_control_share(*, actor: User, benchmark: Benchmark, share: float) -> Drafting:
    """Set the control share before its first use. Raises ``InvalidInput``, or ``Conflict`` after it."""
    require(actor, benchmark, Right.MANAGE)
    _check(share)
    drafting = locked_drafting(benchmark)
    if drafting.control_share == share:
        return drafting
    if drafting.fixed_at is not None:
        raise _fixed(drafting)
    drafting.control_share = share
    drafting.save(update_fields=["control_share"])
    data = {"share": share, "fixed": False}
    audit.record(actor, "benchmark.control_share", benchmark, benchmark.slug, data=data)
    return drafting


def drafting_for(benchmark: Benchmark, share: float | None) -> Drafting:
    """The display of drafts, for a use of the control share, which fixes it. ``share``: stated with the use; None: that
    of the setting. Raises ``InvalidInput`` or ``Conflict``. Call inside a transaction."""
    if share is not None:
        _check(share)
    drafting = begin_control_share(benchmark, share)
    if share is not None and drafting.control_share != share:
        raise _fixed(drafting)
    return drafting


def _check(share: float) -> None:
    if not LEAST_SHARE <= share <= MOST_SHARE:
        message = gettext("The control share must be from %(least)s to %(most)s.")
        raise InvalidInput(message % {"least": LEAST_SHARE, "most": MOST_SHARE}, field="control_share")


def _fixed(drafting: Drafting) -> Conflict:
    message = gettext(
        "The control share of this benchmark is %(share)s and stays: a change would move people to the other arm of "
        "samples that they worked on, and bias the comparison."
    )
    return Conflict(message % {"share": f"{drafting.control_share:g}"}, code="control_share", field="control_share")
