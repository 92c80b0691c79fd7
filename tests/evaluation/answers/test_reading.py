"""Acceptance of reading answers, through the database: what every file of this kind comes to."""

from __future__ import annotations

import pytest

from evaluation.common.extraction.read import read_extraction
from evaluation.models import Trajectory
from tests.evaluation.answers_data import make_kitchen, said
from tests.evaluation.scores import with_scores
from webapp.accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_token_before_each_letter_leaves_all_letters_readable(lea: User) -> None:
    """Acceptance 5: 270 answers ``<s> B`` were 0%."""
    kitchen = make_kitchen(lea, 270)
    run = said(lea, kitchen, {f"s{i}": "<s> B" for i in range(270)}, "Model B")
    scores = [one.score for one in with_scores(Trajectory.objects.filter(run=run))]
    assert {(one.letter, one.correct, one.unread) for one in scores} == {("B", True, False)}
    [report] = read_extraction(kitchen, run.pk)
    assert report.report is not None
    assert (report.report["read"], report.report["unread"]) == (270, 0)
