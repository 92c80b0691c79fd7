"""The API answers as its schema says, whatever is asked of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings

from tests.annotation.work_data import next_review, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KNOWN = {"slug": "kitchen", "key": "s-0000"}
ASKED = 3
"""Requests of each address: few, since the whole site answers each of them."""


def test_what_is_read_looks_as_the_schema_says(ana: User, rui: User, lea: User) -> None:
    # Imported here: every process that runs tests would wait for it.
    import schemathesis

    kitchen = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, kitchen)
    reviewed(rui, next_review(rui, kitchen), "accept")
    client = signed_in(lea)
    document = client.get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    schema = schemathesis.openapi.from_dict(document).include(method="GET")
    # The tables of all letters take longer to make than all requests.
    schema.config.generation.codec = "ascii"
    answered = {}
    for found in schema.get_all_operations():
        operation = found.ok()
        if {one.name for one in operation.path_parameters} <= set(KNOWN):
            answered[operation.path] = _asked(client, operation)
    assert len(answered) >= 9
    assert all(200 in statuses for statuses in answered.values()), answered


def _asked(client: Client, operation: Any) -> list[int]:
    """Status of the answers to requests made up from the schema; fails on one that is not as the schema says."""
    from requests import Request
    from schemathesis.checks import not_a_server_error, response_schema_conformance
    from schemathesis.core.transport import Response

    statuses = []

    @given(case=operation.as_strategy())
    @settings(
        max_examples=ASKED, database=None, deadline=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def ask(case: Any) -> None:
        case.path_parameters.update({name: KNOWN[name] for name in case.path_parameters})
        found = client.get(case.formatted_path, query_params=dict(case.query or {}))
        statuses.append(found.status_code)
        # What is streamed is a file, which the schema does not describe.
        if not found.streaming:
            request = Request("GET", f"http://testserver{case.formatted_path}").prepare()
            headers = {name: [value] for name, value in found.headers.items()}
            answer = Response(found.status_code, headers, found.content, request, elapsed=0.0, verify=False)
            case.validate_response(answer, checks=[not_a_server_error, response_schema_conformance])

    ask()
    return statuses
