"""Each zoom dialect reads what it writes, and returns the pixels that the release of its family returns."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.runner.dialects.json_object import JsonObject
from evaluation.runner.dialects.native import Native
from evaluation.runner.dialects.zoom import (
    MOST_CALLS,
    DialectError,
    Frame,
    NativeCall,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    ZoomResult,
    from_pixels,
    to_pixels,
)
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.schema import Coordinates, Trajectory
from tests.unit.test_import_zooming_formats import read, written
from tests.unit.test_toolbox_schema import assert_flat

REAL = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "real"
IMAGE = ZoomImage.original(2000, 1000)
ALL: list[ZoomDialect] = [*ZOOM_DIALECTS.values(), *(kind(frame) for kind in (Native, JsonObject) for frame in Frame)]
LABELS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn")), max_size=30)


@st.composite
def calls(draw: st.DrawFn) -> ZoomCall:
    """Numbers of three decimals: the native dialect keeps six of a sum."""
    x, y = (draw(st.integers(0, 990_000)) / 1000 for _ in "xy")
    wide, high = (draw(st.integers(1, 900_000)) / 1000 for _ in "wh")
    return ZoomCall((x, y, round(x + wide, 3), round(y + high, 3)), draw(st.integers(0, 40)), draw(LABELS))


@pytest.mark.parametrize("dialect", ALL, ids=lambda one: f"{type(one).__name__}-{one.frame}")
@settings(max_examples=500)
@given(call=calls())
@pytest.mark.endurance
def test_dialect_roundtrip_gives_the_call_that_was_written(dialect: ZoomDialect, call: ZoomCall) -> None:
    if isinstance(dialect, Native):
        call = ZoomCall(call.box, call.image)
    assert dialect.parse(dialect.write(call)) == (call,)


def arguments_in(text: str) -> Any:
    """The arguments of a written call, tagged or not."""
    return json.loads(text.removeprefix("<tool_call>").removesuffix("</tool_call>"))["arguments"]


@pytest.mark.parametrize("name", ZOOM_DIALECTS)
@given(call=calls())
def test_the_tool_of_a_dialect_is_flat_and_accepts_its_calls(name: str, call: ZoomCall) -> None:
    dialect = ZOOM_DIALECTS[name]
    function = dialect.tool()["function"]
    assert_flat(function["parameters"])
    assert function["name"] == dialect.tool_name
    made = dialect.write(call)
    arguments = json.loads(made.calls[0].arguments) if made.calls else arguments_in(made.text)
    if name == "pixel-reasoner":
        arguments.pop("label", None)
    jsonschema.Draft202012Validator(function["parameters"]).validate(arguments)


@given(
    box=st.tuples(*[st.floats(-100, 5000)] * 4),
    frame=st.sampled_from(Frame),
    size=st.tuples(st.integers(1, 9000), st.integers(1, 9000)),
    sent=st.none() | st.tuples(st.integers(1, 4000), st.integers(1, 4000)),
)
def test_pixels_and_the_numbers_of_a_frame_convert_both_ways(
    box: tuple[float, float, float, float], frame: Frame, size: tuple[int, int], sent: tuple[int, int] | None
) -> None:
    image = ZoomImage.original(*size, sent)
    assert from_pixels(to_pixels(box, frame, image), frame, image) == pytest.approx(box, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("frame", "box"),
    [
        (Frame.PIXELS, (500, 250, 1000, 500)),
        (Frame.SENT, (250, 125, 500, 250)),
        (Frame.RESIZED, (252, 126, 504, 252)),
        (Frame.NORM1, (0.25, 0.25, 0.5, 0.5)),
        (Frame.NORM1000, (250, 250, 500, 500)),
    ],
)
def test_the_same_region_in_every_frame(frame: Frame, box: tuple[float, float, float, float]) -> None:
    """2000 × 1000 pixels, sent as 1000 × 500, which ``smart_resize`` makes 1008 × 504."""
    image = ZoomImage.original(2000, 1000, (1000, 500))
    for dialect in (Native(frame), JsonObject(frame)):
        result = dialect.locate(ZoomCall(box), [image])
        assert result.executed == result.requested == pytest.approx((500, 250, 1000, 500))
        assert result.shown == (500, 250)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real sample files are not beside the checkout")
def test_the_recorded_crops_of_qwen3_vl_have_the_sizes_that_it_returned() -> None:
    """Real output of the cookbook of Qwen3-VL."""
    recorded = json.loads((REAL / "qwen3vl_cookbook_hopinn_calls.json").read_text())
    dialect, image = ZOOM_DIALECTS["qwen3-vl"], ZoomImage.original(*recorded["image_size"])
    for row in recorded["calls"]:
        text = json.dumps({"name": "image_zoom_in_tool", "arguments": row["arguments"]})
        (call,) = dialect.parse(Response(f"I look closer.\n<tool_call>\n{text}\n</tool_call>"))
        assert isinstance(call, ZoomCall)
        result = dialect.locate(call, [image])
        assert result.requested == pytest.approx(row["expected_px"])
        assert list(result.shown) == row["returned_size"]


def test_a_crop_of_a_crop_of_qwen3_vl() -> None:
    """The second box is in the enlarged crop."""
    dialect = ZOOM_DIALECTS["qwen3-vl"]
    first = dialect.locate(ZoomCall((500, 250, 750, 500)), [IMAGE])
    assert first.executed == (1000, 250, 1500, 500)
    second = dialect.locate(ZoomCall((200, 400, 600, 900), 1), [IMAGE, first.image])
    assert second.requested == pytest.approx((1100, 350, 1300, 475))


def test_qwen_clips_and_grows_small_boxes() -> None:
    result = ZOOM_DIALECTS["qwen2.5-vl"].locate(ZoomCall((100, 100, 111, 120)), [ZoomImage.original(1008, 1008)])
    assert result.requested == (100, 100, 111, 120)
    assert result.executed == (89, 80, 122, 140)
    clipped = ZOOM_DIALECTS["qwen3-vl"].locate(ZoomCall((900, 900, 1200, 1200)), [IMAGE])
    assert clipped.executed == (1800, 900, 2000, 1000)


def test_qwen2_5_vl_counts_pixels_of_the_resized_image() -> None:
    """``smart_resize`` makes 2250 × 1500 pixels 2240 × 1512."""
    result = ZOOM_DIALECTS["qwen2.5-vl"].locate(ZoomCall((224, 151.2, 1120, 756)), [ZoomImage.original(2250, 1500)])
    assert result.executed == pytest.approx((225, 150, 1125, 750))


def test_pixel_reasoner_grows_each_crop_by_a_tenth_of_its_image() -> None:
    """A crop, a crop of it, and a box with a 1, which is executed as pixels."""
    dialect = ZOOM_DIALECTS["pixel-reasoner"]
    first = dialect.locate(ZoomCall((0.40, 0.30, 0.50, 0.45)), [IMAGE])
    assert first.requested == pytest.approx((800, 300, 1000, 450))
    assert first.executed == pytest.approx((600, 200, 1200, 550))
    assert first.shown == (588, 364)
    second = dialect.locate(ZoomCall((0.2, 0.1, 0.6, 0.5), 1), [IMAGE, first.image])
    assert second.requested == pytest.approx((720, 235, 960, 375))
    assert second.executed == pytest.approx((660, 200, 1020, 410))
    trap = dialect.locate(ZoomCall((0.2, 0.3, 1.0, 0.8)), [IMAGE])
    assert trap.executed == pytest.approx((0, 0, 201, 100.8))


CHAIN = {
    "qwen3-vl": [((500, 250, 750, 500), 0), ((200, 400, 220, 430), 1), ((10.5, 0, 999, 1100), 2)],
    "pixel-reasoner": [((0.4, 0.3, 0.5, 0.45), 0), ((0.2, 0.1, 0.6, 0.5), 1), ((0.5, 0.5, 0.9, 1), 0)],
}


@pytest.mark.parametrize(
    ("name", "sample", "file"),
    [("qwen3-vl", "street", "street.json"), ("pixel-reasoner", "vstar-2", "vstar-2/conv.json")],
)
def test_dialect_roundtrip_through_the_importer_of_a_family_gives_the_same_boxes(
    name: str, sample: str, file: str, tmp_path: Path
) -> None:
    """Crops of crops, grown and clipped boxes, each at the same place of the original."""
    calls = [ZoomCall(box, index) for box, index in CHAIN[name]]
    trajectory, results = imported(name, sample, file, calls, tmp_path)
    for executed in (False, True):
        boxes = [result.executed if executed else result.requested for result in results]
        assert on_original(trajectory, calls, results, executed) == pytest.approx(sum(boxes, ()), abs=0.1)


@pytest.mark.parametrize(
    ("name", "sample", "file"),
    [("qwen3-vl", "street", "street.json"), ("pixel-reasoner", "vstar-2", "vstar-2/conv.json")],
)
def test_dialect_roundtrip_of_500_calls_through_the_importer_gives_equal_boxes(
    name: str, sample: str, file: str, tmp_path: Path
) -> None:
    """Random boxes on the original, as they were asked for and as they were executed."""
    rng, unit = Random(7), 1000 if name == "qwen3-vl" else 1
    calls = []
    for _ in range(500):
        x, y = (rng.uniform(0, 0.9) for _ in "xy")
        box = (x, y, x + rng.uniform(0.04, 0.99 - x), y + rng.uniform(0.04, 0.99 - y))
        calls.append(ZoomCall(tuple(round(edge * unit, 6) for edge in box)))  # type: ignore[arg-type]
    trajectory, results = imported(name, sample, file, calls, tmp_path)
    assert len(trajectory.steps) == 500
    for executed in (False, True):
        boxes = [result.executed if executed else result.requested for result in results]
        assert on_original(trajectory, calls, results, executed) == pytest.approx(sum(boxes, ()), abs=1e-6)


def imported(
    name: str, sample: str, file: str, calls: list[ZoomCall], folder: Path
) -> tuple[Trajectory, list[ZoomResult]]:
    """A conversation with these calls as the importer of the family reads it, and what the dialect made of them."""
    dialect, images, results = ZOOM_DIALECTS[name], [IMAGE], []
    image, question = {
        "street": ("images/street.jpg", "Which bus line?"),
        "vstar-2": ("demo_2.jpg", "Is the flag left of the tent?"),
    }[sample]
    messages: list[Any] = [{"role": "user", "content": [{"image": image}, {"text": question}]}]
    for number, call in enumerate(calls, 1):
        result = dialect.locate(call, images)
        results.append(result)
        images.append(result.image)
        text = dialect.write(call).text
        if name == "qwen3-vl":
            made = {"name": dialect.tool_name, "arguments": json.dumps(arguments_in(text))}
            messages.append({"role": "assistant", "content": "", "function_call": made})
            reply: list[Any] = [{"image": f"crop_{number}.png"}]
            messages.append({"role": "function", "name": dialect.tool_name, "content": reply})
        else:
            shown = f"Here is the cropped image (Image Size: {result.shown[0]}x{result.shown[1]}):"
            messages.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
            reply = [{"type": "text", "text": shown}, {"type": "image", "image": f"{number}.jpg"}]
            messages.append({"role": "user", "content": reply})
    messages.append({"role": "assistant", "content": "It is line 14."})
    formats = {"qwen3-vl": "qwen-agent", "pixel-reasoner": "pixel-reasoner"}
    content = messages if name == "qwen3-vl" else [messages, "", "[]"]
    (trajectory,), _ = read(formats[name], written(folder, content, file))
    assert trajectory.sample_id == sample
    return trajectory, results


def on_original(
    trajectory: Trajectory, calls: list[ZoomCall], results: list[ZoomResult], executed: bool
) -> list[float]:
    """The boxes of the steps in pixels of the original, by the definition: shares of the region of their input."""
    regions = [IMAGE.region, *(result.executed for result in results)]
    edges: list[float] = []
    for number, (step, call) in enumerate(zip(trajectory.steps, calls, strict=True)):
        assert step.image_out
        assert step.out_size == results[number].shown
        left, top, right, bottom = regions[call.image]
        box = (step.executed_bbox or step.bbox) if executed else step.bbox
        assert box
        unit = 1000 if step.coords is Coordinates.NORM1000 else 1
        wide, high = (right - left) / unit, (bottom - top) / unit
        edges += [left + box[0] * wide, top + box[1] * high, left + box[2] * wide, top + box[3] * high]
    return edges


@pytest.mark.parametrize("name", ZOOM_DIALECTS)
def test_calls_that_cannot_be_executed_say_what_is_allowed(name: str) -> None:
    dialect = ZOOM_DIALECTS[name]
    empty = [] if name == "pixel-reasoner" else [ZoomCall((5, 5, 5, 9)), ZoomCall((9, 9, 5, 5))]
    for call in (ZoomCall((0.1, 0.1, 0.5, 0.5), 1), ZoomCall((900, 900, 200, 200)), *empty):
        with pytest.raises(DialectError, match=r"Allowed|session has 1"):
            dialect.locate(call, [IMAGE])


def test_a_box_that_leaves_the_image_is_rejected_unless_the_family_clips_it() -> None:
    for dialect in (Native(), JsonObject(Frame.NORM1)):
        with pytest.raises(DialectError, match="leaves the image"):
            dialect.locate(ZoomCall((0, 0, 2001, 2)), [IMAGE])
    with pytest.raises(DialectError, match="too small"):
        ZOOM_DIALECTS["pixel-reasoner"].locate(ZoomCall((0.5, 0.5, 0.5001, 0.5001)), [ZoomImage.original(90, 90)])


@pytest.mark.parametrize(
    ("name", "response", "number"),
    [
        ("qwen3-vl", Response("No call."), 0),
        ("qwen3-vl", Response('<think><tool_call>{"name": "image_zoom_in_tool"}</tool_call></think> A'), 0),
        ("qwen3-vl", Response('<tool_call>{"name": "crop", "arguments": {"bbox_2d": [1, 2, 3, 4]}}</tool_call>'), 1),
        ("qwen3-vl", Response("<tool_call>{nothing"), 1),
        ("qwen3-vl", Response('<tool_call>{"name": "image_zoom_in_tool", "arguments": {}}' * 20), MOST_CALLS),
        ("pixel-reasoner", Response('<tool_call>{"name": "x", "arguments": {}}</tool_call> and much more text'), 0),
        ("pixel-reasoner", Response('<tool_call>{"name": "crop_image_normalized", "arguments": {}}</tool_call>'), 1),
        ("tools", Response('{"tool": "zoom_in"}'), 0),
        ("tools", Response(calls=(NativeCall("zoom_in", "{"), NativeCall("zoom_in", "[]"))), 2),
        ("tools", Response(calls=(NativeCall("zoom_in", '{"x": "1", "y": 1, "width": 1, "height": 1}'),)), 1),
        ("tools", Response(calls=(NativeCall("zoom_in", '{"image": "b", "x": 1, "y": 1}'),)), 1),
        ("json", Response('{"answer": "B"}'), 0),
        ("json", Response('{"tool": "zoom_in", "arguments": {"bbox_2d": [1, 2, 3]}} is my call'), 1),
        ("json", Response('{"tool": "zoom_in", "arguments": {"bbox_2d": [1, 2, 3, NaN]}}'), 1),
        ("json", Response('{"tool": "rotate", "arguments": {}}'), 1),
        ("json", Response('{"tool": "zoom_in"}, but {"answer": "A"}'), 0),
        ("json", Response("{" * 100_000), 0),
    ],
)  # fmt: skip
def test_responses_without_a_readable_call(name: str, response: Response, number: int) -> None:
    found = ZOOM_DIALECTS[name].parse(response)
    assert len(found) == number
    assert all(isinstance(call, UnreadableCall) and call.problem for call in found)


@pytest.mark.parametrize(("name", "key"), [("qwen3-vl", "img_idx"), ("pixel-reasoner", "target_image")])
@pytest.mark.parametrize("index", [-1, 1.5, True, "1", [1]])
def test_an_image_number_is_a_whole_number(name: str, key: str, index: Any) -> None:
    dialect = ZOOM_DIALECTS[name]
    given = {"name": dialect.tool_name, "arguments": {"bbox_2d": [0, 0, 1, 1], key: index}}
    (call,) = dialect.parse(Response(f"<tool_call>{json.dumps(given)}</tool_call>"))
    assert isinstance(call, UnreadableCall)
    del given["arguments"][key]  # type: ignore[attr-defined]
    assert dialect.parse(Response(f"<tool_call>{json.dumps(given)}</tool_call>")) == (ZoomCall((0, 0, 1, 1)),)
