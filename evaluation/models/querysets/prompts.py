"""Named questions about prompts."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Q


class PromptQuerySet(models.QuerySet[Any]):
    def offered_to(self, benchmark: Any | None) -> Self:
        """The prompts that experiments of a benchmark can use: its own and those of the site. None: of the site."""
        return self.filter(Q(benchmark=benchmark) | Q(benchmark=None)) if benchmark else self.filter(benchmark=None)
