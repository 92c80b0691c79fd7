"""Files as the project writes them, or made up in the shapes that others write: where damage begins."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from PIL import Image

from annotation.exporters import EXPORTERS
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, ToolCall
from evaluation.importers.matching import MemoryIndex, SampleKey

DATA = Path(__file__).resolve().parents[1] / "data"
INDEX = MemoryIndex(
    [
        SampleKey("a"),
        SampleKey("k", "demo_0001.jpg", "What colour is the kettle?", {}, (2250, 1500)),
        SampleKey("s", "street.jpg", "Which bus line?", {}, (2000, 1000)),
        SampleKey("conv", "demo_2.jpg", "", {}, (2000, 1000)),
        SampleKey("doc_42", "", "", {}, (3000, 2000)),
        SampleKey("0"),
        SampleKey("mug", "", "Colour of the mug?", {"A": "white", "B": "red"}),
        SampleKey("12_0"),
        SampleKey("coins", "", "How many coins?", {"A": "5", "B": "6"}),
        SampleKey("demo-3", "demo_3.jpg", "", {}, (1200, 800)),
        SampleKey(
            "door",
            "",
            "Which number is on the door?",
            dict(zip("ABCD", ("11", "41", "14", "44"), strict=True)),
            (7680, 4320),
        ),
        SampleKey("vstar-2", "", "", {}, (2000, 1000)),
        SampleKey("talk"),
    ]
)

NATIVE: dict[str, Any] = {
    "samples": [
        {"id": "a", "question": "q\u00e4\ud83d\ude00",
         "options": {"A": "x"}, "answer": "A", "gold_boxes": [[0, 0, 1.5, 2]],
         "width": 9, "height": 9, "facets": {"f": [1, True]}, "reference_toolchain": ["Crop", {"tool": "Flip"}],
         "targets": [{"tool": "saw", "step": 1}]},
    ],
    "settings": {"alpha": 0.5},
    "trajectories": [
        {"model": "m", "sample_id": "a", "rollout": 0, "answer": "A", "predicted_tools_plan": "a, b.",
         "steps": [{"tool": "zoom", "args": {"b": [1]}, "bbox": [1, 2, 3, 4], "coords": "norm1", "out_size": [5, 6]}],
         "match_map_plan": {"a": None}, "usage": {"usd": 1.25}},
    ],
    "interventions": [{"model": "m", "sample_id": "a", "condition": "text", "correct": True}],
    "judgements": [{"model": "m", "sample_id": "a", "kind": "answer", "verdict": None}],
    "rollout_groups": [{"group_id": "g", "rollouts": [
        {"image_tokens": 1, "acc": 1, "format": 1, "sufficient": True}]}],
}  # fmt: skip
VTC_TABLE = (
    'index\tid\tquestion\tanswer\tA\tmodel_tools_gt\r\n1\ta\t"How ""many""?\nNow"\tA\tx\t"[“Crop"", ""Flip""]"\r\n'
)
HR_TABLE = (
    "index\tquestion\tanswer\tA\tB\tC\tD\tcategory\tcycle_category\timage\n"
    "0\tDoor?\tA\t11\t12\t13\t14\tsingle\t0\tp.jpg\n1\tDoor?\tB\t11\t12\t13\t14\tsingle\t1\t0\n"
)
NO_ROLES = b'[{"role": "assistant", "content": "x"}, {"role": {}, "content": "y"}, {"role": ["user"], "content": []}]'
BLOCK = (
    "b = (1, 2, 300, 4)\nc = image.crop(b).resize((28, 28))\nw, h = image.size\n"
    "d = image_1[h//2:, :w-1]\nc.save('o.png')"
)
THYME = [
    {"role": "user", "content": "Question: q?", "images": ["street.jpg"]},
    {"role": "assistant", "content": "<answer>B</answer>", "code_blocks": [BLOCK]},
]
REQUESTS = [
    {"messages": [{"role": "user", "content": [{"type": "text", "value": "q"}]},
                  {"role": "assistant", "content": f"<code>\n```python\n{BLOCK}\n```\n</code>"}],
     "response": "<answer>B</answer>"},
]  # fmt: skip
SOURCE = (
    "import cv2\nfrom PIL import Image, ImageEnhance\nimg = Image.open('street.jpg')\nw, h = img.size\n"
    "x1, y1, x2, y2 = 10, 20, int(w * 0.5), min(h, 400)\nfor box in [(1, 2, 30, 40), [x1, y1, x2, y2]]:\n"
    "    crop = img.crop(box)\n    crop.save('c.png')\na = cv2.imread('c.png')\n"
    "b = cv2.resize(a[y1:-1, x1:x2], None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)\n"
    "c = ImageEnhance.Contrast(img.rotate(90, expand=True)).enhance(2.0)\nd = cv2.createCLAHE(2.0, (8, 8)).apply(b)\n"
    "with Image.open('a') as e:\n    e.thumbnail((100, -100))\nif w > 5:\n    e = c if w else d\n"
    "n = -w % 7 // 3 + abs(-2)\n"
    "cv2.rectangle(a, (1, 2), (3, 4), (0, 255, 0), 2)\nf = cv2.Canny(cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), 50, 150)\n"
)
KETTLE = {
    "target_object": ["kettle"], "bbox": [[1125, 750, 112, 56]], "question": "What colour is the kettle?",
    "options": ["The kettle is green.", "The kettle is red."],
}  # fmt: skip
PLAN = [
    {"id": "12", "slot": 0, "task_instruct": "Hang a picture.", "ordered": True,
     "refined_taxonomy": {"target_tools": ["tape measure", "pencil"], "target_steps": [1, 1],
                          "negative_tools": ["rubber mallet"]}},
]  # fmt: skip
RUN_COLUMNS = {"sample": "id", "answer": "pred", "boxes": "crops", "seconds": "u.cost", "rollout": "r"}
RUN_CELLS = b'id;pred;crops;seconds\na;B;[1,2,3,4];1\na;B;<box>[1,2,3,4]</box> {"bbox": "1 2 3 4"};x\n'
RUN_ROWS = (
    b'{"id": "a", "pred": "x", "crops": [[1, 2, 3, 4], {"bbox": "1"}], "u": {"cost": 1}, "rollout": 1}\n'
)  # fmt: skip
SAMPLE_COLUMNS = {"id": "qid", "image": "file", "question": "question", "options": "choices", "answer": "label",
                  "boxes": "evidence"}  # fmt: skip
SAMPLE_CELLS = (
    b"qid,file,question,choices,label,evidence,width,height,option_a,x1,y1,w,h,tier,split\n"
    b"7,a.jpg,Which?,\"['red', 'blue']\",B,\"[1, 2, 3, 4]\",100,80,red,1,2,3,4,2,dev\n"
    b'8,a.jpg,Which?,A. red | B. blue,red; blue,<box>[1 2 3 4]</box>,100,80,red,1,2,3,4,2,dev\n'
)  # fmt: skip
SHEET = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c>'
    '</row><row r="2"><c r="A2" t="str"><v>a</v></c><c r="B2" t="n"><v>1.5</v></c><c r="C2" t="b"><f>1+1</f><v>1</v>'
    '</c></row><row r="9"><c r="XFD9" t="d"><v>2020-01-01</v></c><c t="e"><v>#N/A</v></c></row></sheetData></worksheet>'
)
STRINGS = (
    '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="2"><si><t>prediction</t></si>'
    "<si><r><t>cro</t></r><r><t>ps</t></r></si></sst>"
)
CHUNKED = {"id": "a", "epoch": 1, "input": "Colour?", "choices": ["x"], "target": "A",
           "scores": {"c": {"value": "C", "answer": "A"}}}  # fmt: skip
TALK = [
    {"role": "user", "content": [{"type": "image", "image": "attachment://1"}, {"type": "text", "text": "q"}]},
    {"role": "assistant", "content": "", "tool_calls": [
        {"id": "c", "function": "zoom", "arguments": {"bbox": [1, 2, 3, 4]}, "type": "function"}]},
    {"role": "tool", "tool_call_id": "c", "function": "zoom", "content": [{"type": "image", "image": "attachment://2"}]},
]  # fmt: skip


def native_lines(key: str) -> bytes:
    """One list of ``NATIVE`` as JSONL."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in NATIVE[key])


