"""The demo benchmark: what is asked, where the evidence is, and that it is as small as promised."""

from __future__ import annotations

from collections import Counter

import pytest

from annotation.schema import AnswerType, Box
from demo.scenes.benchmark import SCENES, DemoBenchmark, demo_benchmark, work_benchmark
from demo.scenes.canvas import HEIGHT, WIDTH, Canvas, luma
from demo.scenes.chains import ENHANCEMENTS
from demo.scenes.evidence import Evidence
from demo.scenes.hand_tools import MARKS, TOOLS, WORK, kind_of
from demo.scenes.parts import COLOURS, FAINT, faint
from demo.scenes.questions import TIERS, Question
from demo.scenes.raster import darken_corners, picture_of

SEED = 7


@pytest.fixture(scope="module")
def benchmark_() -> DemoBenchmark:
    return demo_benchmark(SEED)


def test_there_are_ten_pictures_and_at_least_forty_four_samples_with_their_own_ids(benchmark_: DemoBenchmark) -> None:
    assert len(benchmark_.pictures) == 10
    assert len({sample.id for sample in benchmark_.samples}) == len(benchmark_.samples) >= 44
    assert {sample.image for sample in benchmark_.samples} == {picture.file for picture in benchmark_.pictures}


def test_every_gold_box_lies_in_the_picture_on_whole_pixels_and_all_are_under_0_7_percent(
    benchmark_: DemoBenchmark,
) -> None:
    for sample in benchmark_.samples:
        assert 0 < sum(box.area for box in sample.content.gold_boxes) / (WIDTH * HEIGHT) < 0.007, sample.id
        for box in sample.content.gold_boxes:
            assert box.clipped(WIDTH, HEIGHT) == box, sample.id
            assert all(isinstance(v, int) for v in box.as_list()), sample.id
            assert box.area / (WIDTH * HEIGHT) >= 0.0002, sample.id


def test_gold_boxes_are_exactly_the_evidence_in_the_order_of_the_question(benchmark_: DemoBenchmark) -> None:
    for sample in benchmark_.samples:
        parts = benchmark_.looks[sample.id].parts
        assert sample.content.gold_boxes == tuple(Box(*map(float, part.box)) for part in parts)


def test_some_samples_need_two_pieces_of_evidence(benchmark_: DemoBenchmark) -> None:
    assert sum(len(looks.parts) == 2 for looks in benchmark_.looks.values()) >= 5


def test_the_letters_of_the_right_answers_are_balanced(benchmark_: DemoBenchmark) -> None:
    letters = Counter(s.content.answers[0] for s in benchmark_.samples if s.content.options)
    assert set(letters) == set("ABCD")
    assert max(letters.values()) - min(letters.values()) <= 1


def test_choices_have_four_different_options_and_the_gold_letter_names_the_true_reading(
    benchmark_: DemoBenchmark,
) -> None:
    for sample in benchmark_.samples:
        content = sample.content
        if content.answer_type is AnswerType.MULTIPLE_CHOICE:
            assert len(set(content.options.values())) == 4, sample.id
            looks = benchmark_.looks[sample.id]
            truth = (looks.answers or {})[tuple(part.truth for part in looks.parts)]
            assert content.options[content.answers[0]] == truth, sample.id


def test_all_nine_categories_both_dimensions_and_three_size_classes_occur(benchmark_: DemoBenchmark) -> None:
    facets = [sample.facets for sample in benchmark_.samples]
    assert {f["category"][0] for f in facets} == set(TIERS)
    assert {f["dimension"][0] for f in facets} == {"perception", "reasoning"}
    assert len({f["evidence"][0] for f in facets}) == 3
    assert all(f["tier"][0] == TIERS[f["category"][0]] for f in facets)


def test_plans_name_tools_on_the_wall_and_every_other_tool_is_a_distractor(benchmark_: DemoBenchmark) -> None:
    plans = [sample for sample in benchmark_.samples if sample.content.plan]
    assert len(plans) >= 6
    for sample in plans:
        plan = sample.content.plan
        targets = [target.tool for target in plan.targets]
        assert len(set(targets)) == len(targets)
        assert not set(targets) & set(plan.distractors)
        assert {kind_of(name) for name in (*targets, *plan.distractors)} <= set(TOOLS)
        assert {TOOLS[kind_of(name)].work for name in targets} == set(sample.facets["segment"])
    assert any(len({t.step for t in s.content.plan.targets}) < len(s.content.plan.targets) for s in plans)
    assert {sample.content.plan.ordered for sample in plans} == {None, False}


@pytest.mark.parametrize("seed", [SEED, 101])
def test_a_plan_asks_for_one_of_several_alike_by_a_mark_that_it_alone_bears(seed: int) -> None:
    benchmark = demo_benchmark(seed)
    for sample in benchmark.samples:
        wall, plan = benchmark.looks[sample.id].wall, sample.content.plan
        if wall is None or plan is None:
            continue
        for kind in {kind_of(target.tool) for target in plan.targets}:
            alike = {name: plate.truth for name, plate in wall.plates.items() if kind_of(name) == kind}
            asked = [mark for mark in MARKS.get(kind, ()) if f" {mark}" in sample.content.question]
            meant = [name for name, mark in alike.items() if mark in asked]
            assert meant == [target.tool for target in plan.targets if target.tool in alike], (sample.id, kind)
            assert len(asked) == len(meant) == bool(alike), (sample.id, kind)
            assert set(alike) - set(meant) <= set(plan.distractors)


