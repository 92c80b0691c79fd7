"""Rewards of rollout groups, stored with their rollouts: computed on import and again with each scoring."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from annotation.models import Benchmark
from evaluation.metrics.rewards import Reward, rewards
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Rollout, RolloutGroup
from evaluation.schema import Rollout as RolloutRecord
from evaluation.schema import RolloutGroup as RolloutGroupRecord

SETTINGS = ("alpha", "grim_zero")
"""The metric settings that rewards depend on."""
BATCH = 500
_FIELDS = ("reward_sufficiency", "reward_minimality", "reward_final")


def keep_rewards(benchmark: Benchmark, settings: MetricSettings, groups: Collection[int] | None = None) -> int:
    """Compute the missing rewards under these settings, of all groups or of these. Return the number of groups."""
    used = {name: getattr(settings, name) for name in SETTINGS}
    found = RolloutGroup.objects.filter(benchmark=benchmark).exclude(reward_settings=used)
    if groups is not None:
        found = found.filter(pk__in=groups)
    pks = list(found.order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(pks), BATCH):
        batch = RolloutGroup.objects.filter(pk__in=pks[first : first + BATCH]).prefetch_related("rollouts")
        with transaction.atomic():
            rows = [row for group in batch for row in _rewarded(group, settings)]
            Rollout.objects.bulk_update(rows, _FIELDS, batch_size=BATCH)
            batch.update(reward_settings=used)
    return len(pks)


def _rewarded(group: RolloutGroup, settings: MetricSettings) -> list[Rollout]:
    rows = list(group.rollouts.all())
    records = tuple(RolloutRecord(row.image_tokens, row.acc, row.format, row.sufficient) for row in rows)
    found: tuple[Reward | None, ...]
    try:
        found = rewards(RolloutGroupRecord(group.group_id, records, group.alpha), settings)
    except ValueError:
        found = (None,) * len(rows)  # negative image tokens, which imports refuse: undefined, never 0
    for row, reward in zip(rows, found, strict=True):
        row.reward_sufficiency = reward.sufficiency if reward else None
        row.reward_minimality = reward.minimality if reward else None
        row.reward_final = reward.final if reward else None
    return rows
