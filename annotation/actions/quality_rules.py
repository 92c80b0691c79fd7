"""How a benchmark watches over the work of its people, as its lead has set it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.models import Benchmark, QualityRules
from annotation.quality import new_seed


def rules_of(benchmark: Benchmark) -> QualityRules:
    """The benchmark's rules, or the default ones, not stored. Asked for once for each benchmark that was loaded."""
    return getattr(benchmark, "quality", None) or QualityRules(benchmark=benchmark)


def stored_rules(benchmark: Benchmark) -> QualityRules:
    """The benchmark's rules, stored from now on, with a seed that nobody can guess. Call inside a transaction."""
    benchmark.quality, _ = QualityRules.objects.get_or_create(benchmark=benchmark, defaults={"seed": new_seed()})
    return benchmark.quality


def change_rules(benchmark: Benchmark, values: Mapping[str, Any]) -> QualityRules:
    """The rules with these values. Call inside a transaction."""
    rules = stored_rules(benchmark)
    for name, value in values.items():
        setattr(rules, name, value)
    rules.save(update_fields=list(values))
    return rules
