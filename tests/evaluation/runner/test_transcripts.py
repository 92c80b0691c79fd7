"""Dialect round trip: what a model calls is what its row says, and what the importer of its family reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from annotation.importers.fields import Number4, Report
from annotation.toolbox.vtc import Profile
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import BoxSpace, ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.zooming import in_pixels
from evaluation.replay.run import Outcome, replay
from evaluation.runner.cells import CellResult
from evaluation.runner.conversation import Conversation
from evaluation.runner.dialects.catalogue import CODE_DIALECTS, TOOLBOX_DIALECTS
from evaluation.runner.dialects.thyme import Cell
from evaluation.runner.dialects.toolbox import ToolboxCall
from evaluation.runner.dialects.zoom import DialectError, Response, ZoomCall, ZoomImage, frame_size
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.runner.protocols import Limits
from evaluation.runner.turns import CodeCell, Finished, ToolCalls
from evaluation.schema import Issue, Trajectory
from tests.evaluation.runner.attempts import HEIGHT, WIDTH, recipe, request_of, row_of, said, task

CALLS = 500
IN_ATTEMPT = 50
Boxes = list[tuple[Number4, Number4] | None]
"""Of each call, the requested and the executed box in pixels of the original; None = it failed."""
INDEX = MemoryIndex([SampleKey("s1", "s1.png", "Which cup?", {"A": "red", "B": "blue"}, (WIDTH, HEIGHT))])


def random_box(random: Random, width: float, height: float, *, whole: bool) -> Number4:
    x, y = random.uniform(0, 0.6), random.uniform(0, 0.6)
    wide, high = random.uniform(0.1, 0.38), random.uniform(0.1, 0.38)
    edges = (x * width, y * height, (x + wide) * width, (y + high) * height)
    a, b, c, d = (float(round(edge)) if whole else round(edge, 4) for edge in edges)
    return a, b, c, d


def one_of(random: Random, sizes: Sequence[tuple[float, float]]) -> int:
    """The number of an image that is large enough for whole pixels, one of the first."""
    return random.choice([number for number, size in enumerate(sizes) if min(size) >= 40][:6])


def native(responses: Sequence[Response], text: str) -> dict[str, Any]:
    return said(text, *[(call.name, call.arguments) for response in responses for call in response.calls])


def hand_in(conversation: Conversation, message: dict[str, Any]) -> None:
    conversation.answered(message, "stop")
    waits = conversation.next()
    assert isinstance(waits, ToolCalls)
    conversation.tool_results(waits.run())


def zoomed(name: str, random: Random, original_only: bool) -> tuple[Conversation, Boxes]:
    """An attempt of random zoom calls, some on crops; expected are the boxes by the dialect alone."""
    dialect = ZOOM_DIALECTS[name]
    conversation = Conversation(recipe("zoom", dialect=name, limits=Limits(200, 1000)), task())
    images, expected = [ZoomImage.original(WIDTH, HEIGHT)], Boxes()
    while len(expected) < IN_ATTEMPT:
        responses = []
        for _ in range(1 if name in ("pixel-reasoner", "json") else random.randint(1, 3)):
            index = 0 if original_only else one_of(random, [image.size for image in images])
            call = ZoomCall(random_box(random, *frame_size(dialect.frame, images[index]), whole=name == "tools"), index)
            responses.append(dialect.write(call))
            try:
                result = dialect.locate(call, images)
            except DialectError:
                expected.append(None)
            else:
                images.append(result.image)
                expected.append((result.requested, result.executed))
        texts = "\n".join(response.text for response in responses)
        hand_in(conversation, native(responses, "I look.") if dialect.native else said(f"I look.\n{texts}"))
    return conversation, expected


def cropped(name: str, random: Random, original_only: bool) -> tuple[Conversation, Boxes]:
    """An attempt of random crops with the toolbox, each of the original or of an earlier crop."""
    dialect = TOOLBOX_DIALECTS[name]
    conversation = Conversation(recipe("interface", dialect=name, limits=Limits(200, 100)), task())
    regions, expected = [(0.0, 0.0, float(WIDTH), float(HEIGHT))], Boxes()
    while len(expected) < IN_ATTEMPT:
        responses = []
        for _ in range(random.randint(1, 3)):
            index = 0 if original_only else one_of(random, [(x2 - x1, y2 - y1) for x1, y1, x2, y2 in regions])
            left, top, right, bottom = regions[index]
            x1, y1, x2, y2 = random_box(random, right - left, bottom - top, whole=True)
            place = {"x": int(x1), "y": int(y1), "width": int(x2 - x1), "height": int(y2 - y1)}
            path = "/images/s1.png" if index == 0 else f"/out/{index}.png"
            flat = {"image": "original" if index == 0 else f"image_{index}", **place}
            named = ToolboxCall("opencv_crop", {"image": path, "param": place})
            responses.append(dialect.write(named if name == "vtc" else ToolboxCall("crop", flat)))
            regions.append((left + x1, top + y1, left + x2, top + y2))
            expected.append((regions[-1], regions[-1]))
        hand_in(conversation, native(responses, ""))
    return conversation, expected


def coded(name: str, random: Random, original_only: bool) -> tuple[Conversation, Boxes]:
    """An attempt of random crops in Python, each of the original or of a saved crop."""
    dialect = CODE_DIALECTS[name]
    conversation = Conversation(recipe("code", dialect=name, limits=Limits(200, 1000)), task())
    regions, expected = [(0.0, 0.0, float(WIDTH), float(HEIGHT))], Boxes()
    picture = np.zeros((8, 8, 3), np.uint8)
    while len(expected) < IN_ATTEMPT:
        index = 0 if original_only else one_of(random, [(x2 - x1, y2 - y1) for x1, y1, x2, y2 in regions])
        left, top, right, bottom = regions[index]
        x1, y1, x2, y2 = random_box(random, right - left, bottom - top, whole=True)
        path = "/in/image.png" if index == 0 else f"/out/{index}.png"
        box = f"({x1:.0f}, {y1:.0f}, {x2:.0f}, {y2:.0f})"
        code = f"from PIL import Image\npart = Image.open('{path}').crop({box})\npart.save('/out/{len(regions)}.png')"
        conversation.answered(said(f"I look.\n{dialect.write(Cell(code)).text}"), "stop")
        assert conversation.next() == CodeCell(code)
        conversation.cell_result(CellResult("saved", [picture]))
        regions.append((left + x1, top + y1, left + x2, top + y2))
        expected.append((regions[-1], regions[-1]))
    return conversation, expected


def boxes_of(trajectory: Trajectory) -> Boxes:
    """The boxes of the steps in pixels of the original, each through the images that it was made on."""
    frames = {"original": ((float(WIDTH), float(HEIGHT)), (0.0, 0.0, float(WIDTH), float(HEIGHT)))}
    found = Boxes()
    for step in trajectory.steps:
        if not step.ok:
            found.append(None)
            continue
        size, (left, top, right, bottom) = frames[str(step.image_in)]
        across, down = (right - left) / size[0], (bottom - top) / size[1]
        assert step.bbox
        both = [in_pixels(box, step.coords, size) for box in (step.bbox, step.executed_bbox or step.bbox)]
        on = [
            (left + x1 * across, top + y1 * down, left + x2 * across, top + y2 * down) for x1, y1, x2, y2 in both
        ]  # fmt: skip
        found.append((on[0], on[1]))
        assert step.image_out
        cut = both[1]
        frames[step.image_out] = (step.out_size or (cut[2] - cut[0], cut[3] - cut[1]), on[1])
    return found


def assert_same(found: Boxes, expected: Boxes, *, executed: bool = True) -> None:
    assert [box is None for box in found] == [box is None for box in expected]
    for ours, theirs in zip(found, expected, strict=True):
        if ours and theirs:
            for one, other in list(zip(ours, theirs, strict=True))[: 2 if executed else 1]:
                assert one == pytest.approx(other, abs=1e-6)


def transcript(conversation: Conversation) -> list[dict[str, Any]]:
    """The messages of the last request."""
    return list(request_of(conversation).body["messages"])


ATTEMPTS = {"zoom": zoomed, "interface": cropped, "code": coded}


def attempts(protocol: str, dialect: str, *, original_only: bool = False) -> Iterator[tuple[Conversation, Boxes]]:
    made = 0
    while made < CALLS:
        conversation, expected = ATTEMPTS[protocol](dialect, Random(f"{dialect} {made}"), original_only)
        made += len(expected)
        yield conversation, expected


@pytest.mark.parametrize(
    ("protocol", "dialect"),
    [
        *(("zoom", name) for name in ZOOM_DIALECTS),
        *(("interface", name) for name in TOOLBOX_DIALECTS),
        *(("code", name) for name in CODE_DIALECTS),
    ],
)
def test_the_row_has_the_boxes_that_the_calls_ask_for_and_return(protocol: str, dialect: str):
    for conversation, expected in attempts(protocol, dialect):
        conversation.answered(said("<answer>A</answer>"), "stop")
        assert isinstance(conversation.next(), Finished)
        report = Report("row", 1)
        trajectory = trajectory_from(json.loads(json.dumps(row_of(conversation))), ReadOptions(), report)
        assert report.issues == []
        assert sum(box is not None for box in expected) > len(expected) / 2
        assert_same(boxes_of(trajectory), expected)


@pytest.mark.parametrize(
    ("protocol", "dialect"),
    [*(("zoom", name) for name in ZOOM_DIALECTS), *(("interface", name) for name in TOOLBOX_DIALECTS)],
)
def test_a_replay_makes_the_same_images_and_leaves_out_calls_that_were_not_run(protocol: str, dialect: str):
    conversation, expected = ATTEMPTS[protocol](dialect, Random(dialect), False)
    message = transcript(conversation)[2]
    conversation.answered({**message, "content": f"<answer>A</answer>{message['content'] or ''}"}, "stop")
    trajectory = trajectory_from(dict(row_of(conversation)), ReadOptions(), Report("row", 1))
    profile = Profile.VTC if dialect == "vtc" else Profile.STRICT
    outcomes = [one.outcome for one in replay(trajectory.steps, task().image.picture(), profile=profile)]
    assert outcomes[: len(expected)] == [Outcome.FAILED if box is None else Outcome.SAME for box in expected]
    rest = outcomes[len(expected) :]
    assert rest == [Outcome.FAILED] * len(rest) != []


def saved_as(name: str, folder: Path, messages: list[dict[str, Any]]) -> Path:
    """The transcript with its answer, as files of the family have it."""
    answer = {"role": "assistant", "content": "<answer>A</answer>"}
    files: dict[str, object] = {"s1.json": [*messages, answer]}
    if name == "pixel-reasoner":
        files = {"s1/conv.json": [[*messages, answer], "", "[]"]}
    elif name == "vtc-bench":
        row = {"item_id": "s1", "image_path": "/images/s1.png", "question": "Which cup?", "agent_answer": "A",
               "options": {"A": "red", "B": "blue"}}  # fmt: skip
        files = {"results_m.jsonl": row, "response_list_s1.json": {"response_list": [*messages, answer]}}
    elif name == "thyme":
        last = {"messages": messages, "response": answer["content"]}
        files = {"sample_s1/conversation_history.json": [{"role": "user", "content": "Question: Which cup?"}, answer],
                 "sample_s1/api_calls.json": [last]}  # fmt: skip
    for file, content in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("protocol", "dialect", "importer"),
    [
        ("zoom", "qwen3-vl", "qwen-agent"),
        ("zoom", "qwen2.5-vl", "qwen-agent"),
        ("zoom", "pixel-reasoner", "pixel-reasoner"),
        ("zoom", "tools", "openai-chat"),
        ("interface", "tools", "openai-chat"),
        ("interface", "vtc", "vtc-bench"),
        ("code", "thyme", "thyme"),
    ],
)
@pytest.mark.endurance
def test_the_importer_of_the_family_reads_the_transcript_to_the_same_boxes(
    protocol: str, dialect: str, importer: str, tmp_path: Path
):
    """Chats of no family do not tell which image a call works on, and files of Qwen2.5-VL no sizes of crops: there,
    calls work on the original. Thyme's importer enlarges small boxes as its sandbox does, which ours leaves out."""
    alone = importer == "openai-chat" or dialect == "qwen2.5-vl"
    options = ReadOptions(coordinates=BoxSpace(size=smart_resize(WIDTH, HEIGHT)) if dialect == "qwen2.5-vl" else None)
    for number, (conversation, expected) in enumerate(attempts(protocol, dialect, original_only=alone)):
        folder = saved_as(importer, tmp_path / str(number), transcript(conversation))
        found = list(IMPORTERS[importer].read(folder, options, INDEX))
        [trajectory] = [one for one in found if isinstance(one, Trajectory)]
        assert not [one for one in found if isinstance(one, Issue) and one.rule == "call-unreadable"]
        assert_same(boxes_of(trajectory), expected, executed=importer != "thyme")
        assert trajectory.answer == ("A" if importer == "vtc-bench" else "<answer>A</answer>")
