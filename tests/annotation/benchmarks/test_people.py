"""The settings of a benchmark: what it says of itself, and who works on it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.benchmarks.write.benchmark import add_member
from annotation.benchmarks.write.invitations import invite_person
from annotation.benchmarks.write.people import DETAILS, change_details, led_alone, set_roles
from annotation.models import Benchmark, Membership
from annotation.workflow import Role
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.databases import forget_audit_entries
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.anonymize import anonymize_person
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SETTINGS = "/benchmarks/kitchen/settings/"
GIVEN = {"title": "Kitchen 4K", "description": "Mugs.", "licence": "CC-BY-4.0", "public": "on"}


@made_once
def kitchen(lea: User, ana: User) -> Benchmark:
    benchmark = make_benchmark(lea)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    forget_audit_entries()
    return benchmark


def roles(user: User) -> set[str]:
    return set(Membership.objects.filter(user=user).values_list("role", flat=True))


def test_a_lead_says_what_the_benchmark_is(kitchen: Benchmark, lea: User) -> None:
    answer = signed_in(lea).post(SETTINGS, GIVEN)
    assert (answer.status_code, answer.url) == (302, SETTINGS)
    kitchen.refresh_from_db()
    assert (kitchen.title, kitchen.licence, kitchen.public) == ("Kitchen 4K", "CC-BY-4.0", True)
    [entry] = AuditEntry.objects.filter(action__startswith="benchmark.")
    assert (entry.action, entry.data["before"]["title"]) == ("benchmark.change", "Kitchen")


def test_saving_what_is_there_already_leaves_no_trace(kitchen: Benchmark, lea: User) -> None:
    same = {name: getattr(kitchen, name) for name in DETAILS}
    assert change_details(actor=lea, benchmark=kitchen, **same) == []
    assert not AuditEntry.objects.exists()


def test_a_title_that_is_missing_is_asked_for_and_the_head_keeps_the_old_one(kitchen: Benchmark, lea: User) -> None:
    answer = signed_in(lea).post(SETTINGS, {**GIVEN, "title": "  "})
    assert answer.status_code == 400
    assert "title" in answer.context["details"].errors
    assert "<h1>Kitchen</h1>" in answer.content.decode()
    with pytest.raises(InvalidInput, match="Enter a title"):
        change_details(
            actor=lea,
            benchmark=kitchen,
            title=" ",
            description="",
            licence="",
            public=False,
            marks_open=False,
            remove_metadata=True,
            remote_allowed=False,
        )


def test_roles_are_given_and_taken_in_one_go_each_with_its_entry(kitchen: Benchmark, lea: User, ana: User) -> None:
    answer = signed_in(lea).post(f"{SETTINGS}people/{ana.pk}/", {"roles": ["reviewer", "researcher"]})
    assert answer.url == SETTINGS
    assert roles(ana) == {"reviewer", "researcher"}
    entries = (
        AuditEntry.objects.exclude(benchmark="").order_by("id").values_list("action", "before", "after", "benchmark")
    )
    assert list(entries) == [
        ("member.add", "", "researcher", "kitchen"),
        ("member.add", "", "reviewer", "kitchen"),
        ("member.remove", "annotator", "", "kitchen"),
    ]


def test_without_a_role_a_person_is_out(kitchen: Benchmark, lea: User, ana: User) -> None:
    signed_in(lea).post(f"{SETTINGS}people/{ana.pk}/", {})
    assert roles(ana) == set()
    assert signed_in(ana).get("/benchmarks/kitchen/").status_code == 404


def test_the_last_lead_stays(kitchen: Benchmark, lea: User) -> None:
    answer = signed_in(lea).post(f"{SETTINGS}people/{lea.pk}/", {"roles": ["annotator"]})
    assert answer.status_code == 409
    assert "the only lead" in answer.content.decode()
    assert roles(lea) == {"lead"}
    with pytest.raises(Conflict):
        set_roles(actor=None, benchmark=kitchen, user=lea, roles=[])


def test_a_lead_who_cannot_sign_in_does_not_count(kitchen: Benchmark, lea: User, ana: User) -> None:
    """Such as a lead whom a portable file brought along, or whose account was closed."""
    set_roles(actor=lea, benchmark=kitchen, user=ana, roles=[Role.LEAD])
    User.objects.filter(pk=ana.pk).update(is_active=False)
    with pytest.raises(Conflict):
        set_roles(actor=lea, benchmark=kitchen, user=lea, roles=[])
    assert roles(lea) == {"lead"}


def test_a_lead_steps_down_when_there_is_another_and_is_led_out(kitchen: Benchmark, lea: User, ana: User) -> None:
    set_roles(actor=lea, benchmark=kitchen, user=ana, roles=[Role.LEAD])
    answer = signed_in(lea).post(f"{SETTINGS}people/{lea.pk}/", {"roles": ["reviewer"]})
    assert answer.url == "/benchmarks/"
    assert roles(lea) == {"reviewer"}


def test_a_lead_of_another_benchmark_is_no_lead_here(kitchen: Benchmark, ana: User, sam: User) -> None:
    make_benchmark(sam, "street")
    with pytest.raises(NotAllowed):
        set_roles(actor=sam, benchmark=kitchen, user=ana, roles=[])
    assert signed_in(sam).post(f"{SETTINGS}people/{ana.pk}/", {}).status_code == 404


def test_only_people_of_the_benchmark_have_roles_to_change(kitchen: Benchmark, lea: User, sam: User) -> None:
    assert signed_in(lea).post(f"{SETTINGS}people/{sam.pk}/", {"roles": ["lead"]}).status_code == 404
    assert signed_in(lea).post(f"{SETTINGS}people/{lea.pk}/", {"roles": ["owner"]}).status_code == 400


def test_the_page_names_people_with_their_roles(kitchen: Benchmark, lea: User, ana: User) -> None:
    people = signed_in(lea).get(SETTINGS).context["people"]
    assert [(person.user, person.roles) for person in people] == [(ana, ["annotator"]), (lea, ["lead"])]


def test_more_people_and_invitations_cost_no_more_queries(kitchen: Benchmark, lea: User) -> None:
    # Of the page itself: the people, the open invitations, the roles they bring.
    client = signed_in(lea)
    invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=[Role.ANNOTATOR])
    with CaptureQueriesContext(connection) as few:
        client.get(SETTINGS)
    for number in range(4):
        add_member(actor=lea, benchmark=kitchen, user=make_user(f"Person{number} X"), role=Role.ANNOTATOR)
        invite_person(actor=lea, benchmark=kitchen, email=f"new{number}@example.org", roles=[Role.ANNOTATOR])
    with CaptureQueriesContext(connection) as many:
        assert len(client.get(SETTINGS).context["people"]) == 6
    assert len(many) == len(few)


def account_page(user: User) -> str:
    return f"/admin/accounts/user/{user.pk}/"


def account_of(user: User, **changed: str) -> dict[str, str]:
    """The form of an account in the admin, closed."""
    return {"email": user.email, "name": user.name, **changed}


def test_an_admin_cannot_close_the_account_of_the_last_lead(kitchen: Benchmark, lea: User, admin: User) -> None:
    client = signed_in(admin)
    answer = client.post(f"{account_page(lea)}change/", account_of(lea))
    lea.refresh_from_db()
    assert (answer.status_code, lea.is_active) == (200, True)
    assert "the only lead of Kitchen" in answer.content.decode()
    page = client.get(f"{account_page(lea)}delete/").content.decode()
    assert "the only lead of Kitchen" in page
    assert client.post(f"{account_page(lea)}delete/", {"post": "yes"}).status_code == 200
    assert User.objects.filter(pk=lea.pk).exists()
    listed = {"action": "delete_selected", "_selected_action": [str(lea.pk)]}
    assert "the only lead of Kitchen" in client.post("/admin/accounts/user/", listed).content.decode()


def test_with_another_lead_the_account_is_closed(kitchen: Benchmark, lea: User, ana: User, admin: User) -> None:
    set_roles(actor=lea, benchmark=kitchen, user=ana, roles=[Role.LEAD])
    assert led_alone(lea) == []
    assert led_alone(lea, [lea, ana]) == ["Kitchen"]
    assert signed_in(admin).post(f"{account_page(lea)}change/", account_of(lea)).status_code == 302
    lea.refresh_from_db()
    assert not lea.is_active
    assert led_alone(ana) == ["Kitchen"]


def test_the_last_lead_is_anonymized_only_by_force(kitchen: Benchmark, lea: User) -> None:
    with pytest.raises(Conflict, match="the only lead of Kitchen"):
        anonymize_person(actor=None, user=lea)
    assert not anonymize_person(actor=None, user=lea, force=True).is_active
