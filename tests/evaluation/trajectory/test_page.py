"""The page of one trajectory: its numbers are the scores', its list is the one it came from."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from annotation.models import Image
from evaluation.common.trajectory.read import load_trajectory, read_trajectory
from evaluation.models import Intervention, Judgement, Trajectory
from evaluation.schema import Usage
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.evaluation import records
from tests.evaluation.lists import pks_in
from tests.evaluation.scores import change_scores, forget_scores, score_of, with_scores
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


def address(trajectory, query=""):
    return f"/benchmarks/kitchen/trajectories/{trajectory.pk}/{query}"


def detail_of(benchmark, trajectory):
    return read_trajectory(load_trajectory(benchmark, trajectory.pk))


def marks_of(text):
    return json.loads(MARKS.search(text)[1])


@pytest.mark.parametrize("values", [{}, {"crop_box": "requested"}, {"multi_gold": "any", "multi_crop": "last"}])
@pytest.mark.endurance
def test_the_turn_that_gave_the_score_has_the_numbers_of_the_score_row(kitchen, lea, values):
    change_settings(actor=lea, benchmark=kitchen, values=values)
    score_benchmark(actor=lea, benchmark=kitchen)
    compared = 0
    for trajectory in with_scores(Trajectory.objects.all()):
        detail, score = detail_of(kitchen, trajectory), trajectory.score
        if score.crop_index is None:
            continue
        turn = detail.turns[score.crop_index]
        assert detail.agrees_with(score)
        assert (turn.coverage, turn.concentration, turn.ioa, turn.iou) == pytest.approx(
            (score.coverage, score.concentration, score.ioa, score.iou)
        )
        assert turn.scored == pytest.approx((score.crop_x1, score.crop_y1, score.crop_x2, score.crop_y2))
        compared += 1
    assert compared


def test_every_trajectory_is_read_as_it_was_scored(kitchen):
    assert all(detail_of(kitchen, t).agrees_with(t.score) for t in with_scores(Trajectory.objects.all()))


def test_crops_are_drawn_in_pixels_of_the_original(client, kitchen):
    with_picture(kitchen)
    marks = marks_of(page(client, address(of("Model A", "mug"))))
    assert marks["gold"] == [{"box": [100, 100, 200, 150]}]
    first, nested, failed, late = marks["turns"]
    assert first["executed"] == [50, 50, 450, 450]
    # A crop of the crop: [0.1, 0.1, 0.4, 0.3] of a 400 px square at [50, 50].
    assert nested["executed"] == pytest.approx([90, 90, 210, 170])
    assert failed["executed"] is None
    assert late["executed"] is None


def test_a_box_that_was_asked_for_is_drawn_beside_the_one_that_was_executed(client, kitchen):
    with_picture(kitchen, "cup")
    turn = marks_of(page(client, address(of("Model A", "cup"))))["turns"][1]
    assert turn["requested"] == [505, 405, 555, 455]
    assert turn["executed"] == [480, 380, 580, 480]


def test_other_options_that_fill_more_than_a_line_open_to_all_of_them(lea):
    mug = next(record for record in records.samples() if record.id == "mug")
    options = {"A": "a" * 90, "B": "white", "C": "c" * 90}
    long = replace(mug, content=replace(mug.content, options=options))
    scored_kitchen(lea, samples=[long], trajectories=[replace(records.trajectories()[1], answer="B")])
    text = page(signed_in(lea), address(of("Model A", "mug")))
    short, whole = re.search(r"other options <bdi[^>]*>(.*?)</bdi></summary><bdi[^>]*>(.*?)</bdi>", text).groups()
    assert len(short) == 120
    assert whole.startswith(short[:-1])
    assert whole.count("c") == whole.count("a") == 57


def test_calls_that_are_no_evidence_say_why(client):
    text = page(client, address(of("Model A", "mug")))
    assert "failed" in text
    assert "after the answer, not counted" in text


def test_the_head_says_what_was_said_and_what_is_right(client):
    trajectory = of("Model A", "mug")
    text = page(client, address(trajectory))
    assert "B white" in text
    assert 'other options <bdi class="wrap" title="A ' in text
    assert "Read as option B: " in text
    assert f"q--{score_of(trajectory).quadrant.lower().replace('+', 'p').replace('-', 'm')}" in text


@pytest.mark.parametrize(
    ("model", "sample", "words"),
    [
        ("Model A", "sign", "The verdict of the file decides: correct."),
        ("Model B", "cup", "No answer. Counted as incorrect."),
        ("Model B", "cup", "This trajectory failed."),
        ("Model B", "mug", "No tool calls"),
        ("Model B", "mug", "no zoom call, outside the grounding population"),
        ("Model A", "sign", "no gold box"),
        ("Model A", "sign", "This sample has no image."),
        ("Model A", "wall", "The task asks for a tool plan, not an answer."),
    ],
)
def test_what_is_missing_is_said(client, model, sample, words):
    assert words in page(client, address(of(model, sample)))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("Perhaps black or white", "Unread: "),
        ("A. black", "Read as option A: a letter at the start"),
        ("Not B. The answer is A.", '<mark class="read-span">A</mark>'),
    ],
)
def test_how_an_answer_was_read_is_said(lea, answer, words):
    trajectories = [replace(records.trajectories()[1], answer=answer)]
    scored_kitchen(lea, trajectories=trajectories)
    assert words in page(signed_in(lea), address(of("Model A", "mug")))


@pytest.mark.endurance
def test_an_answer_that_nobody_judged_is_undecided(lea):
    scored_kitchen(lea, trajectories=[replace(records.trajectories()[3], judge_correct=None)])
    assert "Undecided" in page(signed_in(lea), address(of("Model A", "sign")))


@pytest.mark.parametrize(
    ("state", "problem", "words"),
    [
        (Image.State.WAITING, "", "The image is being processed."),
        (Image.State.FAILED, "The JPEG data is damaged.", "The JPEG data is damaged."),
    ],
)
def test_a_picture_that_cannot_be_shown_says_why_and_what_to_do(client, kitchen, state, problem, words):
    with_picture(kitchen, state=state, problem=problem)
    text = page(client, address(of("Model A", "mug")))
    assert words in text
    assert "sightline-frame" not in text


@pytest.mark.endurance
def test_an_unknown_size_is_said_and_nothing_is_scored(lea):
    unknown = [replace(s, width=None, height=None) for s in records.samples()]
    scored_kitchen(lea, samples=unknown)
    text = page(signed_in(lea), address(of("Model A", "mug")))
    assert "image size unknown" in text
    assert "size unknown" in text


def test_scores_older_than_the_settings_are_called_so(client, kitchen, lea):
    trajectory = of("Model A", "mug")
    assert "Stale scores" not in page(client, address(trajectory))
    change_settings(actor=lea, benchmark=kitchen, values={"ioa_threshold": 1.0})
    assert "Stale scores" in page(client, address(trajectory))


def test_a_trajectory_that_was_never_scored_is_shown(client):
    trajectory = of("Model A", "mug")
    forget_scores(trajectory.run)
    assert "Not scored." in page(client, address(trajectory))


def test_neighbours_are_those_of_the_list_it_came_from(client):
    cup, mug = of("Model A", "cup"), of("Model A", "mug")
    run = f"run={cup.run_id}"
    text = page(client, address(mug, f"?{run}&correct=yes&tab=raw"))
    assert address(cup, f"?{run}&amp;correct=yes") in text
    assert "2 of 3 in" in text
    assert f"/trajectories/?{run}&amp;correct=yes" in text


def test_without_a_list_it_is_the_run_of_the_trajectory(client):
    assert "2 of 4 in" in page(client, address(of("Model A", "mug")))
    assert "1 of 1 in" in page(client, address(of("Model B", "mug", condition="visual")))


def test_who_comes_from_the_list_of_all_goes_through_all_of_it_and_back_to_the_row(client):
    row = of("Model A", "mug")
    there = address(row).removesuffix(f"{row.pk}/")
    [opened] = re.findall(rf'class="trajectory-row__open" href="([^"]*/{row.pk}/[^"]*)"', page(client, there))
    text = page(client, opened)
    listed = pks_in(row.run.benchmark, {})
    assert f"{listed.index(row.pk) + 1} of {len(listed)} in this list" in text
    assert f'href="{there}?at={row.pk}"' in text


def test_a_trajectory_outside_the_list_has_no_neighbours(client):
    text = page(client, address(of("Model A", "mug"), "?correct=no"))
    assert 'rel="next"' not in text
    assert 'rel="prev"' not in text


@pytest.mark.parametrize("tab", ["toolchain", "interventions", "judgements", "raw"])
def test_a_tab_is_in_the_address_and_keeps_the_list(client, tab):
    trajectory = of("Model A", "mug")
    text = page(client, address(trajectory, f"?run={trajectory.run_id}&tab={tab}"))
    current = re.findall(r'<a href="([^"]*)" aria-current="page">', text)
    assert f"?run={trajectory.run_id}&amp;tab={tab}" in current[-1]


def test_the_graph_shows_what_reached_the_answer(client):
    text = page(client, address(of("Model A", "mug")))
    assert "2 of 3 calls effective, 1 failed" in text
    assert "<td>the original</td>" in text


def test_the_calls_stand_beside_the_reference(client):
    text = page(client, address(of("Model A", "mug")))
    # crop, resize against zoom_in, zoom_in, zoom_in.
    score = score_of(of("Model A", "mug"))
    assert f"distance {score.edit_distance}" in text
    assert "another tool" in text


def test_the_same_sample_under_another_condition_is_linked(client):
    plain, noisy = of("Model B", "mug"), of("Model B", "mug", condition="visual")
    Intervention.objects.create(run=plain.run, sample=plain.sample, condition="text", correct=False)
    text = page(client, address(plain, "?tab=interventions"))
    assert address(noisy) in text
    assert "outcome only" in text


def test_rollouts_of_a_sample_lead_to_one_another_and_say_right_or_wrong(client):
    first, second = of("Model A", "mug"), of("Model A", "mug", rollout=1)
    text = page(client, address(first, "?tab=interventions"))
    assert 'rollout 0</a><span class="muted">, one of 2</span>' in text
    assert address(second) in text
    assert address(first) in page(client, address(second, "?tab=interventions"))
    said = [trial.verdict for trial in client.get(address(first, "?tab=interventions")).context["trials"]]
    assert said == [{True: "correct", False: "incorrect"}[score_of(row).correct] for row in (first, second)]


@pytest.mark.endurance
def test_what_noise_turned_is_against_the_lowest_rollout_whatever_its_number(client):
    noisy = of("Model B", "mug", condition="visual")
    plain = of("Model B", "mug")
    was_correct = score_of(noisy).correct
    change_scores([plain], verdict="'no'" if was_correct else "'yes'")
    Trajectory.objects.filter(pk=plain.pk).update(rollout=1)
    trials = client.get(address(noisy, "?tab=interventions")).context["trials"]
    assert [trial.flip for trial in trials] == ["", "gained" if was_correct else "lost"]


def test_judgements_are_listed(client):
    trajectory = of("Model A", "mug")
    Judgement.objects.create(run=trajectory.run, sample=trajectory.sample, kind="reliability", judge="J", verdict="yes")
    text = page(client, address(trajectory, "?tab=judgements"))
    assert "reliability" in text


def test_the_raw_record_is_the_row_of_the_native_format(client):
    text = page(client, address(of("Model B", "cup"), "?tab=raw"))
    assert "&quot;error&quot;: &quot;timeout&quot;" in text
    assert "&quot;tries&quot;: 3" in text


def test_a_plan_shows_what_matched_and_what_is_missing(client):
    text = page(client, address(of("Model A", "wall")))
    assert "Exact match" in text
    assert text.count("step 2") == 2  # predicted and wanted
    assert "is-missing" not in text.split('aria-label="Transcript"')[0].split("Recognition")[0]


def test_a_stranger_finds_nothing(sam, kitchen):
    assert signed_in(sam).get(address(of("Model A", "mug"))).status_code == 404


def test_a_trajectory_of_another_benchmark_is_not_found(client):
    assert client.get("/benchmarks/kitchen/trajectories/999999/").status_code == 404


def test_usage_is_said_where_it_was_recorded(client):
    assert Usage(120, 30, 2.5, 0.01) == records.trajectories()[1].usage
    text = page(client, address(of("Model A", "mug")))
    assert "30 tokens" in text
    assert "$0.010" in text


@pytest.mark.endurance
def test_a_list_narrowed_by_other_runs_names_them(client, kitchen):
    seen = of("Model A", "mug")
    both = f"{seen.run.pk},{of('Model B', 'mug').run.pk}"
    text = page(client, address(seen, f"?run={seen.run.pk}&shared_with={both}"))
    assert f"shared with {seen.run} and {of('Model B', 'mug').run}" in text


@pytest.mark.parametrize(("before", "is_noted"), [((1280, 960), True), ((640, 480), False)])
def test_crops_on_an_image_that_was_replaced_are_not_compared_with_its_gold(client, lea, before, is_noted):
    trajectory = of("Model A", "mug")
    assert "The image was replaced" not in page(client, address(trajectory))
    another_size(trajectory.sample, (640, 480), lea, old=before, boxes="scaled")
    noted = "The image was replaced after this trajectory was recorded" in page(client, address(trajectory))
    assert noted == is_noted
    Trajectory.objects.filter(pk=trajectory.pk).update(image_number=1)
    assert "The image was replaced" not in page(client, address(trajectory)), "a later run is on the new image"
