"""Invitations by link: shown once, used once, with the roles they bring."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.benchmarks.write.invitations import invite_person, withdraw
from annotation.models import Benchmark, InvitedRole, Membership
from annotation.workflow import Role
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts import actions
from webapp.accounts.models import Invitation, User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed, NotFound
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SETTINGS = "/benchmarks/kitchen/settings/"
NEW = "seven quiet otters"
ANNOTATE_AND_REVIEW = [Role.ANNOTATOR, Role.REVIEWER]


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_benchmark(lea, title="Kitchen <b>4K</b>")


def link_in(text: str) -> str:
    found = re.search(r"http://testserver(/invitation/[\w-]+/)", text)
    assert found
    return found[1]


def test_the_link_is_shown_once_and_its_secret_is_kept_nowhere(kitchen: Benchmark, lea: User) -> None:
    """D7.5: after a redirect, so that loading the page again creates no second invitation."""
    client = signed_in(lea)
    answer = client.post(f"{SETTINGS}invitations/", {"email": "Ines@example.org", "roles": ["annotator", "reviewer"]})
    assert answer.url == f"{SETTINGS}#invite"
    page = client.get(SETTINGS)
    link = link_in(page.content.decode())
    assert page["Cache-Control"] == "private, no-store"
    later = client.get(SETTINGS).content.decode()
    assert link not in later
    assert "ines@example.org" in later
    assert "annotator and reviewer" in later
    assert Invitation.objects.get().token_hash not in link


def test_the_page_names_who_which_benchmark_and_which_roles_before_it_asks(kitchen: Benchmark, lea: User) -> None:
    _, secret = invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=ANNOTATE_AND_REVIEW)
    text = Client().get(f"/invitation/{secret}/").content.decode()
    said = ["Lea Moreau invited you", "Kitchen &lt;b&gt;4K&lt;/b&gt;", "to annotate its samples and review", "password"]
    places = [text.index(words) for words in said]
    assert places == sorted(places)


def test_who_accepts_gets_the_roles_and_the_link_is_used_up(kitchen: Benchmark, lea: User) -> None:
    _, secret = invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=ANNOTATE_AND_REVIEW)
    client = Client()
    assert client.post(f"/invitation/{secret}/", {"name": "Ines Duarte", "password": NEW}).url == "/"
    ines = User.objects.get(email="ines@example.org")
    assert set(Membership.objects.filter(user=ines).values_list("role", flat=True)) == {"annotator", "reviewer"}
    assert client.get("/benchmarks/kitchen/").status_code == 200
    assert Client().get(f"/invitation/{secret}/").status_code == 404
    assert AuditEntry.objects.filter(actor=ines, action="member.add", benchmark="kitchen").count() == 2


def test_a_member_is_invited_to_what_is_new_only(kitchen: Benchmark, lea: User, ana: User) -> None:
    Membership.objects.create(benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    with pytest.raises(Conflict, match="already has these roles"):
        invite_person(actor=lea, benchmark=kitchen, email="Ana@example.org", roles=[Role.ANNOTATOR])
    _, secret = invite_person(actor=lea, benchmark=kitchen, email=ana.email, roles=ANNOTATE_AND_REVIEW)
    actions.accept_invitation(secret, actor=ana)
    assert Membership.objects.filter(user=ana).count() == 2


@pytest.mark.parametrize(
    ("sent", "field"),
    [({"email": "ines", "roles": ["lead"]}, "email"), ({"email": "ines@example.org"}, "roles"),
     ({"email": "ines@example.org", "roles": ["owner"]}, "roles")],
    ids=["no address", "no role", "no such role"],
)  # fmt: skip
def test_what_is_missing_is_said_at_its_field(kitchen: Benchmark, lea: User, sent: dict, field: str) -> None:
    answer = signed_in(lea).post(f"{SETTINGS}invitations/", sent)
    assert answer.status_code == 400
    assert list(answer.context["invite"].errors) == [field]
    assert not Invitation.objects.exists()


def test_a_withdrawn_link_opens_nothing(kitchen: Benchmark, lea: User) -> None:
    invitation, secret = invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=[Role.LEAD])
    assert signed_in(lea).post(f"{SETTINGS}invitations/{invitation.pk}/withdraw/").url == SETTINGS
    assert Client().get(f"/invitation/{secret}/").status_code == 404
    assert signed_in(lea).get(SETTINGS).context["invitations"] == []
    with pytest.raises(Conflict, match="already closed"):
        withdraw(actor=lea, benchmark=kitchen, invitation=invitation)


def test_withdrawing_here_leaves_what_another_benchmark_offers(kitchen: Benchmark, lea: User) -> None:
    street = make_benchmark(lea, "street")
    invitation, secret = invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=[Role.LEAD])
    InvitedRole.objects.create(invitation=invitation, benchmark=street, role=Role.REVIEWER)
    withdraw(actor=lea, benchmark=kitchen, invitation=invitation)
    assert [offer.title for offer in actions.offers_of(actions.invitation_of(secret))] == ["Street"]
    with pytest.raises(NotFound):
        withdraw(actor=lea, benchmark=kitchen, invitation=invitation)


def test_only_a_lead_invites(kitchen: Benchmark, ana: User, lea: User) -> None:
    Membership.objects.create(benchmark=kitchen, user=ana, role=Role.REVIEWER)
    with pytest.raises(NotAllowed):
        invite_person(actor=ana, benchmark=kitchen, email="ines@example.org", roles=[Role.LEAD])
    with pytest.raises(InvalidInput, match="at least one role"):
        invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=[])
    assert not Invitation.objects.exists()
