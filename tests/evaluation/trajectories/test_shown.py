"""What rows of the list of trajectories show by choice, on the page, in its file and on the command line."""

from __future__ import annotations

import csv
import json
from io import StringIO
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.content.changes import content_changed
from annotation.models import FacetValue
from evaluation.common.shown import MOST, SHOWABLE, USUAL, selected_fields, show_parameter
from evaluation.metrics.failures import LABELS
from evaluation.models import Run, Trajectory
from evaluation.query.fields import FIELDS, Kind
from evaluation.store.files import rows_changed
from evaluation.trajectories.present.shown import GROUPS
from evaluation.trajectories.write.marks import correct_failure
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def listed(client, benchmark, **terms):
    return client.get(reverse("evaluation:trajectories", args=[benchmark.slug]), terms)


def facts(answer):
    """By trajectory, what its row says."""
    return {row.trajectory.pk: {fact.label: fact.value for fact in row.facts} for row in answer.context["rows"]}


def choices(answer):
    return {choice.label: choice for _, group in answer.context["rows_show"].groups for choice in group}


def shown(href):
    return parse_qs(urlsplit(href).query).get("show", [""])[0]


def test_rows_say_what_was_chosen_in_its_order_and_what_is_undefined_is_not_0(lea, street):
    Trajectory.objects.filter(sample__key="seen-00").update(seconds=72.4, usd=0.0042, output_tokens=1234)
    rows_changed(Run.objects.values_list("pk", flat=True))
    correct_failure(actor=lea, trajectory=Trajectory.objects.get(sample__key="missed-wrong-00"), failure="crop_ignored")
    answer = listed(signed_in(lea), street, show="usd,seconds,output_tokens,failure,category,iou", rollout="0")
    found = {row.trajectory.sample.key: [(f.label, f.value) for f in row.facts] for row in answer.context["rows"]}
    assert found["seen-00"] == [
        ("cost", "$0.0042"), ("time", "1\N{NO-BREAK SPACE}min 12\N{NO-BREAK SPACE}s"), ("output tokens", "1,234"),
        ("failure", "n/a"), ("category", "Chart & more"), ("IoU", "0.51"),
    ]  # fmt: skip
    assert dict(found["missed-wrong-00"])["failure"] == LABELS["crop_ignored"]
    assert dict(found["missed-wrong-01"])["failure"] == LABELS["missed_evidence"]
    assert found["blind-00"] == [
        ("cost", "n/a"), ("time", "n/a"), ("output tokens", "n/a"), ("failure", "n/a"), ("category", "Chart & more"),
        ("IoU", "n/a"),
    ]  # fmt: skip
    assert "output tokens</span> <b>1,234</b>" in answer.content.decode()


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_field_that_rows_can_show_has_its_words_and_says_what_the_file_says(lea, street):
    """The list is sorted by each number too, which then stands in its rows: those of one sample are enough."""
    offered = [name for group in GROUPS.values() for name in group]
    assert sorted(offered) == sorted(SHOWABLE)
    client = signed_in(lea)
    for names in (offered[start : start + MOST] for start in range(0, len(offered), MOST)):
        answer = listed(client, street, show=",".join(names))
        [labels] = {tuple(row) for row in facts(answer).values() if row}
        assert len(labels) == len(names)
        assert {label for label, choice in choices(answer).items() if choice.on} == {*labels}
        content = b"".join(listed(client, street, show=",".join(names), format="jsonl").streaming_content)
        written = [json.loads(line) for line in content.decode().splitlines()]
        assert len(written) == answer.context["total"]
        for name, label in zip(names, labels, strict=True):
            if FIELDS[name].kind is Kind.NUMBER:
                few = listed(client, street, sort=f"-{name}", show="none", sample="seen-00")
                assert next(iter(facts(few).values())).keys() == {label}


@pytest.mark.endurance
def test_the_menu_of_orders_and_the_rows_name_a_field_alike(lea, street):
    client = signed_in(lea)
    orders = listed(client, street).context["orders"]
    for words, ends in orders.by:
        answer = client.get(reverse("evaluation:trajectories", args=[street.slug]) + ends[1].href)
        assert answer.context["orders"].chosen == f"{words}, highest first"
        assert {words} < {label for row in facts(answer).values() for label in row} | {""}, words
    assert listed(client, street, sort="coverage").context["orders"].chosen == "coverage, lowest first"


def test_without_a_choice_rows_in_the_grounding_population_show_coverage_and_ioa(lea, street):
    answer = listed(signed_in(lea), street)
    found = {row.trajectory.sample.key: [fact.label for fact in row.facts] for row in answer.context["rows"]}
    assert found["seen-00"] == ["coverage", "all crops", "concentration", "IoA"]
    assert found["blind-00"] == []
    assert not answer.context["rows_show"].apart


