"""A lead replaces the image of a sample: boxes stay, are scaled, or the sample goes back to its annotator."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.benchmark_events import notify_changed
from annotation.content.chains.read import digest_of
from annotation.content.changes import content_changed
from annotation.content.json import BoxName, calls_to_json, content_to_json, kept_calls
from annotation.content.rescaling import Fit, Size, fit_of, rescaled, rescaled_calls
from annotation.content.revisions import add_revision, content_of, facets_as_gold, make_gold
from annotation.models import (
    AcceptedChain,
    Annotation,
    Benchmark,
    Gold,
    GoldCheck,
    Image,
    ImageReplacement,
    ImageVariant,
    Lease,
    Sample,
)
from annotation.models.querysets.waiting import WAITING_STATES
from annotation.queue.batch import SETTLED
from annotation.queue.leases import AUDIT, REVIEW
from annotation.queue.qualification import replace_items
from annotation.queue.reopen import reopen_samples
from annotation.work.write.drafts_on_image import draft_on_new_image
from annotation.work.write.returns import return_samples
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

LONGEST = 2000


@dataclass(frozen=True)
class Replaced:
    """What became of the boxes (a value of ``ImageReplacement.Boxes``), and the samples that show the new image."""

    boxes: str
    keys: list[str]


def replace_image(
    *, actor: User, sample: Sample, image: Image, scale: bool, comment: str, key: str, to: User | None = None
) -> Replaced:
    """Show another stored image in all samples of the benchmark that show the image of this one.

    Boxes stay if the size is equal. If only the shape is, and with ``scale``, boxes and toolchains of accepted samples
    are scaled. Otherwise samples return to their annotators, or to ``to``, with the comment, and lose their gold: also
    submissions of samples that others still annotate. Drafts are in pixels of the new image, or without evidence if
    its shape differs. The old image stays for frozen versions. Scores become stale. ``key``: of the request, which does
    not happen twice.
    """
    benchmark = sample.benchmark
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        rows = Sample.objects.select_for_update(no_key=True).filter(benchmark=benchmark, image=sample.image_id)
        samples = list(rows.order_by("pk"))
        old = sample.image
        if old is None or sample.pk not in {one.pk for one in samples}:
            raise Conflict(gettext("The image of %(key)s has changed. Reload the page.") % {"key": sample.key})
        _require_replaceable(samples, old, image)
        sizes = (old.width, old.height), (image.width, image.height)
        boxes = _decided(fit_of(*sizes), scale, samples)
        if boxes == ImageReplacement.Boxes.RETURNED and not comment.strip():
            raise InvalidInput(gettext("Enter a comment. The annotators read it."), field="comment")
        now = timezone.now()
        for one in samples:
            one.benchmark = benchmark
            ImageReplacement.objects.create(
                sample=one, image=old, boxes=boxes, replaced_at=now, replaced_by=actor, comment=comment.strip()
            )
            changed = {"image": image, "width": image.width, "height": image.height, "image_problem": image.problem}
            Sample.objects.filter(pk=one.pk).update(**changed, changed_at=now)
            one.image, one.width, one.height = image, image.width, image.height
            if boxes != ImageReplacement.Boxes.KEPT:
                draft_on_new_image(one, *sizes, now)
                Lease.objects.filter(sample=one, seat__in=(REVIEW, AUDIT)).delete()
            if boxes == ImageReplacement.Boxes.SCALED:
                _scale(actor, one, *sizes)
            elif boxes == ImageReplacement.Boxes.RETURNED:
                _give_back(actor, one, f"{_size_words(*sizes)} {comment.strip()}", f"{key} {one.pk}"[:80], to)
            audit.record(
                actor, "sample.replace_image", one, benchmark.slug, reason=comment.strip(),
                data={"sample": one.key, "from": old.sha256, "to": image.sha256, "boxes": boxes},
            )  # fmt: skip
        if boxes == ImageReplacement.Boxes.RETURNED:
            replace_items(actor, benchmark, [one.pk for one in samples])
        content_changed(benchmark.pk)
        notify_changed(benchmark)
    return Replaced(boxes, sorted(one.key for one in samples))


def _require_replaceable(samples: list[Sample], old: Image, new: Image) -> None:
    if old == new:
        raise InvalidInput(gettext("This is the image that the sample has."), field="file")
    if made := ImageVariant.objects.filter(sample__in=samples).select_related("sample").first():
        raise Conflict(
            gettext("The image of %(key)s is made from the image of %(source)s. Make the variant again instead.")
            % {"key": made.sample.key, "source": made.source_key}
        )
    if made_of := Sample.objects.filter(variant_of__in=samples).select_related("variant_of").first():
        raise Conflict(
            gettext(
                "%(key)s is a variant of %(source)s and shows the old image. Delete the variants, replace the image, "
                "and make them again."
            )
            % {"key": made_of.key, "source": made_of.variant_of.key}
        )
    if check := GoldCheck.objects.filter(sample__in=samples, active=True).select_related("sample").first():
        raise Conflict(
            gettext("%(key)s is a gold check. Retire it, then replace the image.") % {"key": check.sample.key}
        )


def _decided(fit: Fit, scale: bool, samples: list[Sample]) -> ImageReplacement.Boxes:
    if fit is Fit.SIZE:
        return ImageReplacement.Boxes.KEPT
    settled = all(one.state in (*SETTLED, SampleState.TO_DO) for one in samples)
    # Boxes in drafts and open submissions are in the hands of other people.
    return ImageReplacement.Boxes.SCALED if fit is Fit.SHAPE and scale and settled else ImageReplacement.Boxes.RETURNED


def _size_words(old: Size, new: Size) -> str:
    return gettext("The image was replaced (%(old)s → %(new)s pixels). Check all boxes.") % {
        "old": f"{old[0]} × {old[1]}", "new": f"{new[0]} × {new[1]}",
    }  # fmt: skip


def _scale(actor: User, sample: Sample, old: Size, new: Size) -> None:
    """Gold and accepted toolchains in pixels of the new image; the gold becomes a new revision."""
    gold = Gold.objects.filter(sample=sample).select_related("revision__annotation").first()
    if gold is not None:
        revision, annotation = gold.revision, gold.revision.annotation
        annotation.sample = revision.annotation.sample = sample
        names = [BoxName(box.label, box.source) for box in revision.evidence]
        content = content_to_json(rescaled(content_of(revision), old, new), names, facets_as_gold(sample))
        make_gold(add_revision(actor=actor, annotation=annotation, content=content))
    for chain in AcceptedChain.objects.filter(sample=sample):
        calls = rescaled_calls(kept_calls(chain.calls), old, new)
        AcceptedChain.objects.filter(pk=chain.pk).update(calls=calls_to_json(calls), digest=digest_of(calls))


def _give_back(actor: User, sample: Sample, reason: str, key: str, to: User | None) -> None:
    """Return accepted and submitted work to its authors. Gold of another image is no gold, nor are its toolchains."""
    found = Sample.objects.filter(pk=sample.pk)
    if sample.state in SETTLED:
        receipt = reopen_samples(actor=actor, benchmark=sample.benchmark, samples=found, reason=reason, key=key, to=to)
        if refused := dict(receipt.answer["refused"]):
            raise Conflict(f"{sample.key}: {refused[sample.key]}")
    # Also of a sample that was accepted before its last annotator submitted.
    if Annotation.objects.filter(sample=sample, state__in=WAITING_STATES).exists():
        once = f"return {key}"[:80]
        return_samples(
            actor=actor, benchmark=sample.benchmark, samples=found, reasons=[], comment=reason, key=once
        )  # fmt: skip
    Gold.objects.filter(sample=sample).delete()
    AcceptedChain.objects.filter(sample=sample).delete()
    found.update(evidence_share=None, disagreement=None)
