"""Toolchains that people vouch for: alternatives to that of the gold, and the mark that one was verified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.chain_answers import compare
from annotation.common.access import allowed, require
from annotation.content.benchmark_events import notify_changed
from annotation.content.chains.read import digest_of
from annotation.content.chains.write import add_chain
from annotation.images.chain_runs import run_whole
from annotation.models import AcceptedChain, Sample, VerifiedChain
from annotation.schema import LONGEST_NOTE, ToolCall
from annotation.toolbox.cache import picture_key
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.common.translation import any_of


def verify_chain(
    *, actor: User, sample: Sample, calls: Sequence[ToolCall], answers: Sequence[str] = (), reason: str = ""
) -> VerifiedChain:
    """Run the chain, and keep that this person saw its end give the answer, ``answers`` in words: compared where the
    last step measured it, else confirmed. The same twice changes nothing; another answer or reason replaces
    the first. Each person has a mark of their own: a mark of another person would tell that the sample was worked on
    before.

    Raises ``NotAllowed`` for who neither annotates nor reviews, ``InvalidInput`` for a chain that does not run to its
    end, is empty, or measures another number without a ``reason``.
    """
    if not (allowed(actor, sample.benchmark, Right.ANNOTATE) or allowed(actor, sample.benchmark, Right.REVIEW)):
        raise NotAllowed(
            gettext("Only annotators and reviewers of %(title)s can verify toolchains. Ask its lead.")
            % {"title": sample.benchmark.title}
        )
    if not calls:
        raise InvalidInput(gettext("The toolchain has no steps. Add the first one."), field="calls")
    result = run_whole(sample, calls)
    if result.error is not None:
        raise InvalidInput(
            gettext("The toolchain stops with an error. %(message)s") % {"message": result.error.message}, field="calls"
        )
    last = result.steps[-1]
    shown = picture_key(last.image) if last.image is not None else ""
    agrees = _agrees(last.measurements, answers, reason)
    said = {
        "result": shown, "measurements": dict(last.measurements), "answer": "\n".join(answers),
        "kind": VerifiedChain.Kind.COMPARED if agrees else VerifiedChain.Kind.CONFIRMED,
        "reason": reason if agrees is False else "",
    }  # fmt: skip
    with transaction.atomic():
        image = sample.image.sha256 if sample.image else ""
        which = {"sample": sample, "digest": digest_of(calls), "image": image, "person": actor}
        found, new = VerifiedChain.objects.select_for_update().get_or_create(**which, defaults=said)
        if not new and (found.answer, found.reason) != (said["answer"], said["reason"]):
            VerifiedChain.objects.filter(pk=found.pk).update(**said, created_at=timezone.now())
            found.refresh_from_db()
            new = True
        if new:
            audit.record(
                actor, "chain.verify", found, sample.benchmark.slug, after=found.kind, reason=found.reason,
                data={"sample": sample.key, "chain": found.digest, "result": shown},
            )  # fmt: skip
    return found


def _agrees(measurements: Mapping[str, Any], answers: Sequence[str], reason: str) -> bool | None:
    """Whether the last step measured the answer; None where that cannot be said. Raises ``InvalidInput``."""
    found = compare(measurements, answers)
    if found.agrees is False and not reason:
        measured = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in found.measured)
        answer = any_of([f"“{one}”" for one in answers])
        raise InvalidInput(
            gettext(
                "The last step measures %(measured)s, but the answer is %(answer)s. Change the toolchain, or "
                "enter why the last step still shows the answer."
            )
            % {"measured": measured, "answer": answer},
            field="reason",
            code="measured_otherwise",
        )
    return found.agrees


def accept_chain(*, actor: User, sample: Sample, calls: Sequence[ToolCall], note: str = "") -> AcceptedChain:
    """A further reference chain of the sample, beside the gold's; the same one twice is kept once.

    Raises ``NotAllowed`` for who does not review, ``InvalidInput`` for a chain that does not run, is empty, or is the
    twenty-first.
    """
    require(actor, sample.benchmark, Right.REVIEW)
    require(actor, sample.benchmark, Right.SEE_GOLD)
    if not calls or len(note) > LONGEST_NOTE:
        raise InvalidInput(
            gettext("A toolchain needs at least one step. Its note can have at most %(limit)s characters.")
            % {"limit": LONGEST_NOTE}
        )
    result = run_whole(sample, calls)
    if result.error is not None:
        raise InvalidInput(
            gettext("Only a toolchain that runs can be accepted. %(message)s") % {"message": result.error.message},
            field="calls",
        )
    with transaction.atomic():
        return add_chain(actor=actor, sample=sample, calls=calls, note=note, accepted_by=actor)


def remove_chain(*, actor: User, chain: AcceptedChain) -> None:
    """Take a further chain away again."""
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
