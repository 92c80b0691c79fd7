"""The board and its items as pages show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext_lazy

from annotation.board.read.audits import BatchFacts, Proposals, findings_of
from annotation.board.read.items import Board, earlier_stages
from annotation.board.write.items import IMAGE_REASONS
from annotation.building import Stage, Verdict
from annotation.building.audits import BatchState
from annotation.common.reasons import offered_reasons, reason_words
from annotation.common.words import LIKENESS
from annotation.models import Benchmark, BuildDecision, BuildItem
from annotation.schema import Likeness
from annotation.task_schema import OTHER, About, TaskSchema
from webapp.common.translation import Text

STAGES: dict[str, Text] = {
    Stage.TARGETS: gettext_lazy("Targets"),
    Stage.STEPS: gettext_lazy("Steps"),
    Stage.INSTRUCTION: gettext_lazy("Instruction"),
    Stage.DISTRACTORS: gettext_lazy("Distractors"),
    Stage.DESCRIPTION: gettext_lazy("Description"),
    Stage.TEXT_CHECK: gettext_lazy("QC-I: text"),
    Stage.MENTION_CHECK: gettext_lazy("QC-II: mentions"),
    Stage.IMAGE: gettext_lazy("Image"),
    Stage.IMAGE_CHECK: gettext_lazy("QC-III: image"),
    Stage.ACCEPTED: pgettext_lazy("items", "Accepted"),
    Stage.DISCARDED: pgettext_lazy("items", "Discarded"),
}
UNKNOWN = gettext_lazy("likeness unknown")
VERDICTS: dict[str, Text] = {
    Verdict.PASSED: gettext_lazy("passed"),
    Verdict.STOPPED: gettext_lazy("stopped"),
    Verdict.MOVED: gettext_lazy("moved a tool"),
    Verdict.RETURNED: gettext_lazy("sent back"),
    Verdict.DISCARDED: gettext_lazy("discarded"),
}


@dataclass(frozen=True, slots=True)
class UseRow:
    """A tool with the number of its combinations by size. ``share``: of the tool that is used most, 0 to 1."""

    tool: str
    counts: tuple[int, ...]
    share: float

    @property
    def total(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A candidate as the page of its item lists it: its step, or (step None) how it resembles a target."""

    tool: str
    step: int | None
    likeness: Text = ""
    is_either: bool = False


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One decision about an item. ``by``: a person, a model or the rules. Of one that is ``hidden``, a person may know
    only the stage."""

    decision: BuildDecision
    stage: Text
    verdict: Text
    by: Text
    reasons: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    hidden: bool = False


def columns_of(board: Board) -> list[tuple[Text, Any]]:
    """Label and column of each stage."""
    return [(STAGES[column.stage], column) for column in board.columns]


def use_rows(board: Board) -> list[UseRow]:
    """The tools, the most used first."""
    counts = {tool: tuple(use.counts[tool] for use in board.uses) for tool in board.uses[0].counts}
    most = max((sum(found) for found in counts.values()), default=0)
    rows = [UseRow(tool, found, sum(found) / most if most else 0.0) for tool, found in counts.items()]
    return sorted(rows, key=lambda row: (-row.total, row.tool))


def likeness_rows(board: Board) -> list[tuple[Text, int, float]]:
    """Label, count and share of each kind of likeness."""
    total = board.likeness.total() or 1
    return [(label, board.likeness[kind], board.likeness[kind] / total) for kind, label in LIKENESS.items()]


def reject_rows(board: Board, task: TaskSchema) -> list[tuple[str, int]]:
    return [(reason_words(task, code), count) for code, count in board.rejects.most_common()]


def plan_rows(item: BuildItem) -> list[PlanRow]:
    """Targets in the order of their steps, then distractors."""
    steps = [*item.steps, *[None] * len(item.targets)]
    targets = [PlanRow(tool, step, "", tool in item.either) for tool, step in zip(item.targets, steps, strict=False)]
    others = [PlanRow(one["tool"], None, LIKENESS.get(one["likeness"], UNKNOWN)) for one in item.distractors]
    return [*sorted(targets, key=lambda row: row.step or 0), *others]


def history_of(item: BuildItem, task: TaskSchema, *, blind: bool) -> list[HistoryLine]:
    """The decisions about an item, the newest first. One query. ``blind``: for a person who has not checked its text:
    without what others found of it, and without what separates targets from distractors."""
    rows = item.decisions.select_related("person").order_by("-pk")
    return [_hidden_line(one) if blind else _line(one, task) for one in rows]


def _line(one: BuildDecision, task: TaskSchema) -> HistoryLine:
    by = str(one.person) if one.person else one.model or gettext("the rules")
    reasons = tuple(reason_words(task, code) for code in one.reasons)
    return HistoryLine(one, STAGES[one.stage], VERDICTS[one.verdict], by, reasons, tuple(_facts(one.details)))


def _hidden_line(one: BuildDecision) -> HistoryLine:
    found = one.stage == Stage.TEXT_CHECK
    verdict = gettext_lazy("hidden until you save your check") if found else VERDICTS[one.verdict]
    return HistoryLine(one, STAGES[one.stage], verdict, "" if found else str(one.person or one.model), hidden=True)


BATCH_STATES: dict[str, Text] = {
    BatchState.ASKING: gettext_lazy("the model is asked"),
    BatchState.DRAWN: gettext_lazy("people check the draw"),
    BatchState.PASSED: gettext_lazy("confirmed: its findings count"),
    BatchState.PEOPLE: gettext_lazy("people check the rest"),
}


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch of texts that a model checked. ``found``: the disagreement on the draw with its interval, "" without."""

    facts: BatchFacts
    state: Text
    found: str


