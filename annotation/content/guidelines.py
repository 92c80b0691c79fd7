"""The guidelines of a benchmark as the rest of its work meets them: what must be read, and which samples they show."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.guideline_text import outline
from annotation.models import Benchmark, Guideline
from webapp.accounts.models import User
from webapp.common.errors import Conflict


class GuidelinesUnread(Conflict):
    """The person must read the guidelines first."""

    code = "guidelines_unread"


def require_read(actor: User, benchmark: Benchmark) -> None:
    """Raises ``GuidelinesUnread`` while guidelines that must be read before the next sample are unread."""
    unread = Guideline.objects.to_read_by(actor, benchmark).order_by("-number").first()
    if unread is not None:
        raise GuidelinesUnread(
            gettext("Read the guidelines of %(title)s first: version %(number)s is new.")
            % {"title": benchmark.title, "number": unread.number}
        )


def shown_in_guidelines(benchmark: Benchmark) -> frozenset[str]:
    """The keys of samples whose gold some version of the guidelines shows. They can't be gold checks."""
    bodies = Guideline.objects.filter(benchmark=benchmark).values_list("body", flat=True)
    return frozenset(example.sample for body in bodies for example in outline(body).examples)
