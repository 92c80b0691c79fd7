"""Security events: each leaves an entry with address and reference of the request."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member
from annotation.workflow import Role
from tests.annotation.work_data import submitted, to_annotate
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.factories import PASSWORD, make_token
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

QUERIES = 14
"""Session, user, benchmark, my roles, counts of the tabs (5) and sections, the entries, and who has some."""


def last(action: str) -> AuditEntry:
    return AuditEntry.objects.filter(action=action).latest("pk")


def sign_in(email: str, password: str, client: Client | None = None) -> Any:
    return (client or Client()).post("/sign-in/", {"email": email, "password": password})


def test_sign_ins_failures_and_refused_tries_are_written_down(ana: User) -> None:
    """D5.1: with the address that was tried, whether an account has it or not, and never a password."""
    client = Client()
    sign_in(ana.email, PASSWORD, client)
    assert (last("sign_in.done").actor, last("sign_in.done").address) == (ana, "127.0.0.1")
    assert last("sign_in.done").request
    client.post("/sign-out/")
    assert last("session.sign_out").actor == ana
    sign_in("nobody@example.org", "something else")
    failed = last("sign_in.fail")
    assert (failed.actor, failed.subject_id, failed.personal["email"]) == (None, "", "nobody@example.org")
    for _ in range(9):
        sign_in(ana.email, "something else")
    assert last("sign_in.fail").subject_id == str(ana.pk)
    assert AuditEntry.objects.filter(action="sign_in.throttle").count() == 1, "once, however many tries"
    assert not AuditEntry.objects.filter(personal__icontains="something else").exists()


def test_tokens_roles_and_the_admin_site_leave_entries_with_addresses(ana: User, admin: User) -> None:
    """D5.1: a change in the admin site is in the same log."""
    named = {"email": ana.email, "name": "Ana L.", "is_active": "on"}
    signed_in(admin).post(f"/admin/accounts/user/{ana.pk}/change/", named)
    changed = last("admin.change")
    assert (changed.actor, changed.data["model"], changed.data["id"]) == (admin, "accounts.user", str(ana.pk))
    assert changed.address == "127.0.0.1"


def test_refusals_exports_of_gold_and_downloads_are_written_down(lea: User, ana: User, sam: User) -> None:
    """D5.1: of signed-in people, on pages and with a token."""
    benchmark = make_benchmark(lea, kinds={"seen": 1}, pictures=False)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    home = f"/benchmarks/{benchmark.slug}"
    assert signed_in(ana).get(f"{home}/settings/").status_code == 403
    refused = last("access.refuse")
    assert (refused.actor, refused.benchmark, refused.data["path"]) == (ana, benchmark.slug, f"{home}/settings/")
    assert refused.address
    exported = signed_in(lea).get(f"{home}/export/native.json")
    assert exported.status_code == 200, exported
    b"".join(exported.streaming_content)
    assert (last("export.gold").actor, last("export.gold").benchmark) == (lea, benchmark.slug)
    signed_in(lea).get(f"{home}/leaderboard/?format=csv")
    assert last("download.file").data["query"] == "format=csv"


def test_leads_read_the_log_of_their_benchmark_and_nobody_else_does(lea: User, ana: User, sam: User) -> None:
    """D5.1: newest first, by kind and by person; text of people is escaped."""
    benchmark = make_benchmark(lea, kinds={"seen": 1}, pictures=False)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    address = f"/benchmarks/{benchmark.slug}/settings/log/"
    assert signed_in(ana).get(address).status_code == 403
    assert signed_in(sam).get(address).status_code == 404
    lead = signed_in(lea)
    rows = lead.get(address, {"kind": "security"}).context["rows"]
    assert [row.entry.action for row in rows][:1] == ["access.refuse"]
    assert {row.entry.benchmark for row in rows} == {benchmark.slug}
    of_ana = lead.get(address, {"person": ana.pk}).context["rows"]
    assert {row.entry.actor for row in of_ana} == {ana}
    signed_in(ana).get(f"/benchmarks/{benchmark.slug}/settings/?<script>")
    page = lead.get(address).content.decode()
    assert "<bdi>&lt;script&gt;</bdi>" in page


def test_the_log_says_in_words_what_was_done_to_samples(lea: User, ana: User) -> None:
    """Entries of annotating and reviewing stood there as codes alone."""
    benchmark = to_annotate(1, annotator=ana, lead=lea)
    submitted(ana, benchmark)
    rows = signed_in(lea).get(f"/benchmarks/{benchmark.slug}/settings/log/").context["rows"]
    words = {row.entry.action: row.words for row in rows if row.entry.action.startswith("annotation.")}
    assert set(words) == {"annotation.begin", "annotation.submit"}
    assert all(words.values())


def test_the_log_page_asks_as_much_for_many_entries_as_for_one(lea: User, django_assert_num_queries: Any) -> None:
    """D5.1"""
    benchmark = make_benchmark(lea, kinds={"seen": 1}, pictures=False)
    address = f"/benchmarks/{benchmark.slug}/settings/log/"
    client = signed_in(lea)
    client.get(address)
    with django_assert_num_queries(QUERIES):
        client.get(address)
    for number in range(60):
        audit.record(actor=lea, action="note.write", subject=benchmark, benchmark=benchmark.slug, data={"n": number})
    with django_assert_num_queries(QUERIES):
        assert client.get(address).context["page"].has_next


def test_a_token_is_refused_and_written_down_too(ana: User, lea: User) -> None:
    """D5.1"""
    benchmark = make_benchmark(lea, kinds={"seen": 1}, pictures=False)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    client = Client(headers={"Authorization": f"Bearer {make_token(ana)}"})
    answer = client.get(f"/api/v1/benchmarks/{benchmark.slug}/export/")
    assert answer.status_code == 403
    assert (last("access.refuse").actor, last("access.refuse").benchmark) == (ana, benchmark.slug)


def test_private_pages_are_kept_by_nobody_and_the_api_is_asked_again(lea: User) -> None:
    """D5.6: neither sent Cache-Control."""
    benchmark = make_benchmark(lea, kinds={"seen": 1}, pictures=False)
    lead = signed_in(lea)
    for page in ("/", f"/benchmarks/{benchmark.slug}/", "/account/", "/no-such-page/"):
        assert lead.get(page)["Cache-Control"] == "private, no-store", page
    token = Client(headers={"Authorization": f"Bearer {make_token(lea)}"})
    answer = token.get(f"/api/v1/benchmarks/{benchmark.slug}/")
    assert answer["Cache-Control"] == "private, no-cache"
    assert "Authorization" in answer["Vary"]
    again = token.get(f"/api/v1/benchmarks/{benchmark.slug}/", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again["Cache-Control"]) == (304, "private, no-cache")


def test_text_is_sent_compressed(lea: User) -> None:
    """D9.7: pages were sent as they are. Two answers of one page differ in length, so that sizes tell nothing."""
    packed = {"Accept-Encoding": "gzip"}
    pages = [Client().get("/sign-in/", headers=packed) for _ in range(9)]
    assert {page["Content-Encoding"] for page in pages} == {"gzip"}
    assert len({len(page.content) for page in pages}) > 1
    assert len(pages[0].content) < len(Client().get("/sign-in/").content) / 2


def test_the_log_of_a_lead_tells_no_verdict_of_a_judge(lea: User, ana: User) -> None:
    """D2.3: leads judge too, and read the log while a queue is open."""
    benchmark = make_benchmark(lea, kinds={"seen": 1}, pictures=False)
    audit.record(actor=ana, action="judging.judge", subject=benchmark, benchmark=benchmark.slug, after="unreliable")
    page = signed_in(lea).get(f"/benchmarks/{benchmark.slug}/settings/log/")
    assert page.context["rows"][0].entry.action == "judging.judge"
    assert "unreliable" not in page.content.decode()


def test_no_secret_of_an_address_is_kept(ana: User) -> None:
    """D5.1: entries stay for ever; the address of an invitation opens an account."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(ana)
    assert client.post("/invitation/a-secret-that-opens/", {"name": "A"}).status_code == 403
    assert last("access.refuse").data["path"] == "/invitation/…/"
