"""Benchmark formats: one row per format in ``EXPORTERS``; the way out for samples."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.exporters import coco, label_studio, native, parquet, viebench, vstar, vtc_bench
from annotation.exporters.interface import Exporter
from annotation.marking import gettext_noop

EXPORTERS: Mapping[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        Exporter("native", gettext_noop("Sightline: samples, gold and runs, as one JSON file"), ".json", native.parts),
        Exporter(
            "label-studio",
            gettext_noop("Label Studio: tasks with the gold as an annotation"),
            ".json",
            label_studio.parts,
        ),
        Exporter("coco", gettext_noop("COCO: gold boxes and polygons as annotations"), ".json", coco.parts),
        Exporter(
            "vtc-bench",
            gettext_noop("VTC-Bench: TSV with reference toolchains"),
            ".tsv",
            vtc_bench.parts,
            gettext_noop(
                "In a spreadsheet, a cell that begins with =, +, - or @ runs as a formula. Open the guarded file there."
            ),
        ),
        Exporter(
            "vtc-bench-guarded",
            gettext_noop("VTC-Bench: guarded TSV for spreadsheets"),
            ".tsv",
            vtc_bench.guarded_parts,
            gettext_noop("An apostrophe precedes each cell that would run as a formula. Don't import this file."),
        ),
        Exporter("vstar", gettext_noop("V*: one JSON file per image, in a zip"), ".zip", vstar.parts),
        Exporter(
            "parquet",
            gettext_noop("Hugging Face data sets: one Parquet file with the images"),
            ".parquet",
            parquet.parts,
            with_pictures=parquet.parts_with_pictures,
        ),
        Exporter(
            "parquet-names",
            gettext_noop("Hugging Face data sets: one Parquet file with the names of the images"),
            ".parquet",
            parquet.parts,
        ),
        Exporter("viebench", gettext_noop("ViEBench: questions with evidence boxes, as JSON"), ".json", viebench.parts),
    )
}
