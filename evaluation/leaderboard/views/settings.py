"""The metric settings of a benchmark: one table of settings, and rescoring after a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BoundField
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from annotation.common.loading import load_benchmark
from annotation.common.sections import settings_context
from annotation.workflow import Right
from evaluation.glossary import setting_slug
from evaluation.leaderboard.forms import MetricSettingsForm
from evaluation.leaderboard.read.runs import list_runs
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.settings_help import SETTINGS_HELP
from evaluation.scoring.queue import queue_scoring
from evaluation.scoring.settings import change_settings, settings_of
from webapp.accounts.http import SignedInRequest

DEFAULTS = MetricSettings().as_dict()


@dataclass(frozen=True)
class Row:
    """One setting: its control, what it changes, its default, and whether the stored value is another one."""

    name: str
    part: str
    sentence: str
    field: BoundField
    default: Any
    changed: bool

    @property
    def term(self) -> str:
        """Its entry of the glossary."""
        return setting_slug(self.name)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def metric_settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template evaluation/leaderboard/settings/settings.html; context: rows (Row), changed_n, runs_n, stale_n (runs
    whose scores are missing or of other settings), form. Posted: every setting, or ``defaults`` to take all changes
    back."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    stored = settings_of(benchmark)
    form = MetricSettingsForm(request.POST or None, initial=stored.as_dict())
    defaults = "defaults" in request.POST
    if request.method == "POST" and (defaults or form.is_valid()):
        values = DEFAULTS if defaults else form.cleaned_data
        after = change_settings(actor=request.user, benchmark=benchmark, values=values)
        changed = sum(after.as_dict()[name] != value for name, value in stored.as_dict().items())
        runs = benchmark.runs.count() if changed else 0
        if runs:
            queue_scoring(actor=request.user, benchmark=benchmark)
        messages.success(request, _said(changed, runs))
        return redirect("evaluation:metric-settings", slug)
    rows = list_runs(benchmark)
    differing = stored.changed()
    context = {
        **settings_context(request, benchmark, "metrics"),
        "form": form,
        "rows": [
            Row(name, gettext(effect.part), gettext(effect.sentence), form[name], DEFAULTS[name], name in differing)
            for name, effect in SETTINGS_HELP.items()
        ],
        "changed_n": len(differing),
        "runs_n": len(rows),
        "stale_n": sum(row.stale or row.scoring is None for row in rows),
    }
    return render(request, "evaluation/leaderboard/settings/settings.html", context, status=400 if form.errors else 200)


def _said(changed: int, runs: int) -> str:
    if not changed:
        return gettext("No changes to save.")
    said = ngettext("%(count)s setting changed.", "%(count)s settings changed.", changed) % {"count": changed}
    if not runs:
        return said
    rescored = ngettext("%(count)s run is being rescored.", "%(count)s runs are being rescored.", runs)
    return f"{said} {rescored % {'count': runs}}"
