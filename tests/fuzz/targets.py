"""What is fuzzed: one row for each reader, the ways its input is laid out as files, and where damage begins.

An input is a byte that chooses the layout and the options, then the files, parted by ``PART``.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any

from annotation.imaging.decoding import decode, inspect
from annotation.imaging.problems import PictureProblem
from annotation.importers import IMPORTERS as SAMPLE_IMPORTERS
from annotation.importers import detect_format as detect_samples
from annotation.importers.any_table import columns_of
from annotation.importers.decoding import RowDecoder
from annotation.importers.interface import ImportProblem
from annotation.importers.interface import ReadOptions as SampleOptions
from annotation.importers.reading import RawRow, is_lines
from annotation.importers.record_stream import RecordStream
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.importers.shapes import shape_of
from annotation.importers.sheets import SheetStream
from annotation.schema import ORIGINAL
from evaluation.importers import IMPORTERS as RUN_IMPORTERS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.code_track import Program
from evaluation.importers.code_values import Raster
from evaluation.importers.decisions import decisions_in
from evaluation.importers.interface import BoxSpace, ReadOptions
from evaluation.importers.mapped.mapping import mapping_from, mapping_in
from evaluation.importers.mapped.outline import digest_of, outline_of
from evaluation.importers.mapped.placing import uses
from evaluation.importers.mapped.proposals import propose
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.importers.zooming import at_least
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import UNKNOWN, AnswerKey
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Coordinates
from tests.fuzz import seeds
from tests.fuzz.seeds import DAMAGED_FILES as FILES
from tests.fuzz.seeds import INDEX, as_json, of_data
from tests.unit.mapped_logs import LOGS

PART = b"\x1e"
Layout = tuple[str, ...]
"""The names of the files of an input; one ending in ``.zip/`` or ``.xlsx/`` before them packs them into such a file."""
Reading = Callable[[Path, int], Iterable[Any]]
"""A path and a byte of options in, everything that comes out of it out."""


@dataclass(frozen=True, slots=True)
class Target:
    """``read`` is what is tried, on files laid out in one of ``layouts``; ``starts``: contents for the layouts, in
    order, each as many files as the layout has."""

    read: Reading
    starts: Sequence[tuple[Layout, Sequence[bytes]]] = field(default=())

    @property
    def layouts(self) -> list[Layout]:
        """Each layout once."""
        return list(dict.fromkeys(layout for layout, _ in self.starts))

    def seeds(self) -> list[bytes]:
        """Inputs to begin with."""
        places = self.layouts
        return [bytes([places.index(layout)]) + PART.join(parts) for layout, parts in self.starts]

    def check(self, data: bytes, folder: Path) -> None:
        """Lays ``data`` out in ``folder``, which is empty, and reads it. Raises whatever is no ``ImportProblem``, and
        ``AssertionError`` for something that could not be stored."""
        choice, content = (data[0], data[1:]) if data else (0, b"")
        path = laid_out(folder, self.layouts[choice % len(self.layouts)], content)
        with suppress(ImportProblem):
            for item in self.read(path, choice):
                assert_storable(item)


def laid_out(folder: Path, layout: Layout, content: bytes) -> Path:
    """Writes the files of an input; the path to read."""
    if len(layout) == 1:
        path = folder / layout[0]
        path.write_bytes(content)
        return path
    parts = content.split(PART, len(layout) - 1)
    if layout[0].endswith("/"):
        path = folder / layout[0].rstrip("/")
        with zipfile.ZipFile(path, "w") as archive:
            for name, part in zip(layout[1:], content.split(PART, len(layout) - 2), strict=False):
                archive.writestr(name, part)
        return path
    for name, part in zip(layout, parts, strict=False):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(part)
    return folder


def assert_storable(item: object) -> None:
    """A database takes it: JSON without infinities, NUL bytes or halves of characters."""
    value = asdict(item) if is_dataclass(item) and not isinstance(item, type) else item
    stored = json.dumps(value, allow_nan=False, ensure_ascii=False, default=_as_text)
    assert "\\u0000" not in stored.replace("\\\\", ""), "a NUL byte"
    stored.encode("utf-8")


def _as_text(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)


SPACES = (None, BoxSpace(Coordinates.NORM1), BoxSpace(Coordinates.NORM1000), BoxSpace(Coordinates.PIXEL, (640, 480)))


READINGS = ("standard", "vtc", "deepeyes", "vlmevalkit")
ANSWER_KEYS = (
    AnswerKey(True, {"A": "kettle", "B": "cup", "C": "lamp", "D": "vase"}, ("B",)),
    AnswerKey(True, {"A": "Yes", "B": "No", "C": "45 mm", "D": "to the left of the $x$", "E": "B"}, ("A",)),
    AnswerKey(True, {}, ("A",)),
    AnswerKey(False, {}, ("17 mm", "cup", "1/2", "yes", "a, b")),
)
"""The keys that each text is read under."""


def _runs(name: str) -> Reading:
    return lambda path, choice: RUN_IMPORTERS[name].read(path, ReadOptions(coordinates=SPACES[choice >> 6]), INDEX)


def _samples(name: str) -> Reading:
    spaces = ("", "norm1", "norm1000", "640x480")
    return lambda path, choice: SAMPLE_IMPORTERS[name].read(path, SampleOptions(coordinates=spaces[choice >> 6]))


def _detected(path: Path, _: int) -> Iterable[Any]:
    for look in (detect_samples, detect_runs, columns_of):
        with suppress(ImportProblem):
            yield from look(path)


def _shapes(path: Path, _: int) -> Iterable[Any]:
    """What a file is said to be, and its rows as they are brought into one form."""
    yield shape_of(path)
    decoder = RowDecoder()
    for row in RecordStream(path):
        yield decoder.decode_any(row)[0] if isinstance(row, RawRow) else row


def _program(path: Path, choice: int) -> Iterable[Any]:
    size = (2000, 1000) if choice & 1 else None
    program = Program(Raster(ORIGINAL, size), rewrite=at_least if choice & 2 else None)
    for code in path.read_bytes().decode("utf-8", "replace").split("\x1e"):
        yield program.read(code)


def _run_mapping(path: Path, choice: int) -> Iterable[Any]:
    mapping = RUN_FIELDS.mapping_in((path / "mapping.json").read_text("utf-8", "replace"))
    yield RUN_FIELDS.problem(mapping)
    rows = next(name for name in ("rows.jsonl", "rows.csv") if (path / name).is_file() or name == "rows.csv")
    yield from RUN_IMPORTERS["table"].read(
        path / rows, ReadOptions(mapping=mapping, coordinates=SPACES[choice >> 6]), INDEX
    )


def _keys(path: Path, choice: int) -> Iterable[Any]:
    """A log with a mapping of its keys, and what is proposed of it."""
    log = next((name for name in ("log.jsonl", "log.json") if (path / name).is_file()), "log.json")
    with suppress(ImportProblem):
        outline = outline_of(path / log)
        proposed = propose(outline)
        yield digest_of(outline.tree())
        yield mapping_from(proposed.as_dict()).as_dict()
        uses(proposed, outline.tree(proposed.rows, proposed.texts))
        yield from RUN_IMPORTERS["mapped"].read(path / log, ReadOptions(keys=proposed, glimpse=bool(choice & 2)), INDEX)
    mapping = mapping_in((path / "mapping.json").read_text("utf-8", "replace"))
    assert mapping_from(mapping.as_dict()) == mapping, "it reads otherwise once it is written"
    yield from RUN_IMPORTERS["mapped"].read(
        path / log, ReadOptions(keys=mapping, coordinates=SPACES[choice >> 6]), INDEX
    )


def _answers(path: Path, choice: int) -> Iterable[Any]:
    """What is read in a text under options, and under accepted strings. Its place is in the text."""
    text = path.read_bytes().decode("utf-8", "replace").replace("\0", "")
    settings = MetricSettings(answer_reading=READINGS[choice >> 6])
    for key in ANSWER_KEYS:
        judged = judge_answer(text, key, UNKNOWN, settings)
        reading = judged.reading
        assert 0 <= reading.start <= reading.end <= len(text), "a place outside the text"
        known = settings.answer_reading == "standard" and key.options
        assert not reading.letter or not known or reading.letter in key.options, "a letter that is no option"
        yield judged


def _decisions(path: Path, _: int) -> Iterable[Any]:
    yield from decisions_in(path)


def _sample_mapping(path: Path, _: int) -> Iterable[Any]:
    mapping = SAMPLE_FIELDS.mapping_in((path / "mapping.json").read_text("utf-8", "replace"))
    yield SAMPLE_FIELDS.problem(mapping)
    yield from SAMPLE_IMPORTERS["table"].read(path / "rows.csv", SampleOptions(mapping=mapping))


def _sheet(path: Path, _: int) -> Iterable[Any]:
    yield from SheetStream(path)


def _any_archive(path: Path, choice: int) -> Iterable[Any]:
    yield from _detected(path, choice)
    names = ("native", "inspect", "thyme", "vtc-bench", "table")
    for read in (*(_runs(name) for name in names), _samples("vstar"), _samples("parquet")):
        with suppress(ImportProblem):
            yield from read(path, choice)


def _image(path: Path, _: int) -> Iterable[Any]:
    with suppress(PictureProblem):
        yield inspect(path)
        assert decode(path).size


def _file(name: str) -> tuple[Layout, tuple[bytes, ...]]:
    return (name,), (FILES[name],)


def _shaped(*names: str) -> list[tuple[Layout, tuple[bytes, ...]]]:
    """Files of the shapes, each by itself."""
    return [((name.rsplit("/", 1)[-1],), (of_data(f"shapes/{name}"),)) for name in names]


BOOK = ("book.xlsx/", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "[Content_Types].xml", "_rels/.rels",
        "xl/workbook.xml", "xl/_rels/workbook.xml.rels")  # fmt: skip
LOG = ("log.eval/", "header.json", "samples/a_epoch_1.json", "samples/b_epoch_1/sample.json",
       "samples/b_epoch_1/messages/0.json")  # fmt: skip
HEADER = {"version": 2, "status": "success", "eval": {"model": "openai/gpt-4o"}}
TASKS = ("all_tools_identified_demo-vlm.json", "task_ii_results_demo-vlm.json")


def _workbook() -> tuple[bytes, ...]:
    return (seeds.SHEET.encode(), seeds.STRINGS.encode(), *seeds.book_parts())


_RUNS: Mapping[str, Sequence[tuple[Layout, Sequence[bytes]]]] = {
    "native": [_file("one.json"), _file("trajectories.jsonl")],
    "deepeyes": [_file("result_direct_attributes_m.jsonl"), _file("result_hr_bench_8k_m.jsonl")],
    "pixel-reasoner": [
        (("q/conv.json", "q/iter0.jpg"), (FILES["conv.json"], b"")),
        (("sample.eval_iter0_0.jsonl",), (of_data("pixelreasoner_sample.eval_iter0_0.jsonl"),)),
    ],
    "mini-o3": [(("doc_42/traj.jsonl", "a.txt"), (FILES["traj.jsonl"], b"")), _file("100.jsonl")],
    "thyme": [
        (("sample_a/conversation_history.json", "sample_a/api_calls.json", "sample_a/metadata.json"),
         (as_json(seeds.THYME), as_json(seeds.REQUESTS), b'{"sample_id": "s"}')),
        _file("conversation_history.json"),
    ],
    "qwen-agent": [_file("talk.json"), (("talk.jsonl",), (as_json({"messages": seeds.TALK}),))],
    "vtc-bench": [
        (("results_1.jsonl", "response_list_counting_9.json"),
         (FILES["results_1.jsonl"], of_data("vtc_run/response_list_counting_9.json"))),
    ],
    "vlmevalkit": [
        _file("predictions.tsv"),
        (("m_VStarBench.json",), (as_json([{
            "index": 1, "id": "k", "question": "q",
            "prediction": "<think><box>[1,2,3,4]</box></think><answer>A</answer>",
            "hit": 1, "log": "ok",
            "raw_response": str([{"role": "assistant", "content": f"<code>{seeds.BLOCK}</code>"}]),
        }]),)),
    ],
    "lmms-eval": [_file("x_samples_v.jsonl")],
    "openai-chat": [_file("chat.jsonl"), (("chat.json",), (as_json({"id": "a", "messages": seeds.TALK}),))],
    "inspect": [
        _file("log.json"),
        (LOG, (as_json(HEADER), as_json(seeds.CHUNKED | {"messages": seeds.TALK}), as_json(seeds.CHUNKED),
               as_json(seeds.TALK))),
    ],
    "seal": [_file("seal.json")],
    "phystool": [_file("phystool.json"), (TASKS, tuple(of_data(f"phystool/{name}") for name in TASKS))],
    "table": [
        _file("mine.csv"), _file("mine.jsonl"), *_shaped("by_id.json", "texts_by_id.json", "list_under_key.json",
        "pandas_columns.json", "pandas_split.json", "pandas_lists.json"),
        (("run.zip/", "run1/k/output.json", "a.json"), (b'{"prediction": "B", "crops": [[1, 2, 3, 4]]}', b'{"id": 1}')),
    ],
    "sharegpt": _shaped("sharegpt.json"),
    "react": _shaped("react.json"),
    "llava": [*_shaped("llava/answers.jsonl"),
              (("pope.zip/", "answers.jsonl", "questions.jsonl"),
               (of_data("shapes/llava/answers.jsonl"), of_data("shapes/llava/questions.jsonl")))],
}  # fmt: skip
_SAMPLES: Mapping[str, Sequence[tuple[Layout, Sequence[bytes]]]] = {
    "native": [_file("one.json"), _file("samples.jsonl")],
    "vtc-bench": [_file("VTC-Bench.tsv")],
    "vstar": [(("d/a.json", "d/a.jpg"), (as_json(seeds.KETTLE), b"\xff\xd8\xff"))],
    "hr-bench": [(("hr_bench_4k.tsv",), (seeds.HR_TABLE.encode(),))],
    "viebench": [(("bench.json",), (seeds.exported("viebench"),))],
    "phystool": [(("plans.json",), (as_json(seeds.PLAN),))],
    "coco": [(("coco.json",), (seeds.exported("coco"),))],
    "parquet": [(("train-00000-of-00001.parquet",), (seeds.exported("parquet"),))],
    "label-studio": [(("tasks.json",), (seeds.exported("label-studio"),))],
    "table": [(("mine.csv",), (seeds.SAMPLE_CELLS,)), (("bench.json",), (seeds.exported("viebench"),))],
    "llava": _shaped("llava/questions.jsonl"),
    "dialogs": _shaped("dialogs.json"),
    "lmms-eval": [_file("x_samples_v.jsonl")],
    "vlmevalkit": [_file("predictions.tsv")],
    "inspect": [_file("log.json")],
    "seal": [_file("seal.json"), *_shaped("seal_plain.json")],
    "react": _shaped("react.json"),
}
TARGETS: Mapping[str, Target] = {
    "code": Target(_program, [(("code.py",), (seeds.SOURCE.encode(),))]),
    **{f"runs-{name}": Target(_runs(name), starts) for name, starts in _RUNS.items()},
    **{f"samples-{name}": Target(_samples(name), starts) for name, starts in _SAMPLES.items()},
    "workbook": Target(_sheet, [(BOOK, _workbook())]),
    "archive": Target(_any_archive, [(("a.zip",), (content,)) for content in seeds.archives()]),
    "run-mapping": Target(_run_mapping, [
        (("mapping.json", "rows.csv"), (as_json({"columns": seeds.RUN_COLUMNS, "boxes": "xywh"}), seeds.RUN_CELLS)),
        (("mapping.json", "rows.jsonl"), (as_json({"columns": seeds.RUN_COLUMNS}), seeds.RUN_ROWS)),
    ]),
    "keys": Target(_keys, [
        (("mapping.json", "log.jsonl" if is_lines(log.content, "log") else "log.json"),
         (as_json(log.mapping), log.content)) for log in LOGS
    ]),
    "sample-mapping": Target(_sample_mapping, [
        (("mapping.json", "rows.csv"), (as_json({"columns": seeds.SAMPLE_COLUMNS}), seeds.SAMPLE_CELLS)),
    ]),
    "answers": Target(_answers, [(("answer.txt",), (text.encode(),)) for text in seeds.ANSWERS]),
    "decisions": Target(_decisions, [
        (("decisions.csv",), (b"group,answers,decision\r\n0123456789abcdef,3,B\r\nfedcba9876543210,1,?\r\n",)),
        (("decisions.csv",), ('\ufeff"group","decision"\n"0123456789abcdef","Y"\n,\n'.encode(),)),
    ]),
    "images": Target(_image, [(("image",), (content,)) for content in seeds.images()]),
    "detection": Target(_detected, [_file(name) for name in FILES]),
    "shapes": Target(_shapes, _shaped("by_id.json", "texts_by_id.json", "list_under_key.json", "pandas_columns.json",
                                      "pandas_split.json", "pandas_lists.json", "dialogs.json", "sharegpt.json")),
}  # fmt: skip
"""By name; ``runs-`` and ``samples-`` are the importers of the two tables."""
