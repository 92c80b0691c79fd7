"""The scripted agents on real pixels of the demo: what they can see decides, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from annotation.imaging.crops import Picture, encode_jpeg, shrink_to
from annotation.imaging.decoding import decode
from annotation.schema import Box, SampleRecord
from demo.agents import AGENTS
from demo.agents.judge import JUDGE, judge
from demo.agents.looking import Look
from demo.agents.planning import LETTER
from demo.agents.reading import clearest, read
from demo.agents.sample import AgentSample, agent_sample
from demo.agents.scripted import Run, ScriptedAgent
from demo.agents.views import BUDGET, View, crop_view, noise_like, whole_view
from demo.scenes.benchmark import QUALITY, SCENES, DemoBenchmark, demo_benchmark
from demo.scenes.evidence import Evidence
from demo.scenes.hand_tools import kind_of
from demo.scenes.raster import picture_of
from evaluation.schema import Condition, JudgementKind

SEED = 101
"""Nothing was set by looking at it."""
PICTURES = ("desk-oak", "panel-slate", "tools-peg")
PLAN = "tools-peg-06"


@dataclass(frozen=True)
class Case:
    record: SampleRecord
    sample: AgentSample
    truths: tuple[str, ...]
    picture: Picture
    whole: View


@cache
def bench() -> DemoBenchmark:
    return demo_benchmark(SEED)


@cache
def drawn(name: str) -> tuple[Picture, View]:
    source = next(p for p in bench().pictures if p.name == name)
    picture = decode(encode_jpeg(picture_of(source.svg, source.shade), QUALITY))
    return picture, whole_view(picture)


@cache
def case(sample_id: str) -> Case:
    record = next(s for s in bench().samples if s.id == sample_id)
    truths = tuple(part.truth for part in bench().looks[sample_id].parts)
    return Case(record, agent_sample(record, bench()), truths, *drawn(sample_id[:-3]))


def cases() -> Iterator[Case]:
    for record in bench().samples:
        if record.id[:-3] in PICTURES and not record.content.plan:
            yield case(record.id)


def plans() -> Iterator[Case]:
    for record in bench().samples:
        if record.content.plan:
            yield case(record.id)


def run(agent: str, one: Case, condition: str = Condition.NONE, gold: bool = False) -> Run:
    sample = one.sample if gold else one.sample.without_gold()
    return AGENTS[agent].run(one.picture, sample, condition, SEED, one.whole)


def share_right(agent: str, condition: str = Condition.NONE) -> float:
    right = []
    for one in cases():
        said = (run(agent, one, condition, gold=agent == "oracle zoom").trajectory.answer or "").removesuffix(".")
        right.append(said.removeprefix("The answer is ") in one.record.content.answers)
    return sum(right) / len(right)


def test_whoever_sees_the_whole_picture_guesses() -> None:
    assert all(run("whole image", one).trajectory.extra == {"guessed": True} for one in cases())


def test_even_knowing_every_value_to_the_pixel_and_its_place_the_whole_picture_gives_little_more_than_chance() -> None:
    """Each of the four values is put into its place in turn, and the nearest of the four is taken.

    A third is right where a guess gives a quarter: what JPEG keeps of strokes below a pixel, no person sees.
    """
    right: list[bool] = []
    for name in SCENES:
        picture, _ = drawn(name)
        boxes = [part.box for part in parts_of(name)]
        shown = [with_values(picture, name, k) for k in range(4)]
        exact = [shrink_to(one, BUDGET).astype(np.int32) for one in shown]
        seen = [whole_view(one).pixels.astype(np.int32) for one in shown]
        for x1, y1, x2, y2 in boxes:
            place = np.s_[int(y1 / 3.75) - 1 : int(y2 / 3.75) + 2, int(x1 / 3.75) - 1 : int(x2 / 3.75) + 2]
            for k in range(4):
                away = [int(((seen[k][place] - look[place]) ** 2).sum()) for look in exact]
                right.append(away.index(min(away)) == k)
    assert len(right) == 4 * 101
    assert np.mean(right) <= 1 / 3


def parts_of(name: str) -> list[Evidence]:
    samples = (sample.id for sample in bench().samples if sample.id.startswith(name))
    looks = [bench().looks[sample] for sample in samples]
    plates = [plate for look in looks if look.wall for plate in look.wall.plates.values()]
    return list({part.name: part for part in [*plates, *(part for look in looks for part in look.parts)]}.values())


def with_values(picture: Picture, name: str, k: int) -> Picture:
    """The picture with every part showing the value number ``k``."""
    changed = picture.copy()
    for part in parts_of(name):
        x1, y1, x2, y2 = part.box
        changed[y1:y2, x1:x2] = picture_of(part.patch(part.values[k]))
    return changed


def test_all_evidence_can_be_read_in_a_crop_of_it() -> None:
    for one in cases():
        for piece, truth, box in zip(one.sample.pieces, one.truths, one.sample.gold_boxes, strict=True):
            around = Box(box.x1 - 30, box.y1 - 30, box.x2 + 30, box.y2 + 30)
            reading = read(crop_view(one.picture, around, "crop", Condition.NONE, "1"), piece)
            assert reading is not None
            assert reading.clear, one.record.id
            assert reading.value == truth, one.record.id


def test_the_mark_of_a_tool_can_be_read_in_a_crop_of_it_and_under_no_other_letter() -> None:
    for one in plans():
        assert one.sample.tools
        plates = {name: plate for alike in one.sample.tools.plates.values() for name, plate in alike.items()}
        for part in bench().looks[one.record.id].parts:
            x1, y1, x2, y2 = part.box
            view = crop_view(one.picture, Box(x1 - 30, y1 - 30, x2 + 30, y2 + 30), "crop", Condition.NONE, "1")
            read = {name: clearest([view], plate, LETTER) for name, plate in plates.items()}
            assert {name: found[0].value for name, found in read.items() if found} == {part.name: part.truth}


def test_who_sees_the_marks_of_the_right_tools_need_not_guess_and_who_sees_the_wall_from_afar_must() -> None:
    for one in plans():
        told = run("oracle zoom", one, gold=True)
        tools = {target.tool for target in one.record.content.plan.targets}
        assert set(told.trajectory.plan or ()) == tools, one.record.id
        assert told.trajectory.extra == {}
        assert next(judge(told, one.sample)).verdict == "yes"
        for agent, condition in (("whole image", Condition.NONE), ("oracle zoom", Condition.VISUAL)):
            assert run(agent, one, condition, gold=True).trajectory.extra == {"guessed": True}, one.record.id


def test_noise_is_repeatable_and_unlike_another_seed() -> None:
    picture = np.zeros((40, 50, 3), np.uint8)
    noise = noise_like(picture, 5)
    assert noise.shape == picture.shape
    assert np.array_equal(noise, noise_like(picture, 5))
    assert not np.array_equal(noise, noise_like(picture, 6))
    assert 120 < noise.mean() < 135


@pytest.mark.parametrize("condition", [Condition.VISUAL, Condition.PLACEBO])
def test_nothing_is_read_in_noise_or_in_another_place(condition: str) -> None:
    for one in cases():
        for piece, box in zip(one.sample.pieces, one.sample.gold_boxes, strict=True):
            reading = read(crop_view(one.picture, box, "crop", condition, "1"), piece)
            assert reading is None or not reading.clear, one.record.id


def test_the_oracle_is_right_and_loses_it_when_shown_noise() -> None:
    assert share_right("oracle zoom") >= 0.97
    assert share_right("oracle zoom", Condition.VISUAL) <= 0.55


def test_looking_where_it_is_busy_is_better_than_guessing_and_worse_than_being_told() -> None:
    assert share_right("whole image") < share_right("contrast zoom") < share_right("oracle zoom")


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_seed_gives_the_same_trajectory(agent: str) -> None:
    one = case("desk-oak-02")
    assert run(agent, one, gold=True).trajectory == run(agent, one, gold=True).trajectory


@pytest.mark.parametrize("agent", [name for name in AGENTS if name != "oracle zoom"])
@pytest.mark.parametrize("sample_id", ["desk-oak-02", "panel-slate-05", PLAN])
def test_only_the_oracle_uses_the_gold_boxes(agent: str, sample_id: str) -> None:
    one = case(sample_id)
    assert run(agent, one, gold=True).trajectory == run(agent, one, gold=False).trajectory


def test_the_same_guess_is_drawn_under_every_condition() -> None:
    one = case("panel-slate-05")
    noise, placebo = (run("random zoom", one, c).trajectory for c in (Condition.VISUAL, Condition.PLACEBO))
    assert noise.extra == placebo.extra == {"guessed": True}
    assert noise.answer == placebo.answer


def test_the_whole_image_agent_makes_no_call_and_has_no_interventions() -> None:
    trajectory = run("whole image", case("desk-oak-01")).trajectory
    assert trajectory.steps == ()
    assert AGENTS["whole image"].conditions == (Condition.NONE,)


def test_a_crop_is_handed_over_within_the_budget_and_says_what_was_executed() -> None:
    one = case("desk-oak-01")
    agent = ScriptedAgent("test", "", lambda *_: (Look(Box(-50, 20, 350, 320), "because"),), sorted)
    step = agent.run(one.picture, one.sample).trajectory.steps[0]
    assert step.bbox == (-50, 20, 350, 320)
    assert step.executed_bbox == (0, 20, 350, 320)
    assert step.out_size == (BUDGET, round(300 * BUDGET / 350))


def test_a_zoom_inside_a_crop_is_asked_for_in_the_pixels_of_that_crop() -> None:
    one = case("desk-oak-01")
    looks = (Look(Box(400, 200, 912, 488), "wide"), Look(Box(500, 250, 600, 300), "close", inside=True))
    agent = ScriptedAgent("test", "", lambda *_: looks, sorted)
    step = agent.run(one.picture, one.sample).trajectory.steps[1]
    assert step.image_in == "crop1"
    assert step.bbox == (200, 100, 400, 200)
    assert step.executed_bbox is None


def test_enhancements_are_steps_of_a_chain_that_really_ran() -> None:
    one = case("desk-oak-01")
    look = Look(Box(400, 200, 912, 488), "wide", enhance=(("sharpen", {"amount": 1.0}),))
    agent = ScriptedAgent("test", "", lambda *_: (look,), sorted)
    trajectory = agent.run(one.picture, one.sample).trajectory
    assert [(s.tool, s.image_in, s.image_out, s.ok) for s in trajectory.steps] == [
        ("zoom_in", "original", "crop1", True),
        ("sharpen", "crop1", "crop1_sharpen", True),
    ]
    assert trajectory.final_image == "crop1_sharpen"


def test_a_placebo_step_says_which_region_was_shown() -> None:
    step = run("center zoom", case("desk-oak-01"), Condition.PLACEBO).trajectory.steps[0]
    assert step.executed_bbox is not None
    assert step.executed_bbox != step.bbox
    assert step.extra == {"shown": "another region"}


def test_tools_are_recognised_and_planned_in_different_orders() -> None:
    one = case(PLAN)
    oracle, alphabetical = (run(name, one, gold=True).trajectory for name in ("oracle zoom", "center zoom"))
    assert set(oracle.plan or ()) <= set(oracle.recognition or ())
    assert [kind_of(tool) for tool in oracle.plan or ()] == ["clamp", "hacksaw", "file"]
    assert list(alphabetical.plan or ()) == sorted(alphabetical.plan or ())


def test_the_judge_finds_crops_reliable_and_sufficient_only_where_the_evidence_can_be_made_out() -> None:
    one = case("desk-oak-01")
    good = {j.kind: j for j in judge(run("oracle zoom", one, gold=True), one.sample)}
    bad = {j.kind: j for j in judge(run("oracle zoom", one, Condition.VISUAL, gold=True), one.sample)}
    assert good[JudgementKind.RELIABILITY].verdict == "yes"
    assert good[JudgementKind.SUFFICIENCY].answer == one.record.content.answers[0]
    assert bad[JudgementKind.RELIABILITY].verdict == bad[JudgementKind.SUFFICIENCY].verdict == "no"
    assert {j.judge for j in good.values()} == {JUDGE}
    assert list(judge(run("whole image", one), one.sample)) == []
