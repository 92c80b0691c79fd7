"""``manage.py import_runs SLUG PATH``: imports results of models on a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser, no_translations

from annotation.exchange.write.samples import file_digest
from annotation.importers.shapes import shape_of
from annotation.models import Benchmark, ImportRecord
from evaluation.common.lineage.write import place_of
from evaluation.importers import IMPORTERS, detect_format
from evaluation.imports.read.detectors import FORMAT as DETECTOR
from evaluation.imports.read.detectors import THRESHOLD
from evaluation.imports.read.gold import gold_column, gold_share, refuse_gold
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import KEYS, MAPPED, is_of, options_for, proposed_for, read_as, run_mapping_in
from evaluation.imports.write.replacement import (
    describe_choices,
    earlier_readings,
    questions_on,
    replaceable,
    runs_brought,
)
from evaluation.imports.write.runs import import_runs
from evaluation.management.output import (
    answering_plainly,
    chosen_format,
    mapping_at,
    print_counts,
    settings_line,
    the_benchmark,
)
from evaluation.metrics.extraction import Tally
from evaluation.metrics.extraction_words import report_lines
from evaluation.scoring.settings import change_settings, settings_of

COUNTED = (
    "trajectories", "interventions", "judgements", "rollout_groups", "new", "changed", "unchanged", "removed",
    "repeated", "failed",
)  # fmt: skip


class Command(BaseCommand):
    help = "Import trajectories, interventions, judgments and rollout groups of one or more models."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path", type=Path)
        parser.add_argument("--format", choices=sorted(IMPORTERS), help="default: detected from the content")
        parser.add_argument("--model", default="", help="model name if the file has none")
        parser.add_argument("--setting", default="", help="base, code, interface or any other text")
        parser.add_argument(
            "--mapping",
            type=Path,
            metavar="FILE.json",
            help="mapping of the columns of a table, or of the keys of an unknown log",
        )
        parser.add_argument(
            "--recorded-on", default="", metavar="YYYY-MM-DD",
            help="day on which the runs were recorded, if images were replaced since",
        )  # fmt: skip
        parser.add_argument("--replace", action="store_true", help="replace the earlier import of this file")
        parser.add_argument(
            "--replace-import", type=int, default=0, metavar="NUMBER", help="replace the runs of that import"
        )
        parser.add_argument(
            "--answer-is-not-gold",
            action="store_true",
            help="the answers are the model's, although their column or key equals the gold answers",
        )
        parser.add_argument("--threshold", default="", help="of a detector the score that counts; default: 0.3")
        parser.add_argument(
            "--lineage", default="", metavar="NAME", help="what the runs are checkpoints of; with --step"
        )
        parser.add_argument("--step", default="", metavar="N", help="of the training")
        parser.add_argument("--coordinates", default="", help="pixel, norm1, norm1000 or WxH of the model's input")

    @answering_plainly
    @no_translations
    def handle(self, *, slug: str, path: Path, **options: Any) -> None:
        benchmark: Benchmark = the_benchmark(slug)
        mapping = mapping_at(options["mapping"], run_mapping_in)
        fits = TABLE if mapping and is_of(TABLE, mapping) else KEYS
        format = chosen_format(self, options["format"] or (fits if mapping else None), path, detect_format)
        if mapping and not is_of(format, mapping):
            raise CommandError(f"The mapping is for the format {fits}, not for {format}. Leave out one of them.")
        if format in MAPPED:
            chosen = {"mapping": mapping, "coordinates": options["coordinates"]}
            chosen = options_for(benchmark, "runs", path, chosen, format)
            mapping, options["coordinates"] = chosen["mapping"], chosen["coordinates"]
            if mapping is None:
                raise CommandError(_unmapped(path))
            if format == TABLE:
                self.stdout.write(f"{path.name} is {shape_of(path).words}. {read_as('runs', mapping)}")
            self.stdout.write(f"{'Columns' if format == TABLE else 'Keys'}: {json.dumps(mapping)}")
        if gold_column(format, mapping) and mapping is not None:
            share = gold_share(benchmark, path, format, mapping)
            self.stdout.write(share.sentence)
            if not options["answer_is_not_gold"]:
                refuse_gold(share)
        choices = {name: options[name] for name in ("model", "setting", "coordinates")}
        place_of(options["lineage"], options["step"])
        choices |= {THRESHOLD: options[THRESHOLD]} if format == DETECTOR else {}
        _say_again(self, benchmark, path, format, {**choices, "mapping": mapping}, replace=options["replace"])
        replaces = options["replace_import"] or 0
        if not options["replace"]:
            _say_of_this_name(self, benchmark, path)
        answers = Tally(settings_of(benchmark))
        record, result = import_runs(
            actor=None, benchmark=benchmark, path=path, format=format, mapping=mapping, replace=options["replace"],
            replaces=replaces, answers=answers, lineage=options["lineage"], step=options["step"],
            recorded_on=options["recorded_on"], **choices,
        )  # fmt: skip
        if result.settings:
            settings = change_settings(actor=None, benchmark=benchmark, values=result.settings)
            self.stdout.write(f"The metric settings of the file are stored: {settings_line(settings)}.")
        if said := _strangers(record):
            self.stdout.write(said)
        print_counts(self, result.counts, result.issues, COUNTED)
        if (read := answers.report())["answers"]:
            for line in report_lines(read, settings_of(benchmark)):
                self.stdout.write(line)
        if result.summary and result.summary.all_failed:
            self.stdout.write("All trajectories failed. The run is stored as failed, not as 0% accuracy.")


def _strangers(record: ImportRecord) -> str:
    """Return the number of names in the file without a sample, and the first ones; "" if all have one."""
    found = record.issues.filter(rule="unknown-sample").exclude(found="")
    names = found.order_by("found").values("found").distinct().count()
    first = found.order_by("pk").values_list("found", flat=True).first()
    what = "name is" if names == 1 else "names are"
    return f"{names:,} {what} not in {record.benchmark.slug}, first: {first}." if names else ""


def _unmapped(path: Path) -> str:
    """Return what to do with a file without a mapping of its keys, and the mapping that its values suggest."""
    said = f"{path.name} needs a mapping of its keys: map them on the import page, or use --mapping FILE.json."
    return f"{said} Its values suggest: {json.dumps(proposed_for(path).as_dict())}"


def _say_again(
    command: BaseCommand, benchmark: Benchmark, path: Path, format: str, options: dict[str, Any], *, replace: bool
) -> None:
    """Print how the same file was read before. Refuses to overwrite that import partially."""
    earlier = earlier_readings(benchmark, file_digest(path), format, options)
    for record in earlier:
        runs = "; ".join(", ".join(filter(None, name)) for name in runs_brought([record]))
        command.stdout.write(f"{path.name} was already imported {describe_choices(record)}: {runs}.")
    same = [r for r in earlier if all(r.options.get(name, "") == options[name] for name in ("model", "setting"))]
    if same and not replace:
        raise CommandError("Replace the earlier import with --replace, or keep both and name this one with --setting.")
    if earlier and replace and (questions := questions_on(earlier)):
        command.stdout.write(f"{questions} of judging queues refer to it and are deleted too.")


def _say_of_this_name(command: BaseCommand, benchmark: Benchmark, path: Path) -> None:
    """Print the earlier import of a file of this name with other content, and how to replace it."""
    before = next((one for one in replaceable(benchmark) if one.file_name == path.name), None)
    if before and before.sha256 != file_digest(path):
        command.stdout.write(
            f"{path.name} had other content in an earlier import. Replace it with --replace-import {before.pk}."
        )
