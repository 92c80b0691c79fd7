"""The list of trajectories: what its terms mean, what its facets count, how its pages follow each other."""

from __future__ import annotations

import csv
import gzip
import json
import re
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.benchmarks.write.benchmark import create_benchmark
from evaluation.models import SavedSlice, Trajectory
from evaluation.trajectories.read import rows as list_rows
from evaluation.trajectories.write.marks import correct_failure, tag_trajectories
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.lists import first_in, pks_in
from tests.evaluation.run_pages import KINDS, make_benchmark, only_run

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

EVALUATED = sum(KINDS.values()) - KINDS["absent"]


def address(benchmark):
    return reverse("evaluation:trajectories", args=[benchmark.slug])


def listed(client, benchmark, **terms):
    terms = {name.replace("__", "."): value for name, value in terms.items()}
    return client.get(address(benchmark), terms)


def keys(response):
    return [row.trajectory.sample.key for row in response.context["rows"]]


def facet(response, title):
    found = next(facet for facet in response.context["facets"] if facet.title == title)
    return {value.label: value for value in found.values}


@pytest.mark.parametrize(
    ("terms", "total"),
    [
        ({}, EVALUATED),
        ({"quadrant": "G+A+"}, 7),
        ({"quadrant": "G-A+", "calls": "2"}, 2),
        ({"quadrant": "G*A*"}, 0),
        ({"correct": "undecided"}, 2),
        ({"unread": "yes"}, 1),
        ({"unparsed": "yes"}, 1),  # its name in links made before
        ({"q": "unparsed not unparsed:no"}, 1),
        ({"right": "no", "failed": "no"}, EVALUATED - 7 - 4 - 3 - 2 - 2 - 3 - KINDS["planned"]),
        ({"population": "no"}, 12),
        ({"grounded": "yes"}, 13),
        ({"q": "grounded:no"}, EVALUATED - 12 - 13),  # D1.2: of the grounding population alone
        ({"calls": "3+"}, 7),
        ({"calls": "many"}, 0),
        ({"unusable": "yes"}, 2),
        ({"failed": "yes"}, 3),
        ({"scored": "no"}, 0),
        ({"ioa_above": "0.3", "ioa_upto": "0.5"}, 3),
        ({"ioa_above": "much"}, 0),
        ({"outcome": "out_of_order"}, 1),
        ({"facet__category": "Chart & more", "quadrant": "G+A+"}, 4),
        ({"facet__segment": "top", "facet__category": "Color", "quadrant": "G+A+"}, 3),
        ({"sample": "seen-00"}, 1),
        ({"condition": "visual"}, 12),
        ({"condition": "visual", "flip": "lost"}, 5),
        ({"condition": "visual", "flip": "gained"}, 4),
        ({"condition": "visual", "flip": "sideways"}, 0),
        ({"condition": "none", "sample": "seen-00"}, 2),  # its further rollout with it
        ({"colour": "red", "quadrant": "G+A+"}, 7),  # an unknown term is no term
        ({"run": "999999"}, 0),
    ],
)
def test_terms_narrow_the_list(lea, terms, total, street):
    response = listed(signed_in(lea), street, **terms)
    assert response.context["total"] == total
    assert len(response.context["rows"]) == min(total, 50)


def test_every_term_can_be_taken_away(lea, street):
    client = signed_in(lea)
    tokens = listed(client, street, quadrant="G+A+", facet__category="Color", after="").context["tokens"]
    assert [(token.name, token.value, parse_qs(urlsplit(token.without).query)) for token in tokens] == [
        ("quadrant", "G+A+", {"facet.category": ["Color"]}),
        ("category", "Color", {"quadrant": ["G+A+"]}),
    ]


def test_a_facet_follows_all_terms_but_its_own(lea, street):
    response = listed(signed_in(lea), street, quadrant="G+A+", facet__category="Color")
    quadrants = facet(response, "Quadrant")
    assert {label: value.count for label, value in quadrants.items()} == {
        "G+A+": 3, "G+A-": 2, "G-A+": 4, "G-A-": 3, "no quadrant": 5,
    }  # fmt: skip
    assert quadrants["G+A+"].current
    assert {label: value.count for label, value in facet(response, "Category").items()} == {
        "Chart & more": 4, "Color": 3,
    }  # fmt: skip


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_line_of_a_facet_leads_to_as_many(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, models=["Model C", "Model D"])
    response = listed(client, benchmark, correct="yes")
    lines = [value for facet in response.context["facets"] for value in facet.values if not value.current]
    assert {facet.title for facet in response.context["facets"]} >= {"Run", "Quadrant", "Answer", "Calls", "Condition"}
    assert len(counted_links(response)) == len(lines)
    assert not wrong_links(client, response)


