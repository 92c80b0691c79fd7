"""The page of one sample: what is asked, the gold, and what every run did."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from annotation.models import BankTool, Image, Sample
from annotation.tools.write import accept_tool
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.trajectory_data import of, page, scored_kitchen, with_picture
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MARKS = re.compile(r'<script id="frame-marks" type="application/json">(.*?)</script>', re.S)


@made_once
def kitchen(lea):
    return scored_kitchen(lea)


@pytest.fixture
def client(lea, kitchen):
    return signed_in(lea)


def address(key, query=""):
    return f"/benchmarks/kitchen/samples/{key}/{query}"


def test_it_shows_question_options_and_the_gold_answer(client):
    text = page(client, address("mug"))
    assert "Which colour is the mug?" in text
    assert re.search(r'<li class="is-right"><b>B</b>', text)
    assert len(re.findall(r'<li class="is-right">', text)) == 1


def test_an_open_sample_shows_its_accepted_answers(client):
    text = page(client, address("sign"))
    assert "Quay – Mill Rd" in text
    assert "This sample has no image." in text
    assert "The gold has no boxes" in text


def test_evidence_is_said_in_pixels_and_as_a_share(client):
    text = page(client, address("mug"))
    assert "100 × 50\N{NO-BREAK SPACE}px" in text
    assert "0.625%" in text


def test_each_facet_leads_to_the_samples_that_have_it(client):
    assert "/benchmarks/kitchen/samples/?facet.category=Color" in page(client, address("mug"))


def test_the_frame_draws_gold_alone_until_crops_are_asked_for(client, kitchen):
    with_picture(kitchen)
    plain = json.loads(MARKS.search(page(client, address("mug")))[1])
    assert (len(plain["gold"]), plain["turns"]) == (1, [])
    drawn = json.loads(MARKS.search(page(client, address("mug", "?crops=last")))[1])["turns"]
    # The last crop is the nested one; Model B never looked.
    assert [(turn["label"], turn["tool"]) for turn in drawn] == [("A", "Model A, base")]
    assert drawn[0]["executed"] == pytest.approx([90, 90, 210, 170])


def test_every_run_is_a_row_that_leads_to_its_trajectory(client):
    text = page(client, address("mug"))
    for model in ("Model A", "Model B"):
        assert f"/benchmarks/kitchen/trajectories/{of(model, 'mug').pk}/?sample=mug" in text
    assert "2 trajectories" in text
    assert "/benchmarks/kitchen/trajectories/?sample=mug" in text


def test_a_tool_plan_shows_targets_distractors_and_outcomes(client):
    text = page(client, address("wall"))
    assert re.search(r"step 2</span><span><bdi>level<.*distractor</span><span><bdi>saw<", text, re.S)
    assert "Exact match" in text


def test_other_samples_on_the_same_picture_are_linked(client):
    assert address("cup") in page(client, address("mug"))


def test_where_the_gold_comes_from_is_said(client):
    text = page(client, address("mug"))
    assert "Accepted" in text
    assert re.search(r"revision 1,\s+by Lea Moreau", text)


def test_a_missing_picture_says_what_to_do(client):
    Sample.objects.filter(key="mug").update(image_problem="kitchen.jpg is cut off after 3.1 MB.")
    text = page(client, address("mug"))
    assert "kitchen.jpg is cut off after 3.1 MB." in text
    assert "import the benchmark again" in text


def test_a_failed_picture_says_why(client, kitchen):
    with_picture(kitchen, state=Image.State.FAILED, problem="The JPEG data is damaged.")
    assert "The JPEG data is damaged." in page(client, address("mug"))


def test_a_sample_without_gold_is_in_no_metric(client):
    Sample.objects.get(key="mug").gold.delete()
    assert "No gold yet" in page(client, address("mug"))


def test_a_key_with_slashes_has_its_page(lea):
    mug = next(record for record in records.samples() if record.id == "mug")
    scored_kitchen(lea, samples=[replace(mug, id="a/b c?.jpg")], trajectories=[
        replace(records.trajectories()[1], sample_id="a/b c?.jpg")
    ])  # fmt: skip
    text = page(signed_in(lea), address("a/b%20c%3F.jpg"))
    assert "?sample=a%2Fb%20c%3F.jpg" in text


def test_an_unknown_sample_is_not_found_nor_any_by_a_stranger(client, sam):
    assert client.get(address("nothing")).status_code == 404
    assert signed_in(sam).get(address("mug")).status_code == 404


@pytest.mark.parametrize("models", [1, 8])
def test_the_number_of_queries_does_not_grow_with_the_runs(lea, django_assert_num_queries, models):
    """Session, user, benchmark, role; sample, boxes, reference, plan tools, facets; trajectories, their files; others,
    how many; its history: role, annotations, entries; the role once more, for who may open it again; questions
    about the image, and the schema that limits them."""
    mug = records.trajectories()[1]
    scored_kitchen(lea, trajectories=[replace(mug, model=f"Model {n}") for n in range(models)])
    client = signed_in(lea)
    client.get(address("mug"))
    with django_assert_num_queries(19):
        client.get(address("mug"))
    with django_assert_num_queries(25):  # and the trajectories again, whole, with their steps, replayed ones too
        client.get(address("mug", "?crops=last"))


def test_a_renamed_tool_is_shown_as_it_was_written_and_as_it_is_called_now(client, lea):
    saw = BankTool.objects.get(name="saw")
    accept_tool(actor=lea, tool=saw, name="Hand saw", segment="27", aliases=[])
    text = page(client, address("wall"))
    assert re.search(r"<bdi>saw</bdi>\s*<span class=\"muted\">in the bank: <bdi>Hand saw</bdi>", text)
    assert text.count("in the bank:") == 1
