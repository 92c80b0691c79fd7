"""Every tool beside direct OpenCV: the program that a chain is copied as makes the same pictures, byte by byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from annotation.schema import ToolCall
from annotation.toolbox.python_code import CODE, python_code
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import Limits, run_chain
from annotation.toolbox.table import TOOLS
from tests.unit.toolbox_cases import ARGUMENTS, scene

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("rotate", {"angle": 90}), ("rotate", {"angle": -7.5}), ("resize", {"width": 50, "height": 200}),
    ("zoom_in", {"x": 5, "y": 7, "width": 30, "height": 20, "target_width": 15}), ("flip", {"direction": "vertical"}),
    ("translate", {"direction": "down", "distance": 999}), ("translate", {"direction": "right", "distance": 9}),
    ("pyramid", {"mode": "pyr_up"}), ("colorspace_hsv", {"channel": "hue"}), ("colorspace_lab", {"channel": "a"}),
    ("inrange_color", {"lower": [170, 0, 0], "upper": [9, 255, 255], "output_format": "masked_image"}),
    ("inrange_color", {"colorspace": "bgr", "lower": [0, 0, 0], "upper": [90, 90, 90], "output_format": "mask"}),
    ("blur", {"method": "average", "ksize": 3}), ("blur", {"method": "median", "ksize": 7}),
    ("blur", {"method": "bilateral", "ksize": 3, "d": 5}), ("denoise", {"mode": "fast_means_gray"}),
    ("denoise", {"mode": "bgr_channel"}), ("threshold", {"mode": "adaptive_gaussian", "invert": True}),
    ("threshold", {"mode": "binary", "color_mode": "color", "channels": "green"}),
    ("threshold", {"mode": "adaptive_mean", "adaptive_block_size": 21}),
    ("morphology", {"op": "close", "kernel_shape": "ellipse", "kernel_size": 6, "iterations": 2}),
    ("histogram", {"mode": "clahe", "color_mode": "color"}), ("convertscaleabs", {"alpha": 1.7, "beta": -30}),
    ("inpaint", {"preset": "threshold", "method": "ns"}), ("canny", {"threshold_low": 20, "threshold_high": 60}),
    ("gradients", {"mode": "laplacian"}), ("grabcut", {"preset": "tight"}), ("features", {"method": "shi_tomasi"}),
    ("features", {"method": "sift", "max_points": 9}), ("features", {"method": "fast"}),
    ("connected_components_with_stats", {"threshold_mode": "binary", "max_components": 3}),
    ("hough_lines", {"threshold": 20, "min_line_length": 15}), ("hough_circles", {"param2": 15, "max_radius": 60}),
    ("template_match", {"method": "sqdiff"}), ("contours", {"mode": "list", "rank": 2}),
]  # fmt: skip
DUMP = "np.savez(sys.argv[1], **{name: value for name, value in globals().items() if name.startswith('made_')})\n"


def photograph() -> Picture:
    """Soft shapes with light, shade and grain, from a fixed seed."""
    coarse = np.random.default_rng(3).integers(0, 255, (15, 20, 3), dtype=np.uint8)
    soft = cv2.resize(coarse, (160, 120), interpolation=cv2.INTER_CUBIC).astype(int)
    return (soft + np.random.default_rng(4).integers(-9, 9, soft.shape)).clip(0, 255).astype(np.uint8)


def whole_chain() -> list[ToolCall]:
    """Every tool and more of its choices, on the original and on a grey picture made of it."""
    part = {"x": 50, "y": 55, "width": 10, "height": 10}
    calls = [ToolCall("colorspace_gray", {}, "original", "made_grey"), ToolCall("crop", part, "original", "made_part")]
    for at, (tool, given) in enumerate([(name, ARGUMENTS.get(name, {})) for name in TOOLS] + VARIANTS):
        for source in ("original", "made_grey"):
            second = (source, "made_part") if tool == "template_match" else source
            calls.append(ToolCall(tool, given, second, f"made_{at}_{source[-4:]}"))
    return calls


def test_every_tool_has_its_lines_of_opencv() -> None:
    assert set(CODE) == set(TOOLS)


@pytest.mark.endurance
def test_the_copied_program_makes_every_picture_to_the_byte(tmp_path: Path) -> None:
    calls = whole_chain()
    for at, picture in enumerate((scene(), photograph())):
        source = tmp_path / f"{at}.png"
        source.write_bytes(cv2.imencode(".png", picture[:, :, ::-1])[1].tobytes())
        program = "import sys\n" + python_code(calls, 160, 120, str(source)) + DUMP
        out = tmp_path / f"{at}.npz"
        done = subprocess.run([sys.executable, "-c", program, str(out)], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-2000:]
        direct = np.load(out)
        result = run_chain(picture, calls, Limits(steps=500))
        assert result.error is None
        for step in result.steps:
            assert step.image is not None
            assert np.array_equal(direct[step.image_id], step.image), f"{step.number} {step.tool} {step.arguments}"


def test_a_program_names_pictures_as_the_chain_does_where_it_can() -> None:
    code = python_code(
        [ToolCall("crop", {"width": 9, "height": 9}, None, "gauge"), ToolCall("canny", {}, "gauge", "np")],
        20,
        20,
        "a'b.jpg",
    )
    assert "gauge = img[0:9, 0:9]" in code
    assert "picture_2 = cv2.Canny" in code
    assert '"a\'b.jpg"' in code
    assert code.endswith('cv2.imwrite("result.png", picture_2)\n')
