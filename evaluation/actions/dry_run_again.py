"""What the dry run of a file says when the file is here already, read otherwise: which runs, and what would be lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotation.models import ImportRecord
from evaluation.actions.replace_runs import (
    REPLACES,
    Name,
    earlier_readings,
    in_words,
    marked,
    named_anew,
    questions_on,
    runs_brought,
)

Key = tuple[str, str, str, int, str]
"""(model, setting, sample, rollout, condition): what there is one trajectory of."""


class Again:
    """Earlier readings of a file under other choices, or the one it is to replace, and which of their marked
    trajectories come again."""

    def __init__(self, record: ImportRecord) -> None:
        self._earlier = earlier_readings(record.benchmark, record.sha256, record.format, record.options)
        self._named = record.options.get(REPLACES)
        self._marks = marked(self._earlier) if self._earlier else {}
        self._places = {key[2:] for key in self._marks}
        self._met: set[Key] = set()

    def take(self, key: Key) -> None:
        if key[2:] in self._places:
            self._met.add(key)

    def as_dict(self, runs: Iterable[Name]) -> dict[str, Any]:
        """Nothing of a file that comes first. ``marks``: those that find no trajectory among ``runs``, which the file
        makes now; ``questions``: of judging queues, which go with what they were asked about."""
        if not self._earlier:
            return {}
        before = runs_brought(self._earlier)
        anew = named_anew(before, runs)
        lost = sum(
            count
            for key, count in self._marks.items()
            if key[:2] not in anew or (*anew[key[:2]], *key[2:]) not in self._met
        )
        latest = self._earlier[0]
        return {
            "import": latest.pk,
            "named": latest.file_name if latest.pk == self._named else "",
            "read": in_words(latest),
            "at": latest.finished_at.isoformat() if latest.finished_at else "",
            "runs": [", ".join(filter(None, name)) for name in sorted(before)],
            "marks": lost,
            "questions": questions_on(self._earlier),
        }
