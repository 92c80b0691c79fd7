"""Gold checks: mixed in, not to be told from other samples, compared with what is known, never an annotation."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F

from annotation.models import Annotation, CheckAnswer, Comment, Gold, GoldCheck, Lease, Pause, Revision, Sample
from annotation.quality.write.checks import add_checks, decide_check, draw_checks, retire_check, set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.check_work import standing
from annotation.queue.leases import ANNOTATE, release, take
from annotation.queue.look_ahead import look_ahead
from annotation.queue.pauses import pause, resume
from annotation.queue.progress import my_progress
from annotation.queue.reopen import reopen_samples
from annotation.queue.settings import set_queue
from annotation.queue.skip import skip
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.workflow import SampleState
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import facet_of
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
RULES = {
    "check_first": 0,
    "check_share": 0.0,
    "box_measure": "iou",
    "box_least": 0.5,
    "any_question": False,
    "pause_after": 3,
    "pause_below": None,
}
WRONG = {"answer": ["A"]}


@made_once
def kitchen(ana, rui, lea, bo):
    """Ten samples to annotate; of the first four the gold, made by Bo and reviewed by Rui, is known."""
    benchmark = to_annotate(10, annotator=ana, reviewer=rui, lead=lea)
    benchmark.memberships.create(user=bo, role="annotator")
    for _ in range(4):
        submitted(bo, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    Sample.objects.filter(leases__user=bo).first().leases.all().delete()
    add_checks(actor=lea, benchmark=benchmark, keys=[f"s-000{n}" for n in range(4)])
    return benchmark


def begin_with(lea, benchmark, first, **rules):
    set_check_rules(actor=lea, benchmark=benchmark, **{**RULES, "check_first": first, **rules})


def is_check(sample):
    return GoldCheck.objects.filter(sample=sample).exists()


def hand_in(user, sample, **changes):
    return submit(actor=user, sample=sample, version=0, content=content(**changes))


@pytest.mark.endurance
def test_checks_are_mixed_in_as_the_rules_say_and_never_among_nothing(ana, lea, kitchen):
    assert not is_check(take_one(ana, kitchen))
    begin_with(lea, kitchen, 2)
    sample, handed = take_one(ana, kitchen), []
    while sample is not None:
        handed.append(is_check(sample))
        sample = hand_in(ana, sample)
    assert handed == [False, True] + [False] * 5
    assert kitchen.samples.in_state("to_do").count() == 0


def test_a_share_of_what_is_handed_out_is_drawn_by_a_stored_seed(ana, lea, kitchen):
    begin_with(lea, kitchen, 0, check_share=0.5)
    handed, sample = [], take_one(ana, kitchen)
    while sample is not None:
        handed.append(sample.key)
        sample = hand_in(ana, sample)
    assert len(handed) == len(set(handed))
    checks = sum(int(key[-1]) < 4 for key in handed)
    assert checks == CheckAnswer.objects.count()
    assert 0 < len(handed) - checks <= 6


def test_who_made_or_reviewed_the_gold_is_not_checked_with_it(bo, rui, lea, kitchen):
    kitchen.memberships.create(user=rui, role="annotator")
    begin_with(lea, kitchen, 5)
    assert not is_check(take_one(bo, kitchen))
    assert not is_check(take_one(rui, kitchen))


def work() -> tuple[Any, ...]:
    """All annotations, revisions and gold."""
    return tuple(list(model.objects.order_by("pk").values_list()) for model in (Annotation, Revision, Gold))


def test_an_answer_is_no_annotation_and_changes_nothing_of_the_sample(ana, lea, kitchen):
    begin_with(lea, kitchen, 1)
    before = (
        Annotation.objects.count(),
        Revision.objects.count(),
        list(Gold.objects.values_list("revision", flat=True)),
    )
    sample = take_one(ana, kitchen)
    assert is_check(sample)
    save_draft(actor=ana, sample=sample, version=0, content=content(question="Half a"))
    submit(actor=ana, sample=sample, version=1, content=content(**WRONG))
    after = (
        Annotation.objects.count(),
        Revision.objects.count(),
        list(Gold.objects.values_list("revision", flat=True)),
    )
    assert after == before
    assert Sample.objects.get(pk=sample.pk).state == SampleState.ACCEPTED
    answer = CheckAnswer.objects.get()
    assert (answer.passed, answer.same_answer, answer.iou, answer.gold) == (False, False, 1.0, sample.gold.revision)


def browser_of(user: User, sample: Sample) -> dict[str, Any]:
    """What the browser gets to show the studio, field by field; names, addresses, tokens and times are made alike."""
    html = signed_in(user).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()
    alike = html.replace(sample.key, "KEY").replace(sample.image.sha256, "SHA")
    page, block, rest = re.split(r'(<script id="studio" type="application/json">.*?</script>)', alike, flags=re.S)
    fields = json.loads(re.sub(r"</?script[^>]*>", "", block))
    own = re.compile(r"\b[A-Za-z0-9]{64}\b|\b2\d{3}-\d\d-\d\d[T ][0-9:.+]+|\b\d\d:\d\d(:\d\d)?\b")
    return {**fields, "page": own.sub("OWN", page + rest).splitlines()}


def held(user: User, sample: Sample) -> Sample:
    """The same sample, handed to this person."""
    with transaction.atomic():
        assert take(user, sample.pk, ANNOTATE, timedelta(minutes=15))
    return sample


def told_apart(user: User, check: Sample, other: Sample) -> dict[str, Any]:
    """The fields in which a gold check differs from another sample."""
    here, there = browser_of(user, check), browser_of(user, other)
    assert here.keys() == there.keys()
    return {name: (here[name], there[name]) for name in here if here[name] != there[name]}


@pytest.mark.one_database
@pytest.mark.endurance
def test_the_annotators_browser_gets_the_same_for_a_check_field_by_field(ana, lea, bo, kitchen):
    for number in (5, 6, 7):
        facet_of(kitchen.samples.get(key=f"s-000{number}"), name="scene", value="desk")
    begin_with(lea, kitchen, 1)
    check = take_one(ana, kitchen)
    facet_of(check, name="scene", value="desk")
    assert is_check(check)
    other = held(ana, kitchen.samples.get(key="s-0005"))
    assert told_apart(ana, check, other) == {}
    assert "category" not in browser_of(ana, check)["content"]["facets"]
    steps = {}
    for sample in (check, other):
        client, base = signed_in(ana), "/benchmarks/kitchen/annotate"
        said = [
            client.post(f"{base}/{step}/{sample.key}/", json.dumps(body), content_type="application/json")
            for step, body in (
                ("draft", {"version": 0, "content": content(question="Half")}),
                ("draft", {"version": 0, "content": content(question="Stale")}),
                ("renew", {}),
                ("submit", {"version": 1, "content": content(answer=[])}),
                ("draft", {"version": 1, "content": content()}),
            )
        ]
        steps[sample.key] = [
            (one.status_code, re.sub(r'"reference": "\w+"', "", one.content.decode().replace(sample.key, "KEY")))
            for one in said
        ]
    assert steps[check.key] == steps[other.key]
    assert [status for status, _ in steps[check.key]] == [200, 409, 200, 422, 200]
    assert told_apart(ana, check, other) == {}
    for sample in (check, other):
        submit(actor=ana, sample=sample, version=2, content=content())
    assert told_apart(ana, check, other) == {}


@pytest.mark.one_database
def test_who_comments_on_a_check_is_answered_as_on_any_sample(ana, lea, kitchen):
    begin_with(lea, kitchen, 1)
    check, other = take_one(ana, kitchen), held(ana, kitchen.samples.get(key="s-0005"))
    assert is_check(check)
    said: dict[str, list[Any]] = {}
    for sample in (check, other):
        client, here = signed_in(ana), said.setdefault(sample.key, [])

        def post(step: str, body: dict[str, Any], client=client, sample=sample, here=here) -> Any:
            address = step if step.startswith("/") else f"/benchmarks/kitchen/{step}/{sample.key}/"
            answer = client.post(address, json.dumps(body), content_type="application/json")
            here.append((answer.status_code, re.sub(r'"(at|reference)": "[^"]+"', "", answer.content.decode())))
            return answer.json()

        post("review/comments", {"text": "Too early."})
        post("annotate/draft", {"version": 0, "content": content()})
        thread = post("review/comments", {"text": "Is this the plate?", "x": 5, "y": 6})["comment"]
        post("review/comments", {"text": "Or the cup?", "parent": thread["id"]})
        post(thread["url"], {})
        post(thread["url"], {"resolved": False})
    numbers = re.compile(r'"(id|parent)": \d+|resolve/\d+')
    alike = [[(code, numbers.sub("", text.replace(key, "KEY"))) for code, text in rows] for key, rows in said.items()]
    assert alike[0] == alike[1]
    assert [code for code, _ in alike[0]] == [403, 200, 201, 201, 200, 200]
    shown = [browser_of(ana, sample) for sample in (check, other)]
    assert [len(one["comments"]) for one in shown] == [1, 1]
    pages = [numbers.sub("", re.sub(r'answer="\d+"|resolve/\d+', "", "\n".join(one["page"]))) for one in shown]
    assert pages[0] == pages[1]
    assert b"Is this the plate?" in signed_in(lea).get("/benchmarks/kitchen/quality/").content
    assert not Comment.objects.filter(annotation__sample=check).exists()


def test_a_check_that_is_reopened_while_somebody_holds_it_makes_no_surplus_annotation(ana, lea, kitchen):
    begin_with(lea, kitchen, 1)
    check = take_one(ana, kitchen)
    save_draft(actor=ana, sample=check, version=0, content=content())
    chosen = kitchen.samples.filter(pk=check.pk)
    reopen_samples(actor=lea, benchmark=kitchen, samples=chosen, reason="The plate was moved.", key="again")
    again = kitchen.samples.select_related("benchmark").get(pk=check.pk)
    before = Annotation.objects.filter(sample=again).count()
    with pytest.raises(Conflict) as conflict:
        save_draft(actor=ana, sample=again, version=1, content=content())
    assert conflict.value.code == "lease_lost"
    assert Annotation.objects.filter(sample=again).count() == before
    assert take_one(ana, kitchen) != again


def test_a_check_counts_as_work_in_what_its_annotator_sees(ana, lea, kitchen):
    begin_with(lea, kitchen, 1)
    sample = take_one(ana, kitchen)
    save_draft(actor=ana, sample=sample, version=0, content=content())
    page = signed_in(ana).get("/benchmarks/kitchen/annotate/")
    assert [row.sample.key for row in page.context["drafts"]] == [sample.key]
    submit(actor=ana, sample=sample, version=1, content=content())
    mine = my_progress(ana, kitchen)
    assert (mine.submitted, mine.waiting, mine.today) == (1, 1, 1)


def test_a_skipped_check_is_not_handed_out_again(ana, lea, kitchen):
    begin_with(lea, kitchen, 9)
    sample = take_one(ana, kitchen)
    skip(actor=ana, sample=sample, reason="Too dark.")
    assert CheckAnswer.objects.get().state == "skipped"
    page = signed_in(ana).get("/benchmarks/kitchen/annotate/")
    assert page.context["kept"] == [], "nobody who is handed checks chooses what to open"
    following = take_one(ana, kitchen)
    assert is_check(following)
    assert following != sample


@pytest.mark.one_database
def test_what_is_known_cannot_be_looked_up_by_who_only_annotates(ana, rui, lea, kitchen):
    sample = "/benchmarks/kitchen/samples/s-0000/"
    assert signed_in(ana).get(sample).status_code == 200
    begin_with(lea, kitchen, 1)
    assert signed_in(ana).get(sample).status_code == 403
    assert signed_in(ana).get("/api/v1/benchmarks/kitchen/samples/").status_code == 403
    assert signed_in(ana).get("/benchmarks/kitchen/samples/").url == "/benchmarks/kitchen/annotate/"
    assert signed_in(rui).get(sample).status_code == 200


def test_who_falls_below_is_paused_the_lead_is_told_and_lifts_it(ana, lea, kitchen):
    begin_with(lea, kitchen, 9, pause_below=0.6)
    sample = take_one(ana, kitchen)
    for _ in range(2):
        sample = hand_in(ana, sample, **WRONG)
    assert not Pause.objects.exists()
    assert hand_in(ana, sample, **WRONG) is None
    standing_one = Pause.objects.get()
    data = AuditEntry.objects.get(action="queue.pause").data
    assert (data["right"], data["n"], data["upper"]) == (0, 3, pytest.approx(0.5615, abs=1e-4))
    assert next_to_annotate(actor=ana, benchmark=kitchen) is None
    assert b"You are paused" in signed_in(ana).get("/benchmarks/kitchen/annotate/").content
    page = signed_in(lea).get("/benchmarks/kitchen/quality/")
    assert [tab.count for tab in page.context["more_tabs"].links if tab.label == "Quality"] == [1]
    assert [group.group.pause for group in page.context["people"]] == [standing_one]
    signed_in(lea).post("/benchmarks/kitchen/work/resume/", {"user": ana.pk})
    assert take_one(ana, kitchen)
    assert standing(ana, kitchen).n == 0
    assert AuditEntry.objects.get(action="queue.resume").actor == lea


def test_a_pause_by_hand_lifted_leaves_the_count_of_checks_as_it_was(ana, lea, kitchen):
    begin_with(lea, kitchen, 9)
    hand_in(ana, take_one(ana, kitchen), **WRONG)
    pause(actor=lea, benchmark=kitchen, reason="Holidays.", user=ana)
    resume(actor=lea, benchmark=kitchen, user=ana)
    assert standing(ana, kitchen).n == 1


def test_looking_ahead_hands_checks_as_it_hands_any_sample(ana, lea, kitchen):
    begin_with(lea, kitchen, 2)
    first = take_one(ana, kitchen)
    second = look_ahead(actor=ana, sample=first)
    assert [is_check(one) for one in (first, second)] == [True, True]
    assert look_ahead(actor=ana, sample=first) == second
    assert hand_in(ana, first) == second
    third = look_ahead(actor=ana, sample=second)
    assert not is_check(third)
    assert hand_in(ana, second) == third


def test_a_check_that_was_begun_and_left_comes_again_as_drafts_do(ana, lea, kitchen):
    begin_with(lea, kitchen, 1)
    check = take_one(ana, kitchen)
    save_draft(actor=ana, sample=check, version=0, content=content())
    release(ana, check.pk, ANNOTATE)
    assert list(Sample.objects.waiting_for(ana, "drafts")) == [check]
    sample = take_one(ana, kitchen)
    while sample != check:
        assert not is_check(sample)
        sample = hand_in(ana, sample)
    assert submit(actor=ana, sample=check, version=1, content=content()) is None
    assert not Sample.objects.waiting_for(ana, "drafts").exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("minutes", [1, 60])
@pytest.mark.parametrize(("draft_is_check", "ahead_is_check"), [(True, False), (False, True), (False, False)])
def test_after_a_crash_a_draft_comes_before_what_was_loaded_ahead_check_or_not(
    ana, lea, kitchen, draft_is_check, ahead_is_check, minutes
):
    """Else the order would separate gold checks from other samples."""
    begun = None if draft_is_check else take_one(ana, kitchen)
    begin_with(lea, kitchen, 1 if draft_is_check else 2 if ahead_is_check else 0)
    begun = begun or take_one(ana, kitchen)
    save_draft(actor=ana, sample=begun, version=0, content=content())
    ahead = look_ahead(actor=ana, sample=begun)
    assert (is_check(begun), is_check(ahead)) == (draft_is_check, ahead_is_check)
    # The database numbers reservations anew where an earlier one was taken over: their order says nothing.
    lease = Lease.objects.get(user=ana, sample=begun)
    Lease.objects.filter(pk=lease.pk).delete()
    lease.pk = None
    lease.save(force_insert=True)
    Lease.objects.filter(user=ana).update(expires_at=F("expires_at") - timedelta(minutes=minutes))
    assert take_one(ana, kitchen) == begun
    assert submit(actor=ana, sample=begun, version=1, content=content()) == ahead


@pytest.mark.parametrize("draft_is_check", [True, False])
def test_a_draft_that_was_left_on_purpose_is_not_handed_out_at_once_check_or_not(ana, lea, kitchen, draft_is_check):
    begin_with(lea, kitchen, int(draft_is_check))
    begun = take_one(ana, kitchen)
    assert is_check(begun) == draft_is_check
    save_draft(actor=ana, sample=begun, version=0, content=content())
    assert signed_in(ana).post(f"/benchmarks/kitchen/annotate/release/{begun.key}/").status_code == 200
    assert take_one(ana, kitchen) != begun
    assert begun in Sample.objects.waiting_for(ana, "drafts")


def test_an_answer_to_another_question_waits_for_the_lead(ana, lea, kitchen):
    begin_with(lea, kitchen, 1, pause_below=1.0, pause_after=1)
    hand_in(ana, take_one(ana, kitchen), question="How many mugs are there?")
    answer = CheckAnswer.objects.get()
    assert (answer.passed, answer.same_question) == (None, False)
    page = signed_in(lea).get("/benchmarks/kitchen/quality/")
    assert (page.context["undecided_n"], page.context["everyone"][0].group.standing.n) == (1, 0)
    decide_check(actor=lea, answer=answer, passed=False)
    assert Pause.objects.get().user == ana
    with pytest.raises(NotAllowed):
        decide_check(actor=ana, answer=answer, passed=True)


def test_checks_are_named_or_drawn_and_retired(lea, ana, kitchen):
    with pytest.raises(Conflict, match="s-0007 is not an accepted sample"):
        add_checks(actor=lea, benchmark=kitchen, keys=["s-0001", "s-0007"])
    check = GoldCheck.objects.get(sample__key="s-0000")
    retire_check(actor=lea, check=check)
    assert draw_checks(actor=lea, benchmark=kitchen, n=5) == 0
    assert add_checks(actor=lea, benchmark=kitchen, keys=["s-0000"]) == 1
    GoldCheck.objects.all().delete()
    assert draw_checks(actor=lea, benchmark=kitchen, n=3) == 3
    with pytest.raises(InvalidInput):
        set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_share": 0.9})
    with pytest.raises(NotAllowed):
        draw_checks(actor=ana, benchmark=kitchen, n=1)


@pytest.mark.endurance
def test_every_count_of_the_page_opens_as_many_samples(ana, lea, kitchen, django_assert_num_queries):
    begin_with(lea, kitchen, 9)
    client, page = signed_in(lea), "/benchmarks/kitchen/quality/?by=category"
    sample = hand_in(ana, take_one(ana, kitchen))
    client.get(page)
    with django_assert_num_queries(QUERIES):
        client.get(page)
    for changes in (WRONG, {"question": "Where?"}):
        sample = hand_in(ana, sample, **changes)
    with django_assert_num_queries(QUERIES):
        context = client.get(page).context
    [row] = context["people"]
    assert (row.answered.n, row.passed.n, row.failed.n, row.undecided.n) == (3, 1, 1, 1)
    for one in (row, *context["by_rows"]):
        for count in (one.answered, one.passed, one.failed, one.undecided):
            assert client.get(count.href).context["total"] == count.n


QUERIES = 17
"""Session, user, benchmark, roles (2), facets, answers, values of the facet, pauses, rules, checks, comments, the
counts of four tabs (5), and the version."""


@pytest.mark.one_database
@pytest.mark.endurance
def test_overlap_is_not_exceeded_by_checks(ana, bo, lea, kitchen):
    set_queue(actor=lea, benchmark=kitchen, order="sequential", overlap=2)
    begin_with(lea, kitchen, 4)
    for user in (ana, bo):
        sample = take_one(user, kitchen)
        while sample is not None:
            sample = hand_in(user, sample)
    per_sample = [Annotation.objects.filter(sample=sample).count() for sample in kitchen.samples.all()]
    assert max(per_sample) == 2
    assert CheckAnswer.objects.filter(user=ana).count() == 4
    assert not CheckAnswer.objects.filter(user=bo).exists()
