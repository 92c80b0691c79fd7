"""What Schemathesis has to know beside the description, so that what it takes for valid is valid."""

from __future__ import annotations

import os
from typing import Any

import schemathesis

from tests.api_fuzz.rules import go_together, queries

RUNS = [int(number) for number in os.environ["SIGHTLINE_FUZZ_RUNS"].split(",")]
"""The scored runs of the benchmark that most requests are about."""

schemathesis.openapi.format("trajectory-query", queries())


@schemathesis.hook
def map_case(context: Any, case: Any) -> Any:
    """Runs that there are in most lists of runs: dictionaries know no lists."""
    given = (case.query or {}).get("run")
    if _valid(case) and isinstance(given, list) and 0 < len(given) <= len(RUNS) and (first := int(given[0])) % 8:
        case.query["run"] = [RUNS[number % len(RUNS)] for number in range(first, first + len(given))]
    return case


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """No request that is valid but for a part that needs another one."""
    given = {name for name, value in (case.query or {}).items() if value not in ("", None)}
    return not _valid(case) or go_together(case.operation.definition.raw["operationId"], given)


def _valid(case: Any) -> bool:
    return case.meta is not None and bool(case.meta.generation.mode.is_positive)
