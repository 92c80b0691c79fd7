"""The reciprocal audit: drawing accepted samples, a second review by another person, and what the lead makes of it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.reasons import reason_label, require_reasons
from annotation.common.rules import stored_rules
from annotation.content.drawn_on import require_shown
from annotation.models import AuditDraw, AuditItem, Benchmark, BlindAnswer, Gold, Sample
from annotation.queue.blind.answers import answered_blind, keep_blind
from annotation.queue.leases import AUDIT, queue_of, release, renew, take
from annotation.queue.pauses import require_not_paused
from annotation.queue.reopen import reopen_samples
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed


def draw_audit(*, actor: User, benchmark: Benchmark, share: float) -> AuditDraw:
    """Draw this share of the accepted samples that no open audit holds, rounded up. Raises ``Conflict`` when there is
    nothing to draw from."""
    require(actor, benchmark, Right.MANAGE)
    if not 0 < share <= 1:
        raise InvalidInput(gettext("The share must be above 0 and at most 1."), field="share")
    with transaction.atomic():
        # One draw at a time, so that no sample is drawn twice and each draw has its number.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        golds = Gold.objects.filter(sample__benchmark=benchmark, sample__state=SampleState.ACCEPTED)
        waiting = AuditItem.objects.of(benchmark).undecided().values("sample")
        fit = list(golds.exclude(sample__in=waiting).select_related("revision").order_by("sample__key"))
        if not fit:
            raise Conflict(
                gettext("%(title)s has no accepted samples without an open audit.") % {"title": benchmark.title},
                field="share",
            )
        number = AuditDraw.objects.filter(benchmark=benchmark).count() + 1
        seed = f"{stored_rules(benchmark).seed} audit {number}"
        drawn = random.Random(seed).sample(fit, math.ceil(share * len(fit) - 1e-9))
        draw = AuditDraw.objects.create(
            benchmark=benchmark, number=number, seed=seed, share=share, drawn_from=len(fit), drawn_by=actor
        )
        AuditItem.objects.bulk_create(
            [
                AuditItem(
                    draw=draw, sample_id=g.sample_id, revision=g.revision, revision_author_id=g.revision.author_id
                )
                for g in drawn
            ]
        )  # fmt: skip
        audit.record(
            actor=actor, action="audit.draw", subject=draw, benchmark=benchmark.slug,
            data={"share": share, "from": len(fit), "n": len(drawn), "seed": seed},
        )  # fmt: skip
    return draw


def next_to_audit(*, actor: User, benchmark: Benchmark) -> AuditItem | None:
    """Reserve and return the next drawn sample for this person; None if there is none for them."""
    require(actor, benchmark, Right.AUDIT)
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(actor)
    if not queues:
        return None
    for item in AuditItem.objects.of(benchmark).for_person(actor).with_content().order_by("pk")[:20]:
        with transaction.atomic():
            if take(actor, item.sample_id, AUDIT, queues[0].lasts):
                return item
    return None


def under_audit(actor: User, sample: Sample) -> AuditItem:
    """Return the open item of this sample. Raises ``Conflict`` if there is none, ``NotAllowed`` for people who made or
    reviewed the gold.
    """
    require(actor, sample.benchmark, Right.AUDIT)
    found = AuditItem.objects.filter(sample=sample).undecided().with_content()
    item = found.for_person(actor).first()
    if item is None and found.exists():
        raise NotAllowed(
            gettext("You annotated or reviewed %(key)s, or another reviewer audits it.") % {"key": sample.key},
            code="own_work",
        )
    if item is None:
        raise Conflict(gettext("%(key)s is not waiting for an audit.") % {"key": sample.key}, code="wrong_state")
    item.sample = sample
    return item


def answer_audit_blind(
    *, actor: User, sample: Sample, answer: str, unsure: bool, seconds: float, condition: str | None = None,
    image: str = "",
) -> BlindAnswer:  # fmt: skip
    """Keep what the auditor answers before seeing the gold, as a reviewer's blind answer is kept."""
    with transaction.atomic():
        item = _sit_down(actor, sample)
        require_shown(sample, image)
        return keep_blind(
            actor, item.revision.annotation, item.revision, sample,
            {"answer": answer, "unsure": unsure, "seconds": seconds, "condition": condition},
        )  # fmt: skip


