"""Moving items through the stages of the board. Each command locks its item: the second of two people gets a conflict.

Leads manage the board. People who annotate or review can decide about images (QC-III), never of an item on which they
worked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from annotation.board.read.items import (
    distractor_faults,
    distractors_of,
    drawable,
    earlier_stages,
    faults_of,
    instruction_faults,
    known_segments,
    used_combinations,
)
from annotation.board.read.pairs import copied_facets, plan_content
from annotation.board.write.decisions import current, decide, locked, locked_check, passed, refuse, storable_text
from annotation.board.write.pairs import name_pair, paired_facets
from annotation.building import OPEN, Distractor, Problem, Stage, Verdict, plan_of
from annotation.building.rules import description_problems, step_problems
from annotation.building.targets import SIZES, draw
from annotation.common.access import allowed, require
from annotation.common.bank import bank_of
from annotation.common.reasons import require_reasons
from annotation.common.uploads import require_room
from annotation.content.samples import save_samples
from annotation.content.tools import know_names, lock_bank
from annotation.drafting import text_likeness
from annotation.images.store import store_picture
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, BuildItem, Sample
from annotation.schema import Likeness, SampleContent, SampleRecord
from annotation.validation import blocking, check
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

MOST_DRAWN = 100
SCENARIOS = (1, 2)
IMAGE_REASONS = ("scene_unrealistic", "tool_not_visible", "artificial_cue")
"""What a person looks for in an image [P 3.2.3]."""


def draw_items(*, actor: User, benchmark: Benchmark, count: int, scenarios: int) -> list[BuildItem]:
    """Draw the targets of up to ``count`` combinations, each with one or two scenarios, which are items of their own.
    Raises ``Conflict`` if there is no tool to draw, or no new combination."""
    require(actor, benchmark, Right.MANAGE)
    if not 1 <= count <= MOST_DRAWN or scenarios not in SCENARIOS:
        message = gettext("Draw 1 to %(most)s combinations, with one or two scenarios each.")
        raise InvalidInput(message % {"most": MOST_DRAWN}, field="count")
    with transaction.atomic():
        # One draw at a time: the next one must know these combinations and numbers.
        lock_bank(benchmark)
        bank, limits = bank_of(benchmark), benchmark.task.plan.targets
        tools = drawable(bank)
        if not tools:
            raise Conflict(gettext("The tool bank has no accepted tool. Add tools to it first."), code="no_tools")
        sizes = [size for size in SIZES if limits.least <= size <= limits.most]
        last = BuildItem.objects.filter(benchmark=benchmark).aggregate(last=Max("number"))["last"] or 0
        drawn = draw(tools, used_combinations(benchmark, bank), count, sizes=sizes, seed=f"{benchmark.pk}/{last}")
        if not drawn:
            message = gettext("Every combination of the tools has an item. Add tools to the bank.")
            raise Conflict(message, code="all_drawn")
        now = timezone.now()
        items = BuildItem.objects.bulk_create(
            BuildItem(
                benchmark=benchmark, number=last + 1 + at * scenarios + scenario, scenario=scenario + 1,
                targets=list(targets), entered_at=now,
            )
            for at, targets in enumerate(drawn) for scenario in range(scenarios)
        )  # fmt: skip
        audit.record(
            actor, "build.draw", benchmark, benchmark.slug,
            data={"items": [items[0].number, items[-1].number], "combinations": [list(one) for one in drawn]},
        )  # fmt: skip
    return items


def confirm_targets(*, actor: User, item: BuildItem, version: int) -> BuildItem:
    """The targets make sense together. A single target has step 1, and needs no stage for it."""
    with transaction.atomic():
        stored = locked(actor, item, version, Stage.TARGETS)
        alone = len(stored.targets) == 1
        if alone:
            stored.steps, stored.either = [1], []
        passed(stored, actor, Stage.INSTRUCTION if alone else Stage.STEPS, targets=stored.targets)
    return stored


def set_steps(
    *, actor: User, item: BuildItem, version: int, steps: Sequence[int], either: Sequence[str] = ()
) -> BuildItem:
    """The step of each target, and the targets of which one is enough."""
    with transaction.atomic():
        stored = locked(actor, item, version, Stage.STEPS)
        refuse(step_problems(stored.targets, steps, either))
        stored.steps, stored.either = list(steps), list(either)
        passed(stored, actor, Stage.INSTRUCTION, steps=stored.steps, either=stored.either)
    return stored


def set_instruction(*, actor: User, item: BuildItem, version: int, instruction: str) -> BuildItem:
    """The task, in a text that names no tool."""
    with transaction.atomic():
        stored = locked(actor, item, version, Stage.INSTRUCTION)
        plain = " ".join(storable_text(instruction, "instruction").split())
        refuse(instruction_faults(stored, plain))
        stored.instruction = plain
        passed(stored, actor, Stage.DISTRACTORS, instruction=plain)
    return stored


def set_distractors(*, actor: User, item: BuildItem, version: int, distractors: Sequence[Distractor]) -> BuildItem:
    """The tools that the task does not need. Names that the bank lacks become proposals."""
    with transaction.atomic():
        lock_bank(item.benchmark)
        stored = locked(actor, item, version, Stage.DISTRACTORS)
        bank = bank_of(stored.benchmark)
        named = [
            Distractor(" ".join(storable_text(one.tool, "distractors").split()), one.likeness) for one in distractors
        ]
        refuse(distractor_faults(stored, named, bank))
        new = [one.tool for one in named if bank.find(one.tool) is None]
        know_names(actor, stored.benchmark, new, proposes=True)
        stored.distractors = [asdict(one) for one in named]
        passed(stored, actor, Stage.DESCRIPTION, distractors=stored.distractors, new=new)
    return stored


def set_description(*, actor: User, item: BuildItem, version: int, description: str) -> BuildItem:
    """The scene that the image shows. If the person was shown a draft, the decision keeps how much of it is left."""
    with transaction.atomic():
        stored = locked(actor, item, version, Stage.DESCRIPTION)
        plain = storable_text(description, "description").strip()
        others = [one.tool for one in distractors_of(stored)]
        refuse(description_problems(plain, stored.targets, others, bank_of(stored.benchmark)))
        details: dict[str, Any] = {"description": plain}
        if shown := stored.drafted:
            alike = round(text_likeness(shown["text"], plain), 4)
            details["draft"] = {"model": shown["model"], "prompt": shown["prompt"], "likeness": alike}
        stored.description, stored.draft = plain, None
        passed(stored, actor, Stage.TEXT_CHECK, **details)
    return stored


def move_tool(
    *, actor: User, item: BuildItem, version: int, tool: str, step: int | None, likeness: Likeness | None
) -> BuildItem:
    """After QC-I: a candidate becomes a target of this step, or (step None) a distractor of this likeness."""
    with transaction.atomic():
        stored = locked(actor, item, version, Stage.TEXT_CHECK)
        if tool not in stored.candidates or (step is None) == (likeness is None):
            raise InvalidInput(gettext("Choose a tool of the item, and what it becomes."), field="tool")
        planned = {name: at for name, at in zip(stored.targets, stored.steps, strict=True) if name != tool}
        others = [one for one in distractors_of(stored) if one.tool != tool]
        if step is not None:
            planned[tool] = step
        if likeness is not None:
            others.append(Distractor(tool, likeness))
        stored.targets, stored.steps = list(planned), list(planned.values())
        stored.either = [name for name in stored.either if name in planned] if len(planned) > 1 else []
        stored.either = stored.either if len(stored.either) > 1 else []
        stored.distractors = [asdict(one) for one in others]
        limits = stored.benchmark.task.plan.targets
        if not max(1, limits.least) <= len(planned) <= min(SIZES[-1], limits.most):
            raise InvalidInput(gettext("An item has one to three targets, as far as its task allows."), field="tool")
        refuse(faults_of(stored), "tool")
        became = {"tool": tool, "step": step, "likeness": likeness}
        decide(stored, actor, Verdict.MOVED, Stage.TEXT_CHECK, details=became)
    return stored


def set_image(*, actor: User, item: BuildItem, version: int, data: bytes, real: bool = False) -> BuildItem:
    """The image of the scene. ``real``: a photograph. The file is stored first, outside the transaction."""
    require(actor, item.benchmark, Right.MANAGE)
    require_room(item.benchmark, len(data))
    try:
        image = store_picture(actor=actor, benchmark=item.benchmark, source=data)
    except PictureProblem as problem:
        raise InvalidInput(problem.message, field="image") from problem
    with transaction.atomic():
        stored = locked(actor, item, version, Stage.IMAGE)
        stored.image, stored.rendered, stored.real = image, None, real
        passed(stored, actor, Stage.IMAGE_CHECK, image=image.sha256)
    return stored


def set_generated_image(*, item: BuildItem, version: int, data: bytes, rendered: dict[str, Any]) -> BuildItem:
    """The image that a model generated of the description. ``rendered``: ``BuildItem.rendered``. A lead started it; the
    decision names the model. Raises ``InvalidInput`` for a file that is no image, ``Conflict`` for a changed item."""
    require_room(item.benchmark, len(data))
    try:
        image = store_picture(actor=None, benchmark=item.benchmark, source=data)
    except PictureProblem as problem:
        raise InvalidInput(problem.message, field="image") from problem
    with transaction.atomic():
        stored = current(item, version, (Stage.IMAGE,))
        stored.image, stored.rendered, stored.real = image, rendered, False
        details = {"image": image.sha256, **rendered}
        decide(stored, None, Verdict.PASSED, Stage.IMAGE_CHECK, details=details, model=rendered["model"])
    return stored


def accept_item(
    *, actor: User, item: BuildItem, version: int, faults: Sequence[str] = (), note: str = "",
    facets: Mapping[str, Sequence[str]] | None = None,
) -> BuildItem:  # fmt: skip
    """QC-III passed: the item becomes a sample with its image and its plan as gold. Its author is the person who wrote
    the instruction. Raises ``InvalidInput`` for ``faults`` of the image, and with what the rules and the task of the
    benchmark find, such as a required facet without a value."""
    if faults:
        raise InvalidInput(gettext("The image has a fault. Send the item back to its image, or discard it."))
    with transaction.atomic():
        # One at a time, so that no two choose the same ID.
        lock_bank(item.benchmark)
        stored = locked_check(actor, item, version)
        benchmark = stored.benchmark
        content = _content(stored)
        given = {name: tuple(values) for name, values in (facets or {}).items() if values}
        copied = copied_facets(stored)
        known = {**known_segments(stored), **copied, **given}
        if unknown := sorted(set(given) - {one.name for one in benchmark.task.facets}):
            message = gettext("The task of the benchmark has no facet %(name)s.")
            raise InvalidInput(message % {"name": unknown[0]}, field="facets")
        found = check(content, None, None, task=benchmark.task, facets=known, bank=bank_of(benchmark), accepting=True)
        refuse([Problem(one.field, one.text) for one in blocking(found)], None)
        source = stored.pair_of
        if source is not None:
            given = copied | given | paired_facets(stored, source)
        assert stored.image is not None
        key = _free_key(stored)
        extra = {"description": stored.description} if stored.description else {}
        record = SampleRecord(key, content, key, facets=given, extra=extra)
        save_samples(actor=_author(stored), benchmark=benchmark, records=[record], pictures={key: stored.image})
        stored.sample = Sample.objects.get(benchmark=benchmark, key=key)
        if source is not None:
            name_pair(source)
        decide(stored, actor, Verdict.PASSED, Stage.ACCEPTED, note=note, details={"sample": key})
    return stored


def _content(stored: BuildItem) -> SampleContent:
    """The gold of the sample that an item becomes. The second item of a pair that started from a sample has its gold,
    to which the rules of the stages do not apply. Raises ``InvalidInput`` with what breaks them."""
    source = stored.pair_of
    if source is not None and source.from_sample:
        sample = Sample.objects.with_gold().filter(pk=source.sample_id).first()
        found = plan_content(sample) if sample is not None else None
        if found is None:
            message = gettext("The sample of the other image has no tool plan any longer. Discard this item.")
            raise Conflict(message, code="wrong_state")
        return found
    refuse(faults_of(stored), None)
    plan = plan_of(stored.targets, stored.steps, distractors_of(stored), stored.either)
    return SampleContent(stored.instruction, plan=plan)


def _author(stored: BuildItem) -> User | None:
    """The person who wrote the instruction, or the gold of the sample from which a pair started; None: unknown."""
    source = stored.pair_of or stored
    if source.from_sample:
        author: User | None = source.sample.gold.revision.annotation.author if source.sample is not None else None
        return author
    wrote = source.decisions.filter(stage=Stage.INSTRUCTION.value, verdict=Verdict.PASSED.value).last()
    assert wrote is not None
    return wrote.person


def reject_item(
    *, actor: User, item: BuildItem, version: int, to: Stage, reasons: Sequence[str], note: str = ""
) -> BuildItem:
    """Send an item back to an earlier stage, or discard it, for at least one reason. People who check its image can
    only send it back to its image, or discard it."""
    with transaction.atomic():
        leads = allowed(actor, item.benchmark, Right.MANAGE)
        stored = locked(actor, item, version, *OPEN) if leads else locked_check(actor, item, version)
        if not leads and to not in (Stage.IMAGE, Stage.DISCARDED):
            raise NotAllowed(gettext("After the check of the image, an item goes back to its image or is discarded."))
        require_reasons(stored.benchmark, reasons)
        earlier = earlier_stages(stored)
        if to is not Stage.DISCARDED and to not in earlier:
            raise InvalidInput(gettext("Choose an earlier stage, or discard the item."), field="to")
        if not reasons:
            raise InvalidInput(gettext("Choose at least one reason."), field="reasons")
        verdict = Verdict.DISCARDED if to is Stage.DISCARDED else Verdict.RETURNED
        decide(stored, actor, verdict, to, reasons=reasons, note=note)
    return stored


def _free_key(item: BuildItem) -> str:
    """``plan-0012``, with a number behind it if another sample has this ID."""
    wanted, number = f"plan-{item.number:04d}", 1
    key = wanted
    while Sample.objects.filter(benchmark=item.benchmark, key=key).exists():
        number += 1
        key = f"{wanted}-{number}"
    return key
