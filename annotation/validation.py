"""Finds errors, warnings and hints in an annotation, each with the field it concerns. Pure.

Errors block submission; warnings and hints do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from itertools import combinations

from annotation.imaging.evidence import evidence_share
from annotation.marking import Sentence, gettext_noop
from annotation.regions import crosses_itself, has_outlines, have_common_area, is_point
from annotation.schema import (
    ORIGINAL,
    AnswerType,
    Box,
    Outline,
    OutlineKind,
    SampleContent,
    ToolCall,
    ToolPlan,
    said,
)
from annotation.task_schema import (
    NO_SCHEMA,
    AnswerKind,
    Evidence,
    Facet,
    FacetAuthor,
    Forbidden,
    Kind,
    QuestionAuthor,
    Range,
    Required,
    Shape,
    TaskSchema,
    Use,
)
from annotation.tool_bank import Bank, KnownTool, ToolState, key_of
from annotation.toolbox.names import UnknownToolError, resolve
from annotation.toolbox.results import ToolError
from annotation.toolbox.signature import checked_arguments, snake_case
from annotation.toolbox.table import TOOLS, ToolSpec


class Level(StrEnum):
    """The severity of a finding: an error blocks submission, a warning asks, a hint informs."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. ``field`` is the path in the content JSON: "question", "options.B", "gold_boxes[0]"."""

    field: str
    level: Level
    text: str


WORD = re.compile(r"\w+")
REPEATED = 0.8
"""From this word overlap on, two questions about one image are nearly the same."""
OPTIONS = re.compile(r"(^|;)\s*\*.*;|;\s*\*")
"""Matches options typed in a row: ``red; *green; blue``."""


NO_QUESTION = gettext_noop("No imported file has a question for this sample. Report a problem, or skip the sample.")
UNLISTED = gettext_noop("%(name)s: “%(value)s” is not one of its values. Choose another.")


@dataclass(frozen=True, slots=True)
class ModelView:
    """``side``: the longer side in pixels of the image at the input size of a model. Evidence with at least
    ``readable_side`` pixels per side at this size needs no zoom.
    """

    side: int = 1024
    readable_side: float = 28


def check(
    content: SampleContent,
    width: int | None,
    height: int | None,
    *,
    task: TaskSchema = NO_SCHEMA,
    facets: Mapping[str, Iterable[object]] | None = None,
    accepting: bool = False,
    bank: Bank | None = None,
    view: ModelView = ModelView(),
) -> list[Check]:
    """Return all findings, in the order of the form. ``width`` × ``height``: the image in pixels; ``bank``: the
    benchmark's tools; ``facets``: values by name. None = unknown; checks that need it are skipped. ``accepting``: also
    check what the task requires of gold only. Never raises for any content.
    """
    if content.unanswerable is not None:
        return [*_question(content, task, None), *_unanswerable(content.unanswerable)]
    return [
        *_question(content, task, bank),
        *_answering(content, task),
        *_boxes(content, width, height, task.evidence),
        *_evidence(content, width, height, task.evidence, view),
        *_toolchain(content.reference_toolchain),
        *_steps_of_task(content, task),
        *_plan(content),
        *_plan_of_task(content.plan, task),
        *(_banked(content.plan, bank) if bank is not None else ()),
        *(_facets(facets, task.facets, accepting) if facets is not None else ()),
    ]


def blocking(checks: list[Check]) -> list[Check]:
    """Return the checks that prevent submitting."""
    return [one for one in checks if one.level is Level.ERROR]


def _error(field: str, text: str) -> Check:
    return Check(field, Level.ERROR, text)


def _question(content: SampleContent, task: TaskSchema, bank: Bank | None) -> Iterator[Check]:
    if not content.question.strip():
        imported = task.question.who is QuestionAuthor.IMPORT
        yield _error("question", Sentence(NO_QUESTION if imported else gettext_noop("Enter the question.")))
    words, most = len(content.question.split()), task.question.most_words
    if most is not None and words > most:
        text = Sentence(gettext_noop("The question has %(count)s words (limit: %(most)s)."), count=words, most=most)
        yield _error("question", text)
    if bank is not None and task.question.forbid is Forbidden.BANK_NAMES:
        words_of_tool = gettext_noop("The question names the tool %(name)s. Describe the task without it.")
        for name in bank.named_in(content.question):
            yield _error("question", Sentence(words_of_tool, name=name))


