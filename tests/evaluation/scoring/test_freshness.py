"""A board says when its scores are of another gold than today's."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.changes import content_changed
from annotation.content.samples import save_samples
from annotation.models import Gold
from evaluation.leaderboard.read.board import load_leaderboard
from tests.evaluation.board_data import many_samples

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_scores_are_stale_when_gold_is_accepted_goes_or_comes_but_not_for_the_gold_of_others(lea, board):
    def stale():
        return {row.stale for row in load_leaderboard(board).ranked}

    assert stale() == {False}
    shed = create_benchmark(actor=lea, slug="shed", title="Shed")
    save_samples(actor=lea, benchmark=shed, records=many_samples()[:1])
    assert stale() == {False}
    gold = Gold.objects.filter(sample__benchmark=board).latest("pk")
    changes = (
        (lambda: Gold.objects.filter(pk=gold.pk).delete(), True),
        (lambda: gold.save(force_insert=True), False),
        (lambda: Gold.objects.filter(pk=gold.pk).update(accepted_at=timezone.now()), True),
    )
    for change, expected in changes:
        change()
        content_changed(board.pk)
        assert stale() == {expected}