def batch_rows(batches: Sequence[BatchFacts]) -> list[BatchRow]:
    """Batches as the page of the board lists them."""
    return [BatchRow(one, BATCH_STATES[one.batch.state], _disagreement(one)) for one in batches]


def _disagreement(one: BatchFacts) -> str:
    found = one.found
    if found.interval is None:
        return ""
    message = gettext("%(items)s of %(checked)s (95%% interval: %(low)s%% to %(high)s%%)")
    bounds = {"low": f"{100 * found.interval.low:.0f}", "high": f"{100 * found.interval.high:.0f}"}
    return message % {"items": found.items, "checked": found.checked, **bounds}


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """What a model proposes for a tool, and the fields of the form that moves it; "" if it proposes no move."""

    text: str
    tool: str = ""
    becomes: str = ""


def proposal_lines(item: BuildItem, proposals: Proposals) -> list[ProposalLine]:
    """The findings of a model that contradict the item; empty if there are none."""
    lines = []
    for one in proposals.moves:
        message = (
            gettext("The task needs %(tool)s: make it a target.") if one.essential
            else gettext("The task does not need %(tool)s: make it a distractor.")
        )  # fmt: skip
        becomes = f"step {max(item.steps, default=1)}" if one.essential else Likeness.DOMAIN.value
        lines.append(ProposalLine(message % {"tool": one.tool}, one.tool, becomes))
    misfits = [one.tool for one in findings_of(proposals.audit) if not one.consistent]
    lines += [ProposalLine(gettext("%(tool)s does not fit into the scene.") % {"tool": tool}) for tool in misfits]
    if not proposals.audit.valid_sequence:
        lines.append(ProposalLine(gettext("The order of the steps is not valid.")))
    return lines


def _facts(details: dict[str, Any]) -> list[str]:
    """What a decision says in addition."""
    found = list(details.get("faults", ()))
    if details.get("from_sample"):
        message = gettext("Made from the sample %(key)s, to start a matched pair.")
        found.append(message % {"key": details["from_sample"]})
    if details.get("confirmed"):
        message = ngettext(
            "Counts because people agreed on %(n)s drawn item.", "Counts because people agreed on %(n)s drawn items.",
            details["confirmed"],
        )  # fmt: skip
        found.append(message % {"n": details["confirmed"]})
    if details.get("draft"):
        draft = details["draft"]
        message = gettext("A draft of %(model)s was shown: %(share)s%% of its text is kept.")
        if draft["likeness"] == 1:
            message = gettext("The draft of %(model)s is accepted unchanged.")
        found.append(message % {"model": draft["model"], "share": f"{100 * draft['likeness']:.0f}"})
    if details.get("missing"):
        found.append(gettext("No literal mention of: %(tools)s.") % {"tools": ", ".join(details["missing"])})
    if details.get("new"):
        found.append(gettext("Proposed for the tool bank: %(tools)s.") % {"tools": ", ".join(details["new"])})
    if "tool" in details and details["step"]:
        found.append(gettext("%(tool)s: target of step %(step)s.") % details)
    elif "tool" in details:
        values = {"tool": details["tool"], "likeness": LIKENESS[details["likeness"]]}
        found.append(gettext("%(tool)s: distractor, %(likeness)s.") % values)
    return found


def image_faults(task: TaskSchema) -> list[tuple[str, str]]:
    """The reasons that the check of an image asks for, as far as the task offers them."""
    offered = {one.code for one in task.reasons if not one.retired}
    return [(code, reason_words(task, code)) for code in IMAGE_REASONS if code in offered]


def reject_choices(item: BuildItem, benchmark: Benchmark) -> dict[str, Any]:
    """``stages`` and ``reasons`` of the form that sends an item back: the stages before, the last one in front."""
    earlier = earlier_stages(item)
    about = {one.code: one.about for one in benchmark.task.reasons}
    codes = [
        code
        for code in offered_reasons(benchmark, toolchain=False, tool_plan=True)
        if about[code] in (About.PLAN, About.IMAGE) or code == OTHER
    ]
    labels = [(stage.value, gettext("back to %(stage)s") % {"stage": STAGES[stage]}) for stage in reversed(earlier)]
    return {
        "stages": [*labels, (Stage.DISCARDED.value, gettext("discard"))],
        "reasons": [(code, reason_words(benchmark.task, code)) for code in codes],
    }
