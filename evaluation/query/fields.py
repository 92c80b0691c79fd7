"""The fields of the query language: one table for parser, completion, help and both readings of a query."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evaluation.metrics.columns import ChainStatus, Outcome, Quadrant, VerdictBy
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
"""Why answers are unread; "none" is undefined in every field, so that the reason of that name has another one here."""
REPEATED = ("always", "some", "never")
"""How the rollouts of one sample in one run turned out, where at least two count in accuracy."""


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
        """Its column in ``evaluation.store.schema``, where it has one."""
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
    Field("sample", Kind.NAME, "sample id; sh-* matches a prefix", aliases=("id",)),
    _choice("type", "answer type", ("mc", "open")),
    _number("boxes", "gold boxes"),
    _number("area", "share of the image that is gold region: area<0.05%", "evidence_share"),
    _number("targets", "tools that the gold plan needs"),
    # The trajectory
    Field("trajectory", Kind.NAME, "numbers of trajectories: trajectory:7 or trajectory:7,12"),
    Field("run", Kind.NAME, "run: its number, its model, or model and setting", aliases=("model",)),
    Field("condition", Kind.NAME, "intervention: none, text, visual, placebo"),
    _number("rollout", "0 is the first"),
    _flag("failed", "ended in an error"),
    _flag("scored", "has scores"),
    _flag("priced", "its price is known"),
    _number("usd", "price in US dollars", "price"),
    _number("seconds", "duration in seconds"),
    _number("input_tokens", "input tokens"),
    _number("output_tokens", "output tokens"),
    # The answer
    _choice("correct", "verdict on the answer; none: no gold answer", ("yes", "no", "undecided")),
    _flag("right", "correct; no: incorrect or undecided"),
    _flag("wrong", "not correct, where the answer counts in accuracy"),
    _flag("undecided", "no rule can decide the answer, and no judgment exists"),
    _flag("unread", "no answer could be read from the output", "unparsed"),
    Field("reading", Kind.NAME, "the answer read: an option letter, or a value"),
    Field("file_reading", Kind.NAME, "the answer as read by the imported file"),
    _choice("reading_where", "where the answer was read", WHERES),
    _choice("reading_rule", "rule by which it was read", RULES),
    _choice("reading_class", "confidence class of the rule", CLASSES),
    _choice("reading_flag", "further remarks on the reading", READING_FLAGS),
    _choice("unread_reason", "why it is unread, or undecided by rule", READING_REASONS, "reason"),
    _flag("unanswered", "gave no answer"),
    _flag("counted", "counts in accuracy"),
    _choice("verdict_by", "what decided the answer", VerdictBy.NAMES),
    _choice("file_verdict", "the verdict of the imported file; none: it has none", ("yes", "no")),
    _choice("reading_correct", "the verdict by rule alone; none: undecided", ("yes", "no")),
    _choice("file_differs", "the file's verdict differs from the verdict by rule", ("yes", "no")),
    # Grounding
    _choice("quadrant", "grounded or not, correct or not", Quadrant.NAMES),
    _flag("population", "in the grounding population"),
    _flag("grounded", "the IoA of the scored crop is above the threshold"),
    _flag("zoomed", "made a zoom call"),
    _flag("evidence", "received an image from a call"),
    _flag("unusable", "has a crop with an unknown region"),
    _number("ioa", "intersection over area, by the metric settings"),
    _number("ioa_gt", "share of the gold region inside the crop", "coverage"),
    _number("ioa_pred", "share of the crop that is gold", "concentration"),
    _number("union_coverage", "share of the gold region that all crops cover together"),
    _number("iou", "intersection over union"),
    Field("crop_cell", Kind.NAME, "cell of the heat map with the center of the crop: crop_cell:3-5"),
    _flag("center_hit", "the crop's center is in a gold box"),
    _number("zoom", "magnification of the crop"),
    _number("region", "area of the crops / area of the image"),
    _number("crops", "usable crops"),
    # The toolchain
    _number("calls", "tool calls, as counted in scores", "turns"),
    _number("tools", "distinct tools"),
    _number("chain", "effective calls", "effective_calls"),
    _number("reference_calls", "calls of the reference toolchain"),
    _number("edit_distance", "edits to the reference toolchain"),
    _number("kendall_tau", "order against the reference toolchain"),
    _choice("chain_status", "state of the effective toolchain", ChainStatus.NAMES),
    _flag("reference", "its sample has a reference toolchain"),
    Field("tool", Kind.NAME, "calls this tool, under the name it was called by"),
    Field("reference_tool", Kind.NAME, "its reference toolchain has this tool"),
    Field("aligned", Kind.NAME, "reference tool > tool called instead; one side empty: missing or added"),
    Field("followed", Kind.NAME, "a tool > the next one; one side empty: the toolchain starts or ends there"),
    Field("tool_failed", Kind.NAME, "a call of this tool failed; any: of any tool"),
    # The plan
    _choice("outcome", "outcome of the tool plan", Outcome.NAMES),
    _flag("planned", "its plan is scored"),
    _number("missing", "targets the plan lacks"),
    _number("extra", "tools the plan has beyond its targets"),
    _number("prefix", "correct steps before the first incorrect one"),
    _number("omitted", "targets the plan lacks, although the same model recognized them"),
    _number("unrecognized", "targets the plan lacks, and the same model did not recognize"),
    _number("in_scene", "extra tools of the plan that are distractors in the scene"),
    _number("repeated", "extra tools of the plan that are targets named before"),
    _number("hallucinated", "extra tools of the plan that are not in the scene"),
    _number("f1_difference", "F1 of tool selection minus F1 of tool recognition"),
    # What went wrong, and what people say
    _choice("failure", "failure, by rule or as corrected by a person", FAILURES, "why"),
    Field("failure_by", Kind.NAME, "numbers of people who all set a failure; any: at least one person"),
    Field("tag", Kind.NAME, "a tag, shared or your own; none: without any"),
    Field("note", Kind.TEXT, "words in a note on the trajectory"),
    Field("question", Kind.TEXT, "words in the question"),
    Field("answer", Kind.TEXT, "words in the model answer"),
    Field("transcript", Kind.TEXT, "words in the text or result of a turn"),
    # Between trajectories of one sample
    _choice("flip", "an intervention changed the verdict", ("lost", "gained")),
    _choice("repeats", "how many counted rollouts of the sample are correct, of two or more", REPEATED),
    _choice("paired", "the same run has a trajectory without intervention", ("yes", "evidence")),
    Field("beside", Kind.NAME, "the same run has a scored trajectory under this condition"),
    _choice("judged", "a judge gave a verdict of this kind", ("reliability", "sufficiency", "answer")),
    _choice("unjudged", "no judge gave a verdict of this kind", ("reliability", "sufficiency", "answer")),
    Field("right_in", Kind.NAME, "numbers of runs that are correct on the sample: right_in:3 or right_in:3,4"),
    Field("wrong_in", Kind.NAME, "numbers of runs that are incorrect on the sample"),
    Field("shared_with", Kind.NAME, "numbers of runs whose answer on the sample counts"),
    Field("cropped_in", Kind.NAME, "numbers of runs with a usable crop on the sample"),
    Field("population_in", Kind.NAME, "numbers of runs with the sample in their grounding population"),
    Field("grounded_in", Kind.NAME, "numbers of runs that are grounded on the sample"),
    Field("ungrounded_in", Kind.NAME, "numbers of runs that are in that population, and not grounded"),
)
FIELDS: Mapping[str, Field] = {name: field for field in _ALL for name in (field.name, *field.aliases)}
"""Every field by its name and by its aliases. Any other name is a facet of the samples: ``category:Counting``, or
``facet.NAME:value`` when a field has its name."""
FLAGS: Mapping[str, str] = {
    **{name: "yes" for field in _ALL if field.kind is Kind.FLAG for name in (field.name, *field.aliases)},
    "correct": "yes",
}
"""Words that stand alone, and the value they mean."""


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
