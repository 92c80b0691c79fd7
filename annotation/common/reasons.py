"""The reasons that reviewers choose from: those of the benchmark's task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext

from annotation.models import Benchmark
from annotation.task_schema import NO_SCHEMA, OTHER, About, ReasonFor, TaskSchema
from webapp.common.errors import InvalidInput

USUAL = {reason.code: reason.label for reason in NO_SCHEMA.reasons}
"""Labels that are translated as long as a lead keeps them."""


def offered_reasons(benchmark: Benchmark, *, toolchain: bool, tool_plan: bool) -> list[str]:
    """The codes that a reviewer of a sample is offered, in their order. ``toolchain``, ``tool_plan``: the sample has
    one, which a reason may be about."""
    absent = {about for about, there in ((About.TOOLCHAIN, toolchain), (About.PLAN, tool_plan)) if not there}
    return [one.code for one in benchmark.task.reasons if not one.retired and one.about not in absent]


def require_reasons(benchmark: Benchmark, reasons: Iterable[str], decision: ReasonFor | None = None) -> None:
    """Raises ``InvalidInput`` for a reason that the task does not offer, for this decision or for any."""
    offered = {one.code: one for one in benchmark.task.reasons if not one.retired}
    for code in reasons:
        if code not in offered:
            raise InvalidInput(
                gettext("Unknown reason %(unknown)s. Known: %(listed)s.")
                % {"unknown": code, "listed": ", ".join(offered)},
                field="reasons",
            )
        if decision is not None and decision not in offered[code].decisions:
            raise InvalidInput(
                gettext("“%(reason)s” is no reason for this decision. Choose another.")
                % {"reason": reason_words(benchmark.task, code)},
                field="reasons",
            )


def reason_label(task: TaskSchema, code: str) -> str:
    """``wrong_answer`` as "incorrect answer", as the lead wrote it or in English; the code itself if the task does not
    have it."""
    return next((one.label for one in task.reasons if one.code == code), USUAL.get(code, code))


def reason_words(task: TaskSchema, code: str) -> str:
    """The same in the language of the page, as far as the lead kept the usual words."""
    label = reason_label(task, code)
    return gettext(label) if USUAL.get(code) == label else label


def usual_label(code: str, words: str) -> str:
    """The label to store for words that a lead sees or writes: the usual words of a code are stored untranslated."""
    usual = USUAL.get(code)
    return usual if usual is not None and words == gettext(usual) else words


def or_other(reasons: Sequence[str]) -> list[str]:
    """The reasons of a decision, which always has one."""
    return list(reasons) or [OTHER]
