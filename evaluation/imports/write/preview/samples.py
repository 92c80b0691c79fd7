"""The dry run of a file of samples: which are new, changed or unchanged, and what their images are."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.db.models import Prefetch

from annotation.content.box_names import extra_of, names_of
from annotation.content.chains.read import digest_of
from annotation.content.chains.write import chains_differ
from annotation.content.samples import Placed, content_digest, difference, placed_records
from annotation.exchange.write.samples import Imported, SamplesSaver, count_issues, duplicates, save_bank
from annotation.images.store import Found, metadata_issues, refuse_removed, safe_path, stored_picture
from annotation.imaging.decoding import inspect
from annotation.imaging.problems import PictureProblem
from annotation.importers.interface import Position
from annotation.models import AcceptedChain, Image, ImportRecord, Sample
from annotation.schema import Issue, SampleRecord, shortened
from evaluation.imports.write.preview.pictures import draw
from evaluation.imports.write.preview.reservoir import ReservoirSample, raw_rows
from evaluation.imports.write.upload import path_of


class SampleReading(SamplesSaver):
    """Takes records as the import takes them, and counts what it would write."""

    def __init__(self, record: ImportRecord, folder: Path, tell: Callable[[Issue], None]) -> None:
        super().__init__(record.created_by, record.benchmark, record, folder, Imported())
        self.tell = tell
        self._written: dict[str, str] = {}
        """Fingerprints of the samples that this file has written so far."""
        self._made: set[str] = set()
        self._pictures: dict[str, Found] = {}
        self._kept: set[str] = set()
        """Names of images that the file came without and that are stored already."""
        self._draw: ReservoirSample[tuple[SampleRecord, Found | None]] = ReservoirSample()

    def _flush(self, position: Position | None) -> None:
        """Count one batch as ``SamplesSaver`` saves it: with its functions, but without its writes."""
        latest = {record.id: record for record in self.rows}
        repeated = [record for record in self.rows if latest[record.id] is not record]
        samples = Sample.objects.filter(benchmark=self.benchmark, key__in=latest).with_gold()
        chains = Prefetch("accepted_chains", AcceptedChain.objects.order_by("pk"))
        there = {sample.key: sample for sample in samples.prefetch_related(chains)}
        pictures = {name: self._picture(name) for name in {record.image for record in self.rows if record.image}}
        self.issues += metadata_issues(
            benchmark=self.benchmark, records=self.rows, folder=self.folder, embedded=self.embedded
        )
        self.issues += save_bank(self.actor, self.benchmark, self.tools, self.record.file_name, write=False)
        counts = self.result.counts
        counts["read"] += len(self.rows)
        for key, placed in placed_records(self.benchmark, latest, there, pictures).items():
            picture = pictures.get(placed.record.image or "")
            if key in self._made:
                repeated.append(latest[key])
            counts[self._outcome(placed, there.get(key))] += 1
            self.issues += placed.issues
            if placed.image is not None and isinstance(picture, PictureProblem):
                self._kept.add(placed.record.image or "")
            self._draw.take(key, (placed.record, placed.image or picture))
        self.issues += duplicates(repeated)
        count_issues(self.issues, counts)
        for issue in self.issues:
            self.tell(issue)
        self.rows, self.tools, self.issues, self.embedded = [], [], [], {}

    def _outcome(self, placed: Placed, there: Sample | None) -> str:
        """new, changed or unchanged, as ``save_samples`` counts it."""
        key, mark = placed.record.id, fingerprint(placed)
        before = self._written.get(key)
        if before == mark or (before is None and there is not None and not _differs(there, placed)):
            return "unchanged"
        self._written[key] = mark
        if before is None and there is None:
            self._made.add(key)
            return "new"
        return "changed"

    def _picture(self, name: str) -> Found:
        if name not in self._pictures:
            try:
                info = inspect(self.embedded[name] if name in self.embedded else safe_path(self.folder, name))
                refuse_removed(info)
                stored = stored_picture(self.benchmark, info) or Image.objects.filter(sha256=info.sha256).first()
                self._pictures[name] = stored or Image(sha256=info.sha256, width=info.width, height=info.height)
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


def fingerprint(placed: Placed) -> str:
    """All that an import compares of a sample which it has written before."""
    record, image = placed.record, placed.image
    size = [record.width, record.height] if record.width and record.height else []
    facets = {name: [[value, type(value).__name__] for value in values] for name, values in record.facets.items()}
    picture = [record.image or "", record.image_group or "", size, image.sha256 if image else "", placed.problem]
    chains = [[digest_of(chain.calls), chain.note] for chain in record.accepted_chains or ()]
    names = names_of(record) or ()
    said = [picture, facets, extra_of(record), names if any(map(any, names)) else (), chains]
    return content_digest(record.content) + json.dumps(said, sort_keys=True, default=str)


def _differs(sample: Sample, placed: Placed) -> bool:
    """Whether the import changes a stored sample: its row, facets, gold, image or accepted toolchains."""
    chains, image = placed.record.accepted_chains, placed.image
    return (
        bool(difference(sample, placed))
        or (image is not None and image.pk is None)
        or (chains is not None and chains_differ(sample.accepted_chains.all(), chains))
    )
