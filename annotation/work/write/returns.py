"""A lead returns submitted samples to their authors, with a reason, without reviewing each."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from annotation.common.access import require
from annotation.common.idempotency import answer_once
from annotation.common.reasons import or_other, require_reasons
from annotation.common.words import state_words
from annotation.models import Annotation, Benchmark, Lease, Receipt, Review, Revision
from annotation.models.querysets.samples import SampleQuerySet
from annotation.models.querysets.waiting import WAITING_STATES
from annotation.queue.batch import Batch, apply_transitions, load_batch, reasons_in_english, update_sample_states
from annotation.queue.leases import REVIEW
from annotation.workflow import Right, SampleState
from webapp.accounts.models import User
from webapp.common.bulk import as_json, insert_rows
from webapp.common.errors import InvalidInput

REFUSED = {
    SampleState.ACCEPTED: gettext_lazy("It is accepted. Reopen it instead."),
    SampleState.DISCARDED: gettext_lazy("It is discarded. Reopen it instead."),
    SampleState.DRAFT: gettext_lazy("It is a draft. Assign it to a person instead."),
}


def return_samples(
    *, actor: User, benchmark: Benchmark, samples: SampleQuerySet, reasons: Sequence[str], comment: str, key: str
) -> Receipt:
    """Return annotations in review to their authors, with a decision that gives the reason. Samples without such an
    annotation are rejected. Repeating the same ``key`` changes nothing.
    """
    require(actor, benchmark, Right.MANAGE)
    check_why(benchmark, reasons, comment, gettext("Choose a reason, or write a comment. The authors can read it."))

    def work() -> dict[str, object]:
        batch = load_batch(benchmark, samples)
        waiting: list[Annotation] = []
        for sample in batch.samples:
            found = [one for one in batch.annotations[sample.pk] if one.state in WAITING_STATES]
            if found:
                waiting += found
                batch.done.append(sample.key)
            else:
                refused = REFUSED.get(SampleState(sample.state))
                batch.refused[sample.key] = str(
                    refused or gettext("It is %(state)s.") % {"state": state_words(sample.state)}
                )
        _return(actor, batch, waiting, or_other(reasons), comment)
        return batch.answer()

    return answer_once(actor, key, f"return:{benchmark.pk}", work)


def check_why(benchmark: Benchmark, reasons: Sequence[str], comment: str, missing: str) -> None:
    """Raises ``InvalidInput`` for unknown reasons, and for none without a comment: ``missing``."""
    require_reasons(benchmark, reasons)
    if not reasons and not comment:
        raise InvalidInput(missing, field="reasons")


def _return(actor: User, batch: Batch, waiting: list[Annotation], reasons: list[str], comment: str) -> None:
    Lease.objects.filter(sample__in=[one.sample_id for one in waiting], seat=REVIEW).delete()
    newest: dict[int, tuple[int, int | None]] = {}
    revisions = Revision.objects.filter(annotation__in=waiting).order_by("annotation", "number")
    for number, annotation, author in revisions.values_list("pk", "annotation", "author"):
        newest[annotation] = number, author
    # People never decide on their own work: a lead's own work is returned without a decision.
    decided = {number: author for number, author in newest.values() if author != actor.pk}
    earlier = Review.objects.filter(revision__in=list(decided), reviewer=actor)
    already = set(earlier.values_list("revision", flat=True))
    earlier.update(decision=Review.Decision.RETURN, reasons=reasons, comment=comment)
    now = timezone.now()
    insert_rows(
        Review,
        ("revision", "revision_author", "reviewer", "decision", "reasons", "comment", "created_at"),
        [
            (number, author, actor.pk, Review.Decision.RETURN.value, as_json(reasons), comment, now)
            for number, author in decided.items()
            if number not in already
        ],
    )
    why = comment or reasons_in_english(reasons)
    apply_transitions(actor=actor, batch=batch, annotations=waiting, name="send_back", reason=why)
    update_sample_states({one.sample_id: one.sample for one in waiting}.values())
