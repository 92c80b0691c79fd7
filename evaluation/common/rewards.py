"""The rewards of a benchmark's rollout groups: means for pages, rows for exports and the API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Avg, Count, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext

from annotation.models import Benchmark
from evaluation.common.links import Count as Links
from evaluation.models import Rollout, RolloutGroup, Run

REWARD_COLUMNS = (
    "benchmark", "group", "rollout", "image_tokens", "acc", "format", "sufficient", "alpha", "grim_zero",
    "reward_sufficiency", "reward_minimality", "reward_final",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RewardMeans:
    """Means over the rollouts of some groups; None if none has rewards yet. ``rewarded``: how many have."""

    label: str
    groups: Links
    rollouts: Links
    rewarded: Links
    sufficiency: float | None
    minimality: float | None
    final: float | None


def rollouts_of(slug: str, run: int | None = None, **terms: str) -> str:
    """The address that lists imported rollouts: of a run those of groups that name its model (and its setting, if they
    name one). ``terms``: ``unnamed``, of groups that name no model; ``rewarded``, with rewards; ``show=groups``, the
    groups themselves."""
    asked = {**({} if run is None else {"run": str(run)}), **terms}
    address = reverse("evaluation:reward-rollouts", args=[slug])
    return f"{address}?{urlencode(asked)}" if asked else address


def groups_of(benchmark: Benchmark, run: Run | None = None, *, unnamed: bool = False) -> QuerySet[RolloutGroup]:
    """The imported groups of a benchmark: all, those of a run, or those that name no model."""
    groups = RolloutGroup.objects.filter(benchmark=benchmark)
    if unnamed:
        return groups.filter(extra__model__isnull=True)
    if run is None:
        return groups
    named = Q(extra__setting=run.setting) | Q(extra__setting__isnull=True)
    return groups.filter(named, extra__model=run.model.name)


def read_rewards(benchmark: Benchmark, run: Run | None = None) -> list[RewardMeans]:
    """Return the mean rewards of all groups. On the page of a run: of its groups, and of groups that name no model. One
    query without groups, one more for each line."""
    if not groups_of(benchmark).exists():
        return []
    if run is None:
        return [_means(benchmark, gettext("All groups"), groups_of(benchmark), None, {})]
    lines = [
        _means(benchmark, gettext("Groups of this run"), groups_of(benchmark, run), run.pk, {}),
        _means(
            benchmark,
            gettext("Groups that name no model"),
            groups_of(benchmark, unnamed=True),
            None,
            {"unnamed": "yes"},
        ),
    ]
    return [line for line in lines if line.groups.n]


def _means(
    benchmark: Benchmark, label: str, of: QuerySet[RolloutGroup], run: int | None, terms: dict[str, str]
) -> RewardMeans:
    found = Rollout.objects.filter(group__in=of).aggregate(
        groups=Count("group", distinct=True), rollouts=Count("pk"), rewarded=Count("reward_final"),
        sufficiency=Avg("reward_sufficiency"), minimality=Avg("reward_minimality"), final=Avg("reward_final"),
    )  # fmt: skip
    lists = {"groups": {"show": "groups"}, "rollouts": {}, "rewarded": {"rewarded": "yes"}}
    groups, rollouts, rewarded = (
        Links(found[name], rollouts_of(benchmark.slug, run, **terms, **more)) for name, more in lists.items()
    )
    means = (found[name] for name in ("sufficiency", "minimality", "final"))
    return RewardMeans(label, groups, rollouts, rewarded, *means)


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
