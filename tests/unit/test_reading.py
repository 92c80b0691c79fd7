"""Reading answers: what a model wrote becomes a letter or a value, never a guess."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import Any

import pytest

from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import FALSE, TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.reading import Reading, read_answer
from evaluation.metrics.settings import MetricSettings
from tests.unit.answer_cases import dev, own

OPTIONS = {"A": "kettle", "B": "cup", "C": "lamp", "D": "vase"}
KEY = AnswerKey(True, OPTIONS, ("B",))
STANDARD = MetricSettings()


def read(text: str | None, options: dict[str, str] = OPTIONS, **settings: str) -> Reading:
    return read_answer(text, AnswerKey(True, options, ("B",)), MetricSettings(**settings))  # type: ignore[arg-type]


def verdict(text: str, *accepted: str, **settings: str) -> str:
    """How an open answer is judged."""
    found = judge_answer(text, AnswerKey(False, {}, accepted), UNKNOWN, MetricSettings(**settings))  # type: ignore[arg-type]
    return {TRUE: "correct", FALSE: "wrong", UNKNOWN: found.reason or "undecided"}[found.correct]


def test_every_string_of_the_development_set_is_read_as_expected() -> None:
    surprising = []
    for one in dev():
        if one["answer_type"] == "mc":
            said: str = read_answer(one["text"], AnswerKey(True, one["options"], ("A",)), STANDARD).letter
            as_expected = said == one["expected"]
        else:
            said = verdict(one["text"], *one["accepted"])
            said = said if said in ("correct", "wrong") else "undecided"
            as_expected = said in one["expected"]
        if not as_expected:
            surprising.append((one["class"], one["text"], one["expected"], said))
    assert surprising == []


def test_every_string_of_our_own_set_is_read_as_expected() -> None:
    surprising: defaultdict[str, list[Any]] = defaultdict(list)
    for case in own():
        found = read_answer(case.text, case.key, STANDARD)
        if found.letter != case.letter:
            surprising[case.group].append((case.text, case.letter, found.letter, found.rule, found.reason))
    assert dict(surprising) == {}
    assert len(own()) > 1000
    assert len({case.group for case in own()}) > 35


@pytest.mark.parametrize(
    ("text", "where", "rule", "strength", "span"),
    [
        ("[b]", "text", "letter", "exact", "b"),
        ("A cup", "text", "text", "exact", "A cup"),
        ("B, as the handle shows", "text", "lead", "stated", "B"),
        ("My choice is D", "text", "statement", "stated", "D"),
        ("I see a rim.\n\nB. cup", "text", "last_line", "stated", "B"),
        ("It has a handle, so it is D.", "text", "aside", "inferred", "D"),
        ("The item (B) is nearer", "text", "mention", "inferred", "B"),
        ("I see a blue cup", "text", "contained", "inferred", "cup"),
        ("<think>A</think>\r\n<answer>\u200b**B**</answer>", "tag", "letter", "exact", "B"),
        ('{"thought": "A?", "answer": "the cup"}', "structured", "text", "exact", "the cup"),
        (r"so \boxed{\text{B}}", "box", "letter", "exact", "B"),
        ("答案是（Ｂ）。", "text", "statement", "stated", "Ｂ"),
    ],
)
def test_a_reading_tells_where_and_by_which_rule(text: str, where: str, rule: str, strength: str, span: str) -> None:
    found = read(text)
    assert (found.state, found.where, found.rule, found.strength) == ("read", where, rule, strength)
    assert text[found.start : found.end] == span


def test_numbers_and_yes_or_no_are_rules_of_their_own() -> None:
    assert read("45 mm", {"A": "45", "B": "60"}).rule == "number"
    assert read("No, two of them.", {"A": "Yes", "B": "No"}).rule == "yes_no"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Let us see.", "none"),
        ("I cannot see the picture.", "refusal"),
        ("A or B", "several"),
        ("The answer is A. The answer is B.", "contradiction"),
        ("B. vase", "contradiction"),
        ("F. cup", "outside"),
        ("Answer: plate", "outside"),
        ("The answer is B. Wait, let me check again.", "withdrawn"),
        ("It may be the cup.", "hedged"),
        ("It may be D.", "hedged"),
        ("Both B and D are possible.", "several"),
        ("The answer is not B.", "negated"),
        ("<think>B", "thinking_only"),
    ],
)
def test_an_unread_answer_says_why(text: str, reason: str) -> None:
    found = read(text)
    assert (found.state, found.letter, found.reason) == ("unread", "", reason)


@pytest.mark.parametrize(
    "text",
    [
        "ASSISTANT: B", "### Assistant:\nB", "**ASSISTANT: B**", "**Assistant:** B", "**Assistant**: B",
        "**Assistant**\nB", "__AI: B__",
        "`Assistant: B`", "```\nASSISTANT: B\n```", "```text\nAssistant:\n(B)\n```", "```Assistant: B```",
        '```json\nAssistant: {"answer": "B"}\n```', "**```\nAssistant: B\n```**",
    ],
)  # fmt: skip
def test_a_role_heading_is_no_part_of_an_answer_whatever_marks_are_around_it(text: str) -> None:
    found = read(text)
    assert (found.letter, found.strength, text[found.start : found.end]) == ("B", "exact", "B")


def test_an_answer_that_is_called_like_a_role_is_no_heading() -> None:
    assert [read(text, {"A": "Model", "B": "tool"}).letter for text in ("Model\n", "**Model**\n")] == ["A", "A"]
    assert read("**Assistant manager**", {"A": "assistant manager", "B": "cook"}).letter == "A"


def test_blank_is_not_unread() -> None:
    assert [read(text).state for text in (None, "", " \n", "</s>", "\u200b")] == ["blank"] * 5


def test_flags_tell_of_corrections_boxes_and_earlier_tags() -> None:
    assert read("The answer is A. Wait, the answer is B.").flags == ("corrected",)
    assert read("\\boxed{A}\n\nAnswer: B").flags == ("box_overruled",)
    assert read("<answer>A</answer><answer>B</answer>").flags == ("earlier_tag_differs",)


def test_readings_below_the_floor_are_unread() -> None:
    texts = ("B", "The answer is B.", "I see a blue cup")
    assert [read(text).letter for text in texts] == ["B", "B", "B"]
    assert [read(text, reading_floor="stated").letter for text in texts] == ["B", "B", ""]
    assert [read(text, reading_floor="exact").letter for text in texts] == ["B", "", ""]
    assert read("I see a blue cup", reading_floor="exact").reason == "weak"


def test_the_normalized_text_is_kept_short() -> None:
    assert len(read("x y " * 1000).normalized) == 500


@pytest.mark.parametrize(
    ("said", "accepted", "judged"),
    [
        ("17", "17", "correct"),
        ("17.0", "17", "correct"),
        ("1,700", "1700", "correct"),
        ("1 700", "1700", "correct"),
        ("1'700", "1700", "correct"),
        ("3,5", "3.5", "correct"),
        (".5", "1/2", "correct"),
        ("0.5", "1/2", "correct"),
        (r"\frac{3}{4}", "3/4", "correct"),
        ("2½", "2.5", "correct"),
        ("1 1/2", "1.5", "correct"),
        ("−5", "-5", "correct"),
        ("–5", "-5", "correct"),
        ("twenty-one", "21", "correct"),
        ("二十一", "21", "correct"),
        ("one hundred", "100", "correct"),
        ("1e3", "1000", "correct"),
        ("$17$", "17", "correct"),
        ("\\(17\\)", "17", "correct"),
        ("18", "8", "wrong"),
        ("-5", "5", "wrong"),
        ("112", "12", "wrong"),
        ("1.7", "17", "unmatched"),
        ("10²", "102", "unmatched"),
        ("2½", "21/2", "unmatched"),
        ("seventeen", "18", "wrong"),
        ("3.14", "3.1416", "unmatched"),
        ("75 %", "75%", "correct"),
        ("75 percent", "75%", "correct"),
        ("75%", "0.75", "unmatched"),
        ("75", "75%", "unit"),
        ("$5", "5 USD", "correct"),
        ("5€", "5 EUR", "correct"),
        ("$5", "5", "unit"),
        ("5 km", "5km", "correct"),
        ("5 km", "5 m", "unmatched"),
        ("5 km", "5", "unit"),
        ("6 km", "5", "unmatched"),
        ("17 or 18", "17", "unmatched"),
        ("17-18", "17", "unmatched"),
        ("about 17", "17", "unmatched"),
        ("17?", "17", "unmatched"),
        ("1, 2, 3", "1,2,3", "correct"),
        ("[1, 2]", "(1; 2)", "correct"),
        ("2, 1", "1, 2", "unmatched"),
        ("1, 2", "1", "unmatched"),
        ("a dog", "dog", "correct"),
        ("The Dog.", "dog", "correct"),
        ("T-Shirt", "t shirt", "correct"),
        ("12-30", "12 30", "unmatched"),
        ("12:30", "12:30", "correct"),
        ("Café", "café", "correct"),
        ("dogs", "dog", "unmatched"),
        ("hot dog", "dog", "unmatched"),
        ("yes, it is", "Yes", "correct"),
        ("no", "Yes", "wrong"),
        ("yes it is", "yes", "unmatched"),
        ("No. Yes.", "no", "unmatched"),
        ("是的,有", "是的", "correct"),
        ("yesterday", "yes", "unmatched"),
        ("The answer is 17.", "17", "correct"),
        ("Answer: 17 km", "17", "unit"),
        ("The answer is 18.", "17", "wrong"),
        ("<answer>17</answer>", "17", "correct"),
        (r"so \boxed{17}.", "17", "correct"),
        ('{"answer": 17}', "17", "correct"),
        ("The answer is 16. Wait, the answer is 17.", "17", "correct"),
        ("The answer is not 17.", "17", "unmatched"),
        ("I count them.\n\n17", "17", "correct"),
        ("17\n\nExplanation: there are 18 in all", "17", "correct"),
        ("答案是17", "17", "correct"),
        ("La respuesta es 17", "17", "correct"),
        ("\\boxed{15}\n\nAnswer: 17", "17", "correct"),
        ("The answer is 17, since two are hidden.", "17", "correct"),
        ("Final answer: a dog", "dog", "correct"),
        ("It is 17.", "18", "unmatched"),
        ("<17", "17", "unmatched"),
        ("> 17", "17", "unmatched"),
        ("left", "on the left", "unmatched"),
        ("1e999999999", "17", "unmatched"),
    ],
)
def test_open_answers_are_compared_by_their_value(said: str, accepted: str, judged: str) -> None:
    assert verdict(said, accepted) == judged


def test_contradicting_or_withdrawn_open_answers_are_unread() -> None:
    for text in ("The answer is 16. The answer is 17.", "The answer is 17. Wait, let me check again.", "<think>17"):
        found = judge_answer(text, AnswerKey(False, {}, ("17",)), UNKNOWN, STANDARD)
        assert (found.correct, found.undecided, found.unread) == (UNKNOWN, True, True)


def test_a_setting_ignores_units_on_one_side_only() -> None:
    assert verdict("17 km", "17", open_units="ignore") == "correct"
    assert verdict("17 km", "17 m", open_units="ignore") == "unmatched"


def test_open_answers_can_be_compared_as_texts_alone() -> None:
    assert verdict("17", "17.0", open_match="exact") == "unmatched"
    assert verdict("It is Paris", "Paris", open_match="contains") == "correct"
    assert verdict("18", "8", open_match="contains") == "correct"  # why it is not the default


def test_released_scorers_read_as_they_were_released() -> None:
    def judged(text: str, scorer: str) -> int:
        return judge_answer(text, KEY, UNKNOWN, MetricSettings(answer_reading=scorer)).correct

    assert [judged(t, "vtc") for t in ("b. cup", "B", "B)", "A", "The answer is B")] == [
        TRUE,
        TRUE,
        FALSE,
        FALSE,
        FALSE,
    ]
    deepeyes = {"\\boxed{B}": TRUE, "b": FALSE, "B.": TRUE, "It is B. cup!": TRUE, "the cup": UNKNOWN, "C": FALSE}
    assert {text: judged(text, "deepeyes") for text in deepeyes} == deepeyes
    kit = {
        "The answer is B.": TRUE,
        "B and C": UNKNOWN,
        "a cup": TRUE,
        "C": FALSE,
        "B is what I see in the picture": UNKNOWN,
    }
    assert {text: judged(text, "vlmevalkit") for text in kit} == kit
    assert verdict("It is Paris", "Paris", answer_reading="vtc") == "correct"


LONG = 60_000


@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "(",
        "\\boxed{",
        "answer is ",
        "\n",
        "<answer>",
        "</think>",
        "{",
        "\\text{",
        "A. x\n",
        "USER:\n",
        "is correct. ",
        "The answer is B. ",
        "(B) ",
        "1,",
        "$1 ",
        "~~",
        "if ",
        "`",
        "wait ",
        "AI:\n",
    ],
)
def test_hostile_texts_are_read_in_linear_time(unit: str) -> None:
    """60,000 characters take well under a second; what grows with the square of the length takes many."""
    for key in (KEY, AnswerKey(False, {}, ("17",))):
        begun = time.process_time()
        read_answer(unit * (LONG // len(unit)), key, STANDARD)
        assert time.process_time() - begun < 3
