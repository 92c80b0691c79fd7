"""Links of the analysis of toolchains: the trajectories of some runs, on a slice or on all samples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from annotation.common.words import LONGEST_ADDRESS
from evaluation.common.links import Count
from evaluation.metrics.chains import pair_word
from evaluation.models import Run
from evaluation.query.tokens import LONGEST, quoted
from evaluation.toolchains.read.analysis import ChainAnalysis


class ChainLinks:
    """Creates links. ``found``: has the runs, the slice, and the spellings of each tool."""

    def __init__(self, slug: str, found: ChainAnalysis) -> None:
        self._list = reverse("evaluation:trajectories", args=[slug])
        self._called = found.called
        self._slice = {f"facet.{found.by}": found.value} if found.value else {}
        self._runs = found.runs

    def count(self, n: int, query: str = "", run: Run | None = None, **terms: Any) -> Count:
        """Return ``n`` trajectories of all the runs, or of one; ``query`` is added to the terms. Without a link if it
        would be too long for a URL or a query.
        """
        runs: Sequence[Run] = [run] if run else self._runs
        named = {"run": runs[0].pk} if len(runs) == 1 else {}
        several = f"({' or '.join(f'run:{one.pk}' for one in runs)})" if len(runs) > 1 else ""
        asked = " ".join(part for part in (several, query) if part)
        found: Mapping[str, Any] = {**named, **self._slice, **terms, **({"q": asked} if asked else {})}
        href = f"{self._list}?{urlencode(found)}"
        return Count(n, href if n and len(href) <= LONGEST_ADDRESS and len(asked) <= LONGEST else "")

    def right_choice(self, tool: str, n: int) -> Count:
        return self.count(n, tool=self._names(tool), reference_tool=tool)

    def needless(self, tool: str, n: int) -> Count:
        """Return the trajectories that call a tool that their reference does not contain."""
        return self.count(n, f"not reference_tool:{quoted(tool)}", tool=self._names(tool), reference="yes")

    def missed(self, tool: str, n: int) -> Count:
        """Return the trajectories that do not call a tool of their reference."""
        missing = f"not tool:{quoted(self._names(tool))}" if tool in self._called else ""
        return self.count(n, missing, reference_tool=tool)

    def calling(self, tool: str, n: int, run: Run) -> Count:
        return self.count(n, run=run, tool=self._names(tool))

    def aligned(self, first: str, second: str, n: int) -> Count:
        return self.count(n, aligned=pair_word(first, second))

    def followed(self, first: str, second: str, n: int) -> Count:
        return self.count(n, followed=pair_word(first, second))

    def _names(self, tool: str) -> str:
        """Return the value of a term: a single name unchanged, several names as a list."""
        names = list(self._called.get(tool, (tool,)))
        return names[0] if len(names) == 1 and not names[0].startswith("[") else json.dumps(names, ensure_ascii=False)
