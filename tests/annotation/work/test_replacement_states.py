"""Another image for a sample in every state of its annotations: docs/deletion.md#replaced-images has the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.drafts import current_content, draft_of
from annotation.models import Adjudication, Annotation, Benchmark, Comment, Gold, Image, Lease, Sample, SkippedDraft
from annotation.queue.assignment import next_to_annotate
from annotation.queue.hand_over import hand_in_now, take_back
from annotation.queue.reopen import reopen_samples
from annotation.queue.settings import set_queue
from annotation.queue.skip import skip
from annotation.review.write.decisions import Decision, decide, next_to_review, start_review
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.work.write.replacement import replace_image
from annotation.work.write.returns import return_samples
from annotation.workflow import State
from tests.annotation.two_annotators import kitchen
from tests.annotation.work_data import KEYS, content, drafted, reviewed, submitted
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common.errors import Conflict

__all__ = ["kitchen"]
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
SAME, LARGER, OTHER = (1000, 800), (2000, 1600), (900, 900)
OLD, SCALED = [100, 100, 120, 115], [200, 200, 240, 230]
"""The box of ``content`` in pixels of the images of 1000 × 800 and 2000 × 1600."""


def replaced(lea: User, size: tuple[int, int], **more: Any) -> Sample:
    """The only sample, after its image was replaced by one of this size, with boxes to scale if that is possible."""
    sample = Sample.objects.select_related("benchmark", "image").get(key="s-0000")
    number = Image.objects.count()
    image = Image.objects.create(
        sha256=f"{number:064x}", width=size[0], height=size[1], format="png", bytes=1, state=Image.State.READY
    )
    replace_image(actor=lea, sample=sample, image=image, scale=True, comment="A sharper scan.", key=next(KEYS), **more)
    return Sample.objects.select_related("benchmark", "image").get(pk=sample.pk)


def now(sample: Sample, *people: User) -> list[tuple[str, list[int] | None]]:
    """The state of the annotation of each person, and the box that they see in the editor, None for none."""
    found = []
    for person in people:
        annotation = Annotation.objects.select_related("sample", "draft").get(sample=sample, author=person)
        boxes = current_content(annotation, draft_of(annotation)).get("gold_boxes", [])
        found.append((annotation.state, boxes[0]["box"] if boxes else None))
    return found


class Work:
    """Brings the sample to a state."""

    def __init__(self, benchmark: Benchmark, ana: User, bo: User, rui: User, lea: User) -> None:
        self.benchmark, self.ana, self.bo, self.rui, self.lea = benchmark, ana, bo, rui, lea

    def rule(self, **settings: int) -> None:
        set_queue(
            actor=self.lea, benchmark=self.benchmark, order="sequential", overlap_mode="independent", **settings
        )  # fmt: skip
        self.benchmark = Benchmark.objects.get(pk=self.benchmark.pk)

    def drafts(self) -> None:
        drafted(self.ana, self.benchmark)
        drafted(self.bo, self.benchmark)

    def one_submitted(self) -> None:
        submitted(self.ana, self.benchmark)
        drafted(self.bo, self.benchmark)

    def one_held(self) -> None:
        self.rule(overlap=2, take_back_minutes=10)
        self.one_submitted()

    def both_submitted(self) -> None:
        submitted(self.ana, self.benchmark)
        submitted(self.bo, self.benchmark)

    def in_review(self) -> None:
        self.both_submitted()
        sample = next_to_review(actor=self.rui, benchmark=self.benchmark)
        assert sample is not None
        start_review(self.rui, sample)

    def disputed(self) -> None:
        submitted(self.ana, self.benchmark)
        submitted(self.bo, self.benchmark, answer=["A"])
        assert Sample.objects.get().state == "disputed"

    def returned(self) -> None:
        self.both_submitted()
        about = {"reasons": [], "comment": "Draw them closer.", "key": next(KEYS)}
        return_samples(actor=self.lea, benchmark=self.benchmark, samples=Sample.objects.all(), **about)

    def one_returned(self) -> None:
        self.both_submitted()
        Annotation.objects.filter(author=self.bo).update(state=State.RETURNED)

    def one_discarded(self) -> None:
        self.both_submitted()
        Annotation.objects.filter(author=self.bo).update(state=State.DISCARDED)

    def accepted_beside_a_draft(self) -> None:
        """The overlap was lowered while Bo still drew."""
        self.one_submitted()
        self.rule()
        reviewed(self.rui, next_to_review(actor=self.rui, benchmark=self.benchmark), "accept")  # type: ignore[arg-type]

    def accepted_beside_a_held_submission(self) -> None:
        self.accepted_beside_a_draft()
        self.rule(take_back_minutes=10)
        sample = Sample.objects.select_related("benchmark", "image").get()
        submit(actor=self.bo, sample=sample, version=1, content=content())

    def accepted_beside_a_superseded_one(self) -> None:
        self.accepted_beside_a_draft()
        Annotation.objects.filter(author=self.bo).update(state=State.SUPERSEDED)

    def discarded(self) -> None:
        self.one_submitted()
        Annotation.objects.update(state=State.DISCARDED)
        Sample.objects.update(state="discarded")


@pytest.fixture
def work(kitchen: Benchmark, ana: User, bo: User, rui: User, lea: User) -> Work:
    return Work(kitchen, ana, bo, rui, lea)


RETURNED_EMPTY, RETURNED_SCALED = ("returned", None), ("returned", SCALED)
TABLE: list[tuple[Callable[[Work], None], str, list[Any], list[Any], list[Any]]] = [
    # state, then sample and annotations of Ana and Bo: equal size, equal shape, other shape
    (Work.drafts, "draft", [("draft", OLD)] * 2, [("draft", SCALED)] * 2, [("draft", None)] * 2),
    (
        Work.one_submitted, "in_review", [("submitted", OLD), ("draft", OLD)], [RETURNED_SCALED, ("draft", SCALED)],
        [RETURNED_EMPTY, ("draft", None)],
    ),
    (
        Work.one_held, "in_review", [("submitted", OLD), ("draft", OLD)], [RETURNED_SCALED, ("draft", SCALED)],
        [RETURNED_EMPTY, ("draft", None)],
    ),
    (Work.both_submitted, "in_review", [("submitted", OLD)] * 2, [RETURNED_SCALED] * 2, [RETURNED_EMPTY] * 2),
    (Work.in_review, "in_review", [("in_review", OLD)] * 2, [RETURNED_SCALED] * 2, [RETURNED_EMPTY] * 2),
    (Work.disputed, "disputed", [("submitted", OLD)] * 2, [RETURNED_SCALED] * 2, [RETURNED_EMPTY] * 2),
    (Work.returned, "returned", [("returned", OLD)] * 2, [RETURNED_SCALED] * 2, [RETURNED_EMPTY] * 2),
    (
        Work.one_returned, "in_review", [("submitted", OLD), ("returned", OLD)], [RETURNED_SCALED] * 2,
        [RETURNED_EMPTY] * 2,
    ),
    (
        Work.one_discarded, "in_review", [("submitted", OLD), ("discarded", OLD)],
        [RETURNED_SCALED, ("discarded", SCALED)], [RETURNED_EMPTY, ("discarded", None)],
    ),
    (
        Work.accepted_beside_a_draft, "accepted", [("accepted", OLD), ("draft", OLD)],
        [("accepted", SCALED), ("draft", SCALED)], [("draft", None), ("draft", None)],
    ),
    (
        Work.accepted_beside_a_held_submission, "accepted", [("accepted", OLD), ("submitted", OLD)],
        [("accepted", SCALED), ("submitted", SCALED)], [("draft", None), RETURNED_EMPTY],
    ),
    (
        Work.accepted_beside_a_superseded_one, "accepted", [("accepted", OLD), ("superseded", OLD)],
        [("accepted", SCALED), ("superseded", SCALED)], [("draft", None), ("superseded", None)],
    ),
]  # fmt: skip
SEEN_AS = {"draft": "draft", "in_review": "returned", "disputed": "returned", "returned": "returned"}
"""The state of a sample that goes back to its annotators."""


@pytest.mark.parametrize(
    ("state", "sample_state", "kept", "scaled", "other"), TABLE, ids=[row[0].__name__ for row in TABLE]
)
@pytest.mark.parametrize("size", [SAME, LARGER, OTHER], ids=["size", "shape", "neither"])
def test_every_state_of_a_sample_has_its_rule(
    work: Work, lea: User, state: Callable[[Work], None], sample_state: str, kept: Any, scaled: Any, other: Any,
    size: tuple[int, int],
) -> None:  # fmt: skip
    state(work)
    assert Sample.objects.get().state == sample_state
    before = Gold.objects.count(), Lease.objects.count(), Adjudication.objects.filter(decision="").count()
    sample = replaced(lea, size)
    assert now(sample, work.ana, work.bo) == {SAME: kept, LARGER: scaled, OTHER: other}[size]
    after = Gold.objects.count(), Lease.objects.count(), Adjudication.objects.filter(decision="").count()
    if size == SAME:
        assert (sample.state, after) == (sample_state, before)
    elif sample_state == "accepted" and size == LARGER:
        assert (sample.state, after[0]) == ("accepted", 1)
    else:
        assert sample.state == ("draft" if all(one[0] in ("draft", "superseded") for one in other) else "returned")
        assert (after[0], after[2]) == (0, 0)
        assert not Lease.objects.filter(seat="review").exists()


def test_a_discarded_sample_is_opened_again_only_if_the_shape_differs(work: Work, lea: User) -> None:
    work.discarded()
    assert replaced(lea, LARGER).state == "discarded"
    assert replaced(lea, OTHER).state == "draft"


def test_a_skipped_draft_and_a_reopened_one_are_on_the_new_image(work: Work, lea: User, bo: User) -> None:
    work.accepted_beside_a_draft()
    skip(actor=bo, sample=Sample.objects.select_related("benchmark").get(), reason="Blurred.")
    sample = replaced(lea, LARGER)
    assert SkippedDraft.objects.get().content["gold_boxes"][0]["box"] == SCALED
    samples = Sample.objects.filter(pk=sample.pk)
    reopen_samples(actor=lea, benchmark=work.benchmark, samples=samples, reason="Again.", key=next(KEYS))
    [(state, box)] = now(sample, work.ana)
    assert (state, box) == ("draft", SCALED)


def test_a_submission_that_was_taken_back_or_sent_is_on_the_new_image(work: Work, lea: User, bo: User) -> None:
    work.accepted_beside_a_held_submission()
    sample = replaced(lea, LARGER)
    hand_in_now(actor=bo, sample=sample)
    assert now(sample, bo) == [("superseded", SCALED)], "scaled once"


def test_a_page_that_is_open_does_not_save_boxes_of_the_old_image(work: Work, lea: User, ana: User) -> None:
    sample = next_to_annotate(actor=ana, benchmark=work.benchmark)
    assert sample is not None
    assert sample.image is not None
    old = sample.image.sha256
    open_page = {"actor": ana, "sample": sample, "content": content()}
    replaced(lea, SAME)
    assert save_draft(**open_page, version=0, image=old).version == 1, "pixels are the same"
    replaced(lea, OTHER)
    for act in (save_draft, submit):
        for version in (1, 2):
            with pytest.raises(Conflict, match="Reload the page") as refused:
                act(**open_page, version=version, image=old)  # type: ignore[operator]
            assert refused.value.code == "image_replaced"
    assert now(sample, ana) == [("draft", None)]
    page = signed_in(ana).get(reverse("annotation:annotate-sample", args=["kitchen", sample.key])).content.decode()
    assert "The image was replaced (" in page
    assert "A sharper scan." in page


def test_the_first_save_of_an_open_page_is_refused_too(work: Work, lea: User, ana: User) -> None:
    sample = next_to_annotate(actor=ana, benchmark=work.benchmark)
    assert sample is not None
    address = reverse("annotation:draft", args=["kitchen", sample.key])
    sent = {"version": 0, "content": content(), "image": sample.image.sha256 if sample.image else ""}
    replaced(lea, LARGER)
    answer = signed_in(ana).put(address, sent, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "image_replaced")
    assert not Annotation.objects.exists()


def test_a_reviewer_cannot_decide_on_what_went_back(work: Work, lea: User, rui: User) -> None:
    work.in_review()
    sample = replaced(lea, OTHER)
    with pytest.raises(Conflict):
        decide(actor=rui, sample=sample, decision=Decision("accept"))
    assert not Gold.objects.exists()


def test_a_submission_taken_back_later_begins_with_the_new_pixels(work: Work, lea: User, bo: User) -> None:
    work.accepted_beside_a_held_submission()
    sample = replaced(lea, LARGER)
    take_back(actor=bo, sample=sample)
    assert now(sample, bo) == [("draft", SCALED)]


def test_places_of_comments_follow_the_image(work: Work, lea: User, ana: User) -> None:
    work.drafts()
    annotation = Annotation.objects.get(author=ana)
    Comment.objects.create(annotation=annotation, author=lea, text="Here?", x=100, y=40)
    replaced(lea, LARGER)
    assert Comment.objects.values_list("x", "y").get() == (200, 80)
    replaced(lea, OTHER)
    assert Comment.objects.values_list("x", "y").get() == (None, None)
