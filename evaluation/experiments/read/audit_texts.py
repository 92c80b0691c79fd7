"""The texts of checks of which a batch has only the SHA-256: those of the prompts that a benchmark can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from annotation.board.read.audits import AuditTexts, texts_known_by
from annotation.models import Benchmark
from evaluation.experiments.read.prompts import PromptHistory, PromptVersion, prompts_of
from evaluation.runner.audits import AUDIT_STEPS, AUDIT_TOOLS, EARLIER, checks_digest
from evaluation.runner.templates import Role, load_prompt


@texts_known_by
def texts_of_prompts(benchmark: Benchmark) -> Iterator[AuditTexts]:
    """Each pair of a prompt about the tools and one about the steps. One query. The first texts had no prompts; they
    are version 1 of those of Sightline, with other signs around their fields."""
    first = [load_prompt(slug, "1") for slug in (AUDIT_TOOLS, AUDIT_STEPS)]
    yield AuditTexts(EARLIER, first[0].text, first[1].text, f"{AUDIT_TOOLS}@1, {AUDIT_STEPS}@1")
    known = prompts_of(benchmark)
    tools, steps = (_versions(known, role) for role in (Role.AUDIT_TOOLS, Role.AUDIT_STEPS))
    for one, other in product(tools, steps):
        texts = one.template.text, other.template.text
        yield AuditTexts(checks_digest(*texts), *texts, f"{one}, {other}")


def _versions(known: Sequence[PromptHistory], role: Role) -> list[PromptVersion]:
    return [version for history in known if history.role is role for version in history.versions]
