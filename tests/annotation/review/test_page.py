"""The pages of reviewing as they are sent: nothing of gold before the blind answer, own work never."""

import json
import re

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.comments import add_comment
from annotation.models import Sample
from annotation.queue.settings import set_queue
from annotation.review.write.decisions import answer_blind
from annotation.workflow import Role
from tests.annotation.work_data import annotation_of, content, reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.common.errors import Conflict

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

GOLD = {
    "gold_boxes": [{"box": [317, 419, 333, 431], "label": "amber tag"}],
    "facets": {"category": ["Tableware"]},
    "reference_toolchain": [
        {
            "tool": "Crop",
            "arguments": {"x": 311, "y": 401, "width": 66, "height": 66},
            "image_in": None,
            "image_out": "1",
        }
    ],
    "targets": [{"tool": "Sharpness", "step": 1}],
}
TELLING = re.compile(r"\b(317|419|333|431|311|401)\b|amber tag|Tableware|gold_boxes|&quot;answer&quot;|\"answer\":")

QUERIES = 25
"""Session, user, benchmark, my roles (2), counts of three tabs (4), version, the rule, how many wait and how many of
mine, drawn for my audit, the rows, their revisions, my decisions, and eight counts of what I and all have done."""


def page_of(client, sample):
    return client.get(f"/benchmarks/kitchen/review/samples/{sample.key}/")


def review_of(response):
    found = re.search(r'<script id="review" type="application/json">(.*?)</script>', response.content.decode(), re.S)
    return json.loads(found[1])


@made_once
def waiting(ana, rui):
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    return submitted(ana, benchmark, **GOLD)


def test_nothing_of_gold_is_on_the_page_before_the_blind_answer(rui, waiting):
    html = page_of(signed_in(rui), waiting).content.decode()
    assert "Which colour is the mug?" in html
    assert TELLING.findall(html) == []


def test_only_the_question_and_its_options_are_known_to_the_script_before(rui, waiting):
    review = review_of(page_of(signed_in(rui), waiting))
    assert set(review["content"]) == {"question", "answer_type", "options"}
    assert review["blind"] is None
    assert not {"author", "previous", "comments", "checks", "history"} & set(review)


def test_the_verdict_names_both_answers_after(rui, waiting):
    answer_blind(actor=rui, sample=waiting, answer="A", unsure=True, seconds=4)
    html = " ".join(page_of(signed_in(rui), waiting).content.decode().split())
    assert "You answered A, black." in html
    assert "The gold answer is B, white." in html
    assert "not sure" in html
    assert review_of(page_of(signed_in(rui), waiting))["content"]["gold_boxes"] == GOLD["gold_boxes"]


def test_who_could_not_tell_is_told_what_gold_says(rui, waiting):
    answer_blind(actor=rui, sample=waiting, answer="", unsure=True, seconds=4)
    html = " ".join(page_of(signed_in(rui), waiting).content.decode().split())
    assert "You couldn't answer from the image. The gold answer is B, white." in html


@pytest.mark.parametrize(("targets", "extra"), [(GOLD["targets"], 3), ([], 0)])
def test_a_tool_plan_is_reviewed_with_reasons_of_its_own(ana, rui, targets, extra):
    """D10.5: unrealistic scene, tool not visible, artificial cue; and each can be given."""
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    sample = submitted(ana, benchmark, targets=targets)
    assert review_of(page_of(signed_in(rui), sample))["reasons"] == [], "nothing of the plan before the blind answer"
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=4)
    offered = review_of(page_of(signed_in(rui), sample))["reasons"]
    assert len(set(offered) & {"scene_unrealistic", "tool_not_visible", "artificial_cue"}) == extra
    assert {"wrong_answer", "personal_data", "other"} <= set(offered)
    html = page_of(signed_in(rui), sample).content.decode()
    assert all(f'data-reason="{code}"' in html for code in offered)
    reviewed(rui, sample, "return", reasons=offered[-1:])
    assert annotation_of(ana, sample).revisions.get().reviews.get().reasons == offered[-1:]


@pytest.mark.parametrize("role", ["lead", "reviewer"])
def test_own_work_opened_by_address_is_refused_with_the_reason(ana, role):
    benchmark = to_annotate(1, annotator=ana, **{role: ana})
    sample = submitted(ana, benchmark)
    client = signed_in(ana)
    response = page_of(client, sample)
    assert response.status_code == 403
    assert "You annotated s-0000 yourself. Another reviewer must review it." in response.content.decode()
    listed = client.get("/benchmarks/kitchen/review/").content.decode()
    assert "1 of your own samples is waiting for another reviewer" in listed
    assert "Continue" not in listed


