"""Reference chains that people stand for: further ones beside the gold's, and the mark that one was verified."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.actions.access import allowed, known_to, require
from annotation.actions.chain_runs import run_whole
from annotation.actions.content_json import calls_to_json, kept_calls
from annotation.actions.when_changed import facts_changed
from annotation.chain_answers import compare
from annotation.models import AcceptedChain, Sample, VerifiedChain
from annotation.schema import LONGEST_NOTE, MOST_CHAINS, FurtherChain, ToolCall
from annotation.toolbox.cache import picture_key
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput, NotAllowed


@dataclass(frozen=True, slots=True)
class KnownChain:
    """An accepted chain as a page lists it; ``number`` is its row's, None for the gold's own."""

    number: int | None
    calls: tuple[ToolCall, ...]
    note: str
    by: str
    verified: VerifiedChain | None


def digest_of(calls: Sequence[ToolCall]) -> str:
    """The name of a chain by what its calls say."""
    said = json.dumps(calls_to_json(calls), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()


def verify_chain(
    *, actor: User, sample: Sample, calls: Sequence[ToolCall], answers: Sequence[str] = (), reason: str = ""
) -> VerifiedChain:
    """Run the chain, and keep that this person saw its end give the answer, ``answers`` in words: compared where the
    last step measured it, else confirmed. The same twice changes nothing; another answer or reason takes the place of
    the first. Each person has a mark of their own: a mark of another person would tell that the sample was worked on
    before.

    Raises ``NotAllowed`` for who neither annotates nor reviews, ``InvalidInput`` for a chain that does not run to its
    end, is empty, or measures another number without a ``reason``.
    """
    if not (allowed(actor, sample.benchmark, Right.ANNOTATE) or allowed(actor, sample.benchmark, Right.REVIEW)):
        raise NotAllowed(
            f"Only annotators and reviewers of {sample.benchmark.title} can verify toolchains. Ask its lead."
        )
    if not calls:
        raise InvalidInput("The toolchain has no steps. Add the first one.", field="calls")
    result = run_whole(sample, calls)
    if result.error is not None:
        raise InvalidInput(f"The toolchain stops with an error. {result.error.message}", field="calls")
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
                actor=actor, action="chain.verify", subject=found, benchmark=sample.benchmark.slug,
                after=found.kind, reason=found.reason,
                data={"sample": sample.key, "chain": found.digest, "result": shown},
            )  # fmt: skip
    return found


def _agrees(measurements: Mapping[str, Any], answers: Sequence[str], reason: str) -> bool | None:
    """Whether the last step measured the answer; None where that cannot be said. Raises ``InvalidInput``."""
    found = compare(measurements, answers)
    if found.agrees is False and not reason:
        measured = ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in found.measured)
        answer = " or ".join(f"“{one}”" for one in answers)
        raise InvalidInput(
            f"The last step measures {measured}, but the answer is {answer}. Change the toolchain, or enter why "
            "the last step still shows the answer.",
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
        raise InvalidInput(f"A toolchain needs at least one step. Its note can have at most {LONGEST_NOTE} characters.")
    result = run_whole(sample, calls)
    if result.error is not None:
        raise InvalidInput(f"Only a toolchain that runs can be accepted. {result.error.message}", field="calls")
    with transaction.atomic():
        if AcceptedChain.objects.filter(sample=sample).count() >= MOST_CHAINS:
            raise InvalidInput(f"{sample.key} already has {MOST_CHAINS} accepted toolchains. Remove one first.")
        found, new = AcceptedChain.objects.get_or_create(
            sample=sample, digest=digest_of(calls),
            defaults={"calls": calls_to_json(calls), "note": note, "accepted_by": actor},
        )  # fmt: skip
        if new:
            audit.record(
                actor=actor, action="chain.accept", subject=found, benchmark=sample.benchmark.slug,
                after="accepted", reason=note, data={"sample": sample.key, "chain": found.digest},
            )  # fmt: skip
            facts_changed(sample.benchmark)
    return found


def remove_chain(*, actor: User, chain: AcceptedChain) -> None:
    """Take a further chain away again."""
    sample = chain.sample
    require(actor, sample.benchmark, Right.REVIEW)
    require(actor, sample.benchmark, Right.SEE_GOLD)
    with transaction.atomic():
        audit.record(
            actor=actor, action="chain.remove", subject=chain, benchmark=sample.benchmark.slug,
            before="accepted", after="removed",
            data={"sample": sample.key, "chain": chain.digest, "calls": chain.calls},
        )  # fmt: skip
        chain.delete()
        facts_changed(sample.benchmark)


def mark_of(sample: Sample, calls: Sequence[ToolCall], viewer: Any = None) -> VerifiedChain | None:
    """Who was first to verify exactly these calls on the sample's picture. A ``viewer`` who is handed gold checks sees
    only their own mark."""
    image = sample.image.sha256 if sample.image else ""
    marks = VerifiedChain.objects.filter(sample=sample, image=image, digest=digest_of(calls)).select_related("person")
    if viewer is not None and known_to(viewer, sample.benchmark).handed_checks:
        marks = marks.filter(person=viewer)
    return marks.first()


def known_chains(sample: Sample, gold: Sequence[ToolCall]) -> list[KnownChain]:
    """The gold's chain first, where there is one, then the further ones, each with its mark. Two queries."""
    image = sample.image.sha256 if sample.image else ""
    marks = VerifiedChain.objects.filter(sample=sample, image=image).select_related("person")
    verified = {mark.digest: mark for mark in marks.order_by("-pk")}
    found = [KnownChain(None, tuple(gold), "", "", verified.get(digest_of(gold)))] if gold else []
    for row in _further(sample):
        calls = kept_calls(row.calls)
        found.append(KnownChain(row.pk, calls, row.note, _by(row), verified.get(row.digest)))
    return found


def further_chains(sample: Sample) -> list[KnownChain]:
    """The further ones alone, in the order in which scores count them, without marks. One query."""
    return [KnownChain(row.pk, kept_calls(row.calls), row.note, _by(row), None) for row in _further(sample)]


def chain_of(calls: Iterable[Mapping[str, Any]], note: str) -> FurtherChain:
    """A stored chain as a record."""
    return FurtherChain(kept_calls(calls), note)


def _by(row: AcceptedChain) -> str:
    return str(row.accepted_by) if row.accepted_by else "import"


def _further(sample: Sample) -> QuerySet[AcceptedChain]:
    return AcceptedChain.objects.filter(sample=sample).select_related("accepted_by").order_by("pk")
