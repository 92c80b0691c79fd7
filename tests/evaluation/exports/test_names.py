"""Names of people in the texts of a portable file are listed before it is written with pseudonyms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Benchmark, Comment, Guideline, Membership
from annotation.portable.read.project import export_project
from annotation.project_file import Reader
from evaluation.exports.read import names
from evaluation.exports.read.names import all_texts_with_names, pattern_of, texts_with_names
from tests.annotation.portable.files import make_kitchen
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/export/names/"


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return make_kitchen(ana, rui, lea)


def comment(benchmark: Benchmark, author: User, text: str) -> Comment:
    annotation = Annotation.objects.filter(sample__benchmark=benchmark).earliest("pk")
    return Comment.objects.create(annotation=annotation, author=author, text=text)


def found(benchmark: Benchmark) -> list[tuple[str, str, str]]:
    return [(one.table, one.field, one.name) for one in texts_with_names(benchmark).listed]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ask ANA about this.", "ANA"),
        ("costa agreed", "costa"),
        ("Send it to rui@example.org, please", "rui@example.org"),
        ("photo_ana_3.jpg", "ana"),
        ("Ana Lind drew it", "Ana Lind"),
        ("A banana on a ruin", ""),
        ("person 7 of the team", ""),
    ],
)
def test_names_addresses_and_their_parts_are_found_as_full_words(text: str, name: str) -> None:
    pattern = pattern_of([("Ana Lind", "ana@example.org"), ("Rui Costa", "rui@example.org"), ("person-07", "")])
    assert pattern is not None
    hit = pattern.search(text)
    assert (hit[0] if hit else "") == name


def test_people_without_a_name_give_no_pattern() -> None:
    assert pattern_of([("person-01", ""), ("", "")]) is None


def test_comments_guidelines_and_texts_in_json_are_listed_with_their_sample(
    kitchen: Benchmark, ana: User, lea: User
) -> None:
    before = found(kitchen)
    made = comment(kitchen, lea, "Ana, look at the corner.")
    Guideline.objects.create(benchmark=kitchen, number=9, body="Questions go to Rui Costa.", published_by=lea)
    sample = made.annotation.sample  # type: ignore[union-attr]
    sample.extra = {"note": ["by lea@example.org"]}
    sample.save()
    new = [one for one in found(kitchen) if one not in before]
    assert new == [
        ("guideline", "body", "Rui Costa"),
        ("sample", "extra", "lea@example.org"),
        ("comment", "text", "Ana"),
    ]
    listed = {(one.table, one.field): one.sample for one in texts_with_names(kitchen).listed}
    assert listed["comment", "text"] == listed["sample", "extra"] == sample.key


def test_every_listed_text_is_in_the_file_with_pseudonyms_and_no_other_has_a_name(
    kitchen: Benchmark, ana: User, lea: User, tmp_path: Path
) -> None:
    """The list reads the tables that the file is written from."""
    comment(kitchen, lea, "Ana, look at the corner.")
    path = tmp_path / "kitchen.sightline"
    with path.open("wb") as out:
        export_project(actor=lea, benchmark=kitchen, out=out, named=False)
    people = User.objects.filter(pk__in=Membership.objects.filter(benchmark=kitchen).values("user"))
    pattern = pattern_of(people.values_list("name", "email"))
    assert pattern is not None
    with Reader(path) as file:
        rows = [(table, row) for table in file.tables for row in file.rows(table) if table != "person"]
    hits = {table for table, row in rows if pattern.search(json.dumps(row, ensure_ascii=False))}
    assert hits == {one.table for one in texts_with_names(kitchen).listed}


def test_the_page_lists_texts_with_links_and_escapes_them(kitchen: Benchmark, lea: User) -> None:
    made = comment(kitchen, lea, "<b>Ana</b> & Rui")
    key = made.annotation.sample.key  # type: ignore[union-attr]
    client = signed_in(lea)
    assert f'href="{PAGE}"' in client.get("/benchmarks/kitchen/export/").content.decode()
    page = client.get(PAGE).content.decode()
    assert '&lt;b&gt;<b class="med">Ana</b>&lt;/b&gt; &amp; Rui' in page
    assert f'href="/benchmarks/kitchen/samples/{key}/"' in page


def test_programs_get_what_the_page_lists(kitchen: Benchmark, lea: User) -> None:
    comment(kitchen, lea, "Ask Rui.")
    found = texts_with_names(kitchen)
    answer = signed_in(lea).get("/api/v1/benchmarks/kitchen/portable/names/").json()
    assert answer["count"] == len(found.listed) > 0
    assert answer["next"] is None
    assert [(one["table"], one["sample"], one["name"]) for one in answer["listed"]] == [
        (one.table, one.sample, one.name) for one in found.listed
    ]
    assert signed_in(lea).get("/api/v1/benchmarks/kitchen/portable/names/?version=9").status_code == 404


def test_a_version_has_no_comments_and_so_none_is_listed(kitchen: Benchmark, lea: User) -> None:
    comment(kitchen, lea, "Ana, look at the corner.")
    number = kitchen.versions.latest("number").number
    tables = {one[0].table for one in signed_in(lea).get(f"{PAGE}?version={number}").context["rows"]}
    assert "comment" not in tables
    assert signed_in(lea).get(f"{PAGE}?version=99").status_code == 404


def test_a_long_search_has_parts_that_leave_nothing_out(
    kitchen: Benchmark, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        comment(kitchen, lea, f"Ana {number}")
    versions = (None, kitchen.versions.latest("number"))
    whole = [list(all_texts_with_names(kitchen, version)) for version in versions]
    assert len(whole[0]) == 5
    for limit, most in (("MOST", 2), ("PART", 7), ("PART", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(names, limit, most)
            first = texts_with_names(kitchen)
            assert first.next
            assert first.rows <= most or limit == "MOST"
            assert [list(all_texts_with_names(kitchen, version)) for version in versions] == whole


def test_the_page_goes_on_by_itself_and_says_when_it_is_complete(
    kitchen: Benchmark, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment(kitchen, lea, "Ana, look at the corner.")
    total = len(texts_with_names(kitchen).listed)
    monkeypatch.setattr(names, "PART", 20)
    client, answer = signed_in(lea), signed_in(lea).get(PAGE)
    assert 'hx-trigger="load"' in answer.content.decode()
    assert "Searched up to table" in answer.content.decode()
    while more := answer.context["more"]:
        answer = client.get(f"{PAGE}{more}", headers={"HX-Request": "true"})
        assert "<main" not in answer.content.decode()
    assert answer.context["total"] == total
    assert "The search is complete." in answer.content.decode()
    for wrong in ("nowhere:1", "sample", "sample:x", "sample:-1", "sample:²"):
        assert client.get(PAGE, {"start": wrong}).status_code == 400
    assert client.get(PAGE, {"found": "x"}).status_code == 200


def test_programs_read_a_long_search_part_by_part(
    kitchen: Benchmark, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [one.name for one in texts_with_names(kitchen).listed]
    monkeypatch.setattr(names, "PART", 20)
    client, found, start = signed_in(lea), [], ""
    while start is not None:
        part = client.get("/api/v1/benchmarks/kitchen/portable/names/", {"start": start}).json()
        found += [one["name"] for one in part["listed"]]
        start = part["next"]
    assert found == whole
    assert client.get("/api/v1/benchmarks/kitchen/portable/names/?start=x:1").status_code == 400


def test_the_command_lists_names_before_it_writes_pseudonyms_and_not_with_names(
    kitchen: Benchmark, lea: User, tmp_path: Path, capsys: Any
) -> None:
    comment(kitchen, lea, "Ana, look at the corner.")
    call_command("benchmark", "export", "kitchen", str(tmp_path / "a.sightline"))
    said = capsys.readouterr().out
    assert "Texts with names of people, which are not changed: " in said
    assert ": Ana, look at the corner." in said
    call_command("benchmark", "export", "kitchen", str(tmp_path / "b.sightline"), named=True)
    assert "Texts with names" not in capsys.readouterr().out


def test_only_leads_see_the_list(kitchen: Benchmark, ana: User, sam: User) -> None:
    assert signed_in(ana).get(PAGE).status_code == 403
    assert signed_in(sam).get(PAGE).status_code == 404


def test_more_names_need_no_more_queries(kitchen: Benchmark, lea: User) -> None:
    counts = []
    for number in range(3):
        comment(kitchen, lea, f"Ana {number}")
        with CaptureQueriesContext(connection) as queries:
            texts_with_names(kitchen)
        counts.append(len(queries))
    assert counts == counts[:1] * 3
