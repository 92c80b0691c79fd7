"""The benchmarks of the demo: pictures drawn from a seed, their samples, and what every answer would look like."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product
from pathlib import Path
from typing import Any

from annotation.imaging.crops import encode_jpeg
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolPlan
from demo.scenes.canvas import HEIGHT, WIDTH
from demo.scenes.chains import reference_chain
from demo.scenes.desk import draw_desk
from demo.scenes.evidence import Evidence, Pixels, PlacedTool, Scene
from demo.scenes.hand_tools import MARKS, TOOLS
from demo.scenes.noticeboard import draw_notice_board
from demo.scenes.panel import draw_panel
from demo.scenes.questions import (
    BOARD_QUESTIONS,
    NAMING,
    PLANS,
    QUESTIONS,
    SPATIAL,
    TIERS,
    PlanQuestion,
    Question,
)
from demo.scenes.raster import picture_of
from demo.scenes.shelf import draw_shelf
from demo.scenes.street import draw_street
from demo.scenes.toolwall import LOOKS as WALL_COLOURS
from demo.scenes.toolwall import draw_tool_wall

Draw = Callable[[str, int], Scene]
SCENES: Mapping[str, Draw] = {
    "street-day": partial(draw_street, mood="day"),
    "street-dusk": partial(draw_street, mood="dusk"),
    "shelf-pantry": partial(draw_shelf, look="pantry"),
    "shelf-cool": partial(draw_shelf, look="cool"),
    "panel-green": partial(draw_panel, look="green"),
    "panel-slate": partial(draw_panel, look="slate"),
    "desk-oak": partial(draw_desk, look="oak"),
    "desk-slate": partial(draw_desk, look="slate"),
    "tools-peg": partial(draw_tool_wall, look="peg"),
    "tools-steel": partial(draw_tool_wall, look="steel"),
}
"""Every image of the public demo: its name and who draws it."""
BOARDS: Mapping[str, Draw] = {
    name: partial(
        draw_notice_board,
        look=name.removeprefix("board-"),
        asked=list(dict.fromkeys(part for question in questions for part in question.parts)),
    )
    for name, questions in BOARD_QUESTIONS.items()
}
"""The images of its private benchmark. None is in the public one, where anybody could look up what they show."""

SIZE_CLASSES = ((0.0004, "under 0.04 %"), (0.0008, "0.04 to 0.08 %"), (1.0, "over 0.08 %"))
QUALITY = 92


@dataclass(frozen=True)
class DemoPicture:
    """An image as markup. ``shade``: how dark its corners become, see ``raster.darken_corners``."""

    name: str
    svg: str
    shade: float

    @property
    def file(self) -> str:
        return f"{self.name}.jpg"


@dataclass(frozen=True, eq=False)
class Wall:
    """What is known of a tool wall: the color behind the tools, and by name of each of several alike its plate."""

    back: str
    plates: Mapping[str, Evidence]


@dataclass(frozen=True)
class Looks:
    """What somebody who answers a sample knows of its appearance, without knowing which is true.

    ``parts`` are the pieces of evidence with the values each could show; ``answers`` gives the answer text for every
    combination of values. ``wall`` is there where tools are asked for: its color, and the plates under alike tools.
    """

    parts: tuple[Evidence, ...] = ()
    answers: Mapping[tuple[str, ...], str] | None = None
    wall: Wall | None = None


@dataclass(frozen=True)
class DemoBenchmark:
    pictures: list[DemoPicture]
    samples: list[SampleRecord]
    looks: Mapping[str, Looks]

    def option_patches(self, sample_id: str, option: str) -> list[tuple[str, ...]]:
        """For each combination of values that answers ``option``: the SVG of every piece of evidence.

        ``option`` is the text of the answer, not its letter. Empty for a sample that asks for tools.
        """
        looks = self.looks[sample_id]
        chosen = [values for values, answer in (looks.answers or {}).items() if answer == option]
        return [tuple(p.patch(v) for p, v in zip(looks.parts, values, strict=True)) for values in chosen]


def demo_benchmark(seed: int = 7) -> DemoBenchmark:
    """The public benchmark, without a pixel drawn yet. The same seed gives the same benchmark."""
    return _benchmark(SCENES, QUESTIONS, seed)


def work_benchmark(seed: int = 7) -> DemoBenchmark:
    """The private one: other images and other questions, all of them choices."""
    return _benchmark(BOARDS, BOARD_QUESTIONS, seed)


def _benchmark(scenes: Mapping[str, Draw], questions: Mapping[str, Sequence[Question]], seed: int) -> DemoBenchmark:
    rng = random.Random(f"benchmark:{seed}")
    pictures: list[DemoPicture] = []
    drafts: list[tuple[SampleRecord, Looks, str]] = []
    for name, draw in scenes.items():
        scene = draw(name, seed)
        pictures.append(DemoPicture(name, scene.svg, scene.shade))
        asked = [_asked(scene, question, rng) for question in questions[name]]
        if name in PLANS:
            wall = _wall(scene)
            asked += [_planned(scene, plan, wall) for plan in PLANS[name]]
        for k, (content, looks, facets) in enumerate(asked):
            record = _record(scene, k, content, facets)
            drafts.append((record, looks, content.answers[0]))
    letters = _balanced_letters(sum(1 for record, _, _ in drafts if record.content.options), rng)
    samples = [_lettered(record, truth, letters, rng) for record, _, truth in drafts]
    return DemoBenchmark(pictures, samples, {record.id: looks for record, looks, _ in drafts})


def write_picture(folder: Path, picture: DemoPicture) -> Path:
    """Draws one image and stores it in ``folder``."""
    path = folder / picture.file
    path.write_bytes(encode_jpeg(picture_of(picture.svg, picture.shade), QUALITY))
    return path


def _asked(scene: Scene, question: Question, rng: random.Random) -> tuple[SampleContent, Looks, dict[str, Any]]:
    parts = tuple(scene.evidence[name] for name in question.parts)
    answers = {values: question.rule(*values) for values in product(*(part.values for part in parts))}
    truth = answers[tuple(part.truth for part in parts)]
    options: tuple[str, ...] = ()
    if question.spoken is None:
        wrong = sorted(set(answers.values()) - {truth})
        options = (truth, *rng.sample(wrong, 3))
    content = SampleContent(
        question=question.words,
        answer_type=AnswerType.OPEN if question.spoken else AnswerType.MULTIPLE_CHOICE,
        options={str(k): text for k, text in enumerate(options)},
        answers=question.spoken(truth) if question.spoken else (truth,),
        gold_boxes=tuple(_box(part.box) for part in parts),
        reference_toolchain=reference_chain(question.category, [part.box for part in parts]),
    )
    facets = _facets(question.category, question.reasons, [part.box for part in parts])
    return content, Looks(parts, answers), facets


def _planned(scene: Scene, plan: PlanQuestion, wall: Wall) -> tuple[SampleContent, Looks, dict[str, Any]]:
    """A plan asks for one of several alike by its mark: the evidence is the plates of those it needs."""
    hung = {kind: next(t for t in scene.tools if _is_asked(t, kind, scene)) for tools in plan.steps for kind in tools}
    steps = tuple(tuple(hung[kind].name for kind in tools) for tools in plan.steps)
    targets = tuple(Target(name, k) for k, names in enumerate(steps, start=1) for name in names)
    needed = {target.tool for target in targets}
    parts = tuple(wall.plates[target.tool] for target in targets if target.tool in wall.plates)
    boxes = [part.box for part in parts]
    content = SampleContent(
        question=f"{plan.words} {NAMING}",
        answers=_orders(steps, plan.ordered),
        gold_boxes=tuple(_box(box) for box in boxes),
        reference_toolchain=reference_chain(SPATIAL, boxes),
        plan=ToolPlan(targets, tuple(t.name for t in scene.tools if t.name not in needed), plan.ordered),
    )
    facets = _facets(SPATIAL, True, boxes)
    facets["segment"] = tuple(dict.fromkeys(TOOLS[kind].work for kind in hung))
    return content, Looks(parts, wall=wall), facets


def _is_asked(tool: PlacedTool, kind: str, scene: Scene) -> bool:
    """Whether a tool is the one of its kind that the plans mean: the only one, or the one with the mark asked for."""
    plate = scene.evidence.get(tool.name)
    return tool.kind == kind and (plate is None or plate.truth == MARKS[kind][0])


def _wall(scene: Scene) -> Wall:
    plates = {tool.name: scene.evidence[tool.name] for tool in scene.tools if tool.name != tool.kind}
    return Wall(WALL_COLOURS[scene.name.removeprefix("tools-")], plates)


def _orders(steps: Sequence[Sequence[str]], ordered: bool | None) -> tuple[str, ...]:
    """Every order of the tools that counts as right, as one text each."""
    if ordered is False:
        return tuple(", ".join(order) for order in permutations([tool for tools in steps for tool in tools]))
    ways = product(*(permutations(tools) for tools in steps))
    return tuple(", ".join(tool for tools in way for tool in tools) for way in ways)


def _facets(category: str, reasons: bool, boxes: Sequence[Pixels]) -> dict[str, Any]:
    share = max((x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in boxes) / (WIDTH * HEIGHT)
    return {
        "category": (category,),
        "tier": (TIERS[category],),
        "dimension": ("reasoning" if reasons else "perception",),
        "evidence": (next(name for limit, name in SIZE_CLASSES if share <= limit),),
    }


def _record(scene: Scene, k: int, content: SampleContent, facets: dict[str, Any]) -> SampleRecord:
    return SampleRecord(
        id=f"{scene.name}-{k + 1:02d}",
        content=content,
        image=f"{scene.name}.jpg",
        width=WIDTH,
        height=HEIGHT,
        facets={**facets, "scene": (scene.kind,)},
    )


def _balanced_letters(count: int, rng: random.Random) -> Iterator[str]:
    letters = [("ABCD")[k % 4] for k in range(count)]
    rng.shuffle(letters)
    return iter(letters)


def _lettered(record: SampleRecord, truth: str, letters: Iterator[str], rng: random.Random) -> SampleRecord:
    """The sample with its options under letters: the right one under the next letter, the others shuffled."""
    content = record.content
    if not content.options:
        return record
    right = next(letters)
    wrong = [text for text in content.options.values() if text != truth]
    rng.shuffle(wrong)
    options = {letter: truth if letter == right else wrong.pop() for letter in "ABCD"}
    lettered = SampleContent(
        question=content.question,
        answer_type=content.answer_type,
        options=options,
        answers=(right,),
        gold_boxes=content.gold_boxes,
        reference_toolchain=content.reference_toolchain,
        plan=content.plan,
    )
    return SampleRecord(record.id, lettered, record.image, None, record.width, record.height, record.facets)


def _box(pixels: Pixels) -> Box:
    return Box(*(float(v) for v in pixels))
