"""The person behind a placeholder gets an account, which has the work of the placeholder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.benchmarks.write.invitations import withdraw
from annotation.benchmarks.write.people import set_roles
from annotation.benchmarks.write.take_over import invite_in_place
from annotation.models import Annotation, Benchmark, Membership, PersonUid
from annotation.project_file import Reader, differences
from annotation.workflow import Role
from evaluation.exports.write import import_project
from tests.annotation.portable.files import exported, forged, taken_elsewhere
from tests.annotation.portable.test_people import people
from tests.annotation.portable.test_update import updated
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts import actions, letters
from webapp.accounts.anonymize import anonymize_person
from webapp.accounts.models import Invitation, User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db

NEW = "seven quiet otters"
ZOE = "zoe@example.org"


@pytest.fixture(autouse=True)
def sends_email(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SENDS_EMAIL, settings.SITE_URL = True, "http://testserver"
    monkeypatch.setattr(letters, "DELAY_SECONDS", 0)


def secret_of(*, to: str) -> str:
    """The secret of the link in the last letter to this address."""
    letters.send("verify", "last@example.org", link="").result()
    text = next(message.body for message in reversed(mail.outbox) if message.to == [to])
    return next(word for word in text.split() if "/invitation/" in word).rstrip("/").rpartition("/")[2]


@made_once
def copy(kitchen: Benchmark, lea: User) -> Benchmark:
    """The kitchen on the server of another team, without names. Lea leads it there too."""
    return taken_elsewhere(kitchen, lea, "copy", named=False)


@pytest.fixture
def worker(copy: Benchmark) -> User:
    """The placeholder who annotated."""
    return Membership.objects.get(benchmark=copy, role=Role.ANNOTATOR).user


def invited(lea: User, copy: Benchmark, worker: User, email: str = ZOE, roles: Any = (Role.REVIEWER,)) -> str:
    invite_in_place(actor=lea, benchmark=copy, person=worker, email=email, roles=roles)
    return secret_of(to=email)


def test_a_new_person_takes_over_work_and_gets_the_invited_roles(
    copy: Benchmark, worker: User, lea: User, tmp_path: Path
) -> None:
    work = Annotation.objects.filter(sample__benchmark=copy, author=worker).count()
    secret = invited(lea, copy, worker)
    client = Client()
    page = client.get(f"/invitation/{secret}/").content.decode()
    assert str(worker) in page
    assert client.post(f"/invitation/{secret}/", {"name": "Zoe Fox", "password": NEW}).status_code == 302
    zoe = User.objects.get(email=ZOE)
    assert (zoe.pk, zoe.name, zoe.is_active, zoe.email_verified) == (worker.pk, "Zoe Fox", True, True)
    assert zoe.check_password(NEW)
    assert Annotation.objects.filter(sample__benchmark=copy, author=zoe).count() == work > 0
    assert set(Membership.objects.filter(user=zoe).values_list("role", flat=True)) == {"reviewer"}
    assert client.get("/benchmarks/copy/").status_code == 200
    assert Client().get(f"/invitation/{secret}/").status_code == 404
    assert set(AuditEntry.objects.filter(actor=zoe).values_list("action", flat=True)) >= {
        "person.take_over", "invitation.accept", "member.remove", "member.add",
    }  # fmt: skip


def test_a_file_after_that_has_the_real_address_and_can_be_imported(
    copy: Benchmark, worker: User, lea: User, tmp_path: Path
) -> None:
    first_file = exported(copy, tmp_path / "before")
    before = {row["uid"] for row in people(first_file)}
    actions.accept_invitation(invited(lea, copy, worker), name="Zoe Fox", password=NEW)
    file = exported(copy, tmp_path / "after")
    with Reader(first_file) as first, Reader(file) as second:
        alone = {one.table: (one.first, one.second) for one in differences(first, second)}
    assert alone["person"] == (1, 1)
    assert all(sum(rows) for rows in alone.values())
    assert ("Zoe Fox", ZOE) in {(row["name"], row["email"]) for row in people(file)}
    assert {row["uid"] for row in people(file)} == before
    again = exported(import_project(actor=lea, path=file, slug="again"), tmp_path / "again")
    with Reader(file) as first, Reader(again) as second:
        assert differences(first, second) == []
    assert not any(updated(lea, copy, file).values())


def test_the_address_of_the_file_gives_way_to_the_real_one(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    long = f"{'a' * 230}@example.org"
    rows = [{"name": "Ann", "email": long}, {"name": "Rob", "email": ""}, {"name": "Liz", "email": ""}]
    file = forged(exported(kitchen, tmp_path / "a"), "person", lambda _: rows)
    copy = import_project(actor=lea, path=file, slug="copy", lead=lea)
    worker = User.objects.get(name="Ann")
    page = signed_in(lea).get("/benchmarks/copy/settings/").content.decode()
    assert long in page
    actions.accept_invitation(invited(lea, copy, worker), name="Ann", password=NEW)
    assert ZOE in {row["email"] for row in people(exported(copy, tmp_path / "b"))}
    assert not PersonUid.objects.exclude(address="").exists()


def test_an_address_with_an_account_is_refused_at_both_ends(
    copy: Benchmark, worker: User, lea: User, rui: User
) -> None:
    with pytest.raises(Conflict, match="already has an account"):
        invited(lea, copy, worker, email="Rui@example.org")
    secret = invited(lea, copy, worker)
    zoe = make_user("Zoe Fox")
    page = signed_in(zoe).get(f"/invitation/{secret}/")
    assert (page.status_code, "already has an account" in page.content.decode()) == (409, True)
    for actor in (None, zoe):
        with pytest.raises(Conflict, match="already has an account"):
            actions.accept_invitation(secret, name="Zoe", password=NEW, actor=actor)
    assert not User.objects.get(pk=worker.pk).is_active
    assert Invitation.objects.get().is_open


def test_one_open_invitation_per_placeholder(copy: Benchmark, worker: User, lea: User) -> None:
    first = invited(lea, copy, worker)
    with pytest.raises(Conflict, match="already invited"):
        invited(lea, copy, worker, email="other@example.org")
    withdraw(actor=lea, benchmark=copy, invitation=Invitation.objects.get())
    assert Client().get(f"/invitation/{first}/").status_code == 404
    assert invited(lea, copy, worker, email="other@example.org")


def test_an_invitation_needs_email_roles_and_a_placeholder(
    copy: Benchmark, worker: User, lea: User, ana: User, settings: Any
) -> None:
    with pytest.raises(InvalidInput):
        invited(lea, copy, worker, roles=())
    add_member(actor=lea, benchmark=copy, user=ana, role=Role.ANNOTATOR)
    with pytest.raises(Conflict, match="not a person of an imported file"):
        invited(lea, copy, ana)
    settings.SENDS_EMAIL = False
    with pytest.raises(Conflict, match="sends no email"):
        invited(lea, copy, worker)


def test_only_a_lead_of_the_benchmark_invites(copy: Benchmark, kitchen: Benchmark, worker: User, rui: User) -> None:
    add_member(actor=None, benchmark=copy, user=rui, role=Role.REVIEWER)
    sam = make_user("Sam Ode")
    other = create_benchmark(actor=sam, slug="other")
    for person, benchmark in ((rui, copy), (sam, copy)):
        with pytest.raises(NotAllowed):
            invited(person, benchmark, worker)
    address = f"settings/people/{worker.pk}/take-over/"
    given = {"email": ZOE, "roles": "lead"}
    assert signed_in(sam).post(f"/benchmarks/copy/{address}", given).status_code == 404
    assert signed_in(rui).post(f"/benchmarks/copy/{address}", given).status_code == 403
    assert signed_in(sam).post(f"/benchmarks/other/{address}", given).status_code == 404
    assert not Invitation.objects.exists()
    assert other.memberships.count() == 1


def test_a_placeholder_in_a_benchmark_of_another_lead_is_not_taken(copy: Benchmark, worker: User, lea: User) -> None:
    """Sam leads another benchmark with the same person: the work there is not Lea's to give away."""
    sam, ada = make_user("Sam Ode"), make_user("Ada Kern", is_staff=True)
    other = create_benchmark(actor=sam, slug="other")
    secret = invited(lea, copy, worker)
    membership = Membership.objects.create(benchmark=other, user=worker, role=Role.ANNOTATOR)
    with pytest.raises(Conflict, match="another lead"):
        actions.accept_invitation(secret, name="Zoe", password=NEW)
    assert not User.objects.get(pk=worker.pk).is_active
    withdraw(actor=lea, benchmark=copy, invitation=Invitation.objects.get())
    for person, benchmark in ((lea, copy), (sam, other)):
        with pytest.raises(Conflict, match="another lead"):
            invited(person, benchmark, worker)
    membership.delete()
    uid = PersonUid.objects.create(benchmark=other, user=worker)
    with pytest.raises(Conflict, match="another lead"):
        invited(lea, copy, worker)
    uid.delete()
    sample = other.samples.create(key="a")
    Annotation.objects.create(sample=sample, author=worker)
    with pytest.raises(Conflict, match="another lead"):
        invited(lea, copy, worker)
    actions.accept_invitation(invited(ada, copy, worker), name="Zoe", password=NEW)
    assert User.objects.get(pk=worker.pk).email == ZOE


