"""The extraction report: every answer is counted once, by what became of it."""

from __future__ import annotations

from typing import Any

from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey, Decision
from evaluation.metrics.decided import key_digest, text_digest
from evaluation.metrics.extraction import Tally
from evaluation.metrics.settings import MetricSettings

CHOICE = AnswerKey(True, {"A": "kettle", "B": "cup"}, ("B",))
OPEN = AnswerKey(False, {}, ("Quay",))
PLAN = AnswerKey(False, {}, ())
REFUSAL = "I cannot see the picture."


def report(*answers: tuple[Any, ...], **settings: Any) -> dict[str, Any]:
    tally = Tally(MetricSettings(**settings))
    for answer in answers:
        tally.take(*answer)
    return tally.report()


def test_each_answer_is_counted_once_by_what_became_of_it() -> None:
    found = report(
        ("B", CHOICE, UNKNOWN), ("A", CHOICE, UNKNOWN), ("", CHOICE, UNKNOWN), (REFUSAL, CHOICE, UNKNOWN),
        (REFUSAL, CHOICE, UNKNOWN), ("neither", CHOICE, UNKNOWN), ("Quay", OPEN, UNKNOWN), ("Quai", OPEN, UNKNOWN),
        (None, PLAN, UNKNOWN),
    )  # fmt: skip
    states = {name: found[name] for name in ("answers", "blank", "decided", "read", "unread", "undecided")}
    assert states == {"answers": 8, "blank": 1, "decided": 0, "read": 3, "unread": 3, "undecided": 1}
    assert sum(found["where"].values()) == sum(found["rule"].values()) == sum(found["class"].values()) == 4
    assert sum(row["n"] for row in found["reasons"]) == 4
    texts = {text: n for row in found["reasons"] for text, n in row["texts"]}
    assert texts == {REFUSAL: 2, "neither": 1, "Quai": 1}


def test_the_three_most_frequent_texts_of_a_reason_are_told() -> None:
    found = report(*[(f"hmm {'x' * n}", CHOICE, UNKNOWN) for n in range(1, 6) for _ in range(n)])
    [reason] = found["reasons"]
    assert (reason["n"], [n for _, n in reason["texts"]]) == (15, [5, 4, 3])


def test_agreement_with_the_files_verdict_is_over_what_both_decide() -> None:
    found = report(("B", CHOICE, TRUE), ("A", CHOICE, TRUE), ("A", CHOICE, FALSE), (REFUSAL, CHOICE, TRUE))
    assert found["verdicts"] == {"n": 3, "same": 2}
    assert (found["read"], found["file"], found["unread"]) == (3, 1, 0)
    found = report((REFUSAL, CHOICE, TRUE), verdict_source="reading")
    assert (found["file"], found["unread"]) == (0, 1)


def test_what_a_person_decided_is_no_longer_unread() -> None:
    decision = Decision("B", "", text_digest(REFUSAL), key_digest(CHOICE))
    left = Decision("", "leave", text_digest(REFUSAL), key_digest(CHOICE))
    other = Decision("B", "", text_digest("another text"), key_digest(CHOICE))
    found = report(*[(REFUSAL, CHOICE, UNKNOWN, one) for one in (decision, left, other, None)])
    assert (found["decided"], found["unread"]) == (1, 3)


def test_a_report_on_nothing_counts_nothing() -> None:
    found = report()
    assert (found["answers"], found["where"], found["reasons"]) == (0, {}, [])
