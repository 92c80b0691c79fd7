"""The preview of a file that was already imported with other choices: the affected runs, and the losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.models import ImportRecord
from evaluation.imports.write.lists import lists_of, whole_of
from evaluation.imports.write.replacement import (
    OTHERS,
    REPLACE,
    REPLACES,
    Name,
    count_user_marks,
    describe_choices,
    earlier_readings,
    match_renamed_runs,
    questions_on,
    runs_brought,
)
from evaluation.models import Trajectory

Key = tuple[str, str, str, int, str]
"""(model, setting, sample, rollout, condition): what there is one trajectory of."""
_KEY = ("run__model__name", "run__setting", "sample__key", "rollout", "condition")


class ReimportPreview:
    """Earlier imports of a file with other choices, or the one that it will replace, and their rows that occur again.

    Keys are stored as 64 bits each, and only if there is an earlier import.
    """

    def __init__(self, record: ImportRecord) -> None:
        self._earlier = earlier_readings(record.benchmark, record.sha256, record.format, record.options)
        self._named = record.options.get(REPLACES)
        self._marks = count_user_marks(self._earlier) if self._earlier else {}
        self._places = {key[2:] for key in self._marks}
        self._replaces = bool(record.options.get(REPLACE) or self._named)
        self._met: set[Key] = set()
        self._all: set[int] = set()
        self._new: set[int] = set()

    def take(self, key: Key) -> None:
        if key[2:] in self._places:
            self._met.add(key)

    def count(self, key: tuple[Any, ...], outcome: str) -> None:
        """A row with this key is new, changed or unchanged."""
        if self._earlier:
            self._all.add(hash(key))
            if outcome == "new":
                self._new.add(hash(key))

    def corrections(self, runs: Iterable[Name]) -> Counter[str]:
        """Return the changes of counts when this import replaces the earlier ones: missing rows are removed, and rows
        of a renamed run are not new, but changed.
        """
        if not self._replaces or not self._earlier:
            return Counter()
        removed, renamed = self._compared(match_renamed_runs(runs_brought(self._earlier), runs))
        return Counter({"removed": removed, "changed": renamed, "new": -renamed})

    def _compared(self, anew: Mapping[Name, Name]) -> tuple[int, int]:
        removed = renamed = 0
        for rows in (whole_of(self._earlier), lists_of(self._earlier)):
            at = "" if rows.model is Trajectory else "trajectory__"
            names = [f"{at}{name}" for name in _KEY]
            for model, setting, *place in rows.order_by().values_list(*names).iterator():
                now = anew.get((model, setting))
                key = hash((*now, *place)) if now else None
                removed += key not in self._all
                renamed += key in self._new and now != (model, setting) and rows.model is Trajectory
        for table, key_names, _ in OTHERS:
            names = ["run__model__name", "run__setting", "sample__key", *key_names[1:]]
            rows = table.objects.filter(source__in=self._earlier, run__deleted_at=None)
            word = table.__name__.lower()
            removed += sum(hash((word, *row)) not in self._all for row in rows.values_list(*names))
        return removed, renamed

    def as_dict(self, runs: Iterable[Name]) -> dict[str, Any]:
        """Nothing of a file that comes first. ``marks``: those that find no trajectory among ``runs``, which the file
        makes now; ``questions``: of judging queues, which go with what they were asked about; ``rows``: how many rows
        of the earlier reading do not come again."""
        if not self._earlier:
            return {}
        before = runs_brought(self._earlier)
        anew = match_renamed_runs(before, runs)
        lost = sum(
            count
            for key, count in self._marks.items()
            if key[:2] not in anew or (*anew[key[:2]], *key[2:]) not in self._met
        )
        latest = self._earlier[0]
        return {
            "import": latest.pk,
            "named": latest.file_name if latest.pk == self._named else "",
            "read": describe_choices(latest),
            "at": latest.finished_at.isoformat() if latest.finished_at else "",
            "runs": [", ".join(filter(None, name)) for name in sorted(before)],
            "marks": lost,
            "rows": self._compared(anew)[0],
            "questions": questions_on(self._earlier),
        }
