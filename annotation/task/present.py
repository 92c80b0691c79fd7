"""A schema as people meet it: the form it makes, and the words of reasons."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from annotation.task.forms import SHAPES
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


def _question(task: TaskSchema) -> list[str]:
    rules = [gettext("from an imported file")] if task.question.who is QuestionAuthor.IMPORT else []
    if most := task.question.most_words:
        rules.append(ngettext("at most %(count)s word", "at most %(count)s words", most) % {"count": most})
    if most := task.question.per_image:
        words = ngettext("at most %(count)s question per image", "at most %(count)s questions per image", most)
        rules.append(words % {"count": most})
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
