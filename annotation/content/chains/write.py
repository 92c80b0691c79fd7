"""Writing accepted toolchains: adding one, and replacing those of a sample by those of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.utils import timezone
from django.utils.translation import gettext

from annotation.content.benchmark_events import notify_changed
from annotation.content.chains.read import digest_of
from annotation.content.json import calls_to_json
from annotation.models import AcceptedChain, Benchmark, Sample
from annotation.schema import MOST_CHAINS, FurtherChain, ToolCall
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import as_json, insert_rows
from webapp.common.errors import InvalidInput

_FIELDS = ["sample", "calls", "digest", "note", "accepted_by", "created_at"]


def add_chain(
    *, actor: User | None, sample: Sample, calls: Sequence[ToolCall], note: str, accepted_by: User | None
) -> AcceptedChain:
    """A further reference toolchain of the sample; the same one twice is kept once. Call inside a transaction. Raises
    ``InvalidInput`` for the twenty-first."""
    if AcceptedChain.objects.filter(sample=sample).count() >= MOST_CHAINS:
        raise InvalidInput(
            gettext("%(key)s already has %(limit)s accepted toolchains. Remove one first.")
            % {"key": sample.key, "limit": MOST_CHAINS}
        )
    chain, is_new = AcceptedChain.objects.get_or_create(
        sample=sample, digest=digest_of(calls),
        defaults={"calls": calls_to_json(calls), "note": note, "accepted_by": accepted_by},
    )  # fmt: skip
    if is_new:
        audit.record(
            actor=actor, action="chain.accept", subject=chain, benchmark=sample.benchmark.slug,
            after="accepted", reason=note, data={"sample": sample.key, "chain": chain.digest},
        )  # fmt: skip
        notify_changed(sample.benchmark)
    return chain


def chains_differ(stored: Iterable[AcceptedChain], chains: Iterable[FurtherChain]) -> bool:
    """Whether the stored toolchains of a sample have other calls, notes or another order. ``stored``: by primary
    key."""
    notes = {digest_of(chain.calls): chain.note for chain in chains}
    return [(row.digest, row.note) for row in stored] != [*notes.items()]


def save_chains(actor: User | None, benchmark: Benchmark, wanted: Mapping[int, Sequence[FurtherChain]]) -> set[int]:
    """Replace the accepted toolchains of these samples. Return the ids of the samples that changed.

    Toolchains that stay keep the person who accepted them. Call inside a transaction. One query, and two writes if
    something differs."""
    there: dict[int, dict[str, AcceptedChain]] = {}
    for row in AcceptedChain.objects.filter(sample__in=list(wanted)).order_by("sample_id", "pk"):
        there.setdefault(row.sample_id, {})[row.digest] = row
    said = {pk: {digest_of(chain.calls): chain for chain in chains} for pk, chains in wanted.items()}
    changed = {pk for pk, chains in wanted.items() if chains_differ(there.get(pk, {}).values(), chains)}
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
