"""What decides an answer: blank, a person, the file, reading, a judge model; and how the file agrees with reading."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.metrics.answers import judge_answers
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey, Decision, VerdictBy
from evaluation.metrics.decided import key_digest, text_digest, with_decisions
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.verdicts import file_agreement, said_by_judges, with_judges

KEY = AnswerKey(True, {"A": "black", "B": "white"}, ("B",))
UNREADABLE = "Both A and B are possible."
FILE, READING = MetricSettings(), MetricSettings(verdict_source="reading")


def judged(texts, verdicts, settings=FILE, *, judges=None, decided=None):
    key = np.zeros(len(texts), np.int64)
    found = judge_answers(texts, [KEY], key, np.array(verdicts), settings)
    found = with_decisions(found, texts, [KEY], key, decided or {})
    found = with_judges(found, [KEY], key, judges or {}, settings)
    return [VerdictBy.NAMES[code] for code in found.verdict_by], found.correct.tolist()


def test_the_first_that_applies_decides() -> None:
    texts = ["B", "B", None, UNREADABLE, UNREADABLE, UNREADABLE, UNREADABLE]
    verdicts = [UNKNOWN, FALSE, TRUE, UNKNOWN, FALSE, UNKNOWN, UNKNOWN]
    person = Decision("B", "", text_digest(UNREADABLE), key_digest(KEY))
    by, correct = judged(texts, verdicts, judges={5: [("yes", None)]}, decided={3: person})
    assert by == ["reading", "file", "blank", "person", "file", "judge", "none"]
    assert correct == [TRUE, FALSE, FALSE, TRUE, FALSE, TRUE, UNKNOWN]


def test_reading_can_be_made_to_pass_over_the_file() -> None:
    assert judged(["B", UNREADABLE, None], [FALSE, TRUE, TRUE], READING) == (["reading", "none", "blank"], [1, -1, 0])


def test_a_judge_model_never_overwrites_the_file_or_the_reading() -> None:
    judges = {row: [("no", None)] for row in range(3)}
    assert judged(["B", UNREADABLE, UNREADABLE], [UNKNOWN, TRUE, UNKNOWN], judges=judges) == (
        ["reading", "file", "judge"], [TRUE, TRUE, FALSE],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([("Yes, it is.", None)], TRUE),
        ([("incorrect", "B")], FALSE),
        ([(None, "B")], TRUE),
        ([("It says B", "A")], FALSE),
        ([("perhaps", None), (None, None)], UNKNOWN),
        ([("yes", None), ("no", None)], UNKNOWN),
        ([("yes", None), ("hm", None)], TRUE),
    ],
)
def test_what_judge_models_say_of_an_answer(given, said: int) -> None:
    assert said_by_judges(given, KEY, FILE) == said


def test_agreement_is_over_what_file_and_reading_both_decide() -> None:
    """The worked example, with two that only the file decides."""
    file = np.array([TRUE] * 5 + [FALSE] * 5 + [TRUE, FALSE, UNKNOWN])
    reading = np.array([TRUE] * 4 + [FALSE] * 6 + [UNKNOWN] * 2 + [TRUE])
    found = file_agreement(file, reading)
    counts = [found[name] for name in ("both_right", "file_right", "reading_right", "both_wrong", "open")]
    assert counts == [4, 1, 0, 5, 2]
    assert (found["share"], found["kappa"]) == pytest.approx((0.9, 0.8))
    assert file_agreement(file[:0], reading[:0])["share"] is None
