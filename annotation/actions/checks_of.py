"""The checks of a content that is to be, or has become, a revision of a sample."""

from __future__ import annotations

from annotation.actions.tool_bank import bank_of
from annotation.checks import Check, check
from annotation.models import Sample
from annotation.schema import SampleContent


def checks_of(sample: Sample, content: SampleContent) -> list[Check]:
    """All findings, held against the sample's picture and, where tools are named, the benchmark's tool bank."""
    bank = bank_of(sample.benchmark) if content.plan else None
    return check(content, sample.width, sample.height, bank=bank)
