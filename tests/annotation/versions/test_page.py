"""Versions: freezing, and what differs between two states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.content.freeze import freeze_version
from annotation.content.samples import save_samples
from annotation.models import Benchmark, Gold, Revision, Version
from annotation.schema import Box, SampleRecord, ToolCall
from annotation.versions.read.difference import Kind, difference
from annotation.versions.read.fields import changed_fields, pieces
from tests.annotation.pages_data import fill, make_benchmark, record
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.word_diff import Piece

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
VERSIONS = "/benchmarks/kitchen/versions/"


@made_once
def kitchen(lea: User) -> Benchmark:
    """Version 1 has four samples; then one is changed, one goes, one comes."""
    benchmark = make_benchmark(lea, count=4)
    freeze_version(actor=lea, benchmark=benchmark, note="First.")
    save(lea, benchmark, changed(1, question="Which colour is the big mug 1?"))
    Gold.objects.get(sample__key="mug-002").delete()
    fill(lea, benchmark, 4, 5)
    return benchmark


def save(lea: User, benchmark: Benchmark, *records: SampleRecord) -> None:
    save_samples(actor=lea, benchmark=benchmark, records=records)


def changed(number: int, **fields: Any) -> SampleRecord:
    made = record(number)
    return replace(made, content=replace(made.content, **fields))


@pytest.mark.both_databases
def test_what_differs_is_told_by_kind_and_key(kitchen: Benchmark, lea: User) -> None:
    first = Version.objects.get()
    found = difference(kitchen, first, None)
    told = [(change.kind, change.key) for change in found.changes]
    assert told == [(Kind.CHANGED, "mug-001"), (Kind.ADDED, "mug-004"), (Kind.REMOVED, "mug-002")]
    assert found.same == 2
    back = found.reversed()
    assert [(change.kind, change.key) for change in back.changes] == [
        (Kind.CHANGED, "mug-001"), (Kind.ADDED, "mug-002"), (Kind.REMOVED, "mug-004"),
    ]  # fmt: skip
    assert difference(kitchen, None, first).count(Kind.ADDED) == 4


def test_a_new_revision_with_the_old_content_is_no_difference(kitchen: Benchmark, lea: User) -> None:
    first = Version.objects.get()
    save(lea, kitchen, record(1))
    assert "mug-001" not in [change.key for change in difference(kitchen, first, None).changes]


def test_the_page_shows_the_changed_fields_only(kitchen: Benchmark, lea: User) -> None:
    context = signed_in(lea).get(VERSIONS).context
    assert (context["older"].name, context["newer"].name) == ("1", "now")
    assert dict(context["counts"]) == {"added": 1, "removed": 1, "changed": 1}
    row = context["rows"][0]
    assert [field.label for field in row.fields] == ["Question"]
    assert row.fields[0].pieces == [Piece("same", "Which colour is"), Piece("new", "the big"), Piece("same", "mug 1?")]
    assert row.summary == "question"


def test_every_field_of_a_revision_is_compared(kitchen: Benchmark, lea: User) -> None:
    before = Revision.objects.with_content().get(gold_of__sample__key="mug-001")
    new = changed(
        1, question=before.question, options={"A": "black", "B": "white", "C": "red"}, answers=("C",),
        gold_boxes=(Box(100, 100, 120, 120), Box(0, 0, 4, 4)), reference_toolchain=(ToolCall("crop", {"x": 1}),),
    )  # fmt: skip
    save(lea, kitchen, new)
    after = Revision.objects.with_content().get(gold_of__sample__key="mug-001")
    told = {
        field.label: [(piece.kind, piece.text) for piece in field.pieces] for field in changed_fields(before, after)
    }
    assert told == {
        "Option C": [("new", "red")],
        "Answer": [("cut", "B"), ("new", "C")],
        "Box G2": [("cut", "30 × 30 px at 110, 110"), ("new", "4 × 4 px at 0, 0")],
        "Call 1": [("new", "crop(x=1)")],
    }


def test_a_long_text_keeps_a_few_words_around_what_differs() -> None:
    words = [f"w{n}" for n in range(40)]
    old, new = " ".join(words), " ".join([*words[:20], "new", *words[20:]])
    assert pieces(old, new, words=True) == [
        Piece("same", "… w14 w15 w16 w17 w18 w19"), Piece("new", "new"), Piece("same", "w20 w21 w22 w23 w24 w25 …"),
    ]  # fmt: skip
    assert [piece.kind for piece in pieces(old * 20, new * 20, words=True)] == ["cut", "new"]


@pytest.mark.both_databases
def test_a_lead_freezes_the_next_version_with_a_note(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    assert client.get(VERSIONS).context["changed_n"] == 3
    answer = client.post(f"{VERSIONS}freeze/", {"note": "A better mug.", "confirmed": "on"})
    assert answer.url == f"{VERSIONS}?from=1&to=2"
    version = Version.objects.get(number=2)
    assert (version.note, version.entries.count(), version.frozen_by) == ("A better mug.", 4, lea)
    text = client.get(answer.url).content.decode()
    assert version.checksum in text
    assert "A better mug." in text


@pytest.mark.parametrize("posted", [{}, {"note": "New mugs."}, {"note": " ", "confirmed": "on"}])
def test_a_version_is_frozen_with_a_note_and_confirmed_or_not_at_all(
    kitchen: Benchmark, lea: User, posted: dict[str, str]
) -> None:
    """D7.22: what was written stays in the form."""
    answer = signed_in(lea).post(f"{VERSIONS}freeze/", posted)
    assert (answer.status_code, Version.objects.count()) == (400, 1)
    assert set(answer.context["form"].errors) == {"note", "confirmed"} - {n for n in posted if posted[n].strip()}
    assert posted.get("note", "").strip() in answer.content.decode()


def test_there_is_nothing_to_freeze_twice_and_the_button_says_so(kitchen: Benchmark, lea: User) -> None:
    freeze_version(actor=lea, benchmark=kitchen)
    text = signed_in(lea).get(VERSIONS).content.decode()
    assert "Nothing has changed since version 2." in text
    assert signed_in(lea).post(f"{VERSIONS}freeze/", {"note": "Again.", "confirmed": "on"}).status_code == 409
    assert Version.objects.count() == 2


@pytest.mark.parametrize("query", ["?to=9", "?from=9", "?to=now%01", "?from=one"])
def test_a_version_that_is_not_there_is_not_found(kitchen: Benchmark, lea: User, query: str) -> None:
    assert signed_in(lea).get(VERSIONS + query).status_code == 404


@pytest.mark.parametrize("query", ["?from=now&to=1", "?from=1&to=1", "?from=nothing&to=1", "?page=99", "?page=x"])
def test_any_two_states_are_compared(kitchen: Benchmark, lea: User, query: str) -> None:
    assert signed_in(lea).get(VERSIONS + query).status_code == 200


def test_who_only_reads_is_offered_no_freezing(kitchen: Benchmark, lea: User, client: Any) -> None:
    Benchmark.objects.update(public=True)
    text = client.get(VERSIONS).content.decode()
    assert "Version 1" in text
    assert "/versions/freeze/" not in text


def test_a_benchmark_without_gold_says_what_to_do(lea: User) -> None:
    make_benchmark(lea, "empty")
    text = signed_in(lea).get("/benchmarks/empty/versions/").content.decode()
    assert "There is no gold to freeze yet." in text


@pytest.mark.both_databases
def test_more_changes_cost_no_more_queries(kitchen: Benchmark, lea: User) -> None:
    # Of the page itself: versions, the two states (2), samples, revisions, their boxes, calls and tools (3), in review.
    client = signed_in(lea)
    with CaptureQueriesContext(connection) as few:
        client.get(VERSIONS)
    fill(lea, kitchen, 10, 16)
    with CaptureQueriesContext(connection) as many:
        assert len(client.get(VERSIONS).context["rows"]) == 9
    assert len(many) == len(few)