def test_what_changes_before_the_acceptance_counts(copy: Benchmark, worker: User, lea: User) -> None:
    secret, mia = invited(lea, copy, worker), make_user("Mia Roth")
    add_member(actor=lea, benchmark=copy, user=mia, role=Role.LEAD)
    set_roles(actor=mia, benchmark=copy, user=lea, roles=[Role.REVIEWER])
    with pytest.raises(Conflict, match="another lead"):
        actions.accept_invitation(secret, name="Zoe", password=NEW)
    set_roles(actor=mia, benchmark=copy, user=lea, roles=[Role.LEAD])
    anonymize_person(actor=None, user=worker)
    with pytest.raises(Conflict, match="not a person of an imported file"):
        actions.accept_invitation(secret, name="Zoe", password=NEW)


def test_a_lead_invites_on_the_page(copy: Benchmark, worker: User, lea: User) -> None:
    client, page = signed_in(lea), "/benchmarks/copy/settings/"
    address = f"{page}people/{worker.pk}/take-over/"
    assert address in client.get(page).content.decode()
    wrong = client.post(address, {"email": "Lea@example.org", "roles": "reviewer"})
    assert (wrong.status_code, "already has an account" in wrong.content.decode()) == (400, True)
    assert client.post(address, {"email": ZOE, "roles": ["reviewer", "annotator"]}).url == page
    assert secret_of(to=ZOE)
    [letter] = [message for message in mail.outbox if message.to == [ZOE]]
    assert str(worker) in letter.body
    shown = client.get(page).content.decode()
    assert address not in shown
    assert ZOE in shown


