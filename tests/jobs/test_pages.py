"""The jobs pages: who sees what, and how many queries it takes."""

from typing import Any

import pytest

from tests.conftest import signed_in
from tests.jobs.conftest import Enqueue
from webapp.accounts.models import User
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def test_a_person_sees_their_own_jobs_and_a_site_admin_all(enqueue: Enqueue, ana: User, sam: User, admin: User) -> None:
    job, automatic = enqueue(), enqueue(actor=None)
    for person, address, shown in [
        (ana, "/jobs/", {job}),
        (ana, "/jobs/?who=everyone", {job}),
        (sam, "/jobs/", set()),
        (admin, "/jobs/", set()),
        (admin, "/jobs/?who=everyone", {job, automatic}),
    ]:
        assert set(signed_in(person).get(address).context["page"].rows) == shown


def test_a_stranger_finds_no_job_and_can_do_nothing_to_it(enqueue: Enqueue, sam: User) -> None:
    job = enqueue()
    client = signed_in(sam)
    assert client.get(f"/jobs/{job.pk}/").status_code == 404
    assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 404
    assert client.post(f"/jobs/{job.pk}/retry/").status_code == 404
    assert Job.objects.get().state == "queued"


def test_tabs_hold_and_count_their_states(enqueue: Enqueue, ana: User) -> None:
    enqueue("tests.refuses")
    enqueue("tests.once")
    run_waiting()
    waiting = enqueue()
    client = signed_in(ana)
    tabs = client.get("/jobs/").context["tabs"]
    assert {tab["name"]: tab["count"] for tab in tabs} == {"all": 3, "running": 1, "failed": 0, "done": 2}
    assert client.get("/jobs/?tab=running").context["page"].rows == [waiting]


def test_the_list_takes_the_same_queries_for_one_job_and_for_fifty(
    enqueue: Enqueue, ana: User, django_assert_num_queries: Any
) -> None:
    client = signed_in(ana)
    enqueue()
    # session, person, counts, rows with who started them
    with django_assert_num_queries(4):
        client.get("/jobs/", headers=HTMX)
    for _ in range(55):
        enqueue()
    with django_assert_num_queries(4):
        answer = client.get("/jobs/", headers=HTMX)
    page = answer.context["page"]
    rest = client.get("/jobs/", {"after": page.after}).context["page"]
    assert (len(page.rows), len(rest.rows), rest.has_next) == (50, 6, False)
    assert not set(page.rows) & set(rest.rows)


def test_a_key_of_a_page_that_never_was_is_refused(ana: User) -> None:
    for key in ("nonsense", "W10", "WzEsMl0", "W3t9LFtdXQ"):
        assert signed_in(ana).get("/jobs/", {"after": key}).status_code == 400


def test_the_detail_shows_the_end_of_a_long_log(enqueue: Enqueue, ana: User) -> None:
    job = enqueue("tests.count", to=250)
    run_waiting()
    context = signed_in(ana).get(f"/jobs/{job.pk}/").context
    assert [line.text for line in context["lines"]] == [str(number) for number in range(50, 250)]
    assert context["lines_left_out"]
    assert not context["live"]


def test_the_link_in_the_bar_counts_what_is_under_way_and_what_needs_me(enqueue: Enqueue, ana: User, sam: User) -> None:
    enqueue("tests.breaks")
    run_waiting()
    newest = [enqueue(), enqueue()][-1]
    context = signed_in(ana).get("/jobs/indicator/").context
    assert (context["live"], context["failed"], context["newest"]) == (2, 1, newest)
    assert signed_in(sam).get("/jobs/indicator/").context["live"] == 0


def test_stopping_and_repeating_from_the_page(enqueue: Enqueue, ana: User) -> None:
    job = enqueue()
    client = signed_in(ana)
    assert client.get(f"/jobs/{job.pk}/cancel/").status_code == 405
    assert client.post(f"/jobs/{job.pk}/cancel/").url == f"/jobs/{job.pk}/"
    assert Job.objects.get().state == "cancelled"
    assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 409
    client.post(f"/jobs/{job.pk}/retry/")
    assert Job.objects.get().state == "queued"


def test_htmx_gets_the_piece_and_everybody_else_the_page(enqueue: Enqueue, ana: User) -> None:
    client = signed_in(ana)
    piece = client.get("/jobs/", headers=HTMX)
    page = client.get("/jobs/")
    back = client.get("/jobs/", headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert "<html" not in piece.content.decode()
    assert "<html" in page.content.decode()
    assert "<html" in back.content.decode()
    assert {"HX-Request", "HX-History-Restore-Request"} <= set(piece["Vary"].split(", "))