def as_json(value: object) -> bytes:
    """Any of these as a file."""
    return json.dumps(value, ensure_ascii=True).encode()


def of_data(name: str) -> bytes:
    """A file of the tests' data."""
    return (DATA / name).read_bytes()


def exported(name: str) -> bytes:
    """Two samples in one of our own formats of export."""
    content = SampleContent(
        "Which\tcolour?", AnswerType.MULTIPLE_CHOICE, {"A": "red", "B": "=green"}, ("B",),
        (Box(10, 20, 60, 70), Box(0, 0, 1, 1)), (ToolCall("Crop", {"x": 1}), ToolCall("Flip")),
    )  # fmt: skip
    choice = SampleRecord(
        "a", content, "p/kettle.jpg", width=200, height=100, facets={"category": ("d",), "tier": (1,)}
    )
    out = io.BytesIO()
    EXPORTERS[name].write_to(out, iter([choice, SampleRecord("b", SampleContent("Read it", answers=("14",)))]))
    return out.getvalue()


DAMAGED_FILES = {
    "one.json": json.dumps(NATIVE, indent=1, ensure_ascii=True).encode(),
    "samples.jsonl": native_lines("samples"),
    "trajectories.jsonl": native_lines("trajectories"),
    "result_direct_attributes_m.jsonl": of_data("deepeyes_vstar.jsonl")
    + b'{"image": "demo_0001.jpg", "question": "What colour is the kettle?", "pred_ans": "B", "pred_output": '
    + NO_ROLES
    + b"}\n",
    "result_hr_bench_8k_m.jsonl": of_data("deepeyes_hrbench.jsonl"),
    "VTC-Bench.tsv": VTC_TABLE.encode(),
    "talk.json": of_data("qwen_agent_messages.json"),
    "chat.jsonl": of_data("openai_chat.jsonl") + b'{"id": "a", "messages": ' + NO_ROLES + b"}\n",
    "conv.json": of_data("pixelreasoner/vstar-2/conv.json"),
    "traj.jsonl": of_data("minio3/doc_42/traj.jsonl"),
    "100.jsonl": of_data("verl_generations_100.jsonl").replace(b'{"input"', b'{"id": "doc_42", "input"'),
    "log.json": of_data("inspect_log.json"),
    "x_samples_v.jsonl": of_data("lmms_eval_20260101_120000_samples_vstar_bench.jsonl"),
    "seal.json": of_data("seal_eval_result.json"),
    "phystool.json": of_data("phystool_eval.json"),
    "results_1.jsonl": of_data("vtc_run/results_20260101_120000.jsonl"),
    "predictions.tsv": of_data("vlmevalkit_prediction.tsv"),
    "conversation_history.json": as_json(THYME),
    "mine.csv": RUN_CELLS,
    "mine.jsonl": RUN_ROWS,
}
"""By the name they would have."""


