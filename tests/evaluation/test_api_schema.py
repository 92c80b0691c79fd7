"""The API answers as its schema says, whatever is asked of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings

from evaluation.models import Run
from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.evaluation.board_data import make_board
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KNOWN = {"slug": "kitchen", "key": "s-0000", "table": "pairs"}
ASKED = 3
"""Requests of each address: few, since the whole site answers each of them."""


def test_what_is_read_looks_as_the_schema_says(ana: User, rui: User, lea: User) -> None:
    # Imported here: every process that runs tests would wait for it.
    import schemathesis

    kitchen = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, kitchen)
    reviewed(rui, next_review(rui, kitchen), "accept")
    client = signed_in(lea)
    schema = schemathesis.openapi.from_dict(document_for(client)).include(method="GET", path_regex="^(?!.*compare)")
    # The tables of all letters take longer to make than all requests.
    schema.config.generation.codec = "ascii"
    answered = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        if {one.name for one in operation.path_parameters} <= set(KNOWN):
            answered[operation.path] = _asked(client, operation)
    assert len(answered) >= 9
    assert all(200 in statuses for statuses in answered.values()), answered


def test_what_is_counted_of_runs_looks_as_the_schema_says(lea: User) -> None:
    import schemathesis

    make_board(lea)
    client = signed_in(lea)
    schema = schemathesis.openapi.from_dict(document_for(client))
    first, second = Run.objects.filter(model__name__in=("Model C", "Model D")).values_list("pk", flat=True)
    pair: dict[str, Any] = {"run": [first, second]}
    asked: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("runs/{id}/charts/", {"id": first}, {}),
        ("runs/{id}/charts/", {"id": first}, {"by": "category", "slice": "Chart"}),
        ("compare/", {}, pair),
        ("compare/slices/", {}, {**pair, "least": 1}),
        ("compare/crops/", {}, pair),
        ("leaderboard/", {}, {"reference": second}),
        ("toolchains/", {}, {"by": "category"}),
        ("trajectories/facets/", {}, {"q": "wrong"}),
    ]
    for path, parts, query in asked:
        operation = schema[f"/api/v1/benchmarks/{{slug}}/{path}"]["GET"]
        case = operation.Case(path_parameters={"slug": "kitchen", **parts}, query=query)
        assert _conforms(client, case) == 200, path


def document_for(client: Client) -> Any:
    return client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi+json"}).json()


def _asked(client: Client, operation: Any) -> list[int]:
    """Status of the answers to requests made up from the schema; fails on one that is not as the schema says."""
    statuses = []

    @given(case=operation.as_strategy())
    @settings(
        max_examples=ASKED, database=None, deadline=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def ask(case: Any) -> None:
        case.path_parameters.update({name: KNOWN[name] for name in case.path_parameters})
        statuses.append(_conforms(client, case))

    ask()
    return statuses


def _conforms(client: Client, case: Any) -> int:
    """The status of the answer; fails where it is not as the schema says."""
    from requests import Request
    from schemathesis.checks import not_a_server_error, response_schema_conformance
    from schemathesis.core.transport import Response

    found = client.get(case.formatted_path, query_params=dict(case.query or {}))
    # What is streamed is a file, which the schema does not describe.
    if not found.streaming:
        request = Request("GET", f"http://testserver{case.formatted_path}").prepare()
        headers = {name: [value] for name, value in found.headers.items()}
        answer = Response(found.status_code, headers, found.content, request, elapsed=0.0, verify=False)
        case.validate_response(answer, checks=[not_a_server_error, response_schema_conformance])
    return found.status_code
