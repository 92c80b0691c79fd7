"""The content of the board: items by stage, how the tools are used, and what the rules of a stage ask."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.board.read.pairs import copied_facets
from annotation.building import OPEN, Distractor, Problem, Stage, Verdict
from annotation.building.instruction import instruction_problems
from annotation.building.rules import (
    description_problems,
    distractor_problems,
    shuffled,
    step_problems,
    unmentioned,
)
from annotation.building.saturation import Growth, saturation
from annotation.building.targets import SIZES, Combination, Use, use_of
from annotation.common.access import known_to
from annotation.common.bank import bank_of
from annotation.content.segments import SEGMENT
from annotation.marking import Sentence, gettext_noop
from annotation.models import Annotation, Benchmark, BuildDecision, BuildItem
from annotation.models.querysets.building import BuildItemQuerySet
from annotation.schema import Likeness
from annotation.task_schema import Facet, Required
from annotation.tool_bank import Bank, ToolState, key_of
from annotation.tool_bank.segments import SEGMENTS
from annotation.validation import token_overlap
from annotation.workflow import Right
from webapp.accounts.models import User

SHOWN = 12
"""Items of a column; its page lists all."""


@dataclass(frozen=True, slots=True)
class Column:
    """A stage: how many items are there, since when the oldest waits, and the oldest items."""

    stage: Stage
    count: int
    since: datetime | None
    items: tuple[BuildItem, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """``proposed``: tools of the bank that wait for a lead. ``uses``: of accepted tools, by size. ``likeness``: of the
    distractors of all items that are not discarded. ``rejects``: items sent back or discarded, by reason."""

    columns: tuple[Column, ...]
    proposed: int
    uses: tuple[Use, ...]
    growth: tuple[Growth, ...]
    likeness: Counter[str]
    rejects: Counter[str]

    def column(self, stage: Stage) -> Column:
        return next(one for one in self.columns if one.stage is stage)


def board_of(benchmark: Benchmark) -> Board:
    """The whole board. Seven queries, however many items there are."""
    counts = BuildItem.objects.filter(benchmark=benchmark).by_stage()
    shown: dict[str, list[BuildItem]] = {}
    for item in BuildItem.objects.filter(benchmark=benchmark, stage__in=OPEN).oldest_of_each(SHOWN):
        shown.setdefault(item.stage, []).append(item)
    columns = []
    for stage in Stage:
        count, since = counts.get(stage.value, (0, None))
        columns.append(Column(stage, count, since, tuple(shown.get(stage.value, ()))))
    bank = bank_of(benchmark)
    combinations, likeness = [], Counter[str]()
    for targets, distractors in _plans(benchmark).values_list("targets", "distractors"):
        combinations.append(_combination(targets, bank))
        likeness.update(one["likeness"] for one in distractors)
    tools = drawable(bank)
    return Board(
        tuple(columns),
        sum(tool.state is ToolState.PROPOSED for tool in bank.tools),
        tuple(use_of(tools, combinations, size) for size in SIZES),
        tuple(saturation(_new_tools(benchmark, bank))),
        likeness,
        _rejects(benchmark),
    )


def drawable(bank: Bank) -> list[str]:
    """The tools that items can ask for."""
    return [tool.name for tool in bank.tools if tool.state is ToolState.ACCEPTED]


def used_combinations(benchmark: Benchmark, bank: Bank) -> list[Combination]:
    """The targets of every plan that is not discarded, as the bank names them today."""
    return [_combination(targets, bank) for targets in _plans(benchmark).values_list("targets", flat=True)]


def _plans(benchmark: Benchmark) -> BuildItemQuerySet:
    """One item for each plan that was built here and is not discarded: the second item of a pair repeats the plan of
    the first."""
    found: BuildItemQuerySet = BuildItem.objects.filter(benchmark=benchmark, pair_of=None, from_sample=False)
    return found.kept()


def _combination(targets: Iterable[str], bank: Bank) -> Combination:
    return frozenset(known.name if (known := bank.find(name)) else name for name in targets)


def _new_tools(benchmark: Benchmark, bank: Bank) -> list[int]:
    """How many tools each item with distractors added to the bank, those left out that were merged or rejected."""
    added: dict[int, set[str]] = defaultdict(set)
    rows = BuildDecision.objects.filter(
        item__benchmark=benchmark, stage=Stage.DISTRACTORS.value, verdict=Verdict.PASSED.value
    )
    for number, details in rows.order_by("item__number", "pk").values_list("item__number", "details"):
        added[number] |= {*details.get("new", ())}
    return [sum(_is_separate(name, bank) for name in names) for names in added.values()]


def _is_separate(name: str, bank: Bank) -> bool:
    known = bank.find(name)
    return known is not None and known.state is not ToolState.REFUSED and key_of(known.name) == key_of(name)


def _rejects(benchmark: Benchmark) -> Counter[str]:
    back = (Verdict.RETURNED.value, Verdict.DISCARDED.value)
    rows = BuildDecision.objects.filter(item__benchmark=benchmark, verdict__in=back).values_list("reasons", flat=True)
    return Counter(code for reasons in rows for code in reasons)


def distractors_of(item: BuildItem) -> list[Distractor]:
    return [Distractor(one["tool"], Likeness(one["likeness"])) for one in item.distractors]


def interchangeable(benchmark: Benchmark) -> list[Collection[str]]:
    """Groups of tools of which one is enough, as the items of the benchmark record them."""
    kept = BuildItem.objects.filter(benchmark=benchmark).kept()
    return list(kept.exclude(either=[]).values_list("either", flat=True))


def candidates_shuffled(item: BuildItem) -> list[str]:
    """The candidates as a check shows them. The order changes with each version of the item."""
    return shuffled(item.candidates, f"{item.pk}/{item.version}")


def candidates_of_model(item: BuildItem) -> list[str]:
    """The candidates as a model is sent them, always in the same order for the same text."""
    return shuffled(item.candidates, f"{item.pk}/{item.description}")


def has_worked_on(person: User, item: BuildItem) -> bool:
    """Whether this person decided anything about the item, or about the one that it repeats, before its image was
    checked, or annotated the sample that it repeats."""
    about = BuildDecision.objects.filter(item__in=[one for one in (item.pk, item.pair_of_id) if one is not None])
    source = item.pair_of
    if source is not None and source.from_sample:
        written = Annotation.objects.filter(sample=source.sample_id, author=person)
        if source.sample_id is not None and written.exists():
            return True
    return about.filter(person=person).exclude(stage=Stage.IMAGE_CHECK.value).exists()


def earlier_stages(item: BuildItem) -> tuple[Stage, ...]:
    """The stages to which an item can be sent back. One that repeats the plan of another has only its own image."""
    if not item.is_open:
        return ()
    earlier = OPEN[: OPEN.index(Stage(item.stage))]
    return earlier if item.pair_of_id is None else tuple(stage for stage in earlier if stage is Stage.IMAGE)


def may_check_images(person: User, benchmark: Benchmark) -> bool:
    """Whether this person may decide QC-III at all: they annotate or review, and no gold is hidden from them."""
    found = known_to(person, benchmark)
    return _works(found.rights) and not (found.handed_checks or found.judging or found.studying)


def _works(rights: Collection[Right]) -> bool:
    return Right.ANNOTATE in rights or Right.REVIEW in rights


def sees_board(person: User, benchmark: Benchmark) -> bool:
    """Whether this person may see the items, which have the gold of coming samples."""
    rights = known_to(person, benchmark).rights
    return Right.MANAGE in rights or Right.COMPARE_WORK in rights or may_check_images(person, benchmark)


def instruction_faults(item: BuildItem, instruction: str) -> list[Problem]:
    others = BuildItem.objects.filter(benchmark=item.benchmark_id, targets=item.targets).kept().exclude(pk=item.pk)
    overlaps = [token_overlap(instruction, other) for other in others.values_list("instruction", flat=True)]
    return instruction_problems(instruction, item.targets, bank_of(item.benchmark), max(overlaps, default=0.0))


def distractor_faults(item: BuildItem, distractors: Sequence[Distractor], bank: Bank) -> list[Problem]:
    groups = interchangeable(item.benchmark)
    allowed_here = item.benchmark.task.plan.distractors
    return distractor_problems(item.targets, distractors, bank, allowed=allowed_here, interchangeable=groups)


def draft_faults(item: BuildItem, description: str) -> list[Problem]:
    """The rules that a drafted description breaks: those of its stage, and QC-II."""
    others = [one.tool for one in distractors_of(item)]
    missing = unmentioned(description, item.candidates)
    words = gettext_noop("The description has no literal mention of: %(tools)s.")
    literal = [Problem("description", Sentence(words, tools=", ".join(missing)))] if missing else []
    return [*description_problems(description, item.targets, others, bank_of(item.benchmark)), *literal]


def faults_of(item: BuildItem) -> list[Problem]:
    """Every rule of the stages before its image that the item breaks now: the bank may have changed since."""
    bank, distractors = bank_of(item.benchmark), distractors_of(item)
    return [
        *step_problems(item.targets, item.steps, item.either),
        *instruction_problems(item.instruction, item.targets, bank),
        *distractor_faults(item, distractors, bank),
        *description_problems(item.description, item.targets, [one.tool for one in distractors], bank),
    ]


def known_segments(item: BuildItem) -> dict[str, list[str]]:
    """The facet that the tool bank gives a sample with these targets; empty if the bank has no segment of them."""
    bank = bank_of(item.benchmark)
    known = (bank.find(tool) for tool in item.targets)
    titles = dict.fromkeys(SEGMENTS.get(one.segment, "") for one in known if one is not None)
    found = [title for title in titles if title]
    return {SEGMENT: found} if found else {}


def required_facets(item: BuildItem) -> list[Facet]:
    """The facets that a person fills in when they accept the item: those that gold needs."""
    known = {**known_segments(item), **copied_facets(item)}
    return [one for one in item.benchmark.task.facets if one.required is not Required.NO and one.name not in known]


def missing_mentions(item: BuildItem) -> list[str]:
    return unmentioned(item.description, item.candidates)
