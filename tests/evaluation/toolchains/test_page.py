"""The analysis of toolchains: every count leads to exactly that many, and what is not defined is left out."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from django.urls import reverse

from evaluation.models import Run
from evaluation.store.files import rows_changed
from evaluation.toolchains.read.tables import CHAIN_TABLES
from tests.conftest import signed_in
from tests.evaluation.chain_data import make_chains
from tests.evaluation.crawl import counted_links, miscounted, total

pytestmark = pytest.mark.django_db
QUERIES = 17
"""Session, person, benchmark, roles; runs; change number and labels of the store; metrics; the counts of the tabs and
the bar; how fresh the scores are, 3."""


def page(client, benchmark, **terms):
    address = reverse("evaluation:chains", args=[benchmark.slug])
    return client.get(f"{address}?{urlencode(terms, doseq=True)}")


@pytest.mark.one_database  # its numbers and their lists are read from files; the tables are asked for on both
@pytest.mark.endurance
def test_every_count_leads_to_exactly_that_many(lea):
    client, benchmark = signed_in(lea), make_chains(lea)
    first, second = Run.objects.of(benchmark).order_by("model__name")
    both = page(client, benchmark, by="segment")
    assert both.context["shown"].referenced.n == 16
    assert len(counted_links(both)) > 80
    assert miscounted(client, both) == {}
    narrowed = page(client, benchmark, run=second.pk, by="category", value="Chart & more")
    assert narrowed.context["shown"].total.n == 5
    links = counted_links(narrowed)
    assert [total(client, href) for href in [*links][::6]] == [*links.values()][::6]
    assert page(client, benchmark, run=[second.pk, first.pk]).context["found"].runs == [second, first]


@pytest.mark.endurance
def test_tables_are_files_whose_undefined_numbers_are_null(lea):
    client, benchmark = signed_in(lea), make_chains(lea)
    for name, export in CHAIN_TABLES.items():
        rows = json.loads(b"".join(page(client, benchmark, table=name, format="json")))
        assert rows, name
        assert set(rows[0]) == set(export.columns)
    tools = json.loads(b"".join(page(client, benchmark, table="tools", format="json")))
    found = {row["tool"]: (row["tp"], row["fp"], row["fn"], row["recall"]) for row in tools}
    assert found["canny"] == (4, 2, 4, 0.5)
    assert found["my_tool"] == (0, 2, 0, None)
    head = b"".join(page(client, benchmark, table="confusion", format="csv")).decode().splitlines()[0]
    assert head == "first,second,times,trajectories,share"
    assert page(client, benchmark, table="confusion", format="xls").status_code == 400


@pytest.mark.endurance
def test_the_number_of_queries_does_not_grow_with_runs_and_samples(lea, django_assert_num_queries):
    client = signed_in(lea)
    for size in ({"times": 1, "runs": 1}, {"times": 4, "runs": 2}):
        benchmark = make_chains(lea, slug=f"chains-{size['times']}", **size)
        page(client, benchmark)  # the table of trajectories is read once, and kept
        with django_assert_num_queries(QUERIES):
            page(client, benchmark)


@pytest.mark.one_database
@pytest.mark.endurance
def test_without_reference_toolchains_what_needs_them_is_left_out(lea):
    client, benchmark = signed_in(lea), make_chains(lea, times=1, references=("",) * 5)
    text = page(client, benchmark).content.decode()
    assert "No sample has a reference toolchain." in text
    assert "Tool transitions" in text
    assert "Tool confusion" not in text
    rows_changed(Run.objects.values_list("pk", flat=True))
    assert "Some runs are not shown." in page(client, benchmark).content.decode()


@pytest.mark.one_database
def test_the_chains_of_a_sample_stand_in_one_table_with_the_reference_on_top(lea):
    client, benchmark = signed_in(lea), make_chains(lea, times=1)
    response = client.get(reverse("evaluation:sample-chains", args=[benchmark.slug, "s1-0"]))
    table, lines = response.context["table"], response.context["lines"]
    assert (table.heads, [cell.tool for cell in table.reference]) == (["1", "2", "3"], ["crop", "canny", "canny"])
    assert [[cell.kind for cell in line.cells] for line in lines] == [
        ["same", "changed", "same"],
        ["same", "missing", "changed"],
    ]
    assert lines[0].cells[1].state == "failed"
    assert counted_links(response) == {"/benchmarks/chains/trajectories/?sample=s1-0": 2}
    without = client.get(reverse("evaluation:sample-chains", args=[benchmark.slug, "s2-0"]))
    assert "has no reference toolchain" in without.content.decode()
