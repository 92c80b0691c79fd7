"""``manage.py import_benchmark SLUG PATH``: samples and their gold into a benchmark, made when it is not there."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.exchange.write.files import unpack_pictures
from annotation.exchange.write.samples import import_samples
from annotation.importers import IMPORTERS, detect_format
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.models import Benchmark
from evaluation.importers import detect_format as detect_runs
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import columns_in, options_for
from evaluation.imports.write.both import holds_both, runs_after_samples, sample_mapping
from evaluation.management.output import (
    answering_plainly,
    chosen_format,
    mapping_at,
    print_counts,
    settings_line,
)
from evaluation.scoring.settings import change_settings


class Command(BaseCommand):
    help = "Import a benchmark file, folder or zip: samples with their gold evidence."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the benchmark's address; the benchmark is created if it doesn't exist")
        parser.add_argument("path", type=Path)
        parser.add_argument("--format", choices=sorted(IMPORTERS), help="default: detected from the content")
        parser.add_argument("--images", type=Path, help="folder or zip of the images")
        parser.add_argument("--join-toolchains", type=Path, help="a second file whose toolchains are joined by content")
        parser.add_argument("--mapping", type=Path, metavar="FILE.json", help="mapping of the columns of a table")
        parser.add_argument("--coordinates", default="", help="boxes of a table: pixel, norm1, norm1000 or WxH")
        parser.add_argument(
            "--with-runs", action="store_true", help="for a result file: import its samples and the run of a model"
        )
        parser.add_argument("--model", default="", help="with --with-runs: model name if the file has none")
        parser.add_argument("--title", default="", help="title of a new benchmark")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, path: Path, title: str, images: Path | None, **options: Any) -> None:
        mapping, coordinates = (
            mapping_at(options["mapping"], lambda text: SAMPLE_FIELDS.mapping_in(text).as_dict()),
            options["coordinates"],
        )
        given = TABLE if mapping and not options["format"] else options["format"]
        format = chosen_format(self, given, path, detect_runs if options["with_runs"] else detect_format)
        if options["with_runs"] and (reason := holds_both(format, [column.name for column in columns_in(path)])):
            raise CommandError(f"{path.name} can't be imported with runs. {reason}")
        if format != TABLE and (mapping or coordinates):
            raise CommandError(
                f"A mapping and coordinates are for the format {TABLE}, not for {format}. Leave them out."
            )
        benchmark = Benchmark.objects.filter(slug=slug).first() or create_benchmark(actor=None, slug=slug, title=title)
        if format == TABLE and options["with_runs"] and not mapping:
            mapping = sample_mapping([column.name for column in columns_in(path)])
        if format == TABLE:
            chosen = options_for(benchmark, "samples", path, {"mapping": mapping, "coordinates": coordinates})
            mapping, coordinates = chosen["mapping"], chosen["coordinates"]
            self.stdout.write(f"Columns: {json.dumps(mapping)}")
        with _image_folder(path, images) as folder:
            record, result = import_samples(
                actor=None,
                benchmark=benchmark,
                path=path,
                format=format,
                images=folder,
                toolchains=options["join_toolchains"],
                mapping=mapping,
                coordinates=coordinates,
                with_runs=options["with_runs"],
            )
        if result.settings:
            settings = change_settings(actor=None, benchmark=benchmark, values=result.settings)
            self.stdout.write(f"The metric settings of the file are stored: {settings_line(settings)}.")
        print_counts(self, result.counts, result.issues, ("read", "new", "changed", "unchanged"))
        if options["with_runs"]:
            runs = runs_after_samples(
                actor=None, record=record, path=path, model=options["model"], coordinates=options["coordinates"]
            )
            print_counts(self, runs.counts, runs.issues, ("trajectories", "new", "changed", "unchanged", "failed"))


@contextmanager
def _image_folder(path: Path, images: Path | None) -> Iterator[Path | None]:
    """The folder that was given; of a zip, given or imported itself, one with its images, which goes afterwards."""
    archive = images or path
    if archive.suffix.lower() != ".zip" or not zipfile.is_zipfile(archive):
        if images and not images.is_dir():
            raise CommandError(f"{images} is not a folder or zip. Use the folder that image names are relative to.")
        yield images
        return
    with TemporaryDirectory() as scratch:
        # An import that goes on is known again by the name of the folder.
        found = unpack_pictures(archive, Path(scratch) / archive.stem)
        if images and not found:
            raise CommandError(f"{images} contains no images (JPEG, PNG, WebP or TIFF).")
        yield found