def token_overlap(one: str, other: str) -> float:
    """Return the share of common words of two questions, from 0 to 1: 2 · shared / (words of one + words of the other).

    Words are the maximal runs of letters, digits and underscores after Unicode normalization (NFKC) and case folding,
    so case, punctuation and order do not matter. A word that occurs n times in one and m times in the other is shared
    min(n, m) times. 0 if either has no word. "What color is the left cup?" and "What color is the right cup?" share 5
    of 6 words: 0.83.
    """
    first, second = _words(one), _words(other)
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if first and second else 0.0


def _words(text: str) -> Counter[str]:
    return Counter(WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def repeated_questions(question: str, others: Mapping[str, str]) -> list[Check]:
    """Return a warning for each other question about the image (sample -> question) with nearly the same words: an
    overlap of at least ``REPEATED``.
    """
    text = gettext_noop("Nearly the same question as %(key)s, which has the same image. Ask for something else.")
    return [
        Check("question", Level.WARNING, Sentence(text, key=key))
        for key, other in others.items()
        if token_overlap(question, other) >= REPEATED
    ]


def _unanswerable(reason: str) -> Iterator[Check]:
    if not reason.strip():
        yield _error("unanswerable", Sentence(gettext_noop("Enter why the question can't be answered.")))


def _answering(content: SampleContent, task: TaskSchema) -> Iterator[Check]:
    """Check answers. Samples that only have a tool plan need none."""
    if AnswerKind.NONE in task.answer.types:
        return
    if content.answer_type.value not in task.answer.types:
        text = (
            gettext_noop("This benchmark has open-ended questions only. Switch to Open-ended.")
            if content.answer_type is AnswerType.MULTIPLE_CHOICE
            else gettext_noop("This benchmark has multiple-choice questions only. Switch to Multiple choice.")
        )
        yield _error("answer_type", Sentence(text))
    yield from _options(content, task.answer.options)
    yield from _answer(content)


def _options(content: SampleContent, allowed: Range) -> Iterator[Check]:
    if content.answer_type is not AnswerType.MULTIPLE_CHOICE:
        return
    if len(content.options) < allowed.least:
        text = gettext_noop("Multiple choice needs at least %(least)s options, not %(count)s. Add options.")
        yield _error("options", Sentence(text, least=allowed.least, count=len(content.options)))
    if len(content.options) > allowed.most:
        text = gettext_noop("There are %(count)s options (limit: %(most)s). Remove some.")
        yield _error("options", Sentence(text, count=len(content.options), most=allowed.most))
    first: dict[str, str] = {}
    for letter, text in content.options.items():
        words = said(text)
        if not words:
            yield _error(
                f"options.{letter}",
                Sentence(gettext_noop("Option %(letter)s is empty. Enter a text or remove the option."), letter=letter),
            )
        elif words in first:
            yield _error(
                f"options.{letter}",
                Sentence(
                    gettext_noop("Options %(first)s and %(letter)s are the same. Change one."),
                    first=first[words],
                    letter=letter,
                ),
            )
        first.setdefault(words, letter)


def _answer(content: SampleContent) -> Iterator[Check]:
    given = [answer for answer in content.answers if answer.strip()]
    chosen = content.answer_type is AnswerType.MULTIPLE_CHOICE
    if not given:
        if chosen or not content.plan:
            yield _error(
                "answer",
                Sentence(gettext_noop("The answer is missing. Choose an option."))
                if chosen
                else Sentence(gettext_noop("The answer is missing. Enter it.")),
            )
    elif chosen:
        if len(given) > 1:
            yield _error(
                "answer",
                Sentence(
                    gettext_noop("Multiple choice has one answer, not %(count)s. Keep the correct one."),
                    count=len(given),
                ),
            )
        for answer in given:
            if answer not in content.options:
                yield _error(
                    "answer",
                    Sentence(gettext_noop("“%(answer)s” is not one of the options. Choose an option."), answer=answer),
                )
    elif len({said(answer) for answer in given}) < len(given):
        yield Check("answer", Level.WARNING, Sentence(gettext_noop("Two accepted answers are the same. Remove one.")))
    elif any(OPTIONS.search(answer) for answer in given):
        yield Check(
            "answer",
            Level.WARNING,
            Sentence(gettext_noop("This looks like a list of options. Switch to Multiple choice.")),
        )


def _boxes(content: SampleContent, width: int | None, height: int | None, limits: Evidence) -> Iterator[Check]:
    yield from _number_of_boxes(len(content.gold_boxes), limits.count, bool(content.plan))
    for index, box in enumerate(content.gold_boxes):
        field = f"gold_boxes[{index}]"
        yield from _allowed(box, index, limits)
        if isinstance(box, Outline):
            yield from _outline(box, index, width, height, limits)
            continue
        if width and height and box.clipped(width, height) != box:
            yield _error(
                field,
                Sentence(
                    gettext_noop("Box %(number)s extends beyond the image (%(width)s × %(height)s). Move it inside."),
                    number=index + 1,
                    width=width,
                    height=height,
                ),
            )
        if min(box.width, box.height) < limits.smallest_side:
            size = f"{box.width:g} × {box.height:g}"
            yield _error(
                field,
                Sentence(
                    gettext_noop("Box %(number)s is %(size)s px. Each side needs at least %(least)s px."),
                    number=index + 1,
                    size=size,
                    least=f"{limits.smallest_side:g}",
                ),
            )
    for (i, first), (j, second) in combinations(enumerate(content.gold_boxes), 2):
        if first == second:
            yield _error(
                f"gold_boxes[{j}]",
                Sentence(
                    gettext_noop("Boxes %(first)s and %(second)s are identical. Delete one."), first=i + 1, second=j + 1
                ),
            )
        elif _overlap(first, second):
            if has_outlines((first, second)):
                words = gettext_noop("Shapes %(first)s and %(second)s overlap. Draw one around both, or two apart.")
                yield Check(f"gold_boxes[{j}]", Level.WARNING, Sentence(words, first=i + 1, second=j + 1))
                continue
            text = Sentence(
                gettext_noop(
                    "Boxes %(first)s and %(second)s overlap. Draw one box around both, or two separate boxes."
                ),
                first=i + 1,
                second=j + 1,
            )
            yield Check(f"gold_boxes[{j}]", Level.WARNING, text)


SHAPES = {
    Shape.BOX: gettext_noop("%(number)s is a box, which this benchmark does not allow as evidence. Delete it."),
    Shape.POLYGON: gettext_noop("%(number)s is a polygon, which this benchmark does not allow as evidence. Delete it."),
    Shape.POINT: gettext_noop("%(number)s is a point, which this benchmark does not allow as evidence. Delete it."),
}


def _allowed(box: Box, index: int, limits: Evidence) -> Iterator[Check]:
    shape = Shape(box.kind.value) if isinstance(box, Outline) else Shape.BOX
    if shape not in limits.shapes:
        yield _error(f"gold_boxes[{index}]", Sentence(SHAPES[shape], number=f"G{index + 1}"))


def _outline(outline: Outline, index: int, width: int | None, height: int | None, limits: Evidence) -> Iterator[Check]:
    """Check a polygon or a point. A point has no size."""
    field, number = f"gold_boxes[{index}]", f"G{index + 1}"
    if width and height and not outline.is_inside(width, height):
        beyond = gettext_noop("Shape %(number)s extends beyond the image (%(width)s × %(height)s). Move it inside.")
        yield _error(field, Sentence(beyond, number=number, width=width, height=height))
    if outline.kind is OutlineKind.POINT:
        return
    if crosses_itself(outline):
        crossing = gettext_noop("The sides of polygon %(number)s cross or touch each other. Move its corners apart.")
        yield _error(field, Sentence(crossing, number=number))
    if min(outline.width, outline.height) < limits.smallest_side:
        small = gettext_noop("Polygon %(number)s is %(size)s px. It needs at least %(least)s px in both directions.")
        size = f"{outline.width:g} × {outline.height:g}"
        yield _error(field, Sentence(small, number=number, size=size, least=f"{limits.smallest_side:g}"))


def _number_of_boxes(count: int, allowed: Range, planned: bool) -> Iterator[Check]:
    """Check the number of boxes. A sample with a tool plan needs no evidence."""
    if not count and allowed.least and not planned:
        none = gettext_noop("No evidence box. Draw the smallest region needed to answer.")
        yield _error("gold_boxes", Sentence(none))
    elif count and count < allowed.least:
        text = gettext_noop("There are %(count)s evidence boxes; this benchmark needs at least %(least)s.")
        yield _error("gold_boxes", Sentence(text, count=count, least=allowed.least))
    elif count > allowed.most:
        text = gettext_noop("There are %(count)s evidence boxes (limit: %(most)s). Remove some.")
        yield _error("gold_boxes", Sentence(text, count=count, most=allowed.most))


def _percent(share: float) -> str:
    """Return two significant digits, as the studio shows the share next to the boxes: 0.0625 is 6.3."""
    value = Decimal(100 * share)
    return f"{value.quantize(Decimal(1).scaleb(value.adjusted() - 1), ROUND_HALF_UP).normalize():f}"


def _evidence(
    content: SampleContent, width: int | None, height: int | None, limits: Evidence, view: ModelView
) -> Iterator[Check]:
    share = evidence_share(content.gold_boxes, width, height)
    if share is None or not width or not height:
        return
    if limits.refuse_share is not None and share > limits.refuse_share:
        text = Sentence(
            gettext_noop("The evidence covers %(percent)s%% of the image (limit: %(limit)s%%). Draw smaller boxes."),
            percent=_percent(share),
            limit=f"{100 * limits.refuse_share:g}",
        )
        yield _error("gold_boxes", text)
    elif share > limits.warn_share:
        text = Sentence(
            gettext_noop("The evidence covers %(percent)s%% of the image (limit: %(limit)s%%). Is all of it needed?"),
            percent=_percent(share),
            limit=f"{100 * limits.warn_share:g}",
        )
        yield Check("gold_boxes", Level.WARNING, text)
    scale = min(view.side / max(width, height), 1.0)
    for index, box in enumerate(content.gold_boxes):
        if is_point(box):
            continue
        seen = (box.width * scale, box.height * scale)
        if min(seen) >= view.readable_side:
            text = Sentence(
                gettext_noop(
                    "Box %(number)s is %(width)s × %(height)s px at model size %(side)s. A model may read it "
                    "without zooming."
                ),
                number=index + 1,
                width=f"{seen[0]:.0f}",
                height=f"{seen[1]:.0f}",
                side=view.side,
            )
            yield Check(f"gold_boxes[{index}]", Level.HINT, text)


def _toolchain(calls: tuple[ToolCall, ...]) -> Iterator[Check]:
    """Check names, arguments and images of each call with the rules of the runner."""
    known = {ORIGINAL}
    for number, call in enumerate(calls, start=1):
        field = f"reference_toolchain[{number - 1}]"
        try:
            spec = TOOLS[resolve(call.tool)]
        except UnknownToolError as error:
            yield _error(
                f"{field}.tool", Sentence(gettext_noop("Step %(number)s: %(error)s"), number=number, error=str(error))
            )
            known.add(call.image_out or f"step_{number}")
            continue
        yield from _call(spec, call, number, field, known)
        known.add(call.image_out or f"step_{number}")


def _steps_of_task(content: SampleContent, task: TaskSchema) -> Iterator[Check]:
    count, allowed = len(content.reference_toolchain), task.toolchain.steps
    if task.toolchain.use is Use.OFF or (task.toolchain.use is Use.OPTIONAL and not count):
        return
    if not count:
        yield _error("reference_toolchain", Sentence(gettext_noop("The reference toolchain is missing. Build it.")))
    elif not allowed.least <= count <= allowed.most:
        text = gettext_noop("The reference toolchain has %(count)s steps; this benchmark takes %(least)s to %(most)s.")
        yield _error("reference_toolchain", Sentence(text, count=count, least=allowed.least, most=allowed.most))


def _call(spec: ToolSpec, call: ToolCall, number: int, field: str, known: set[str]) -> Iterator[Check]:
    ids = [call.image_in] if isinstance(call.image_in, str) else list(call.image_in or ["latest"])
    given = dict(call.arguments)
    for name in spec.pictures[len(ids) :]:
        key = next((key for key in given if snake_case(key) in (name, f"{name}_path")), None)
        ids += [str(given.pop(key))] if key is not None else []
    for one in ids:
        if call.image_in and one not in known:
            yield _error(
                f"{field}.image_in",
                Sentence(
                    gettext_noop("Step %(number)s: no earlier step creates the image %(image)s."),
                    number=number,
                    image=one,
                ),
            )
    if len(ids) != len(spec.pictures):
        wanted = " and ".join(spec.pictures)
        yield _error(
            f"{field}.image_in",
            Sentence(
                gettext_noop("Step %(number)s: %(name)s takes %(wanted)s, but the call names %(count)s image."),
                number=number,
                name=spec.name,
                wanted=wanted,
                count=len(ids),
            ),
        )
    try:
        checked_arguments(spec.function, given)
    except ToolError as error:
        yield _error(
            f"{field}.arguments", Sentence(gettext_noop("Step %(number)s: %(error)s"), number=number, error=str(error))
        )


def _plan(content: SampleContent) -> Iterator[Check]:
    plan = content.plan
    names = [said(target.tool) for target in plan.targets]
    for index, target in enumerate(plan.targets):
        if not names[index]:
            yield _error(
                f"targets[{index}]", Sentence(gettext_noop("A target has no name. Enter its name or remove it."))
            )
        elif names[index] in names[:index]:
            yield _error(
                f"targets[{index}]",
                Sentence(gettext_noop("%(tool)s appears twice in the targets. Remove one."), tool=target.tool),
            )
    for index, tool in enumerate(plan.distractors):
        name = said(tool)
        if not name:
            yield _error(
                f"distractors[{index}]",
                Sentence(gettext_noop("A distractor has no name. Enter its name or remove it.")),
            )
        elif name in names:
            yield _error(
                f"distractors[{index}]",
                Sentence(gettext_noop("%(tool)s is both a target and a distractor. Remove one."), tool=tool),
            )
    yield from _steps(sorted({target.step for target in plan.targets}))
    yield from _groups(plan)
    if plan.distractors and not plan.targets:
        yield _error(
            "targets",
            Sentence(gettext_noop("The tool plan has distractors but no target. Add the tools that the task needs.")),
        )


def _plan_of_task(plan: ToolPlan, task: TaskSchema) -> Iterator[Check]:
    if task.plan.use is Use.OFF or (task.plan.use is Use.OPTIONAL and not plan):
        return
    if not plan.targets and task.plan.use is Use.REQUIRED:
        yield _error("targets", Sentence(gettext_noop("The tool plan is missing. Add the tools that the task needs.")))
        return
    targets, distractors = len(plan.targets), len(plan.distractors)
    if plan.targets and not task.plan.targets.least <= targets <= task.plan.targets.most:
        text = gettext_noop("The tool plan has %(count)s targets; this benchmark takes %(least)s to %(most)s.")
        limits = task.plan.targets
        yield _error("targets", Sentence(text, count=targets, least=limits.least, most=limits.most))
    if not task.plan.distractors.least <= distractors <= task.plan.distractors.most:
        text = gettext_noop("The tool plan has %(count)s distractors; this benchmark takes %(least)s to %(most)s.")
        limits = task.plan.distractors
        yield _error("distractors", Sentence(text, count=distractors, least=limits.least, most=limits.most))


def _facets(given: Mapping[str, Iterable[object]], facets: Iterable[Facet], accepting: bool) -> Iterator[Check]:
    blocking_steps = {Required.SUBMIT, Required.ACCEPT} if accepting else {Required.SUBMIT}
    for facet in facets:
        field, values = f"facets.{facet.name}", [str(value) for value in given.get(facet.name, ())]
        theirs = accepting or facet.who is FacetAuthor.ANNOTATOR
        if not values and facet.required in blocking_steps and theirs:
            yield _error(field, Sentence(gettext_noop("%(name)s is missing. Choose a value."), name=facet.name))
        if len(values) > 1 and facet.kind is Kind.SINGLE:
            one = gettext_noop("%(name)s takes one value. Keep one of them.")
            yield _error(field, Sentence(one, name=facet.name))
        listed = {option.value for option in facet.values}
        for value in values:
            if facet.closed and value not in listed:
                yield _error(field, Sentence(UNLISTED, name=facet.name, value=value))


def _groups(plan: ToolPlan) -> Iterator[Check]:
    """Groups of targets of which one is enough."""
    for group in sorted({target.either for target in plan.targets if target.either is not None}):
        steps = [target.step for target in plan.targets if target.either == group]
        if len(steps) == 1:
            [alone] = [target.tool for target in plan.targets if target.either == group]
            text = gettext_noop("%(tool)s is interchangeable with no other target. Add one, or clear the mark.")
            yield _error("targets", Sentence(text, tool=alone))
        elif len(set(steps)) > 1:
            yield _error("targets", Sentence(gettext_noop("Interchangeable targets share a step. Move them together.")))


def _steps(steps: list[int]) -> Iterator[Check]:
    if steps and steps[0] != 1:
        yield _error("targets", Sentence(gettext_noop("The first step is %(step)s. Start with step 1."), step=steps[0]))
    missing = [step for step in range(1, len(steps) + 1) if step not in steps]
    if steps and steps[0] == 1 and missing:
        yield Check(
            "targets",
            Level.WARNING,
            Sentence(gettext_noop("Step %(step)s has no tool. Number the steps without gaps."), step=missing[0]),
        )


def _banked(plan: ToolPlan, bank: Bank) -> Iterator[Check]:
    """Check the names against the tool bank, and find different names of one tool."""
    fields = [(f"targets[{index}]", target.tool) for index, target in enumerate(plan.targets)]
    fields += [(f"distractors[{index}]", tool) for index, tool in enumerate(plan.distractors)]
    first: dict[str, str] = {}
    for field, name in fields:
        tool = bank.find(name)
        if not key_of(name):
            continue
        if tool is None:
            yield Check(
                field,
                Level.HINT,
                Sentence(
                    gettext_noop("%(name)s is not in the tool bank. It is proposed to the lead when you submit."),
                    name=name,
                ),
            )
            continue
        yield from _standing(field, name, tool)
        other = first.setdefault(tool.name, name)
        if key_of(other) != key_of(name):
            yield _error(
                field,
                Sentence(
                    gettext_noop("%(other)s and %(name)s are the same tool in the tool bank: %(known)s. Remove one."),
                    other=other,
                    name=name,
                    known=tool.name,
                ),
            )


def _standing(field: str, name: str, tool: KnownTool) -> Iterator[Check]:
    if tool.state is ToolState.REFUSED:
        yield _error(
            field,
            Sentence(
                gettext_noop("The lead removed %(name)s from the tool bank: %(reason)s Choose another tool."),
                name=name,
                reason=tool.reason,
            ),
        )
    elif tool.state is ToolState.PROPOSED:
        yield Check(
            field, Level.HINT, Sentence(gettext_noop("%(name)s is proposed. The lead has not decided yet."), name=name)
        )
    elif key_of(tool.name) != key_of(name):
        yield Check(
            field,
            Level.HINT,
            Sentence(gettext_noop("%(name)s is called %(known)s in the tool bank."), name=name, known=tool.name),
        )


def _overlap(first: Box, second: Box) -> bool:
    across = min(first.x2, second.x2) - max(first.x1, second.x1)
    down = min(first.y2, second.y2) - max(first.y1, second.y1)
    near = across > 0 and down > 0
    return near and (not has_outlines((first, second)) or have_common_area(first, second))
