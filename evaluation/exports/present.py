"""What the export page offers, the preview of an update, and the comparison of two files, as pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.common.words import state_words
from annotation.exporters import EXPORTERS
from annotation.exporters.parts import IN_NO_FORMAT, Part, words_of
from annotation.models import Benchmark, GoldBox, GoldShape, PlanTool, ReferenceCall
from annotation.models import Image as StoredImage
from annotation.portable.read.update import Kind
from annotation.project_file import Kind as ChangeKind
from annotation.versions.present import SHOWN, Row, row_of, whole
from annotation.versions.read.fields import FieldChange, GoldContent, changed_content, pieces
from annotation.workflow import ExportStates
from evaluation.exports.read.comparison import Change, Compared, at_hand
from evaluation.exports.read.files import FileCounts
from evaluation.exports.read.names import NamedText
from evaluation.exports.read.run_changes import RunKind
from webapp.common.word_diff import Piece

TITLES = {
    Kind.CONFLICT: (
        gettext_lazy("Conflicts"),
        gettext_lazy("The file and this benchmark have different gold, and neither knows the gold of the other."),
    ),
    Kind.ADDED: (gettext_lazy("Added"), gettext_lazy("Only the file has these samples. They are added.")),
    Kind.FILE: (gettext_lazy("Changed in the file"), gettext_lazy("The gold of the file becomes the gold.")),
    Kind.HERE: (gettext_lazy("Changed here"), gettext_lazy("The file has earlier or no gold. Nothing changes.")),
    Kind.BLOCKED: (
        gettext_lazy("Other image"),
        gettext_lazy("The file has another image. Nothing changes. Replace the image on the page of the sample."),
    ),
    Kind.MISSING: (
        gettext_lazy("Not in the file"),
        gettext_lazy("They were removed there or added here. Nothing changes."),
    ),
}


def state_links(benchmark: Benchmark, states: ExportStates) -> list[tuple[str, str, bool]]:
    """Words, address and whether it is chosen, for each choice of samples."""
    page = reverse("evaluation:export", args=[benchmark.slug])
    words = {ExportStates.ACCEPTED: gettext("Accepted samples"), ExportStates.ALL: gettext("All samples")}
    return [(words[one], f"{page}?states={one}#files", one is states) for one in ExportStates]


LeftOut = list[tuple[str, list[str]]]
"""What a file does not have: words about a group, or "", and its parts."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A format on the export page."""

    name: str
    title: str
    extension: str
    counts: FileCounts
    left_out: LeftOut
    note: str

    @property
    def left_out_n(self) -> int:
        return number_of(self.left_out)


def file_rows(counts: Mapping[str, FileCounts]) -> list[FileRow]:
    return [
        FileRow(
            one.name,
            gettext(one.title),
            one.suffix.removeprefix("."),
            counts[one.name],
            _left_out(one.cannot_hold),
            one.note and gettext(one.note),
        )
        for one in EXPORTERS.values()
    ]


def _left_out(parts: Iterable[Part]) -> LeftOut:
    """The parts that a format does not hold, and those that no format holds."""
    only_portable = gettext("Only the portable file has these:")
    return [("", list(map(gettext, words_of(parts)))), (only_portable, list(map(gettext, words_of(IN_NO_FORMAT))))]


def portable_limits(*, versions: bool) -> LeftOut:
    """What a portable file does not have. ``versions``: the benchmark has some."""
    found = [
        ("", [
            gettext("reservations"), gettext("audit log"), gettext("history of imports"),
            gettext("work plans, hours and pay"), gettext("webhooks"), gettext("drafts of models"),
            gettext("answers of evidence tests"),
        ]),
        (gettext("Of runs, if you add them:"), [
            gettext("scores and rewards (computed again after the import)"),
            gettext("experiments with their requests, responses and sent images"), gettext("replays"),
            gettext("judging queues"), gettext("private tags"), gettext("saved slices"),
            gettext("runs of human studies"), gettext("addresses of endpoints"), gettext("keys"),
        ]),
    ]  # fmt: skip
    of_version = [
        gettext("reviews"), gettext("comments"), gettext("drafts"), gettext("gold checks"), gettext("members"),
        gettext("revisions that are not its gold"),
    ]  # fmt: skip
    return [*found, (gettext("If you choose a version:"), of_version)] if versions else found


def number_of(groups: LeftOut) -> int:
    return sum(len(items) for _, items in groups)


PAGES = {
    "guideline": (gettext_lazy("Guidelines"), "annotation:guidelines-settings"),
    "version": (gettext_lazy("Versions"), "annotation:versions"),
}
"""The pages of texts that belong to no sample, by table."""


