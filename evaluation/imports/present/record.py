"""The preview on the page of an import: numbers, issues by rule, five records, the choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from annotation.exchange.write.samples import WITH_RUNS
from annotation.importers.mapping import BOX_FIELDS, Field
from evaluation.common.frame import region_address
from evaluation.importers.interface import ColumnMapping
from evaluation.importers.mapped.mapping import FIELDS as KEY_FIELDS
from evaluation.imports.forms.choices import BOX_FORMS, FIELDS
from evaluation.imports.read.mappings import FORMAT as TABLE
from evaluation.imports.read.mappings import KEYS, saved_for, saved_for_keys
from evaluation.imports.write.upload import both_of, path_of
from webapp.common.translation import Text, all_of

FIVE = 5
LINES = 4
NAMED = 3
SIDE = 240
ROWS = {
    "samples": "sample", "pictures": "image", "trajectories": "trajectory", "tool lists": "tool list",
    "interventions": "intervention", "judgements": "judgment", "rollout groups": "rollout group", "runs": "run",
}  # fmt: skip
"""The kinds of imported rows, plural and singular."""
BOTH = 0.5
"""From this confidence on a file counts as holding the other kind too."""


@dataclass(frozen=True)
class Figure:
    """A number of the strip and what it counts. ``term``: the entry of the glossary that explains it, if any."""

    value: int
    label: str
    href: str = ""
    term: str = ""


def written(record: Any) -> int:
    """Rows an import has written: new and changed ones."""
    return int(record.counts.get("new", 0) + record.counts.get("changed", 0))


def _written_words(kind: str, count: int, *, done: bool) -> str:
    if kind == "samples":
        saved = ngettext("sample saved", "samples saved", count)
        return saved if done else ngettext("sample to save", "samples to save", count)
    return (
        ngettext("record saved", "records saved", count)
        if done
        else ngettext("record to save", "records to save", count)
    )


def strip(record: Any) -> dict[str, Any]:
    """The numbers over the records, and the parts of the bar. After the import: of what was written."""
    preview = record.preview
    counts = record.counts if record.state in ("done", "undone") else preview.get("counts", {})
    write = counts.get("new", 0) + counts.get("changed", 0)
    done = record.state in ("done", "undone")
    figures = [Figure(write, _written_words(record.kind, write, done=done))]
    if counts.get("changed"):
        figures.append(Figure(counts["changed"], gettext("of them replace existing rows")))
    if counts.get("removed"):
        message = gettext("removed, not in the file") if done else gettext("to remove, not in the file")
        figures.append(Figure(counts["removed"], message))
    figures += [
        Figure(counts.get("unchanged", 0), gettext("unchanged")),
        Figure(counts.get("refused", 0), gettext("rejected"), term="rejected"),
        Figure(counts.get("repaired", 0), gettext("repaired"), term="repaired"),
    ]
    if record.kind == "runs":
        without, calls = preview.get("without", 0), counts.get("steps", 0)
        message = ngettext("sample without a record", "samples without a record", without)
        figures += [
            Figure(without, message, term="missing"),
            Figure(calls, ngettext("call", "calls", calls), term="tool-call"),
        ]
    elif preview.get("pictures"):
        pictures = preview["pictures"]
        figures += [
            Figure(pictures["found"], ngettext("image found", "images found", pictures["found"])),
            Figure(pictures["missing"], ngettext("image missing", "images missing", pictures["missing"])),
        ]
        if kept := pictures["kept"]:
            figures.append(Figure(kept, ngettext("image already stored", "images already stored", kept)))
    repaired = min(write, counts.get("repaired", 0))
    bar = {
        "plain": write - repaired,
        "unchanged": counts.get("unchanged", 0),
        "repaired": repaired,
        "refused": counts.get("refused", 0),
        "without": preview.get("without", 0) if record.kind == "runs" else 0,
    }
    return {
        "figures": figures,
        "bar": bar,
        "total": write,
        "removed": counts.get("removed", 0),
        "failed": counts.get("failed", 0),
    }


def issue_groups(issues: Sequence[Mapping[str, Any]], own: str) -> list[dict[str, Any]]:
    """Issues by rule as text: "Unknown sample", 4, the outcome, the fields, and the places. ``own``: the file's
    name."""
    return [
        {
            **group,
            "title": str(group["rule"]).replace("-", " ").capitalize().replace("json", "JSON"),
            "found": next((e["found"] for e in group["examples"] if e["found"]), ""),
            "where": " · ".join(filter(None, (_first(group, "field"), _where(group, own)))),
        }
        for group in issues
    ]


def _first(group: Mapping[str, Any], what: str) -> str:
    """The first fields or files that the examples of a group name."""
    named = [name for name in dict.fromkeys(example.get(what, "") for example in group["examples"]) if name]
    return ", ".join(named[:NAMED]) + (" …" if len(named) > NAMED else "")


def _where(group: Mapping[str, Any], own: str) -> str:
    """The first lines or numbers of records; in a folder or zip the first files, each with the place in it."""
    if any(example["file"] not in ("", own) for example in group["examples"]):
        files = [" ".join(filter(None, (e["file"], e.get("place", "")))) for e in group["examples"]]
        return ", ".join(files) + (" …" if group["count"] > len(files) else "")
    lines, rows, count = [f"{line:,}" for line in group["lines"]], group.get("rows", []), group["count"]
    if not lines and not rows:
        return _first(group, "file")
    named = ", ".join((rows or lines)[:LINES])
    if count > LINES:
        named = gettext("%(places)s and %(count)s more") % {"places": named, "count": f"{count - LINES:,}"}
    if rows:
        return ngettext("record %(places)s", "records %(places)s", count) % {"places": named}
    return ngettext("line %(places)s", "lines %(places)s", count) % {"places": named}


def again_words(record: Any) -> dict[str, Any]:
    """Notes on an earlier reading of the same file under other choices; empty without one."""
    again = record.preview.get("again")
    if not again:
        return {}
    marks, questions, rows = again["marks"], again["questions"], again.get("rows", 0)
    lost = []
    if marks:
        message = ngettext("%(count)s mark of people", "%(count)s marks of people", marks)
        lost.append(message % {"count": f"{marks:,}"})
    if questions:
        message = ngettext("%(count)s question of judging queues", "%(count)s questions of judging queues", questions)
        lost.append(message % {"count": f"{questions:,}"})
    gone = ngettext(
        "%(count)s of its rows is not in this file and will be deleted.",
        "%(count)s of its rows are not in this file and will be deleted.",
        rows,
    )
    sentence = gettext("%(things)s will be deleted: this file has no rows to carry them.") % {"things": all_of(lost)}
    how = gettext("read %(choices)s: %(runs)s")
    return {
        "import": again["import"],
        "named": again.get("named", ""),
        "how": how % {"choices": again["read"], "runs": "; ".join(again["runs"])},
        "gone": gone % {"count": f"{rows:,}"}
        if rows
        else gettext("This file contains all its rows. Nothing is deleted."),
        "lost": sentence if lost else "",
    }


def run_words(record: Any) -> list[str]:
    """A sentence for each run of the file that is there already and is not said to be it, read otherwise."""
    if record.preview.get("again"):
        return []
    return [_replaced(run) for run in record.preview.get("runs", []) if run["there"] is not None]


def _replaced(run: Mapping[str, Any]) -> str:
    message = ngettext(
        "%(run)s already has a run (%(count)s record): its records will be replaced where they differ.",
        "%(run)s already has a run (%(count)s records): its records will be replaced where they differ.",
        run["there"],
    )
    named = f"{run['model']}, {run['setting']}" if run["setting"] else run["model"]
    return message % {"run": named, "count": f"{run['there']:,}"}


def five(record: Any, which: str, chosen: str) -> dict[str, Any]:
    """Five of the drawn records, and the one shown in full. Numbers out of range are taken as the first."""
    drawn = record.preview.get("records") or record.preview.get("first", [])
    pages = max(1, -(-len(drawn) // FIVE))
    page = int(which) % pages if which.isdecimal() and len(which) < 9 else 0
    first = page * FIVE
    rows = [
        {**row, "index": index, **pictures_shown(record, row, index)}
        for index, row in enumerate(drawn[first : first + FIVE], first)
    ]
    wanted = int(chosen) if chosen.isdecimal() and len(chosen) < 9 else first
    shown = next((row for row in rows if row["index"] == wanted), rows[0] if rows else None)
    reach = sum(1 for row in rows if row.get("grounded"))
    scored = sum(1 for row in rows if row.get("population"))
    return {
        "rows": rows, "drawn": len(drawn), "five": page, "next_five": (page + 1) % pages, "fives": pages,
        "shown": shown, "reach": reach, "scored": scored,
    }  # fmt: skip


def pictures_shown(record: Any, row: Mapping[str, Any], index: int) -> dict[str, Any]:
    """Addresses of the image and of its last crop, or of the first gold box of a sample."""
    slug, sha = record.benchmark.slug, row.get("sha256")
    if record.kind == "samples" and not row.get("stored"):
        # Until the import these images are in the upload only: the reading has drawn small ones.
        if not row.get("drawn"):
            return {"src": "", "crop_src": ""}
        frame, gold = (
            reverse("evaluation:import-picture", args=[slug, record.pk, index, what]) for what in ("frame", "gold")
        )
        return {"src": frame, "crop_src": gold if row["gold"] else ""}
    if not sha or not row.get("width"):
        return {"src": "", "crop_src": ""}
    crops = [{"box": box} for box in row["gold"][:1]] if record.kind == "samples" else row["crops"]
    src = reverse("annotation:thumbnail", args=[slug, sha])
    if not crops:
        return {"src": src, "crop_src": ""}
    return {"src": src, "crop_src": region_address(slug, sha, crops[-1]["box"], SIDE)}


def counted(goes: Mapping[str, int]) -> list[Figure]:
    """Rows by what they are called, those there are, in the order of ``ROWS``: 8 "trajectories", 1 "run"."""
    return [Figure(goes[many], one if goes[many] == 1 else many) for many, one in ROWS.items() if goes.get(many)]


def columns_shown(record: Any) -> dict[str, Any]:
    """Return the columns of a table, each with its first values and its field; the available fields; and the author of
    an earlier mapping. Empty for other formats.
    """
    if record.format != TABLE or not record.preview.get("columns"):
        return {}
    columns = record.preview["columns"]
    known = FIELDS[record.kind]
    mapping = known.mapping_from(record.options["mapping"]) if record.options.get("mapping") else ColumnMapping()
    saved = saved_for(record.benchmark, record.kind, [column["name"] for column in columns])
    return {
        "rows": [{**column, "read_as": _read_as(mapping.field_of(column["name"]), known.free)} for column in columns],
        "fields": [*known.fields.values(), *_named_anew(known.free)],
        "boxes": mapping.boxes.value,
        "list": mapping.list,
        "box_forms": BOX_FORMS,
        "has_boxes": any(name in mapping.columns for name in ("boxes", *BOX_FIELDS)),
        "saved": saved if saved and saved.mapping == record.options.get("mapping") else None,
    }


def keys_shown(record: Any) -> dict[str, Any]:
    """Return the fields of the keys of a log, and the author of an earlier mapping. Empty for other formats."""
    if record.format != KEYS:
        return {}
    mapping = record.options.get("mapping", {})
    saved = saved_for_keys(record.benchmark, path_of(record)) if mapping else None
    rows = [(one.title, mapping[name]) for name, one in KEY_FIELDS.items() if name in mapping]
    boxes = f"{dict(BOX_FORMS)[mapping['box_form']]}, {mapping['coordinates']}" if "box" in mapping else ""
    return {
        "rows": [*rows, *([(gettext("Boxes"), boxes)] if boxes else [])],
        "saved": saved if saved and saved.mapping == mapping else None,
    }


def _named_anew(free: str) -> list[Field]:
    """Return the fields of additional columns, under their own names."""
    return [Field(free, gettext("Facet, under the column's name"), ())] if free else []


def _read_as(name: str, free: str) -> str:
    return free if free and name.startswith(free) else name


def _likely(kind: str, formats: Mapping[str, Any]) -> bool:
    """Whether a file may well hold this kind: not as a mere table while it surely holds the other kind."""
    found = formats.get(kind, [])
    sure = any(ones and ones[0]["confidence"] >= BOTH for ones in formats.values())
    return bool(found) and (found[0]["importer"] != TABLE or found[0]["confidence"] >= BOTH or not sure)


def _both(record: Any, rights: Mapping[str, bool]) -> dict[str, Any]:
    """Return the number of samples in a result file that also holds samples, and whether both are imported."""
    if not (rights["import_samples"] and rights["import_runs"]) or record.state not in ("preview", "failed"):
        return {}
    chosen = bool(record.options.get(WITH_RUNS))
    if not chosen and not both_of(record):
        return {}
    counts = record.preview.get("counts", {})
    read = counts.get("trajectories", 0) if record.kind == "runs" else counts.get("read", 0)
    return {"count": read + (counts.get("refused", 0) if record.kind == "runs" else 0), "chosen": chosen}


def settings_shown(record: Any, rights: Mapping[str, bool], spaces: Sequence[tuple[str, Text]]) -> dict[str, Any]:
    """The choices with what is chosen: kinds, formats with their confidence, coordinates, names."""
    formats = record.preview.get("formats", {})
    options = record.options
    coordinates = options.get("coordinates", "")
    sized = bool(coordinates) and coordinates not in dict(spaces)
    other = "runs" if record.kind == "samples" else "samples"
    holds = {kind: any(one["confidence"] >= BOTH for one in formats.get(kind, [])) for kind in ("samples", "runs")}
    return {
        "formats": [{**one, "chosen": one["importer"] == record.format} for one in formats.get(record.kind, [])],
        "kinds": [
            kind
            for kind in ("samples", "runs")
            if rights[f"import_{kind}"] and (kind == record.kind or _likely(kind, formats))
        ],
        "other_kind": other if holds[other] and rights[f"import_{other}"] else "",
        "both": _both(record, rights),
        "spaces": [*spaces, ("size", gettext("Pixels of the image as sent, …"))],
        "space": "size" if sized else coordinates,
        "sent_size": coordinates if sized else "",
        "scores": record.preview.get("choices", {}).get("score", False),
    }
