"""The page of agreement: what is compared with what, for whom, and that every count leads to its samples."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest

from annotation.common.access import roles_of
from annotation.models import Annotation, Benchmark, Image, Sample
from annotation.quality.present.disputes import disputes_of
from annotation.quality.read.agreement import Audience, audience_of, load_work, pairs_of
from annotation.workflow import Role, State
from tests.annotation.agreement_data import mugs, settle, submit, three_people
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/agreement/"


@pytest.fixture
def ben(db: None) -> User:
    return make_user("Ben Okoro")


@pytest.fixture
def cleo(db: None) -> User:
    return make_user("Cleo Sand")


@pytest.fixture
def mira(db: None) -> User:
    """Researches."""
    return make_user("Mira Holt")


@made_once
def kitchen(lea: User, ana: User, ben: User, mira: User) -> Benchmark:
    return mugs(lea, {"annotator": ana, "reviewer": ben, "researcher": mira})


@made_once
def worked(kitchen: Benchmark, ana: User, ben: User, cleo: User) -> Benchmark:
    three_people(ana, ben, cleo)
    return kitchen


def cells(answer: Any, measure: str) -> dict[tuple[Any, Any], tuple[float | None, int]]:
    [matrix] = [one for one in answer.context["matrices"] if one.measure == measure]
    return {(c.a, c.b): (c.value, c.n) for _, row in matrix.rows for c in row if not c.own}


def test_every_pair_has_its_overlap_and_its_answers(worked: Benchmark, lea: User, ana: User, ben: User, cleo: User):
    answer = signed_in(lea).get(PAGE)
    boxes, answers = cells(answer, "boxes"), cells(answer, "answers")
    assert boxes[ana.pk, ben.pk] == boxes[ben.pk, ana.pk] == (1.0, 9)
    assert boxes[ana.pk, cleo.pk] == (0.5, 6)
    assert boxes[ben.pk, cleo.pk] == (0.5, 3)
    assert boxes["all", "all"][1] == 18
    assert answers[ana.pk, ben.pk] == (pytest.approx(7 / 9), 9)
    assert answers[ana.pk, cleo.pk] == (1.0, 6)
    assert answers[ana.pk, "gold"][1] == 12


def test_the_chosen_pair_fills_the_page(worked: Benchmark, lea: User, ana: User, ben: User):
    context = signed_in(lea).get(PAGE, {"a": ben.pk, "b": ana.pk}).context["pair"]
    assert context["title"] == "Ben and Ana"
    assert context["samples"].n == 9
    bins = [one.pairs for one in context["overlap"].bins]
    assert bins == [1, 0, 0, 2, 0, 0, 0, 0, 0, 6]
    assert context["overlap"].below.n == 3
    assert [dispute.key for dispute in context["disputes"]] == ["mug-002", "mug-000", "mug-001", "mug-003"]
    assert context["disputes"][0].kind == "boxes and answer"
    answer = context["rows"][0]
    assert (answer.name, answer.pairs, answer.raw.value) == ("answer", (7, 9), pytest.approx(7 / 9))
    assert {name: one.value for name, one, _ in answer.coefficients}["kappa"] == pytest.approx(4 / 7)
    assert (context["two"].value, context["two"].sizes) == ("B", [4, 0, 2, 3])


def test_one_category_is_undefined_with_the_reason_and_never_one(worked: Benchmark, lea: User, ana: User, cleo: User):
    rows = signed_in(lea).get(PAGE, {"a": ana.pk, "b": cleo.pk}).context["pair"]["rows"]
    [boxes] = [row for row in rows if row.name == "boxes"]
    assert boxes.raw.value == 1.0
    assert [value.value for _, value, _ in boxes.coefficients] == [None, None, None]
    assert {reason for _, _, reason in boxes.coefficients} == {"One category used: chance is 1."}
    page = signed_in(lea).get(PAGE, {"a": ana.pk, "b": cleo.pk, "label": "boxes"})
    assert page.context["pair"]["two"] is None
    assert b"n/a" in page.content


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_count_leads_to_exactly_that_many(worked: Benchmark, lea: User, ana: User, ben: User, cleo: User):
    client = signed_in(lea)
    seen = 0
    for query in ({"a": ana.pk, "b": ben.pk, "by": "colour"}, {"a": ana.pk, "b": "gold"}, {"a": "all", "b": "all"}):
        text = client.get(PAGE, query).content.decode()
        links = set(re.findall(r'data-count="(\d+)" href="([^"]+)"', text))
        links |= {(n, href) for href, n in re.findall(r'href="([^"]+)" data-count="(\d+)"', text)}
        for count, href in links:
            assert client.get(unescape(href)).context["total"] == int(count), href
            seen += 1
    assert seen > 20


def test_the_address_chooses_measure_label_and_facet(worked: Benchmark, lea: User, ana: User, ben: User):
    query = {"a": ana.pk, "b": ben.pk, "measure": "answers", "label": "answer", "value": "A", "by": "colour"}
    context = signed_in(lea).get(PAGE, query).context
    assert [matrix.measure for matrix in context["matrices"]] == ["answers"]
    two = context["pair"]["two"]
    assert (two.value, two.sizes) == ("A", [3, 0, 2, 4])
    assert (two.used, two.labels) == (8, 18)
    rows = {row.value: (row.samples.n, row.disputed.n) for row in context["pair"]["by_rows"]}
    assert rows == {"red": (3, 2), "green": (3, 1), "blue": (3, 1)}


def test_work_is_what_was_submitted_before_any_review(worked: Benchmark, lea: User, ana: User, ben: User):
    submit(ana, 2, "A", [(500, 500, 600, 600)], state=State.ACCEPTED)
    submit(ana, 3, "A", by=ben)
    pairs = pairs_of(load_work(worked, lea, Audience.EVERYONE), ana.pk, ben.pk)
    assert [pair.place.key for pair in pairs if pair.same is False] == ["mug-002", "mug-003"]


def test_gold_made_from_ones_own_annotation_is_left_out(worked: Benchmark, lea: User, ana: User, ben: User):
    settle(Annotation.objects.get(author=ana, sample__key="mug-000").revisions.get())
    settle(submit(ben, 1, "B", by=ana))
    work = load_work(worked, lea, Audience.EVERYONE)
    assert len(pairs_of(work, ana.pk, "gold")) == 10
    assert len(pairs_of(work, ben.pk, "gold")) == 8


def test_answers_are_compared_by_the_text_of_the_option(kitchen: Benchmark, lea: User, ana: User, ben: User):
    submit(ana, 1, "A")
    submit(ben, 1, "B", options={"A": "white", "B": " Black"})
    [pair] = pairs_of(load_work(kitchen, lea, Audience.EVERYONE), ana.pk, ben.pk)
    assert pair.same is True
    context = signed_in(lea).get(PAGE, {"a": ana.pk, "b": ben.pk}).context["pair"]
    assert {row.name: row.raw.value for row in context["rows"]}["answer"] is None


def test_an_annotator_sees_their_own_row_and_not_what_they_have_back(
    worked: Benchmark, ana: User, ben: User, cleo: User
):
    answer = signed_in(ana).get(PAGE)
    assert {a for a, _ in cells(answer, "boxes")} == {ana.pk}
    assert answer.context["pair"]["samples"].n == 9
    Annotation.objects.filter(author=ana, sample__key="mug-000").update(state=State.RETURNED)
    assert cells(signed_in(ana).get(PAGE), "boxes")[ana.pk, ben.pk][1] == 8
    other = signed_in(ana).get(PAGE, {"a": ben.pk, "b": cleo.pk})
    assert ana.pk in (other.context["pair"]["a"], other.context["pair"]["b"])


def test_a_researcher_sees_all_together_and_no_name(worked: Benchmark, mira: User, ana: User, ben: User):
    answer = signed_in(mira).get(PAGE, {"a": ana.pk, "b": ben.pk})
    assert set(cells(answer, "boxes")) == {("all", "all"), ("all", "gold")}
    text = answer.content.decode()
    assert not re.search(r"\b(Ana|Ben|Cleo)\b", text)
    pairs = json.loads(b"".join(signed_in(mira).get(f"{PAGE}pairs.json")))
    assert {(row["first"], row["second"]) for row in pairs} == {("one", "other"), ("one", "gold")}


def test_who_annotates_sees_no_more_for_researching_too(worked: Benchmark, ana: User, ben: User, mira: User):
    worked.memberships.create(user=mira, role=Role.ANNOTATOR)
    assert audience_of(mira, worked) is Audience.OWN
    assert roles_of(mira, worked) == {Role.ANNOTATOR, Role.RESEARCHER}


def test_only_people_with_a_role_get_in(worked: Benchmark, sam: User, client: Any):
    assert signed_in(sam).get(PAGE).status_code == 404
    Benchmark.objects.update(public=True)
    for visitor in (signed_in(sam), client):
        for page in (PAGE, f"{PAGE}people/", f"{PAGE}blind/", f"{PAGE}pairs.csv"):
            assert visitor.get(page).status_code == 403
    assert b"/agreement/" not in signed_in(sam).get("/benchmarks/kitchen/").content


def test_nothing_to_compare_says_how_to_turn_overlap_on(kitchen: Benchmark, lea: User, ana: User, mira: User):
    answer = signed_in(lea).get(PAGE)
    assert b"No overlapping annotations yet" in answer.content
    assert b"/benchmarks/kitchen/settings/" in answer.content
    assert b"None of your samples can be compared yet" in signed_in(ana).get(PAGE).content
    answer = signed_in(mira).get(PAGE)
    assert b"The lead can set the overlap" in answer.content
    assert b"/benchmarks/kitchen/settings/" not in answer.content


def test_the_export_holds_each_pair_once_and_runs_no_formula(worked: Benchmark, lea: User, ana: User, ben: User):
    submit(ana, 9, state=State.SUBMITTED)
    Annotation.objects.filter(author=ben).exclude(sample__key="mug-005").delete()
    sample = worked.samples.get(key="mug-005")
    sample.key = "=1+1"
    sample.save()
    text = b"".join(signed_in(lea).get(f"{PAGE}pairs.csv")).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 1 + 6 + 12 + 1 + 6
    assert "'=1+1" in {row["sample"] for row in rows}
    assert signed_in(lea).get(f"{PAGE}pairs.parquet").status_code == 404
    assert signed_in(lea).get(f"{PAGE}people.json").status_code == 200


@pytest.mark.parametrize("query", ["a=9999&b=x", "a=all&b=1e9", "label=none&value=%01", "by=nothing&measure=x"])
def test_an_unheard_of_address_shows_the_pair_with_the_most_samples(worked: Benchmark, lea: User, query: str):
    context = signed_in(lea).get(f"{PAGE}?{query}").context
    assert context["pair"]["samples"].n == 9
    assert len(context["matrices"]) == 2


def test_the_number_of_queries_does_not_grow(
    kitchen: Benchmark, lea: User, ana: User, ben: User, cleo: User, django_assert_num_queries: Any
):
    """Session, user; benchmark; roles; facets; submissions, gold, boxes, values of the
    facet; tabs (4 counts and the version); samples of the disputes, and which of them wait."""
    submit(ana, 0)
    submit(ben, 0, "A")
    client = signed_in(lea)
    with django_assert_num_queries(QUERIES):
        client.get(PAGE, {"by": "colour"})
    Annotation.objects.filter(kind="own").delete()
    three_people(ana, ben, cleo)
    with django_assert_num_queries(QUERIES):
        client.get(PAGE, {"by": "colour"})


QUERIES = 21


@pytest.mark.parametrize(("new", "expected"), [((200, 200), 1.0), ((300, 100), None)])
def test_boxes_on_an_image_of_another_size_are_compared_in_one_images_pixels_or_not_at_all(
    kitchen: Benchmark, lea: User, ana: User, ben: User, new: tuple[int, int], expected: float | None
):
    submit(ana, 0, boxes=[(10, 10, 30, 20)])
    sample = Sample.objects.get(key="mug-000")
    another_size(sample, new, lea, old=(100, 100))
    submit(ben, 0, boxes=[(20, 20, 60, 40)])
    [pair] = pairs_of(load_work(kitchen, lea, Audience.EVERYONE), ana.pk, ben.pk)
    assert (pair.boxes.iou if pair.boxes else None) == expected
    assert pair.shapes_differ == (expected is None)
    text = signed_in(lea).get(PAGE).content.decode()
    assert ("left out: its boxes were drawn on images of different shape" in text) == (expected is None)


@pytest.mark.parametrize(("new", "width"), [((200, 200), 40), ((300, 100), None)])
def test_a_dispute_draws_both_boxes_on_the_image_of_now(
    kitchen: Benchmark, lea: User, ana: User, ben: User, new: tuple[int, int], width: int | None
):
    submit(ana, 0, boxes=[(10, 10, 30, 20)])
    sample = Sample.objects.get(key="mug-000")
    another_size(sample, new, lea, old=(100, 100))
    image = Image.objects.create(sha256="a" * 64, width=new[0], height=new[1], format="png", bytes=1, state="ready")
    Sample.objects.filter(pk=sample.pk).update(image=image)
    submit(ben, 0, boxes=[(100, 70, 150, 90)], answer="A")
    work = load_work(kitchen, lea, Audience.EVERYONE)
    [dispute] = disputes_of(kitchen, work, pairs_of(work, ana.pk, ben.pk), reader=lea, named=True)
    assert dispute.picture
    assert [box.width for box in dispute.boxes[0]] == ([] if width is None else [width])
    assert [box.width for box in dispute.boxes[1]] == [50]


def test_two_annotations_on_the_replaced_image_are_compared_in_its_pixels(
    kitchen: Benchmark, lea: User, ana: User, ben: User
):
    for user in (ana, ben):
        submit(user, 0, boxes=[(10, 10, 30, 20)])
    another_size(Sample.objects.get(key="mug-000"), (300, 100), lea, old=(100, 100))
    [pair] = pairs_of(load_work(kitchen, lea, Audience.EVERYONE), ana.pk, ben.pk)
    assert pair.boxes is not None
    assert pair.boxes.iou == 1.0
