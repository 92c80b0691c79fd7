"""Setting the facet ``needs_evidence`` from answers under conditions."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.facet_batches import make_batch, values_of
from annotation.evidence import FACET, MOST_LEAST
from annotation.models import Benchmark, FacetBatch
from annotation.workflow import Right
from evaluation.evidence.read.necessity import necessity_of
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput


def set_facet(*, actor: User, benchmark: Benchmark, least: int, expected: int | None = None) -> FacetBatch:
    """Set the facet of all samples whose result is defined. ``least``: decided answers that a condition needs;
    ``expected``: the number of changes that the person saw. Raises ``InvalidInput``, and ``Conflict`` with the code
    ``changed`` if there are others by now, and ``nothing`` if there is nothing to change."""
    require(actor, benchmark, Right.MANAGE)
    check_least(least)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).only("pk").get(pk=benchmark.pk)
        changes = necessity_of(benchmark, least).changes
        if expected is not None and expected != len(changes):
            message = gettext("%(n)s samples would change by now. Reload the page and set the facet again.")
            raise Conflict(message % {"n": len(changes)}, code="changed")
        if not changes:
            raise Conflict(gettext("No sample would change: each defined result is set already."), code="nothing")
        now = values_of(FACET, (one.sample for one in changes))
        made = {one.sample: (now.get(one.sample, ()), (one.after,)) for one in changes}
        return make_batch(actor=actor, benchmark=benchmark, name=FACET, changes=made, least=least)


def check_least(least: int) -> None:
    if not 1 <= least <= MOST_LEAST:
        message = gettext("Choose from 1 to %(most)s answers per condition.") % {"most": MOST_LEAST}
        raise InvalidInput(message, field="least")
