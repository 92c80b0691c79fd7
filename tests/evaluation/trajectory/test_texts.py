"""Long and hostile texts on the page of a trajectory: cut, fetched when asked for, and never more than text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from evaluation.common.trajectory.turns import BLOCK, excerpt
from evaluation.schema import Step
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.trajectory_data import hostile_records, of, page, scored_kitchen

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
LONG = "word " * 1000


def many(turns):
    step = Step("zoom_in", {}, (10.0, 10.0, 90.0, 90.0), image_in="original", image_out="a", text=LONG)
    return replace(records.trajectories()[1], steps=(step,) * turns)


def address(query=""):
    return f"/benchmarks/kitchen/trajectories/{of('Model A', 'mug').pk}/{query}"


def test_a_long_text_is_cut_and_fetched_when_asked_for(lea):
    scored_kitchen(lea, trajectories=[many(1)])
    client = signed_in(lea)
    assert LONG not in page(client, address())
    piece = client.get(address("text/1/"), headers={"HX-Request": "true"}).content.decode()
    assert LONG in piece
    assert "<html" not in piece
    assert LONG in page(client, address("text/1/"))


@pytest.mark.parametrize("part", ["0", "7", "x", "99999999999"])
def test_there_is_no_text_of_a_turn_that_is_not_there(lea, part):
    scored_kitchen(lea, trajectories=[many(1)])
    assert signed_in(lea).get(address(f"text/{part}/")).status_code == 404


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [("", 1, 50), ("?from=60", 51, 100), ("?from=1000", 951, 1000), ("?from=9999", 951, 1000), ("?from=x", 1, 50)],
)
@pytest.mark.endurance
def test_a_thousand_turns_come_in_pages(lea, query, first, last):
    scored_kitchen(lea, trajectories=[many(1000)])
    text = page(signed_in(lea), address(query))
    assert re.findall(r'<li id="turn=(\d+)"', text) == [str(n) for n in range(first, last + 1)]
    assert "1,000 turns" in text
    assert len(text) < 250_000


@pytest.mark.parametrize("turns", [1, 40])
@pytest.mark.endurance
def test_the_number_of_queries_does_not_grow_with_the_turns(lea, django_assert_num_queries, turns):
    """Session, user, benchmark, role; trajectory, boxes, reference, plan tools, facets; settings, further chains,
    its columns, replayed ones; notes; count of turns, turns; runs, which of them have columns, state of samples;
    others, outcomes, judgements; arguments."""
    scored_kitchen(lea, trajectories=[many(turns), *records.trajectories()[2:]])
    client, here = signed_in(lea), address()
    client.get(here)
    with django_assert_num_queries(28):
        assert client.get(here).status_code == 200


@pytest.mark.parametrize("tab", ["toolchain", "interventions", "judgements", "raw"])
def test_hostile_text_stays_text_on_every_tab(lea, tab):
    samples, trajectories = hostile_records()
    scored_kitchen(lea, samples=samples, trajectories=trajectories)
    text = page(signed_in(lea), address(f"?tab={tab}"))
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "{{ 7*7 }}" in text


def test_hostile_text_stays_text_on_the_sample_and_in_its_pieces(lea):
    samples, trajectories = hostile_records()
    scored_kitchen(lea, samples=samples, trajectories=trajectories)
    client = signed_in(lea)
    for place in (address("text/1/"), address("text/answer/"), "/benchmarks/kitchen/samples/mug/"):
        text = page(client, place)
        assert "<script>alert" not in text
        assert "<img src=x" not in text


@pytest.mark.parametrize("text", ["", "short", "x" * 45_000, "line\n" * 9_000, "x" * 20_000])
def test_a_text_in_blocks_is_the_text(text):
    blocks = ["".join(part) for part in excerpt(text, len(text)).parts]
    assert "".join(blocks) == text
    assert all(0 < len(block) <= BLOCK for block in blocks)


def test_a_mark_in_a_text_in_blocks_is_in_each_block_that_it_reaches_into():
    text = "x" * 45_000
    parts = excerpt(text, len(text), (19_990, 20_010)).parts
    assert [len(marked) for _, marked, _ in parts] == [10, 10, 0]
    assert "".join("".join(part) for part in parts) == text


@pytest.mark.endurance
def test_five_megabytes_of_text_do_not_reach_the_page(lea):
    samples, trajectories = hostile_records(megabytes=5)
    scored_kitchen(lea, samples=samples, trajectories=trajectories)
    client = signed_in(lea)
    assert len(page(client, address())) < 200_000
    assert len(page(client, address("text/1/"))) > 5_000_000
