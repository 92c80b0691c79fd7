"""QC-I: the check of a text by a person, and by a model whose findings people confirm on a share of its items.

What a model found is a proposal. It counts once people, who do not know it, found the same of every item of the draw.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.board.read.audits import OPEN_BATCHES, AuditTexts, checked_of, findings_of
from annotation.board.read.items import distractors_of, missing_mentions
from annotation.board.write.decisions import decide, locked
from annotation.building import Stage, Verdict
from annotation.building.audits import LEAST_SHARE, BatchState, drawn, same_findings, state_after
from annotation.building.rules import Finding, finding_problems
from annotation.common.access import require
from annotation.models import AuditBatch, Benchmark, BuildItem, ItemAudit
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


def check_text(
    *, actor: User, item: BuildItem, version: int, findings: Sequence[Finding], valid_sequence: bool, note: str = ""
) -> BuildItem:
    """QC-I: what a person found of each candidate without knowing which ones are targets. Faults stop the item. If
    there are none, QC-II follows at once: a candidate that the description does not name literally stops the item.

    If a model checked this version, the finding confirms or refutes it, which can decide its batch."""
    with transaction.atomic():
        # Batches are locked before items: the end of a batch locks its other items.
        list(
            AuditBatch.objects.select_for_update(no_key=True).filter(pk__in=item.audits.values("batch")).order_by("pk")
        )
        stored = locked(actor, item, version, Stage.TEXT_CHECK)
        if {one.tool for one in findings} != set(stored.candidates):
            raise InvalidInput(gettext("Decide about every tool."), field="findings")
        _check(stored, actor, findings, valid_sequence, note)
        _compare(actor, stored, version, findings, valid_sequence)
    return stored


def open_batch(*, actor: User, benchmark: Benchmark, model: str, texts: AuditTexts, share: float) -> AuditBatch:
    """A batch of a model that is about to be asked. Raises ``InvalidInput``."""
    require(actor, benchmark, Right.MANAGE)
    if not LEAST_SHARE <= share <= 1:
        message = gettext("People check at least %(least)s of the items, at most 1.")
        raise InvalidInput(message % {"least": LEAST_SHARE}, field="share")
    with transaction.atomic():
        batch = AuditBatch.objects.create(
            benchmark=benchmark, model=model, prompt=texts.digest, tools_text=texts.tools, steps_text=texts.steps,
            seed=secrets.token_hex(8), share=share, created_by=actor,
        )  # fmt: skip
        data = {"model": model, "share": share, "seed": batch.seed, "prompt": batch.prompt}
        audit.record(actor, "build.audit", batch, benchmark.slug, data=data)
    return batch


def keep_audit(
    batch: AuditBatch, item: int, version: int, findings: Sequence[Finding], valid_sequence: bool, note: str
) -> None:
    """Keep what a model found of an item in this version. People see it after they checked the item."""
    found = [asdict(one) for one in findings]
    ItemAudit.objects.get_or_create(
        batch=batch, item_id=item,
        defaults={"version": version, "findings": found, "valid_sequence": valid_sequence, "note": note},
    )  # fmt: skip


def close_batch(batch_id: int) -> None:
    """The model is done: from now on people check the draw."""
    with transaction.atomic():
        batch = (
            AuditBatch.objects.select_for_update(of=("self",), no_key=True).select_related("benchmark").get(pk=batch_id)
        )
        if batch.state == BatchState.ASKING:
            batch.state = BatchState.DRAWN.value
            batch.save(update_fields=["state"])
            _close_if_decided(None, batch)


def _check(
    stored: BuildItem, actor: User | None, findings: Sequence[Finding], valid_sequence: bool, note: str,
    *, model: str = "", **about: Any,
) -> None:  # fmt: skip
    """Decide about the text as these findings say. ``about``: what the decision keeps besides."""
    others = [one.tool for one in distractors_of(stored)]
    faults = [one.text for one in finding_problems(stored.targets, others, findings, valid_sequence)]
    details = {"findings": [asdict(one) for one in findings], "valid_sequence": valid_sequence, "faults": faults}
    details |= about
    if faults:
        decide(stored, actor, Verdict.STOPPED, Stage.TEXT_CHECK, note=note, details=details, model=model)
        return
    decide(stored, actor, Verdict.PASSED, Stage.MENTION_CHECK, note=note, details=details, model=model)
    missing = missing_mentions(stored)
    verdict, after = (Verdict.STOPPED, Stage.MENTION_CHECK) if missing else (Verdict.PASSED, Stage.IMAGE)
    decide(stored, None, verdict, after, details={"missing": missing})


def _compare(actor: User, item: BuildItem, version: int, findings: Sequence[Finding], valid_sequence: bool) -> None:
    """Note whether a person agrees with the models that read the same version."""
    rows = ItemAudit.objects.filter(item=item, version=version, agrees=None)
    for row in rows.select_related("batch__benchmark").order_by("pk"):
        row.agrees = same_findings(findings, valid_sequence, findings_of(row), row.valid_sequence)
        row.save(update_fields=["agrees"])
        if row.batch.state in OPEN_BATCHES:
            _close_if_decided(actor, row.batch)


def _close_if_decided(actor: User | None, batch: AuditBatch) -> None:
    """Move a locked batch on if people have found enough: its findings count for the rest, or people check the rest."""
    if batch.state != BatchState.DRAWN:
        return
    checked = checked_of(batch)
    after = state_after(checked, batch.share, batch.seed)
    if after is BatchState.DRAWN:
        return
    due = drawn([one.item for one in checked], batch.share, batch.seed)
    batch.audits.filter(item__in=due).update(drawn=True)
    batch.state, batch.settled_at = after.value, timezone.now()
    batch.save(update_fields=["state", "settled_at"])
    counted = _count_for_rest(batch, len(due)) if after is BatchState.PASSED else 0
    data = {"model": batch.model, "drawn": len(due), "counted": counted}
    audit.record(
        actor, "build.audit_settled", batch, batch.benchmark.slug, before=BatchState.DRAWN.value, after=after.value,
        data=data,
    )  # fmt: skip


def _count_for_rest(batch: AuditBatch, due: int) -> int:
    """Decide about every item of the batch that waits as the model found; return their number."""
    rows = batch.audits.filter(agrees=None).order_by("item").values_list("item", "pk")
    waiting = dict(rows)
    items = (
        BuildItem.objects.select_for_update(no_key=True)
        .filter(pk__in=waiting, stage=Stage.TEXT_CHECK.value)
        .order_by("pk")
    )
    audits = ItemAudit.objects.in_bulk(waiting.values())
    counted = 0
    for item in items:
        row = audits[waiting[item.pk]]
        if item.version == row.version:
            item.benchmark = batch.benchmark
            confirmed = {"batch": batch.pk, "confirmed": due}
            _check(item, None, findings_of(row), row.valid_sequence, row.note, model=batch.model, **confirmed)
            counted += 1
    return counted