def named_rows(benchmark: Benchmark, texts: Sequence[NamedText]) -> list[tuple[NamedText, str, str]]:
    """Each text with the words and the address of its page, "" if there is none."""
    here = set(benchmark.samples.filter(key__in={one.sample for one in texts}).values_list("key", flat=True))
    rows = []
    for one in texts:
        words, page = PAGES.get(one.table, (one.sample, "evaluation:sample" if one.sample in here else ""))
        place = [benchmark.slug, one.sample] if page == "evaluation:sample" else [benchmark.slug]
        rows.append((one, str(words), reverse(page, args=place) if page else ""))
    return rows


RUNS = {
    RunKind.ADDED: gettext_lazy("Only the file has it. It is added."),
    RunKind.MARKED: gettext_lazy("The file has marks that are not here. They are added."),
    RunKind.CHANGED: gettext_lazy("It differs here. Nothing changes."),
    RunKind.TAKEN: gettext_lazy("Another run here has this model and setting. It is not added."),
    RunKind.TRASH: gettext_lazy("It is in the trash here. Nothing changes."),
    RunKind.MISSING: gettext_lazy("Only this benchmark has it. Nothing changes."),
}


@dataclass(frozen=True)
class RunLine:
    """A run that the file and the benchmark do not share. ``trajectories``: of the file, None if it has none.
    ``marks``: the title of each kind of mark, how many are added, and how many differ here."""

    name: str
    kind: str
    text: str
    fields: list[str]
    trajectories: int | None
    marks: list[tuple[str, int, int]]


MARKS = {
    "notes": gettext_lazy("Notes"), "tags": gettext_lazy("Tags"), "failures": gettext_lazy("Failures"),
    "judgements": gettext_lazy("Judgments"),
}  # fmt: skip


@dataclass(frozen=True)
class Group:
    """The samples of one kind of difference: how many, and those that are listed."""

    kind: str
    title: str
    text: str
    count: int
    samples: list[Mapping[str, Any]]


def differences_in(preview: Mapping[str, Any]) -> list[Group]:
    """The differences that there are, conflicts first."""
    found = preview.get("update", {"counts": {}, "samples": []})
    return [
        Group(
            kind.value, str(title), str(text), found["counts"][kind.value],
            [one for one in found["samples"] if one["kind"] == kind.value],
        )
        for kind, (title, text) in TITLES.items()
        if found["counts"].get(kind.value)
    ]  # fmt: skip


def runs_in_preview(preview: Mapping[str, Any]) -> list[RunLine]:
    """The runs that differ, those that are added first."""
    found = preview.get("update", {}).get("runs", {}).get("runs", [])
    lines = [
        RunLine(
            one["name"],
            one["kind"],
            str(RUNS[RunKind(one["kind"])]),
            one["fields"],
            one["trajectories"],
            [(str(MARKS[table]), n["added"], n["differ"]) for table, n in one.get("marks", {}).items()],
        )
        for one in found
    ]
    order = [kind.value for kind in RUNS]
    return sorted(lines, key=lambda line: order.index(line.kind))


TABLES = {
    "benchmark": gettext_lazy("Benchmark"), "person": gettext_lazy("People"), "image": gettext_lazy("Images"),
    "membership": gettext_lazy("Roles"), "benchmarkschema": gettext_lazy("Schemas"),
    "guideline": gettext_lazy("Guidelines"), "banktool": gettext_lazy("Tool bank"),
    "version": gettext_lazy("Versions"), "annotation": gettext_lazy("Annotations"),
    "revision": gettext_lazy("Revisions"), "review": gettext_lazy("Reviews"), "comment": gettext_lazy("Comments"),
    "draft": gettext_lazy("Drafts"), "blindanswer": gettext_lazy("Blind answers"),
    "adjudication": gettext_lazy("Adjudications"), "goldcheck": gettext_lazy("Gold checks"),
    "builditem": gettext_lazy("Items of the building board"), "imagevariant": gettext_lazy("Image variants"),
}  # fmt: skip
IN_SAMPLES = {
    "sample", "goldbox", "goldshape", "referencecall", "plantool", "facetvalue", "acceptedchain", "gold",
    "versionentry",
}  # fmt: skip
"""Tables whose differences are those of samples and versions."""
COLUMNS = {
    "title": gettext_lazy("Title"), "description": gettext_lazy("Description"), "licence": gettext_lazy("License"),
    "marks_open": gettext_lazy("Open marks"), "remove_metadata": gettext_lazy("Remove metadata"),
    "state": gettext_lazy("State"), "note": gettext_lazy("Note"), "content": gettext_lazy("Content"),
    "must_read": gettext_lazy("Must be read"), "body": gettext_lazy("Text"), "segment": gettext_lazy("Segment"),
    "reason": gettext_lazy("Reason"), "checksum": gettext_lazy("Checksum"), "name": gettext_lazy("Name"),
    "email": gettext_lazy("Email"),
}  # fmt: skip
SENTENCES = {"description", "note", "body", "reason"}
"""Columns whose words are compared."""


