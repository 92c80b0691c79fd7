"""People who leave: their names go, their work and every statistic stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.models import Benchmark, Lease
from annotation.workflow import State
from evaluation.models import Judgement, Model, Run
from tests.annotation.agreement_data import mug, mugs, review, settle, submit
from tests.conftest import signed_in
from tests.factories import PASSWORD, make_token, make_user
from tests.worlds import made_once
from webapp.accounts.actions import invite
from webapp.accounts.anonymize import anonymize_person, personal_data
from webapp.accounts.models import ApiToken, Invitation, User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
AGREEMENT = "/benchmarks/kitchen/agreement/"


@made_once
def kitchen(lea: User, ana: User, rui: User) -> Benchmark:
    """Ana and Ben annotated and disagree, Rui reviewed, a file has judgments in Rui's name."""
    ben = make_user("Ben Okoro")
    benchmark = mugs(lea, {"annotator": ana, "reviewer": rui})
    for number, answer in enumerate("BBAB"):
        revision = submit(ana, number, answer, state=State.ACCEPTED)
        review(revision, rui)
        settle(revision)
        submit(ben, number, "B", boxes=((110, 100, 210, 200),))
    run = Run.objects.create(benchmark=benchmark, number=1, model=Model.objects.create(name="zoomer"))
    for number, sample in enumerate(benchmark.samples.order_by("key")[:8]):
        for judge, verdict in ((rui.name, number % 2), (rui.email, number % 3), ("judge-7b", number % 4)):
            Judgement.objects.create(
                run=run, sample=sample, kind="sufficiency", judge=judge, verdict="Yes." if verdict else "no"
            )
    return benchmark


def numbers(lea: User) -> Any:
    """All numbers of the pages of agreement, without names."""
    client = signed_in(lea)
    people = client.get(f"{AGREEMENT}people/").context["rows"]
    judges = client.get(f"{AGREEMENT}judges/").context
    pair = judges["pair"]
    return (
        [client.get(AGREEMENT).context[name] for name in ("total",) if name in client.get(AGREEMENT).context],
        sorted(
            (row.submitted.n, row.accepted.n, row.work.acceptance, row.work.median_seconds, row.answers.n, row.boxes.n)
            for row in people
        ),
        judges["people_n"],
        (pair["verdicts"].n, pair["same_n"].n, [(name, one.value, one.n) for _, name, one, _ in pair["quality"]]),
    )


def test_a_person_is_anonymized_and_no_statistic_changes(kitchen: Benchmark, lea: User, ana: User, rui: User) -> None:
    """D5.3"""
    before = numbers(lea)
    left = [anonymize_person(actor=lea, user=user) for user in (ana, rui)]
    assert [user.name for user in left] == [f"Former annotator {ana.pk}", f"Former reviewer {rui.pk}"]
    assert numbers(lea) == before
    assert signed_in(lea).get(f"{AGREEMENT}people/").status_code == 200
    assert set(Judgement.objects.values_list("judge", flat=True)) == {left[1].name, left[1].email, "judge-7b"}
    assert audit.verify().problems == ()


def test_nothing_that_names_a_person_is_left(kitchen: Benchmark, lea: User, ana: User) -> None:
    """D5.3: in no table of the site."""
    invite(email=ana.email, actor=lea)
    make_token(ana)
    client = Client()
    client.post("/sign-in/", {"email": ana.email, "password": PASSWORD})
    client.post("/sign-in/", {"email": ana.email, "password": "mistyped"})
    Lease.objects.create(sample=mug(9), seat="annotate", user=ana, expires_at=timezone.now())
    anonymize_person(actor=lea, user=ana)
    everything = {
        model: json.dumps(list(model._base_manager.values()), default=str)
        for model in (User, Invitation, ApiToken, AuditEntry, Judgement)
    }
    for model, rows in everything.items():
        assert "ana@example.org" not in rows, model
        assert "Ana Lind" not in rows, model
    assert client.get("/account/").status_code == 302
    assert not ApiToken.objects.filter(user=ana).exists()
    assert not Lease.objects.filter(user=ana).exists()
    assert not ana.memberships.exists()
    answer = Client().post("/sign-in/", {"email": "ana@example.org", "password": PASSWORD})
    assert answer.status_code == 400
    with pytest.raises(Conflict, match="already"):
        anonymize_person(actor=lea, user=ana)


def test_nobody_anonymizes_themselves_and_the_command_asks(lea: User, ana: User, monkeypatch: Any) -> None:
    """D5.3"""
    with pytest.raises(Conflict, match="yourself"):
        anonymize_person(actor=lea, user=lea)
    call_command("anonymize_person", ana.email, "--yes")
    ana.refresh_from_db()
    assert ana.name == f"Former member {ana.pk}"
    assert not ana.is_active


def test_the_data_of_a_person_is_exported_without_secrets(kitchen: Benchmark, ana: User, tmp_path: Any) -> None:
    """D5.3: every table with a row of theirs."""
    make_token(ana)
    signed_in(ana)
    file = tmp_path / "ana.json"
    call_command("export_person", ana.email, "--output", str(file))
    data = json.loads(file.read_text())
    assert data["accounts.user"][0]["email"] == ana.email
    assert len(data["annotation.annotation"]) == 4
    assert {"annotation.revision", "annotation.membership", "accounts.apitoken"} <= set(data)
    assert set(data) == set(personal_data(ana))
    token = ApiToken.objects.get(user=ana)
    assert token.token_hash not in file.read_text()
    assert ana.password not in file.read_text()
