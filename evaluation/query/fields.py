"""The fields of the query language: one table for parser, completion, help and both readings of a query."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.marking import gettext_noop
from evaluation.metrics.columns import ChainStatus, NoGrounding, Outcome, Quadrant, VerdictBy
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.reading import CLASSES, REASONS, RULES, WHERES
from evaluation.metrics.reading import FLAGS as READING_FLAGS


class Kind(StrEnum):
    FLAG = "yes or no"
    CHOICE = "one of a set"
    NUMBER = "a number"
    NAME = "a name"
    TEXT = "text"


YES_NO = ("yes", "no")
READING_REASONS = ("nothing", *REASONS[1:])
"""The reasons why answers are unread. "none" is undefined in every field, so the reason of that name is called
"nothing" here.
"""
REPEATED = ("always", "some", "never")
"""The results of the rollouts of one sample in one run, if at least two count in accuracy."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the query language."""

    name: str
    kind: Kind
    about: str
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        """Its column in ``evaluation.store.schema``, if it has one."""
        return _STORED.get(self.name, self.name)


_STORED: Mapping[str, str] = {
    "correct": "verdict", "ioa_gt": "coverage", "ioa_pred": "concentration", "tools": "distinct_tools",
    "chain": "effective_calls", "missing": "plan_missing", "extra": "plan_extra", "prefix": "plan_prefix",
    "omitted": "plan_omitted", "unrecognized": "plan_unrecognized", "in_scene": "plan_in_scene",
    "repeated": "plan_repeated", "hallucinated": "plan_hallucinated",
}  # fmt: skip
"""Columns with another name than their field."""


def _flag(name: str, about: str, *aliases: str) -> Field:
    return Field(name, Kind.FLAG, about, YES_NO, aliases)


def _number(name: str, about: str, *aliases: str) -> Field:
    return Field(name, Kind.NUMBER, about, aliases=aliases)


def _choice(name: str, about: str, choices: tuple[str, ...], *aliases: str) -> Field:
    return Field(name, Kind.CHOICE, about, choices, aliases)