def test_no_letter_stands_twice_on_a_wall(benchmark_: DemoBenchmark) -> None:
    for wall in {looks.wall for looks in benchmark_.looks.values() if looks.wall}:
        letters = [name[-1] for name in wall.plates]
        assert len(letters) == len(set(letters))


def test_the_same_seed_gives_the_same_benchmark_and_another_seed_other_answers(benchmark_: DemoBenchmark) -> None:
    again, other = demo_benchmark(SEED), demo_benchmark(SEED + 1)
    assert [picture.svg for picture in again.pictures] == [picture.svg for picture in benchmark_.pictures]
    assert again.samples == benchmark_.samples
    assert other.samples != benchmark_.samples


@pytest.mark.parametrize("seed", range(100, 104))
def test_every_seed_gives_a_whole_benchmark(seed: int) -> None:
    benchmark = demo_benchmark(seed)
    assert len(benchmark.pictures) == len(SCENES)
    assert all(sample.content.answers for sample in benchmark.samples)


def test_nothing_of_the_private_benchmark_can_be_looked_up_in_the_public_one(benchmark_: DemoBenchmark) -> None:
    """Its gold checks were scenes of the public demo, which shows their gold to anybody."""
    work = work_benchmark(SEED)
    assert not {p.name for p in work.pictures} & {p.name for p in benchmark_.pictures}
    asked = {sample.content.question for sample in work.samples}
    assert not asked & {sample.content.question for sample in benchmark_.samples}
    boxes = [sample.content.gold_boxes for sample in work.samples]
    assert len(set(boxes)) == len(boxes) == 20, "nor does a sample show the evidence of another"
    assert all(box.clipped(WIDTH, HEIGHT) == box for of in boxes for box in of)
    places = [box for of in boxes for box in of]
    assert all(WIDTH * HEIGHT * 0.0002 <= box.area <= WIDTH * HEIGHT * 0.007 for box in places)
    letters = Counter(s.content.answers[0] for s in work.samples)
    assert set(letters.values()) == {5}, "all are choices"


@pytest.mark.parametrize("seed", [1, 2])
def test_the_evidence_of_a_notice_board_lies_where_its_seed_puts_it(seed: int) -> None:
    here, there = work_benchmark(seed), work_benchmark(seed + 10)
    moved = [a.content.gold_boxes != b.content.gold_boxes for a, b in zip(here.samples, there.samples, strict=True)]
    assert all(moved)


def test_an_option_is_drawn_with_the_evidence_it_would_need(benchmark_: DemoBenchmark) -> None:
    sample = next(s for s in benchmark_.samples if s.content.options and len(benchmark_.looks[s.id].parts) == 1)
    patches = {text: benchmark_.option_patches(sample.id, text) for text in sample.content.options.values()}
    assert len({patch for found in patches.values() for combination in found for patch in combination}) == 4


def test_a_part_refuses_a_value_it_cannot_show() -> None:
    part = Evidence("clock", (0, 0, 10, 10), ("4:35",), "4:35", lambda canvas, value: None)
    with pytest.raises(ValueError, match="clock cannot show '5:00'"):
        part.patch("5:00")


def test_a_patch_has_the_size_of_its_box(benchmark_: DemoBenchmark) -> None:
    for looks in benchmark_.looks.values():
        for part in looks.parts:
            x1, y1, x2, y2 = part.box
            assert picture_of(part.patch(part.truth)).shape == (y2 - y1, x2 - x1, 3)


@pytest.mark.endurance
def test_a_picture_is_3840_by_2160_and_shows_each_part_as_its_patch(benchmark_: DemoBenchmark) -> None:
    """Shade over the picture may change brightness, never what is shown."""
    drawn = picture_of(next(one for one in benchmark_.pictures if one.name == "tools-steel").svg)
    assert drawn.shape == (HEIGHT, WIDTH, 3)
    parts = [part for sample, looks in benchmark_.looks.items() if "tools-steel" in sample for part in looks.parts]
    assert parts
    for part in parts:
        x1, y1, x2, y2 = part.box
        assert abs(drawn[y1:y2, x1:x2].astype(int) - picture_of(part.patch(part.truth)).astype(int)).max() <= 2


def test_the_corners_become_darker_and_the_middle_stays() -> None:
    canvas = Canvas()
    canvas.rect(0, 0, 200, 100, "#ffffff")
    drawn = picture_of(canvas.markup((0, 0, 200, 100)))
    shaded = darken_corners(drawn.copy(), 0.4)
    assert tuple(shaded[50, 100]) == tuple(drawn[50, 100])
    assert shaded[0, 0, 0] == pytest.approx(255 * 0.6, abs=3)


def test_every_category_has_an_enhancement_and_every_tool_a_kind_of_work() -> None:
    assert set(ENHANCEMENTS) == set(TIERS)
    assert {tool.work for tool in TOOLS.values()} == set(WORK)


def test_fine_print_keeps_its_distance_from_any_ground() -> None:
    for ground in ("#ffffff", "#f2d65c", "#6f6f6f", "#0e1514"):
        assert abs(luma(faint(ground)) - luma(ground)) == pytest.approx(FAINT, abs=1)


def test_threads_are_of_one_brightness() -> None:
    assert max(map(luma, COLOURS.values())) - min(map(luma, COLOURS.values())) < 6


def test_a_question_answers_with_what_is_read_unless_it_has_a_rule() -> None:
    assert Question("?", ("clock",), "Measurement").rule("4:35") == "4:35"