def book_parts() -> list[bytes]:
    """The parts of a workbook that hold it together: types, relations, the book and its relations."""
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_PART}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_PART}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_PART}.sharedStrings+xml"/></Types>'
    )
    book = (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
    )
    relations = (
        f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_OFFICE}/worksheet" '
        'Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="r2" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    )
    top = (
        f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    )
    return [text.encode() for text in (types, top, book, relations)]


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_PART = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def archives() -> list[bytes]:
    """Zips as they may come: stored, deflated, with folders."""
    found = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            archive.writestr("trajectories.jsonl", native_lines("trajectories"))
            archive.writestr("d/a.json", as_json(KETTLE))
            archive.writestr("__MACOSX/x", b"")
        found.append(out.getvalue())
    return [*found, exported("vstar")]


def images() -> list[bytes]:
    """A few pixels in each format that is taken, the TIFF with and without compression."""
    found = []
    for kind, options in (("JPEG", {}), ("PNG", {}), ("WEBP", {}), ("TIFF", {}), ("TIFF", {"compression": "tiff_lzw"})):
        file = io.BytesIO()
        Image.linear_gradient("L").resize((9, 7)).save(file, kind, **options)
        found.append(file.getvalue())
    return found


ANSWERS = (
    "The correct answer is B.",
    "So it is not A but B. Wait, actually (C).",
    "<think>B</think><answer>C. lamp</answer>",
    'I say:\n```json\n{"answer": "\\u0042", "score": 1}\n```',
    "**Final answer:** \\boxed{\\text{B}}\n\nD",
    "正确答案是B, 不是A.",
    "$\\frac{17}{1}$ mm, i.e. 1,700 % or ½",
    "<|im_start|>assistant\nYes, a; b<|im_end|>\nUSER: no",
    "A. kettle\nB. cup\nAnswer: cup (B)",
    "La respuesta es la D. Die Antwort lautet: B",
    "['B']",
    "I'm sorry, I cannot tell; it may be A or B.",
)
"""Texts of models, for the reader of answers."""
