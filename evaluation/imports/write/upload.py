"""From an uploaded file to an import record: store it, detect its format, read it, change choices, commit."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import allowed
from annotation.common.uploads import require_room
from annotation.common.words import NOT_ALLOWED
from annotation.exchange.write.files import Stored, Upload, local_copy, sha256_of, store, tidy_scratch, unpacked
from annotation.exchange.write.records import start_job
from annotation.exchange.write.samples import WITH_RUNS, file_digest
from annotation.importers import IMPORTERS as SAMPLE_FORMATS
from annotation.importers import detect_format as detect_samples
from annotation.importers.interface import Detection, ImportProblem
from annotation.importers.shapes import shape_of
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Right
from evaluation.common.lineage.write import place_of
from evaluation.importers import IMPORTERS as RUN_FORMATS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.interface import BoxSpace
from evaluation.imports.forms.choices import NOT_GOLD
from evaluation.imports.read.days import RECORDED_ON, begin_of_day
from evaluation.imports.read.detectors import FORMAT as DETECTOR
from evaluation.imports.read.detectors import THRESHOLD, least_score
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import KEYS, MAPPED, checked, columns_in, is_of, options_for
from evaluation.imports.write.both import holds_both, sample_mapping
from evaluation.imports.write.mappings import save_mapping
from evaluation.imports.write.replacement import REPLACE, REPLACES, require_replaceable
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

SURE = 0.5
"""Below this confidence no format is chosen for the person."""
PERHAPS = 0.2
"""Below this confidence a file is no table of that kind."""

Kind, State = ImportRecord.Kind, ImportRecord.State
RIGHT_FOR = {Kind.SAMPLES: Right.IMPORT_SAMPLES, Kind.RUNS: Right.IMPORT_RUNS}
FORMATS: dict[str, Mapping[str, Any]] = {Kind.SAMPLES: SAMPLE_FORMATS, Kind.RUNS: RUN_FORMATS}
FORMAT_NAMES = sorted({name for formats in FORMATS.values() for name in formats})
CHANGEABLE = (State.READING, State.PREVIEW, State.FAILED)
NAME = 200
OF_LINEAGE = ("lineage", "step")

Formats = dict[str, list[dict[str, Any]]]


def store_upload(
    *,
    actor: User,
    benchmark: Benchmark,
    file: Upload,
    images: Upload | None = None,
    choices: Mapping[str, Any] | None = None,
) -> ImportRecord:
    """Keep an upload and have it read. The same file, not yet imported, is the same record.

    ``choices`` as in ``update_choices``. Raises ``NotAllowed``, ``TooLarge`` or, for a file of no known format,
    ``InvalidInput`` with the message to show.
    """
    kinds = [kind for kind in Kind if allowed(actor, benchmark, RIGHT_FOR[kind])]
    if not kinds:
        raise NotAllowed(
            gettext("Your roles on %(title)s don't let you import files. Ask its lead.") % {"title": benchmark.title}
        )
    require_room(benchmark, (file.size or 0) + (images.size or 0 if images else 0))
    tidy_scratch()
    stored = store(file)
    formats = formats_of(stored.path)
    kind = _kind(formats, kinds, (choices or {}).get("kind") or "", has_samples=benchmark.samples.exists())
    pictures, digest = _pictures(stored, images), file_digest(stored.path)
    with transaction.atomic():
        # Two requests at once wait for each other here, so that a double click makes one record.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        wanted = [kind] if (choices or {}).get("kind") else [kind, *kinds]
        record = next((live for one in wanted if (live := _live(benchmark, one, digest))), None)
        if record is None:
            record = ImportRecord.objects.create(
                benchmark=benchmark, kind=kind, state=State.READING, file_name=stored.path.name,
                sha256=digest, bytes=stored.bytes, format=_best(formats[kind]),
                options=_options(kind, pictures), upload=stored.upload, created_by=actor,
                preview={"formats": formats, "choices": {"score": True}},
            )  # fmt: skip
            audit.record(
                actor, "import.upload", record, benchmark.slug, data={"file": record.file_name, "bytes": record.bytes}
            )
        elif record.state == State.RUNNING:
            return record
    given = {name: value for name, value in (choices or {}).items() if value not in (None, "")}
    if pictures and record.kind == Kind.SAMPLES:
        given["images"] = pictures
    return update_choices(actor=actor, record=record, choices=given)


def update_choices(*, actor: User, record: ImportRecord, choices: Mapping[str, Any]) -> ImportRecord:
    """Change what was chosen for a file that is not imported yet, and read it again with that.

    ``choices``: any of both (samples and runs of a result file), kind, format, model, setting, lineage, step,
    coordinates, recorded_on, mapping, replace, images, score, answer_is_not_gold. Raises ``InvalidInput``,
    ``Conflict``.
    """
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record.pk)
        )
        if record.state not in CHANGEABLE:
            raise Conflict(
                gettext("%(file_name)s is being imported or is already imported, so its choices can't change.")
                % {"file_name": record.file_name}
            )
        before = (record.kind, record.format, dict(record.options))
        _take(record, choices)
        require_kind(actor, record)
        reread = record.state != State.PREVIEW or before != (record.kind, record.format, record.options)
        if reread:
            record.state, record.error, record.finished_at = State.READING, "", None
            record.counts, record.checkpoint = {}, {}
        record.save()
        if reread:
            _enqueue_reading(actor, record)
    return record


def read_again(*, actor: User, record: ImportRecord) -> ImportRecord:
    """Read the file again: after samples were added, or when reading was stopped."""
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record.pk)
        )
        require_kind(actor, record)
        if record.state not in CHANGEABLE:
            raise Conflict(
                gettext("%(file_name)s is being imported or is already imported.") % {"file_name": record.file_name}
            )
        record.state, record.error, record.counts, record.checkpoint = State.READING, "", {}, {}
        record.save()
        _enqueue_reading(actor, record)
    return record


def other_kind(*, actor: User, record: ImportRecord) -> ImportRecord:
    """A record for the other half of a file that holds both samples and runs, from the same upload."""
    kind = Kind.RUNS if record.kind == Kind.SAMPLES else Kind.SAMPLES
    formats = record.preview.get("formats", {})
    with transaction.atomic():
        benchmark = Benchmark.objects.select_for_update(no_key=True).get(pk=record.benchmark_id)
        twin = _live(benchmark, kind, record.sha256) or ImportRecord(
            benchmark=benchmark, kind=kind, state=State.READING, file_name=record.file_name, sha256=record.sha256,
            bytes=record.bytes, format=_best(formats.get(kind, [])), options=_options(kind, ""), upload=record.upload,
            created_by=actor, preview={"formats": formats, "choices": {"score": True}},
        )  # fmt: skip
        require_kind(actor, twin)
        if twin.pk is None:
            twin.save()
            _enqueue_reading(actor, twin)
    return twin


def holds_runs_alone(record: ImportRecord) -> bool:
    """If no sample was found in a file that may contain both, return whether it is treated as a file of runs from now
    on.

    All native files begin alike; people who may import samples may also import runs.
    """
    with transaction.atomic():
        now = ImportRecord.objects.select_for_update(no_key=True).get(pk=record.pk)
        formats = now.preview.get("formats", {})
        told = now.kind == Kind.SAMPLES and now.state == State.READING and now.format != TABLE
        if not told or not _best(formats.get(Kind.RUNS, [])):
            return False
        now.kind, now.format, now.options = Kind.RUNS, _best(formats[Kind.RUNS]), _options(Kind.RUNS, "")
        now.preview = {**now.preview, "formats": {**formats, Kind.SAMPLES.value: []}}
        now.save(update_fields=["kind", "format", "options", "preview"])
    return True


def blocking_reason(record: ImportRecord) -> str:
    """Return why this record cannot be committed now, as a sentence; "" if it can."""
    preview, counts = record.preview, record.preview.get("counts", {})
    if record.state == State.READING:
        return gettext("The file is still being read.")
    if record.state == State.DONE:
        return gettext("It is already imported.")
    if record.state in (State.UNDOING, State.UNDONE):
        return gettext("It was undone. Upload the file again to import it.")
    if record.state == State.RUNNING:
        return ""
    if not record.format:
        return gettext("Choose the format first. It could not be detected with enough confidence.")
    try:
        place_of(*(record.options.get(name, "") for name in OF_LINEAGE))
    except InvalidInput as error:
        return str(error.message)
    if record.format == KEYS and not record.options.get("mapping"):
        return gettext("Map the keys of the file first.")
    if preview.get("problem") and record.format == TABLE and preview.get("columns"):
        return gettext("Map the columns first. Nothing can be read yet.")
    if preview.get("problem"):
        return gettext("Nothing of the file can be read as this format. Choose another format or another file.")
    if preview.get("gold", {}).get("suspect") and not preview.get("choices", {}).get(NOT_GOLD):
        advice = gettext("Choose where the model's answers are, or confirm that this is it.")
        return f"{preview['gold']['sentence']} {advice}"
    if preview.get("again") and counts.get("changed") and not record.options.get(REPLACE):
        return gettext(
            "The file was already imported with other choices. Replace that import, or enter another setting."
        )
    if not any(counts.get(name) for name in ("new", "changed", "removed")):
        if counts.get("unchanged"):
            return gettext("Everything in this file is already imported.")
        return gettext("No row of this file can be imported. See the issues.")
    return ""


def commit(*, actor: User, record: ImportRecord) -> ImportRecord:
    """Start the import, or continue one that stopped. Repeating it has no effect."""
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record.pk)
        )
        require_kind(actor, record)
        if reason := blocking_reason(record):
            raise Conflict(
                gettext("%(file_name)s cannot be imported now. %(reason)s")
                % {"file_name": record.file_name, "reason": reason}
            )
        if record.options.get("mapping"):
            save_mapping(
                actor=actor, benchmark=record.benchmark, kind=record.kind, path=path_of(record), options=record.options
            )
        record.state, record.error = State.RUNNING, ""
        record.save(update_fields=["state", "error"])
        start_job(record, "evaluation.import", actor=actor, key="import")
    return record


def require_kind(actor: User, record: ImportRecord) -> None:
    """Raises ``NotAllowed`` unless this person may import what the record holds."""
    if not allowed(actor, record.benchmark, RIGHT_FOR[Kind(record.kind)]):
        raise NotAllowed(NOT_ALLOWED[RIGHT_FOR[Kind(record.kind)]] % {"title": record.benchmark.title})


def path_of(record: ImportRecord) -> Path:
    """Return the uploaded file on this machine. Raises ``Missing`` if the object store does not have it."""
    return local_copy(record.upload)


def pictures_of(record: ImportRecord) -> Path | None:
    """The folder of the images that came with the file, unpacked on this machine. Raises ``Missing``."""
    zipped = record.options.get("images", "")
    if not zipped:
        return None
    return unpacked(record.upload if zipped == sha256_of(record.upload) else f"{zipped}/images.zip")


def formats_of(path: Path) -> Formats:
    """Return the possible formats of the file, as samples and as runs, the most certain first. Raises ``InvalidInput``
    if there are none.
    """
    try:
        found = {Kind.SAMPLES: detect_samples(path), Kind.RUNS: detect_runs(path)}
    except ImportProblem as problem:
        raise InvalidInput(str(problem), code="unreadable_file", field="file") from problem
    if not any(found.values()):
        message = gettext("%(name)s has an unknown format. %(shape)s")
        said = message % {"name": path.name, "shape": shape_of(path).sentences}
        raise InvalidInput(said, code="unknown_format", field="file")
    sure = {one.importer for detections in found.values() for one in detections if one.confidence >= SURE}

    def may_be(one: Detection) -> bool:
        """A log whose keys are to be mapped is what no format fits; a table may fit and leave its calls out."""
        return one.importer != KEYS or not sure or (sure == {TABLE} and one.confidence >= PERHAPS)

    return {kind.value: [_described(kind, one) for one in ones if may_be(one)] for kind, ones in found.items()}


def _described(kind: ImportRecord.Kind, detection: Detection) -> dict[str, Any]:
    return asdict(detection) | {"title": FORMATS[kind][detection.importer].title}


def _best(detections: list[dict[str, Any]]) -> str:
    """The format to read first: one that is sure, or a table or log that nothing else can read, whose columns or keys
    are chosen."""
    first = detections[0] if detections else {}
    by_hand = {one["importer"] for one in detections} <= {*MAPPED}
    if first and by_hand and (first["importer"] == KEYS or first["confidence"] >= PERHAPS):
        return str(first["importer"])
    return detections[0]["importer"] if detections and detections[0]["confidence"] >= SURE else ""


def _kind(formats: Formats, kinds: list[ImportRecord.Kind], wanted: str, *, has_samples: bool) -> ImportRecord.Kind:
    """Return what to read first from a file: the requested kind, else samples if it contains any, because runs need
    them.

    A table that may be of either kind is read by its columns, else as runs once there are samples.
    """
    sure = [kind for kind in Kind if formats[kind] and formats[kind][0]["confidence"] >= SURE]
    perhaps = [kind for kind in Kind if _best(formats[kind])] or [kind for kind in Kind if formats[kind]]
    held = sure or perhaps
    if wanted in Kind.values:
        return Kind(wanted)
    may = [kind for kind in held if kind in kinds] or [kind for kind in perhaps if kind in kinds]
    if len(may) > 1 and all(_best(formats[kind]) in MAPPED for kind in may):
        return max(may, key=lambda kind: (formats[kind][0]["confidence"], (kind == Kind.RUNS) == has_samples))
    if not may:
        raise NotAllowed(
            gettext("The file contains %(held)s, and your roles don't allow you to import them. Ask the lead.")
            % {"held": held[0]}
        )
    return may[0]


def _live(benchmark: Benchmark, kind: str, digest: str) -> ImportRecord | None:
    waiting = ImportRecord.objects.filter(
        benchmark=benchmark, kind=kind, sha256=digest, state__in=[State.READING, State.PREVIEW, State.RUNNING]
    )
    return waiting.exclude(upload="").first()


def _options(kind: str, pictures: str) -> dict[str, Any]:
    """The options of the importer. They are stored exactly, because unfinished imports are found by them."""
    if kind == Kind.SAMPLES:
        return {"images": pictures, "toolchains": ""}
    return {"model": "", "setting": "", "coordinates": ""}


def _pictures(file: Stored, images: Upload | None) -> str:
    """The sha256 of the zip with the images: of the images zip, or of the file itself when that is one; else ""."""
    zipped = store(images) if images is not None else file
    if not zipfile.is_zipfile(zipped.path):
        if images is not None:
            raise InvalidInput(
                gettext("%(name)s is not a zip. Zip the images.") % {"name": zipped.path.name}, field="images"
            )
        return ""
    found = unpacked(zipped.upload) is not None
    if not found and images is not None:
        raise InvalidInput(
            gettext("%(name)s contains no images (JPEG, PNG, WebP or TIFF).") % {"name": zipped.path.name},
            field="images",
        )
    return zipped.sha256 if found else ""


def _take(record: ImportRecord, choices: Mapping[str, Any]) -> None:
    if "both" in choices:
        _take_both(record, both=bool(choices["both"]))
        choices = {name: value for name, value in choices.items() if name not in ("kind", "format", "mapping")}
    kind = choices.get("kind") or record.kind
    if kind not in Kind.values:
        raise InvalidInput(gettext("kind must be samples or runs."), field="kind")
    if kind != record.kind:
        record.kind, record.options = kind, _options(kind, "")
        record.format = _best(record.preview.get("formats", {}).get(kind, []))
    format = choices.get("format")
    if format:
        if format not in FORMATS[Kind(kind)]:
            raise InvalidInput(
                gettext("Unknown format %(format)s for %(kind)s.") % {"format": repr(format), "kind": kind},
                field="format",
            )
        record.format = format
    if REPLACE in choices and kind == Kind.RUNS:
        record.options = {name: value for name, value in record.options.items() if name != REPLACE}
        record.options |= {REPLACE: True} if choices[REPLACE] else {}
    if REPLACES in choices and kind == Kind.RUNS:
        _take_the_place(record, int(choices[REPLACES] or 0))
    if kind == Kind.SAMPLES:
        record.options = {name: value for name, value in record.options.items() if name != "coordinates"} | (
            {"coordinates": record.options.get("coordinates", "")} if record.format == TABLE else {}
        )
    options = {name: value for name, value in record.options.items() if name != THRESHOLD}
    record.options = options | ({THRESHOLD: record.options.get(THRESHOLD, "")} if record.format == DETECTOR else {})
    for name in set(record.options) & set(choices) - {"mapping", REPLACE, REPLACES}:
        value = str(choices[name]).strip()
        if len(value) > NAME:
            raise InvalidInput(
                gettext("At most %(limit)s characters are kept. Shorten the %(field)s.")
                % {"limit": NAME, "field": name},
                field=name,
            )
        record.options = {**record.options, name: value}
    _take_lineage(record, choices)
    _take_day(record, choices)
    _check_coordinates(record.options.get("coordinates", ""))
    try:
        least_score(record.format, record.options.get(THRESHOLD, ""))
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field=THRESHOLD) from problem
    if "mapping" in record.options and not is_of(record.format, record.options["mapping"]):
        record.options = {name: value for name, value in record.options.items() if name != "mapping"}
    if record.format in MAPPED:
        if choices.get("mapping"):
            record.options = {**record.options, "mapping": checked(kind, record.format, choices["mapping"])}
        record.options = options_for(record.benchmark, kind, path_of(record), record.options, record.format)
    said = {name: bool(choices[name]) for name in ("score", NOT_GOLD) if name in choices}
    record.preview = {**record.preview, "choices": {**record.preview.get("choices", {}), **said}}


def _take_lineage(record: ImportRecord, choices: Mapping[str, Any]) -> None:
    """Save the given lineage and step, even if only one is given, because people fill in one field after the other."""
    said = {name: str(choices.get(name, record.options.get(name, ""))).strip()[: NAME + 1] for name in OF_LINEAGE}
    runs = record.kind == Kind.RUNS or bool(record.options.get(WITH_RUNS))
    kept = {name: value for name, value in record.options.items() if name not in OF_LINEAGE}
    record.options = kept | (said if runs and any(said.values()) else {})


def _take_day(record: ImportRecord, choices: Mapping[str, Any]) -> None:
    """Save the day on which the rows were recorded."""
    day = str(choices.get(RECORDED_ON, record.options.get(RECORDED_ON, ""))).strip()
    try:
        begin_of_day(day)
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field=RECORDED_ON) from problem
    kept = {name: value for name, value in record.options.items() if name != RECORDED_ON}
    record.options = kept | ({RECORDED_ON: day} if day and record.kind == Kind.RUNS else {})


def both_of(record: ImportRecord) -> str:
    """The format in which a file holds samples and runs too, "" when it is not one of results."""
    formats = record.preview.get("formats", {})
    held = {kind: [one["importer"] for one in formats.get(kind, [])] for kind in Kind.values}
    found = _best(formats.get(Kind.RUNS, []))
    if not found or found not in held[Kind.SAMPLES]:
        return ""
    return "" if holds_both(found, _columns_of(record) if found == TABLE else []) else found


def _columns_of(record: ImportRecord) -> list[str]:
    """The columns of a table, also before it was read."""
    read = [one["name"] for one in record.preview.get("columns", [])]
    return read or [column.name for column in columns_in(path_of(record))]


def _take_both(record: ImportRecord, *, both: bool) -> None:
    """Samples and runs of a result file together, or its samples alone."""
    if not both:
        gone = (WITH_RUNS, "model", "setting")
        record.options = {name: value for name, value in record.options.items() if name not in gone}
        return
    format = both_of(record)
    if not format:
        raise InvalidInput(gettext("This file doesn't contain samples with its runs."), field="both")
    kept = {name: record.options.get(name, "") for name in ("model", "setting")}
    record.kind, record.format = Kind.SAMPLES, format
    record.options = {**_options(Kind.SAMPLES, record.options.get("images", "")), WITH_RUNS: True, **kept}
    if format == TABLE:
        record.options |= {"mapping": sample_mapping(_columns_of(record)), "coordinates": ""}


def _take_the_place(record: ImportRecord, number: int) -> None:
    """Set which import the file replaces; 0 for none."""
    before = record.options.get(REPLACES)
    if number == (before or 0):
        return
    record.options = {name: value for name, value in record.options.items() if name not in (REPLACE, REPLACES)}
    try:
        record.options |= {REPLACE: True, REPLACES: require_replaceable(record.benchmark, number).pk} if number else {}
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field=REPLACES) from problem


def _check_coordinates(text: str) -> None:
    try:
        if text:
            BoxSpace.parse(text)
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field="coordinates") from problem


def _enqueue_reading(actor: User, record: ImportRecord) -> None:
    start_job(record, "evaluation.dry_run", actor=actor, key="dry-run")