def test_a_site_without_email_says_so_instead_of_inviting(copy: Benchmark, lea: User, settings: Any) -> None:
    address = f"/benchmarks/{copy.slug}/settings/"
    client = signed_in(lea)
    assert "/take-over/" in client.get(address).text
    settings.SENDS_EMAIL = False
    assert "/take-over/" not in client.get(address).text
    assert "sends no email" in client.get(address).text


def test_a_lead_invites_over_the_api(copy: Benchmark, worker: User, lea: User, rui: User) -> None:
    client, base = signed_in(lea), "/api/v1/benchmarks/copy/placeholders/"
    rows = client.get(base).json()["results"]
    assert len(rows) == 3
    one = next(row for row in rows if row["id"] == worker.pk)
    assert one == {"id": worker.pk, "name": worker.name, "address": "", "roles": ["annotator"], "invited": ""}
    address, json = f"{base}{worker.pk}/invitation/", "application/json"
    assert client.post(address, {"email": "Lea@example.org", "roles": ["reviewer"]}, json).status_code == 409
    for wrong in ({"email": ZOE, "roles": []}, {"email": "zoe", "roles": ["lead"]}, {"email": ZOE, "roles": ["owner"]}):
        assert client.post(address, wrong, json).status_code == 400
    assert client.delete(address).status_code == 404
    assert client.post(address, {"email": ZOE, "roles": ["reviewer"]}, json).status_code == 204
    first = secret_of(to=ZOE)
    assert {row["invited"] for row in client.get(base).json()["results"]} == {"", ZOE}
    assert client.post(address, {"email": ZOE, "roles": ["reviewer"]}, json).status_code == 409
    assert client.delete(address).status_code == 204
    assert Client().get(f"/invitation/{first}/").status_code == 404
    assert client.post(address, {"email": ZOE, "roles": ["reviewer"]}, json).status_code == 204
    actions.accept_invitation(secret_of(to=ZOE), name="Zoe", password=NEW)
    assert worker.pk not in {row["id"] for row in client.get(base).json()["results"]}
    assert client.post(address, {"email": "a@example.org", "roles": ["reviewer"]}, json).status_code == 404


def test_only_a_lead_invites_over_the_api(copy: Benchmark, worker: User, lea: User, rui: User) -> None:
    add_member(actor=None, benchmark=copy, user=rui, role=Role.REVIEWER)
    sam, base, json = make_user("Sam Ode"), "/api/v1/benchmarks/copy/placeholders/", "application/json"
    create_benchmark(actor=sam, slug="other")
    invited(lea, copy, worker)
    given = {"email": "a@example.org", "roles": ["lead"]}
    for person, status in ((sam, 404), (rui, 403)):
        client = signed_in(person)
        assert client.get(base).status_code == status
        assert client.post(f"{base}{worker.pk}/invitation/", given, json).status_code == status
        assert client.delete(f"{base}{worker.pk}/invitation/").status_code == status
    elsewhere = f"/api/v1/benchmarks/other/placeholders/{worker.pk}/invitation/"
    assert signed_in(sam).post(elsewhere, given, json).status_code == 404
    assert signed_in(sam).delete(elsewhere).status_code == 404
    assert Invitation.objects.get().is_open
