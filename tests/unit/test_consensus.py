"""Boxes of several people become groups and one box each; fields are agreed or disputed; gold says where it is from."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.consensus import Combine, ConsensusRule, Field, Support, compare, group_boxes, proposal, provenance
from annotation.schema import AnswerType, Box, SampleContent, Target, ToolCall, ToolPlan


def said(answer="B", boxes=((0, 0, 10, 10),), **others):
    return SampleContent(
        question=others.pop("question", "Which mug?"),
        answer_type=AnswerType.MULTIPLE_CHOICE,
        options={"A": "black", "B": "white"},
        answers=(answer,) if answer else (),
        gold_boxes=tuple(Box(*box) for box in boxes),
        **others,
    )


def fields(*contents, facets=None, rule=None):
    found = compare(contents, facets or [{}] * len(contents), rule or ConsensusRule())
    return {name: one.agreed for name, one in found.fields.items()}


coordinate = st.integers(0, 30)
box = st.tuples(coordinate, coordinate, st.integers(1, 20), st.integers(1, 20)).map(
    lambda b: Box(b[0], b[1], b[0] + b[2], b[1] + b[3])
)
people = st.lists(st.lists(box, max_size=8), min_size=2, max_size=5)
near = st.tuples(*[st.integers(0, 2)] * 2, *[st.integers(4, 6)] * 2).map(lambda b: Box(*b))
crowded = st.lists(st.lists(near, max_size=4), min_size=2, max_size=5)
"""Boxes so alike that many pairs have the same IoU, and several people the same box."""


def iou(a, b):
    """Counted on unit cells, as an independent measure."""
    cells = [{(x, y) for x in range(int(c.x1), int(c.x2)) for y in range(int(c.y1), int(c.y2))} for c in (a, b)]
    return len(cells[0] & cells[1]) / len(cells[0] | cells[1])


def reference_groups(boxes, least):
    """The same rule written plainly: take pairs by decreasing IoU, and merge while no person has two boxes."""
    flat = [(person, at) for person, several in enumerate(boxes) for at in range(len(several))]
    groups = [{one} for one in flat]
    pairs = [
        (-iou(boxes[a[0]][a[1]], boxes[b[0]][b[1]]),
         sorted([boxes[a[0]][a[1]].as_list(), boxes[b[0]][b[1]].as_list()]), a, b)
        for a, b in itertools.combinations(flat, 2) if a[0] != b[0]
    ]  # fmt: skip
    for negative, _, a, b in sorted(pairs):
        if -negative < least:
            break
        mine = next(group for group in groups if a in group)
        theirs = next(group for group in groups if b in group)
        if mine is not theirs and not {p for p, _ in mine} & {p for p, _ in theirs}:
            mine |= theirs
            groups.remove(theirs)
    return {frozenset(group) for group in groups}


@given(people | crowded)
def test_groups_and_their_boxes_equal_an_independent_reference(boxes):
    found = group_boxes(boxes, 0.5)
    assert {frozenset(group.members.items()) for group in found} == reference_groups(boxes, 0.5)
    for group in found:
        sides = [[getattr(one, side) for one in group.boxes] for side in ("x1", "y1", "x2", "y2")]
        middle = [statistics.median(side) for side in sides]
        assert group.combined(Combine.MEDIAN).as_list() == [
            math.floor(middle[0]), math.floor(middle[1]), math.ceil(middle[2]), math.ceil(middle[3])
        ]  # fmt: skip
        assert group.combined(Combine.UNION).as_list() == [*map(min, sides[:2]), *map(max, sides[2:])]
        covered = {}
        for one in group.boxes:
            for cell in itertools.product(range(int(one.x1), int(one.x2)), range(int(one.y1), int(one.y2))):
                covered[cell] = covered.get(cell, 0) + 1
        most = [cell for cell, n in covered.items() if 2 * n > len(boxes)]
        majority = group.combined(Combine.MAJORITY)
        assert (majority.as_list() if majority else None) == (
            [min(x for x, _ in most), min(y for _, y in most), max(x for x, _ in most) + 1, max(y for _, y in most) + 1]
            if most else None
        )  # fmt: skip
        shared = [cell for cell, n in covered.items() if n == len(group.boxes)]
        common = group.combined(Combine.INTERSECTION)
        assert (common.as_list() if common else None) == (
            [*map(max, sides[:2]), *map(min, sides[2:])] if shared else None
        )


@given(people | crowded, st.randoms(use_true_random=False))
def test_the_order_of_people_changes_no_group(boxes, draw: random.Random):
    order = list(range(len(boxes)))
    draw.shuffle(order)
    found = Counter(tuple(sorted(map(str, group.boxes))) for group in group_boxes(boxes, 0.5))
    again = Counter(tuple(sorted(map(str, group.boxes))) for group in group_boxes([boxes[at] for at in order], 0.5))
    assert found == again


def test_a_person_never_has_two_boxes_in_a_group():
    groups = group_boxes([[Box(0, 0, 10, 10), Box(1, 0, 11, 10)], [Box(0, 0, 10, 10)]], 0.5)
    assert [dict(group.members) for group in groups] == [{0: 0, 1: 0}, {0: 1}]


@pytest.mark.parametrize(
    ("second", "disputed"),
    [
        (said(), set()),
        (said("A"), {Field.ANSWER}),
        (said(None), {Field.ANSWER}),
        (said(boxes=[(0, 0, 10, 12)]), set()),
        (said(boxes=[(0, 0, 10, 30)]), {Field.EVIDENCE}),
        (said(boxes=[]), {Field.EVIDENCE}),
        (said(boxes=[(0, 0, 10, 10), (20, 20, 21, 21)]), {Field.EVIDENCE}),
        (said(question="Which cup?"), {Field.QUESTION}),
        (said(question="which  MUG?"), set()),
        (said(reference_toolchain=(ToolCall("crop", {"x": 1}),)), {Field.TOOLCHAIN}),
        (said(plan=ToolPlan((Target("saw", 1),))), {Field.PLAN}),
        (said(None, (), unanswerable="The mug is hidden."), {Field.ANSWER}),
    ],
)
def test_each_field_is_agreed_or_disputed_by_itself(second, disputed):
    assert {name for name, agreed in fields(said(), second).items() if not agreed} == disputed


def test_an_answer_counts_as_the_text_of_its_option():
    other = SampleContent(
        question="Which mug?", answer_type=AnswerType.MULTIPLE_CHOICE, options={"A": "white", "B": "black"},
        answers=("A",), gold_boxes=(Box(0, 0, 10, 10),),
    )  # fmt: skip
    assert fields(said(), other)[Field.ANSWER]


def test_a_box_of_two_in_three_has_the_support_of_most_but_not_of_all():
    three = [said(), said(), said(boxes=[(0, 0, 10, 9)])]
    three[2] = said(boxes=[(0, 0, 10, 9), (12, 0, 13, 1)])
    assert not fields(*three)[Field.EVIDENCE]
    most = ConsensusRule(support=Support.MAJORITY)
    assert not fields(*three, rule=most)[Field.EVIDENCE]
    assert fields(*three[:2], said(boxes=[(0, 0, 10, 9)]), rule=most)[Field.EVIDENCE]


def test_toolchains_agree_by_their_steps_or_where_both_were_verified():
    gray = said(reference_toolchain=(ToolCall("Grayscale", {}, "original", "a"),))
    same = said(reference_toolchain=(ToolCall("colorspace-gray", {}, None, "b"),))
    other = said(reference_toolchain=(ToolCall("canny", {"threshold1": 50}),))
    assert fields(gray, same)[Field.TOOLCHAIN]
    for verified, agreed in (((True, True), True), ((True, False), False)):
        found = compare([gray, other], [{}, {}], ConsensusRule(), verified=verified)
        assert found.fields[Field.TOOLCHAIN].agreed is agreed


GRAY, BLUR = ToolCall("Grayscale", {}, "original", "a"), ToolCall("blur", {"method": "median", "ksize": 5})


def agreeing(draw: random.Random):
    """What one of several people who agree may say: a content, facets, and whether the toolchain was verified."""
    upside_down = draw.random() < 0.5
    boxes = [[x + draw.randint(-2, 2) for x in box] for box in ((0, 0, 40, 30), (200, 100, 260, 140))]
    draw.shuffle(boxes)
    other_way = draw.random() < 0.5
    content = SampleContent(
        question=draw.choice(["Which mug?", "which  MUG?"]),
        answer_type=AnswerType.MULTIPLE_CHOICE,
        options={"A": "White", "B": "black"} if upside_down else {"A": "Black", "B": "white"},
        answers=("A" if upside_down else "B",),
        gold_boxes=tuple(Box(*box) for box in boxes),
        reference_toolchain=(BLUR if other_way else draw.choice([GRAY, ToolCall("colorspace_gray", {}, None, "b")]),),
        plan=ToolPlan((Target(draw.choice(["saw", "Saw"]), draw.randint(1, 3)),), (draw.choice(["file", "ruler"]),)),
    )
    return content, {"category": [draw.choice(["Color", "color"])]}, True


DISPUTES = [
    lambda content, facets: (replace(content, question="Which cup?"), facets, True),
    lambda content, facets: (replace(content, answers=("B" if content.answers == ("A",) else "A",)), facets, True),
    lambda content, facets: (replace(content, gold_boxes=content.gold_boxes[:1]), facets, True),
    lambda content, facets: (replace(content, gold_boxes=(*content.gold_boxes, Box(400, 400, 402, 402))), facets, True),
    lambda content, facets: (content, {**facets, "tier": ["hard"]}, True),
    lambda content, facets: (replace(content, reference_toolchain=(GRAY, BLUR)), facets, False),
    lambda content, facets: (replace(content, plan=ToolPlan((Target("saw", 1), Target("file", 2)))), facets, True),
    lambda content, facets: (replace(content, answers=(), gold_boxes=(), unanswerable="Hidden."), facets, True),
]


def test_of_a_thousand_samples_exactly_those_with_a_planted_dispute_reach_people():
    draw = random.Random(7)
    planted, reached = set(draw.sample(range(1000), 200)), set()
    for number in range(1000):
        people = [agreeing(draw) for _ in range(draw.randint(2, 3))]
        if number in planted:
            at = draw.randrange(len(people))
            people[at] = draw.choice(DISPUTES)(*people[at][:2])
        contents, facets, verified = zip(*people, strict=True)
        if not compare(contents, facets, ConsensusRule(), verified=verified).agreed:
            reached.add(number)
    assert reached == planted


def test_who_cannot_answer_disputes_the_answer_and_nothing_else():
    cannot = said(None, (), unanswerable="The mug is hidden.")
    contents = [cannot, said(boxes=[(0, 0, 10, 12)]), said()]
    compared = compare(contents, [{}, {"category": ["Color"]}, {"category": ["color"]}], ConsensusRule())
    assert (compared.disputed, compared.fields[Field.ANSWER].value) == ((Field.ANSWER,), pytest.approx(1 / 3))
    content, groups = proposal(contents, compared, ConsensusRule())
    assert (content.answers, content.unanswerable, dict(groups[0].members)) == (("B",), None, {1: 0, 2: 0})
    assert provenance(content, {}, contents, [{}] * 3, compared.groups)["answer"] == {"from": [1, 2], "how": "taken"}


def test_a_question_that_nobody_can_answer_is_a_dispute():
    cannot = said(None, (), unanswerable="The mug is hidden.")
    assert fields(cannot, cannot) | {Field.ANSWER: None} == dict.fromkeys(Field, True) | {Field.ANSWER: None}
    assert not fields(cannot, cannot)[Field.ANSWER]
    content, _ = proposal([cannot] * 2, compare([cannot] * 2, [{}] * 2, ConsensusRule()), ConsensusRule())
    assert (content.question, content.answers, content.unanswerable) == ("Which mug?", (), None)


def test_plans_agree_by_meaning_and_not_where_a_target_is_a_distractor_of_the_other():
    saw = ToolPlan((Target("Hand Saw", 2),), ("file",))
    alias = ToolPlan((Target("handsaw", 5),), ("hammer",))
    canonical = {"hand saw": "saw", "handsaw": "saw"}
    meaning = lambda name: canonical.get(name.casefold(), name.casefold())  # noqa: E731
    agreed = compare([said(plan=saw), said(plan=alias)], [{}, {}], ConsensusRule(), meaning)
    assert agreed.fields[Field.PLAN].agreed
    crossed = ToolPlan((Target("handsaw", 1), Target("file", 2)), ())
    against = compare([said(plan=saw), said(plan=crossed)], [{}, {}], ConsensusRule(), meaning)
    assert not against.fields[Field.PLAN].agreed


def test_the_proposal_takes_what_most_people_say_and_names_its_source():
    contents = [said("A", [(0, 0, 10, 10)]), said("B", [(0, 0, 11, 10)]), said("B", [(0, 0, 12, 10), (20, 20, 25, 25)])]
    facets = [{"category": ["OCR"]}, {"category": ["OCR"]}, {"category": ["Color"]}]
    compared = compare(contents, facets, ConsensusRule())
    content, groups = proposal(contents, compared, ConsensusRule())
    assert content.answers == ("B",)
    assert [one.as_list() for one in content.gold_boxes] == [[0, 0, 11, 10]]
    assert [dict(group.members) for group in groups] == [{0: 0, 1: 0, 2: 0}]
    source = provenance(content, {"category": ["OCR"]}, contents, facets, compared.groups)
    assert source["answer"] == {"from": [1, 2], "how": "taken"}
    assert source["evidence"] == {"from": [1], "how": "taken"}
    assert source["facets"] == {"from": [0, 1], "how": "taken"}


@pytest.mark.parametrize(
    ("boxes", "source"),
    [
        ([(0, 0, 11, 10)], {"from": [0, 1], "how": "consensus:median"}),
        ([(0, 0, 12, 10)], {"from": [0, 1], "how": "consensus:majority"}),
        ([(0, 0, 10, 10)], {"from": [0], "how": "taken"}),
        ([(0, 0, 9, 9)], {"from": [], "how": "edited"}),
    ],
)
def test_evidence_says_whether_it_was_taken_combined_or_edited(boxes, source):
    contents = [said(boxes=[(0, 0, 10, 10)]), said(boxes=[(0, 0, 12, 10), (40, 40, 44, 44)])]
    compared = compare(contents, [{}, {}], ConsensusRule())
    found = provenance(said(boxes=boxes), {}, contents, [{}, {}], compared.groups)["evidence"]
    if source["how"] == "consensus:majority":
        # With two people the majority is what both cover; the union is the larger box.
        source = {"from": [0, 1], "how": "consensus:union"}
    assert found == source
