"""Scored benchmarks that many tests only look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Benchmark
from tests.evaluation.board_data import make_board
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.accounts.models import User


@pytest.fixture
def scratch(settings: Any, tmp_path: Path) -> None:
    """Uploads are kept in a folder of the test."""
    settings.SCRATCH = tmp_path


@made_once
def board(lea: User) -> Benchmark:
    """That of ``board_data``: several models, one with gaps, one baseline, one that failed."""
    return make_board(lea)


@made_once
def unscored_board(lea: User) -> Benchmark:
    return make_board(lea, score=False)


@made_once
def street(lea: User) -> Benchmark:
    """That of ``run_pages``: one run, with samples of every kind."""
    return make_benchmark(lea)


@made_once
def street_of_two(lea: User) -> Benchmark:
    """That of ``run_pages`` without pictures, with two runs that did the same."""
    return make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
