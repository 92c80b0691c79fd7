"""Checks of texts by models: their batches, and what a person may know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from django.db.models import Max

from annotation.building import Stage, Verdict
from annotation.building.audits import BatchState, Checked, Disagreement, disagreement, drawn, proposed_moves
from annotation.building.rules import Finding
from annotation.models import AuditBatch, Benchmark, BuildItem, ItemAudit
from annotation.models.querysets.building import BuildItemQuerySet
from webapp.accounts.models import User

OPEN_BATCHES = (BatchState.ASKING.value, BatchState.DRAWN.value)
SHOWN = 5
"""Batches on the page of the board, the newest."""


@dataclass(frozen=True, slots=True)
class AuditTexts:
    """The texts of both requests, before values are put in, and the SHA-256 of both. ``name``: of the prompts that have
    these texts; "" for the texts that a batch stored."""

    digest: str
    tools: str
    steps: str
    name: str = ""


KnowsTexts = Callable[[Benchmark], Iterable[AuditTexts]]
_known: list[KnowsTexts] = []


def texts_known_by(callback: KnowsTexts) -> KnowsTexts:
    """Register what knows texts by their SHA-256, for batches that stored nothing else; a decorator."""
    _known.append(callback)
    return callback


@dataclass(frozen=True, slots=True)
class BatchFacts:
    """A batch: the items that count in it, those that people check, and those of them that wait for a person.
    ``found``: the disagreement on the draw. ``texts``: None if the batch has only their SHA-256, and no prompt has
    it."""

    batch: AuditBatch
    items: int
    drawn: int
    waiting: tuple[BuildItem, ...]
    found: Disagreement
    texts: AuditTexts | None = None


def findings_of(row: ItemAudit) -> list[Finding]:
    return [Finding(**one) for one in row.findings]


def checked_of(batch: AuditBatch) -> list[Checked]:
    """The items of a batch that count now. One that left QC-I before a person compared it counts no longer."""
    rows = batch.audits.standing().order_by("item").values_list("item", "agrees")
    return [Checked(item, agrees) for item, agrees in rows]


def items_to_audit(benchmark: Benchmark) -> BuildItemQuerySet:
    """The items whose text a model can check: at QC-I, without findings of another model that wait for people."""
    waiting = ItemAudit.objects.waiting().filter(item__benchmark=benchmark).values("item")
    found: BuildItemQuerySet = BuildItem.objects.filter(benchmark=benchmark, stage=Stage.TEXT_CHECK.value)
    return found.exclude(pk__in=waiting).order_by("number")


def batches_of(benchmark: Benchmark) -> list[BatchFacts]:
    """The newest batches. Two queries, and those of ``texts_known_by`` if a batch stored no texts."""
    batches = list(AuditBatch.objects.filter(benchmark=benchmark).order_by("-pk")[:SHOWN])
    rows: dict[int, list[ItemAudit]] = {batch.pk: [] for batch in batches}
    for row in ItemAudit.objects.filter(batch__in=batches).select_related("item").order_by("item__number"):
        rows[row.batch_id].append(row)
    texts = _texts_of(benchmark, batches)
    return [replace(_facts(batch, rows[batch.pk]), texts=texts.get(batch.pk)) for batch in batches]


def _texts_of(benchmark: Benchmark, batches: Sequence[AuditBatch]) -> dict[int, AuditTexts]:
    """The texts by batch: those that it stored, else those of prompts with the same SHA-256."""
    stored = {one.pk: AuditTexts(one.prompt, one.tools_text, one.steps_text) for one in batches if one.tools_text}
    missing = [one for one in batches if one.pk not in stored]
    if not missing:
        return stored
    known = {texts.digest: texts for callback in _known for texts in callback(benchmark)}
    return stored | {one.pk: known[one.prompt] for one in missing if one.prompt in known}


def _facts(batch: AuditBatch, rows: list[ItemAudit]) -> BatchFacts:
    settled = batch.state not in OPEN_BATCHES
    counts = rows if settled else [row for row in rows if row.agrees is not None or _waits(row)]
    if settled:
        due = {row.item_id for row in rows if row.drawn}
    elif batch.state == BatchState.DRAWN:
        due = set(drawn([row.item_id for row in counts], batch.share, batch.seed))
    else:
        due = set()
    mine = [row for row in counts if row.item_id in due]
    waiting = tuple(row.item for row in mine if row.agrees is None and _waits(row))
    found = disagreement(Checked(row.item_id, row.agrees) for row in mine)
    return BatchFacts(batch, len(counts), len(due), waiting, found)


def _waits(row: ItemAudit) -> bool:
    return row.item.stage == Stage.TEXT_CHECK.value and row.item.version == row.version


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a model found of an item that a person has checked. ``moves``: findings that contradict the plan."""

    audit: ItemAudit
    moves: tuple[Finding, ...]


def is_blind(person: User, item: BuildItem) -> bool:
    """Whether this person must not know yet what others found of the text of this item."""
    return BuildItem.objects.filter(pk=item.pk).hidden_from(person).exists()


def proposals_for(person: User, item: BuildItem) -> Proposals | None:
    """The newest findings of a model about the current text; None without any, and for a person who has not
    checked it yet."""
    if item.stage != Stage.TEXT_CHECK.value or is_blind(person, item):
        return None
    moved = item.decisions.filter(stage=Stage.TEXT_CHECK.value, verdict=Verdict.MOVED.value)
    since = max(item.entered_at, moved.aggregate(last=Max("created_at"))["last"] or item.entered_at)
    row = item.audits.filter(created_at__gte=since).select_related("batch").order_by("-pk").first()
    return None if row is None else Proposals(row, tuple(proposed_moves(item.targets, findings_of(row))))
