"""The dry run of a file of samples: which are new, changed or there already, and what their images are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.content.box_names import extra_of, names_of
from annotation.content.chains.read import chain_of, digest_of
from annotation.content.records import record_of
from annotation.content.samples import content_digest, placed_record
from annotation.exchange.write.samples import Imported, SamplesSaver, duplicates
from annotation.images.store import Found, safe_path
from annotation.imaging.decoding import inspect
from annotation.imaging.problems import PictureProblem
from annotation.importers.interface import Position
from annotation.models import Image, ImportRecord, Sample
from annotation.schema import Issue, SampleRecord, shortened
from evaluation.imports.write.preview.pictures import draw
from evaluation.imports.write.preview.reservoir import ReservoirSample, raw_rows
from evaluation.imports.write.upload import path_of


class SampleReading(SamplesSaver):
    """Takes records as the import takes them, and counts what it would write."""

    def __init__(self, record: ImportRecord, folder: Path, tell: Callable[[Issue], None]) -> None:
        super().__init__(None, record.benchmark, record, folder, Imported())
        self.tell = tell
        self._written: dict[str, str] = {}
        """Fingerprints of the samples that this file has written so far."""
        self._made: set[str] = set()
        self._pictures: dict[str, Found] = {}
        self._kept: set[str] = set()
        """Names of images that the file came without and that are stored already."""
        self._draw: ReservoirSample[tuple[SampleRecord, Found | None]] = ReservoirSample()

    def _flush(self, position: Position | None) -> None:
        """Counts one batch as ``annotation.content.samples`` writes it."""
        latest = {record.id: record for record in self.rows}
        repeated = [record for record in self.rows if latest[record.id] is not record]
        samples = Sample.objects.filter(benchmark=self.benchmark, key__in=latest).with_gold()
        there = {sample.key: sample for sample in samples.prefetch_related("accepted_chains")}
        counts = self.result.counts
        counts["read"] += len(self.rows)
        for key, record in latest.items():
            picture = self._picture(record.image)
            if key in self._made:
                repeated.append(record)
            placed = placed_record(record, there.get(key), {record.image or "": picture} if picture else {})
            counts[self._outcome(placed.record, there.get(key), placed.image, placed.problem)] += 1
            self.issues += placed.issues
            if placed.image is not None and isinstance(picture, PictureProblem):
                self._kept.add(record.image or "")
            self._draw.take(key, (placed.record, placed.image or picture))
        for issue in [*self.issues, *duplicates(repeated)]:
            counts["issues"] += 1
            counts[issue.severity.value] += 1
            self.tell(issue)
        self.rows, self.tools, self.issues, self.embedded = [], [], [], {}

    def _outcome(self, record: SampleRecord, there: Sample | None, image: Image | None, problem: str) -> str:
        mark = fingerprint(record, content_digest(record.content), image, problem)
        before = self._written.get(record.id) or (_stored(there, record) if there else None)
        if before == mark:
            return "unchanged"
        self._written[record.id] = mark
        if before is None:
            self._made.add(record.id)
        return "new" if before is None else "changed"

    def _picture(self, name: str | None) -> Found | None:
        if not name:
            return None
        if name not in self._pictures:
            try:
                info = inspect(self.embedded[name] if name in self.embedded else safe_path(self.folder, name))
                self._pictures[name] = Image(sha256=info.sha256, width=info.width, height=info.height)
            except PictureProblem as problem:
                self._pictures[name] = problem
        return self._pictures[name]

    def pictures(self) -> Mapping[str, int]:
        """Different images the file names: found with it, here already, and not usable."""
        found = sum(isinstance(picture, Image) for picture in self._pictures.values())
        return {"found": found, "kept": len(self._kept), "missing": len(self._pictures) - found - len(self._kept)}

    def shown(self) -> list[dict[str, Any]]:
        """The drawn samples as the page shows them."""
        drawn = self._draw.records()
        places = [(r.file, r.row or r.line, r.id) for r, _ in drawn]
        raws = raw_rows(path_of(self.record), places, self.record.format)
        return [
            _shown(r, p) | self._drawn(r, p) | {"raw": raws.get((r.file, r.row or r.line, r.id), "")} for r, p in drawn
        ]

    def _drawn(self, record: SampleRecord, picture: Found | None) -> dict[str, Any]:
        """Whether the page has a small image of it; an image inside the file is shown once it is stored."""
        path = self.folder / (record.image or "")
        if not isinstance(picture, Image) or not path.is_file():
            return {"drawn": False, "stored": isinstance(picture, Image) and picture.pk is not None}
        problem = draw(self.record, path, picture.sha256, next(iter(record.content.gold_boxes), None))
        return {"drawn": not problem, **({"image_problem": problem} if problem else {})}


def _shown(record: SampleRecord, picture: Found | None) -> dict[str, Any]:
    content = record.content
    return {
        "sample": record.id,
        "file": record.file,
        "place": record.place,
        "question": shortened(content.question, 300),
        "answer": shortened(", ".join(content.answers), 100),
        "options": dict(content.options),
        "gold": [box.as_list() for box in content.gold_boxes],
        "width": record.width,
        "height": record.height,
        "image": record.image or "",
        "image_problem": picture.message if isinstance(picture, PictureProblem) else "",
        "sha256": picture.sha256 if isinstance(picture, Image) else "",
        "calls": len(content.reference_toolchain),
        "targets": len(content.plan.targets),
        "facets": {name: shortened(", ".join(map(str, values)), 60) for name, values in record.facets.items()},
    }


def fingerprint(record: SampleRecord, digest: str, image: Image | None, problem: str) -> str:
    """All that an import compares with what is stored."""
    size = [record.width, record.height] if record.width and record.height else []
    facets = {name: [[value, type(value).__name__] for value in values] for name, values in record.facets.items()}
    picture = [record.image or "", record.image_group or "", size, image.sha256 if image else "", problem]
    chains = [[digest_of(chain.calls), chain.note] for chain in record.accepted_chains or ()]
    names = names_of(record) or ()
    said = [picture, facets, extra_of(record), names if any(map(any, names)) else (), chains]
    return digest + json.dumps(said, sort_keys=True, default=str)


def _stored(sample: Sample, record: SampleRecord) -> str:
    """Return a stored sample in a form to compare with ``record``: its further chains and box names count if the
    record has any."""
    gold = getattr(sample, "gold", None)
    digest = gold.revision.digest if gold else ""
    said = record.accepted_chains is not None
    further = tuple(chain_of(row.calls, row.note) for row in sample.accepted_chains.all()) if said else None
    there = replace(record_of(sample), accepted_chains=further)
    if names_of(record) is None:
        there = replace(there, extra=sample.extra)
    return fingerprint(there, digest, sample.image, sample.image_problem)
