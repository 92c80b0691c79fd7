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
        Exporter("vtc-bench", "VTC-Bench: TSV with reference toolchains", ".tsv", vtc_bench.parts),
        Exporter("vstar", "V*: one JSON file per picture, in a zip", ".zip", vstar.parts),
        Exporter("parquet", "Hugging Face data sets: one Parquet file", ".parquet", parquet.parts),
        Exporter("viebench", "ViEBench: questions with evidence boxes, as JSON", ".json", viebench.parts),
    )
}
