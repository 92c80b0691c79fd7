"""Saving a batch of samples read from a file: new ones, changed ones, unchanged ones; one transaction a batch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.common.task import meanings_of
from annotation.content.box_names import extra_of, names_of
from annotation.content.chains.write import save_chains
from annotation.content.changes import content_changed, facets_changed
from annotation.content.json import BoxName
from annotation.content.segments import place_segments
from annotation.content.tools import know_names, lock_bank
from annotation.images.store import MISSING, Found, fitted, refused
from annotation.imaging.evidence import evidence_share
from annotation.imaging.problems import PictureProblem
from annotation.models import (
    Annotation,
    Benchmark,
    FacetValue,
    Gold,
    GoldBox,
    GoldShape,
    Image,
    ImportRecord,
    PlanTool,
    ReferenceCall,
    Revision,
    Sample,
)
from annotation.schema import Issue, Outline, SampleContent, SampleRecord, Severity, whole_numbers
from annotation.task_schema import renamed
from annotation.tool_bank import key_of
from annotation.workflow import SampleState, State, transition
from webapp.accounts.models import User
from webapp.common.bulk import as_json, insert_rows, reserve_ids

NO_CONTENT = SampleContent()
"""The words of a sample that has no annotation yet."""
WRITTEN = (Sample, FacetValue, Annotation, Gold, Revision, GoldBox, GoldShape, ReferenceCall, PlanTool)
"""The tables that samples fill."""


@dataclass(slots=True)
class Saved:
    """The result of a batch."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    repeated: list[SampleRecord] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    regrouped: bool = False
    """Whether facets, image clusters or sizes of stored samples changed."""

    def __iadd__(self, other: Saved) -> Saved:
        self.new += other.new
        self.changed += other.changed
        self.unchanged += other.unchanged
        self.regrouped |= other.regrouped
        return self


def content_digest(content: SampleContent) -> str:
    """sha256 of a content in canonical form: equal contents, and only they, have equal digests."""
    plan = content.plan
    canonical = [
        content.question,
        content.answer_type,
        dict(content.options),
        list(content.answers),
        [box.written() for box in content.gold_boxes],
        [[c.tool, dict(c.arguments), c.image_in, c.image_out] for c in content.reference_toolchain],
        [[t.tool, t.step, *([] if t.either is None else [t.either])] for t in plan.targets],
        list(plan.distractors),
        plan.ordered,
        *([] if content.unanswerable is None else [content.unanswerable]),
        *([{"likeness": list(plan.likeness)}] if plan.likeness else []),
    ]
    return hashlib.sha256(json.dumps(whole_numbers(canonical), sort_keys=True, default=str).encode()).hexdigest()


def save_samples(
    *,
    actor: User | None,
    benchmark: Benchmark,
    records: Sequence[SampleRecord],
    pictures: Mapping[str, Found] | None = None,
    since: datetime | None = None,
    source: ImportRecord | None = None,
) -> Saved:
    """Write one batch. An existing sample keeps its key and gets a new gold revision if its content differs; the last
    of two records with one id wins. Imported samples are accepted on arrival. Without any content, such as an image
    alone, they are to do: they have no annotation and no gold. A new sample that its file marks as discarded is
    discarded.

    ``pictures``: the result of ``store_pictures``, by name. ``since``: start of this import; a record whose sample was
    written later is reported as ``repeated``. ``source``: the import that new samples are from.
    """
    latest = {record.id: record for record in records}
    saved = Saved(repeated=[record for record in records if latest[record.id] is not record])
    with transaction.atomic():
        lock_bank(benchmark)
        there = {
            sample.key: sample
            for sample in Sample.objects.filter(benchmark=benchmark, key__in=latest)
            .order_by("pk")
            .select_for_update(of=("self",), no_key=True)
            .select_related("gold__revision", "image")
            .prefetch_related("facets", "gold__revision__gold_boxes", "gold__revision__gold_shapes")
        }
        placed = placed_records(benchmark, latest, there, pictures or {})
        saved += _insert(actor, benchmark, [p for key, p in placed.items() if key not in there], source)
        as_before: set[int] = set()
        for key, sample in there.items():
            if since is not None and sample.created_at >= since:
                saved.repeated.append(latest[key])
            one = _update(actor, sample, placed[key])
            as_before |= {sample.pk} if one.unchanged else set()
            saved += one
        _bank(actor, benchmark, placed)
        touched = _chains(actor, benchmark, placed) & as_before
        saved += Saved(changed=len(touched), unchanged=-len(touched))
        if saved.regrouped:
            facets_changed(benchmark.pk)
        elif saved.new or saved.changed:
            content_changed(benchmark.pk)
    saved.issues = [issue for p in placed.values() for issue in p.issues]
    return saved


