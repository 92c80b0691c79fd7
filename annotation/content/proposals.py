"""Drafts of models for the fields of a sample: their readers, and the decisions on them.

Drafts are made from the image alone, also those of gold checks, which get them by the same query as samples to do. So a
check looks like any sample: with a draft in the same share of cases, and without one in the control arm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.content.proposals_on_image import on_image
from annotation.content.revisions import content_of
from annotation.drafting import (
    Arm,
    Decision,
    Field,
    adopts,
    arm_of,
    likeness,
    new_seed,
    planted_error,
)
from annotation.models import (
    Annotation,
    Benchmark,
    Drafting,
    GoldCheck,
    Proposal,
    ProposalUse,
    Revision,
    Sample,
)
from annotation.models.querysets.samples import SampleQuerySet
from annotation.schema import SampleContent
from annotation.workflow import SampleState
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

MOST_SECONDS = 6 * 3600
ORDER = {one.value: place for place, one in enumerate(Field)}


@dataclass(frozen=True, slots=True)
class Offer:
    """The drafts of a sample, and the arm of the person. In the control arm ``proposals`` must not be shown."""

    arm: Arm
    proposals: Sequence[Proposal]

    @property
    def shown(self) -> Sequence[Proposal]:
        return self.proposals if self.arm is Arm.SHOWN else ()


@dataclass(frozen=True, slots=True)
class OfferReport:
    """The report of a person's page about the drafts: decisions by field, the number of seconds they were visible, and
    decisions on shapes from clicks, by their number.
    """

    decisions: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    clicks: Mapping[int, str] = field(default_factory=dict)


NOTHING = OfferReport()


def decisions_of(data: object) -> dict[str, str]:
    """Decisions by field as pages send them. Raises ``InvalidInput``."""
    fields, decisions = list(Field), list(Decision)
    if not isinstance(data, dict) or any(key not in fields or value not in decisions for key, value in data.items()):
        wanted = gettext("decisions must be an object from a field to one of: %(decisions)s.")
        raise InvalidInput(wanted % {"decisions": ", ".join(decisions)}, field="decisions")
    return dict(data)


def offer_to(user: User, sample: Sample, begun: datetime | None) -> Offer | None:
    """Return the drafts for this person's work on a sample; None without any. One query, none where no model drafts.

    A draft that arrived after the person began is excluded, because they had no chance to see it. ``begun`` None: not
    yet.
    """
    if not sample.benchmark.has_drafting:
        return None
    found = Proposal.objects.filter(sample=sample, drafting__shows=True).select_related("drafting")
    if begun is not None:
        found = found.filter(created_at__lte=begun)
    proposals = on_image(sample, sorted(found, key=lambda one: ORDER[one.field]))
    if not proposals:
        return None
    drafting = proposals[0].drafting
    return Offer(arm_of(drafting.seed, user.pk, sample.pk, drafting.control_share), proposals)


def proposals_json(offer: Offer | None) -> list[dict[str, Any]]:
    """For the studio's script: nothing in the control arm."""
    shown = offer.shown if offer is not None else ()
    return [{"field": one.field, "content": one.shown, "source": one.source} for one in shown]


def record_uses(annotation: Annotation, offer: Offer | None, content: SampleContent, report: OfferReport) -> None:
    """Note how close a submission is to the drafts, in both arms. A later submission replaces the distance, and keeps
    the seconds of the first. Call inside a transaction."""
    if offer is None:
        return
    known = dict(ProposalUse.objects.filter(annotation=annotation).values_list("proposal", "seconds"))
    rows = [_use(annotation, offer.arm, one, content, report) for one in offer.proposals]
    for row in rows:
        if row.proposal_id in known:
            row.seconds = known[row.proposal_id]
    ProposalUse.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["annotation", "proposal"],
        update_fields=["arm", "decision", "distance"],
    )  # fmt: skip


