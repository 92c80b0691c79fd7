"""Rows of a leaderboard are kept by all that they show: a kept row reads as one that is made anew."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.content.changes import content_changed
from annotation.models import Gold
from evaluation.leaderboard.present.table import ROWS
from evaluation.models import Comparison, Metric, Model, Run, Standing
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.endurance
def test_a_kept_row_shows_what_has_changed_since(lea, board):
    client = signed_in(lea)
    last = Run.objects.order_by("pk").last().pk
    addresses = (
        "",
        f"?sort=accuracy&intervals=yes&reference={last}&groups=cost",
        "?by=category&slice=Chart",
    )

    def boards() -> list[list[str]]:
        found = []
        for address in addresses:
            context = client.get(f"/benchmarks/kitchen/leaderboard/{address}").context
            found.append([row.markup for row in (*context["ranked"], *context["baselines"])])
        return found

    before = boards()
    assert boards() == before
    for change in (
        lambda: Model.objects.filter(name="Model A").update(name="Model <A>"),
        lambda: Run.objects.filter(model__name="Model D").update(setting="other"),
        lambda: Metric.objects.filter(metric="accuracy").update(ci_low=0.001),
        lambda: Metric.objects.filter(metric="tool_call_rate").update(detail={"trajectories": 3, "failed": 1}),
        lambda: Standing.objects.update(low=1, p_best=0.123),
        lambda: Comparison.objects.update(a_only=77),
        lambda: Gold.objects.update(accepted_at=timezone.now()) and content_changed(board.pk),
        lambda: score_benchmark(actor=lea, benchmark=board),
        lambda: change_settings(actor=lea, benchmark=board, values={"ioa_threshold": 0.9}),
        lambda: score_benchmark(actor=lea, benchmark=board),
    ):
        change()
        kept = boards()
        ROWS.clear()
        assert kept == boards()
        assert kept != before
        before = kept
