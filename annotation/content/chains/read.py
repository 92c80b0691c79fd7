"""Toolchains of a sample: the reference, accepted alternatives, and the people who verified them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet

from annotation.chain_answers import answer_digest
from annotation.common.access import known_to
from annotation.common.chain_marks import best_mark
from annotation.content.json import calls_to_json, kept_calls
from annotation.models import AcceptedChain, Benchmark, Sample, VerifiedChain
from annotation.schema import FurtherChain, SampleContent, ToolCall


@dataclass(frozen=True, slots=True)
class KnownChain:
    """An accepted toolchain as a page lists it; ``number`` is the id of its row, None for the gold's own."""

    number: int | None
    calls: tuple[ToolCall, ...]
    note: str
    by: str
    mark: VerifiedChain | None = None


def digest_of(calls: Sequence[ToolCall]) -> str:
    """The digest of a toolchain, from the content of its calls."""
    said = json.dumps(
        calls_to_json(replace(call, source="") for call in calls),
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hashlib.sha256(said.encode()).hexdigest()


def mark_of(sample: Sample, content: SampleContent, viewer: Any = None) -> VerifiedChain | None:
    """Return the mark that shows most about the end of the content's toolchain, for its answer, on the sample's image;
    None without a mark. A ``viewer`` who gets gold checks sees only their own mark.
    """
    image = sample.image.sha256 if sample.image else ""
    marks = VerifiedChain.objects.filter(
        sample=sample, image=image, digest=digest_of(content.reference_toolchain), answer_digest=answer_digest(content)
    ).select_related("person")
    if viewer is not None and known_to(viewer, sample.benchmark).handed_checks:
        marks = marks.filter(person=viewer)
    return best_mark(marks, content)


def known_chains(sample: Sample, content: SampleContent) -> list[KnownChain]:
    """Return the toolchain of the gold content first, if there is one, then the accepted ones, each with its mark for
    the answer of the content. Two queries.
    """
    image, gold = sample.image.sha256 if sample.image else "", content.reference_toolchain
    marks = VerifiedChain.objects.filter(sample=sample, image=image, answer_digest=answer_digest(content))
    about: dict[str, list[VerifiedChain]] = {}
    for mark in marks.select_related("person"):
        about.setdefault(mark.digest, []).append(mark)

    def known(number: int | None, calls: tuple[ToolCall, ...], digest: str, note: str, by: str) -> KnownChain:
        return KnownChain(number, calls, note, by, best_mark(about.get(digest, ()), content))

    found = [known(None, tuple(gold), digest_of(gold), "", "")] if gold else []
    rows = _further(sample)
    return found + [known(row.pk, kept_calls(row.calls), row.digest, row.note, _by(row)) for row in rows]


def further_chains(sample: Sample) -> list[KnownChain]:
    """The further ones alone, in the order in which scores count them, without marks. One query."""
    return [KnownChain(row.pk, kept_calls(row.calls), row.note, _by(row)) for row in _further(sample)]


def further_by_sample(benchmark: Benchmark) -> dict[int, list[dict[str, Any]]]:
    """The accepted toolchains of each sample that has any, in their order, as a version stores them. One query."""
    found: dict[int, list[dict[str, Any]]] = {}
    rows = AcceptedChain.objects.filter(sample__benchmark=benchmark).order_by("sample_id", "pk")
    for sample, digest, calls, note in rows.values_list("sample_id", "digest", "calls", "note").iterator():
        found.setdefault(sample, []).append({"digest": digest, "calls": calls, "note": note})
    return found


def chain_of(calls: Iterable[Mapping[str, Any]], note: str) -> FurtherChain:
    """A stored toolchain as a record."""
    return FurtherChain(kept_calls(calls), note)


def _by(row: AcceptedChain) -> str:
    return str(row.accepted_by) if row.accepted_by else "import"


def _further(sample: Sample) -> QuerySet[AcceptedChain]:
    return AcceptedChain.objects.filter(sample=sample).select_related("accepted_by").order_by("pk")
