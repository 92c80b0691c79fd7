"""Adjudication: combining several annotations of a sample into one gold. People never adjudicate samples they
annotated. Source: docs/adjudication.md#decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext

from annotation.common.idempotency import run_idempotent
from annotation.common.reasons import or_other, require_reasons
from annotation.content.changes import content_changed
from annotation.content.checks import ChecksFailed, obstacles_to_gold, validate_gold
from annotation.content.drawn_on import Shown, require_shown, shown_json
from annotation.content.json import content_from_json, content_to_json
from annotation.content.questions import add_question, first_of, next_key
from annotation.content.revisions import add_revision, make_gold
from annotation.content.samples import content_digest
from annotation.content.tools import lock_bank, lock_bank_for
from annotation.content.transitions import apply_transition
from annotation.models import Adjudication, Annotation, Benchmark, Gold, Review, Revision, Sample
from annotation.queue.leases import REVIEW, release
from annotation.queue.rounds import Submissions, add_adjudicated, current_round, end_round, several_submitted
from annotation.review.read import letters_of
from annotation.review.write.decisions import next_after_decision, start_review
from annotation.validation import blocking
from annotation.workflow import State
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

KINDS = ("accept", "return", "discard", "keep")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision of an adjudicator.

    ``kind`` "accept": ``content`` becomes gold. "return": the annotations named in ``comments`` (letter -> comment) are
    returned to their authors. "discard": all annotations are discarded. "keep": the annotation ``letters[0]`` becomes
    gold, and each of the other letters becomes the gold of a new sample with the same image. Returning and discarding
    need ``reasons`` or a comment.
    """

    kind: str
    content: Mapping[str, Any] | None = None
    letters: Sequence[str] = ()
    comments: Mapping[str, str] = field(default_factory=dict)
    reasons: Sequence[str] = ()


def adjudicate(
    *, actor: User, sample: Sample, verdict: Verdict, key: str = "", go_on: bool = True, image: str = ""
) -> Sample | None:
    """Decide on all annotations of the sample that wait; then, to ``go_on``, take the next sample to review (None: all
    done).

    ``image``: the SHA-256 of the image on the page, "" if unknown. All change in one transaction, each by a conditional
    UPDATE. Raises ``Conflict`` when the annotations or the image changed, or another reviewer has the sample,
    ``ChecksFailed`` for a content that does not pass, ``InvalidInput`` for a verdict without what it needs, and
    ``NotAllowed`` for an annotator of the sample.
    """
    _check(sample.benchmark, verdict)

    def work() -> None:
        if verdict.kind == "keep":
            # One at a time, so that no two choose the same ID.
            lock_bank(sample.benchmark)
        lock_bank_for(sample.benchmark, verdict.content)
        start_review(actor, sample)
        require_shown(sample, image)
        require_several(sample)
        found, submissions = current_round(sample)
        for revision in submissions.revisions:
            revision.annotation.sample = sample
            revision.annotation.state = State.IN_REVIEW.value
        named = dict(zip(letters_of(sample, submissions), submissions.revisions, strict=True))
        DECIDE[verdict.kind](actor, found, submissions, named, verdict)
        release(actor, sample.pk, REVIEW)

    def then() -> Sample | None:
        return next_after_decision(actor, sample.benchmark) if go_on else None

    return run_idempotent(actor, key, f"adjudicate:{sample.pk}", work, then)


def require_several(sample: Sample) -> None:
    """Raises ``Conflict`` unless several annotations of the sample wait for a decision."""
    if not several_submitted(sample):
        raise Conflict(
            gettext("%(key)s has a single annotation now. Review it: reload the page.") % {"key": sample.key},
            code="wrong_state",
        )


def _check(benchmark: Benchmark, verdict: Verdict) -> None:
    if verdict.kind not in KINDS:
        raise InvalidInput(
            gettext("A decision must be one of %(decisions)s.") % {"decisions": ", ".join(KINDS)}, field="decision"
        )
    require_reasons(benchmark, verdict.reasons)
    if (verdict.content is not None) != (verdict.kind == "accept"):
        raise InvalidInput(gettext("Accepting needs the content. Other decisions don't take it."), field="content")
    if verdict.kind == "return" and not verdict.comments:
        raise InvalidInput(gettext("Choose at least one annotation to return."), field="comments")
    words = any(text.strip() for text in verdict.comments.values())
    if verdict.kind in ("return", "discard") and not (verdict.reasons or words):
        raise InvalidInput(gettext("Choose a reason, or write a comment."), field="reasons")
    if verdict.kind == "keep" and len(set(verdict.letters)) < 2:
        raise InvalidInput(gettext("Choose at least two annotations to keep."), field="letters")


Named = Mapping[str, Revision]


def _accept(actor: User, found: Adjudication, submissions: Submissions, named: Named, verdict: Verdict) -> None:
    """Accept a content. If it equals one annotation, that revision becomes gold; any other becomes a separate
    annotation, with the source of each of its fields.
    """
    sample = found.sample
    parsed, names, facets = content_from_json(verdict.content, sample.width, sample.height)
    parsed = replace(parsed, unanswerable=None)
    checks = validate_gold(sample, parsed, facets)
    if blocking(checks):
        raise ChecksFailed(checks)
    digest, whole = content_digest(parsed), {name: list(values) for name, values in facets.items()}
    same = [
        revision
        for revision, shown, given in zip(submissions.revisions, submissions.shown, submissions.facets, strict=True)
        if not shown.moved
        and revision.digest == digest
        and {name: list(values) for name, values in given.items()} == whole
    ]
    if same:
        _accept_one(actor, found, submissions, same[0])
        return
    data = content_to_json(parsed, names, facets)
    result = add_adjudicated(actor, sample, data, submissions.provenance(parsed, facets))
    _supersede(actor, submissions, but=None)
    end_round(found, Adjudication.Decision.MIX, actor, result, submissions)