_ALL = (
    # Samples
    Field("sample", Kind.NAME, gettext_noop("sample id; sh-* matches a prefix"), aliases=("id",)),
    _choice("type", gettext_noop("answer type"), ("mc", "open")),
    _number("boxes", gettext_noop("gold boxes")),
    _number("area", gettext_noop("share of the image that is gold region: area<0.05%"), "evidence_share"),
    _number("targets", gettext_noop("tools that the gold plan needs")),
    # The trajectory
    Field("trajectory", Kind.NAME, gettext_noop("numbers of trajectories: trajectory:7 or trajectory:7,12-15")),
    Field("run", Kind.NAME, gettext_noop("run: its number, its model, or model and setting"), aliases=("model",)),
    Field("condition", Kind.NAME, gettext_noop("intervention: none, text, visual, placebo")),
    _number("rollout", gettext_noop("0 is the first")),
    _flag("failed", gettext_noop("ended in an error")),
    _flag("scored", gettext_noop("has scores")),
    _flag("priced", gettext_noop("its price is known")),
    _number("usd", gettext_noop("price in US dollars"), "price"),
    _number("seconds", gettext_noop("duration in seconds")),
    _number("input_tokens", gettext_noop("input tokens")),
    _number("output_tokens", gettext_noop("output tokens")),
    # The answer
    _choice("correct", gettext_noop("verdict on the answer; none: no gold answer"), ("yes", "no", "undecided")),
    _flag("right", gettext_noop("correct; no: incorrect or undecided")),
    _flag("wrong", gettext_noop("not correct, where the answer counts in accuracy")),
    _flag("undecided", gettext_noop("no rule can decide the answer, and no judgment exists")),
    _flag("unread", gettext_noop("no answer could be read from the output"), "unparsed"),
    Field("reading", Kind.NAME, gettext_noop("the answer read: an option letter, or a value")),
    Field("file_reading", Kind.NAME, gettext_noop("the answer as read by the imported file")),
    _choice("reading_where", gettext_noop("where the answer was read"), WHERES),
    _choice("reading_rule", gettext_noop("rule by which it was read"), RULES),
    _choice("reading_class", gettext_noop("confidence class of the rule"), CLASSES),
    _choice("reading_flag", gettext_noop("further remarks on the reading"), READING_FLAGS),
    _choice("unread_reason", gettext_noop("why it is unread, or undecided by rule"), READING_REASONS, "reason"),
    _flag("unanswered", gettext_noop("gave no answer")),
    _flag("counted", gettext_noop("counts in accuracy")),
    Field("measured", Kind.NAME, gettext_noop("counts in this metric, named as in exports: measured:mean_coverage")),
    _choice("verdict_by", gettext_noop("what decided the answer"), VerdictBy.NAMES),
    _choice("file_verdict", gettext_noop("the verdict of the imported file; none: it has none"), ("yes", "no")),
    _choice("reading_correct", gettext_noop("the verdict by rule alone; none: undecided"), ("yes", "no")),
    _choice("file_differs", gettext_noop("the file's verdict differs from the verdict by rule"), ("yes", "no")),
    # Grounding
    _choice("quadrant", gettext_noop("grounded or not, correct or not"), Quadrant.NAMES),
    _flag("population", gettext_noop("in the grounding population")),
    _choice(
        "no_grounding",
        gettext_noop("why it is outside the grounding population; none: it is inside"),
        NoGrounding.NAMES,
    ),
    _flag("grounded", gettext_noop("the IoA of the scored crop is above the threshold")),
    _flag("zoomed", gettext_noop("made a zoom call")),
    _flag("evidence", gettext_noop("received an image from a call")),
    _flag("unusable", gettext_noop("has a crop with an unknown region")),
    _number("ioa", gettext_noop("intersection over area, by the metric settings")),
    _number("ioa_gt", gettext_noop("share of the gold region inside the crop"), "coverage"),
    _number("ioa_pred", gettext_noop("share of the crop that is gold"), "concentration"),
    _number("union_coverage", gettext_noop("share of the gold region that all crops cover together")),
    _number("iou", gettext_noop("intersection over union")),
    Field("crop_cell", Kind.NAME, gettext_noop("cell of the heat map with the center of the crop: crop_cell:3-5")),
    _flag("center_hit", gettext_noop("the crop's center is in a gold box")),
    _number("zoom", gettext_noop("magnification of the crop")),
    _number("region", gettext_noop("area of the crops / area of the image")),
    _number("crops", gettext_noop("usable crops")),
    # The toolchain
    _number("calls", gettext_noop("tool calls, as counted in scores"), "turns"),
    _number("tools", gettext_noop("distinct tools")),
    _number("chain", gettext_noop("effective calls"), "effective_calls"),
    _number("reference_calls", gettext_noop("calls of the reference toolchain")),
    _number("edit_distance", gettext_noop("edits to the reference toolchain")),
    _number("kendall_tau", gettext_noop("order against the reference toolchain")),
    _choice("chain_status", gettext_noop("state of the effective toolchain"), ChainStatus.NAMES),
    _flag("reference", gettext_noop("its sample has a reference toolchain")),
    Field("tool", Kind.NAME, gettext_noop("calls this tool, under the name it was called by")),
    Field("reference_tool", Kind.NAME, gettext_noop("its reference toolchain has this tool")),
    Field("aligned", Kind.NAME, gettext_noop("reference tool > tool called instead; one side empty: missing or added")),
    Field(
        "followed", Kind.NAME, gettext_noop("a tool > the next one; one side empty: the toolchain starts or ends there")
    ),
    Field("tool_failed", Kind.NAME, gettext_noop("a call of this tool failed; any: of any tool")),
    # The plan
    _choice("outcome", gettext_noop("outcome of the tool plan"), Outcome.NAMES),
    _flag("planned", gettext_noop("its plan is scored")),
    _number("missing", gettext_noop("targets the plan lacks")),
    _number("extra", gettext_noop("tools the plan has beyond its targets")),
    _number("prefix", gettext_noop("correct steps before the first incorrect one")),
    _number("omitted", gettext_noop("targets the plan lacks, although the same model recognized them")),
    _number("unrecognized", gettext_noop("targets the plan lacks, and the same model did not recognize")),
    _number("in_scene", gettext_noop("extra tools of the plan that are distractors in the scene")),
    _number("repeated", gettext_noop("extra tools of the plan that are targets named before")),
    _number("hallucinated", gettext_noop("extra tools of the plan that are not in the scene")),
    _number("f1_difference", gettext_noop("F1 of tool selection minus F1 of tool recognition")),
    # Failures, and what people say
    _choice("failure", gettext_noop("failure, by rule or as corrected by a person"), FAILURES, "why"),
    Field("failure_by", Kind.NAME, gettext_noop("numbers of people who all set a failure; any: at least one person")),
    Field("tag", Kind.NAME, gettext_noop("a tag, shared or your own; none: without any")),
    Field("note", Kind.TEXT, gettext_noop("words in a note on the trajectory")),
    Field("question", Kind.TEXT, gettext_noop("words in the question")),
    Field("answer", Kind.TEXT, gettext_noop("words in the model answer")),
    Field("transcript", Kind.TEXT, gettext_noop("words in the text or result of a turn")),
    # Between trajectories of one sample
    _choice("flip", gettext_noop("an intervention changed the verdict"), ("lost", "gained")),
    _choice("repeats", gettext_noop("how many counted rollouts of the sample are correct, of two or more"), REPEATED),
    _choice("paired", gettext_noop("the same run has a trajectory without intervention"), ("yes", "evidence")),
    Field("beside", Kind.NAME, gettext_noop("the same run has a scored trajectory under this condition")),
    _choice("judged", gettext_noop("a judge gave a verdict of this kind"), ("reliability", "sufficiency", "answer")),
    _choice("unjudged", gettext_noop("no judge gave a verdict of this kind"), ("reliability", "sufficiency", "answer")),
    Field(
        "right_in",
        Kind.NAME,
        gettext_noop("numbers of runs that are correct on the sample: right_in:3 or right_in:3,4"),
    ),
    Field("wrong_in", Kind.NAME, gettext_noop("numbers of runs that are incorrect on the sample")),
    Field("shared_with", Kind.NAME, gettext_noop("numbers of runs whose answer on the sample counts")),
    Field("cropped_in", Kind.NAME, gettext_noop("numbers of runs with a usable crop on the sample")),
    Field("population_in", Kind.NAME, gettext_noop("numbers of runs with the sample in their grounding population")),
    Field("grounded_in", Kind.NAME, gettext_noop("numbers of runs that are grounded on the sample")),
    Field("ungrounded_in", Kind.NAME, gettext_noop("numbers of runs that are in that population, and not grounded")),
)
FIELDS: Mapping[str, Field] = {name: field for field in _ALL for name in (field.name, *field.aliases)}
"""Every field by its name and by its aliases. Any other name is a facet of the samples: ``category:Counting``, or
``facet.NAME:value`` when a field has its name."""
FLAGS: Mapping[str, str] = {
    **{name: "yes" for field in _ALL if field.kind is Kind.FLAG for name in (field.name, *field.aliases)},
    "correct": "yes",
}
"""Single words, and the value they mean."""


def facet_of(field: str) -> str | None:
    """The facet that a field of a query is, None for a field of the table."""
    if field in FIELDS:
        return None
    return field.removeprefix("facet.")


def nearest(name: str, known: Collection[str], most: int = 2) -> tuple[str, ...]:
    """The known names most like this one, the most alike first."""
    low = {one.casefold(): one for one in sorted(known)}
    found = difflib.get_close_matches(name.casefold(), low, n=most, cutoff=0.6)
    begins = [one for one in low if one.startswith(name.casefold()) and one not in found]
    return tuple(low[one] for one in [*found, *begins][:most])


def described() -> Iterable[Field]:
    """The fields in the order of the help."""
    return _ALL


def slice_terms(slice_by: str, slice: str) -> dict[str, str]:
    """A slice in the words of a list of trajectories; two facets are computed, the others are the samples' own."""
    if not slice_by:
        return {}
    return {slice_by if slice_by in ("calls", "targets") else f"facet.{slice_by}": slice}