def _not_discarded(record: SampleRecord) -> Issue:
    done = "The file marks the sample as discarded. A file can't discard it. Use the Samples page."
    return Issue(
        Severity.NOTED, "not-discarded", record.file, record.line, "state", SampleState.DISCARDED, done, record.row
    )


def _chains(actor: User | None, benchmark: Benchmark, placed: Mapping[str, Placed]) -> set[int]:
    """Save the accepted toolchains of samples whose records contain any. Return the ids of changed samples."""
    said = {key: p.record.accepted_chains for key, p in placed.items() if p.record.accepted_chains is not None}
    numbers = Sample.objects.filter(benchmark=benchmark, key__in=said).values_list("pk", "key") if said else ()
    return save_chains(actor, benchmark, {pk: said[key] for pk, key in numbers})


def _bank(actor: User | None, benchmark: Benchmark, placed: Mapping[str, Placed]) -> None:
    """The tools that the plans name are in the tool bank, and what it knows of them goes with the samples."""
    plans = {key: p.record.content.plan for key, p in placed.items() if p.record.content.plan}
    if plans:
        know_names(actor, benchmark, (name for plan in plans.values() for name in plan.names))
        samples = Sample.objects.filter(benchmark=benchmark, key__in=plans)
        place_segments(benchmark, samples.values_list("pk", flat=True))


@dataclass(frozen=True)
class Placed:
    """A record with the image found for it: the stored parts, the image or the reason why there is none, and issues."""

    record: SampleRecord
    image: Image | None
    problem: str
    issues: list[Issue]


def placed_records(
    benchmark: Benchmark,
    records: Mapping[str, SampleRecord],
    stored: Mapping[str, Sample],
    pictures: Mapping[str, Found],
) -> dict[str, Placed]:
    """Return what an import stores of each record, by key, with the reasons for every change. Writes nothing.

    ``stored``: the samples of these keys that exist. Facets have the names of the task."""
    meanings = meanings_of(benchmark)
    return {
        key: _placed(replace(record, facets=renamed(record.facets, meanings)), stored.get(key), pictures)
        for key, record in records.items()
    }


def _placed(record: SampleRecord, sample: Sample | None, pictures: Mapping[str, Found]) -> Placed:
    """Combine a record with its image and the stored sample.

    An image that is only missing this time leaves the stored one of the same name in place.
    """
    placed = _with_image(record, sample, pictures)
    if sample and record.state is SampleState.DISCARDED and sample.state != SampleState.DISCARDED:
        return replace(placed, issues=[*placed.issues, _not_discarded(record)])
    return placed


def _with_image(record: SampleRecord, sample: Sample | None, pictures: Mapping[str, Found]) -> Placed:
    found = pictures.get(record.image or "")
    kept = sample.image if sample and sample.image and sample.image_name == (record.image or "") else None
    if kept is not None and (found is None or (isinstance(found, PictureProblem) and found.rule == MISSING)):
        found = kept
    if isinstance(found, Image):
        fit, issues = fitted(record, found)
        return Placed(fit, found, "", issues)
    if isinstance(found, PictureProblem):
        return Placed(record, None, found.message, [refused(record, found)])
    return Placed(record, None, "", [])


def _insert(actor: User | None, benchmark: Benchmark, placed: Sequence[Placed], source: ImportRecord | None) -> Saved:
    now = timezone.now()
    numbered = list(zip(reserve_ids(Sample, len(placed)), placed, strict=True))
    insert_rows(Sample, _SAMPLE, [_sample_row(pk, benchmark, p, now, source) for pk, p in numbered])
    insert_rows(FacetValue, _FACET, [row for pk, p in numbered for row in _facets(pk, benchmark.pk, p.record)])
    for state in SampleState.ACCEPTED, SampleState.IN_REVIEW, SampleState.DISCARDED:
        said = [(pk, p.record) for pk, p in numbered if state_of(p.record) is state]
        _insert_content(actor, said, state, now)
    return Saved(new=len(placed))


def state_of(record: SampleRecord) -> SampleState:
    """The state of a new sample: that of its file, except that a sample with content is never to do."""
    stands = record.state or SampleState.TO_DO
    with_content = stands is SampleState.TO_DO and record.content != NO_CONTENT
    return SampleState.ACCEPTED if with_content else stands


