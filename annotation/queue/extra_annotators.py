"""Disagreement of annotators on samples: its degree, the next annotator, and an extra annotator if it is too large."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import change_rules, rules_of
from annotation.content.drawn_on import shown_on_image
from annotation.models import Benchmark, QualityRules, Revision, Sample
from annotation.work_rules import disagreement
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


def set_extra_annotators(
    *, actor: User, benchmark: Benchmark, extra_below: float | None, extra_most: int
) -> QualityRules:
    """Ask one more person where those asked agree less than ``extra_below`` (0..1; None: never), ``extra_most`` times
    at most. It holds for what is submitted from now on."""
    require(actor, benchmark, Right.MANAGE)
    if extra_below is not None and not 0 < extra_below <= 1:
        raise InvalidInput(gettext("The agreement must be above 0 and at most 1."), field="extra_below")
    if not 1 <= extra_most <= 10:
        raise InvalidInput(gettext("The number of extra annotators must be from 1 to 10."), field="extra_most")
    values: dict[str, Any] = {"extra_below": extra_below, "extra_most": extra_most}
    with transaction.atomic():
        rules = change_rules(benchmark, values)
        audit.record(actor=actor, action="quality.extra", subject=benchmark, benchmark=benchmark.slug, data=values)
    return rules


def request_if_needed(sample: Sample, overlap: int) -> None:
    """Compute the disagreement of the newest submissions on the sample again, and open another place if the lead's
    rules require it. Nothing happens with an overlap of one. Call with the sample locked.
    """
    if overlap < 2:
        return
    newest = list(Revision.objects.newest_waiting(sample).with_content())
    value = disagreement([one.content for one in shown_on_image(sample, newest)])
    sample.disagreement = value
    Sample.objects.filter(pk=sample.pk).update(disagreement=value)
    if value is None or len(newest) < overlap + sample.extra_places:
        return
    rules = rules_of(sample.benchmark)
    if rules.extra_below is None or 1 - value >= rules.extra_below or sample.extra_places >= rules.extra_most:
        return
    sample.extra_places += 1
    Sample.objects.filter(pk=sample.pk).update(extra_places=sample.extra_places)
    audit.record(
        actor=None, action="sample.extra_annotator", subject=sample, benchmark=sample.benchmark.slug,
        after=str(overlap + sample.extra_places), data={"agreement": 1 - value, "below": rules.extra_below},
    )  # fmt: skip
