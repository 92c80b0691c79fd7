"""``manage.py tool``: the toolbox from the command line."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import cv2
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.imaging.decoding import decode
from annotation.imaging.encoding import encode, fitted
from annotation.imaging.problems import PictureProblem
from annotation.management.commands.tool import Command
from annotation.toolbox import colour, geometry
from annotation.toolbox.table import TOOLS
from tests.unit.toolbox_cases import scene, template


def said(*words: str) -> str:
    out = StringIO()
    call_command("tool", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "scene.png"
    path.write_bytes(encode(scene(), ".png"))
    return path


def test_the_list_names_every_tool_once_under_its_module() -> None:
    listed = said("--list")
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ")]
    assert sorted(names) == sorted(TOOLS)
    assert listed.index("Geometry") < listed.index("crop") < listed.index("Enhancement")


def test_a_name_alone_says_what_the_tool_takes() -> None:
    described = said("Binarize")
    assert "threshold (Threshold, Enhancement)" in described
    assert (
        "--param adaptive_block_size=… Neighborhood of the adaptive modes, in pixels. A whole number from 3 to 999"
        in described
    )


def test_a_tool_is_found_by_what_one_wants_and_its_example_runs(
    picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = said("--list", "share", "of", "a", "colour")
    assert "inrange_color" in found
    assert "crop" not in found
    assert "No tool fits 'telescope'" in said("--list", "telescope")
    monkeypatch.chdir(tmp_path)
    picture.rename("photo.jpg")
    example = said("zoom_in").splitlines()[-1].removeprefix("  manage.py tool ")
    assert "160 × 120 px" in said(*example.split())
    assert Path("result.png").exists()


def test_help_after_a_name_describes_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    Command().run_from_argv(["manage.py", "tool", "crop", "--help"])
    assert "--param width=… Width in pixels. A whole number from 1 to 65535; required." in capsys.readouterr().out


def test_a_tool_runs_on_a_file_and_writes_its_picture(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "part.png"
    box = ["--param", "x=5", "--param", "y=7", "--param", "width=20", "--param", "height=10"]
    assert "20 × 10 px" in said("crop", str(picture), *box, "--output", str(out))
    expected = geometry.crop(scene(), x=5, y=7, width=20, height=10).image
    assert decode(out).tolist() == expected.tolist()  # type: ignore[union-attr]


def test_measurements_are_printed_as_json_and_lists_are_written_with_commas(picture: Path) -> None:
    given = ["--param", "lower=0,100,100", "--param", "upper=10,255,255", "--param", "output_format=mask"]
    shown = said("inrange_color", str(picture), *given)
    measured = colour.inrange_color(scene(), lower=(0, 100, 100), upper=(10, 255, 255)).measurements
    assert json.loads(shown.split("\n", 1)[1]) == measured


def test_a_second_picture_is_a_second_file(picture: Path, tmp_path: Path) -> None:
    part = tmp_path / "part.png"
    part.write_bytes(encode(template()))
    assert '"box"' in said("template_match", str(picture), str(part))
    with pytest.raises(CommandError, match="image and template: 2 files"):
        said("template_match", str(picture))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["telescope"], "known are"),
        (["blur", "PICTURE", "--param", "strength=3"], "has the parameters method, ksize"),
        (["blur", "PICTURE", "--param", "method=median", "--param", "ksize=4"], "Step 1 .blur.: blur: ksize = 4"),
        (["canny", "nowhere.png"], "not found"),
        (["canny", "PICTURE", "--output", "/nowhere/a.png"], "was not written"),
        (["canny", "PICTURE", "--output", "a.gif"], "is written as .png"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(words: list[str], message: str, picture: Path) -> None:
    with pytest.raises(CommandError, match=message):
        said(*[str(picture) if word == "PICTURE" else word for word in words])


def test_a_picture_is_encoded_without_loss_as_png_and_fitted_without_growing() -> None:
    decoded = cv2.imdecode(np.frombuffer(encode(scene()), np.uint8), cv2.IMREAD_COLOR_RGB)
    assert decoded.tolist() == scene().tolist()
    assert fitted(scene(), 80).shape == (60, 80, 3)
    assert fitted(scene(), 1000) is not None
    assert fitted(scene(), 1000).shape == scene().shape
    with pytest.raises(PictureProblem, match="is written as"):
        encode(scene(), ".gif")
