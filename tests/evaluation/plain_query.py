"""What a query means, read plainly: every trajectory of a benchmark as an object, and each part of a query asked of it.

Slow, and without the store: ``tests/evaluation/test_query_meaning.py`` holds the engine against it.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import Q

from annotation.models import PlanTool
from evaluation.metrics.chains import half_word, pair_word
from evaluation.metrics.columns import ChainStatus, NoGrounding, Outcome, Quadrant, VerdictBy
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.heatmap import COLUMNS, ROWS
from evaluation.metrics.names import canonical_name
from evaluation.metrics.reading import CLASSES, RULES, WHERES
from evaluation.models import FailureLabel, Judgement, Run, Tagging, Trajectory
from evaluation.query.fields import FIELDS, READING_REASONS
from evaluation.query.numbers import bounds
from evaluation.query.syntax import And, Not, OnOtherTrajectory, Or, Text, fields_in
from evaluation.schema import FILE_READINGS
from evaluation.store.snapshot import run_names
from tests.evaluation.scores import all_scores

FLAGS = {
    "undecided": "undecided", "unread": "unread", "unanswered": "missing_answer", "population": "in_population",
    "grounded": "grounded", "zoomed": "invoked", "evidence": "visual_evidence", "center_hit": "center_hit",
}  # fmt: skip
NUMBERS = {
    "ioa": "ioa", "ioa_gt": "coverage", "ioa_pred": "concentration", "iou": "iou", "union_coverage": "union_coverage",
    "zoom": "zoom_factor", "region": "cropped_region_size", "crops": "usable_crops", "calls": "calls",
    "tools": "unique_tools", "chain": "effective_calls", "reference_calls": "reference_calls",
    "edit_distance": "edit_distance", "missing": "plan_missing", "extra": "plan_extra", "prefix": "plan_prefix",
    "kendall_tau": "kendall_tau", "omitted": "plan_omitted", "unrecognized": "plan_unrecognized",
    "in_scene": "plan_in_scene", "repeated": "plan_repeated", "hallucinated": "plan_hallucinated",
    "f1_difference": "f1_difference",
}  # fmt: skip
CODES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "quadrant": ("quadrant", Quadrant.NAMES), "outcome": ("plan_outcome", Outcome.NAMES),
    "chain_status": ("chain_status", ChainStatus.NAMES), "reading_where": ("reading_where", WHERES),
    "reading_rule": ("reading_rule", RULES), "reading_class": ("reading_class", CLASSES),
    "unread_reason": ("unread_reason", READING_REASONS), "no_grounding": ("no_grounding", NoGrounding.NAMES),
}  # fmt: skip
THREE = ("file_verdict", "reading_correct")
IN_RUNS: Mapping[str, Callable[[Any], bool]] = {
    "right_in": lambda score: verdict(score) == "yes",
    "wrong_in": lambda score: verdict(score) in ("no", "undecided"),
    "shared_with": lambda score: verdict(score) in ANSWERED,
    "cropped_in": lambda score: score.usable_crops > 0,
    "population_in": lambda score: score.in_population,
    "grounded_in": lambda score: score.grounded is True,
    "ungrounded_in": lambda score: score.in_population and score.grounded is False,
}
ANSWERED = ("yes", "no", "undecided")
WORD = re.compile(r"[^\W_]+")


def spaced(text: str) -> str:
    return f" {' '.join(re.findall(WORD, text.casefold()))} "


def verdict(score: Any) -> str:
    """Where nothing says what is right there is none."""
    return "undecided" if score.undecided else {True: "yes", False: "no", None: "none"}[score.correct]


class Plain:
    """Every trajectory of a benchmark as objects, and a query asked of each, slowly."""

    def __init__(self, benchmark: Any, person: Any) -> None:
        rows = Trajectory.objects.of(benchmark).select_related("run__model", "sample__gold__revision")
        related = ("steps", "sample__facets", "sample__gold__revision__gold_boxes", "notes")
        self.rows: list[Any] = list(rows.prefetch_related(*related))
        self.scores: dict[int, Any] = all_scores()
        self.names = run_names(list(Run.objects.of(benchmark)))
        labels = list(FailureLabel.objects.values_list("trajectory_id", "failure", "person_id", "current"))
        self.said = {pk: failure for pk, failure, _, current in labels if current}
        self.said_by = {(pk, person) for pk, _, person, _ in labels}
        seen = Tagging.objects.filter(Q(tag__owner=None) | Q(tag__owner__in=[person] if person else []))
        self.tags = set(seen.values_list("trajectory_id", "tag__name"))
        targets = PlanTool.objects.filter(revision__gold_of__sample__benchmark=benchmark, step__isnull=False)
        self.targets = Counter(targets.values_list("revision__gold_of__sample_id", flat=True))
        self.judgements = list(Judgement.objects.of_models().filter(run__benchmark=benchmark))
        plain = sorted((row for row in self.rows if row.condition == "none"), key=lambda row: row.rollout)
        self.lowest = {(row.run_id, row.sample_id): row for row in reversed(plain)}
        self.evaluated = {row.pk for row in self.lowest.values()}

    def list(self, node: Any) -> set[int]:
        named = fields_in(node)
        about = [
            row
            for row in self.rows
            if named & {"condition", "flip"}
            or (row.condition == "none" if "rollout" in named else row.pk in self.evaluated)
        ]
        return {row.pk for row in about if self.meets(row, node)}

    def meets(self, row: Any, node: Any) -> bool:
        if isinstance(node, And | Or):
            return (all if isinstance(node, And) else any)(self.meets(row, part) for part in node.parts)
        if isinstance(node, Not):
            return not self.meets(row, node.part)
        if isinstance(node, OnOtherTrajectory):
            there = self.list(node.part)
            return any(other.sample_id == row.sample_id for other in self.rows if other.pk in there)
        if isinstance(node, Text):
            return any(self.says(row, name, node.value) for name in ("question", "answer", "transcript"))
        return self.compares(row, node)

    def says(self, row: Any, name: str, phrase: str) -> bool:
        said = [text for step in row.steps.all() for text in (step.text, step.observation)]
        texts = {
            "question": [revision.question] if (revision := self.revision(row)) else [],
            "answer": [row.answer or ""],
            "note": [note.text for note in row.notes.all()],
        }.get(name, said)
        # One space before and behind each word: a phrase is then a part of the text.
        wanted = spaced(phrase).rstrip(" " if phrase.endswith("*") else "\n")
        return any(wanted in spaced(text) for text in texts)

    def revision(self, row: Any) -> Any:
        return row.sample.gold.revision if hasattr(row.sample, "gold") else None

    def compares(self, row: Any, term: Any) -> bool:
        known, value, score = FIELDS.get(term.field), term.value, self.scores.get(row.pk)
        if known is None:
            return self.has_facet(row, term.field.removeprefix("facet."), value)
        name = known.name
        if name in ("question", "answer", "transcript", "note"):
            return self.says(row, name, value)
        if name in FLAGS:
            return score is not None and getattr(score, FLAGS[name]) is (value == "yes")
        if name in NUMBERS or name in OF_ROW:
            own = OF_ROW[name](self, row) if name in OF_ROW else getattr(score, NUMBERS[name], None)
            return within(bounds(term), own)
        if name in CODES:
            path, names = CODES[name]
            return score is not None and meets_code(getattr(score, path), names, value)
        if name in IN_RUNS:
            return self.in_runs(row, value, IN_RUNS[name])
        if name in OF_SCORE:
            return score is not None and OF_SCORE[name](score, value)
        return bool(OTHERS[name](self, row, value))

    def has_facet(self, row: Any, name: str, value: str) -> bool:
        own = {one.value for one in row.sample.facets.all() if one.name == name}
        return {"any": bool(own), "none": not own}.get(value, value in own)

    def in_runs(self, row: Any, value: str, holds: Callable[[Any], bool]) -> bool:
        runs = value.split(",")
        if len(runs) > 6 or not all(run.isdigit() for run in runs):
            return False
        there = [self.lowest.get((int(run), row.sample_id)) for run in runs]
        return all(one is not None and one.pk in self.scores and holds(self.scores[one.pk]) for one in there)

    def calls(self, row: Any, value: str, *, failed: bool) -> bool:
        """Calls after the answer count nowhere."""
        steps = [step for step in row.steps.all() if step.flag != "post_answer" and not (failed and step.ok)]
        called = {step.tool for step in steps}
        named = json.loads(value) if value.startswith("[") else [value]
        return {"any": bool(called), "none": not called}.get(value, bool(called & set(named)))

    def fails(self, row: Any, value: str) -> bool:
        """What a person says goes before the rule; people may say that nothing went wrong."""
        code = self.said.get(row.pk, getattr(self.scores.get(row.pk), "failure", None))
        return code is not None and meets_code(code, FAILURES, value)

    def failed_by(self, row: Any, value: str) -> bool:
        people = {person for pk, person in self.said_by if pk == row.pk}
        if value in ("any", "none"):
            return bool(people) is (value == "any")
        return all(int(person) in people for person in value.split(","))

    def tagged(self, row: Any, value: str) -> bool:
        own = {name for pk, name in self.tags if pk == row.pk}
        return {"any": bool(own), "none": not own}.get(value, value in own)

    def beside(self, row: Any) -> list[Any]:
        """The scored trajectories of the same run on the same sample."""
        same = (row.run_id, row.sample_id)
        return [one for one in self.rows if (one.run_id, one.sample_id) == same and one.pk in self.scores]

    def paired(self, row: Any, value: str) -> bool:
        plain = [self.scores[one.pk] for one in self.beside(row) if one.pk in self.evaluated]
        found = [score for score in plain if value != "evidence" or score.visual_evidence]
        return row.pk in self.scores and (not plain if value == "none" else bool(found))

    def flips(self, row: Any, value: str) -> bool:
        plain = [self.scores[one.pk] for one in self.beside(row) if one.pk in self.evaluated]
        if row.condition == "none" or not plain or row.pk not in self.scores:
            return False
        before, after = verdict(plain[0]), verdict(self.scores[row.pk])
        wrong = ("no", "undecided")
        return {"lost": before == "yes" and after in wrong, "gained": before in wrong and after == "yes"}[value]

    def repeats(self, row: Any, value: str) -> bool:
        """How the rollouts of the same run on the same sample turned out that count in accuracy."""
        there = [verdict(self.scores[one.pk]) for one in self.beside(row) if one.condition == "none"]
        found = [said for said in there if said in ANSWERED]
        way = {len(found): "always", 0: "never"}.get(found.count("yes"), "some") if len(found) >= 2 else "none"
        return way != "none" if value == "any" else way == value

    def judged(self, row: Any, kind: str) -> bool:
        """A judge said something of this kind on the sample, and of no other trajectory by name."""
        return any(
            (one.run_id, one.sample_id, one.kind) == (row.run_id, row.sample_id, kind)
            and one.trajectory_id in (None, row.pk)
            and (bool((one.verdict or "").strip()) or (kind == "sufficiency" and one.answer is not None))
            for one in self.judgements
        )

    def measured(self, row: Any, value: str) -> bool:
        """Of the first rollouts without an intervention; scores of a run that changed since say nothing of metrics."""
        score = self.scores.get(row.pk)
        if score is None:
            return False
        known = row.pk in self.evaluated and score.n_accuracy is not None
        if value in ("any", "none"):
            return known is (value == "any")
        return known and value in IN_METRIC and IN_METRIC[value](score)

    def sees(self, row: Any) -> bool:
        return row.pk in self.scores and self.scores[row.pk].visual_evidence

    def crop_cell(self, row: Any, value: str) -> bool:
        score, wanted = self.scores.get(row.pk), re.fullmatch(r"(\d{1,3})-(\d{1,3})", value)
        if score is None or wanted is None or not score.in_population or score.crop_x1 is None:
            return False
        across = cell_of(score.crop_x1 + score.crop_x2, row.sample.width, COLUMNS)
        down = cell_of(score.crop_y1 + score.crop_y2, row.sample.height, ROWS)
        return (across, down) == (int(wanted[1]), int(wanted[2]))


def within(wanted: Any, number: float | None) -> bool:
    if number is None or not wanted.defined:
        return number is None and not wanted.defined
    return bool(wanted.low < number < wanted.high or wanted.low == -math.inf == -wanted.high)


def cell_of(both: float, side: int, cells: int) -> int:
    """The cell with the centre of an interval whose ends have this sum."""
    return max(place for place in range(cells) if place == 0 or both * cells >= 2 * place * side)


def meets_code(code: int, names: tuple[str, ...], value: str) -> bool:
    if value in ("any", "none"):
        return (code >= 0) is (value == "any")
    return code >= 0 and names[code] == value


def three(found: bool | None, value: str) -> bool:
    return {"yes": found is True, "no": found is False, "any": found is not None, "none": found is None}[value]


def named(found: str, value: str) -> bool:
    return {"any": found != "", "none": found == ""}.get(value, found == value)


def flagged(score: Any, value: str) -> bool:
    flags = score.reading_flags.split()
    return {"any": bool(flags), "none": not flags}.get(value, value in flags)


def paired_words(words: str, value: str) -> bool:
    found = [word for word in words.split("\n") if word]
    if value in ("any", "none"):
        return bool(found) is (value == "any")
    first, between, second = value.partition(">")
    return bool(between) and pair_word(canonical_name(first), canonical_name(second)) in found


def refers(score: Any, value: str) -> bool:
    if value in ("any", "none"):
        return (score.reference_calls is not None) is (value == "any")
    own = {word.split(">")[0] for word in score.aligned.split("\n") if word}
    return half_word(canonical_name(value)) in own


def differs(score: Any) -> bool | None:
    sides = score.file_verdict, score.reading_correct
    return None if None in sides else sides[0] is not sides[1]


def file_reading(row: Any) -> str | None:
    found = next((row.extra[name] for name in FILE_READINGS if row.extra.get(name) is not None), None)
    return None if found is None else str(found)


OF_ROW: Mapping[str, Callable[[Plain, Any], float | None]] = {
    "area": lambda plain, row: row.sample.evidence_share,
    "rollout": lambda plain, row: row.rollout,
    "boxes": lambda plain, row: len(revision.gold_boxes.all()) if (revision := plain.revision(row)) else 0,
    "targets": lambda plain, row: plain.targets[row.sample_id],
    "usd": lambda plain, row: row.usd,
    "seconds": lambda plain, row: row.seconds,
    "input_tokens": lambda plain, row: row.input_tokens,
    "output_tokens": lambda plain, row: row.output_tokens,
}
IN_METRIC: Mapping[str, Callable[[Any], bool]] = {
    "accuracy": lambda score: verdict(score) in ANSWERED,
    "calls_mean": lambda _: True,
    "mean_coverage": lambda score: score.in_population,
    "exact_match": lambda score: score.plan_outcome >= 0,
    "f1_difference": lambda score: score.f1_difference is not None,
}
OF_SCORE: Mapping[str, Callable[[Any, str], bool]] = {
    "correct": lambda score, value: verdict(score) in (ANSWERED if value == "any" else [value]),
    "right": lambda score, value: verdict(score) in (["yes"] if value == "yes" else ["no", "undecided"]),
    "verdict_by": lambda score, value: value in ("any", VerdictBy.NAMES[score.verdict_by]),
    "file_verdict": lambda score, value: three(score.file_verdict, value),
    "reading_correct": lambda score, value: three(score.reading_correct, value),
    "file_differs": lambda score, value: three(differs(score), value),
    "reading": lambda score, value: named(score.letter, value),
    "reading_flag": flagged,
    "unusable": lambda score, value: (score.unusable_crops > 0) is (value == "yes"),
    "reference": lambda score, value: (score.reference_calls is not None) is (value == "yes"),
    "planned": lambda score, value: (score.plan_outcome >= 0) is (value == "yes"),
    "aligned": lambda score, value: paired_words(score.aligned, value),
    "followed": lambda score, value: paired_words(score.followed, value),
    "reference_tool": refers,
}
"""Of what is scored; where it is not, none of these holds."""
OTHERS: Mapping[str, Callable[[Plain, Any, str], Any]] = {
    "sample": lambda plain, row, value: (
        row.sample.key.startswith(value[:-1]) if value.endswith("*") else row.sample.key == value
    ),
    "type": lambda plain, row, value: plain.revision(row) and plain.revision(row).answer_type == value,
    "trajectory": lambda plain, row, value: any(
        first.isdecimal() and (last or first).isdecimal() and int(first) <= row.pk <= int(last or first)
        for first, _, last in (part.partition("-") for part in value.split(","))
    ),
    "run": lambda plain, row, value: row.run_id in plain.names.get(value, ()),
    "condition": lambda plain, row, value: row.condition == value,
    "failed": lambda plain, row, value: bool(row.error) is (value == "yes"),
    "measured": Plain.measured,
    "scored": lambda plain, row, value: (row.pk in plain.scores) is (value == "yes"),
    "priced": lambda plain, row, value: (row.usd is not None) is (value == "yes"),
    "wrong": lambda plain, row, value: (
        (row.pk in plain.scores and verdict(plain.scores[row.pk]) in ("no", "undecided")) is (value == "yes")
    ),
    "counted": lambda plain, row, value: (
        (row.pk in plain.scores and verdict(plain.scores[row.pk]) in ANSWERED) is (value == "yes")
    ),
    "file_reading": lambda plain, row, value: named(file_reading(row) or "", value),
    "crop_cell": Plain.crop_cell,
    "tool": lambda plain, row, value: plain.calls(row, value, failed=False),
    "tool_failed": lambda plain, row, value: plain.calls(row, value, failed=True),
    "failure": Plain.fails,
    "failure_by": Plain.failed_by,
    "tag": Plain.tagged,
    "flip": Plain.flips,
    "repeats": Plain.repeats,
    "paired": Plain.paired,
    "beside": lambda plain, row, value: any(one.condition == value for one in plain.beside(row)),
    "judged": lambda plain, row, value: plain.sees(row) and plain.judged(row, value),
    "unjudged": lambda plain, row, value: plain.sees(row) and not plain.judged(row, value),
}
