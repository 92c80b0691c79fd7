"""Attempts of code to leave the sandbox, in both modes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluation.sandbox import Mode, Python
from tests.evaluation.sandbox.attempts import ATTEMPTS, Attempt, Runner, runner


@pytest.fixture(scope="module")
def running(mode: Mode, python: Python) -> Iterator[Runner]:
    with runner(mode, python) as found:
        yield found


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
@pytest.mark.endurance
def test_an_attempt_has_the_outcome_of_the_table(running: Runner, mode: Mode, attempt: Attempt) -> None:
    if not attempt.fits:
        pytest.skip("another machine has no such call")
    assert running.outcome(attempt) == attempt.expected(mode)
    assert running.worker.poll() is None


def test_the_table_has_every_row_of_the_design() -> None:
    assert {int(attempt.rows) for attempt in ATTEMPTS} >= set(range(1, 48))
