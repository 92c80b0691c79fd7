"""The rules of the building board: what is drawn, what an item may say, and what its checks find."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.building import Distractor
from annotation.building.instruction import instruction_problems, leaks
from annotation.building.rules import (
    Finding,
    description_problems,
    distractor_problems,
    finding_problems,
    shuffled,
    step_problems,
    unmentioned,
)
from annotation.building.saturation import saturation
from annotation.building.targets import draw, use_of
from annotation.building.words import stems
from annotation.schema import Likeness
from annotation.task_schema import Range
from annotation.tool_bank import Bank, KnownTool, ToolState
from tests.unit.building_cases import LEAKS, bank, clean

TOOLS = [f"tool {letter}" for letter in "abcdefgh"]
DISTRACTORS = [Distractor(name, Likeness.VISUAL) for name in ("ladle", "hose", "vise")]


def texts(problems):
    return [one.text for one in problems]


def test_all_of_50_planted_leaks_are_caught():
    assert len(LEAKS) == 50
    assert [text for target, text in LEAKS if not leaks(text, [target], bank())] == []


def test_at_most_2_of_200_clean_instructions_are_flagged():
    assert len(clean()) == 200
    flagged = [(text, leaks(text, [target], bank())) for target, text in clean() if leaks(text, [target], bank())]
    assert len(flagged) <= 2, flagged


def test_a_clean_instruction_is_clean_for_three_targets_too():
    for (one, text), (two, _), (three, _) in zip(clean(), clean()[60:], clean()[120:], strict=False):
        assert len(leaks(text, [one, two, three], bank())) <= 1, text


@pytest.mark.parametrize(
    ("one", "other"),
    [("sawing", "saw"), ("clipped", "clip"), ("taping", "tape"), ("knives", "knife"), ("brushes", "brush"),
     ("berries", "berry"), ("shelves", "shelf"), ("gloves", "glove"), ("axes", "axe"), ("pliers", "plier")],
)  # fmt: skip
def test_forms_of_one_word_share_a_stem(one, other):
    assert stems(one) & stems(other)


@pytest.mark.parametrize(("one", "other"), [("red", "re"), ("glass", "glas"), ("panes", "pan"), ("string", "str")])
def test_words_that_look_alike_do_not(one, other):
    assert not stems(one) & stems(other)


@pytest.mark.parametrize("text", ["Open the profile of the pumpkin.", "Whose device is this?", "The sum of all files"])
def test_a_word_that_merely_contains_a_short_name_is_no_leak(text):
    found = leaks(text, ["pen", "file", "pump", "hose", "vice", "saw"], Bank((KnownTool("pen"),)))
    assert [leak.name for leak in found] == (["file"] if "files" in text else [])


def test_an_instruction_names_its_leaks_once_and_says_what_to_do():
    said = texts(instruction_problems("Spanners! A spanner, please.", ["adjustable wrench"], bank()))
    assert said == [
        f"“{words}” gives away adjustable wrench. Describe the task without it." for words in ("spanners", "spanner")
    ]
    assert texts(instruction_problems("  ", ["torch"], bank())) == ["Enter the instruction."]
    assert "nearly the same" in texts(instruction_problems("Find it.", ["torch"], bank(), 0.85))[0]
    assert "limit: 2000" in texts(instruction_problems("so " * 700, ["torch"], bank()))[0]


def test_each_tool_is_drawn_once_alone_and_then_pairs_and_triples_take_turns():
    drawn = draw(TOOLS, [], 20, seed="kitchen")
    assert sorted(drawn[:8]) == [(tool,) for tool in TOOLS]
    assert [len(one) for one in drawn[8:]] == [2, 3] * 6
    assert drawn == draw(TOOLS, [], 20, seed="kitchen") != draw(TOOLS, [], 20, seed="garage")


@given(st.integers(4, 14), st.sampled_from([(1, 2, 3), (2, 3), (2,), (1, 3)]), st.integers(1, 60), st.text(max_size=3))
def test_no_combination_is_drawn_twice_and_use_stays_level(number, sizes, count, seed):
    tools = [f"t{at}" for at in range(number)]
    drawn = [frozenset(one) for one in draw(tools, [], count, sizes=sizes, seed=seed)]
    assert len(set(drawn)) == len(drawn)
    for size in (1, 2, 3):
        use = use_of(tools, drawn, size)
        average = sum(use.counts.values()) / number
        assert all(abs(found - average) <= 1 for found in use.counts.values())


def test_a_draw_goes_on_where_the_last_one_ended():
    first = draw(TOOLS, [], 10, seed="a")
    again = draw([*TOOLS, "tool i"], map(frozenset, first), 3, seed="b")
    assert again[0] == ("tool i",)
    assert not {frozenset(one) for one in again} & {frozenset(one) for one in first}


def test_a_draw_ends_when_every_combination_exists():
    every = [frozenset(one) for size in (1, 2, 3) for one in combinations(TOOLS[:4], size)]
    assert [frozenset(one) for one in draw(TOOLS[:4], every[:-1], 9)] == every[-1:]
    assert draw(TOOLS[:4], every, 9) == []
    assert draw([], [], 3) == []


def test_steps_go_from_1_without_gaps():
    assert step_problems(["a", "b", "c"], [1, 1, 2], []) == []
    assert texts(step_problems(["a", "b"], [1, 3], [])) == ["Step 2 has no tool. Number the steps from 1 without gaps."]
    assert texts(step_problems(["a", "b"], [2, 3], []))[0].startswith("Step 1 has no tool")
    assert texts(step_problems(["a", "b"], [1], [])) == ["Give each target a step from 1."]
    assert texts(step_problems(["a"], [0], [])) == ["Give each target a step from 1."]


def test_interchangeable_targets_share_a_step():
    assert step_problems(["a", "b", "c"], [1, 1, 2], ["a", "b"]) == []
    assert "share a step" in texts(step_problems(["a", "b"], [1, 2], ["a", "b"]))[0]
    assert "at least two" in texts(step_problems(["a", "b"], [1, 1], ["a"]))[0]
    assert "at least two" in texts(step_problems(["a", "b"], [1, 1], ["a", "x"]))[0]


def test_an_item_takes_3_to_10_distractors_or_what_its_task_allows():
    assert distractor_problems(["torch"], DISTRACTORS, bank()) == []
    assert texts(distractor_problems(["torch"], DISTRACTORS[:2], bank())) == [
        "There are 2 distractors; an item takes 3 to 10."
    ]
    assert "takes 4 to 10" in texts(distractor_problems(["torch"], DISTRACTORS, bank(), allowed=Range(4, 200)))[0]


def test_no_distractor_is_a_target_under_another_name_or_can_replace_one():
    def with_one(name, **more):
        distractors = [*DISTRACTORS, Distractor(name, Likeness.FUNCTIONAL)]
        return texts(distractor_problems(["adjustable wrench"], distractors, bank(), **more))

    assert with_one("Spanner") == ["Spanner is the target adjustable wrench. Choose another tool."]
    assert with_one("Hose") == ["Hose and hose are the same tool. Remove one."]
    assert with_one("pliers") == []
    assert with_one("pliers", interchangeable=[["pliers", "spanner"]]) == [
        "pliers can replace the target adjustable wrench, says another item. Choose another tool."
    ]
    refused = Bank((KnownTool("thing", ToolState.REFUSED, reason="Which one?"),))
    said = texts(distractor_problems(["a"], [*DISTRACTORS, Distractor("thing", Likeness.DOMAIN)], refused))
    assert said == ["thing was rejected from the tool bank: Which one? Choose another tool."]


def test_a_description_names_every_candidate_literally():
    names = ["Hand saw", "torx-bit", "hose"]
    assert unmentioned("A hand  SAW next to a Torx bit. Those are old.", names) == ["hose"]
    assert unmentioned("handsaw, torx, hoses", names) == names


def test_a_description_singles_out_no_target():
    scene = "A torch, a ladle, a hose and a vise lie on a bench. "
    others = ["ladle", "hose", "vise"]
    assert description_problems(scene, ["torch"], others, bank()) == []
    assert texts(description_problems(f"{scene}The torch is glowing.", ["torch"], others, bank())) == [
        "“glowing” singles out torch. Describe all tools alike."
    ]
    assert texts(description_problems(f"{scene}The torch lies in the foreground.", ["torch"], others, bank())) != []
    assert (
        description_problems(f"{scene}The torch and the hose are in the foreground.", ["torch"], others, bank()) == []
    )
    assert description_problems(f"{scene}The ladle is highlighted.", ["torch"], others, bank()) == []
    assert texts(description_problems("A torch.", ["torch"], ["ladle"], bank())) == [
        "The description does not mention ladle. Add it to the scene."
    ]


def test_a_description_can_use_any_name_and_only_the_later_check_is_literal():
    scene = "Spanners and a pair of hexkeys lie on the floor."
    assert description_problems(scene, ["adjustable wrench"], ["allen key"], bank()) == []
    assert unmentioned(scene, ["adjustable wrench", "allen key"]) == ["adjustable wrench", "allen key"]


def test_a_check_of_the_text_compares_every_candidate_with_the_item():
    def said(sequence=True, **findings):
        rows = [Finding(tool, *pair) for tool, pair in findings.items()]
        return texts(finding_problems(["torch"], ["hose"], rows, sequence))

    assert said(torch=(True, True), hose=(False, True)) == []
    assert said(torch=(False, True), hose=(True, False)) == [
        "The task does not need torch, which is a target.",
        "The task needs hose, which is a distractor.",
        "hose does not fit into the scene.",
    ]
    assert said(False, torch=(True, True), hose=(False, True)) == ["The order of the steps is not valid."]
    assert said(torch=(True, True)) == ["Decide about every tool."]


def test_candidates_are_shuffled_alike_for_one_seed():
    assert shuffled(TOOLS, "1") == shuffled(reversed(TOOLS), "1") != shuffled(TOOLS, "2")
    assert sorted(shuffled(TOOLS, "1")) == TOOLS


def test_saturation_looks_at_the_last_300_items_in_blocks_of_100():
    found = saturation([9] * 50 + [2] * 100 + [1] * 100 + [0] * 100)
    assert [(one.items, one.new, one.per_hundred) for one in found] == [
        ((51, 150), 200, 200), ((151, 250), 100, 100), ((251, 350), 0, 0),
    ]  # fmt: skip
    [only] = saturation([1, 0, 2, 0])
    assert (only.items, only.per_hundred) == ((1, 4), 75)
    assert saturation([]) == []
    assert all(one.items[1] + 1 == other.items[0] for one, other in pairwise(saturation([1] * 250)))
