"""Tags, notes, corrected failures and saved slices: who leaves them, who sees them, what they count."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.benchmarks.write.benchmark import set_public
from annotation.benchmarks.write.people import change_details, set_roles
from annotation.common.access import PublicReader, known_to
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.common.slices import SAVED, read_slice, read_slices, saved_slices
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.metrics.catalogue import METRICS, ROLLOUT_METRICS
from evaluation.metrics.failures import LABELS
from evaluation.metrics.selection import SELECTED
from evaluation.models import FailureLabel, Note, Run, SavedSlice, Tag, Tagging, Trajectory
from evaluation.models.querysets.marks import marks_seen_by, visible_tags
from evaluation.query.fields import FIELDS
from evaluation.schema import Trajectory as Record
from evaluation.trajectories.read.failures import read_failure_agreement
from evaluation.trajectories.write.marks import correct_failure, tag_trajectories, untag_trajectories, write_note
from evaluation.trajectories.write.slices import save_slice
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.lists import first_in, pks_in
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def street(lea):
    return make_benchmark(lea, models=["Model C", "Model D"], pictures=False)


def address(name, benchmark, *args):
    return reverse(f"evaluation:{name}", args=[benchmark.slug, *args])


def facet(response, title):
    return {line.label: line.count for one in response.context["facets"] if one.title == title for line in one.values}


@pytest.mark.both_databases
@pytest.mark.endurance
def test_the_whole_list_is_tagged_and_untagged_at_once(street, lea):
    client, wrong = signed_in(lea), len(pks_in(street, {"q": "wrong grounded"}))
    client.post(address("tag", street) + "?q=wrong+grounded", {"tag": " off  by one "})
    assert Tagging.objects.filter(tag__name="off by one", tag__owner=None).count() == wrong > 2
    response = client.get(address("trajectories", street))
    assert facet(response, "Tags") == {} or facet(response, "Tags") == {"off by one": wrong}
    found = client.get(address("trajectories", street), {"tag": "off by one"})
    assert (found.context["total"], found.context["rows"][0].tags) == (wrong, ["off by one"])
    client.post(address("tag", street) + "?q=grounded", {"tag": "off by one", "off": "1"})
    assert not Tag.objects.exists()
    assert list(AuditEntry.objects.filter(action__startswith="tag.").values_list("action", flat=True)) in (
        ["tag.add", "tag.remove"],
        ["tag.remove", "tag.add"],
    )


@pytest.mark.endurance
def test_a_tag_shows_in_its_row_and_the_facet_at_once_with_the_way_back(street, lea):
    """D7.4: the pieces that the list swaps in, under the terms of the list; also while its query cannot be read."""
    client, one = signed_in(lea), first_in(street, {"q": "wrong"})
    tag_trajectories(actor=lea, benchmark=street, trajectories=[one.pk], name="dim")
    sent = {"trajectory": one.pk, "tag": "glare"}
    for query, counts in (("?q=wrong", {"dim": 1, "glare": 1}), ("?q=right", {}), ("?q=wrong+and", None)):
        answer = client.post(address("tag", street) + query, sent, headers={"HX-Request": "true"})
        assert answer.context["row_tags"] == ["dim", "glare"]
        found = answer.context["facet"]
        assert (found and {line.label: line.count for line in found.values}) == counts
        assert f'id="tags-{one.pk}" hx-swap-oob="true"' in answer.content.decode()
    undo = {**sent, "off": "1"}
    answer = client.post(address("tag", street) + "?q=wrong", undo, headers={"HX-Request": "true"})
    assert (answer.context["row_tags"], answer.context["off"]) == (["dim"], True)
    assert client.post(address("tag", street), sent).status_code == 302


def test_a_tag_of_ones_own_is_seen_by_nobody_else(street, lea, rui):
    set_roles(actor=lea, benchmark=street, user=rui, roles={Role.REVIEWER})
    one = Trajectory.objects.of(street).evaluated().first()
    tag_trajectories(actor=lea, benchmark=street, trajectories=[one.pk], name="mine", shared=False)
    pages = {who: signed_in(who).get(address("trajectories", street), {"tag": "mine"}) for who in (lea, rui)}
    assert {who.name: page.context["total"] for who, page in pages.items()} == {lea.name: 1, rui.name: 0}
    assert untag_trajectories(actor=rui, benchmark=street, trajectories=[one.pk], name="mine", shared=False) == 0
    with pytest.raises(InvalidInput):
        tag_trajectories(actor=lea, benchmark=street, trajectories=[one.pk], name="none")


def test_who_only_reads_leaves_nothing(street, lea, sam):
    street.public = True
    street.save()
    one = Trajectory.objects.of(street).first()
    with pytest.raises(NotAllowed):
        tag_trajectories(actor=sam, benchmark=street, trajectories=[one.pk], name="x")
    with pytest.raises(NotAllowed):
        write_note(actor=sam, trajectory=one, text="x")
    assert signed_in(sam).post(address("failure", street, one.pk), {"failure": "none"}).status_code == 403


def test_a_person_corrects_the_rule_and_the_facet_follows(street, lea):
    client, one = signed_in(lea), first_in(street, {"failure": "found_misread"})
    before = facet(client.get(address("trajectories", street)), "Failure")
    client.post(address("failure", street, one.pk), {"failure": "wrong_tool"})
    client.post(address("failure", street, one.pk), {"failure": "crop_ignored"})
    after = facet(client.get(address("trajectories", street)), "Failure")
    assert after[LABELS["found_misread"]] == before[LABELS["found_misread"]] - 1
    assert after[LABELS["crop_ignored"]] == before.get(LABELS["crop_ignored"], 0) + 1
    assert client.post(address("failure", street, one.pk), {"failure": "bad luck"}).status_code == 400


@pytest.mark.both_databases
def test_people_and_rules_agree_by_kappa_on_what_they_named(street, lea, rui):
    """Of four, people keep three rules; Rui sees three of them, says the same of two."""
    set_roles(actor=lea, benchmark=street, user=rui, roles={Role.REVIEWER})
    misread, missed = (list(Trajectory.objects.filter(pk__in=pks_in(street, {"failure": name})[:2]))
                       for name in ("found_misread", "missed_evidence"))  # fmt: skip
    words = ["found_misread", "found_misread", "missed_evidence", "none"]
    for one, word in zip([*misread, *missed], words, strict=True):
        correct_failure(actor=lea, trajectory=one, failure=word)
    for one, word in zip([*misread, *missed[1:]], ["found_misread", "missed_evidence", "none"], strict=True):
        correct_failure(actor=rui, trajectory=one, failure=word)
    rule, pair = read_failure_agreement(street, lea)
    assert (rule.n, rule.same, pair.n, pair.same) == (4, 2, 3, 2)
    assert rule.found.kappa.value == pytest.approx((2 / 4 - 6 / 16) / (1 - 6 / 16))
    assert pair.found.kappa.value == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))
    assert pair.found.ac1.interval is None  # Three pictures are too few for one.
    client = signed_in(lea)
    page = client.get(address("slices", street))
    assert 'id="failures"' in page.content.decode()
    assert wrong_links(client, page) == {}


@pytest.mark.endurance
def test_a_note_stands_with_its_trajectory_and_is_found(street, lea):
    client, one = signed_in(lea), Trajectory.objects.of(street).exclude(steps=None).evaluated().first()
    client.post(address("note", street, one.pk), {"text": "Read the <b>wrong</b> line.", "turn": "1"})
    text = client.get(address("trajectories", street), {"at": one.pk}).content.decode()
    assert "Read the &lt;b&gt;wrong&lt;/b&gt; line." in text
    assert client.get(address("trajectories", street), {"q": 'note:"wrong</b> line"'}).context["total"] == 1
    piece = client.get(address("trajectory-preview", street, one.pk), headers={"HX-Request": "true"}).content.decode()
    assert "Read the &lt;b&gt;" in piece
    assert "<html" not in piece
    assert client.post(address("note", street, one.pk), {"text": "x", "turn": "99"}).status_code == 400
    assert client.post(address("note", street, one.pk), {"text": "x", "region": "9,9,1,1"}).status_code == 400
    pinned = {"text": "The sign", "turn": "1", "region": "10.4, 20,300,400", "on": "trajectory"}
    response = client.post(address("note", street, one.pk) + "?q=grounded", pinned, follow=True)
    assert response.redirect_chain[0][0] == f"{address('trajectory', street, one.pk)}?q=grounded&tab=notes#more"
    assert response.context["marks"]["notes"] == [{"box": [10.4, 20.0, 300.0, 400.0], "label": "N1"}]
    assert '<a href="#turn=1&amp;box=10,20,300,400">turn 1, region N1</a>' in response.content.decode()
    client.post(address("note-delete", street, Note.objects.get(text="The sign").pk))
    client.post(address("note-delete", street, Note.objects.get().pk))
    assert not Note.objects.exists()


@pytest.mark.both_databases
def test_marks_outlive_an_import_that_changes_the_record(street, lea):
    one = Trajectory.objects.get(run__model__name="Model C", sample__key="blind-00", condition="none")
    tag_trajectories(actor=lea, benchmark=street, trajectories=[one.pk], name="glare")
    write_note(actor=lea, trajectory=one, text="Look again.")
    correct_failure(actor=lea, trajectory=one, failure="lucky_answer")
    with transaction.atomic():
        save_trajectories(RunRegistry(street, lea), [Record("Model C", "blind-00", answer="B")], None)
    new = Trajectory.objects.get(run__model__name="Model C", sample__key="blind-00", condition="none")
    assert new.pk != one.pk
    for model in (Tagging, Note, FailureLabel):
        assert model.objects.get().trajectory_id == new.pk


def test_an_import_is_in_the_list_at_once(street, lea):
    """The run is not scored again yet: its columns are those of its rows."""
    client = signed_in(lea)
    assert client.get(address("trajectories", street), {"q": 'run:"Model C" sample:absent-00'}).context["total"] == 0
    with transaction.atomic():
        save_trajectories(RunRegistry(street, lea), [Record("Model C", "absent-00", answer="B")], None)
    found = client.get(address("trajectories", street), {"q": 'run:"Model C" sample:absent-00 scored:no'})
    assert [row.trajectory.answer for row in found.context["rows"]] == ["B"]


@pytest.mark.endurance
@pytest.mark.both_databases
def test_a_saved_slice_is_a_slice_of_the_board(street, lea):
    save_slice(actor=lea, benchmark=street, name="Small & dark", query='area < 2% "which colour"')
    client, by = signed_in(lea), {"by": "saved slice", "slice": "Small & dark"}
    page = client.get(address("leaderboard", street), by)
    assert [row.row.value("accuracy") is not None for row in page.context["ranked"]] == [True, True]
    assert [row.row.counts["trajectories"] for row in page.context["ranked"]] == [
        row["n"] for shown in client.get(address("slices", street)).context["tables"] for row in shown["rows"]
    ]
    assert len(counted_links(page)) > 6
    assert wrong_links(client, page) == {}
    assert client.get(address("leaderboard", street), {**by, "slice": "Gone"}).status_code == 404
    assert client.get(f"/api/v1/benchmarks/{street.slug}/leaderboard/", by).json()["ranked"][0]["metrics"]["accuracy"]


def test_a_slice_of_everything_has_the_metrics_of_the_board(street, lea):
    save_slice(actor=lea, benchmark=street, name="All", query="scored")
    runs = list(Run.objects.of(street))
    table, board = read_slice(street, runs, SAVED, "All"), {row.run.pk: row for row in load_leaderboard(street).rows()}
    [short] = read_slices(street, runs, list(saved_slices(street, lea)))
    assert [row.metrics["accuracy"].value for row in short.rows] == [
        row.metrics["accuracy"].value for row in table.rows
    ]
    for row in table.rows:
        assert set(row.metrics) == set(SELECTED) == set(METRICS) - ROLLOUT_METRICS
        for name in SELECTED:
            there, here = board[row.run.pk].metrics[name], row.metrics[name]
            assert (there.value, there.n) == (here.value, here.n), name
            ends = (here.interval.low, here.interval.high, here.interval.method) if here.interval else (None, None, "")
            assert (there.ci_low, there.ci_high, there.ci_method, there.p_value) == (*ends, here.p_value), name


@pytest.mark.both_databases
@pytest.mark.endurance
def test_every_number_of_the_slices_lists_as_many(street, lea):
    client = signed_in(lea)
    terms = {"q": "wrong or failed", "facet.category": "Color", "ioa_upto": "0.9"}
    total = client.get(address("trajectories", street), terms).context["total"]
    saving = client.get(address("trajectories", street), terms)
    assert "Save slice" in saving.content.decode()
    query = saving.context["address"]
    client.post(f"{address('save-slice', street)}?{query}", {"name": "Wrong colours"})
    save_slice(actor=lea, benchmark=street, name="C beats D", query='run:"Model C" correct and run:"Model D" wrong')
    page = client.get(address("slices", street))
    assert {shown["saved"].name: shown["total"] for shown in page.context["tables"]} == {
        "C beats D": 0, "Wrong colours": total,
    }  # fmt: skip
    assert wrong_links(client, page) == {}
    assert client.post(f"{address('save-slice', street)}?q=nonsense", {"name": "x"}).status_code == 400
    client.post(address("delete-slice", street, SavedSlice.objects.get(name="C beats D").pk))
    assert SavedSlice.objects.count() == 1


def test_words_at_the_caret_are_those_of_the_benchmark(street, lea):
    answer = signed_in(lea).get(address("query-words", street), {"q": "category:ch", "at": "11"}).json()
    assert [one["text"] for one in answer["proposals"]] == ['"Chart & more" ']
    tools = signed_in(lea).get(address("query-words", street), {"q": "tool:"}).json()["proposals"]
    assert [one["text"] for one in tools] == ["crop "]
    assert "tool" in FIELDS


def test_a_query_that_means_nothing_says_where_and_lists_nothing(street, lea):
    response = signed_in(lea).get(address("trajectories", street), {"q": "correct and grouned"})
    assert response.status_code == 400
    assert "Column 13" in response.content.decode()
    assert "Did you mean grounded" in response.content.decode()
    api = signed_in(lea).get(reverse("api-trajectories", args=[street.slug]), {"q": "correct and grouned"})
    assert api.json()["error"]["field"] == "q"
    right = signed_in(lea).get(reverse("api-trajectories", args=[street.slug]), {"q": "correct grounded"}).json()
    assert {row["score"]["quadrant"] for row in right["results"]} == {"G+A+"}


@pytest.mark.endurance
def test_notes_and_shared_tags_are_for_members_until_the_lead_shows_them_to_visitors(street, lea, rui, sam, admin):
    """D5.4"""
    set_public(actor=lea, benchmark=street, public=True)
    set_roles(actor=lea, benchmark=street, user=rui, roles={Role.RESEARCHER})
    one = Trajectory.objects.of(street).exclude(steps=None).evaluated().first()
    write_note(actor=rui, trajectory=one, text="Zebra crossing")
    tag_trajectories(actor=rui, benchmark=street, trajectories=[one.pk], name="zebra")
    correct_failure(actor=rui, trajectory=one, failure="wrong_tool")
    correct_failure(actor=lea, trajectory=one, failure="crop_ignored")
    save_slice(actor=rui, benchmark=street, name="Striped", query="tag:zebra")
    save_slice(actor=rui, benchmark=street, name="Crossing", query='note:"zebra"')
    save_slice(actor=rui, benchmark=street, name="Wrong", query="wrong")
    secrets = ("zebra", "striped", "crossing", "rui costa", "lea moreau")
    for who, client in {"visitor": Client(), "sam": signed_in(sam)}.items():
        for page, query in (
            ("trajectory", ""), ("trajectory", "?tab=notes"), ("trajectory-preview", ""), ("trajectories", "?at={one}"),
            ("trajectories", "?format=csv"), ("slices", ""), ("leaderboard", ""),
            ("leaderboard", "?by=saved+slice&slice=Wrong"), ("query-words", "?q=tag:&at=4"),
        ):  # fmt: skip
            args = [one.pk] if page.startswith("trajectory") else []
            answer = client.get(address(page, street, *args) + query.format(one=one.pk), headers={"HX-Request": "true"})
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            text = body.decode().casefold()
            assert [word for word in secrets if word in text] == [], (who, page, query)
        for query in ("tag:zebra", "tag:any", 'note:"zebra"'):
            answer = client.get(address("trajectories", street), {"q": query})
            assert answer.context["total"] == 0, query
        assert client.get(address("leaderboard", street), {"by": SAVED, "slice": "Striped"}).status_code == 404
    api, stranger = "/api/v1/benchmarks/street", signed_in(sam)
    assert stranger.get(f"{api}/notes/").status_code == 403
    assert stranger.get(f"{api}/tags/").json()["results"] == []
    assert [one["name"] for one in stranger.get(f"{api}/slices/").json()["results"]] == ["Wrong"]
    assert len(stranger.get(f"{api}/failures/").json()["pairs"]) == 1
    row = stranger.get(f"{api}/trajectories/{one.pk}/").json()
    assert (row["tags"], row["failure_said_by"]) == ([], "a person")
    assert [row["tags"] for row in stranger.get(f"{api}/trajectories/").json()["results"] if row["tags"]] == []
    seen = {**dict.fromkeys((lea, rui, admin), True), sam: False, AnonymousUser(): False, PublicReader(): False}
    for opened in (False, True):
        details = {
            "title": "Street",
            "description": "",
            "licence": "",
            "public": True,
            "marks_open": opened,
            "remove_metadata": True,
            "remote_allowed": False,
        }
        change_details(actor=lea, benchmark=street, **details)
        for person, member in seen.items():
            expected = member or (opened and not isinstance(person, PublicReader))
            assert known_to(person, Benchmark.objects.get()).marks == expected
            assert visible_tags(person).exists() == expected
            assert Note.objects.filter(marks_seen_by(person, "trajectory__run__benchmark")).exists() == expected
    assert "Zebra crossing" in Client().get(address("trajectory", street, one.pk) + "?tab=notes").content.decode()
    assert stranger.get(f"{api}/notes/").json()["results"][0]["text"] == "Zebra crossing"