@dataclass(frozen=True)
class NamedRow:
    """A row of a table that differs."""

    name: str
    kind: str
    fields: list[FieldChange]


@dataclass(frozen=True)
class NamedTable:
    """A table that is compared row by row: how many rows differ, and those that are listed."""

    title: str
    count: int
    rows: list[NamedRow]


def sample_rows(benchmark: Benchmark | None, changes: Sequence[Change]) -> list[Row]:
    """The samples of a page that differ. Two queries, none without a benchmark."""
    keys, images = at_hand(benchmark, changes) if benchmark else (set(), {})
    return [_sample_row(benchmark, change, keys, images) for change in changes]


def named_tables(found: Compared) -> list[NamedTable]:
    return [
        NamedTable(
            str(TABLES[one["table"]]), one["n"],
            [NamedRow(row["name"], row["kind"], [_column(field) for field in row["fields"]]) for row in one["rows"]],
        )
        for one in found.summary["rows"]
    ]  # fmt: skip


def table_counts(found: Compared) -> list[tuple[str, int, int]]:
    """The title of each other table, and how many rows the first and the second have alone. Small tables together."""
    named = {one["table"] for one in found.summary["rows"]}
    rows = [one for one in found.summary["tables"] if one["table"] not in named | IN_SAMPLES]
    known = [(str(TABLES[one["table"]]), one["first"], one["second"]) for one in rows if one["table"] in TABLES]
    others = [one for one in rows if one["table"] not in TABLES]
    sums = [sum(one[side] for one in others) for side in ("first", "second")]
    return known + ([(gettext("Other rows"), sums[0], sums[1])] if others else [])


def _column(field: Mapping[str, str]) -> FieldChange:
    words = field["field"] in SENTENCES
    return FieldChange(str(COLUMNS[field["field"]]), pieces(field["before"], field["after"], words=words))


def _sample_row(benchmark: Benchmark | None, change: Change, keys: set[str], images: Mapping[str, StoredImage]) -> Row:
    kind, (before, after) = ChangeKind(change["kind"]), (change["before"], change["after"])
    if kind is ChangeKind.CHANGED:
        fields = changed_content(_content(before), _content(after)) + _image_fields(before, after)
        fields += [FieldChange(name, [Piece("same", gettext("too long to be shown"))]) for name in change["too_long"]]
    else:
        fields = whole(kind, (after or before or {}).get("question") or "")
    shown = (after or {}).get("image") or (before or {}).get("image")
    image = images.get(shown or "")
    gold, was = (_evidence(side) for side in (after, before))
    same_size = not (before and after) or before.get("size") == after.get("size")
    key = change["key"]
    href = reverse("evaluation:sample", args=[benchmark.slug, key]) if benchmark and key in keys else ""
    return row_of(benchmark, kind, key, fields, [], gold, was if same_size else [], image, href=href)


def _image_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldChange]:
    shown = [str(side.get("image") or "")[:SHOWN] for side in (before, after)]
    if before.get("image") == after.get("image"):
        return []
    return [FieldChange(gettext("Image"), pieces(*shown, words=False))]


def _content(side: Mapping[str, Any] | None) -> GoldContent | None:
    if side is None:
        return None
    return GoldContent(
        question=side.get("question") or "",
        answer_type=side.get("answer_type") or "",
        options=side.get("options") or {},
        answers=side.get("answers") or (),
        unanswerable=side.get("unanswerable"),
        evidence=_evidence(side),
        calls=[ReferenceCall(**call) for call in side.get("toolchain") or ()],
        tools=[PlanTool(**tool) for tool in side.get("plan") or ()],
        ordered=side.get("ordered"),
        chains=side.get("accepted_toolchains") or (),
        state=state_words(side["state"]) if side.get("state") else "",
        facets=side.get("facets") or {},
    )


def _evidence(side: Mapping[str, Any] | None) -> list[GoldBox | GoldShape]:
    rows = (side or {}).get("evidence") or ()
    return [GoldShape(**row) if "points" in row else GoldBox(**row) for row in rows]
