"""What the export page offers, and the preview of an update, as pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.exporters import EXPORTERS
from annotation.exporters.parts import IN_NO_FORMAT, RESULTS, Part, words_of
from annotation.models import Benchmark
from annotation.portable.read.update import Kind
from annotation.workflow import ExportStates
from evaluation.exports.read.files import FileCounts
from evaluation.exports.read.names import NamedText
from evaluation.exports.read.run_changes import RunKind

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


@dataclass(frozen=True, slots=True)
class FileRow:
    """A format on the export page. ``without``: the parts that its file does not have, besides ``shared_limits``."""

    name: str
    title: str
    extension: str
    counts: FileCounts
    without: str
    note: str


def file_rows(counts: Mapping[str, FileCounts]) -> list[FileRow]:
    return [
        FileRow(
            one.name,
            gettext(one.title),
            one.suffix.removeprefix("."),
            counts[one.name],
            part_words(part for part in one.cannot_hold if part not in RESULTS),
            one.note and gettext(one.note),
        )
        for one in EXPORTERS.values()
    ]


def shared_limits() -> dict[str, str]:
    """The parts that no format holds, and those that only the native format holds."""
    return {"in_no_format": part_words(IN_NO_FORMAT), "in_native": part_words(RESULTS)}


def part_words(parts: Iterable[Part]) -> str:
    """The parts as one text, with commas."""
    return ", ".join(map(gettext, words_of(parts)))


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
    RunKind.CHANGED: gettext_lazy("It differs here. Nothing changes."),
    RunKind.TAKEN: gettext_lazy("Another run here has this model and setting. It is not added."),
    RunKind.TRASH: gettext_lazy("It is in the trash here. Nothing changes."),
    RunKind.MISSING: gettext_lazy("Only this benchmark has it. Nothing changes."),
}


@dataclass(frozen=True)
class RunLine:
    """A run that the file and the benchmark do not share. ``trajectories``: of the file, None if it has none."""

    name: str
    kind: str
    text: str
    fields: list[str]
    trajectories: int | None


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
        RunLine(one["name"], one["kind"], str(RUNS[RunKind(one["kind"])]), one["fields"], one["trajectories"])
        for one in found
    ]
    order = [kind.value for kind in RUNS]
    return sorted(lines, key=lambda line: order.index(line.kind))
