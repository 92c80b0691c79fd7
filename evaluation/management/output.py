"""Shared code of commands: finding objects, reporting errors in a sentence, printing what was read, kept
and rejected.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from annotation.exporters.interface import MissingLibrary
from annotation.importers.interface import Detection, ImportProblem
from annotation.importers.shapes import shape_of
from annotation.models import Benchmark
from annotation.schema import Issue
from evaluation.metrics.settings import MetricSettings
from webapp.common.errors import ApplicationError

SHOWN_ISSUES = 20
SURE = 0.5
"""With a lower confidence, the command does not choose a format."""


def answering_plainly(handle: Callable[..., None]) -> Callable[..., None]:
    """Decorator: a rejected import or an invalid value ends the command with its message and exit status 1, without a
    traceback.
    """

    @wraps(handle)
    def plainly(self: BaseCommand, *args: Any, **options: Any) -> None:
        try:
            handle(self, *args, **options)
        except (ImportProblem, MissingLibrary, ApplicationError) as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error

    return plainly


def settings_line(settings: MetricSettings) -> str:
    """Return the settings that are not the default: ``ioa_threshold=0.3, no_crop=fail``."""
    changed = ", ".join(f"{name}={value}" for name, value in settings.changed().items())
    return changed or "all at their defaults"


@contextmanager
def written_to(output: Path | None) -> Iterator[IO[bytes]]:
    """Yield standard output, or a file that appears under its name only when it is complete. If writing fails, the
    previous file stays.
    """
    if output is None:
        yield sys.stdout.buffer
        return
    draft = output.with_name(f"{output.name}.part") if output.is_file() or not output.exists() else output
    try:
        with draft.open("wb") as out:
            yield out
        draft.replace(output)
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror}.") from error
    finally:
        if draft != output:
            draft.unlink(missing_ok=True)


def the_benchmark(slug: str) -> Benchmark:
    benchmark = Benchmark.objects.filter(slug=slug).first()
    if benchmark is None:
        known = ", ".join(Benchmark.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"Benchmark {slug!r} not found. Benchmarks: {known}.")
    return benchmark


def chosen_format(
    command: BaseCommand, given: str | None, path: Path, detect: Callable[[Path], Sequence[Detection]]
) -> str:
    """Return the given format, or the one detected by content; prints it and the reason."""
    if not path.exists():
        raise CommandError(f"{path} not found. Check the path.")
    if given:
        return given
    found = list(detect(path))
    if not found or found[0].confidence < SURE:
        tried = "".join(f" {d.importer} may do: {' '.join(d.reasons)}" for d in found[:3])
        shape = shape_of(path).sentences
        raise CommandError(f"{path.name} has an unknown format. {shape}{tried} Name the format with --format.")
    best = found[0]
    command.stdout.write(f"Format {best.importer}: {' '.join(best.reasons)}")
    return best.importer


def mapping_at(path: Path | None, read: Callable[[str], Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the mapping in a file, as checked by ``read``. Raises ``ImportProblem``."""
    if path is None:
        return None
    try:
        return dict(read(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read as text. Check the path.") from error


def print_counts(command: BaseCommand, counts: Counter[str], issues: Sequence[Issue], names: Sequence[str]) -> None:
    """Print what was read, kept, repaired and rejected, then the first issues. Fails if nothing could be imported."""
    parts = [f"{name.replace('_', ' ')} {counts[name]}" for name in names if counts[name]]
    parts += [f"{name} {counts[name]}" for name in ("repaired", "refused", "noted") if counts[name]]
    command.stdout.write(", ".join(parts) + "." if parts else "Nothing was read.")
    for issue in issues[:SHOWN_ISSUES]:
        command.stdout.write(f"  {_in_words(issue)}")
    if len(issues) > SHOWN_ISSUES:
        command.stdout.write(f"  and {counts['issues'] - SHOWN_ISSUES} more, all kept with the import record.")
    if not (counts["new"] or counts["changed"] or counts["unchanged"]):
        raise CommandError("Nothing could be imported.")


def _in_words(issue: Issue) -> str:
    """Return ``refused runs.json, record 2, bbox: [1, 2] (box-not-numbers). What was done.``, with lines in the format
    of editors.
    """
    place = f"{issue.file}:{issue.line}" if issue.line and not issue.row else issue.file
    parts = ", ".join(filter(None, (place, issue.place if issue.row else "", issue.field)))
    found = f": {issue.found}" if issue.found else ""
    return f"{issue.severity} {parts}{found} ({issue.rule}). {issue.done}"
