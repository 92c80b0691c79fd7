"""The fields of the query language: one table for parser, completion, help and both readings of a query."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evaluation.metrics.columns import ChainStatus, Outcome, Quadrant, VerdictBy
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.reading import CLASSES, REASONS, RULES, WHERES


class Kind(StrEnum):
    FLAG = "yes or no"
    CHOICE = "one of a few"
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
    """One field. ``column``: its name in ``evaluation.query.masks.Columns``; "" when only the database knows it."""

    name: str
    kind: Kind
    about: str
    column: str = ""
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def _flag(name: str, about: str, column: str = "", *aliases: str) -> Field:
    return Field(name, Kind.FLAG, about, column, YES_NO, aliases)


def _number(name: str, about: str, column: str = "", *aliases: str) -> Field:
    return Field(name, Kind.NUMBER, about, column, aliases=aliases)


def _choice(name: str, about: str, choices: tuple[str, ...], column: str = "", *aliases: str) -> Field:
    return Field(name, Kind.CHOICE, about, column, choices, aliases)


_ALL = (
    # Samples
    Field("sample", Kind.NAME, "id of the sample; sh-* all that begin so", aliases=("id",)),
    _choice("type", "how the question is answered", ("mc", "open")),
    _number("boxes", "gold boxes"),
    _number("area", "share of the picture that is evidence: area<0.05%", "area", "evidence_share"),
    _number("targets", "tools that the gold plan needs"),
    # The trajectory
    Field("trajectory", Kind.NAME, "numbers of trajectories: trajectory:7 or trajectory:7,12"),
    Field("run", Kind.NAME, "run: its number, its model, or model and setting", "run", aliases=("model",)),
    Field("condition", Kind.NAME, "intervention: none, text, visual, placebo", "condition"),
    _number("rollout", "0 is the first", "rollout"),
    _flag("failed", "an error record", "failed"),
    _flag("scored", "has scores", "scored"),
    _flag("priced", "its price is known"),
    _number("usd", "price in US dollars", "usd", "price"),
    _number("seconds", "time it took", "seconds"),
    _number("input_tokens", "tokens read", "input_tokens"),
    _number("output_tokens", "tokens written", "output_tokens"),
    # The answer
    _choice("correct", "verdict on the answer; none: there is no right answer", ("yes", "no", "undecided"), "correct"),
    _flag("right", "right; no: wrong or undecided", "right"),
    _flag("wrong", "not right, where the answer counts in accuracy", "wrong"),
    _flag("undecided", "right or wrong cannot be told", "undecided"),
    _flag("unread", "no answer could be read from what was said", "unread", "unparsed"),
    _choice("reading_where", "where the answer was read", WHERES, "reading_where"),
    _choice("reading_rule", "rule by which it was read", RULES, "reading_rule"),
    _choice("reading_class", "how sure the rule is", CLASSES, "reading_class"),
    _choice("unread_reason", "why it is unread, or undecided by rule", READING_REASONS, "unread_reason", "reason"),
    _flag("unanswered", "says nothing", "unanswered"),
    _flag("counted", "counts in accuracy", "right"),
    _choice("verdict_by", "what decided the answer", VerdictBy.NAMES),
    _choice("file_verdict", "the verdict of the imported file; none: it has none", ("yes", "no")),
    _choice("reading_correct", "the verdict of reading alone; none: it decides nothing", ("yes", "no")),
    _choice("file_differs", "the file's verdict and that of reading, where both decide", ("yes", "no")),
    # Grounding
    _choice("quadrant", "grounded or not, right or not", Quadrant.NAMES, "quadrant"),
    _flag("population", "in the grounding population", "population"),
    _flag("grounded", "the crop holds the evidence", "grounded"),
    _flag("zoomed", "made a zoom call", "zoomed"),
    _flag("evidence", "saw a picture that a call returned", "evidence"),
    _flag("unusable", "has a crop that cannot be placed", "unusable"),
    _number("ioa", "intersection over area, as the settings say", "ioa"),
    _number("ioa_gt", "share of the gold that the crop holds", "coverage", "coverage"),
    _number("ioa_pred", "share of the crop that is gold", "concentration", "concentration"),
    _number("union_coverage", "share of the gold region that all crops cover together", "union_coverage"),
    _number("iou", "intersection over union", "iou"),
    Field("crop_cell", Kind.NAME, "cell of the heat map with the centre of the crop: crop_cell:3-5"),
    _flag("center_hit", "the crop's centre is on gold", "center_hit"),
    _number("zoom", "how many times the crop enlarges", "zoom_factor"),
    _number("region", "area of the crops / area of the picture", "cropped_region_size"),
    _number("crops", "usable crops", "usable_crops"),
    # The toolchain
    _number("calls", "tool calls, as counted in scores", "calls", "turns"),
    _number("tools", "distinct tools", "unique_tools"),
    _number("chain", "calls that reached the final picture", "effective_calls", "effective_calls"),
    _number("reference_calls", "calls of the reference toolchain", "reference_calls"),
    _number("edit_distance", "edits to the reference toolchain", "edit_distance"),
    _number("kendall_tau", "order against the reference toolchain", "kendall_tau"),
    _choice("chain_status", "how the chain hangs together", ChainStatus.NAMES, "chain_status"),
    _flag("reference", "its sample has a reference toolchain", "reference"),
    Field("tool", Kind.NAME, "calls this tool, under the name it was called by"),
    Field("reference_tool", Kind.NAME, "the reference toolchain it is held against has this tool"),
    Field("aligned", Kind.NAME, "reference tool > tool called in its place; one side empty: missing or added"),
    Field("followed", Kind.NAME, "a tool > the next one; one side empty: the chain begins or ends there"),
    Field("tool_failed", Kind.NAME, "a call of this tool failed; any: of any tool"),
    # The plan
    _choice("outcome", "what became of the tool plan", Outcome.NAMES, "outcome"),
    _flag("planned", "its plan is scored", "planned"),
    _number("missing", "targets the plan lacks", "plan_missing"),
    _number("extra", "tools the plan has beyond its targets", "plan_extra"),
    _number("prefix", "correct steps before the first wrong one", "plan_prefix"),
    # What went wrong, and what people say
    _choice("failure", "what went wrong, by rule or as corrected", FAILURES, "failure", "why"),
    Field("failure_by", Kind.NAME, "numbers of people who all said what went wrong; any: somebody did"),
    Field("tag", Kind.NAME, "a tag, shared or your own; none: without any"),
    Field("note", Kind.TEXT, "words in a note on the trajectory"),
    Field("question", Kind.TEXT, "words in the question"),
    Field("answer", Kind.TEXT, "words in the answer as it was said"),
    Field("transcript", Kind.TEXT, "words in what was said or seen in a turn"),
    # Between trajectories of one sample
    _choice("flip", "a condition changed the answer", ("lost", "gained")),
    _choice("repeats", "right in which of the sample's counted rollouts, of two or more", REPEATED),
    _choice("paired", "has a trajectory without a condition beside it", ("yes", "evidence")),
    Field("beside", Kind.NAME, "the same run has a scored trajectory under this condition"),
    _choice("judged", "a judge gave a verdict of this kind", ("reliability", "sufficiency", "answer")),
    _choice("unjudged", "no judge gave a verdict of this kind", ("reliability", "sufficiency", "answer")),
    Field("right_in", Kind.NAME, "numbers of runs that are right on the sample: right_in:3 or right_in:3,4"),
    Field("wrong_in", Kind.NAME, "numbers of runs that are wrong on the sample"),
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
