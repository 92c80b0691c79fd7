"""The metric settings of a benchmark as one table."""

from __future__ import annotations

from dataclasses import fields

import pytest

from annotation.models import Benchmark
from evaluation.metrics.settings import CHOICES, RANGES, MetricSettings
from evaluation.metrics.settings_help import SETTINGS_HELP
from evaluation.models import Scoring
from evaluation.scoring.settings import change_settings, settings_of
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/settings/metrics/"
BOARD = MetricSettings(unread_alarm=0.5)
DEFAULTS = BOARD.as_dict()


@made_once
def board(lea: User) -> Benchmark:
    made = make_board(lea)
    change_settings(actor=lea, benchmark=made, values=DEFAULTS)
    score_benchmark(actor=lea, benchmark=made)
    return made


def test_every_setting_has_its_sentence_and_its_values() -> None:
    names = {field.name for field in fields(MetricSettings)}
    assert set(SETTINGS_HELP) == names == set(CHOICES) | set(RANGES)
    parts = [effect.part for effect in SETTINGS_HELP.values()]
    assert parts == sorted(parts, key=list(dict.fromkeys(parts)).index), "The settings of a part stand together."
    assert all(effect.sentence.endswith(".") for effect in SETTINGS_HELP.values())


def test_a_change_is_stored_marked_and_scored_again(board: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    Job.objects.all().delete()
    runs = board.runs.count()
    answer = client.post(PAGE, {**DEFAULTS, "multi_crop": "last", "alpha": "0.25"}, follow=True)
    assert settings_of(board).changed() == {"multi_crop": "last", "unread_alarm": 0.5, "alpha": 0.25}
    assert [str(said) for said in answer.context["messages"]] == [
        f"2 settings changed. {runs} runs are being rescored."
    ]
    assert [row.name for row in answer.context["rows"] if row.changed] == ["multi_crop", "unread_alarm", "alpha"]
    assert answer.context["stale_n"] == runs
    assert Job.objects.get().kind == "evaluation.score"


def test_a_number_out_of_range_is_said_at_its_row_and_changes_nothing(board: Benchmark, lea: User) -> None:
    answer = signed_in(lea).post(PAGE, {**DEFAULTS, "ioa_threshold": "1.5", "multi_crop": "all of them"})
    assert answer.status_code == 400
    assert set(answer.context["form"].errors) == {"ioa_threshold", "multi_crop"}
    assert settings_of(board) == BOARD


def test_saving_the_same_scores_nothing(board: Benchmark, lea: User) -> None:
    Job.objects.all().delete()
    signed_in(lea).post(PAGE, DEFAULTS)
    assert not Job.objects.exists()
    assert not Scoring.objects.filter(stale=True).exists()


def test_all_changes_are_taken_back_at_once(board: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    client.post(PAGE, {**DEFAULTS, "multi_crop": "last"})
    assert "Reset to defaults" in client.get(PAGE).content.decode()
    client.post(PAGE, {"defaults": "1"})
    assert settings_of(board) == MetricSettings()
