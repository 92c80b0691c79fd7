"""Benchmark formats: one row per format in ``EXPORTERS``; the way out for samples."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.exporters import coco, label_studio, native, parquet, viebench, vstar, vtc_bench
from annotation.exporters.interface import Exporter

EXPORTERS: Mapping[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        Exporter("native", "Sightline: everything, as one JSON file", ".json", native.parts),
        Exporter("label-studio", "Label Studio: tasks with the gold as an annotation", ".json", label_studio.parts),
        Exporter("coco", "COCO: gold boxes as annotations", ".json", coco.parts),
        Exporter(
            "vtc-bench",
            "VTC-Bench: TSV with reference toolchains",
            ".tsv",
            vtc_bench.parts,
            "In a spreadsheet, a cell that begins with =, +, - or @ runs as a formula. Open the guarded file there.",
        ),
        Exporter(
            "vtc-bench-guarded",
            "VTC-Bench: guarded TSV for spreadsheets",
            ".tsv",
            vtc_bench.guarded_parts,
            "An apostrophe precedes each cell that would run as a formula. Don't import this file.",
        ),
        Exporter("vstar", "V*: one JSON file per image, in a zip", ".zip", vstar.parts),
        Exporter("parquet", "Hugging Face data sets: one Parquet file", ".parquet", parquet.parts),
        Exporter("viebench", "ViEBench: questions with evidence boxes, as JSON", ".json", viebench.parts),
    )
}
