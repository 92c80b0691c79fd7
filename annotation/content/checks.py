"""The checks of a content that is to be, or has become, a revision of a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_noop

from annotation.chain_answers import answer_words, compare
from annotation.common.bank import bank_of
from annotation.common.chain_marks import verifies
from annotation.common.sentences import checks_json, translated
from annotation.common.task import current_facets
from annotation.content.chains.read import mark_of
from annotation.content.planted import unresolved_in
from annotation.content.revisions import content_of, facets_in
from annotation.marking import Sentence, any_of
from annotation.models import Revision, Sample
from annotation.schema import SampleContent
from annotation.task_schema import Forbidden, TaskSchema
from annotation.tool_bank import Bank
from annotation.validation import Check, Level, blocking, check, repeated_questions
from webapp.common.errors import ApplicationError

Facets = Mapping[str, Sequence[Any]]


def validate_content(
    sample: Sample, content: SampleContent, facets: Facets, beside: Mapping[str, str] | None = None
) -> list[Check]:
    """Return all findings on a submission, checked against the sample's image, the task of its benchmark and, if
    needed, the tool bank. ``beside``: other questions about the image that the annotator may know, by sample.
    """
    repeated = repeated_questions(content.question, beside or {})
    return [*_found(sample, content, facets, sample.benchmark.task, accepting=False), *repeated]


def validate_gold(sample: Sample, content: SampleContent, facets: Facets) -> list[Check]:
    """The same on what becomes gold, which may have to meet more: facets that reviewers give, a verified toolchain,
    no planted error of a draft."""
    task = sample.benchmark.task
    found = _found(sample, content, facets, task, accepting=True)
    return [*found, *unresolved_in(sample, content), *_unverified(sample, content, task)]


def _unverified(sample: Sample, content: SampleContent, task: TaskSchema) -> list[Check]:
    if not task.toolchain.end_verified or not content.reference_toolchain:
        return []
    mark = mark_of(sample, content)
    if mark is not None and verifies(mark, content):
        return []
    text = Sentence(
        gettext_noop("It is not verified that the toolchain ends at the answer. Run it and verify the end.")
    )
    found = compare(mark.measurements, content) if mark else None
    if found and found.agrees is False:
        text = Sentence(
            gettext_noop(
                "The end of the toolchain is not verified: its last step measures %(measured)s, but the answer is "
                "%(answer)s. Change the toolchain or the answer."
            ),
            measured=found.observed,
            answer=any_of([f"“{one}”" for one in answer_words(content)]),
        )
    return [Check("reference_toolchain", Level.ERROR, text)]


def obstacles_to_gold(revision: Revision) -> list[Check]:
    """Return the findings that keep a submitted revision from becoming gold, together with the others; while the
    benchmark has no schema of its own, only planted errors of drafts.
    """
    return obstacles_in(revision.annotation.sample, content_of(revision), facets_in(revision))


def obstacles_in(sample: Sample, content: SampleContent, facets: Facets) -> list[Check]:
    """The same of a content that is no revision yet."""
    if sample.benchmark.schema_number is None:
        return unresolved_in(sample, content)
    found = validate_gold(sample, content, facets)
    return found if blocking(found) else []


def _found(sample: Sample, content: SampleContent, facets: Facets, task: TaskSchema, *, accepting: bool) -> list[Check]:
    bank = bank_of(sample.benchmark) if content.plan or task.question.forbid is Forbidden.BANK_NAMES else None
    meant = current_facets(sample.benchmark, facets) if task.facets else facets
    return check(content, sample.width, sample.height, task=task, facets=meant, accepting=accepting, bank=bank)


def errors_under(
    task: TaskSchema, sample: Sample, content: SampleContent, facets: Facets, bank: Bank, *, accepting: bool
) -> list[Check]:
    """Return what would block a submission, or (``accepting``) acceptance, if this task were in force. ``facets``: with
    the values that their words mean; ``bank``: loaded once for many samples."""
    found = check(content, sample.width, sample.height, task=task, facets=facets, accepting=accepting, bank=bank)
    return blocking([*found, *(_unverified(sample, content, task) if accepting else ())])


class ChecksFailed(ApplicationError):
    """Errors of the checks block it; ``extra`` has all findings."""

    status = 422
    code = "checks"
    title = gettext_noop("Something is missing or incorrect")

    def __init__(self, checks: list[Check]) -> None:
        errors = blocking(checks)
        super().__init__(" ".join(translated(one.text) for one in errors[:3]), field=errors[0].field)
        self.extra = {"checks": checks_json(checks)}
