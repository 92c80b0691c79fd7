"""The checks of a content that is to be, or has become, a revision of a sample."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from annotation.common.bank import bank_of
from annotation.common.sentences import checks_json, translated
from annotation.models import Sample
from annotation.schema import SampleContent
from annotation.validation import Check, blocking, check
from webapp.common.errors import ApplicationError


def validate_content(sample: Sample, content: SampleContent) -> list[Check]:
    """All findings, held against the sample's image and, where tools are named, the benchmark's tool bank."""
    bank = bank_of(sample.benchmark) if content.plan else None
    return check(content, sample.width, sample.height, bank=bank)


class ChecksFailed(ApplicationError):
    """Errors of the checks block it; ``extra`` has all findings."""

    status = 422
    code = "checks"
    title = gettext_noop("Something is missing or incorrect")

    def __init__(self, checks: list[Check]) -> None:
        errors = blocking(checks)
        super().__init__(" ".join(translated(one.text) for one in errors[:3]), field=errors[0].field)
        self.extra = {"checks": checks_json(checks)}
