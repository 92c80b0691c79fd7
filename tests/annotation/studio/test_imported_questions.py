"""Questions from imported files: annotators answer them and cannot change them."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from annotation.content.checks import ChecksFailed
from annotation.content.json import content_from_json
from annotation.content.revisions import add_revision, make_gold
from annotation.models import Annotation, Benchmark, GoldCheck, QualityRules, Revision, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.queue.editor import studio_json
from annotation.studio.write.another import ask_another
from annotation.studio.write.submit import submit
from annotation.task.write import activate, save_draft
from tests.annotation.work_data import content, next_review, reopened, reviewed, take_one, to_annotate
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict

pytestmark = pytest.mark.django_db
FILE = {"question": "How many mugs?", "options": {"A": "one", "B": "two"}}


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """One sample with an imported question, reopened for Ana, and two from uploaded images."""
    benchmark = to_annotate(3, annotator=ana, reviewer=rui, lead=lea)
    sample = sample_of(benchmark, 0)
    made = Annotation.objects.create(sample=sample, kind="imported", state="accepted")
    parsed, _, _ = content_from_json(content(**FILE))
    revision = Revision.objects.create(
        annotation=made, number=1, question=parsed.question, answer_type="mc", options=dict(parsed.options),
        answers=["B"], submitted_at=timezone.now(), digest="d" * 64,
    )  # fmt: skip
    make_gold(revision)
    Sample.objects.filter(pk=sample.pk).update(state="accepted")
    draft = save_draft(actor=lea, benchmark=benchmark, content={"question": {"who": "import"}})
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    return Benchmark.objects.get(pk=benchmark.pk)


def sample_of(benchmark: Benchmark, number: int) -> Sample:
    return Sample.objects.select_related("benchmark", "image").get(benchmark=benchmark, key=f"s-{number:04}")


def test_the_question_is_fixed_and_another_one_is_refused(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    reopened(lea, sample_of(kitchen, 0), to=ana)
    sample = take_one(ana, kitchen)
    assert sample.key == "s-0000"
    page = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()
    assert "come from an imported file" in page
    shown = studio_json(ana, sample, {})
    assert (shown["fixed"], shown["content"]["question"]) == (True, "How many mugs?")
    for changed in ({"question": "How many cups?"}, {"options": {"A": "one", "B": "three"}}):
        with pytest.raises(Conflict) as refused:
            submit(actor=ana, sample=sample, version=1, content=content(**FILE | changed))
        assert refused.value.code == "question_fixed"
        assert "imported file" in refused.value.message
    submit(actor=ana, sample=sample, version=1, content=content(**FILE, answer=["A"]))
    reviewed(rui, next_review(rui, kitchen), "accept")
    assert Sample.objects.get(pk=sample.pk).state == "accepted"


def test_a_question_that_a_reviewer_fixed_is_the_fixed_one(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    sample = sample_of(kitchen, 0)
    annotation = Annotation.objects.get(sample=sample)
    annotation.sample = sample
    make_gold(add_revision(actor=rui, annotation=annotation, content=content(**FILE | {"question": "How many mugs ?"})))
    reopened(lea, sample, to=ana)
    assert studio_json(ana, take_one(ana, kitchen), {})["content"]["question"] == "How many mugs ?"


def test_a_sample_without_an_imported_question_is_explained(kitchen: Benchmark, ana: User) -> None:
    sample = take_one(ana, kitchen)
    assert studio_json(ana, sample, {})["content"]["question"] == ""
    shown = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()
    assert "No imported file has a question for this sample." in shown
    assert "come from an imported file" not in shown
    blank: dict[str, Any] = {"question": "", "answer_type": "open", "options": {}, "answer": ["2"]}
    with pytest.raises(ChecksFailed) as refused:
        submit(actor=ana, sample=sample, version=0, content=content(**blank))
    assert "No imported file has a question for this sample." in refused.value.message
    with pytest.raises(Conflict):
        submit(actor=ana, sample=sample, version=0, content=content())
    with pytest.raises(Conflict) as none:
        ask_another(actor=ana, sample=sample)
    assert none.value.code == "questions_imported"


def test_a_gold_check_has_a_fixed_question_too(kitchen: Benchmark, ana: User, lea: User) -> None:
    check = sample_of(kitchen, 0)
    GoldCheck.objects.create(sample=check, active=True, added_by=lea)
    QualityRules.objects.create(benchmark=kitchen, check_first=1, check_share=0.0)
    assert next_to_annotate(actor=ana, benchmark=kitchen) == check
    other = studio_json(ana, sample_of(kitchen, 1), {})
    shown = studio_json(ana, check, {})
    assert (shown["fixed"], shown["may_refuse"], shown["test"]) == (True, False, False)
    assert (other["fixed"], other["may_refuse"], other["test"]) == (True, False, False)
    assert shown["content"]["question"] == "How many mugs?"
    for changed, code in (({"question": "Which?"}, "question_fixed"), ({"unanswerable": "Blurred."}, "question_open")):
        with pytest.raises(Conflict) as refused:
            submit(actor=ana, sample=check, version=0, content=content(**FILE | changed))
        assert refused.value.code == code
    submit(actor=ana, sample=check, version=0, content=content(**FILE))