def _use(
    annotation: Annotation, arm: Arm, proposal: Proposal, content: SampleContent, report: OfferReport
) -> ProposalUse:
    alike = likeness(Field(proposal.field), proposal.shown, content)
    decision = report.decisions.get(proposal.field, Decision.LEFT.value)
    if decision == Decision.LEFT and alike == 1.0:
        # The page was loaded again after the draft was accepted.
        decision = Decision.ACCEPTED.value
    return ProposalUse(
        annotation=annotation, proposal=proposal, arm=arm.value, decision=decision if arm is Arm.SHOWN else "",
        distance=None if alike is None else 1 - alike,
        seconds=None if report.seconds is None else min(max(report.seconds, 0.0), MOST_SECONDS),
    )  # fmt: skip


def draftable(benchmark: Benchmark) -> SampleQuerySet:
    """The samples that models can draft: those to do, and the active gold checks, which must look like them."""
    to_do = benchmark.samples.filter(state=SampleState.TO_DO)
    checks = GoldCheck.objects.filter(sample__benchmark=benchmark, active=True).values("sample")
    found: SampleQuerySet = benchmark.samples.filter(Q(pk__in=to_do.values("pk")) | Q(pk__in=checks))
    return found


def keep_proposals(
    drafting: Drafting,
    sample: int,
    drafts: Mapping[str, Any],
    source: str,
    prompt_digest: str,
    planted: float = 0.0,
    sources: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Keep what a model drafted; a field that has a draft keeps it. ``planted``: the share with a planted error.
    ``sources``: of fields with another source."""
    errors = _planted(drafting, sample, drafts, planted) if planted else {}
    rows = [
        Proposal(
            drafting=drafting, sample_id=sample, field=name, content=content, source=sources.get(name, source),
            prompt_digest=prompt_digest, planted_error=errors.get(name),
        )
        for name, content in drafts.items()
    ]  # fmt: skip
    Proposal.objects.bulk_create(rows, ignore_conflicts=True)


def _planted(drafting: Drafting, sample: int, drafts: Mapping[str, Any], share: float) -> dict[str, Any]:
    """The planted errors by field. One that the gold of a check has would be none, so there it is left out."""
    kept = dict(Proposal.objects.filter(sample=sample).values_list("field", "content"))
    known, found = {**drafts, **kept}, Sample.objects.get(pk=sample)
    size = (found.width, found.height) if found.width and found.height else None
    gold = Revision.objects.with_content().filter(gold_of__sample=sample).first()
    errors: dict[str, Any] = {}
    for one in [name for name in Field if name.value in drafts]:
        error = planted_error(one, known, seed=drafting.seed, sample=sample, share=share, size=size)
        if error is not None and not (gold and adopts(one, error, drafts[one.value], content_of(gold))):
            errors[one.value] = error
    return errors


def begin_control_share(benchmark: Benchmark, share: float | None = None) -> Drafting:
    """The display of drafts of a benchmark whose control share is used from now on, and stays. Before the first use,
    ``share`` replaces the one that the lead set; None: it does not. Call inside a transaction."""
    drafting = locked_drafting(benchmark)
    if drafting.fixed_at is None:
        drafting.control_share = drafting.control_share if share is None else share
        drafting.fixed_at = timezone.now()
        drafting.save(update_fields=["control_share", "fixed_at"])
        data = {"share": drafting.control_share, "fixed": True}
        audit.record(None, "benchmark.control_share", benchmark, benchmark.slug, data=data)
    return drafting


def locked_drafting(benchmark: Benchmark) -> Drafting:
    """The display of drafts of a benchmark, with the usual control share and a new seed if it has none yet. Unless its
    share is fixed, no other request changes it before the end of the transaction."""
    drafting, _ = Drafting.objects.get_or_create(benchmark=benchmark, defaults={"seed": new_seed(), "fixed_at": None})
    if drafting.fixed_at is None:
        drafting = Drafting.objects.select_for_update(no_key=True).get(pk=drafting.pk)
    return drafting


def withheld_from(user: User, benchmark: Benchmark, samples: Iterable[int]) -> list[int]:
    """Those of the samples that are in this person's control arm. There is none before its first use."""
    found = Drafting.objects.filter(benchmark=benchmark, fixed_at__isnull=False).first()
    if found is None:
        return []
    return [pk for pk in samples if arm_of(found.seed, user.pk, pk, found.control_share) is Arm.WITHHELD]
