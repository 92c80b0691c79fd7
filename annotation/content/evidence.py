"""Answers to the question of a revision under conditions: their storage, and the mismatches that a reviewer sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from annotation.content.proposals import begin_control_share, withheld_from
from annotation.evidence import Condition, Purpose
from annotation.models import Annotation, Benchmark, EvidenceTest, Image, Revision, Sample
from webapp.accounts.models import User


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A model's answer that differs from that of the annotator. ``answer``: the text of an option behind its letter."""

    model: str
    condition: str
    answer: str


def keep_answer(
    revision: int, condition: Condition, purpose: Purpose, *, answer: str, right: bool | None,
    person: User | None = None, model: str = "", digest: str = "",
) -> None:  # fmt: skip
    """Keep an answer; the newest of an answerer counts, with the time of their first one on the image that the sample
    has. The first flag of a benchmark begins its control share, so that no flag is shown in it. Call inside a
    transaction."""
    if purpose is Purpose.CHECK and right is False:
        benchmark = Benchmark.objects.filter(samples__annotations__revisions=revision).first()
        if benchmark is not None:
            begin_control_share(benchmark)
    said = {"answer": answer, "right": right, "digest": digest}
    key: dict[str, Any] = {"revision_id": revision, "condition": condition.value, "purpose": purpose.value}
    kept, is_new = EvidenceTest.objects.update_or_create(**key, person=person, model=model, defaults=said)
    same = EvidenceTest.objects.filter(pk=kept.pk)
    if not is_new and not same.on_present_image().exists():
        same.update(created_at=timezone.now())


def mismatches_for(user: User, sample: Sample, revisions: Sequence[Revision]) -> dict[int, list[Mismatch]]:
    """The flags of these revisions of a sample, by revision, for the person who decides; none in their control arm. At
    most two queries. A reviewer sees them only after the blind answer."""
    options: dict[int, Mapping[str, str]] = {one.pk: one.options or {} for one in revisions}
    flags: dict[int, list[Mismatch]] = {}
    for one in EvidenceTest.objects.mismatches().on_present_image().filter(revision__in=options):
        said = _with_text(one.answer, options[one.revision_id])
        flags.setdefault(one.revision_id, []).append(Mismatch(one.model, one.condition, said))
    return {} if flags and withheld_from(user, sample.benchmark, [sample.pk]) else flags


def _with_text(answer: str, options: Mapping[str, str]) -> str:
    return f"{answer}. {options[answer]}" if answer in options else answer


def to_check(benchmark: Benchmark) -> Any:
    """The submitted revisions that wait for a review and have an image and an answer: the newest of each annotation."""
    newest = Revision.objects.filter(annotation=OuterRef("pk"), submitted_at__isnull=False).order_by("-number")
    waiting = Annotation.objects.filter(sample__benchmark=benchmark).to_review().order_by()
    numbers = waiting.annotate(newest=Subquery(newest.values("pk")[:1])).values("newest")
    return with_answer(Revision.objects.filter(pk__in=numbers))


def waiting_samples(benchmark: Benchmark) -> Any:
    """The samples whose annotations wait for a decision: their flags are closed to people who may still review them."""
    return Annotation.objects.filter(sample__benchmark=benchmark).to_review().order_by().values("sample")


def on_gold(benchmark: Benchmark) -> Any:
    """The gold of samples with an image and an answer."""
    return with_answer(Revision.objects.filter(gold_of__sample__benchmark=benchmark))


def with_answer(revisions: Any) -> Any:
    ready = revisions.filter(annotation__sample__image__state=Image.State.READY, unanswerable=None)
    return ready.exclude(answers=[]).order_by("annotation__sample__key", "pk")
