"""Problems that people report while they work: flagged for the lead, read by leads alone."""

from __future__ import annotations

import json

import pytest

from annotation.models import Lease, Problem, Sample
from annotation.quality.write.checks import set_check_rules
from annotation.queue.assignment import next_to_annotate
from annotation.queue.problems import report_problem
from annotation.queue.timeline import timeline
from tests.annotation.quality.test_checks import RULES, is_check, kitchen
from tests.annotation.work_data import submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.common.errors import InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
WORK = "/benchmarks/kitchen/work/"


@made_once
def benchmark(ana, rui, lea):
    made = to_annotate(2, annotator=ana, reviewer=rui, lead=lea)
    submitted(ana, made)
    return made


def send(user, key, text):
    body = json.dumps({"text": text})
    return signed_in(user).post(f"{WORK}problems/report/{key}/", body, content_type="application/json")


def test_what_annotators_and_reviewers_report_reaches_the_lead(ana, rui, lea, benchmark):
    take_one(ana, benchmark)
    held = list(Lease.objects.values_list("sample", "user"))
    assert [send(ana, "s-0001", "A face is visible.").status_code, send(rui, "s-0000", "Blurred.").status_code] == [
        200, 200,
    ]  # fmt: skip
    assert list(Lease.objects.values_list("sample", "user")) == held, "they go on as before"
    page = signed_in(lea).get(WORK).content.decode()
    assert "A face is visible." in page
    listed = signed_in(lea).get(f"{WORK}samples/?problem=open").content.decode()
    assert all(f"samples/{key}/" in listed for key in ("s-0000", "s-0001"))
    signed_in(lea).post(f"{WORK}problems/{Problem.objects.get(sample__key='s-0001').pk}/resolve/")
    assert "A face is visible." not in signed_in(lea).get(WORK).content.decode()
    assert "samples/s-0001/" not in signed_in(lea).get(f"{WORK}samples/?problem=open").content.decode()
    assert Problem.objects.get(sample__key="s-0001").resolved_by == lea
    entries = AuditEntry.objects.filter(action__in=["sample.report", "sample.resolve"]).order_by("pk")
    assert [entry.actor for entry in entries] == [ana, rui, lea]


def test_only_leads_read_what_was_reported(ana, rui, benchmark):
    sample = Sample.objects.select_related("benchmark").get(key="s-0000")
    report_problem(actor=ana, sample=sample, text="A face is visible.")
    assert [event.why for event in timeline(sample, rui) if event.action == "sample.report"] == [""]
    for address in (WORK, f"{WORK}samples/?problem=open"):
        assert signed_in(rui).get(address).status_code == 403
    assert "visible" not in signed_in(rui).get("/benchmarks/kitchen/review/samples/s-0000/").content.decode()
    every = signed_in(rui).get("/benchmarks/kitchen/samples/?problem=open").content.decode()
    assert "s-0001" in every, "the filter is the lead's"


@pytest.mark.parametrize("text", ["", "x" * 2001])
def test_a_report_needs_words(ana, benchmark, text):
    with pytest.raises(InvalidInput):
        report_problem(actor=ana, sample=Sample.objects.select_related("benchmark").first(), text=text)


def test_a_gold_check_is_reported_as_any_sample_and_what_was_not_handed_is_not(ana, lea, kitchen):
    set_check_rules(actor=lea, benchmark=kitchen, **{**RULES, "check_first": 1})
    sample = next_to_annotate(actor=ana, benchmark=kitchen)
    assert is_check(sample)
    assert send(ana, sample.key, "Blurred.").status_code == 200
    other = Sample.objects.exclude(pk=sample.pk).select_related("benchmark").first()
    with pytest.raises(NotAllowed):
        report_problem(actor=ana, sample=other, text="Blurred.")
