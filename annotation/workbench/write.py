"""Toolchains confirmed by people: alternatives to that of the gold, and the mark that one was verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.chain_answers import answer_digest, answer_words, compare, is_answer
from annotation.common.access import allowed, require
from annotation.common.chain_marks import is_shown
from annotation.content.benchmark_events import notify_changed
from annotation.content.chains.read import digest_of
from annotation.content.chains.write import add_chain
from annotation.content.drawn_on import require_shown
from annotation.content.transitions import lock_sample
from annotation.images.chain_runs import run_whole
from annotation.models import AcceptedChain, Sample, VerifiedChain
from annotation.schema import LONGEST_NOTE, SampleContent, ToolCall
from annotation.toolbox.cache import picture_key
from annotation.toolbox.runner import StepResult
from annotation.workbench.read import end_to_answer
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.translation import any_of


def verify_chain(
    *, actor: User, sample: Sample, content: SampleContent, reason: str = "", image: str = ""
) -> VerifiedChain:
    """Run the toolchain of the content and compare the measurements of its last step with the answer.

    If they match, its end is verified. If nothing can be compared, the mark says that this person saw it; a schema that
    requires verified ends then asks another person (``answer_end``). Repeating it changes nothing. Each person has
    their own mark: a mark of another person would show that the sample was worked on before. ``image``: the SHA-256 of
    the image on the page, "" if unknown.

    Raises ``NotAllowed`` for people who neither annotate nor review, ``InvalidInput`` for a toolchain that does not run
    to its end, is empty, or measures another answer without a ``reason``, ``Conflict`` (``image_replaced``), also with
    the code ``answered`` for a person whose answer from the last image did not verify it.
    """
    if not (allowed(actor, sample.benchmark, Right.ANNOTATE) or allowed(actor, sample.benchmark, Right.REVIEW)):
        raise NotAllowed(
            gettext("Only annotators and reviewers of %(title)s can verify toolchains. Ask its lead.")
            % {"title": sample.benchmark.title}
        )
    require_shown(sample, image)
    last = _last_step(sample, content)
    found = compare(last.measurements, content)
    if found.agrees is False and not reason:
        raise InvalidInput(
            gettext(
                "The last step measures %(measured)s, but the answer is %(answer)s. Change the toolchain, or "
                "enter why the last step still shows the answer."
            )
            % {"measured": found.observed, "answer": any_of([f"“{one}”" for one in answer_words(content)])},
            field="reason",
            code="measured_otherwise",
        )
    how = VerifiedChain.How.MEASURED if found.agrees else VerifiedChain.How.SEEN
    said = {
        "result": _shown(last), "measurements": dict(last.measurements), "how": how, "observed": found.observed,
        "reason": reason if found.agrees is False else "", "matches": True,
    }  # fmt: skip
    with transaction.atomic():
        _require_same_image(sample, image)
        mark, new = _mark(actor, sample, content, said)
        if not is_shown(mark, content) and how != VerifiedChain.How.MEASURED:
            words = gettext("You answered from the last image of %(key)s, so another person must verify this end.")
            raise Conflict(words % {"key": sample.key}, code="answered")
        better = how == VerifiedChain.How.MEASURED and mark.how != how
        if not new and (better or (mark.how == how and mark.reason != said["reason"])):
            VerifiedChain.objects.filter(pk=mark.pk).update(**said, created_at=timezone.now())
            mark.refresh_from_db()
            new = True
        if new:
            _record(actor, mark, "chain.verify")
    return mark


def answer_end(*, actor: User, sample: Sample, answer: str, image: str = "") -> VerifiedChain:
    """Save the answer that a person gives from the last image of the sample's toolchain alone. An accepted answer
    verifies the end, unless the last step measures another answer (``chain_marks.verifies``). Once only, so that people
    can't try one answer after the other. ``image``: as of ``verify_chain``.

    Raises ``NotAllowed`` for people who wrote the toolchain, and ``Conflict`` if there is nothing to answer, or it was
    already answered, or the image was replaced.
    """
    require_shown(sample, image)
    content = end_to_answer(actor, sample)
    if not answer.strip():
        raise InvalidInput(gettext("Answer the question first."), field="answer")
    last = _last_step(sample, content)
    matches = is_answer(answer, content)
    said = {
        "result": _shown(last), "measurements": dict(last.measurements), "how": VerifiedChain.How.BLIND,
        "observed": answer.strip(), "reason": "", "matches": matches,
    }  # fmt: skip
    with transaction.atomic():
        _require_same_image(sample, image)
        mark, new = _mark(actor, sample, content, said)
        if not new:
            message = gettext("You have answered for %(key)s, or seen its answer. Another person must answer.")
            raise Conflict(message % {"key": sample.key}, code="answered")
        _record(actor, mark, "chain.answer_end")
    return mark


def _last_step(sample: Sample, content: SampleContent) -> StepResult:
    """Return the last step of the toolchain, run on the full image. Raises ``InvalidInput``."""
    calls = content.reference_toolchain
    if not calls:
        raise InvalidInput(gettext("The toolchain has no steps. Add the first one."), field="calls")
    result = run_whole(sample, calls)
    if result.error is not None:
        raise InvalidInput(
            gettext("The toolchain stops with an error. %(message)s") % {"message": result.error.message}, field="calls"
        )
    return result.steps[-1]


def _require_same_image(sample: Sample, image: str) -> None:
    """Lock the sample, and raise ``Conflict`` if its image is not the one that a toolchain was shown and run on. Call
    inside a transaction.
    """
    lock_sample(sample)
    require_shown(sample, image or (sample.image.sha256 if sample.image else ""))


def _shown(last: StepResult) -> str:
    return picture_key(last.image) if last.image is not None else ""


def _mark(actor: User, sample: Sample, content: SampleContent, said: Mapping[str, Any]) -> tuple[VerifiedChain, bool]:
    """Return the person's mark of this toolchain on this image for this answer, and whether it is new. A mark for
    another answer is replaced. Call inside a transaction.
    """
    which = {
        "sample": sample, "digest": digest_of(content.reference_toolchain), "person": actor,
        "image": sample.image.sha256 if sample.image else "",
    }  # fmt: skip
    about = {"answer_digest": answer_digest(content), "answer": "\n".join(answer_words(content))}
    mark, new = VerifiedChain.objects.select_for_update(no_key=True).get_or_create(**which, defaults={**about, **said})
    if not new and mark.answer_digest != about["answer_digest"]:
        VerifiedChain.objects.filter(pk=mark.pk).update(**about, **said, created_at=timezone.now())
        mark.refresh_from_db()
        new = True
    return mark, new


def _record(actor: User, mark: VerifiedChain, action: str) -> None:
    sample = mark.sample
    audit.record(
        actor, action, mark, sample.benchmark.slug, after=mark.how, reason=mark.reason,
        data={"sample": sample.key, "chain": mark.digest, "result": mark.result, "matches": mark.matches},
    )  # fmt: skip


def accept_chain(
    *, actor: User, sample: Sample, calls: Sequence[ToolCall], note: str = "", image: str = ""
) -> AcceptedChain:
    """Accept another reference toolchain of the sample, in addition to that of the gold. A repeated one is stored once.
    ``image``: the SHA-256 of the image that it was drawn on, "" if unknown.

    Raises ``NotAllowed`` for people who do not review, ``InvalidInput`` for a toolchain that does not run, is empty, or
    exceeds the limit of twenty, ``Conflict`` with the code ``image_replaced``.
    """
    require(actor, sample.benchmark, Right.REVIEW)
    require(actor, sample.benchmark, Right.SEE_GOLD)
    if not calls or len(note) > LONGEST_NOTE:
        raise InvalidInput(
            gettext("A toolchain needs at least one step. Its note can have at most %(limit)s characters.")
            % {"limit": LONGEST_NOTE}
        )
    require_shown(sample, image)
    result = run_whole(sample, calls)
    if result.error is not None:
        raise InvalidInput(
            gettext("Only a toolchain that runs can be accepted. %(message)s") % {"message": result.error.message},
            field="calls",
        )
    with transaction.atomic():
        _require_same_image(sample, image)
        return add_chain(actor=actor, sample=sample, calls=calls, note=note, accepted_by=actor)


def remove_chain(*, actor: User, chain: AcceptedChain) -> None:
    """Remove an accepted toolchain."""
    sample = chain.sample
    require(actor, sample.benchmark, Right.REVIEW)
    require(actor, sample.benchmark, Right.SEE_GOLD)
    with transaction.atomic():
        audit.record(
            actor, "chain.remove", chain, sample.benchmark.slug, before="accepted", after="removed",
            data={"sample": sample.key, "chain": chain.digest, "calls": chain.calls},
        )  # fmt: skip
        chain.delete()
        notify_changed(sample.benchmark)
