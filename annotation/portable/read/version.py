"""The rows of a portable file that has one frozen version alone.

Almost every value comes from rows that never change, so later work does not change the file of a version. Exceptions,
which have their current values: names of people and whether their addresses are verified, the annotator of a sample
that was reopened for another person, the text about the benchmark, the tools that plans name, and facets of samples
without facets in their gold. A sample that was withdrawn later is still part of the version, and the file has the
reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from django.db import models
from django.utils.translation import gettext

from annotation.content.revisions import content_of, facet_rows
from annotation.guideline_text import uploads_in
from annotation.imaging.evidence import evidence_share
from annotation.models import (
    AcceptedChain,
    Annotation,
    BankTool,
    Benchmark,
    BenchmarkSchema,
    BlindAnswer,
    FacetAlias,
    FacetValue,
    Gold,
    Guideline,
    GuidelineImage,
    Image,
    ImageReplacement,
    ImageVariant,
    PlanTool,
    Review,
    Revision,
    Sample,
    ToolName,
    VerifiedChain,
    Version,
    VersionEntry,
)
from annotation.portable.read.contents import AT_ONCE, WorkingState
from annotation.portable.read.tables import TABLES, Table
from annotation.task_schema import NO_SCHEMA, Meanings, TaskSchema, renamed
from annotation.workflow import SampleState, State
from webapp.common.errors import NotFound
from webapp.common.ordering import by_code_points

Row = TypeVar("Row")
LONGEST_NUMBER = 10
OF_REVISIONS = "revision__"
"""How the path of a table begins whose rows are parts of a revision."""
NOT_GOLD = (Review, BlindAnswer)
"""Tables of revisions that are work about them, not their content."""
HELD = (
    Annotation, BankTool, BenchmarkSchema, FacetAlias, FacetValue, Gold, Guideline, GuidelineImage, AcceptedChain,
    ImageReplacement, ImageVariant, Revision, Sample, ToolName, VerifiedChain, Version, VersionEntry,
)  # fmt: skip


def _held(table: Table) -> bool:
    return table.model in HELD or (table.path.startswith(OF_REVISIONS) and table.model not in NOT_GOLD)


class FrozenVersion(WorkingState):
    """What a version holds: its samples with their gold revisions, images, toolchains, tools of plans, schema and
    guidelines."""

    tables = tuple(table for table in TABLES if _held(table))
    all_revisions = False

    def __init__(self, version: Version) -> None:
        super().__init__(version.benchmark)
        self.version = version

    @property
    def about(self) -> dict[str, Any]:
        """``checked``: whether the checksum of the version can be computed again from the file. It can't be if sizes
        or clusters of samples changed since, or if the version is older than stored toolchains."""
        left_out = [table.name for table in TABLES if not _held(table)]
        checked = self.checksum() == self.version.checksum
        return {"version": self.version.number, "left_out": sorted([*left_out, "runs"]), "checked": checked}

    def rows(self, table: Table) -> models.QuerySet[Any]:
        if table.path.startswith(OF_REVISIONS):
            found = table.model._default_manager.filter(revision__in=self._revisions)
        elif table.model is Sample:
            found = Sample.everything.filter(pk__in=self._samples)
        else:
            found = table.model._default_manager.filter(**self._filters[table.model])
        return found.order_by("pk")

    def values(self, table: Table, *, skip: int = 0) -> Iterator[dict[str, Any]]:
        made = {AcceptedChain: self._chains, FacetValue: self._facets, Gold: self._golds}
        if table.model in made:
            yield from islice(made[table.model](), skip, None)
            return
        if table.model is Sample:
            yield from self._sample_rows(table, skip)
            return
        changed = {Annotation: self._annotation, BenchmarkSchema: self._schema_row}
        change: Callable[[dict[str, Any]], dict[str, Any]] = changed.get(table.model, lambda _: {})
        for row in super().values(table, skip=skip):
            yield row | change(row)

    def keys(self, table: Table) -> Iterator[int]:
        return iter(()) if table.model in (AcceptedChain, FacetValue, Gold) else super().keys(table)

    def images(self) -> models.QuerySet[Image]:
        """The images that the samples had, those that these replaced before, the originals of variants, and the images
        of the guidelines."""
        later = self._images_then
        now = Sample.everything.filter(pk__in=self._samples).exclude(pk__in=later).exclude(image=None)
        replaced = ImageReplacement.objects.filter(**self._filters[ImageReplacement]).order_by().values("image")
        of_variants = ImageVariant.objects.filter(sample__in=self._samples).order_by().values("parent")
        then = [image.pk for image in later.values()]
        chosen = models.Q(pk__in=now.order_by().values("image")) | models.Q(pk__in=then)
        chosen |= models.Q(pk__in=[one.image_id for one in self._uploads])
        return Image.objects.filter(chosen | models.Q(pk__in=replaced) | models.Q(pk__in=of_variants))

    def checksum(self) -> str:
        """The checksum of the version as ``gold_digest`` computed it, from the rows of the file. An empty text if the
        version did not store its further toolchains."""
        replaced = set(
            ImageReplacement.objects.filter(**self._filters[ImageReplacement]).values_list("sample", flat=True)
        )
        fields = ("sample", "sample__key", "revision__digest", "sample__width", "sample__height", "sample__image_group")
        entries = VersionEntry.objects.filter(version=self.version).order_by(by_code_points("sample__key"))
        total, chains = hashlib.sha256(), []
        rows = entries.values_list(*fields, "sample__image__sha256", "accepted_chains")
        for pk, *row, image, further in rows.iterator(chunk_size=AT_ONCE):
            if further is None:
                return ""
            if pk in self._images_then:
                then = self._images_then[pk]
                row[2:4], image = [then.width, then.height], then.sha256
            total.update(repr((*row, image) if pk in replaced else tuple(row)).encode("utf-8", "surrogatepass"))
            chains += [(row[0], chain["digest"]) for chain in further]
        for chain in chains:
            total.update(repr(chain).encode("utf-8", "surrogatepass"))
        return total.hexdigest()

    @property
    def _entries(self) -> models.QuerySet[VersionEntry]:
        return VersionEntry.objects.filter(version=self.version).order_by()

    @property
    def _samples(self) -> models.QuerySet[VersionEntry, Any]:
        return self._entries.values("sample")

    @property
    def _revisions(self) -> models.QuerySet[VersionEntry, Any]:
        return self._entries.values("revision")

    @cached_property
    def _filters(self) -> Mapping[type[models.Model], dict[str, Any]]:
        """The condition for the rows of each table."""
        at = self.version.frozen_at
        return {
            Annotation: {"revisions__in": self._revisions},
            BankTool: {"pk__in": self._tools},
            BenchmarkSchema: {"pk__in": [self._schema.pk] if self._schema else []},
            FacetAlias: {"pk__in": [one.pk for one in self._aliases]},
            Guideline: {"pk__in": [self._guideline.pk] if self._guideline else []},
            GuidelineImage: {"pk__in": [one.pk for one in self._uploads]},
            ImageReplacement: {"sample__in": self._samples, "replaced_at__lte": at},
            ImageVariant: {"sample__in": self._samples},
            Revision: {"pk__in": self._revisions},
            ToolName: {"tool__in": self._tools},
            VerifiedChain: {"sample__in": self._samples, "created_at__lte": at},
            Version: {"pk": self.version.pk},
            VersionEntry: {"version": self.version},
            AcceptedChain: {"pk__in": []},
            FacetValue: {"pk__in": []},
            Gold: {"pk__in": []},
        }

    @cached_property
    def _guideline(self) -> Guideline | None:
        """The guidelines that were in force."""
        found: Guideline | None = Guideline.objects.in_force(self.benchmark, self.version.frozen_at)
        return found

    @cached_property
    def _uploads(self) -> list[GuidelineImage]:
        """The images that these guidelines show."""
        shown = uploads_in([self._guideline.body]) if self._guideline else frozenset()
        uploaded = self.benchmark.guideline_images.select_related("image").order_by("pk") if shown else ()
        return [one for one in uploaded if one.name in shown]

    @cached_property
    def _schema(self) -> BenchmarkSchema | None:
        """The schema that was in force."""
        since = self.benchmark.schemas.filter(activated_at__lte=self.version.frozen_at)
        return since.order_by("-activated_at", "-number").first()

    @cached_property
    def _aliases(self) -> list[FacetAlias]:
        """The renamed values of facets, without those that the schema still listed."""
        task = TaskSchema.parse(self._schema.content) if self._schema else NO_SCHEMA
        listed = {(facet.name, option.value) for facet in task.facets for option in facet.values}
        return [one for one in self.benchmark.facet_aliases.order_by("pk") if (one.name, one.old) not in listed]

    @cached_property
    def _tools(self) -> list[int]:
        """The tools that the plans name, and those into which they were merged."""
        planned = PlanTool.objects.filter(revision__in=self._revisions).order_by().values("key")
        wanted = set(ToolName.objects.filter(benchmark=self.benchmark, key__in=planned).values_list("tool", flat=True))
        into = dict(BankTool.objects.filter(benchmark=self.benchmark).values_list("pk", "merged_into"))
        waiting = list(wanted)
        while waiting:
            target = into.get(waiting.pop())
            if target is not None and target not in wanted:
                wanted.add(target)
                waiting.append(target)
        return sorted(wanted)

    @cached_property
    def _images_then(self) -> dict[int, Image]:
        """The image at that time of each sample that got another one since."""
        later = ImageReplacement.objects.filter(sample__in=self._samples, replaced_at__gt=self.version.frozen_at)
        found: dict[int, Image] = {}
        for one in later.select_related("image").order_by("sample", "replaced_at", "pk"):
            found.setdefault(one.sample_id, one.image)
        return found

    def _sample_rows(self, table: Table, skip: int) -> Iterator[dict[str, Any]]:
        """The samples of the version: accepted, with their images of that time, without later plans."""
        for chunk in _chunks(super().values_with_key(table, skip=skip)):
            golds = dict(self._entries.filter(sample__in=[pk for pk, _ in chunk]).values_list("sample", "revision"))
            revisions = Revision.objects.with_content().in_bulk(golds.values())
            for pk, row in chunk:
                row |= {"state": SampleState.ACCEPTED.value, "disagreement": None, "extra_places": 0, "priority": 0}
                row |= {"changed_at": self.version.frozen_at}
                if (then := self._images_then.get(pk)) is not None:
                    row |= {"image": then.pk, "width": then.width, "height": then.height, "image_problem": ""}
                boxes = content_of(revisions[golds[pk]]).gold_boxes
                yield row | {"evidence_share": evidence_share(boxes, row["width"], row["height"])}

    def _facets(self) -> Iterator[dict[str, Any]]:
        """Facets as the version stored them. Of an earlier release: those of the gold as its author wrote them, with
        the values that the schema of the version listed."""
        meanings: Meanings = {(one.name, one.old): one.new for one in self._aliases}
        entries = self._entries.order_by("sample").values_list("sample", "facets", "revision__facets")
        for chunk in _chunks(entries.iterator(chunk_size=AT_ONCE)):
            imported = [sample for sample, then, facets in chunk if then is None and facets is None]
            kept: dict[int, list[FacetValue]] = {}
            rows = FacetValue.objects.filter(sample__in=imported).exclude(kind=FacetValue.Kind.BANK)
            for one in rows.order_by("sample", "name", "position"):
                kept.setdefault(one.sample_id, []).append(one)
            for sample, then, facets in chunk:
                if then is None and facets is not None:
                    then = renamed(facets, meanings)
                made = kept.get(sample, []) if then is None else facet_rows(Sample(pk=sample), then)
                for one in made:
                    given = {"name": one.name, "position": one.position, "value": one.value, "kind": str(one.kind)}
                    yield {"sample": sample, **given}

    def _golds(self) -> Iterator[dict[str, Any]]:
        for sample, revision in self._entries.order_by("sample").values_list("sample", "revision").iterator():
            yield {"sample": sample, "revision": revision, "accepted_at": self.version.frozen_at}

    def _chains(self) -> Iterator[dict[str, Any]]:
        """The further toolchains that the version stored, without the people, who can change later."""
        stored = self._entries.exclude(accepted_chains=None).order_by("sample")
        for sample, chains in stored.values_list("sample", "accepted_chains").iterator(chunk_size=AT_ONCE):
            for chain in chains or ():
                given = {name: chain[name] for name in ("calls", "digest", "note")}
                yield {"sample": sample, **given, "accepted_by": None, "created_at": self.version.frozen_at}

    def _annotation(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"state": State.ACCEPTED.value, "place": None, "held_until": None, "changed_at": self.version.frozen_at}

    def _schema_row(self, row: dict[str, Any]) -> dict[str, Any]:
        return {"state": BenchmarkSchema.State.ACTIVE.value, "changed_at": row["activated_at"]}


def version_numbered(benchmark: Benchmark, number: int) -> Version:
    """The frozen version with this number. Raises ``NotFound``."""
    found = benchmark.versions.filter(number=number).first()
    if found is None:
        raise NotFound(
            gettext("%(title)s has no version %(number)s. See the Versions page.")
            % {"title": benchmark.title, "number": number}
        )
    return found


def version_named(benchmark: Benchmark, number: str) -> Version | None:
    """The version that an address names, None for the working state. Raises ``NotFound``."""
    if not number:
        return None
    valid = number.isascii() and number.isdigit() and len(number) < LONGEST_NUMBER
    return version_numbered(benchmark, int(number) if valid else 0)


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while some := list(islice(rows, AT_ONCE)):
        yield some
