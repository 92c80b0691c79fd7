"""The content of the quality pages as rows for exports; for the lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.content.people import verified_addresses
from annotation.models import Benchmark
from annotation.quality.read.agreement import Audience
from annotation.quality.read.audits import audit_rows
from annotation.quality.read.checks import check_rows
from webapp.common.errors import NotAllowed

Row = Mapping[str, Any]
CHECKS = ("sample", "person", "handed_in_at", "same_question", "same_answer", "iou", "covered", "passed", "by_hand",
          "verified")  # fmt: skip
AUDITS = (
    "audit", "seed", "sample", "auditor", "verdict", "reasons", "comment", "decided_at", "outcome", "overtaken",
    "verified",
)  # fmt: skip


def check_export(benchmark: Benchmark, _: Any, audience: Audience) -> Iterator[Row]:
    """Every answer to a gold check, the newest first."""
    _require_lead(audience)
    rows = check_rows(benchmark)
    verified = verified_addresses(benchmark, {row.answer.user_id for row in rows})
    for row in rows:
        answer = row.answer
        yield {
            "sample": row.key,
            "person": row.name,
            "handed_in_at": answer.handed_in_at.isoformat() if answer.handed_in_at else None,
            **answer.as_data(),
            "by_hand": answer.decided_by_id is not None,
            "verified": verified[answer.user_id],
        }


def audit_export(benchmark: Benchmark, _: Any, audience: Audience) -> Iterator[Row]:
    """Every drawn sample, the newest draw first."""
    _require_lead(audience)
    rows = audit_rows(benchmark)
    verified = verified_addresses(benchmark, {row.item.auditor_id for row in rows if row.item.auditor_id})
    for row in rows:
        item = row.item
        yield {
            "audit": item.draw.number,
            "seed": item.draw.seed,
            "sample": row.key,
            "auditor": str(item.auditor) if item.auditor else None,
            "verdict": item.verdict or None,
            "reasons": list(item.reasons),
            "comment": item.comment,
            "decided_at": item.decided_at.isoformat() if item.decided_at else None,
            "outcome": item.outcome or None,
            "overtaken": row.overtaken and not item.verdict,
            "verified": verified.get(item.auditor_id or 0),
        }


def _require_lead(audience: Audience) -> None:
    if audience is not Audience.EVERYONE:
        raise NotAllowed(gettext("Only the lead can see results of gold checks and audits."))
