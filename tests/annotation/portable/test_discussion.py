"""Reviews and comments that an update brings from a newer file of the same benchmark."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.content.comments import add_comment
from annotation.models import Annotation, Benchmark, Comment, Review
from annotation.portable.read.discussion import brought_by, counts_of, new_discussion
from annotation.portable.read.update import plan_update
from annotation.portable.write import InvalidProject
from annotation.portable.write.history import ADDED, DISCUSSED, GOLD, KEPT
from annotation.project_file import Reader
from annotation.queue.timeline import WORDS, timeline
from annotation.workflow import State
from tests.annotation.portable.files import exported, forged
from tests.annotation.portable.test_people import without_uid
from tests.annotation.portable.test_update import changed, questions, updated
from tests.annotation.portable.test_uploads import sent
from tests.conftest import signed_in
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.notifications.models import Notification

pytestmark = pytest.mark.django_db


@pytest.fixture
def gold(kitchen: Benchmark) -> str:
    return min(questions(kitchen))


def reviews(benchmark: Benchmark) -> Any:
    return Review.objects.filter(revision__annotation__sample__benchmark=benchmark).order_by("pk")


def comments(benchmark: Benchmark) -> Any:
    return Comment.objects.filter(annotation__sample__benchmark=benchmark).order_by("pk")


def discuss(benchmark: Benchmark, key: str, by: User) -> Comment:
    """A comment with a reply, resolved, and a second review of the gold."""
    annotation = benchmark.samples.get(key=key).gold.revision.annotation
    first = Comment.objects.create(annotation=annotation, author=by, text="Look ☕", x=3, y=4)
    Comment.objects.create(annotation=annotation, author=by, parent=first, text="Seen.")
    Comment.objects.filter(pk=first.pk).update(resolved_at=timezone.now(), resolved_by=by)
    revision = benchmark.samples.get(key=key).gold.revision
    Review.objects.create(
        revision=revision, revision_author=revision.author, reviewer=by, decision="accept", comment="Fine.",
        created_at=timezone.now() - timedelta(days=1),
    )  # fmt: skip
    return first


def previewed(benchmark: Benchmark, path: Path) -> dict[str, int]:
    with Reader(path) as file:
        plan = plan_update(benchmark, file)
        return counts_of(new_discussion(benchmark, file, plan, brought=brought_by(plan)))


@pytest.mark.parametrize("named", [True, False])
def test_reviews_and_comments_are_added_once(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path, named: bool
) -> None:
    zoe = make_user("Zoe Fox")
    discuss(twin, gold, zoe)
    file = exported(twin, tmp_path / "file", named=named)
    before, told = (reviews(kitchen).count(), comments(kitchen).count()), Notification.objects.count()
    assert previewed(kitchen, file) == {"reviews": 1, "comments": 2}
    counts = updated(lea, kitchen, file)
    assert (counts["reviews"], counts["comments"], counts["revisions"]) == (1, 2, 0)
    assert (reviews(kitchen).count(), comments(kitchen).count()) == (before[0] + 1, before[1] + 2)
    first, reply = comments(kitchen)[before[1] :]
    there = comments(twin).get(text="Look ☕")
    assert (first.text, first.x, first.created_at, first.resolved_at) == (
        "Look ☕",
        3,
        there.created_at,
        there.resolved_at,
    )
    assert (reply.parent, reply.annotation, reply.author) == (first, first.annotation, first.author)
    assert first.annotation.sample.key == gold
    review = reviews(kitchen).last()
    assert (review.comment, review.reviewer, review.reviewer.is_active) == ("Fine.", first.author, False)
    assert Notification.objects.count() == told
    state = exported(kitchen, tmp_path / "state").read_bytes()
    for other in (file, exported(twin, tmp_path / "other", named=not named)):
        assert previewed(kitchen, other) == {"reviews": 0, "comments": 0}
        assert not any(updated(lea, kitchen, other).values())
    assert exported(kitchen, tmp_path / "again").read_bytes() == state


def test_what_went_there_and_came_back_is_known(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, ana: User, tmp_path: Path
) -> None:
    discuss(twin, gold, make_user("Zoe Fox"))
    updated(lea, kitchen, exported(twin, tmp_path / "a"))
    first = comments(kitchen).get(text="Look ☕")
    Comment.objects.create(annotation=first.annotation, author=ana, parent=first, text="Thanks.")
    updated(lea, twin, exported(kitchen, tmp_path / "b", named=False))
    assert comments(twin).get(text="Thanks.").parent.text == "Look ☕"
    for benchmark, other in ((kitchen, twin), (twin, kitchen)):
        assert not any(updated(lea, benchmark, exported(other, tmp_path / "c")).values())


def test_reviews_of_new_gold_come_with_it(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path
) -> None:
    changed(twin, gold, lea, "Which mug?")
    discuss(twin, gold, make_user("Zoe Fox"))
    file = exported(twin, tmp_path / "file")
    assert previewed(kitchen, file) == {"reviews": 1, "comments": 2}
    assert updated(lea, kitchen, file)["reviews"] == 1
    revision = kitchen.samples.get(key=gold).gold.revision
    assert [one.comment for one in revision.reviews.all()] == ["Fine."]
    assert comments(kitchen).get(text="Look ☕").annotation == revision.annotation


def test_undecided_work_gets_no_reviews(kitchen: Benchmark, twin: Benchmark, lea: User, tmp_path: Path) -> None:
    annotation = Annotation.objects.get(sample__benchmark=twin, state=State.SUBMITTED)
    revision = annotation.revisions.latest("number")
    zoe = make_user("Zoe Fox")
    Review.objects.create(revision=revision, revision_author=revision.author, reviewer=zoe, decision="return")
    add_comment(actor=lea, annotation=annotation, text="Hm.")
    counts = updated(lea, kitchen, exported(twin, tmp_path / "file"))
    assert (counts["reviews"], counts["comments"]) == (0, 1)


def test_a_file_without_uids_brings_them_if_it_has_names(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path
) -> None:
    discuss(twin, gold, make_user("Zoe Fox"))
    file = without_uid(exported(twin, tmp_path / "a", named=False))
    assert not any(updated(lea, kitchen, file).values())
    file = without_uid(exported(twin, tmp_path / "b"))
    assert updated(lea, kitchen, file)["comments"] == 2
    assert not any(updated(lea, kitchen, file).values())


def test_the_history_of_each_changed_sample_says_what_happened(
    kitchen: Benchmark, twin: Benchmark, lea: User, tmp_path: Path
) -> None:
    first, second = sorted(questions(kitchen))
    changed(twin, first, lea, "Which mug?")
    discuss(twin, second, make_user("Zoe Fox"))
    twin.samples.create(key="spoon")
    file = exported(twin, tmp_path / "file")
    for _ in range(2):
        updated(lea, kitchen, file)
        found = {
            one.key: [event for event in timeline(one, lea) if "update" in event.action]
            for one in kitchen.samples.all()
        }
        assert {key: [event.action for event in events] for key, events in found.items() if events} == {
            first: [GOLD], second: [DISCUSSED], "spoon": [ADDED],
        }  # fmt: skip
    assert (found["spoon"][0].who, found["spoon"][0].after) == ("Lea Moreau", "to_do")
    assert {ADDED, GOLD, KEPT, DISCUSSED} <= WORDS.keys()


def test_a_conflict_that_keeps_both_is_in_the_history(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path
) -> None:
    changed(twin, gold, lea, "Which mug?")
    changed(kitchen, gold, lea, "Which glass?")
    updated(lea, kitchen, exported(twin, tmp_path / "file"), **{gold.replace("-", "_"): "both"})
    assert timeline(kitchen.samples.get(key=gold), lea)[-1].action == KEPT


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("review", {"decision": "strange"}),
        ("review", {"created_at": "yesterday"}),
        ("review", {"reasons": None}),
        ("comment", {"text": None}),
        ("comment", {"created_at": None}),
        ("comment", {"resolved_by": 99}),
    ],
)
def test_a_forged_discussion_changes_nothing(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, tmp_path: Path, table: str, change: dict[str, Any]
) -> None:
    discuss(twin, gold, make_user("Zoe Fox"))
    file = forged(exported(twin, tmp_path / "a"), table, lambda rows: [*rows[:-1], rows[-1] | change])
    count = reviews(kitchen).count(), comments(kitchen).count()

    with pytest.raises(InvalidProject), transaction.atomic():
        updated(lea, kitchen, file)
    assert (reviews(kitchen).count(), comments(kitchen).count()) == count


def test_the_page_offers_an_update_of_comments_alone(
    kitchen: Benchmark, twin: Benchmark, gold: str, lea: User, run_jobs: Any, tmp_path: Path
) -> None:
    discuss(twin, gold, make_user("Zoe Fox"))
    client = signed_in(lea)
    page = sent(client, exported(twin, tmp_path / "file.sightline"), "/benchmarks/kitchen/export/update/").url
    run_jobs()
    assert "Comments that are added: 2" in client.get(page).content.decode()
    assert client.post(page).status_code == 302
    run_jobs()
    assert "Comments added: 2" in client.get(page).content.decode()
    assert comments(kitchen).filter(text="Seen.").exists()
