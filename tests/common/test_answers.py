"""What every answer carries, and how errors look."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.benchmarks import add_member, create_benchmark
from annotation.workflow import Role
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common.errors import Conflict, TooLarge
from webapp.common.http import client_address
from webapp.common.middleware import CONTENT_SECURITY_POLICY


def refuse(request: HttpRequest) -> HttpResponse:
    raise TooLarge("street.tif has 310 megapixels. Pictures up to 200 are taken; make it smaller.")


def fault(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("secret detail")


class BoxSerializer(serializers.Serializer):
    x = serializers.IntegerField()
    y = serializers.IntegerField(max_value=10)


@api_view(["GET", "POST"])
def api_input(request: Request) -> Response:
    BoxSerializer(data=request.data).is_valid(raise_exception=True)
    return Response({})


@api_view(["GET"])
def api_conflict(request: Request) -> Response:
    raise Conflict("Rui has accepted this a moment ago.", code="already_reviewed")


urlpatterns = [
    path("refuse/", refuse),
    path("fault/", fault),
    path("api/v1/fault/", fault),
    path("api/v1/input/", api_input),
    path("api/v1/conflict/", api_conflict),
    path("", include("webapp.urls")),
]
handler400, handler403, handler404, handler500 = (
    f"webapp.common.views.{name}" for name in ("bad_request", "permission_denied", "page_not_found", "server_error")
)


@pytest.fixture(autouse=True)
def more_pages() -> Iterator[None]:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/health/", 200),
        ("/sign-in/", 200),
        ("/account/", 302),
        ("/admin/login/", 200),
        ("/nothing/here/", 404),
        ("/refuse/", 413),
        ("/fault/", 500),
        ("/api/v1/fault/", 500),
        ("/api/v1/conflict/", 401),
        ("/static/nothing/here.js", 404),
    ],
)
def test_every_answer_has_the_headers(address: str, status: int) -> None:
    answer = Client(raise_request_exception=False).get(address)
    assert answer.status_code == status
    assert answer["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Frame-Options"] == "DENY"
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["X-Request-Id"]


def test_an_error_of_ours_is_a_page_with_its_sentence_and_a_reference() -> None:
    answer = Client().get("/refuse/", headers={"X-Request-Id": "abcdef123456"})
    assert "310 megapixels" in answer.content.decode()
    assert answer["X-Request-Id"] == "abcdef123456"
    assert answer.context["reference"] == "abcdef123456"


@pytest.mark.parametrize(
    ("before", "way_out"),
    [("http://testserver/form/?of=3", "http://testserver/form/?of=3"), ("https://elsewhere.example/", "/"), ("", "/")],
)
def test_what_was_sent_and_refused_leads_back_to_its_form_on_this_site(before: str, way_out: str) -> None:
    answer = Client().post("/refuse/", headers={"Referer": before} if before else {})
    assert answer.status_code == 413
    assert f'href="{way_out}">Back to the page</a>' in answer.content.decode()


@pytest.mark.django_db
def test_who_may_not_open_a_page_is_told_by_which_role_and_whom_to_ask(ana: User, lea: User) -> None:
    street = create_benchmark(actor=None, slug="street", title="Street")
    add_member(actor=None, benchmark=street, user=lea, role=Role.LEAD)
    add_member(actor=None, benchmark=street, user=ana, role=Role.ANNOTATOR)
    text = signed_in(ana).get("/benchmarks/street/import/").content.decode()
    assert f"On Street you are annotator, which does not include this page. {lea} can give you one" in text
    assert 'href="/benchmarks/street/">To the benchmark</a>' in text


@pytest.mark.django_db
def test_a_reference_that_could_forge_a_line_of_the_log_is_not_taken_over() -> None:
    assert Client().get("/health/", headers={"X-Request-Id": "a b<script>"})["X-Request-Id"] != "a b<script>"


def test_a_fault_tells_its_reference_but_no_detail_and_asks_the_database_nothing() -> None:
    # No database mark: a query would fail this test.
    answer = Client(raise_request_exception=False).get("/fault/")
    text = answer.content.decode()
    assert answer["X-Request-Id"] in text
    assert "secret detail" not in text


@pytest.mark.parametrize("address", ["/api/v1/fault/", "/api/v1/nothing/"])
@pytest.mark.django_db
def test_below_api_pages_of_errors_are_json(address: str) -> None:
    answer = Client(raise_request_exception=False).get(address)
    error = json.loads(answer.content)["error"]
    assert set(error) == {"code", "message", "field", "details", "reference"}
    assert "secret detail" not in error["message"]


@pytest.mark.django_db
def test_the_api_says_all_that_is_wrong_with_the_input(ana: User) -> None:
    answer = signed_in(ana).post("/api/v1/input/", {"x": "left", "y": 11}, content_type="application/json")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (400, "invalid", "x")
    assert [detail["field"] for detail in error["details"]] == ["x", "y"]


@pytest.mark.django_db
def test_the_api_gives_the_code_of_our_errors(ana: User) -> None:
    answer = signed_in(ana).get("/api/v1/conflict/")
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "already_reviewed"


@pytest.mark.django_db
def test_the_api_answers_a_stranger_with_401_and_a_bad_method_with_405(ana: User) -> None:
    assert Client().get("/api/v1/conflict/")["WWW-Authenticate"] == "Bearer"
    assert signed_in(ana).delete("/api/v1/conflict/").json()["error"]["code"] == "method_not_allowed"


@pytest.mark.django_db
def test_the_schema_of_the_api_is_served_to_members(ana: User) -> None:
    answer = signed_in(ana).get("/api/v1/schema/")
    assert answer.status_code == 200
    assert b"openapi:" in answer.content


@pytest.mark.django_db
def test_admin_pages_carry_no_script_or_style_that_the_policy_refuses(admin: User) -> None:
    client = signed_in(admin)
    for address in ("/admin/", "/admin/accounts/user/", "/admin/accounts/user/add/", "/admin/common/auditentry/"):
        text = client.get(address).content.decode()
        assert "<style" not in text
        assert " style=" not in text
        assert "<script>" not in text
        assert " onclick=" not in text


def test_health_says_when_the_database_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def cursor(self) -> Any:
            raise DatabaseError

    monkeypatch.setattr("webapp.common.views.connection", Broken())
    assert Client().get("/health/").status_code == 503


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "6.6.6.6", "10.0.0.9"),
        (1, "6.6.6.6, 8.8.8.8", "8.8.8.8"),
        (2, "6.6.6.6, 8.8.8.8, 9.9.9.9", "8.8.8.8"),
        (1, "", "10.0.0.9"),
    ],
)
def test_only_what_a_proxy_of_ours_wrote_is_believed(settings: Any, proxies: int, forwarded: str, address: str) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client_address(RequestFactory(REMOTE_ADDR="10.0.0.9").get("/", headers=headers)) == address


def test_of_the_front_end_packages_only_the_named_files_are_served(settings: Any, tmp_path: Any) -> None:
    (tmp_path / "viewer").mkdir()
    (tmp_path / "viewer" / "viewer.js").write_text("export {};")
    (tmp_path / "viewer" / "secret.js").write_text("")
    settings.VENDOR_ROOT, settings.VENDOR_FILES = tmp_path, {"vendor/viewer.js": "viewer/viewer.js"}
    assert finders.find("vendor/viewer.js") == str(tmp_path / "viewer" / "viewer.js")
    assert finders.find("vendor/secret.js") is None
    assert finders.find("vendor/../viewer/secret.js") is None