def test_earlier_decisions_and_comments_stand_on_the_page_as_texts(ana, rui):
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    sample = submitted(ana, benchmark)
    reviewed(rui, sample, "return", reasons=["more_than_minimal_evidence"], comment="Only the <b>handle</b>.")
    thread = add_comment(actor=ana, annotation=annotation_of(ana, sample), text="<script>x()</script>", place=(5, 6))
    add_comment(actor=rui, annotation=annotation_of(ana, sample), text="Fine.", parent=thread.pk)
    submitted(ana, benchmark, question="Which colour is the small mug?")
    answer_blind(actor=rui, sample=Sample.objects.get(), answer="B", unsure=False, seconds=4)
    html = " ".join(page_of(signed_in(rui), sample).content.decode().split())
    assert "Changed since revision 1" in html
    assert "Only the &lt;b&gt;handle&lt;/b&gt;." in html
    assert "box too large" in html
    assert "&lt;script&gt;x()&lt;/script&gt;" in html
    assert 'data-x="5.0" data-y="6.0"' in html
    assert f'data-answer="{thread.pk}"' in html


def test_the_list_of_waiting_samples_asks_as_much_for_many_as_for_one(ana, rui, django_assert_num_queries):
    benchmark = to_annotate(6, annotator=ana, reviewer=rui)
    submitted(ana, benchmark)
    client = signed_in(rui)
    client.get("/benchmarks/kitchen/review/")
    with django_assert_num_queries(QUERIES):
        client.get("/benchmarks/kitchen/review/")
    for number in range(4):
        submitted(ana, benchmark, question=f"What is on shelf {number}?")
    with django_assert_num_queries(QUERIES):
        response = client.get("/benchmarks/kitchen/review/")
    assert response.content.decode().count("What is on shelf") == 4


def test_the_tab_counts_what_this_person_can_take(ana, rui, lea):
    """D7.10: two people annotate each sample; the first submission waits for nobody yet, and own work for others."""
    noor = make_user("Noor Bakker")
    benchmark = to_annotate(1, annotator=[ana, noor], reviewer=[rui, noor], lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    submitted(ana, benchmark)
    assert [counted(rui), counted(noor)] == [0, 0]
    submitted(noor, benchmark)
    assert [counted(rui), counted(noor)] == [1, 0]


def counted(person):
    page = signed_in(person).get("/benchmarks/kitchen/review/")
    [tab] = [tab for tab in page.context["tabs"] if tab.current]
    assert tab.count == page.context["waiting_n"]
    return tab.count


def test_a_conflict_says_what_happened_and_leads_to_the_list(ana, rui, waiting):
    """D7.9: Rui has decided meanwhile. What is not to be had is not called changed."""
    noor = make_user("Noor Bakker")
    add_member(actor=None, benchmark=waiting.benchmark, user=noor, role=Role.REVIEWER)
    assert page_of(signed_in(noor), waiting).status_code == 200
    reviewed(rui, waiting, "accept")
    changed = page_of(signed_in(noor), waiting)
    assert (changed.status_code, changed.context["code"]) == (409, "wrong_state")
    assert changed.context["onward"].href == "/benchmarks/kitchen/review/"
    assert 'href="/benchmarks/kitchen/review/"' in changed.content.decode()
    titles = {Conflict("No.", code=code).title for code in (None, "wrong_state", "lease_lost", "paused")}
    assert len(titles) == 4
    assert changed.context["title"] in titles


def test_an_empty_list_says_so_and_offers_nothing(rui):
    to_annotate(1, reviewer=rui)
    html = signed_in(rui).get("/benchmarks/kitchen/review/").content.decode()
    assert "Nothing to review" in html
    assert "Continue" not in html


def test_who_may_not_review_is_told_so(ana, sam):
    benchmark = to_annotate(1, annotator=ana)
    sample = submitted(ana, benchmark)
    assert page_of(signed_in(ana), sample).status_code == 403
    assert page_of(signed_in(sam), sample).status_code == 404


def test_last_decisions_are_listed_in_words(ana, rui):
    benchmark = to_annotate(1, annotator=ana, reviewer=rui)
    sample = submitted(ana, benchmark)
    fixed = content(question="Which colour is the big mug?")
    reviewed(rui, sample, "fix_and_accept", reasons=["typo"], comment="Small things.", content=fixed)
    html = " ".join(signed_in(rui).get("/benchmarks/kitchen/review/").content.decode().split())
    assert "fixed and accepted" in html
    assert "Small things." in html
    assert "match the gold: 1 of 1" in html
