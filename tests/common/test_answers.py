"""What every answer carries, and how errors look."""

import json
import re
import socket
from collections.abc import Iterator
from errno import ENOSPC
from html import unescape
from threading import Event
from typing import Any

import pytest
from celery import Celery
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import include, path
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.models import Sample
from annotation.workflow import Role
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, TooLarge, TooManyTries
from webapp.common.http import client_address
from webapp.common.middleware import CONTENT_SECURITY_POLICY
from webapp.readiness import Readiness, broker, database, migrations, storage

pytestmark = pytest.mark.one_database


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


def too_fast(request: HttpRequest) -> HttpResponse:
    raise TooManyTries("These were too many tries.", wait=61)


@api_view(["GET"])
def api_too_fast(request: Request) -> Response:
    raise TooManyTries("These were too many tries.", wait=9.2)


urlpatterns = [
    path("too-fast/", too_fast),
    path("api/v1/too-fast/", api_too_fast),
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
        ("/live", 200),
        ("/sign-in/", 200),
        ("/account/", 302),
        ("/admin/login/", 302),
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
    assert f'href="{way_out}">Back to previous page</a>' in answer.content.decode()


@pytest.mark.django_db
def test_who_may_not_open_a_page_is_told_by_which_role_and_whom_to_ask(ana: User, lea: User) -> None:
    street = create_benchmark(actor=None, slug="street", title="Street")
    add_member(actor=None, benchmark=street, user=lea, role=Role.LEAD)
    add_member(actor=None, benchmark=street, user=ana, role=Role.ANNOTATOR)
    text = signed_in(ana).get("/benchmarks/street/import/").content.decode()
    assert f"Your role on Street (annotator) doesn't include this page. Ask {lea} for access." in unescape(text)
    assert 'href="/benchmarks/street/">Open benchmark</a>' in text


def test_who_is_too_fast_is_told_when_to_go_on_in_words_and_in_the_header() -> None:
    answer = Client().post("/too-fast/", headers={"Referer": "http://testserver/form/"})
    assert (answer.status_code, answer["Retry-After"]) == (429, "61")
    text = answer.content.decode()
    assert "These were too many tries. Try again in 2 min." in text
    assert 'href="http://testserver/form/">Back to previous page</a>' in text


@pytest.mark.django_db
def test_the_api_says_when_to_go_on_too(ana: User, settings: Any) -> None:
    settings.RATES = {**settings.RATES, "api": (2, 600)}
    answer = signed_in(ana).get("/api/v1/too-fast/")
    assert (answer.status_code, answer["Retry-After"]) == (429, "10")
    assert answer.json()["error"]["message"].endswith("Try again in 10 s.")
    *_, slowed = (signed_in(ana).get("/api/v1/input/") for _ in range(2))
    assert slowed.json()["error"]["message"] == f"Too many requests. Try again in {slowed['Retry-After']} s."


@pytest.mark.django_db
def test_what_is_not_there_in_a_benchmark_can_be_looked_for_by_who_may_see_it(ana: User, sam: User, lea: User) -> None:
    street = create_benchmark(actor=None, slug="street", title="Street")
    add_member(actor=None, benchmark=street, user=lea, role=Role.LEAD)
    for name in ("corner & 6", "corner & 81", "tree"):
        Sample.objects.create(benchmark=street, key=name)
    address = "/benchmarks/street/samples/corner & 7/"
    text = signed_in(lea).get(address).content.decode()
    assert "Street has no sample corner &amp; 7. Did you mean corner &amp; 6 or corner &amp; 81?" in text
    assert 'href="/benchmarks/street/samples/">All samples</a>' in text
    assert re.search('<input[^>]* name="q" value="corner &amp; 7"', text)
    assert 'href="/search/?in=street&amp;q=corner%20%26%207"' in text
    assert "not have access" not in text
    stranger = signed_in(sam).get(address).content.decode()
    assert "Street" not in stranger.replace("street", "")
    assert "you may not have access" in stranger


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/benchmarks/?q=a%00b", "/api/v1/benchmarks/street/judges/?kind=%00", "/a%00b/"])
def test_an_address_with_a_character_that_no_name_has_is_refused(ana: User, address: str) -> None:
    answer = signed_in(ana).get(address)
    assert answer.status_code == 400
    assert "Remove %00" in answer.content.decode()


@pytest.mark.django_db
def test_a_form_with_a_character_that_no_text_has_is_refused(ana: User) -> None:
    answer = signed_in(ana).post("/account/name/", "name=Ana%00Lind", content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 400
    assert "contains the character NUL" in answer.content.decode()
    ana.refresh_from_db()
    assert "\0" not in ana.name


@pytest.mark.django_db
def test_an_address_for_forms_says_so_when_it_is_opened(ana: User) -> None:
    answer = signed_in(ana).get("/sign-out/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "This address has no page" in answer.content.decode()


@pytest.mark.django_db
def test_a_reference_that_could_forge_a_line_of_the_log_is_not_taken_over() -> None:
    assert Client().get("/live", headers={"X-Request-Id": "a b<script>"})["X-Request-Id"] != "a b<script>"


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
def test_the_api_answers_head_as_get_without_the_body(ana: User) -> None:
    client = signed_in(ana)
    whole, head = client.get("/api/v1/toolbox/"), client.head("/api/v1/toolbox/")
    assert (head.status_code, head.content) == (200, b"")
    assert (head["ETag"], head["Content-Length"]) == (whole["ETag"], str(len(whole.content)))
    assert client.head("/api/v1/toolbox/", headers={"If-None-Match": head["ETag"]}).status_code == 304


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


def test_readiness_names_what_is_missing_and_waits_for_nothing_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """D3.9: a probe that hangs or fails is named, and one that hangs is asked once."""
    asked, go_on = [], Event()

    def hangs() -> str:
        asked.append(1)
        go_on.wait(20)
        return ""

    def fails() -> str:
        raise DatabaseError("password of db.internal")

    monkeypatch.setattr("webapp.readiness.PROBE_SECONDS", 0.05)
    monkeypatch.setattr("webapp.readiness.KEPT_SECONDS", -1)
    found = Readiness(
        {"database": fails, "storage": hangs, "broker": lambda: "", "migrations": lambda: "it lacks some"}
    )
    for _ in range(2):
        wrong = found.check()
        assert set(wrong) == {"database", "storage", "migrations"}
        assert "db.internal" not in str(wrong)
    assert len(asked) == 1
    go_on.set()


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_site_is_ready_when_its_parts_work(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """D3.9: a disk that takes nothing more is said, while the process is alive."""
    probes = {"database": database, "migrations": migrations, "storage": storage, "broker": broker}
    monkeypatch.setattr("webapp.readiness.READINESS", Readiness(probes))
    assert Client().get("/ready").json()["wrong"] == {}

    def full(*_: Any) -> str:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(objects, "put", full)
    monkeypatch.setattr("webapp.readiness.READINESS", Readiness(probes))
    answer = Client().get("/ready")
    assert (answer.status_code, list(answer.json()["wrong"])) == (503, ["storage"])
    assert Client().get("/live").status_code == 200


def test_a_broker_that_is_not_there_makes_the_site_not_ready(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"redis://127.0.0.1:{closed.getsockname()[1]}/0"
    settings.CELERY_BROKER_URL = address
    # Celery reads this variable itself, before what its configuration says.
    monkeypatch.setenv("CELERY_BROKER_URL", address)
    app = Celery(set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    monkeypatch.setattr("webapp.celery.app", app)
    assert list(Readiness({"broker": broker}).check()) == ["broker"]


@pytest.mark.parametrize("address", ["/sign-in/", "/api/v1/jobs/", "/nothing/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.django_db
def test_a_host_that_is_not_ours_is_a_bad_request_and_one_line_of_the_log(
    address: str, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """D4.7: the page of the error names the host too, and where the form was."""
    answer = Client(headers={"Host": "evil.example", "Referer": "http://evil.example/"}).generic(method, address)
    assert answer.status_code == 400
    [line] = [record for record in caplog.records if record.levelname in ("ERROR", "WARNING")]
    assert "evil.example" in line.getMessage()
    assert not line.exc_info


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "6.6.6.6", "10.0.0.9"),
        (1, "6.6.6.6, 8.8.8.8", "8.8.8.8"),
        (2, "6.6.6.6, 8.8.8.8, 9.9.9.9", "8.8.8.8"),
        (1, "", "10.0.0.9"),
        (1, "6.6.6.6, 1.2.3.4:5678", "1.2.3.4"),
        (1, "[::1]:80", "::1"),
        (1, "[2001:db8::7]", "2001:db8::7"),
        (1, "2001:DB8::0007", "2001:db8::7"),
        (1, "fe80::1%eth0", "fe80::1"),
        (1, "junk", "10.0.0.9"),
        (1, "1.2.3.4'; DROP", "10.0.0.9"),
    ],
)
def test_only_what_a_proxy_of_ours_wrote_is_believed(settings: Any, proxies: int, forwarded: str, address: str) -> None:
    """D4.6: what is no address could not be stored."""
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client_address(RequestFactory(REMOTE_ADDR="10.0.0.9").get("/", headers=headers)) == address
