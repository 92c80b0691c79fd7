"""What Schemathesis has to know beside the description, so that what it takes for valid is valid."""

from __future__ import annotations

import json
import os
import zlib
from typing import Any

import schemathesis
from schemathesis import Case, CheckContext, Response
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import positive_data_acceptance
from schemathesis.transport.serialization import Binary

from tests.api_fuzz.rules import ANY, UNSAID, go_together, queries

KNOWN = json.loads(os.environ["SIGHTLINE_FUZZ_KNOWN"])
"""What is stored: the dictionaries."""
RUNS: list[int] = KNOWN["runs"]

schemathesis.openapi.format("trajectory-query", queries())


@schemathesis.hook
def map_case(context: Any, case: Any) -> Any:
    """Runs that there are in most lists of runs, endpoints for most experiments, and files that can be imported in most
    uploads: dictionaries know neither lists nor bodies."""
    if not _valid(case):
        return case
    if case.operation.definition.raw["operationId"] == "import_upload" and isinstance(case.body, dict):
        case.body["file"] = _file(case.body)
    if isinstance(case.body, dict) and (name := case.body.get("endpoint")) and zlib.crc32(name.encode()) % 8:
        case.body["endpoint"] = KNOWN["endpoints"][len(name) % len(KNOWN["endpoints"])]
    given = (case.query or {}).get("run")
    if isinstance(given, list) and 0 < len(given) <= len(RUNS) and (first := int(given[0])) % 8:
        case.query["run"] = [RUNS[number % len(RUNS)] for number in range(first, first + len(given))]
    return case


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """No request that is valid but for a part that needs another one."""
    given = {name for name, value in (case.query or {}).items() if value not in ("", None)}
    return not _valid(case) or go_together(case.operation.definition.raw["operationId"], given)


@schemathesis.check
def valid_is_accepted(ctx: CheckContext, response: Response, case: Case) -> bool | None:
    """The check of Schemathesis, but for what no schema says: an answer that names one of the fields of ``UNSAID``."""
    try:
        return positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        fields = UNSAID.get(case.operation.definition.raw["operationId"], {})
        if response.status_code not in (400, 422):
            raise
        named = (response.json()["error"]["field"] or "").partition(".")[0]
        if ANY not in fields and named not in fields:
            raise
    return None


def _file(form: dict[str, Any]) -> Binary:
    """Some runs, or a table of samples; as it was made up once in three times."""
    number = zlib.crc32(repr(form).encode("utf-8", "replace"))
    if not number % 3:
        return form["file"]  # type: ignore[no-any-return]
    key, answer = KNOWN["keys"][number % len(KNOWN["keys"])], "ABCD"[number // 7 % 4]
    if number % 3 == 1:
        rows = [{"model": f"Model {number % 5}", "sample_id": key, "steps": [], "answer": answer}]
        return Binary(json.dumps({"trajectories": rows}).encode())
    return Binary(f"id,question,answer\nrow-{number % 50},What is it?,{answer}\n".encode())


def _valid(case: Any) -> bool:
    return case.meta is not None and bool(case.meta.generation.mode.is_positive)
