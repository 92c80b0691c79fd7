"""The page of a benchmark's samples: what it counts, what it narrows, and what each tile says."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Annotation, Benchmark, Image, Sample
from annotation.workflow import Role
from evaluation.exports.read.description import describe_benchmark
from evaluation.models import Model, Run, Trajectory
from tests.annotation.pages_data import fill, make_benchmark
from tests.conftest import signed_in
from tests.factories import facet_of
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/samples/"


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_benchmark(lea, count=12)


def keys(user: User, query: str) -> list[str]:
    answer = signed_in(user).get(f"{PAGE}?{query}")
    assert answer.status_code == 200
    return [tile.sample.key for tile in answer.context["tiles"]]


def test_a_stranger_finds_nothing_and_a_visitor_reads_what_is_public(
    kitchen: Benchmark, sam: User, client: Any
) -> None:
    assert signed_in(sam).get(PAGE).status_code == 404
    assert client.get(PAGE).status_code == 404
    Benchmark.objects.update(public=True)
    for address in (PAGE, "/benchmarks/kitchen/"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert b"Import" not in answer.content


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=accepted", 12),
        ("state=to_do", 0),
        ("facet.colour=red", 4),
        ("facet.colour=red&facet.night=true", 2),
        ("facet.colour=violet", 0),
        ("answer=open", 4),
        ("calls=1%2B", 3),
        ("calls=2", 3),
        ("q=MUG%2011", 1),
        ("q=mug-00", 10),
        ("id=mug-003&id=mug-004", 2),
        ("area=unknown", 0),
        ("area=0-100", 12),
        ("area=nonsense", 0),
        ("picture=yes", 12),
        ("picture=problem", 0),
        ("waiting=annotate", 0),
        ("unheard=of", 12),
    ],
)
def test_terms_of_the_address_narrow_the_samples(kitchen: Benchmark, lea: User, query: str, expected: int) -> None:
    answer = signed_in(lea).get(f"{PAGE}?{query}")
    assert (answer.context["total"], len(answer.context["tiles"])) == (expected, expected)


@pytest.mark.endurance
def test_every_count_leads_to_exactly_that_many(kitchen: Benchmark, lea: User) -> None:
    Sample.objects.filter(key="mug-001").update(image=None, image_problem="It is cut off.", evidence_share=None)
    client = signed_in(lea)
    for start in ("", "?facet.colour=red", "?area=0-0.05&q=mug"):
        for facet in client.get(PAGE + start).context["facets"]:
            for value in facet.values:
                if not value.current:
                    assert client.get(PAGE + value.href).context["total"] == value.count, (facet.title, value)


def test_a_list_counts_itself_without_its_own_filter(kitchen: Benchmark, lea: User) -> None:
    facets = signed_in(lea).get(PAGE, {"facet.colour": "red", "answer": "open"}).context["facets"]
    counts = {facet.title: {v.label: (v.count, v.current) for v in facet.values} for facet in facets}
    assert counts["Colour"] == {"red": (4, True)}
    facets = signed_in(lea).get(PAGE, {"facet.colour": "red"}).context["facets"]
    counts = {facet.title: {v.label: (v.count, v.current) for v in facet.values} for facet in facets}
    assert counts["Colour"] == {"blue": (4, False), "green": (4, False), "red": (4, True)}
    assert counts["Night"] == {"true": (2, False), "false": (2, False)}


def test_a_value_that_a_sample_has_twice_counts_once(kitchen: Benchmark, lea: User) -> None:
    sample = Sample.objects.get(key="mug-000")
    said = sample.facets.get(name="colour").value
    facet_of(sample, name="colour", position=1, value="mauve")
    facet_of(sample, name="colour", position=2, value="mauve")
    facet_of(sample, name="colour", position=3, value=said)
    facets = signed_in(lea).get(PAGE).context["facets"]
    [colour] = [facet for facet in facets if facet.title == "Colour"]
    assert {value.label: value.count for value in colour.values} == {"red": 4, "blue": 4, "green": 4, "mauve": 1}


def test_a_value_that_leaves_nothing_can_be_taken_away_where_it_was_chosen(kitchen: Benchmark, lea: User) -> None:
    facets = signed_in(lea).get(PAGE, {"facet.colour": "red", "q": "no such mug"}).context["facets"]
    [colour] = [facet for facet in facets if facet.values]
    assert [(value.label, value.count, value.href) for value in colour.values] == [("red", 0, "?q=no+such+mug")]


def test_terms_stand_in_the_bar_and_each_can_be_taken_away(kitchen: Benchmark, lea: User) -> None:
    context = signed_in(lea).get(PAGE, {"q": "mug", "facet.colour": "red", "area": "0-0.05", "view": "table"}).context
    assert [(token.name, token.value) for token in context["tokens"]] == [("colour", "red"), ("area", "under 0.05%")]
    left = parse_qs(urlsplit(context["tokens"][0].without).query)
    assert left == {"q": ["mug"], "area": ["0-0.05"], "view": ["table"]}


def test_samples_that_a_run_has_nothing_on(kitchen: Benchmark, lea: User) -> None:
    run = Run.objects.create(benchmark=kitchen, number=1, model=Model.objects.create(name="Model A"), setting="base")
    for key, condition in (("mug-000", "none"), ("mug-001", "visual")):
        Trajectory.objects.create(run=run, sample=Sample.objects.get(key=key), condition=condition, digest="0" * 32)
    answer = signed_in(lea).get(PAGE, {"missing_from": run.pk})
    assert answer.context["total"] == 11
    assert answer.context["tokens"][0].value == "Model A, base"
    assert keys(lea, "missing_from=1e9") == []


@pytest.mark.both_databases
@pytest.mark.parametrize("sort", ["key", "-changed", "share"])
def test_pages_follow_each_other_without_a_gap_or_a_repeat(lea: User, sort: str) -> None:
    make_benchmark(lea, count=60)
    Sample.objects.filter(key__in=["mug-007", "mug-008"]).update(evidence_share=None)
    client = signed_in(lea)
    first = client.get(PAGE, {"sort": sort}).context
    second = client.get(PAGE, {"sort": sort, "after": first["page"].after}).context
    rows = [tile.sample.key for context in (first, second) for tile in context["tiles"]]
    assert (len(first["tiles"]), len(rows), len(set(rows)), second["page"].has_next) == (48, 60, 60, False)
    if sort == "share":
        assert set(rows[-2:]) == {"mug-007", "mug-008"}


def test_the_page_takes_the_same_queries_for_thirty_samples_and_for_ninety(
    lea: User, django_assert_num_queries: Any
) -> None:
    kitchen = make_benchmark(lea, count=1)
    client = signed_in(lea)
    client.get(PAGE)
    # session, person; the benchmark, roles (may I, see gold, what else); tabs count samples, reviews, pauses, runs;
    # version, schema; page: samples, boxes, calls, plan tools, facets; strip: states, answers and chains, pictures,
    # shares; at the left: states, areas and pictures, facets. Few accepted samples: also the first steps of a lead.
    for count in (30, 90):
        fill(lea, kitchen, 1, count)
        with django_assert_num_queries(23):
            answer = client.get(PAGE)
        assert answer.context["total"] == count
        with django_assert_num_queries(23):
            client.get(PAGE, {"view": "table", "sort": "share"})


def test_the_strip_says_what_describes_the_benchmark(kitchen: Benchmark, lea: User) -> None:
    facts = signed_in(lea).get(PAGE).context["facts"]
    numbers = describe_benchmark(kitchen)
    assert facts.median_share == pytest.approx(numbers["evidence_share_median"])
    assert facts.chain_mean == pytest.approx(numbers["chain_mean"])
    assert (facts.choice, facts.open, facts.samples) == (numbers["multiple_choice"], numbers["open"], 12)
    assert sum(column.marked for column in facts.share_bars) == 1


def test_a_tile_has_the_picture_its_boxes_and_a_loupe_on_the_evidence(kitchen: Benchmark, lea: User) -> None:
    tile = signed_in(lea).get(PAGE).context["tiles"][1]
    assert (tile.letter, tile.answer, tile.state) == ("B", "white", "Accepted")
    assert [box.as_list() for box in tile.boxes] == [[100, 100, 120, 120], [110, 110, 140, 140]]
    # Around the first box, 20 × 20 px, at least 64 px of the picture.
    assert tile.loupe.endswith("/regions/78,78,142,142/240.jpg")
    assert tile.thumbnail.startswith("/benchmarks/kitchen/images/")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"image": None, "image_problem": "It is cut off after 3.1 MB."}, "It is cut off after 3.1 MB."),
        ({"image": None, "image_name": "a.jpg"}, "a.jpg has not been imported."),
        ({"image": None}, "This sample has no image."),
    ],
)
def test_a_sample_without_a_picture_says_why(lea: User, fields: dict[str, Any], said: str) -> None:
    make_benchmark(lea, count=1)
    Sample.objects.update(**fields)
    answer = signed_in(lea).get(PAGE)
    assert answer.context["tiles"][0].problem == said
    assert said in answer.content.decode()
    assert keys(lea, "picture=problem") == ["mug-000"]


def test_a_picture_whose_tiles_are_being_made_is_not_asked_for(lea: User) -> None:
    make_benchmark(lea, count=1)
    Image.objects.update(state=Image.State.WAITING)
    tile = signed_in(lea).get(PAGE).context["tiles"][0]
    assert (tile.thumbnail, tile.problem) == ("", "The image is being prepared.")


def test_what_waits_is_counted_for_the_person_and_by_their_roles(
    kitchen: Benchmark, lea: User, ana: User, rui: User
) -> None:
    add_member(actor=lea, benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    add_member(actor=lea, benchmark=kitchen, user=rui, role=Role.REVIEWER)
    Sample.objects.filter(key__gte="mug-008").update(state="to_do")
    for key, author, state, seen_as in (
        ("mug-000", ana, "returned", "returned"),
        ("mug-001", ana, "submitted", "in_review"),
        ("mug-002", rui, "in_review", "in_review"),
    ):
        Annotation.objects.create(sample=Sample.objects.get(key=key), author=author, state=state)
        Sample.objects.filter(key=key).update(state=seen_as)
    assert keys(ana, "waiting=annotate") == ["mug-008", "mug-009", "mug-010", "mug-011"]
    assert keys(ana, "waiting=returned") == ["mug-000"]
    assert keys(ana, "waiting=review") == []
    assert keys(rui, "waiting=review") == ["mug-001"]
    assert keys(rui, "waiting=annotate") == []
    assert keys(lea, "waiting=review") == [], "She imported them: what she made is for others to review."


def test_untrusted_text_stays_text(lea: User) -> None:
    make_benchmark(lea, count=1)
    Sample.objects.update(key="<b>&\"'/?#", image=None, image_problem="<script>1</script>")
    for view in ("grid", "table"):
        page = signed_in(lea).get(PAGE, {"view": view, "q": "<b>"}).content.decode()
        assert "<script>1" not in page
        assert "<b>&" not in page


def test_an_empty_benchmark_says_how_to_bring_samples(lea: User, ana: User) -> None:
    benchmark = make_benchmark(lea)
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    assert b"manage.py import_benchmark kitchen" in signed_in(lea).get(PAGE).content
    assert b"Only the benchmark lead can import samples." in signed_in(ana).get(PAGE).content


def test_a_key_of_a_page_that_never_was_is_refused(kitchen: Benchmark, lea: User) -> None:
    assert signed_in(lea).get(PAGE, {"after": "nonsense"}).status_code == 400
