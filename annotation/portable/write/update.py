"""Bringing a benchmark up to date with a portable file that has the same ``uid``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Max
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.benchmark_events import notify_changed
from annotation.content.changes import content_changed
from annotation.content.revisions import make_gold
from annotation.content.tools import know_names
from annotation.content.transitions import update_sample_state
from annotation.images.store import store_bytes
from annotation.models import (
    AcceptedChain,
    Annotation,
    Benchmark,
    FacetValue,
    PlanTool,
    Revision,
    Sample,
)
from annotation.portable.read.columns import checked, in_column
from annotation.portable.read.discussion import new_discussion
from annotation.portable.read.tables import TABLES, Table
from annotation.portable.read.update import Choice, Entry, Kind, Plan, plan_update
from annotation.portable.read.version import NOT_GOLD, OF_REVISIONS
from annotation.portable.write.discussion import add_discussion
from annotation.portable.write.history import ADDED, DISCUSSED, GOLD, KEPT, note_samples, states_of
from annotation.portable.write.people import placeholder
from annotation.project_file import Line, Reader
from annotation.workflow import Right, SampleState, State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import insert_rows, reserve_ids
from webapp.common.errors import Conflict, InvalidInput

OF_SAMPLE = ("key", "image_name", "image_group", "width", "height", "image_problem", "extra", "state")
"""The columns of a sample that an update adds it with."""
DONE = {Choice.FILE: GOLD, Choice.BOTH: KEPT}
MOST_REVISIONS = 2**31 - 1
LISTED = 500
"""The most samples that the audit entry of an update names."""


def require_same(benchmark: Benchmark, file: Reader) -> None:
    """Raises ``Conflict`` unless the file is of this benchmark."""
    uid = next(file.rows("benchmark"), {}).get("uid")
    if not uid:
        raise Conflict(gettext("This file has no uid, so it can't update a benchmark. Make a new benchmark of it."))
    if str(uid) != str(benchmark.uid):
        raise Conflict(
            gettext("This file is of another benchmark than %(title)s. Make a new benchmark of it.")
            % {"title": benchmark.title},
            code="other_benchmark",
        )


def store_new_images(*, actor: User | None, benchmark: Benchmark, file: Reader, plan: Plan) -> dict[str, int]:
    """Store the images of samples that the file adds; returns their rows by hash. Call before the transaction."""
    wanted = {plan.samples[one.key].image for one in plan.of(Kind.ADDED)} - {""}
    return {
        sha: store_bytes(actor, benchmark, b"".join(file.pieces(member))).pk
        for sha, member in file.images.items()
        if sha in wanted
    }


def update_from(
    *,
    actor: User,
    benchmark: Benchmark,
    file: Reader,
    choices: Mapping[str, str],
    images: Mapping[str, int],
) -> dict[str, int]:
    """Add the samples that only the file has, and take over gold that only the file changed. ``choices`` says by sample
    what becomes of conflicts (``Choice``, by default ``here``). Frozen versions, members and open work stay unchanged.
    A second call with the same file and choices changes nothing. Returns counts.

    Call inside a transaction. Raises ``Conflict`` for another benchmark, ``InvalidInput`` for a choice that is not
    possible.
    """
    require(actor, benchmark, Right.MANAGE)
    Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
    require_same(benchmark, file)
    plan = plan_update(benchmark, file)
    taken = _taken(plan, choices)
    added, states = [one.key for one in plan.of(Kind.ADDED)], states_of(benchmark, list(taken))
    work = _Update(benchmark, file, plan, images)
    work.add_samples(added)
    work.append_revisions([*taken, *added])
    gold = [key for key, choice in taken.items() if choice is Choice.FILE]
    gold += [key for key in added if plan.samples[key].gold is not None]
    work.take_gold(gold)
    discussed, discussion = work.add_discussion()
    counts = {
        "added": len(added),
        "changed": sum(choice is Choice.FILE for choice in taken.values()),
        "kept": sum(choice is Choice.BOTH for choice in taken.values()),
        "revisions": work.appended,
        **discussion,
    }
    if any(counts.values()):
        know_names(actor, benchmark, work.planned())
        content_changed(benchmark.pk)
        notify_changed(benchmark)
        named = {choice.value: [key for key, one in taken.items() if one is choice][:LISTED] for choice in Choice}
        data = {"checksum": file.manifest.checksum, **counts, "samples": named}
        audit.record(actor=actor, action="import.update", subject=benchmark, benchmark=benchmark.slug, data=data)
        done = dict.fromkeys(discussed, DISCUSSED) | {key: DONE[choice] for key, choice in taken.items()}
        note_samples(actor, benchmark, done | dict.fromkeys(added, ADDED), states, file.manifest.checksum)
    return counts


def _taken(plan: Plan, choices: Mapping[str, str]) -> dict[str, Choice]:
    """What becomes of the samples that the file changed, without those that stay. A choice for a sample that is no
    conflict any more has no effect."""
    found = {one.key: Choice.FILE for one in plan.of(Kind.FILE)}
    for one in plan.of(Kind.CONFLICT):
        choice = Choice(choices.get(one.key, Choice.HERE))
        check_choice(one, choice)
        if choice is not Choice.HERE:
            found[one.key] = choice
    return found


def check_choice(entry: Entry, choice: Choice) -> None:
    """Raises ``InvalidInput`` if people work on the sample and their work would lose its place."""
    if entry.open and choice is Choice.FILE:
        raise InvalidInput(
            gettext("%(key)s has work that is not decided. Decide it first, or keep both.") % {"key": entry.key},
            field="conflicts",
        )


@dataclass
class _Update:
    """The rows of one update. Rows of the file are named by their numbers there."""

    benchmark: Benchmark
    file: Reader
    plan: Plan
    images: Mapping[str, int]
    appended: int = 0

    def __post_init__(self) -> None:
        self.people: dict[int, int] = {}
        self.revisions: dict[int, int] = {}
        self._person_rows = list(self.file.rows("person"))

    def add_samples(self, keys: Iterable[str]) -> None:
        for key in keys:
            one = self.plan.samples[key]
            given = {
                field.name: checked(field, self._given(field, one.row), "sample", one.number)
                for field in Sample._meta.concrete_fields
                if field.name in OF_SAMPLE
            }
            if one.image in self.images or not one.image:
                given["image_problem"] = ""
            if given["state"] != SampleState.DISCARDED:
                given["state"] = SampleState.TO_DO
            Sample.objects.create(benchmark=self.benchmark, image_id=self.images.get(one.image), **given)

    def append_revisions(self, keys: Iterable[str]) -> None:
        """Add the submitted revisions of these samples that are not here, to the annotations of their people."""
        wanted = {self.plan.samples[key].number: key for key in keys if self.plan.samples[key].gold is not None}
        if not wanted:
            return
        samples = {one.key: one for one in Sample.objects.filter(benchmark=self.benchmark, key__in=wanted.values())}
        lines = {line.number: line for line in self.file.lines("annotation") if line.row["sample"] in wanted}
        known = self._known(wanted.values())
        missing: dict[int, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
        for number, row in enumerate(self.file.rows("revision"), start=1):
            if row["annotation"] in lines and row.get("submitted_at") is not None:
                key = wanted[lines[row["annotation"]].row["sample"]]
                identity = next(i for i, n in self.plan.samples[key].revisions.items() if n == number)
                if (key, *identity) in known:
                    self.revisions[number] = known[(key, *identity)]
                else:
                    missing[row["annotation"]].append((number, row))
        for at, found in missing.items():
            annotation = self._annotation(samples[wanted[lines[at].row["sample"]]], lines[at])
            self._insert_revisions(annotation, sorted(found, key=_number_in))
        appended = {n for found in missing.values() for n, _ in found}
        self._insert_parts(appended)
        self.appended = len(appended)

    def take_gold(self, keys: Iterable[str]) -> None:
        """Make the gold of the file the gold of these samples."""
        samples = {
            one.key: one
            for one in Sample.objects.filter(benchmark=self.benchmark, key__in=list(keys)).select_related("benchmark")
        }
        facets, chains = self._of_samples("facetvalue", samples), self._of_samples("acceptedchain", samples)
        for key, sample in samples.items():
            one = self.plan.samples[key]
            assert one.gold is not None
            revision = Revision.objects.select_related("annotation").get(pk=self.revisions[one.revisions[one.gold]])
            sample.benchmark = self.benchmark
            revision.annotation.sample = sample
            # As after a review: one annotation is accepted, and the one whose gold was replaced is superseded.
            others = Annotation.objects.filter(sample=sample, state=State.ACCEPTED).exclude(pk=revision.annotation_id)
            others.update(state=State.SUPERSEDED)
            Annotation.objects.filter(pk=revision.annotation_id).update(state=State.ACCEPTED, held_until=None)
            make_gold(revision)
            if revision.facets is None:
                self._replace_facets(sample, facets[key])
            self._add_chains(sample, chains[key])
            update_sample_state(sample)

    def add_discussion(self) -> tuple[set[str], dict[str, int]]:
        """Add the reviews and comments of the file on revisions that are here now. Return the keys of their samples,
        and how many there are."""
        found = new_discussion(self.benchmark, self.file, self.plan)
        keys = {one.place[0] for one in (*found.reviews, *found.comments)}
        return keys, add_discussion(found, self._person)

    def planned(self) -> list[str]:
        """The names of tools in the plans that the file brought."""
        found = PlanTool.objects.filter(revision__in=list(self.revisions.values())).order_by("pk")
        return list(found.values_list("tool", flat=True))

    def _known(self, keys: Iterable[str]) -> dict[tuple[Any, ...], int]:
        of = ("annotation__sample__key", "created_at", "digest", "pk")
        rows = Revision.objects.filter(annotation__sample__benchmark=self.benchmark, submitted_at__isnull=False)
        return {tuple(row[:3]): row[3] for row in rows.filter(annotation__sample__key__in=list(keys)).values_list(*of)}

    def _annotation(self, sample: Sample, line: Line) -> Annotation:
        """The annotation of the same person, or a new one that is closed until its revision becomes gold."""
        author, kind = self._person(line, "author"), line.text("kind", default=Annotation.Kind.OWN)
        if kind not in Annotation.Kind.values:
            raise line.error("kind")
        of: dict[str, Any] = {"sample": sample, "author_id": author} | ({} if author else {"kind": kind})
        made, _ = Annotation.objects.get_or_create(**of, defaults={"kind": kind, "state": State.SUPERSEDED})
        return made

    def _insert_revisions(self, annotation: Annotation, found: list[tuple[int, dict[str, Any]]]) -> None:
        last = Revision.objects.filter(annotation=annotation).aggregate(last=Max("number"))["last"] or 0
        table = next(table for table in TABLES if table.model is Revision)
        names = [one.name for one in table.fields]
        ids = reserve_ids(Revision, len(found))
        rows = []
        for at, (number, row) in enumerate(found):
            line = Line("revision", number, row)
            fixed = {"annotation": annotation.pk, "number": last + 1 + at, "author": self._person(line, "author")}
            # Its sources are named by numbers of the file; those that are not here can't be named.
            fixed["provenance"] = in_column(
                Revision._meta.get_field("provenance"), self._sources(line), "revision", number
            )
            values = [fixed[name] if name in fixed else self._value(table, name, row, number) for name in names]
            rows.append((ids[at], *values))
            self.revisions[number] = ids[at]
        insert_rows(Revision, ["id", *names], rows)

    def _sources(self, line: Line) -> Any:
        given = line.row.get("provenance")
        if given is None:
            return None
        try:
            known = self.revisions
            return {name: {**of, "from": [known[n] for n in of["from"] if n in known]} for name, of in given.items()}
        except (AttributeError, KeyError, TypeError) as error:
            raise line.error("provenance", "names revisions in a form that is not known") from error

    def _insert_parts(self, appended: set[int]) -> None:
        """Boxes, calls, plans and all other parts of the revisions that were added."""
        for table in TABLES:
            if not table.path.startswith(OF_REVISIONS) or table.model in NOT_GOLD:
                continue
            names = [one.name for one in table.fields]
            revisions = self.file.tables.get("revision", 0)
            found = [
                (line.number, line.row)
                for line in self.file.lines(table.name)
                if line.reference("revision", revisions) in appended
            ]
            ids = reserve_ids(table.model, len(found))
            insert_rows(
                table.model,
                ["id", *names],
                [
                    (ids[at], *(
                        self.revisions[row["revision"]] if name == "revision" else self._value(table, name, row, number)
                        for name in names
                    ))
                    for at, (number, row) in enumerate(found)
                ],
            )  # fmt: skip

    def _value(self, table: Table, name: str, row: Mapping[str, Any], number: int) -> Any:
        one: models.Field[Any, Any] = table.model._meta.get_field(name)  # type: ignore[assignment]  # concrete
        if one.related_model is User:
            return self._person(Line(table.name, number, row), name)
        return in_column(one, self._given(one, row), table.name, number)

    @staticmethod
    def _given(one: models.Field[Any, Any], row: Mapping[str, Any]) -> Any:
        """The value of a field in a row. A file of an earlier release lacks the columns that came later."""
        return row.get(one.name, one.get_default() if one.has_default() else None)

    def _person(self, line: Line, field: str) -> int | None:
        """The placeholder of a person of the file. Accounts are never taken for people of a file."""
        number = line.reference_or_none(field, len(self._person_rows))
        if number is None:
            return None
        if number not in self.people:
            row = Line("person", number, self._person_rows[number - 1])
            unnamed = f"{self.file.manifest.checksum} {number}"
            self.people[number] = placeholder(self.benchmark, row, unnamed=unnamed).pk
        return self.people[number]

    def _of_samples(self, table: str, keys: Iterable[str]) -> dict[str, list[Line]]:
        wanted = {self.plan.samples[key].number: key for key in keys}
        found: dict[str, list[Line]] = defaultdict(list)
        samples = self.file.tables.get("sample", 0)
        for line in self.file.lines(table):
            sample = line.reference("sample", samples)
            if sample in wanted:
                found[wanted[sample]].append(line)
        return found

    def _replace_facets(self, sample: Sample, lines: Iterable[Line]) -> None:
        own = FacetValue.objects.filter(sample=sample).exclude(kind=FacetValue.Kind.BANK)
        own.delete()
        table = next(table for table in TABLES if table.model is FacetValue)
        names = ("name", "position", "value", "kind")
        FacetValue.objects.bulk_create(
            FacetValue(
                sample=sample,
                benchmark=self.benchmark,
                **{name: self._value(table, name, line.row, line.number) for name in names},
            )
            for line in lines
            if line.row.get("kind") != FacetValue.Kind.BANK
        )

    def _add_chains(self, sample: Sample, lines: Iterable[Line]) -> None:
        table = next(table for table in TABLES if table.model is AcceptedChain)
        calls: models.Field[Any, Any] = AcceptedChain._meta.get_field("calls")
        for line in lines:
            digest = self._value(table, "digest", line.row, line.number)
            AcceptedChain.objects.get_or_create(
                sample=sample,
                digest=digest,
                defaults={
                    "calls": checked(calls, line.row.get("calls"), table.name, line.number),
                    "note": self._value(table, "note", line.row, line.number),
                    "accepted_by_id": self._person(line, "accepted_by"),
                },
            )


def _number_in(one: tuple[int, dict[str, Any]]) -> int:
    return Line("revision", *one).reference("number", MOST_REVISIONS)
