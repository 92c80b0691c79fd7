"""Applies a mapping of keys to the beginning of an uploaded file: a tree of its keys, and a preview. Nothing is
written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from annotation.content.records import record_of
from annotation.importers.interface import ImportProblem, Progress
from annotation.models import Benchmark, ImportRecord, Sample
from annotation.schema import ORIGINAL, Issue, Severity
from evaluation.common.extraction.read import answer_keys
from evaluation.importers.interface import ReadOptions
from evaluation.importers.mapped.doubts import Reading, boxes_of, doubts
from evaluation.importers.mapped.mapping import KeyMapping, mapping_from
from evaluation.importers.mapped.outline import Outline, outline_of
from evaluation.importers.mapped.proposals import propose
from evaluation.importers.mapped.reading import read
from evaluation.importers.matching import normalised
from evaluation.imports.read.mappings import saved_for_keys
from evaluation.imports.read.samples import sample_index
from evaluation.imports.write.preview.file import IssueCollector
from evaluation.imports.write.preview.scores import shown_trajectories
from evaluation.imports.write.upload import path_of
from evaluation.metrics.extraction import Tally
from evaluation.metrics.records import VERDICTS
from evaluation.models import SavedMapping
from evaluation.schema import Trajectory
from evaluation.scoring.settings import settings_of

ROWS = 300
"""The number of rows at the beginning of a file in a preview."""
SHOWN = 5
ENOUGH = 20
SAID_GOLD = 0.95
"""From this share of answers on that equal the gold answer, the key may hold it."""


@dataclass(frozen=True)
class Begun:
    """An initial mapping and its source: read, saved, or suggested."""

    mapping: KeyMapping
    source: str
    saved: SavedMapping | None = None


@dataclass(frozen=True)
class KeyPreview:
    """The first rows as read: ``counts``, the issues by rule, five trajectories with crops, what is doubtful.
    ``inside``: the share of boxes in their images; ``likelier``: what else they may be. ``problem``: why nothing can be
    read."""

    problem: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    issues: list[dict[str, Any]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    inside: float = 1.0
    likelier: list[Reading] = field(default_factory=list)
    is_gold: bool = False
    whole: bool = False
    answers: dict[str, Any] = field(default_factory=dict)
    """A preview of reading the answers (``evaluation.metrics.extraction``)."""


def outline_for(record: ImportRecord) -> Outline:
    """The beginning of the record's file. Raises ``ImportProblem``."""
    return outline_of(path_of(record))


def begun(record: ImportRecord, outline: Outline) -> Begun:
    """The mapping the record has, else the one saved for these keys, else what the values suggest."""
    if record.options.get("mapping"):
        return Begun(mapping_from(record.options["mapping"]), "read")
    if saved := saved_for_keys(record.benchmark, path_of(record)):
        return Begun(mapping_from(saved.mapping), "saved", saved)
    return Begun(propose(outline, is_sample=ids_of(record)), "proposed")


def ids_of(record: ImportRecord) -> Callable[[str], bool]:
    """Whether a text is the id of a sample of the record's benchmark."""
    return sample_index(record.benchmark).__contains__


def preview(record: ImportRecord, mapping: KeyMapping) -> KeyPreview:
    """The first ``ROWS`` rows of the file as the mapping reads them."""
    if problem := mapping.problem():
        return KeyPreview(problem)
    issues, counts = IssueCollector(), Counter[str]()
    found: list[Trajectory] = []
    options = ReadOptions(
        record.options.get("model", ""), record.options.get("setting", ""), keys=mapping, glimpse=True
    )
    whole = True
    try:
        for item in read(path_of(record), options, sample_index(record.benchmark)):
            if isinstance(item, Issue):
                issues.take(item)
                counts[item.severity.value] += 1
            elif isinstance(item, Trajectory):
                found.append(item)
            ended = isinstance(item, Progress) and item.bytes_read >= item.bytes_total
            if len(found) + counts[Severity.REFUSED] >= ROWS or (isinstance(item, Progress) and not ended):
                whole = False
                break
    except ImportProblem as error:
        return KeyPreview(str(error), counts, issues.as_list())
    return _looked_at(record, mapping, found, counts, issues, whole=whole)


def _looked_at(
    record: ImportRecord,
    mapping: KeyMapping,
    found: list[Trajectory],
    counts: Counter[str],
    issues: IssueCollector,
    *,
    whole: bool,
) -> KeyPreview:
    """Return the findings of the first trajectories about the mapping."""
    stored = Sample.objects.filter(benchmark=record.benchmark, key__in={one.sample_id for one in found})
    sizes = {key: (width, height) for key, width, height in stored.values_list("key", "width", "height")}
    shown = shown_trajectories(record.benchmark, found, {})
    steps = [step for one in found for step in one.steps]
    counts.update(
        rows=len(found) + counts[Severity.REFUSED],
        joined=len(found),
        calls=len(steps),
        boxes=sum(step.bbox is not None for step in steps),
        off_original=sum(step.bbox is not None and step.image_in != ORIGINAL for step in steps),
        answers=sum(one.answer is not None for one in found),
        unread=sum(row["unread"] for row in shown),
        failed=sum(bool(one.error) for one in found),
    )
    boxes = [
        box for one in found for box in boxes_of(one.steps, sizes.get(one.sample_id, (None, None)), mapping.box_form)
    ]
    space = mapping.space
    share, likelier = (1.0, []) if space.size else doubts(boxes, mapping.box_form, space.kind)
    drawn = sorted(shown, key=lambda row: not row["crops"])[:SHOWN]
    is_gold = _is_gold(record.benchmark, found)
    said = _answers(record.benchmark, found)
    return KeyPreview("", counts, issues.as_list(), drawn, share, likelier, is_gold, whole, said)


def _answers(benchmark: Benchmark, found: list[Trajectory]) -> dict[str, Any]:
    """The report on how the answers would be read."""
    keys, answers = answer_keys(benchmark, {one.sample_id for one in found}), Tally(settings_of(benchmark))
    for one in found:
        if key := keys.get(one.sample_id):
            answers.take(one.answer, key, VERDICTS[one.judge_correct])
    return answers.report()


def _is_gold(benchmark: Benchmark, found: list[Trajectory]) -> bool:
    """Whether the answers are, word for word, the gold answers: then the key may be that of the gold."""
    answered = {one.sample_id: normalised(one.answer) for one in found if one.answer}
    if len(answered) < ENOUGH:
        return False
    same = 0
    for sample in Sample.objects.filter(benchmark=benchmark, key__in=answered).with_gold():
        content = record_of(sample).content
        texts = [*content.answers, *(content.options.get(letter, "") for letter in content.answers)]
        same += answered[sample.key] in {normalised(text) for text in texts if text}
    return same >= SAID_GOLD * len(answered)
