"""Benchmark formats: one row per format in ``EXPORTERS``; the way out for samples."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.exporters import coco, label_studio, native, parquet, viebench, vstar, vtc_bench
from annotation.exporters.interface import Exporter
from annotation.exporters.parts import RESULTS, Part
from annotation.marking import gettext_noop

_SAMPLES_ALONE = (Part.IMAGES, *RESULTS)
_VTC_BENCH = (
    Part.IMAGES,
    Part.IMAGE_GROUPS,
    Part.SIZES,
    Part.LATE_OPTIONS,
    Part.SEVERAL_ANSWERS,
    Part.BOXES,
    Part.ARGUMENTS,
    Part.ACCEPTED_CHAINS,
    Part.PLANS,
    Part.TIERS,
    Part.FURTHER_FACETS,
    Part.SEVERAL_VALUES,
    Part.KEYS,
    Part.STATES,
    *RESULTS,
)

EXPORTERS: Mapping[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        Exporter(
            "native",
            gettext_noop("Sightline: samples, gold and runs, as one JSON file"),
            ".json",
            native.parts,
            (Part.IMAGES,),
        ),
        Exporter(
            "label-studio",
            gettext_noop("Label Studio: tasks with the gold as an annotation"),
            ".json",
            label_studio.parts,
            _SAMPLES_ALONE,
        ),
        Exporter(
            "coco",
            gettext_noop("COCO: gold boxes and polygons as annotations"),
            ".json",
            coco.parts,
            (
                Part.IMAGES,
                Part.IMAGE_GROUPS,
                Part.BARE_SAMPLES,
                Part.ANSWERS,
                Part.BOX_LABELS,
                Part.TOOLCHAINS,
                Part.ACCEPTED_CHAINS,
                Part.PLANS,
                Part.FACETS,
                Part.KEYS,
                Part.STATES,
                *RESULTS,
            ),
        ),
        Exporter(
            "vtc-bench",
            gettext_noop("VTC-Bench: TSV with reference toolchains"),
            ".tsv",
            vtc_bench.parts,
            _VTC_BENCH,
            gettext_noop(
                "In a spreadsheet, a cell that begins with =, +, - or @ runs as a formula. Open the guarded file there."
            ),
        ),
        Exporter(
            "vtc-bench-guarded",
            gettext_noop("VTC-Bench: guarded TSV for spreadsheets"),
            ".tsv",
            vtc_bench.guarded_parts,
            (Part.FORMULAS, *_VTC_BENCH),
            gettext_noop("An apostrophe precedes each cell that would run as a formula. Don't import this file."),
        ),
        Exporter(
            "vstar",
            gettext_noop("V*: one JSON file per image, in a zip"),
            ".zip",
            vstar.parts,
            (
                Part.IDS,
                Part.IMAGES,
                Part.IMAGE_NAMES,
                Part.IMAGE_GROUPS,
                Part.SIZES,
                Part.LETTERS,
                Part.OPEN_ANSWERS,
                Part.OUTLINES,
                Part.BOX_LABELS,
                Part.TOOLCHAINS,
                Part.ACCEPTED_CHAINS,
                Part.PLANS,
                Part.TIERS,
                Part.FURTHER_FACETS,
                Part.SEVERAL_VALUES,
                Part.KEYS,
                Part.STATES,
                *RESULTS,
            ),
        ),
        Exporter(
            "parquet",
            gettext_noop("Hugging Face data sets: one Parquet file with the images"),
            ".parquet",
            parquet.parts,
            RESULTS,
            with_pictures=parquet.parts_with_pictures,
        ),
        Exporter(
            "parquet-names",
            gettext_noop("Hugging Face data sets: one Parquet file with the names of the images"),
            ".parquet",
            parquet.parts,
            _SAMPLES_ALONE,
        ),
        Exporter(
            "viebench",
            gettext_noop("ViEBench: questions with evidence boxes, as JSON"),
            ".json",
            viebench.parts,
            (
                Part.IMAGES,
                Part.IMAGE_GROUPS,
                Part.OUTLINES,
                Part.BOX_LABELS,
                Part.TOOLCHAINS,
                Part.ACCEPTED_CHAINS,
                Part.PLANS,
                Part.FURTHER_FACETS,
                Part.SEVERAL_VALUES,
                Part.KEYS,
                Part.STATES,
                *RESULTS,
            ),
        ),
    )
}
