"""Two different toolchains that were both verified: one is the gold's, and the other is accepted in addition."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.agreement import answer_texts
from annotation.chain_answers import answer_digest
from annotation.common.chain_marks import is_shown, verifies
from annotation.consensus import steps
from annotation.content.chains.read import digest_of
from annotation.content.chains.write import add_chain
from annotation.content.revisions import content_of
from annotation.models import AcceptedChain, Revision, Sample, VerifiedChain
from annotation.schema import MOST_CHAINS, SampleContent
from webapp.accounts.models import User


def verified_toolchains(sample: Sample, contents: Sequence[SampleContent]) -> tuple[bool, ...]:
    """Whether a mark shows that the toolchain of each content gives the answer of that content, on the image that the
    sample has now. One query, and none unless two have a toolchain."""
    digests = [digest_of(one.reference_toolchain) if one.reference_toolchain else "" for one in contents]
    if sum(map(bool, digests)) < 2:
        return (False,) * len(contents)
    image = sample.image.sha256 if sample.image else ""
    enough = verifies if sample.benchmark.task.toolchain.end_verified else is_shown
    about: dict[tuple[str, str], list[VerifiedChain]] = {}
    for mark in VerifiedChain.objects.filter(sample=sample, image=image, digest__in=set(digests)):
        about.setdefault((mark.digest, mark.answer_digest), []).append(mark)
    return tuple(
        any(enough(mark, content) for mark in about.get((digest, answer_digest(content)), ()))
        for content, digest in zip(contents, digests, strict=True)
    )


def accept_others(
    actor: User | None,
    gold: Revision,
    revisions: Sequence[Revision],
    contents: Sequence[SampleContent],
    verified: Sequence[bool],
) -> None:
    """If the gold has a verified toolchain of these annotations, accept the other verified ones that give its answer,
    each once. An automatic consensus has no ``actor``: then the annotator is named. Call inside a transaction."""
    rows = [(revisions[at], contents[at]) for at, is_verified in enumerate(verified) if is_verified]
    if len(rows) < 2:
        return
    kept = content_of(gold)
    answer, own = answer_texts(kept), steps(kept)
    if not any(steps(content) == own for _, content in rows):
        return
    sample = gold.annotation.sample
    room = MOST_CHAINS - AcceptedChain.objects.filter(sample=sample).count()
    known = [own]
    for revision, content in rows:
        if steps(content) in known or not answer_texts(content) & answer or len(known) > room:
            continue
        known.append(steps(content))
        by = actor or revision.annotation.author
        add_chain(actor=actor, sample=sample, calls=content.reference_toolchain, note="", accepted_by=by)
