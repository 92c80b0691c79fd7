"""The form of a drafting: it offers what the chosen kind of endpoint can draft, and the server refuses the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.models import Benchmark
from evaluation.models import Endpoint, Experiment
from tests.conftest import signed_in
from webapp.accounts.models import User

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
URL = "/benchmarks/kitchen/drafting/"
ALONE = {
    "model": {"prompt", "sampling"},
    "detector": {"names", "threshold"},
    "backend": {"names", "threshold", "label_config"},
}
"""The fields of the form that depend on the kind of endpoint."""


@pytest.fixture
def endpoints(to_do: Benchmark, endpoint_at: EndpointAt) -> dict[str, Endpoint]:
    presets = {"model": "generic", "detector": "detector", "backend": "label-studio"}
    return {kind: endpoint_at("http://127.0.0.1:9/v1", kind, preset=name) for kind, name in presets.items()}


def given(endpoint: Endpoint, *fields: str, **more: Any) -> dict[str, Any]:
    return {
        "endpoint": endpoint.pk, "fields_drafted": fields, "sampling": "greedy",
        "budget_usd": "1", "budget_calls": "9", "names": "mug", **more,
    }  # fmt: skip


def offered(form: Any) -> tuple[set[str], list[str], list[str]]:
    """Of a form on a page: the fields of one kind, what can be drafted, and what is chosen."""
    own = set.union(*ALONE.values()) & set(form.fields)
    drafted = form["fields_drafted"]
    return own, [value for value, _ in form.fields["fields_drafted"].choices], list(drafted.value())


@pytest.mark.parametrize(
    ("kind", "fields", "usual"),
    [
        ("model", ["question", "options", "answer", "boxes"], ["question", "options", "answer", "boxes"]),
        ("detector", ["boxes"], ["boxes"]), ("backend", ["answer", "boxes"], ["boxes"]),
    ],
)  # fmt: skip
def test_the_form_has_the_fields_of_the_kind_of_the_endpoint(
    endpoints: dict[str, Endpoint], lea: User, kind: str, fields: list[str], usual: list[str]
) -> None:
    own, can, chosen = offered(signed_in(lea).get(URL, {"endpoint": endpoints[kind].pk}).context["form"])
    assert (own, chosen) == (ALONE[kind], usual)
    assert [one for one in can if one in ("question", "options", "answer", "boxes")] == fields
    assert ("toolchain" in can) == (kind == "model")


def test_htmx_gets_the_fields_once_the_kind_changes(endpoints: dict[str, Endpoint], lea: User) -> None:
    client = signed_in(lea)

    def choose(kind: str, before: str) -> Any:
        asked = {"endpoint": endpoints[kind].pk, "kind": before}
        return client.get(URL, asked, headers={"HX-Request": "true"})

    piece = choose("detector", "model")
    assert "HX-Request" in piece["Vary"]
    assert offered(piece.context["form"])[1] == ["boxes"]
    assert b"<html" not in piece.content
    assert b'value="question"' not in piece.content
    assert choose("detector", "detector").status_code == 204, "what Lea typed stays"


def refused(client: Client, form: dict[str, Any]) -> str:
    answer = client.post(URL, form)
    assert answer.status_code == 400
    [message] = answer.context["form"].errors["fields_drafted"]
    return str(message)


def test_the_server_refuses_what_the_endpoint_cannot_draft_and_says_what_it_can(
    endpoints: dict[str, Endpoint], lea: User
) -> None:
    client = signed_in(lea)
    assert "boxes" in refused(client, given(endpoints["detector"], "question", "boxes"))
    assert "answer, boxes" in refused(client, given(endpoints["backend"], "toolchain"))
    assert "zebra" in refused(client, given(endpoints["model"], "zebra"))
    answer = client.post(URL, given(endpoints["detector"], "question"))
    assert offered(answer.context["form"])[0] == ALONE["detector"], "the page shows the fields of what Lea chose"
    assert not Experiment.objects.exists()
    body = {"endpoint": "detector", "fields_drafted": ["question"], "names": "mug"}
    sent = client.post("/api/v1/benchmarks/kitchen/drafting/", body, content_type="application/json")
    assert (sent.status_code, sent.json()["error"]["field"]) == (400, "fields_drafted")


@pytest.mark.parametrize(("kind", "field"), [("model", "question"), ("detector", "boxes"), ("backend", "answer")])
def test_lea_drafts_with_each_kind(endpoints: dict[str, Endpoint], lea: User, kind: str, field: str) -> None:
    assert signed_in(lea).post(URL, given(endpoints[kind], field)).status_code == 302
    assert Experiment.objects.get().recipe["fields"] == [field]
