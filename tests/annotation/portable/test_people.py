"""The people of portable files: one person stays one person, with names and without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.content.people import verified_addresses
from annotation.models import Benchmark, PersonUid, Revision
from annotation.portable.read.table_changes import rows_apart
from annotation.portable.write import InvalidProject
from annotation.project_file import Reader, differences
from evaluation.exports.write import import_project
from tests.annotation.portable.files import exported, forged
from tests.annotation.portable.test_update import changed, questions, updated
from tests.factories import make_user
from webapp.accounts.anonymize import anonymize_person
from webapp.accounts.models import User

pytestmark = pytest.mark.django_db

Rows = list[dict[str, Any]]


def people(path: Path) -> Rows:
    with Reader(path) as file:
        return list(file.rows("person"))


def without_uid(path: Path) -> Path:
    """The file as an earlier release wrote it."""
    return forged(path, "person", lambda rows: [{key: row[key] for key in ("name", "email")} for row in rows])


@pytest.fixture
def gold(kitchen: Benchmark) -> str:
    return min(questions(kitchen))


def author(benchmark: Benchmark, question: str) -> User:
    return Revision.objects.get(annotation__sample__benchmark=benchmark, question=question).author  # type: ignore[return-value]  # it has one


def test_a_person_has_one_uid_in_every_file(kitchen: Benchmark, tmp_path: Path) -> None:
    named, unnamed = people(exported(kitchen, tmp_path / "a")), people(exported(kitchen, tmp_path / "b", named=False))
    assert [one["uid"] for one in named] == [one["uid"] for one in unnamed]
    assert len({one["uid"] for one in named}) == len(named)
    version = exported(kitchen, tmp_path / "c", version=kitchen.versions.get())
    assert {one["uid"] for one in people(version)} < {one["uid"] for one in named}


def test_an_import_keeps_uids_and_copies_have_their_own(kitchen: Benchmark, twin: Benchmark, tmp_path: Path) -> None:
    before, after = people(exported(kitchen, tmp_path / "a")), people(exported(twin, tmp_path / "b"))
    assert before == after
    assert PersonUid.objects.filter(benchmark=kitchen).count() == PersonUid.objects.filter(benchmark=twin).count()


@pytest.mark.parametrize("first_named", [True, False])
def test_a_named_and_a_pseudonymous_update_name_one_person(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path, first_named: bool
) -> None:
    zoe = make_user("Zoe Fox")
    for question, named in (("Which mug?", first_named), ("Which cup?", not first_named)):
        changed(twin, gold, zoe, question)
        updated(lea, kitchen, exported(twin, tmp_path / "file", named=named))
    assert author(kitchen, "Which mug?") == author(kitchen, "Which cup?")
    assert not author(kitchen, "Which mug?").is_active


def test_work_of_an_account_elsewhere_is_of_one_placeholder_on_both_servers(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path
) -> None:
    """Lea has an account here, and a placeholder on the other server. No file writes in the name of the account."""
    away = User.objects.get(name="Lea Moreau", is_active=False)
    changed(twin, gold, away, "Which mug?")
    updated(lea, kitchen, exported(twin, tmp_path / "a", named=False))
    here = author(kitchen, "Which mug?")
    assert not here.is_active
    changed(kitchen, gold, here, "Which cup?")
    file = exported(kitchen, tmp_path / "b")
    uids = [one["uid"] for one in people(file)]
    assert len(set(uids)) == len(uids)
    updated(lea, twin, file)
    assert author(twin, "Which cup?") == away
    copy = import_project(actor=lea, path=file, slug="copy")
    assert people(exported(copy, tmp_path / "c")) == people(file)


def test_a_file_without_uids_knows_people_by_their_addresses(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path
) -> None:
    zoe = make_user("Zoe Fox")
    changed(twin, gold, zoe, "Which mug?")
    updated(lea, kitchen, without_uid(exported(twin, tmp_path / "a")))
    changed(twin, gold, zoe, "Which cup?")
    updated(lea, kitchen, exported(twin, tmp_path / "b"))
    changed(twin, gold, zoe, "Which jug?")
    updated(lea, kitchen, exported(twin, tmp_path / "c", named=False))
    assert len({author(kitchen, question) for question in ("Which mug?", "Which cup?", "Which jug?")}) == 1


def test_addresses_come_back_as_they_were(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    emails = ["a.b=c@example.org", f"{'a' * 230}@example.org", "same@example.org", "same@example.org", ""]
    rows = [{"name": f"P {number}", "email": email} for number, email in enumerate(emails)]
    file = forged(exported(kitchen, tmp_path / "file"), "person", lambda _: rows)
    for slug in ("copy", "second"):
        made = import_project(actor=lea, path=file, slug=slug)
        members = set(made.memberships.values_list("user__name", flat=True))
        found = {one["name"]: one["email"] for one in people(exported(made, tmp_path / "again"))}
        assert members <= found.keys()
        assert found == {row["name"]: row["email"] for row in rows if row["name"] in found}


def test_a_slug_can_be_used_again(kitchen: Benchmark, twin: Benchmark, lea: User, tmp_path: Path) -> None:
    file = exported(kitchen, tmp_path / "file")
    twin.slug = "other"
    twin.save(update_fields=["slug"])
    again = exported(import_project(actor=lea, path=file, slug="twin"), tmp_path / "again")
    with Reader(file) as first, Reader(again) as second:
        assert differences(first, second) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: [row | {"uid": rows[0]["uid"]} for row in rows],
        lambda rows: [row | {"uid": "strange"} for row in rows],
        lambda rows: [row | {"uid": 7} for row in rows],
        lambda rows: [row | {"known_as": ["a"]} for row in rows],
        lambda rows: [row | {"verified": "yes"} for row in rows],
    ],
)
def test_strange_uids_are_refused(
    kitchen: Benchmark, lea: User, tmp_path: Path, change: Callable[[Rows], Rows]
) -> None:
    file = forged(exported(kitchen, tmp_path / "file"), "person", change)
    with pytest.raises(InvalidProject):
        import_project(actor=lea, path=file, slug="copy")
    assert not Benchmark.objects.filter(slug="copy").exists()


@pytest.mark.parametrize("named", [True, False])
def test_whether_an_address_is_verified_comes_back(
    kitchen: Benchmark, ana: User, lea: User, tmp_path: Path, named: bool
) -> None:
    User.objects.filter(pk=ana.pk).update(email_verified=False)
    file = exported(kitchen, tmp_path / "a", named=named)
    assert sorted(one["verified"] for one in people(file)) == [False, True, True]
    copy = import_project(actor=lea, path=file, slug="copy")
    again = exported(copy, tmp_path / "b", named=named)
    with Reader(file) as first, Reader(again) as second:
        assert first.manifest.checksum == second.manifest.checksum
    assert sorted(verified_addresses(copy, list(copy.memberships.values_list("user", flat=True))).values()) == [
        False, True, True,
    ]  # fmt: skip
    User.objects.filter(pk=ana.pk).update(email_verified=True)
    with Reader(exported(kitchen, tmp_path / "c", named=named)) as third, Reader(file) as first:
        [change] = rows_apart(first, third)
        assert (change.table, dict(change.fields)) == ("person", {"verified": ("false", "true")})


def test_a_file_of_an_earlier_release_says_nothing_of_addresses(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    file = forged(
        exported(kitchen, tmp_path / "a"), "person",
        lambda rows: [{key: row[key] for key in row if key != "verified"} for row in rows],
    )  # fmt: skip
    copy = import_project(actor=lea, path=file, slug="copy")
    again = exported(copy, tmp_path / "b")
    assert people(again) == people(file)
    assert set(verified_addresses(copy, list(copy.memberships.values_list("user", flat=True))).values()) == {False}


def test_an_update_says_that_an_address_was_verified_meanwhile(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path
) -> None:
    zoe = make_user("Zoe Fox", email_verified=False)
    for question, verified in (("Which mug?", False), ("Which cup?", True), ("Which jug?", False)):
        User.objects.filter(pk=zoe.pk).update(email_verified=verified)
        changed(twin, gold, zoe, question)
        updated(lea, kitchen, exported(twin, tmp_path / "file"))
        here = author(kitchen, question)
        assert verified_addresses(kitchen, [here.pk]) == {here.pk: question != "Which mug?"}


def test_an_anonymized_placeholder_keeps_no_address(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    long = f"{'a' * 230}@example.org"
    file = forged(exported(kitchen, tmp_path / "a"), "person", lambda rows: [row | {"email": long} for row in rows])
    made = import_project(actor=lea, path=file, slug="copy")
    anonymize_person(actor=None, user=made.memberships.first().user)  # type: ignore[union-attr]  # it has members
    assert not any(
        one["email"] == long and one["name"].startswith("Former") for one in people(exported(made, tmp_path / "b"))
    )
    assert PersonUid.objects.filter(benchmark=made, address="").count() == 1
