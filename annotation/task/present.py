"""A schema as people meet it: the form that it makes, and the samples that would break its rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from annotation.common.sentences import translated
from annotation.models import Benchmark
from annotation.task.forms import SHAPES
from annotation.task.read import Broken
from annotation.task_schema import AnswerKind, QuestionAuthor, Range, TaskSchema, Use


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the annotator's form. ``rules``: what it takes, a sentence each."""

    title: str
    help: str
    rules: tuple[str, ...]


def blocks_of(task: TaskSchema) -> list[Block]:
    """The parts of the annotator's form in their order, without those that the task does not use."""
    blocks = [
        Block(gettext("Question"), task.help.get("question", ""), tuple(_question(task))),
        Block(gettext("Answer"), task.help.get("answer", ""), tuple(_answer(task))),
        Block(gettext("Evidence"), task.help.get("evidence", ""), tuple(_evidence(task))),
    ]
    if task.toolchain.use is not Use.OFF:
        steps = (_use(task.toolchain.use), _span(gettext("steps"), task.toolchain.steps))
        blocks.append(Block(gettext("Reference toolchain"), task.help.get("toolchain", ""), steps))
    if task.plan.use is not Use.OFF:
        rules = (
            _use(task.plan.use),
            _span(gettext("targets"), task.plan.targets),
            _span(gettext("distractors"), task.plan.distractors),
        )
        blocks.append(Block(gettext("Tool plan"), task.help.get("plan", ""), rules))
    if AnswerKind.NONE in task.answer.types:
        blocks = [block for block in blocks if block.title != gettext("Answer")]
    return blocks


LISTED = 200
"""Samples of one list: their ids are in its address."""


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A rule, as the message of one sample, with the samples that would break it: how many are accepted and in work,
    and the number and the address of each list of them."""

    text: str
    accepted_n: int
    accepted: list[tuple[int, str]]
    working_n: int
    working: list[tuple[int, str]]


def broken_rows(benchmark: Benchmark, found: Iterable[Broken]) -> list[BrokenRow]:
    return [
        BrokenRow(
            translated(one.text), one.accepted_n, _lists(benchmark, one.accepted), one.working_n,
            _lists(benchmark, one.working),
        )
        for one in found
    ]  # fmt: skip


def _lists(benchmark: Benchmark, keys: Sequence[str]) -> list[tuple[int, str]]:
    address = reverse("annotation:work-samples", args=[benchmark.slug])
    parts = [keys[start : start + LISTED] for start in range(0, len(keys), LISTED)]
    return [(len(part), f"{address}?{urlencode([('id', key) for key in part])}") for part in parts]


def _question(task: TaskSchema) -> list[str]:
    rules = [gettext("from an imported file")] if task.question.who is QuestionAuthor.IMPORT else []
    if most := task.question.most_words:
        rules.append(ngettext("at most %(count)s word", "at most %(count)s words", most) % {"count": most})
    if most := task.question.per_image:
        message = ngettext("at most %(count)s question per image", "at most %(count)s questions per image", most)
        rules.append(message % {"count": most})
    return rules


def _answer(task: TaskSchema) -> list[str]:
    kinds = {AnswerKind.MULTIPLE_CHOICE: gettext("multiple choice"), AnswerKind.OPEN: gettext("open-ended")}
    rules = [words for kind, words in kinds.items() if kind in task.answer.types]
    if AnswerKind.MULTIPLE_CHOICE in task.answer.types:
        rules.append(_span(gettext("options"), task.answer.options))
    return rules


def _evidence(task: TaskSchema) -> list[str]:
    shares = [gettext("warning above %(share)s%% of the image") % {"share": f"{100 * task.evidence.warn_share:g}"}]
    if task.evidence.refuse_share is not None:
        share = f"{100 * task.evidence.refuse_share:g}"
        shares.append(gettext("refused above %(share)s%% of the image") % {"share": share})
    shapes = ", ".join(str(words) for shape, words in SHAPES.items() if shape in task.evidence.shapes)
    return [_span(shapes, task.evidence.count), *shares]


def _use(use: Use) -> str:
    return gettext("required") if use is Use.REQUIRED else gettext("optional")


def _span(what: str, span: Range) -> str:
    return gettext("%(what)s: %(least)s to %(most)s") % {"what": what, "least": span.least, "most": span.most}