def _accept_one(actor: User, found: Adjudication, submissions: Submissions, revision: Revision) -> None:
    _accept_revision(actor, revision)
    _supersede(actor, submissions, but=revision)
    end_round(found, Adjudication.Decision.ONE, actor, revision, submissions)


def _accept_revision(actor: User, revision: Revision) -> None:
    if checks := obstacles_to_gold(revision):
        raise ChecksFailed(checks)
    _review(actor, revision, Review.Decision.ACCEPT)
    data = {"revision": revision.number}
    apply_transition(actor=actor, annotation=revision.annotation, name="accept", data=data)
    make_gold(revision)


def _supersede(actor: User, submissions: Submissions, but: Revision | None) -> None:
    for revision in submissions.revisions:
        if (
            but is None or revision.annotation_id != but.annotation_id
        ) and revision.annotation.state == State.IN_REVIEW:
            apply_transition(actor=actor, annotation=revision.annotation, name="supersede")


def _return(actor: User, found: Adjudication, submissions: Submissions, named: Named, verdict: Verdict) -> None:
    _known(verdict.comments, named)
    reasons = or_other(verdict.reasons)
    end_round(found, Adjudication.Decision.RETURN, actor, None, submissions)
    for letter, revision in named.items():
        if letter in verdict.comments:
            words = verdict.comments[letter].strip()
            _review(actor, revision, Review.Decision.RETURN, reasons, words)
            apply_transition(actor=actor, annotation=revision.annotation, name="return", reason=words)
        else:
            apply_transition(actor=actor, annotation=revision.annotation, name="stop_review")


def _discard(actor: User, found: Adjudication, submissions: Submissions, named: Named, verdict: Verdict) -> None:
    words = " ".join(text.strip() for text in verdict.comments.values() if text.strip())
    end_round(found, Adjudication.Decision.DISCARD, actor, None, submissions)
    for revision in submissions.revisions:
        _review(actor, revision, Review.Decision.DISCARD, list(verdict.reasons), words)
        apply_transition(actor=actor, annotation=revision.annotation, name="discard", reason=words)
    Gold.objects.filter(sample=found.sample).delete()
    content_changed(found.sample.benchmark.pk, found.sample.pk)


def _keep(actor: User, found: Adjudication, submissions: Submissions, named: Named, verdict: Verdict) -> None:
    """Keep one annotation, move the other chosen ones to separate samples, and supersede the rest."""
    _known(verdict.letters, named)
    first, *others = dict.fromkeys(verdict.letters)
    for letter in (first, *others):
        _require_evidence(letter, _shown_of(submissions, named[letter]))
    for letter in others:
        revision = _on_image(submissions, named[letter])
        made = _new_sample(actor, found.sample)
        place = None if revision.annotation.place is None else 0
        Annotation.objects.filter(pk=revision.annotation.pk).update(sample=made, place=place)
        revision.annotation.sample = made
        _accept_revision(actor, revision)
        revision.annotation.state = State.ACCEPTED.value
    _accept_one(actor, found, submissions, _on_image(submissions, named[first]))


def _shown_of(submissions: Submissions, revision: Revision) -> Shown:
    return submissions.shown[submissions.revisions.index(revision)]


def _require_evidence(letter: str, shown: Shown) -> None:
    """Raises ``Conflict`` for evidence that belongs to an image of another shape."""
    if shown.lost:
        raise Conflict(
            gettext("The evidence of annotation %(letter)s was drawn on an image of another shape. Return it.")
            % {"letter": letter}
        )


def _on_image(submissions: Submissions, revision: Revision) -> Revision:
    """The revision, or a new one of its author in pixels of the image that replaced the one it was drawn on."""
    shown = _shown_of(submissions, revision)
    if not shown.moved:
        return revision
    return add_revision(actor=revision.author, annotation=revision.annotation, content=shown_json(revision, shown))


def _new_sample(actor: User, sample: Sample) -> Sample:
    """A sample with the same image, under the next free id."""
    first = first_of(sample)
    made = add_question(first, next_key(first), source=sample.source)
    audit.record(
        actor=actor, action="sample.split", subject=made, benchmark=sample.benchmark.slug, data={"from": sample.key}
    )
    return made


def _review(
    actor: User, revision: Revision, decision: Review.Decision, reasons: Sequence[str] = (), comment: str = ""
) -> None:
    Review.objects.create(
        revision=revision, revision_author=revision.author, reviewer=actor, decision=decision, reasons=list(reasons),
        comment=comment,
    )  # fmt: skip


def _known(letters: Sequence[str] | Mapping[str, str], named: Named) -> None:
    unknown = [letter for letter in letters if letter not in named]
    if unknown:
        raise InvalidInput(
            gettext("There is no annotation %(letter)s. The annotations are %(listed)s.")
            % {"letter": unknown[0][:10], "listed": ", ".join(sorted(named))},
            field="letters",
        )


DECIDE = {"accept": _accept, "return": _return, "discard": _discard, "keep": _keep}