def _insert_content(
    actor: User | None, numbered: Sequence[tuple[int, SampleRecord]], stands: SampleState, now: datetime
) -> None:
    """Insert an annotation with one revision for each of these new samples.

    Accepted samples get gold. So do those from result files; it counts until a review decides otherwise. Samples that
    are discarded without content get an empty annotation without an author."""
    ways = {SampleState.ACCEPTED: "import", SampleState.IN_REVIEW: "import_results"}
    state = transition(ways[stands], State.DRAFT).after if stands in ways else State.DISCARDED
    if state is State.DISCARDED:
        empty = [pk for pk, record in numbered if record.content == NO_CONTENT]
        numbered = [(pk, record) for pk, record in numbered if record.content != NO_CONTENT]
        rows = [
            (a, s, None, state.value, Annotation.Kind.OWN.value, now, now)
            for a, s in zip(reserve_ids(Annotation, len(empty)), empty, strict=True)
        ]
        insert_rows(Annotation, _ANNOTATION, rows)
    sample_ids = [pk for pk, _ in numbered]
    author, count, imported = actor.pk if actor else None, len(numbered), Annotation.Kind.IMPORTED.value
    annotation_ids = reserve_ids(Annotation, count)
    revision_ids = reserve_ids(Revision, count)
    records = [record for _, record in numbered]
    insert_rows(
        Annotation,
        _ANNOTATION,
        [(a, s, author, state.value, imported, now, now) for a, s in zip(annotation_ids, sample_ids, strict=True)],
    )
    _insert_revisions(zip(revision_ids, annotation_ids, [1] * count, records, strict=True), author, now)
    if stands in ways:
        gold = [(s, r, now) for s, r in zip(sample_ids, revision_ids, strict=True)]
        insert_rows(Gold, ["sample", "revision", "accepted_at"], gold)


def _update(actor: User | None, sample: Sample, placed: Placed) -> Saved:
    """Facets and extra are replaced, and other content becomes a new revision."""
    record, differs = placed.record, difference(sample, placed)
    changes = dict(differs.fields)
    if differs.facets:
        sample.facets.all().delete()
        insert_rows(FacetValue, _FACET, _facets(sample.pk, sample.benchmark_id, record))
        changes = changes or {"changed_at": timezone.now()}
    if differs.gold:
        add_gold_revision(actor=actor, sample=sample, record=record)
        waits = record.state is SampleState.IN_REVIEW and sample.state == SampleState.IN_REVIEW
        stands = SampleState.IN_REVIEW if waits else SampleState.ACCEPTED
        changes |= {"state": stands.value, "changed_at": timezone.now()}
    if changes:
        Sample.objects.filter(pk=sample.pk).update(**changes)
    return Saved(changed=1, regrouped=differs.regroups) if changes else Saved(unchanged=1)


@dataclass(frozen=True)
class Difference:
    """The changes of an import to a stored sample: values of fields, its facets, its gold."""

    fields: Mapping[str, Any]
    facets: bool
    gold: bool

    def __bool__(self) -> bool:
        return bool(self.fields) or self.facets or self.gold

    @property
    def regroups(self) -> bool:
        """Whether scores change without new gold: their slices, their clusters, or the size of their images."""
        return self.facets or not self.fields.keys().isdisjoint(("width", "height", "image_group"))


def difference(sample: Sample, placed: Placed) -> Difference:
    """Compare a stored sample with a record. The preview and the import count by this.

    A discarded sample keeps its content: a lead opens it again, a file does not. A file does not discard a sample
    either."""
    record, gold = placed.record, getattr(sample, "gold", None)
    stored = [(f.name, f.position, f.value, f.kind) for f in sample.facets.all() if f.kind != FacetValue.Kind.BANK]
    facets = [row[2:] for row in _facets(sample.pk, sample.benchmark_id, record)]
    waits = gold is None and record.content == NO_CONTENT and record.state is not SampleState.ACCEPTED
    left_out = SampleState.DISCARDED in (sample.state, record.state)
    return Difference(
        _descriptive_changes(sample, placed),
        facets=sorted(stored) != sorted(facets),
        gold=not (waits or left_out) and (gold is None or _says_else(record, gold.revision)),
    )


def _says_else(record: SampleRecord, revision: Revision) -> bool:
    """Another content than the revision, or other names of its boxes; a record without names leaves those there are."""
    if revision.digest != content_digest(record.content):
        return True
    names = names_of(record)
    return names is not None and names != tuple(BoxName(b.label, b.source) for b in revision.evidence)


def _descriptive_changes(sample: Sample, placed: Placed) -> dict[str, Any]:
    record = placed.record
    width, height = _size(record)
    kept = record.state is SampleState.DISCARDED and sample.state != SampleState.DISCARDED
    wanted: dict[str, Any] = {
        "image_id": placed.image.pk if placed.image else None,
        "image_problem": placed.problem,
        "width": width,
        "height": height,
        "evidence_share": sample.evidence_share if kept else _share(sample, record),
        "image_name": record.image or "",
        "image_group": record.image_group or "",
        "extra": extra_of(record),
    }
    return {name: value for name, value in wanted.items() if getattr(sample, name) != value}