def decide_audit(
    *, actor: User, sample: Sample, verdict: str, reasons: Sequence[str] = (), comment: str = "", image: str = ""
) -> AuditItem:
    """Say whether the gold holds. Disagreeing takes a reason or words; it changes nothing but proposes to the lead to
    open the sample again. ``image``: the SHA-256 of the image on the page, "" if unknown; raises ``Conflict`` if
    another replaced it."""
    if verdict not in AuditItem.Verdict.values:
        raise InvalidInput(
            gettext("A verdict must be one of %(verdicts)s.") % {"verdicts": ", ".join(AuditItem.Verdict.values)},
            field="verdict",
        )
    require_reasons(sample.benchmark, reasons)
    if verdict == AuditItem.Verdict.DISAGREE and not (reasons or comment):
        raise InvalidInput(gettext("Choose a reason, or write a comment."), field="reasons")
    with transaction.atomic():
        item = _sit_down(actor, sample)
        require_shown(sample, image)
        answered_blind(actor, sample, item.revision)
        about = list(reasons) if verdict == AuditItem.Verdict.DISAGREE else []
        changed = AuditItem.objects.filter(pk=item.pk, verdict="").update(
            verdict=verdict, auditor=actor, reasons=about, comment=comment, decided_at=timezone.now()
        )
        if not changed:
            raise Conflict(
                gettext("Another reviewer has already audited %(key)s.") % {"key": sample.key}, code="wrong_state"
            )
        release(actor, sample.pk, AUDIT)
        audit.record(
            actor=actor, action="audit.decide", subject=item, benchmark=sample.benchmark.slug, after=verdict,
            reason=comment, data={"sample": sample.key, "reasons": about},
        )  # fmt: skip
    item.refresh_from_db()
    return item


def decide_proposal(*, actor: User, item: AuditItem, outcome: str, reason: str = "") -> None:
    """The lead's decision on a disagreement: reopen the sample for its author, or keep its gold."""
    benchmark = item.draw.benchmark
    require(actor, benchmark, Right.MANAGE)
    if outcome not in AuditItem.Outcome.values:
        raise InvalidInput(
            gettext("An outcome must be one of %(outcomes)s.") % {"outcomes": ", ".join(AuditItem.Outcome.values)},
            field="outcome",
        )
    with transaction.atomic():
        changed = (
            AuditItem.objects.filter(pk=item.pk)
            .proposals()
            .update(outcome=outcome, settled_by=actor, settled_at=timezone.now())
        )
        if not changed:
            raise Conflict(gettext("%(key)s is already decided.") % {"key": item.sample.key}, code="wrong_state")
        if outcome == AuditItem.Outcome.REOPENED:
            _reopen(actor, item, reason or _words(item))
        audit.record(
            actor, "audit.settle", item, benchmark.slug, after=outcome, reason=reason, data={"sample": item.sample.key}
        )


def leave_audit(*, actor: User, sample: Sample) -> None:
    """Give the seat back undecided."""
    require(actor, sample.benchmark, Right.AUDIT)
    release(actor, sample.pk, AUDIT)


def _sit_down(actor: User, sample: Sample) -> AuditItem:
    item = under_audit(actor, sample)
    if renew(actor, sample.pk, AUDIT):
        return item
    require_not_paused(actor, sample.benchmark)
    if not take(actor, sample.pk, AUDIT, queue_of(sample.benchmark).lasts):
        raise Conflict(
            gettext("Another reviewer has %(key)s. Take the next sample.") % {"key": sample.key}, code="lease_lost"
        )
    return item


def _reopen(actor: User, item: AuditItem, reason: str) -> None:
    """Raises ``Conflict`` with the reason that prevents it."""
    samples = Sample.objects.filter(pk=item.sample_id)
    receipt = reopen_samples(
        actor=actor, benchmark=item.draw.benchmark, samples=samples, reason=reason, key=f"audit {item.pk}"
    )
    for refused in receipt.answer["refused"]:
        raise Conflict(
            gettext("%(key)s can't be reopened. %(refused)s") % {"key": item.sample.key, "refused": refused[1]},
            code="wrong_state",
        )


def _words(item: AuditItem) -> str:
    said = ", ".join(reason_label(item.draw.benchmark.task, reason) for reason in item.reasons)
    return f"An audit disagreed: {'. '.join(part for part in (said, item.comment) if part)}"
