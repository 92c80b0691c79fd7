"""Freezing a benchmark: a numbered version that says which revision was the gold of each sample."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_frozen
from annotation.content.chains.read import further_by_sample
from annotation.models import AcceptedChain, Benchmark, FacetValue, ImageReplacement, Sample, Version, VersionEntry
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.common.ordering import by_code_points


def gold_digest(benchmark: Benchmark) -> str:
    """One name for what all samples are scored against: the gold (content, size and cluster, and images that replaced
    others) and the further reference toolchains that were accepted, in their order. Equal digests mean equal scores.
    Two queries."""
    rows = Sample.objects.filter(benchmark=benchmark, gold__isnull=False).order_by(by_code_points("key"))
    replaced = Exists(ImageReplacement.objects.filter(sample=OuterRef("pk")))
    total = hashlib.sha256()
    fields = ("key", "gold__revision__digest", "width", "height", "image_group", "image__sha256", replaced)
    for *row, image, other in rows.values_list(*fields).iterator():
        # An image says nothing here until it is replaced: earlier versions did not name theirs.
        total.update(repr((*row, image) if other else tuple(row)).encode("utf-8", "surrogatepass"))
    chains = AcceptedChain.objects.filter(sample__benchmark=benchmark, sample__gold__isnull=False)
    for chain in chains.order_by(by_code_points("sample__key"), "pk").values_list("sample__key", "digest").iterator():
        total.update(repr(chain).encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def _facets(benchmark: Benchmark) -> dict[int, dict[str, list[Any]]]:
    """The facets of the samples with gold, without those from the tool bank. One query."""
    found: dict[int, dict[str, list[Any]]] = {}
    rows = FacetValue.objects.filter(sample__benchmark=benchmark, sample__gold__isnull=False)
    for row in rows.exclude(kind=FacetValue.Kind.BANK).order_by("sample", "name", "position").iterator():
        found.setdefault(row.sample_id, {}).setdefault(row.name, []).append(row.original())
    return found


def _has_other_facets(version: Version, facets: Mapping[int, Mapping[str, Any]]) -> bool:
    """Whether facets that a version stored have changed since."""
    stored = VersionEntry.objects.filter(version=version).exclude(facets=None).values_list("sample", "facets")
    return any(facets.get(sample, {}) != then for sample, then in stored.iterator())


def freeze_version(*, actor: User | None, benchmark: Benchmark, note: str = "") -> Version:
    """Freeze the current gold as the next version. Raises ``Conflict`` if nothing changed since the last one."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        # Samples that are deleted at the same time are in the version completely or not at all.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        checksum = gold_digest(benchmark)
        last = Version.objects.filter(benchmark=benchmark).order_by("-number").first()
        facets = _facets(benchmark)
        if last is not None and last.checksum == checksum and not _has_other_facets(last, facets):
            raise Conflict(
                gettext("Nothing has changed since version %(number)s. There is nothing to freeze.")
                % {"number": last.number}
            )
        number = last.number + 1 if last else 1
        version = Version.objects.create(
            benchmark=benchmark, number=number, note=note, checksum=checksum, frozen_at=timezone.now(), frozen_by=actor
        )
        golds = Sample.objects.filter(benchmark=benchmark, gold__isnull=False).values_list("pk", "gold__revision_id")
        further = further_by_sample(benchmark)
        VersionEntry.objects.bulk_create(
            [
                VersionEntry(
                    version=version,
                    sample_id=sample,
                    revision_id=revision,
                    accepted_chains=further.get(sample, []),
                    facets=facets.get(sample, {}),
                )
                for sample, revision in golds
            ],
            batch_size=1000,
        )
        audit.record(actor=actor, action="version.freeze", subject=version, benchmark=benchmark.slug, after=str(number))
        notify_frozen(actor, version)
    return version