def _share(sample: Sample, record: SampleRecord) -> float | None:
    return None if sample.state == SampleState.DISCARDED else evidence_share(record.content.gold_boxes, *_size(record))


def add_gold_revision(*, actor: User | None, sample: Sample, record: SampleRecord) -> None:
    """A further imported revision of a sample becomes its gold. Call inside a transaction."""
    now = timezone.now()
    annotation, _ = Annotation.objects.get_or_create(
        sample=sample, author=actor, defaults={"state": State.ACCEPTED, "kind": Annotation.Kind.IMPORTED}
    )
    number = Revision.objects.filter(annotation=annotation).count() + 1
    [revision_id] = reserve_ids(Revision, 1)
    _insert_revisions([(revision_id, annotation.pk, number, record)], actor.pk if actor else None, now)
    Gold.objects.update_or_create(sample=sample, defaults={"revision_id": revision_id, "accepted_at": now})


_SAMPLE = [
    "id", "benchmark", "key", "state", "image", "image_name", "image_problem", "image_group", "width", "height",
    "evidence_share", "extra", "source", "created_at", "changed_at",
]  # fmt: skip
_ANNOTATION = ["id", "sample", "author", "state", "kind", "created_at", "changed_at"]
_FACET = ["sample", "benchmark", "name", "position", "value", "kind"]
_REVISION = [
    "id", "annotation", "number", "author", "question", "answer_type", "options", "answers", "ordered", "digest",
    "created_at", "submitted_at",
]  # fmt: skip
_BOX = ["revision", "position", "x1", "y1", "x2", "y2", "label", "source", "image_width", "image_height"]
_SHAPE = ["revision", "position", "kind", "points", "label", "source"]
_CALL = ["revision", "position", "tool", "arguments", "image_in", "image_out"]
_PLAN = ["revision", "position", "tool", "key", "step", "likeness", "either"]


def _size(record: SampleRecord) -> tuple[int | None, int | None]:
    return (record.width, record.height) if record.width and record.height else (None, None)


def _sample_row(
    pk: int, benchmark: Benchmark, placed: Placed, now: Any, source: ImportRecord | None
) -> tuple[Any, ...]:
    record = placed.record
    width, height = _size(record)
    state = state_of(record)
    share = evidence_share(record.content.gold_boxes, width, height) if state is not SampleState.DISCARDED else None
    return (
        pk, benchmark.pk, record.id, state.value, placed.image.pk if placed.image else None,
        record.image or "", placed.problem, record.image_group or "", width, height,
        share, as_json(extra_of(record)),
        source.pk if source else None, now, now,
    )  # fmt: skip


def _facets(sample_id: int, benchmark_id: int | None, record: SampleRecord) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for name, values in record.facets.items():
        for position, value in enumerate(values):
            is_text = isinstance(value, str)
            kind = FacetValue.Kind.TEXT if is_text else FacetValue.Kind.JSON
            text = value if is_text else json.dumps(value)
            rows.append((sample_id, benchmark_id, name, position, text, kind.value))
    return rows


def _insert_revisions(numbered: Any, author: int | None, now: Any) -> None:
    revisions, boxes, shapes, calls, tools = [], [], [], [], []
    for pk, annotation_id, number, record in numbered:
        content: SampleContent = record.content
        revisions.append((
            pk, annotation_id, number, author, content.question, content.answer_type.value,
            as_json(dict(content.options)), as_json(list(content.answers)), content.plan.ordered,
            content_digest(content), now, now,
        ))  # fmt: skip
        names = names_of(record) or (BoxName(),) * len(content.gold_boxes)
        for i, (box, name) in enumerate(zip(content.gold_boxes, names, strict=True)):
            if isinstance(box, Outline):
                written = box.written()
                shapes.append((pk, i, written["kind"], as_json(written["points"]), *name))
            else:
                boxes.append((pk, i, box.x1, box.y1, box.x2, box.y2, *name, *_size(record)))
        calls += [
            (pk, i, call.tool, as_json(dict(call.arguments)), as_json(call.image_in), call.image_out)
            for i, call in enumerate(content.reference_toolchain)
        ]
        tools += [(pk, i, tool, key_of(tool), *rest) for i, (tool, *rest) in enumerate(content.plan.rows)]
    insert_rows(Revision, _REVISION, revisions)
    insert_rows(GoldBox, _BOX, boxes)
    insert_rows(GoldShape, _SHAPE, shapes)
    insert_rows(ReferenceCall, _CALL, calls)
    insert_rows(PlanTool, _PLAN, tools)
