"""Against the reader of before: where it read a letter, the same is read, but for listed exceptions with reasons."""

from __future__ import annotations

import json

from evaluation.metrics.reading import read_answer
from evaluation.metrics.settings import MetricSettings
from tests.unit.answer_cases import DATA, choices
from tests.unit.earlier_reader import answer_text, read_letter


def test_what_was_read_before_is_read_the_same_but_for_listed_exceptions() -> None:
    listed = json.loads((DATA / "earlier.json").read_text())
    exceptions = {tuple(one) for rows in listed.values() for one in rows}
    used, same = set(), 0
    for case in choices():
        was = read_letter(answer_text(case.text), case.options)
        now = read_answer(case.text, case.key, MetricSettings()).letter
        if was and was != now:
            assert (case.text, was, now) in exceptions, case
            used.add((case.text, was, now))
        same += bool(was) and was == now
    assert used == exceptions, "an exception that is none any more"
    assert same > 300
