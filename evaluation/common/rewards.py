"""The rewards of a benchmark's rollout groups: means for pages, rows for exports and the API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, Q, QuerySet
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.models import Rollout, RolloutGroup, Run

REWARD_COLUMNS = (
    "benchmark", "group", "rollout", "image_tokens", "acc", "format", "sufficient", "alpha", "grim_zero",
    "reward_sufficiency", "reward_minimality", "reward_final",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RewardMeans:
    """Means over the rollouts of some groups; None if none has rewards yet. ``rewarded``: how many have."""

    label: str
    groups: int
    rollouts: int
    rewarded: int
    sufficiency: float | None
    minimality: float | None
    final: float | None


def read_rewards(benchmark: Benchmark, run: Run | None = None) -> list[RewardMeans]:
    """Return the mean rewards of all groups. On the page of a run: of groups that name its model (and its setting, if
    they name one), and of groups that name no model. One query without groups, one more for each line."""
    groups = RolloutGroup.objects.filter(benchmark=benchmark)
    if not groups.exists():
        return []
    if run is None:
        lines = [(gettext("All groups"), groups)]
    else:
        named = Q(extra__setting=run.setting) | Q(extra__setting__isnull=True)
        lines = [
            (gettext("Groups of this run"), groups.filter(named, extra__model=run.model.name)),
            (gettext("Groups that name no model"), groups.filter(extra__model__isnull=True)),
        ]
    return [found for label, of in lines if (found := _means(label, of)).groups]


def _means(label: str, groups: QuerySet[RolloutGroup]) -> RewardMeans:
    found = Rollout.objects.filter(group__in=groups).aggregate(
        groups=Count("group", distinct=True), rollouts=Count("pk"), rewarded=Count("reward_final"),
        sufficiency=Avg("reward_sufficiency"), minimality=Avg("reward_minimality"), final=Avg("reward_final"),
    )  # fmt: skip
    return RewardMeans(label, **found)


def reward_rows(benchmark: Benchmark) -> Iterator[dict[str, Any]]:
    """Yield one row per rollout, ordered by group and place in it. ``alpha`` and ``grim_zero`` are those used for the
    reward.
    """
    rows = Rollout.objects.filter(group__benchmark=benchmark).order_by("group__group_id", "position")
    fields = ("image_tokens", "acc", "format", "sufficient", "reward_sufficiency", "reward_minimality", "reward_final")
    own = ("group__group_id", "position", "group__alpha", "group__reward_settings")
    for group, position, alpha, used, *values in rows.values_list(*own, *fields).iterator(chunk_size=2000):
        named = dict(zip(fields, values, strict=True))
        row = {"benchmark": benchmark.slug, "group": group, "rollout": position} | named | used_by(alpha, used)
        yield {name: row[name] for name in REWARD_COLUMNS}


def used_by(alpha: float | None, settings: dict[str, Any] | None) -> dict[str, Any]:
    """The settings that a group's rewards were computed with: its own alpha before that of the benchmark."""
    used = settings or {}
    return {"alpha": used.get("alpha") if alpha is None else alpha, "grim_zero": used.get("grim_zero")}
