"""The rewards of the rollout groups of a run, under the metric settings of the benchmark."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.workflow import Right
from evaluation.common.rewards import groups_of, read_rewards
from evaluation.models import Run
from evaluation.rewards.read.groups import (
    group_samples,
    imported_groups,
    imported_rollouts,
    read_groups,
    runs_with_groups,
)
from evaluation.runner.rollouts import Scheme
from evaluation.runner.tokens import FAMILIES
from evaluation.scoring.settings import settings_of

ON_A_PAGE = 20
ROLLOUTS_ON_A_PAGE = 100
FAMILY = "qwen2.5-vl"


@require_safe
def rewards(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/rewards/rewards.html; context: runs, run (None without rollouts), families, scheme, page (of
    samples), groups (RunGroup), rewards (RewardMeans of imported groups). Address: ?run=ID, ?family=, ?page=."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    runs = runs_with_groups(benchmark)
    asked, family = request.GET.get("run", ""), request.GET.get("family", "")
    run = next((one for one in runs if str(one.pk) == asked), runs[0] if runs else None)
    scheme = Scheme(family=family if family in FAMILIES else FAMILY, settings=settings_of(benchmark))
    page = Paginator(group_samples(run), ON_A_PAGE).get_page(request.GET.get("page")) if run else None
    context = {
        **benchmark_context(request, benchmark, "rewards"),
        "runs": runs,
        "run": run,
        "families": list(FAMILIES),
        "scheme": scheme,
        "page": page,
        "groups": read_groups(run, list(page), scheme, request.user) if run and page else [],
        "rewards": read_rewards(benchmark),
    }
    return render(request, "evaluation/rewards/rewards.html", context)


@require_safe
def rollouts(request: HttpRequest, slug: str) -> HttpResponse:
    """Template evaluation/rewards/rollouts.html: imported rollouts with their rewards, or their groups. Address:
    ?run=ID, ?unnamed=yes, ?rewarded=yes, ?show=groups (see ``rollouts_of``), ?page=. Context: run, unnamed, rewarded,
    by_group, page (of rollouts or groups)."""
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    asked = request.GET.get("run", "")
    runs = Run.objects.of(benchmark).select_related("model", "benchmark")
    run = get_object_or_404(runs, pk=int(asked) if asked.isdecimal() else 0) if asked else None
    unnamed, rewarded = (request.GET.get(name) == "yes" for name in ("unnamed", "rewarded"))
    by_group = request.GET.get("show") == "groups"
    groups = groups_of(benchmark, run, unnamed=unnamed)
    rows = imported_groups(groups) if by_group else imported_rollouts(groups, rewarded=rewarded)
    context = {
        **benchmark_context(request, benchmark, "rewards"),
        "run": run,
        "unnamed": unnamed,
        "rewarded": rewarded and not by_group,
        "by_group": by_group,
        "page": Paginator(rows, ROLLOUTS_ON_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "evaluation/rewards/rollouts.html", context)
