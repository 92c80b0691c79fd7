"""What an update from a portable file did to each sample, in the audit log and so in the history of the sample."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.models import Benchmark, Sample
from webapp.accounts.models import User
from webapp.common import audit

ADDED, GOLD, KEPT, DISCUSSED = "sample.update_add", "sample.update_gold", "sample.update_keep", "sample.update_discuss"
"""The sample is new, has the gold of the file, has its revisions but the gold from here, or only has new reviews and
comments."""
AT_ONCE = 1000


def states_of(benchmark: Benchmark, keys: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for at in range(0, len(keys), AT_ONCE):
        some = Sample.objects.filter(benchmark=benchmark, key__in=keys[at : at + AT_ONCE])
        found.update(some.values_list("key", "state"))
    return found


def note_samples(
    actor: User, benchmark: Benchmark, done: Mapping[str, str], before: Mapping[str, str], checksum: str
) -> None:
    """One entry per sample, in the order of their keys. ``done``: the action by key; ``before``: states."""
    keys = sorted(done)
    for at in range(0, len(keys), AT_ONCE):
        samples = {one.key: one for one in Sample.objects.filter(benchmark=benchmark, key__in=keys[at : at + AT_ONCE])}
        audit.record_many(
            audit.entry(
                actor, done[key], samples[key], benchmark.slug, before=before.get(key, ""), after=samples[key].state,
                data={"sample": key, "checksum": checksum},
            )
            for key in keys[at : at + AT_ONCE]
        )  # fmt: skip
