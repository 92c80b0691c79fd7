"""An export written and read again has exactly the parts that its format does not exclude."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation.exporters import EXPORTERS
from annotation.exporters.parts import IN_NO_FORMAT, RESULTS, WORDS, Part
from annotation.importers import IMPORTERS
from annotation.importers.interface import ReadOptions
from annotation.schema import (
    AnswerType,
    Box,
    FurtherChain,
    Outline,
    OutlineKind,
    SampleContent,
    SampleRecord,
    Target,
    ToolCall,
    ToolPlan,
)
from annotation.workflow import SampleState

OPTIONS = {"A": "red", "B": "green", "C": "blue"}
SHAPES = (
    Box(10, 20, 60, 70),
    Outline.of(OutlineKind.POLYGON, [(10.0, 10.0), (50.0, 12.0), (30.0, 60.0)]),
    Outline.of(OutlineKind.POINT, [(30.0, 40.0)]),
)
LETTERED = {letter: f"the {letter}" for letter in "ABCDEFGHI"}
CHAIN = (ToolCall("Crop", {"x": 1}, "original", "crop1", "a model"), ToolCall("Flip", {}, "crop1"))
RICH = SampleRecord(
    "rich",
    SampleContent(
        "Which color?",
        AnswerType.MULTIPLE_CHOICE,
        OPTIONS,
        ("B",),
        SHAPES,
        CHAIN,
        ToolPlan((Target("saw", 1, 1), Target("axe", 1, 1)), ("glue",), True, ("visual",)),
    ),
    "p/rich.png",
    "room",
    200,
    100,
    {
        "category": ("direct",),
        "tier": ("hard",),
        "dimension": ("depth",),
        "segment": ("27", "31"),
        "light": ("day",),
    },
    {"box_labels": ["sign", "", ""], "box_sources": ["", "a model", ""], "note": "kept"},
    (FurtherChain((ToolCall("Zoom"),), "shorter"),),
)
"""Every part that one sample can have."""
OPEN = SampleRecord("open", SampleContent("Read it", answers=("14", "fourteen"), gold_boxes=SHAPES[:1]), "p/open.png")
BARE = SampleRecord("bare", SampleContent("Is it day?", answers=("yes",)), "p/bare.png")
LATE = SampleRecord(
    "late",
    SampleContent(
        "Which one?",
        AnswerType.MULTIPLE_CHOICE,
        LETTERED,
        ("A",),
        SHAPES[:1],
    ),
    "p/late.png",
)
VALUES = SampleRecord(
    "values",
    SampleContent("How many?", answers=("2",), gold_boxes=SHAPES[:1]),
    "p/values.png",
    facets={"category": ("a", "b")},
)
FORMULA = SampleRecord("formula", SampleContent("=1+1", answers=("2",), gold_boxes=SHAPES[:1]), "p/formula.png")
GONE = SampleRecord("gone", SampleContent(), "p/gone.png", state=SampleState.DISCARDED)
EVERYTHING = (RICH, OPEN, BARE, LATE, VALUES, FORMULA, GONE)

Read = Mapping[str, SampleRecord]
IMPORTER_OF = {"vtc-bench-guarded": "vtc-bench", "parquet-names": "parquet"}
AROUND = {Part.IMAGES, *RESULTS, *IN_NO_FORMAT}
"""Parts that are not in a record: tests of images and of the native format read them."""


def _answers(found: Read) -> Any:
    content = found["rich"].content
    return sorted(content.options.values()), [content.options.get(letter) for letter in content.answers]


def _facets(found: Read, *names: str) -> Any:
    return [found["rich"].facets.get(name) for name in names]


def _labels(found: Read) -> Any:
    return [found["rich"].extra.get(name) for name in ("box_labels", "box_sources")]


READ: Mapping[Part, Callable[[Read], Any]] = {
    Part.IDS: lambda found: found["rich"].id,
    Part.IMAGE_NAMES: lambda found: found["rich"].image,
    Part.IMAGE_GROUPS: lambda found: found["rich"].image_group,
    Part.SIZES: lambda found: (found["rich"].width, found["rich"].height),
    Part.BARE_SAMPLES: lambda found: found["bare"].content.question,
    Part.ANSWERS: _answers,
    Part.LETTERS: lambda found: (found["rich"].content.options, found["rich"].content.answers),
    Part.LATE_OPTIONS: lambda found: sorted(found["late"].content.options.values()),
    Part.OPEN_ANSWERS: lambda found: (found["open"].content.answer_type, found["open"].content.answers[:1]),
    Part.SEVERAL_ANSWERS: lambda found: found["open"].content.answers,
    Part.FORMULAS: lambda found: found["formula"].content.question,
    Part.BOXES: lambda found: [box for box in found["rich"].content.gold_boxes if box == SHAPES[0]],
    Part.OUTLINES: lambda found: found["rich"].content.gold_boxes,
    Part.BOX_LABELS: _labels,
    Part.TOOLCHAINS: lambda found: [call.tool for call in found["rich"].content.reference_toolchain],
    Part.ARGUMENTS: lambda found: found["rich"].content.reference_toolchain,
    Part.ACCEPTED_CHAINS: lambda found: found["rich"].accepted_chains,
    Part.PLANS: lambda found: found["rich"].content.plan,
    Part.FACETS: lambda found: _facets(found, "category"),
    Part.TIERS: lambda found: _facets(found, "tier", "dimension"),
    Part.FURTHER_FACETS: lambda found: _facets(found, "segment", "light"),
    Part.SEVERAL_VALUES: lambda found: found["values"].facets.get("category"),
    Part.KEYS: lambda found: found["rich"].extra.get("note"),
    Part.STATES: lambda found: found["gone"].state,
}
"""How each part is read from records, by the id that they were exported with."""
IMPLIED: Mapping[Part, tuple[Part, ...]] = {
    Part.ANSWERS: (Part.LETTERS, Part.LATE_OPTIONS, Part.OPEN_ANSWERS, Part.SEVERAL_ANSWERS),
    Part.OPEN_ANSWERS: (Part.SEVERAL_ANSWERS,),
    Part.BOXES: (Part.OUTLINES, Part.BOX_LABELS),
    Part.TOOLCHAINS: (Part.ARGUMENTS,),
    Part.FACETS: (Part.TIERS, Part.FURTHER_FACETS, Part.SEVERAL_VALUES),
}
"""What cannot be held without the part."""


def there_and_back(name: str, folder: Path) -> Read:
    """The records of the file, by the id of the sample that each was: the formats keep the order or the image."""
    exporter = EXPORTERS[name]
    path = folder / f"file{exporter.suffix}"
    with path.open("wb") as out:
        exporter.write_to(out, EVERYTHING)
    importer = IMPORTERS[IMPORTER_OF.get(name, name)]
    found = [item for item in importer.read(path, ReadOptions()) if isinstance(item, SampleRecord)]
    return {Path(record.image or "").stem: record for record in found}


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_exactly_the_parts_that_are_not_excluded_survive(name: str, tmp_path: Path) -> None:
    before = {record.id: record for record in EVERYTHING}
    after = there_and_back(name, tmp_path)
    assert after.keys() == before.keys()
    lost = {part for part, read in READ.items() if read(after) != read(before)}
    excluded = {*EXPORTERS[name].cannot_hold}
    assert lost == (excluded | {one for part in excluded for one in IMPLIED.get(part, ())}) - AROUND


def test_every_part_has_words_and_a_test() -> None:
    assert WORDS.keys() == {*Part}
    assert READ.keys() | AROUND == {*Part}
    assert not READ.keys() & AROUND


def test_only_formats_with_images_and_results_say_so() -> None:
    for name, exporter in EXPORTERS.items():
        assert (Part.IMAGES in exporter.cannot_hold) == (exporter.with_pictures is None)
        assert ({*RESULTS} <= {*exporter.cannot_hold}) == (name != "native")
        assert not {*IN_NO_FORMAT} & {*exporter.cannot_hold}


def test_a_file_counts_the_samples_that_it_holds() -> None:
    counts = {name: exporter.write_to(io.BytesIO(), EVERYTHING) for name, exporter in EXPORTERS.items()}
    assert counts == dict.fromkeys(EXPORTERS, len(EVERYTHING)) | {"coco": len(EVERYTHING) - 2}