def test_each_line_of_the_menu_adds_or_takes_away_one_and_the_last_leaves_none(lea, street):
    client = signed_in(lea)
    menu = choices(listed(client, street, q="wrong", density="compact"))
    assert shown(menu["IoU"].href) == "ioa_gt,union_coverage,ioa_pred,ioa,iou"
    assert shown(menu["IoA"].href) == "ioa_gt,union_coverage,ioa_pred"
    assert parse_qs(urlsplit(menu["IoU"].href).query) | {"show": []} == {
        "q": ["wrong"], "density": ["compact"], "show": []
    }  # fmt: skip
    assert shown(choices(listed(client, street, show="ioa"))["IoA"].href) == "none"
    bare = listed(client, street, show="none")
    assert not any(facts(bare).values())
    assert shown(bare.context["rows_show"].usual) == ""
    full = choices(listed(client, street, show="calls,tools,chain,edit_distance,seconds,usd"))
    assert [one.href for one in full.values() if not one.on] == [""] * (len(full) - MOST)
    assert all(one.href for one in full.values() if one.on)


@pytest.mark.parametrize(
    ("show", "said"),
    [
        ("secnds", "Did you mean seconds"),
        ("ioa,facet.categry", "Did you mean facet.category"),
        ("transcript", "Rows cannot show &#x27;transcript&#x27;"),
        ("calls,tools,chain,edit_distance,seconds,usd,ioa", "at most 6 fields, not 7"),
        (",", "Rows cannot show"),
    ],
)
def test_what_rows_cannot_show_is_refused_in_words(lea, show, said, street):
    answer = listed(signed_in(lea), street, show=show)
    assert answer.status_code == 400
    assert said in answer.content.decode()


def test_a_facet_may_have_a_comma_in_its_name(lea, street):
    client = signed_in(lea)
    names = ("facet.size, in cm", "facet.100%", "ioa")
    assert selected_fields(show_parameter(names), {"size, in cm", "100%"}) == names
    assert selected_fields(show_parameter(()), ()) == ()
    assert selected_fields("", ()) == USUAL
    FacetValue.objects.filter(name="segment").update(name="size, in cm")
    content_changed(street.pk)
    there = reverse("evaluation:trajectories", args=[street.slug])
    answer = client.get(there + choices(listed(client, street, show="none"))["size, in cm"].href)
    assert {tuple(row.items()) for row in facts(answer).values()} == {(("size, in cm", "top, left"),)}


@pytest.mark.endurance
def test_what_is_shown_and_how_dense_stays_on_every_way_out_and_back(lea, street):
    client = signed_in(lea)
    look = {"show": "calls,facet.category", "density": "compact"}
    answer = listed(client, street, **look, quadrant="G+A+")
    ways = [value.href for facet in answer.context["facets"] for value in facet.values]
    ways += [token.without for token in answer.context["tokens"]] + [answer.context["clear"]]
    first, second = answer.context["rows"][:2]
    place = client.get(second.href).context["place"]
    for way in (*ways, first.href, first.preview, place.listed, place.previous):
        asked = parse_qs(urlsplit(way).query)
        assert {name: asked.get(name) for name in look} == {name: [value] for name, value in look.items()}
    assert (place.total, place.filter) == (answer.context["total"], "")
    whole = client.get(listed(client, street, **look).context["rows"][0].href).context["place"]
    assert whole.total == listed(client, street).context["total"]


@pytest.mark.endurance
def test_file_and_command_line_say_what_rows_show_beside_what_they_always_say(lea, street):
    client = signed_in(lea)
    asked = {"show": "seconds,ioa_gt,facet.category", "sort": "-usd", "q": "grounded"}
    Trajectory.objects.filter(sample__key="seen-00").update(usd=0.5, seconds=2)
    rows_changed(Run.objects.values_list("pk", flat=True))
    always = b"".join(listed(client, street, q="grounded", format="csv").streaming_content).decode().splitlines()[0]
    lines = b"".join(listed(client, street, **asked, format="csv").streaming_content).decode().splitlines()
    assert lines[0] == f"{always},usd,seconds,facet.category"
    rows = list(csv.DictReader(lines))
    assert [(rows[0][name]) for name in ("sample", "usd", "seconds", "facet.category")] == [
        "seen-00", "0.5", "2.0", "Chart & more"
    ]  # fmt: skip
    assert {row["seconds"] for row in rows[1:]} == {""}
    printed = StringIO()
    command = ["trajectories", street.slug, "--query", "grounded", "--sort=-usd", "--show", asked["show"]]
    call_command(*command, "--format", "jsonl", stdout=printed)
    said = [json.loads(line) for line in printed.getvalue().splitlines()]
    assert [(row["sample"], row["seconds"]) for row in said][:2] == [("seen-00", 2.0), (rows[1]["sample"], None)]
    table = StringIO()
    call_command(*command, stdout=table)
    assert table.getvalue().splitlines()[0].endswith("seconds=2.0  ioa_gt=1.0  facet.category=Chart & more")
    with pytest.raises(CommandError, match="Did you mean seconds"):
        call_command("trajectories", street.slug, "--show", "secnds", stdout=StringIO())


@pytest.mark.parametrize("many", [2, 30])
@pytest.mark.endurance
def test_a_choice_takes_a_query_more_however_long_the_list(lea, many, django_assert_num_queries):
    """Facets; numbers and failures stand in the files of the list."""
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": many})
    listed(client, benchmark)
    with django_assert_num_queries(16):
        listed(client, benchmark)
    with django_assert_num_queries(17):
        listed(client, benchmark, show="calls,failure,facet.category,facet.segment")
