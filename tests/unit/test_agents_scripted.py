"""The scripted agents on real pixels of the demo: what they can see decides, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from annotation.exporters.native import row_line
from annotation.imaging.crops import Picture, encode_jpeg, shrink_to
from annotation.imaging.decoding import decode
from annotation.schema import Box, SampleRecord
from demo.agents import AGENTS
from demo.agents.judge import JUDGE, judge
from demo.agents.planning import LETTER
from demo.agents.reading import clearest, read
from demo.agents.sample import AgentSample, agent_sample
from demo.agents.scripted import Run, ScriptedAgent
from demo.agents.views import BUDGET, View, crop_view, noise_like, whole_view
from demo.agents.zoom_strategies import ZoomProposal
from demo.data import FOLDER, PUBLIC, SEED
from demo.scenes.benchmark import QUALITY, SCENES, DemoBenchmark, demo_benchmark
from demo.scenes.evidence import Evidence
from demo.scenes.hand_tools import kind_of
from demo.scenes.raster import picture_of
from evaluation.exporters.native import trajectory_row
from evaluation.schema import Condition, JudgementKind

UNSEEN, UNSEEN_IMAGE = 101, "tools-peg"
"""A seed that nothing was set by looking at. Drawing takes seconds, so the image with choices and plans is enough."""
PICTURES = ("desk-oak", "panel-slate", "tools-peg")
PLAN = "tools-peg-06"


@dataclass(frozen=True)
class Case:
    record: SampleRecord
    sample: AgentSample
    parts: tuple[Evidence, ...]
    picture: Picture
    whole: View


@cache
def bench(seed: int) -> DemoBenchmark:
    return demo_benchmark(seed)


@cache
def seen(name: str, seed: int) -> tuple[Picture, View]:
    """The image as the product ships it; of another seed, drawn here."""
    if seed == SEED:
        picture = decode(FOLDER / PUBLIC / f"{name}.jpg")
    else:
        source = next(one for one in bench(seed).pictures if one.name == name)
        picture = decode(encode_jpeg(picture_of(source.svg, source.shade), QUALITY))
    return picture, whole_view(picture)


@cache
def case(sample_id: str, seed: int = SEED) -> Case:
    record = next(one for one in bench(seed).samples if one.id == sample_id)
    parts = bench(seed).looks[sample_id].parts
    return Case(record, agent_sample(record, bench(seed)), parts, *seen(sample_id[:-3], seed))


def cases(*, plans: bool = False) -> Iterator[Case]:
    """The choices and open questions of three images, or all plans; and those of the unseen image."""
    for seed, names in ((SEED, SCENES if plans else PICTURES), (UNSEEN, (UNSEEN_IMAGE,))):
        for record in bench(seed).samples:
            if record.id[:-3] in names and bool(record.content.plan) == plans:
                yield case(record.id, seed)


def run(agent: str, one: Case, condition: str = Condition.NONE, gold: bool = False) -> Run:
    sample = one.sample if gold else one.sample.without_gold()
    return AGENTS[agent].run(one.picture, sample, condition, SEED, one.whole)


@cache
def shipped(kind: str) -> list[dict[str, Any]]:
    """The rows of the runs that the product ships."""
    return [json.loads(line) for line in (FOLDER / PUBLIC / f"{kind}.jsonl").read_bytes().splitlines()]


def made(agent: str, condition: str = Condition.NONE) -> dict[str, dict[str, Any]]:
    """The shipped trajectories of an agent under a condition, by sample."""
    rows = (row for row in shipped("trajectories") if row["model"] == agent)
    return {row["sample_id"]: row for row in rows if row.get("condition", Condition.NONE) == condition}


def samples(*, plans: bool) -> list[SampleRecord]:
    return [record for record in bench(SEED).samples if bool(record.content.plan) == plans]


def share_right(agent: str, condition: str = Condition.NONE) -> float:
    rows, right = made(agent, condition), []
    for record in samples(plans=False):
        said = rows[record.id].get("answer", "").removesuffix(".")
        right.append(said.removeprefix("The answer is ") in record.content.answers)
    return sum(right) / len(right)


def test_whoever_sees_the_whole_picture_guesses() -> None:
    rows = made("whole image")
    assert all(rows[record.id]["guessed"] for record in samples(plans=False))


@pytest.mark.endurance
def test_even_knowing_every_value_to_the_pixel_and_its_place_the_whole_picture_gives_little_more_than_chance() -> None:
    """Each of the four values is put into its place in turn, and the nearest of the four is taken.

    A third is right where a guess gives a quarter: what JPEG keeps of strokes below a pixel, no person sees.
    """
    right: list[bool] = []
    for name in SCENES:
        picture, _ = seen(name, SEED)
        boxes = [part.box for part in parts_of(name)]
        small = [shrink_to(with_values(picture, name, k), BUDGET) for k in range(4)]
        exact = [one.astype(np.int32) for one in small]
        sent = [whole_view(one).pixels.astype(np.int32) for one in small]
        for x1, y1, x2, y2 in boxes:
            place = np.s_[int(y1 / 3.75) - 1 : int(y2 / 3.75) + 2, int(x1 / 3.75) - 1 : int(x2 / 3.75) + 2]
            for k in range(4):
                away = [int(((sent[k][place] - look[place]) ** 2).sum()) for look in exact]
                right.append(away.index(min(away)) == k)
    assert len(right) == 4 * 101
    assert np.mean(right) <= 1 / 3


def parts_of(name: str) -> list[Evidence]:
    looks = [bench(SEED).looks[record.id] for record in bench(SEED).samples if record.id.startswith(name)]
    plates = [plate for look in looks if look.wall for plate in look.wall.plates.values()]
    return list({part.name: part for part in [*plates, *(part for look in looks for part in look.parts)]}.values())


def with_values(picture: Picture, name: str, k: int) -> Picture:
    """The picture with every part showing the value number ``k``."""
    changed = picture.copy()
    for part in parts_of(name):
        x1, y1, x2, y2 = part.box
        changed[y1:y2, x1:x2] = picture_of(part.patch(part.values[k]))
    return changed


@pytest.mark.endurance
def test_all_evidence_can_be_read_in_a_crop_of_it() -> None:
    for one in cases():
        for piece, part, box in zip(one.sample.pieces, one.parts, one.sample.gold_boxes, strict=True):
            around = Box(box.x1 - 30, box.y1 - 30, box.x2 + 30, box.y2 + 30)
            reading = read(crop_view(one.picture, around, "crop", Condition.NONE, "1"), piece)
            assert reading is not None
            assert reading.clear, one.record.id
            assert reading.value == part.truth, one.record.id


@pytest.mark.endurance
def test_the_mark_of_a_tool_can_be_read_in_a_crop_of_it_and_under_no_other_letter() -> None:
    for one in cases(plans=True):
        assert one.sample.tools
        plates = {name: plate for alike in one.sample.tools.plates.values() for name, plate in alike.items()}
        for part in one.parts:
            x1, y1, x2, y2 = part.box
            view = crop_view(one.picture, Box(x1 - 30, y1 - 30, x2 + 30, y2 + 30), "crop", Condition.NONE, "1")
            read = {name: clearest([view], plate, LETTER) for name, plate in plates.items()}
            assert {name: found[0].value for name, found in read.items() if found} == {part.name: part.truth}


def test_who_sees_the_marks_of_the_right_tools_need_not_guess_and_who_sees_the_wall_from_afar_must() -> None:
    judged = {row["sample_id"]: row for row in shipped("judgements") if row["model"] == "oracle zoom"}
    told, noise, afar = made("oracle zoom"), made("oracle zoom", Condition.VISUAL), made("whole image")
    for record in samples(plans=True):
        tools = {target.tool for target in record.content.plan.targets}
        assert set(told[record.id]["predicted_tools_plan"]) == tools, record.id
        assert "guessed" not in told[record.id]
        assert judged[record.id]["verdict"] == "yes"
        assert noise[record.id]["guessed"] is afar[record.id]["guessed"] is True, record.id


def test_noise_is_repeatable_and_unlike_another_seed() -> None:
    picture = np.zeros((40, 50, 3), np.uint8)
    noise = noise_like(picture, 5)
    assert noise.shape == picture.shape
    assert np.array_equal(noise, noise_like(picture, 5))
    assert not np.array_equal(noise, noise_like(picture, 6))
    assert 120 < noise.mean() < 135


@pytest.mark.endurance
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
    again = run(agent, case("desk-oak-02"), gold=True).trajectory
    assert json.loads(row_line(trajectory_row(again))) == made(agent)["desk-oak-02"]


@pytest.mark.parametrize("agent", [name for name in AGENTS if name != "oracle zoom"])
@pytest.mark.parametrize("sample_id", ["desk-oak-02", "panel-slate-05", PLAN])
@pytest.mark.endurance
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
    agent = ScriptedAgent("test", "", lambda *_: (ZoomProposal(Box(-50, 20, 350, 320), "because"),), sorted)
    step = agent.run(one.picture, one.sample).trajectory.steps[0]
    assert step.bbox == (-50, 20, 350, 320)
    assert step.executed_bbox == (0, 20, 350, 320)
    assert step.out_size == (BUDGET, round(300 * BUDGET / 350))


def test_a_zoom_inside_a_crop_is_asked_for_in_the_pixels_of_that_crop() -> None:
    one = case("desk-oak-01")
    looks = (ZoomProposal(Box(400, 200, 912, 488), "wide"), ZoomProposal(Box(500, 250, 600, 300), "close", inside=True))
    agent = ScriptedAgent("test", "", lambda *_: looks, sorted)
    step = agent.run(one.picture, one.sample).trajectory.steps[1]
    assert step.image_in == "crop1"
    assert step.bbox == (200, 100, 400, 200)
    assert step.executed_bbox is None


def test_enhancements_are_steps_of_a_chain_that_really_ran() -> None:
    one = case("desk-oak-01")
    look = ZoomProposal(Box(400, 200, 912, 488), "wide", enhance=(("sharpen", {"amount": 1.0}),))
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