def test_a_line_that_is_on_leads_to_the_list_without_it(lea, street):
    client = signed_in(lea)
    on = facet(listed(client, street, quadrant="G+A+"), "Quadrant")["G+A+"]
    assert client.get(address(street) + on.href).context["total"] == EVALUATED


@pytest.mark.endurance
def test_a_list_of_one_run_and_one_failure_says_which(lea):
    """D7.17: a list by a tag; every line of it leads to as many."""
    client, benchmark = signed_in(lea), make_benchmark(lea, {"missed-wrong": 3, "seen": 2})
    wrong = Trajectory.objects.filter(sample__key__startswith="missed").values_list("pk", flat=True)
    tag_trajectories(actor=lea, benchmark=benchmark, trajectories=list(wrong), name="glare")
    response = listed(client, benchmark, q="tag:glare")
    titles = {facet.title: [value.count for value in facet.values] for facet in response.context["facets"]}
    assert {name: titles[name] for name in ("Run", "Failure", "Quadrant", "Answer", "Tags")} == {
        "Run": [3], "Failure": [3], "Quadrant": [3], "Answer": [3], "Tags": [3],
    }  # fmt: skip
    assert not wrong_links(client, response)


def test_facets_stay_where_the_query_cannot_be_read_and_lead_on_without_it(lea, street):
    """D7.17: they count the list of the other terms."""
    client = signed_in(lea)
    response = listed(client, street, q="grounded and and", correct="yes")
    assert (response.status_code, response.context["total"]) == (400, 0)
    readable = listed(client, street, correct="yes")
    assert response.context["facets"] == readable.context["facets"] != []
    [value] = [value for value in facet(response, "Quadrant").values() if value.label == "G+A+"]
    assert client.get(address(street) + value.href).context["total"] == value.count


def test_a_value_that_is_on_stays_in_sight_with_nothing_left(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 1})
    run = only_run(benchmark)
    response = listed(client, benchmark, run=run.pk, quadrant="G-A-", correct="no")
    assert response.context["total"] == 0
    on = [(value.label, value.count) for one in response.context["facets"] for value in one.values if value.current]
    assert on == [("Model C", 0), ("G-A-", 0), ("incorrect", 0)]


@pytest.mark.both_databases
@pytest.mark.endurance
def test_pages_show_every_trajectory_once_and_in_order(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 40, "missed": 30, "failed": 31})
    response, seen = listed(client, benchmark, calls="0+"), []
    while True:
        seen += keys(response)
        if not response.context["page"].has_next:
            break
        response = listed(client, benchmark, calls="0+", after=response.context["page"].after)
        assert response.context["total"] == 101
    assert seen == sorted(seen)
    assert len(set(seen)) == 101


@pytest.mark.parametrize("after", ["0", "x", "-1", "9" * 30, "٣"])
def test_a_page_that_does_not_exist_is_refused(lea, after):
    assert listed(signed_in(lea), make_benchmark(lea, {"seen": 1}), after=after).status_code == 400


def test_a_row_carries_the_terms_to_its_page(lea, street):
    client = signed_in(lea)
    row = listed(client, street, quadrant="G+A+", facet__category="Chart & more").context["rows"][0]
    assert parse_qs(urlsplit(row.href).query) == {"quadrant": ["G+A+"], "facet.category": ["Chart & more"]}
    assert client.get(row.href).status_code == 200


@pytest.mark.endurance
def test_an_order_is_kept_on_the_way_to_a_trajectory_its_neighbours_and_back(lea, street):
    client = signed_in(lea)
    response = listed(client, street, sort="-ioa", quadrant="G+A+")
    first, second, *_ = response.context["rows"]
    assert 'aria-current="true" aria-label="by IoA, highest first"' in response.content.decode()
    place = client.get(second.href).context["place"]
    assert (place.number, place.total) == (2, response.context["total"])
    assert place.previous == first.href
    assert [row.href for row in client.get(place.listed).context["rows"]][:2] == [first.href, second.href]
    assert listed(client, street, sort="sideways").status_code == 400
    saved = client.post(f"{reverse('evaluation:save-slice', args=[street.slug])}?q=wrong&sort=ioa", {"name": "Wrong"})
    assert saved.status_code == 302
    assert SavedSlice.objects.get().query == "wrong"


