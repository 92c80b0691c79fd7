"""People who answer gold questions under conditions: what they see, who is left out, and what is kept."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from django.utils import timezone

from annotation.content.changes import content_changed
from annotation.evidence import FACET, Condition
from annotation.imaging.decoding import decode
from annotation.models import Benchmark, EvidenceTest, FacetValue, GoldBox, Revision, Sample
from annotation.workflow import Role
from evaluation.evidence.write import set_facet
from evaluation.models import HumanAnswer, Run
from evaluation.studies.read.conditions import condition_for, condition_of
from evaluation.studies.write.answers import answer, finish, next_to_answer, skip
from evaluation.studies.write.create import StudyChoices
from evaluation.studies.write.states import close, save_run
from tests.conftest import signed_in
from tests.evaluation.studies.study_data import make_study_benchmark, open_study
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput

pytestmark = pytest.mark.one_database

NAMES = [one.value for one in Condition]
SAID = {"answer": "A", "familiarity": 4, "seconds": 2.0, "zooms": "[]"}


@pytest.fixture
def board(db: None, lea: User, ana: User, rui: User) -> Benchmark:
    made = make_study_benchmark(lea, {ana: Role.ANNOTATOR, rui: Role.RESEARCHER}, {"seen": 6, "missed": 6})
    content_changed(made.pk)
    return made


def study_of(lea: User, board: Benchmark, **changes: Any) -> Any:
    return open_study(lea, board, **{"conditions": NAMES, "people": 5, **changes})


def taken(person: User, study: Any, says: str = "A", most: int = 100) -> list[tuple[HumanAnswer, Condition]]:
    """All samples of this person, answered, with the condition of each."""
    done = []
    while len(done) < most and (item := next_to_answer(actor=person, study=study)):
        item.experiment, item.sample.benchmark = study, study.benchmark
        condition = condition_for(item)
        assert condition is not None
        done.append((item, condition))
        answer(actor=person, item=item, said=SAID | {"answer": says})
    return done


def test_each_person_sees_one_condition_of_a_sample_and_their_answer_is_kept_with_the_gold(
    board: Benchmark, lea: User, ana: User, rui: User
) -> None:
    study = study_of(lea, board)
    mine, theirs = taken(ana, study), taken(rui, study)
    assert len(mine) == len(theirs) == 8
    for done, person in ((mine, ana), (theirs, rui)):
        assert Counter(item.sample_id for item, _ in done).most_common(1)[0][1] == 1
        kept = EvidenceTest.objects.filter(person=person, purpose="evidence")
        found = set(kept.values_list("revision__annotation__sample", "condition"))
        assert found == {(item.sample_id, condition.value) for item, condition in done}
    assert not EvidenceTest.objects.filter(right=None).exists()
    first, second = ({item.sample_id: name for item, name in done} for done in (mine, theirs))
    assert all(first[sample] != second[sample] for sample in first), "the next person sees the next condition"


def test_every_sample_gets_all_conditions_in_turn(board: Benchmark, lea: User) -> None:
    study = study_of(lea, board)
    for sample in range(200):
        given = [condition_of(study, number, sample) for number in range(10)]
        assert set(given[:5]) == set(Condition)
        assert given[:5] == given[5:]
        assert all(one != other for one, other in pairwise(given))
    starts = Counter(condition_of(study, 0, sample) for sample in range(1000))
    assert min(starts.values()) > 150


@pytest.mark.parametrize("condition", list(Condition))
def test_the_page_shows_the_condition_and_no_other_part_of_the_image(
    to_do: Benchmark, lea: User, ana: User, condition: Condition
) -> None:
    for revision in Revision.objects.filter(gold_of__isnull=False):
        GoldBox.objects.create(revision=revision, position=0, x1=20, y1=20, x2=60, y2=50)
    study, client = study_of(lea, to_do, conditions=[condition], n=2, facets=()), signed_in(ana)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    url = f"/benchmarks/kitchen/studies/{study.pk}/{item.key}/"
    page = client.get(url).content.decode()
    assert "data-seen" in page
    image = item.sample.image
    assert image is not None
    assert (image.sha256 in page) is (condition is Condition.IMAGE)
    plain = condition in (Condition.MASKED, Condition.CROP, Condition.SMALL)
    assert ("/part/" in page) is plain
    part = client.get(f"{url}part/")
    assert part.status_code == (404 if condition is Condition.QUESTION else 200)
    if condition is Condition.CROP:
        assert max(decode(part.content).shape[:2]) <= 60
    said = {"answer": "2", "familiarity": 4, "seconds": 2.0, "zooms": "[]", "act": "answer"}
    assert client.post(url, said).status_code in (302, 303)
    assert client.get(f"{url}part/").status_code == 404, "it is closed after the answer"
    assert EvidenceTest.objects.get().right is True


def test_nobody_who_wrote_or_reviewed_a_sample_or_met_it_in_another_study_is_asked(
    board: Benchmark, lea: User, ana: User, rui: User
) -> None:
    own = Revision.objects.filter(gold_of__isnull=False).order_by("pk").first()
    assert own is not None
    Revision.objects.filter(pk=own.pk).update(author=ana)
    plain = open_study(lea, board, name="plain", n=8)
    met = next_to_answer(actor=rui, study=plain)
    assert met is not None
    met.experiment = plain
    skip(actor=rui, item=met)
    finish(actor=rui, study=plain)
    study = study_of(lea, board, n=12)
    assert own.annotation.sample_id not in {item.sample_id for item, _ in taken(ana, study)}
    mine = {item.sample_id for item, _ in taken(rui, study)}
    assert met.sample_id not in mine
    assert len(mine) == 11
    later = open_study(lea, board, name="later", n=12)
    left = next_to_answer(actor=rui, study=later)
    assert left is not None
    assert left.sample_id == met.sample_id, "all others were seen under a condition"


def test_a_sample_that_expired_is_not_shown_to_its_first_person_again(
    board: Benchmark, lea: User, ana: User, rui: User
) -> None:
    study = study_of(lea, board, people=1)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    HumanAnswer.objects.filter(pk=item.pk).update(expires_at=timezone.now())
    assert item.sample_id in {one.sample_id for one, _ in taken(rui, study)}
    assert item.sample_id not in {one.sample_id for one, _ in taken(ana, study)}
    other = study_of(lea, board, name="other", n=12)
    assert item.sample_id not in {one.sample_id for one, _ in taken(ana, other)}


def test_who_cannot_tell_is_not_right_and_the_answers_are_no_run(board: Benchmark, lea: User, ana: User) -> None:
    study = study_of(lea, board)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    item.experiment, item.sample.benchmark = study, board
    answer(actor=ana, item=item, said=SAID | {"cannot": True, "answer": ""})
    assert EvidenceTest.objects.get().right is False
    close(actor=lea, study=study)
    assert not Run.objects.filter(benchmark=board, setting="study 1").exists()
    with pytest.raises(Conflict, match="no run"):
        save_run(actor=lea, study=study)
    page = signed_in(lea).get(f"/benchmarks/{board.slug}/studies/{study.pk}/").content.decode()
    assert f"/benchmarks/{board.slug}/evidence/" in page
    line = signed_in(lea).get(f"/benchmarks/{board.slug}/studies/{study.pk}/answers.jsonl")
    assert b'"condition"' in b"".join(line.streaming_content)  # type: ignore[attr-defined]  # of a stream


def test_answers_of_people_set_the_facet(board: Benchmark, lea: User, ana: User, rui: User) -> None:
    study = study_of(lea, board, conditions=["crop", "masked"], n=12)
    for person in (ana, rui):
        taken(person, study)
    for test in EvidenceTest.objects.all():
        EvidenceTest.objects.filter(pk=test.pk).update(right=test.condition == "crop")
    assert not FacetValue.objects.filter(name=FACET).exists()
    revisions = set(EvidenceTest.objects.values_list("revision", flat=True))
    for pk in revisions:
        EvidenceTest.objects.create(revision_id=pk, condition="question", purpose="evidence", model="m", right=False)
    batch = set_facet(actor=lea, benchmark=board, least=1)
    assert {change[2] for change in batch.changes} == {"yes"}
    assert len(batch.changes) == 12


def test_a_study_with_conditions_needs_gold_boxes_where_they_matter(board: Benchmark, lea: User) -> None:
    GoldBox.objects.filter(revision__annotation__sample__in=Sample.objects.filter(benchmark=board)[:8]).delete()
    with pytest.raises(InvalidInput):
        study_of(lea, board, n=12)
    assert study_of(lea, board, n=12, conditions=["question", "image"]).design["conditions"] == ["image", "question"]
    with pytest.raises(InvalidInput) as refused:
        study_of(lea, board, name="third", conditions=["mirror"])
    assert refused.value.field == "conditions"
    assert StudyChoices("x", 2).conditions == ()


def test_participants_know_no_results_while_they_answer(board: Benchmark, lea: User, rui: User) -> None:
    study = study_of(lea, board)
    taken(rui, study, most=1)
    client = signed_in(rui)
    for path in ("evidence/", "runs/", "settings/"):
        assert client.get(f"/benchmarks/{board.slug}/{path}").status_code == 403
