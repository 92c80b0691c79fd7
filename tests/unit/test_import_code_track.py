"""Python in transcripts: what is read out of it, and that nothing of it is ever run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.importers import IMPORTERS, detect_format
from evaluation.importers.code_track import Program
from evaluation.importers.code_turns import blocks_of
from evaluation.importers.code_values import Raster
from evaluation.importers.interface import ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.importers.zooming import at_least
from evaluation.schema import Issue, Trajectory

REAL = Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "real"
needs_real_files = pytest.mark.skipif(not REAL.is_dir(), reason="the real sample files are not beside the checkout")
ORIGINAL = Raster("original", (1600, 1200))
DOORS = {"A": "11", "B": "41", "C": "14", "D": "44"}
INDEX = MemoryIndex(
    [
        SampleKey("plate", "7.jpg", "plate?", {"A": "11", "B": "12"}, (1600, 1200)),
        SampleKey("7", "door.jpg", "Which door?", DOORS, (7680, 4320)),
        SampleKey("0", "d.jpg", "Door number?", DOORS, (100, 100)),
    ]
)


def calls(*blocks: str, size: tuple[int, int] | None = (1600, 1200)) -> list[tuple[Any, ...]]:
    """The calls of a program in blocks: tool, box, picture in."""
    program = Program(Raster("original", size))
    found = []
    for block in blocks:
        read = program.read(block)
        assert read.problem == ""
        found += [(call.tool, call.bbox, call.image_in) for call in read.calls]
    return found


BOXES = [
    ("c = image.crop((700, 500, 730, 520))", (700, 500, 730, 520)),
    ("x1, y1, x2, y2 = 700, 500, 730, 520\nc = image.crop((x1, y1, x2, y2))", (700, 500, 730, 520)),
    ("box = [1, 2, 3, 4]\nimage.crop(box)", (1, 2, 3, 4)),
    ("import cv2\ni = cv2.imread('7.jpg')\nc = i[10:40, 20:60]", (20, 10, 60, 40)),
    ("c = image[10:40]", (0, 10, 1600, 40)),
    ("w, h = image.size\nimage.crop((w // 2, 0, w, h / 2))", (800, 0, 1600, 600)),
    ("h, w = image.shape[:2]\nc = image[h//2:, :w-100]", (0, 600, 1500, 1200)),
    ("c = image[-100:, -200:]", (1400, 1100, 1600, 1200)),
    ("m = 10\nimage.crop((max(0, 5 - m), 20 - m, min(image.width, 5000), 30 + m))", (0, 10, 1600, 40)),
    ("a = (1, 2)\nb = (3, 4)\nimage.crop(a + b)", (1, 2, 3, 4)),
    ("for b in [(1, 2, 3, 4)]:\n    image.crop(b)", (1, 2, 3, 4)),
    ("with Image.open('7.jpg') as f:\n    f.crop(box=(1, 2, 3, 4))", (1, 2, 3, 4)),
    ("try:\n    image.crop((1, 2, 3, 4))\nexcept Exception:\n    pass", (1, 2, 3, 4)),
    ("    image.crop((1, 2, 3, 4))", (1, 2, 3, 4)),
    ("boxes = {'sign': (1, 2, 3, 4)}\nfor name, box in boxes.items():\n    image.crop(box)", (1, 2, 3, 4)),
    ("b = {}\nb['l'] = 1\nimage.crop((b['l'], 2, b.get('r', 3), 4))", (1, 2, 3, 4)),
    ("for n, (x, y) in enumerate(zip([1], [2])):\n    image.crop((x, y, 3 + n, 4))", (1, 2, 3, 4)),
    ("crops = [image.crop(tuple(b)) for b in [[1, 2, 3, 4]]]", (1, 2, 3, 4)),
    ("def cut(picture, box, pad=1):\n    return picture.crop((box[0] - pad, *box[1:]))\ncut(image, (2, 2, 3, 4))",
     (1, 2, 3, 4)),
    ("x1, y1, x2, y2 = map(int, np.array([1, 2, 3, 4]))\nimage.crop((x1, y1, x2, y2))", (1, 2, 3, 4)),
    ("image.crop((round(1.005, 1), np.clip(9, 0, 2), math.ceil(2.5), math.floor(4.5)))", (1, 2, 3, 4)),
    ("image.crop((1, 2, (n := 3), n + 1))", (1, 2, 3, 4)),
    ("ImageOps.crop(image, border=100)", (100, 100, 1500, 1100)),
    ("F.crop(image, 2, 1, 2, 2)", (1, 2, 3, 4)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "box"), BOXES, ids=[code[:30] for code, _ in BOXES])
def test_a_box_is_read_out_of_the_ways_it_is_written(code: str, box: tuple[float, ...]) -> None:
    assert calls(code) == [("crop", box, "original")]


UNKNOWN = [
    "image.crop(find_box(image))",
    "image.crop((a, 1, 2, 3))",
    "image.crop((1, 2, 9 ** 9 ** 9, 4))",
    "image.crop((1 / 0, 2, 3, 4))",
    "image.crop((1, 2, 3))",
    "b = detect()\nimage[b[0]:b[1], 0:10]",
]


@pytest.mark.parametrize("code", UNKNOWN)
def test_what_only_a_run_would_know_is_location_unknown(code: str) -> None:
    assert calls(code) == [("crop", None, "original")]
    assert calls("find_picture().crop((1, 2, 3, 4))") == [("crop", None, "unknown")]


def test_pictures_go_through_lists_file_names_in_parts_functions_and_turns() -> None:
    code = (
        "def twice(picture):\n    return cv2.resize(picture, (0, 0), fx=2, fy=2)\nparts = []\n"
        "for n in range(2):\n    parts.append(image.crop((n * 100, 0, n * 100 + 80, 60)))\n"
        "twice(parts[1]).rotate(90, expand=True).save(os.path.join(out, f'part_{n}.png'))\n"
        "again = Image.open(f'{out}/part_1.png')\nagain.thumbnail((60, 60))\n"
        "h, w = np.array(again.convert('L')).shape\nagain.crop((0, 0, w, h))"
    )
    assert calls(code) == [
        ("crop", (0, 0, 80, 60), "original"),
        ("crop", (100, 0, 180, 60), "original"),
        ("resize", None, "code_2"),
        ("rotate", None, "code_3"),
        ("resize", None, "code_4"),
        ("colorspace_gray", None, "code_5"),
        ("crop", (0, 0, 45, 60), "code_5"),
    ]


def test_a_program_that_goes_on_and_on_is_followed_for_a_while() -> None:
    loops = "".join(f"{' ' * n}for a in range(20):\n" for n in range(9)) + " " * 9 + "b = a"
    recursion = "def f(n):\n    return f(n) + f(n)\nf(1)"
    assert "20,000 steps" in Program(ORIGINAL).read(loops).problem
    assert Program(ORIGINAL).read(recursion).calls == ()


@pytest.mark.parametrize("grown", ["x = [1, 2]\n" + "x = [x, x]\n" * 60, "x = {}\n" + "x = {'a': x, 'b': x}\n" * 60])
def test_a_list_that_holds_itself_many_times_over_is_told_in_part(grown: str) -> None:
    [call] = Program(ORIGINAL).read(f"{grown}image.resize(x)").calls
    assert len(json.dumps(call.arguments)) < 50_000


def test_tools_follow_the_picture_through_variables_files_and_blocks() -> None:
    first = "img = Image.open(path)\nc = img.crop((0, 0, 100, 50))\nc.save('a.png')"
    second = (
        "import cv2\na = cv2.imread('a.png')\ng = cv2.cvtColor(a, cv2.COLOR_BGR2GRAY)\n"
        "_, t = cv2.threshold(g, 127, 255, cv2.THRESH_BINARY)\nn, labels = cv2.findContours(t, 1, 2)[:2]\n"
        "cv2.imwrite('b.png', t)\nz = cv2.resize(t, None, fx=2, fy=2)\nz[0:10, 0:20]"
    )
    assert calls(first, second) == [
        ("crop", (0, 0, 100, 50), "original"),
        ("colorspace_gray", None, "code_1"),
        ("threshold", None, "code_2"),
        ("contours", None, "code_3"),
        ("resize", None, "code_3"),
        ("crop", (0, 0, 20, 10), "code_4"),
    ]


def test_what_is_drawn_upon_is_from_then_on_another_picture() -> None:
    assert calls("cv2.line(image, (0, 0), (5, 5), (0, 255, 0), 2)\nimage.crop((1, 2, 3, 4))") == [
        ("draw_line", None, "original"),
        ("crop", (1, 2, 3, 4), "code_1"),
    ]


TOOLS = [
    ("ImageEnhance.Contrast(image).enhance(2.0)", "convertscaleabs", {"alpha": 2}),
    ("ImageEnhance.Sharpness(image).enhance(3)", "sharpen", {"strength": 3}),
    ("image.rotate(90)", "rotate", {"angle": -90}),
    ("cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE)", "rotate", {"angle": 90}),
    ("image.transpose(Image.FLIP_LEFT_RIGHT)", "flip", {"direction": "horizontal"}),
    ("cv2.flip(image, 0)", "flip", {"direction": "vertical"}),
    ("image.convert('L')", "colorspace_gray", {}),
    ("cv2.Canny(image, 100, 200)", "canny", {"threshold_low": 100, "threshold_high": 200}),
    ("cv2.GaussianBlur(image, (5, 5), 0)", "blur", {"method": "gaussian", "ksize": [5, 5], "sigma_x": 0}),
    ("cv2.createCLAHE(clipLimit=2.0).apply(image)", "histogram", {"mode": "clahe"}),
    ("cv2.inRange(image, (0, 1, 2), (3, 4, 5))", "inrange_color", {"lower": [0, 1, 2], "upper": [3, 4, 5]}),
    ("cv2.convertScaleAbs(image, alpha=1.5, beta=10)", "convertscaleabs", {"alpha": 1.5, "beta": 10}),
    ("image.filter(ImageFilter.SHARPEN)", "sharpen", {}),
    ("image.resize((10, 20), Image.LANCZOS)", "resize", {"size": [10, 20]}),
    ("cv2.morphologyEx(image, cv2.MORPH_OPEN, np.ones((5, 5)))", "morphology", {"op": "open", "kernel_size": 5}),
    ("cv2.threshold(image, 9, 255, cv2.THRESH_BINARY_INV + cv2.THRESH_OTSU)", "threshold",
     {"threshold_value": 9, "mode": "otsu", "invert": True}),
    ("cv2.findContours(image, cv2.RETR_EXTERNAL, 2)", "contours", {"mode": "external"}),
    ("cv2.Sobel(image, cv2.CV_64F, 0, 1)", "gradients", {"mode": "sobel_y"}),
    ("np.fliplr(image)", "flip", {"direction": "horizontal"}),
    ("image[::-1]", "flip", {"direction": "vertical"}),
    ("image.filter(ImageFilter.GaussianBlur(radius=2))", "blur", {}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "tool", "arguments"), TOOLS, ids=[code for code, _, _ in TOOLS])
def test_a_call_of_a_library_is_a_tool_of_ours(code: str, tool: str, arguments: dict[str, Any]) -> None:
    [call] = Program(ORIGINAL).read(code).calls
    assert (call.tool, call.arguments) == (tool, arguments)


@pytest.mark.parametrize(
    "code", ["cv2.cvtColor(image, cv2.COLOR_BGR2RGB)", "np.array(image)", "image.copy()", "plt.imshow(image)"]
)
def test_the_order_of_channels_and_copies_are_no_step(code: str) -> None:
    assert calls(code) == []


def test_nothing_is_ever_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = (
        f"import os\nopen({str(mark)!r}, 'w')\nos.system('touch {mark}')\nimage.crop((1, 2, 3, 4)).save({str(mark)!r})"
    )
    assert calls(code) == [("crop", (1, 2, 3, 4), "original")]
    assert not mark.exists()


@pytest.mark.parametrize("code", ["def f(:", "x = (" * 500, "\x00", "a" * 300_000, "(" + "-" * 5000 + "1)"])
def test_what_is_no_python_says_so_and_makes_no_call(code: str) -> None:
    block = Program(ORIGINAL).read(code)
    assert block.calls == ()
    assert block.problem or code.startswith("(-")


names = st.sampled_from(["image", "cv2", "x", "np", "crop", "open", "size", "min", "resize"])
atoms = names | st.integers(-9, 9).map(str) | st.sampled_from(["(1, 2, 3, 4)", "[]", "'a'", "None", "1.5", "..."])
pieces = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, names).map(lambda p: f"{p[0]}.{p[1]}"),
        st.tuples(inner, inner).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"{p[0]}[{p[1]}:{p[2]}]"),
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "**"]), inner).map(" ".join),
    ),
    max_leaves=8,
)
statements = st.one_of(pieces, st.tuples(names, pieces).map(" = ".join), st.tuples(names, names, pieces).map(
    lambda p: f"{p[0]}, {p[1]} = {p[2]}"), pieces.map(lambda p: f"for x in {p}:\n    image.crop(x)"))  # fmt: skip


@given(st.lists(statements, max_size=5))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_any_program_gives_calls_or_a_sentence(lines: list[str]) -> None:
    block = Program(ORIGINAL, rewrite=at_least).read("\n".join(lines))
    for call in block.calls:
        assert json.dumps([call.arguments, call.bbox, call.executed], allow_nan=False)


def test_blocks_are_found_with_and_without_tags_and_fences() -> None:
    text = "<think>a<code>\n```python\nx = 1\n```\n</code><sandbox_output>9</sandbox_output>b\n```python\ny = 2\n```"
    assert [code.strip() for _, code in blocks_of(text)] == ["x = 1", "y = 2"]
    assert [code.strip() for _, code in blocks_of("<code>z = 3")] == ["z = 3"]


@needs_real_files
def test_the_recorded_crop_of_thyme_has_exactly_the_size_we_compute() -> None:
    real = json.loads((REAL / "thyme_readme_17127_calls.json").read_text())
    x1, y1, x2, y2 = real["code_says"]["box_xyxy"]
    code = (
        f"x1, y1, x2, y2 = {x1}, {y1}, {x2}, {y2}\nc = image.crop((x1, y1, x2, y2))\n"
        f"z = c.resize((c.width * {real['code_says']['zoom_factor']}, c.height * 2))"
    )
    crop, resize = Program(Raster("original", tuple(real["image_size"])), rewrite=at_least).read(code).calls
    assert (crop.bbox, crop.executed) == ((x1, y1, x2, y2), tuple(real["therefore_executed_box_xyxy"]))
    assert list(resize.out_size or ()) == real["stored_output_size"]


def test_thyme_brings_a_written_box_to_64_pixels_but_not_an_inline_one() -> None:
    program = Program(ORIGINAL, rewrite=at_least)
    written, inline = program.read(
        "crop_box = (700, 500, 730, 520)\nimage.crop(crop_box)\nimage.crop((1, 2, 3, 4))"
    ).calls
    assert (written.bbox, written.executed) == ((700, 500, 730, 520), (700, 500, 764, 564))
    assert (inline.bbox, inline.executed) == ((1, 2, 3, 4), None)


def thyme_folder(folder: Path, requests: object | None) -> Path:
    code = "crop_box = (700, 500, 730, 520)\nc = image.crop(crop_box)\nc.save('c.jpg')"
    history = [
        {"role": "user", "content": "Question: plate?\nOptions:\nA. 11\nB. 12", "images": ["7.jpg"]},
        {"role": "assistant", "content": "<think>12.</think>\n<answer>B</answer>", "code_blocks": [code, code]},
    ]
    place = folder / "7_1767225600000"
    place.mkdir()
    (place / "conversation_history.json").write_text(json.dumps(history))
    if requests is not None:
        (place / "api_calls.json").write_text(json.dumps(requests))
    return folder


def read(name: str, path: Path) -> tuple[list[Trajectory], list[str]]:
    found = list(IMPORTERS[name].read(path, ReadOptions(), INDEX))
    rules = [item.rule for item in found if isinstance(item, Issue)]
    return [item for item in found if isinstance(item, Trajectory)], rules


def test_a_thyme_folder_keeps_the_attempt_that_led_to_the_answer(tmp_path: Path) -> None:
    said = "<think>look</think><code>\n```python\nc = image.crop((1, 2, 300, 400))\n```\n</code>"
    user = {"role": "user", "content": [{"type": "image", "value": "7.jpg"}, {"type": "text", "value": "plate?"}]}
    requests = [
        {"messages": [user], "response": "<code>abandoned((</code>"},
        {"messages": [user, {"role": "assistant", "content": [{"type": "text", "value": said}]},
                      {"role": "user", "content": [{"type": "text", "value": "c.jpg"}]}],
         "response": "<think>12.</think>\n<answer>B</answer>"},
    ]  # fmt: skip
    path = thyme_folder(tmp_path, requests)
    assert detect_format(path)[0].importer == "thyme"
    [found], rules = read("thyme", path)
    assert (found.sample_id, found.answer, rules) == ("plate", "<think>12.</think>\n<answer>B</answer>", [])
    [step] = found.steps
    assert (step.tool, step.bbox, step.text, step.observation) == (
        "crop", (1, 2, 300, 400), "<think>look</think>", "c.jpg",
    )  # fmt: skip


def test_without_the_requests_all_blocks_count_and_that_is_said(tmp_path: Path) -> None:
    [found], rules = read("thyme", thyme_folder(tmp_path, None))
    assert [step.executed_bbox for step in found.steps] == [(700, 500, 764, 564)] * 2
    assert rules == ["attempts-mixed"]


def test_a_last_turn_that_is_nothing_but_code_is_no_answer(tmp_path: Path) -> None:
    user = {"role": "user", "content": [{"type": "text", "value": "plate?"}]}
    path = thyme_folder(tmp_path, [{"messages": [user], "response": "<code>image.crop((1, 2, 3, 4))</code>"}])
    history = path / "7_1767225600000" / "conversation_history.json"
    history.write_text(json.dumps([{"role": "user", "content": "Question: plate?", "images": ["7.jpg"]}]))
    [found], _ = read("thyme", path)
    assert (found.answer, [step.bbox for step in found.steps]) == (None, [(1, 2, 3, 4)])


def test_deepeyes_v2_boxes_are_brought_back_from_the_resized_copy(tmp_path: Path) -> None:
    talk = [
        {"role": "assistant", "content": "<code>\n```python\nc = image_1.crop((1000, 600, 1400, 900))\n```\n</code>"},
        {"role": "user", "content": [{"type": "text", "text": "Code execution result:\nstderr:\n```\n\n```"}]},
        {"role": "assistant", "content": "<answer>C</answer>"},
    ]
    row = {"index": 7, "question": "Which door?", **DOORS, "prediction": "C", "raw_response": str(talk), "hit": 1}
    path = tmp_path / "DeepEyesV2_HRBench8K.json"
    path.write_text(json.dumps([row]))
    [found], rules = read("vlmevalkit", path)
    assert found.steps[0].bbox == pytest.approx((1613.4, 964.3, 2258.8, 1446.4), abs=0.06)
    assert (found.model, found.answer, found.judge_correct, rules) == ("DeepEyesV2", "C", True, [])
    path.write_text(json.dumps([{**row, "raw_response": str(talk)[:60]}]))
    [found], rules = read("vlmevalkit", path)
    assert (found.steps, found.answer, rules) == ((), "C", ["transcript-unreadable"])


def workbook(path: Path, *rows: dict[str, Any]) -> Path:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)
    return path


def test_a_workbook_a_table_and_a_list_of_records_give_the_same(tmp_path: Path) -> None:
    row = {"index": 0, "question": "Door number?", "answer": "C", **DOORS, "prediction": "The answer is C.", "hit": 1}
    made = [
        workbook(tmp_path / "m_HRBench4K.xlsx", row),
        tmp_path / "m_HRBench4K.json",
        tmp_path / "m_HRBench4K.tsv",
    ]
    made[1].write_text(json.dumps([row]))
    made[2].write_text("\t".join(row) + "\n" + "\t".join(map(str, row.values())) + "\n")
    for path in made:
        assert detect_format(path)[0].importer == "vlmevalkit"
        [found], rules = read("vlmevalkit", path)
        assert (found.model, found.sample_id, found.answer, found.judge_correct) == ("m", "0", "The answer is C.", True)
        assert rules == []


def test_a_drawn_verdict_an_outage_and_a_cut_cell_are_told_apart(tmp_path: Path) -> None:
    row = {"index": 0, "prediction": "A", "hit": 1, "log": "", "question": "Door number?"}
    drawn = {**row, "log": "Failed to predict, thus randomly generate one."}
    out = {**row, "prediction": "Failed to obtain answer via API."}
    cut = {**row, "log": "x" * 32_767}
    found, rules = read("vlmevalkit", workbook(tmp_path / "m_VStarBench.xlsx", drawn, out, cut))
    assert [(item.judge_correct, item.error) for item in found] == [
        (None, ""), (None, "Failed to obtain answer via API."), (True, ""),
    ]  # fmt: skip
    assert rules == ["random-verdict", "cell-cut"]