def test_a_row_shows_evidence_crop_and_answers(lea, street):
    row = listed(signed_in(lea), street, sample="seen-wrong-01").context["rows"][0]
    assert (row.said, row.wanted, row.quadrant) == ("B white", "A black", "G+A-")
    assert row.gold_loupe.endswith("/regions/375,275,525,425/240.jpg")
    assert row.crop_loupe.endswith("/regions/380,280,520,420/240.jpg")
    assert (row.crop_words, row.dots) == ("crop, turn 1", [True, False])


@pytest.mark.parametrize(
    ("sample", "words", "said"),
    [
        ("blind-00", "no zoom call", "A black"),
        ("unusable-00", "no usable crop", "A black"),
        ("unread-00", "no zoom call", "neither"),
        ("planned-01", "no zoom call", "nail, hammer"),
        ("failed-00", "no zoom call", ""),
    ],
)
def test_a_row_without_a_crop_says_why(lea, sample, words, said, street):
    response = listed(signed_in(lea), street, sample=sample)
    row = response.context["rows"][0]
    assert (row.crop_words, row.crop_loupe, row.said) == (words, "", said)


def test_a_crop_under_a_condition_is_only_a_place(lea, street):
    """The noise the model saw is not in the picture."""
    response = listed(signed_in(lea), street, condition="visual", sample="seen-00")
    assert response.context["rows"][0].crop_words == "its place, turn 1"


def test_an_error_stands_in_its_row(lea, street):
    response = listed(signed_in(lea), street, failed="yes")
    assert response.content.decode().count("timeout</span>") == 3


def test_a_sample_without_picture_or_gold_has_a_row(lea):
    benchmark = make_benchmark(lea, {"seen": 1})
    sample = only_run(benchmark).trajectories.first().sample
    sample.image = None
    sample.save()
    sample.gold.delete()
    response = listed(signed_in(lea), benchmark)
    assert "no image" in response.content.decode()
    assert "seen-00" in response.content.decode()


def test_an_unscored_run_is_listed(lea):
    response = listed(signed_in(lea), make_benchmark(lea, scored=False))
    assert response.context["total"] == EVALUATED
    assert "not scored" in response.content.decode()


def test_nothing_found_offers_the_way_back(lea):
    text = listed(signed_in(lea), make_benchmark(lea, {"seen": 1}), quadrant="G-A-").content.decode()
    assert "No matching trajectories" in text
    assert 'href="?"' in text


def test_an_empty_benchmark_says_where_trajectories_come_from(lea):
    benchmark = create_benchmark(actor=lea, slug="empty", title="Empty")
    assert "No trajectories yet" in listed(signed_in(lea), benchmark).content.decode()


def test_text_of_a_record_stays_text(lea):
    benchmark = make_benchmark(lea, {"unread": 1})
    Trajectory.objects.update(answer="<script>alert(1)</script>")
    text = listed(signed_in(lea), benchmark).content.decode()
    assert "&lt;script&gt;alert" in text
    assert "<script>alert" not in text


def test_a_stranger_finds_no_list(lea, sam):
    assert listed(signed_in(sam), make_benchmark(lea, {"seen": 1})).status_code == 404


@pytest.mark.parametrize("many", [1, 60])
def test_the_number_of_queries_does_not_grow(lea, many, django_assert_num_queries):
    """Session, person, benchmark, roles; runs; what the table of columns is of: kept columns, samples with facets and
    gold; names of tags; failures said by people; tags counted; trajectories with all of a row, gold boxes, plan tools;
    their tags; how fresh scores are."""
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": many})
    terms = {"quadrant": "G+A+", "q": "correct or ioa > 0.2"}
    listed(client, benchmark, **terms)  # The table of columns is made once.
    with django_assert_num_queries(16):
        listed(client, benchmark, **terms)


