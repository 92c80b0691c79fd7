"""Whatever file comes, a tool works on it or refuses it with a reason."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from annotation.imaging.decoding import decode
from annotation.schema import ToolCall
from annotation.toolbox import geometry
from annotation.toolbox.preview import reduced
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import Limits, run_chain
from annotation.toolbox.table import TOOLS
from tests.properties import fewer
from tests.unit.toolbox_cases import ARGUMENTS, scene

EIGHT_K = (4320, 7680, 3)


def as_png(mode: str) -> bytes:
    pixels = scene(48, 40)
    if mode == "I;16":
        image = Image.fromarray(pixels[:, :, 0].astype(np.uint16) * 257)
    else:
        image = Image.fromarray(pixels).convert(mode)
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


FILES = {mode: decode(as_png(mode)) for mode in ("L", "P", "RGBA", "LA", "1", "I;16", "RGB")}
SHAPES = {f"{w} × {h}": np.full((h, w, 3), 200, np.uint8) for w, h in ((1, 1), (1, 40), (40, 1))}


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_works_on_every_kind_of_picture_or_says_why_not(name: str) -> None:
    for kind, picture in (FILES | SHAPES).items():
        calls = [ToolCall("crop", {"width": 1, "height": 1}, "original", "part")]
        second = ("original", "part") if name == "template_match" else "original"
        calls.append(ToolCall(name, ARGUMENTS.get(name, {}), second))
        result = run_chain(picture, calls)
        if result.error is None:
            assert result.last is not None
            assert result.last.image is not None
        else:
            assert kind in SHAPES or name == "template_match", (kind, result.error)
            assert (result.error.number, result.error.tool) == (2, name)
            assert result.error.parameter
            assert result.error.allowed


SLOW_AT_8K = sorted(name for name, spec in TOOLS.items() if spec.max_input_pixels)


@pytest.mark.parametrize("name", SLOW_AT_8K)
def test_a_slow_tool_refuses_8k_at_once_and_names_what_it_takes(name: str) -> None:
    error = run_chain(np.zeros(EIGHT_K, np.uint8), [ToolCall(name, ARGUMENTS.get(name, {}))]).error
    assert error is not None
    assert (error.tool, error.parameter, error.value) == (name, "image", "7680 × 4320")
    assert "pixels; crop or resize it first" in error.allowed


@pytest.mark.parametrize(
    ("tool", "arguments", "parameter"),
    [
        ("blur", {"method": "bilateral", "ksize": 3, "d": 25}, "d"),
        ("sharpen", {"sigma": 50}, "sigma"),
        ("threshold", {"mode": "adaptive_gaussian", "adaptive_block_size": 999}, "adaptive_block_size"),
        ("morphology", {"kernel_shape": "ellipse", "kernel_size": 60}, "kernel_size"),
        ("morphology", {"kernel_shape": "cross", "kernel_size": 20, "iterations": 50}, "iterations"),
    ],
)
def test_a_call_that_would_take_minutes_is_refused_before_it_runs(
    tool: str, arguments: dict[str, object], parameter: str
) -> None:
    error = run_chain(np.zeros(EIGHT_K, np.uint8), [ToolCall(tool, arguments)]).error
    assert error is not None
    assert error.parameter == parameter
    assert "takes at most 20 s" in error.allowed
    assert "choose a smaller value" in error.message


def test_inpainting_much_with_a_wide_radius_is_refused() -> None:
    white = np.full((1500, 1500), 255, np.uint8)
    error = run_chain(white, [ToolCall("inpaint", {"preset": "threshold", "radius": 40})]).error
    assert error is not None
    assert (error.parameter, "2,250,000 pixels are painted" in error.allowed) == ("radius", True)


def test_a_call_that_needs_too_much_memory_is_refused_before_it_runs() -> None:
    error = run_chain(scene(), [ToolCall("canny")], Limits(call_bytes=1000)).error
    assert error is not None
    assert "fits in 1e-06 GB" in error.allowed


@given(st.data())
@fewer()
def test_a_crop_of_a_crop_is_the_composed_crop(data: st.DataObject) -> None:
    picture = scene(60, 50)

    def box(width: int, height: int) -> dict[str, int]:
        x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
        return {
            "x": x,
            "y": y,
            "width": data.draw(st.integers(1, width - x)),
            "height": data.draw(st.integers(1, height - y)),
        }

    first = box(60, 50)
    second = box(first["width"], first["height"])
    twice = run_chain(picture, [ToolCall("crop", first), ToolCall("crop", second)]).last
    once = run_chain(
        picture, [ToolCall("crop", second | {"x": first["x"] + second["x"], "y": first["y"] + second["y"]})]
    ).last
    assert twice is not None
    assert once is not None
    assert np.array_equal(twice.image, once.image)  # type: ignore[arg-type]
    assert twice.to_original == once.to_original


@given(st.integers(4, 40), st.integers(4, 40), st.floats(-360, 360))
def test_turning_and_turning_back_covers_the_original(width: int, height: int, angle: float) -> None:
    turns = [ToolCall("rotate", {"angle": angle}), ToolCall("rotate", {"angle": -angle})]
    result = run_chain(np.full((height, width), 200, np.uint8), turns).last
    assert result is not None
    assert result.to_original is not None
    assert result.image is not None
    onto = result.to_original.inverse()
    for x, y in ((0, 0), (width, 0), (0, height), (width, height)):
        at_x, at_y = onto.point(x, y)
        assert -1e-6 <= at_x <= result.image.shape[1] + 1e-6
        assert -1e-6 <= at_y <= result.image.shape[0] + 1e-6
    assert (result.to_original.a, result.to_original.b) == pytest.approx((1, 0), abs=1e-9)


def test_a_preview_reduces_what_is_larger_than_the_screen_and_leaves_a_small_crop_exact() -> None:
    wide: Picture = np.zeros((1000, 2000, 3), np.uint8)
    wide[400:600, 900:1100] = 255
    calls = [
        ToolCall("blur", {"method": "gaussian", "ksize": 9}, "original", "soft"),
        ToolCall("crop", {"x": 880, "y": 380, "width": 240, "height": 240}, "original", "part"),
        ToolCall("canny", {}, "part", "edges"),
        ToolCall("crop", {"x": 880, "y": 380, "width": 240, "height": 240}, "soft"),
        ToolCall("resize", {"preset": "double"}, "part"),
    ]
    chain = reduced(calls, 2000, 1000, 400)
    assert chain.exact == {2, 3}
    result = run_chain(wide, chain.calls)
    assert result.error is None
    shown = {n: s for n, s in zip(chain.number_of, result.steps, strict=True) if n}
    sizes = {n: s.image.shape[1::-1] for n, s in shown.items() if s.image is not None}
    assert sizes == {1: (400, 200), 2: (240, 240), 3: (240, 240), 4: (48, 48), 5: (400, 400)}
    assert shown[1].arguments["ksize"] == 3
    whole = run_chain(wide, calls)
    assert np.array_equal(shown[3].image, whole.steps[2].image)  # type: ignore[arg-type]


def test_a_preview_of_every_tool_runs_or_stops_where_the_chain_stops() -> None:
    big = np.repeat(np.repeat(scene(), 5, axis=0), 5, axis=1)
    for name in TOOLS:
        calls = [ToolCall("crop", {"x": 90, "y": 90, "width": 40, "height": 40}, "original", "part")]
        second = ("original", "part") if name == "template_match" else "original"
        calls.append(ToolCall(name, ARGUMENTS.get(name, {}), second))
        chain = reduced(calls, 800, 600, 200)
        result = run_chain(big, chain.calls)
        assert result.error is None, (name, result.error)
        assert result.last is not None
        assert result.last.image is not None
        assert max(result.last.image.shape) <= 800
    stopped = reduced([ToolCall("blur", {"method": "median", "ksize": 4}), ToolCall("canny")], 800, 600, 200)
    assert stopped.number_of == (1, 2)


def test_the_size_of_a_crop_is_foretold() -> None:
    assert geometry.cropped_size(9, 9, width=4, height=3, x=1) == (4, 3)
