"""How answers were read stands beside their scores: in rows, queries and exports; other rules make scores stale."""

from __future__ import annotations

import pytest

from evaluation.common.exports import sample_rows
from evaluation.metrics.reading import REASONS, RULES
from evaluation.models import Run, Scoring
from evaluation.scoring.freshness import StalenessChecker
from tests.evaluation.run_pages import make_benchmark
from tests.evaluation.scores import scores_by_sample

pytestmark = pytest.mark.django_db


@pytest.fixture
def street(lea):
    return make_benchmark(lea, {"seen": 2, "unread": 2, "undecided": 1, "unanswered": 1})


def test_scores_say_how_each_answer_was_read(street):
    of = scores_by_sample(condition="none")
    read, unread, open_one = of["seen-01"], of["unread-00"], of["undecided-00"]
    assert RULES[read.reading_rule] == "letter"
    assert (read.unread_reason, read.answer_group) == (-1, "")
    assert (unread.reading_rule, REASONS[unread.unread_reason]) == (-1, "none")
    assert REASONS[open_one.unread_reason] == "unmatched"
    assert len(open_one.answer_group) == 16
    assert unread.answer_group == of["unread-01"].answer_group != open_one.answer_group


def test_exports_have_the_words(street):
    rows = {row["sample"]: row for row in sample_rows(street)}
    assert [rows["seen-01"][name] for name in ("letter", "reading_where", "reading_rule", "reading_class")] == [
        "A",
        "text",
        "letter",
        "exact",
    ]
    assert rows["unread-00"]["reading_rule"] is None
    assert rows["unread-00"]["unread_reason"] == "none"


def test_scores_of_answers_that_other_rules_read_are_stale(street):
    fresh = StalenessChecker(street)
    scoring = Run.objects.of(street)[0].scoring
    assert not fresh.stale(scoring)
    Scoring.objects.filter(pk=scoring.pk).update(reading_version=0)
    scoring.refresh_from_db()
    assert fresh.stale(scoring)