@pytest.mark.endurance
def test_a_list_is_taken_away_whole_in_its_order_and_as_the_command_line_says_it(
    lea, sam, monkeypatch, django_assert_num_queries
):
    """Queries: nine for the list without its page and counts, and three for each chunk of rows."""
    monkeypatch.setattr(list_rows, "CHUNK", 20)
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 50, "seen-wrong": 3, "missed": 2}, pictures=False)
    first, other = map(Trajectory.objects.in_bulk().get, pks_in(benchmark, {"q": "wrong"})[:2])
    tag_trajectories(actor=lea, benchmark=benchmark, trajectories=[first.pk], name="glare", shared=True)
    correct_failure(actor=lea, trajectory=other, failure="lucky_answer")
    Trajectory.objects.filter(pk=other.pk).update(answer="=1+1")
    terms = {"q": "grounded"}
    shown = listed(client, benchmark, **terms)
    assert shown.context["total"] == 53
    wanted = keys(shown) + keys(listed(client, benchmark, **terms, after=shown.context["page"].after))
    files = {}
    for format in ("csv", "jsonl"):
        with django_assert_num_queries(9 + 3 * 3):
            answer = listed(client, benchmark, **terms, after=first.pk, format=format)
        assert answer["Content-Disposition"] == f'attachment; filename="street-trajectories.{format}"'
        files[format] = b"".join(answer.streaming_content).decode().splitlines()
    rows, cells = [json.loads(line) for line in files["jsonl"]], list(csv.DictReader(files["csv"]))
    assert [row["sample"] for row in rows] == [row["sample"] for row in cells] == wanted
    printed = StringIO()
    call_command("trajectories", benchmark.slug, "--query", "grounded", "--format", "jsonl", stdout=printed)
    assert [json.loads(line) for line in printed.getvalue().splitlines()] == rows
    by_key = {row["id"]: (row, cell) for row, cell in zip(rows, cells, strict=True)}
    (row, _), (said, cell) = by_key[first.pk], by_key[other.pk]
    assert (row["tags"], row["quadrant"], row["correct"], row["gold"]) == (["glare"], "G+A-", False, ["A"])
    assert (row["failure"], row["failure_said_by"]) == ("found_misread", None)
    assert (said["failure"], said["failure_said_by"]) == ("lucky_answer", str(lea))
    assert (said["answer"], cell["answer"]) == ("=1+1", "'=1+1")  # no formula
    assert listed(client, benchmark, format="xls").status_code == 400
    assert listed(client, benchmark, format="csv", q="grounded and").status_code == 400
    assert listed(signed_in(sam), benchmark, format="csv").status_code == 404


@pytest.mark.endurance
def test_a_page_of_fifty_is_small_whatever_the_list_holds(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 60, "missed-wrong": 60})
    answer = client.get(reverse("evaluation:trajectories", args=[benchmark.slug]))
    assert answer.content.count(b"trajectory-row") >= 50
    assert len(gzip.compress(answer.content)) < 150_000


@pytest.mark.endurance
def test_no_page_reads_all_trajectories_or_scores(lea):
    """Every statement of a list finds them by key or index, whatever narrows it."""
    client, benchmark = signed_in(lea), make_benchmark(lea, models=["Model C", "Model D"])
    listed(client, benchmark)
    queries = [
        "correct grounded",
        "ioa > 0.3 and calls:2",
        '"which colour" or answer:b',
        'run:"Model C" correct and run:"Model D" wrong',
    ]
    with CaptureQueriesContext(connection) as made:
        for query in queries:
            assert listed(client, benchmark, q=query, quadrant="G+A+").status_code == 200
    scanned = [plan for query in made.captured_queries for plan in plans(query["sql"])]
    assert len(scanned) > 40
    assert [line for line in scanned if SCAN.search(line)] == []


@pytest.mark.both_databases
@pytest.mark.endurance
def test_the_api_and_the_page_of_a_trajectory_read_no_rows_but_those_they_show(lea, street):
    """Whatever list they are of: which rows those are, its table says."""
    client = signed_in(lea)
    shown = first_in(street, {})
    for here in (f"/api/v1{address(street)}", f"{address(street)}{shown.pk}/"):
        for terms in ({}, {"q": "ioa >= 0 or wrong"}, {"quadrant": "G+A+"}):
            assert client.get(here, terms).status_code == 200
            with CaptureQueriesContext(connection) as made:
                client.get(here, terms)
            # PostgreSQL's driver has no words for what closes a cursor.
            asked = [query["sql"] or "" for query in made.captured_queries]
            read = [sql for sql in asked if 'FROM "evaluation_trajectory"' in sql]
            assert read
            assert [sql for sql in read if not OF_ROWS.search(sql)] == []


OF_ROWS = re.compile(r'("evaluation_trajectory"|[UV]0)\."(id|sample_id)" (IN \(|= )')
SCAN = re.compile(r"SCAN evaluation_(trajectory|score|step)\b|Seq Scan on evaluation_(trajectory|score|step)\b")


def plans(sql):
    """The plan of a statement; PostgreSQL is told to scan a table only where it has no other way."""
    if not sql.startswith("SELECT"):
        return []
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{sql}")
        return [" ".join(map(str, row)) for row in cursor.fetchall()]
