"""Further reference chains that a file brings: those of a sample become what the file says, in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils import timezone

from annotation.content.benchmark_events import notify_changed
from annotation.content.chains.read import digest_of
from annotation.content.json import calls_to_json
from annotation.models import AcceptedChain, Benchmark
from annotation.schema import FurtherChain
from webapp.accounts.models import User
from webapp.common.bulk import as_json, insert_rows

_FIELDS = ["sample", "calls", "digest", "note", "accepted_by", "created_at"]


def save_chains(actor: User | None, benchmark: Benchmark, wanted: Mapping[int, Sequence[FurtherChain]]) -> set[int]:
    """The samples, by number of row, whose chains were others. Who accepted one that stays is kept. Call inside a
    transaction. A query, and two writes where something differs."""
    there: dict[int, dict[str, AcceptedChain]] = {}
    for row in AcceptedChain.objects.filter(sample__in=list(wanted)).order_by("sample_id", "pk"):
        there.setdefault(row.sample_id, {})[row.digest] = row
    said = {pk: {digest_of(chain.calls): chain for chain in chains} for pk, chains in wanted.items()}
    changed = {
        pk
        for pk, chains in said.items()
        if [(digest, one.note) for digest, one in chains.items()]
        != [(digest, one.note) for digest, one in there.get(pk, {}).items()]
    }
    if not changed:
        return changed
    AcceptedChain.objects.filter(sample__in=changed).delete()
    now, author = timezone.now(), actor.pk if actor else None
    rows = []
    for pk in sorted(changed):
        for digest, chain in said[pk].items():
            old = there.get(pk, {}).get(digest)
            who, when = (old.accepted_by_id, old.created_at) if old else (author, now)
            rows.append((pk, as_json(calls_to_json(chain.calls)), digest, chain.note, who, when))
    insert_rows(AcceptedChain, _FIELDS, rows)
    notify_changed(benchmark)
    return changed
