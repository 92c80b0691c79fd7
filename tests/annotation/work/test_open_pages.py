"""Pages that were opened before the image of their sample was replaced: nothing that was drawn on them is saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.json import calls_to_json
from annotation.models import (
    AcceptedChain,
    AuditItem,
    Benchmark,
    BlindAnswer,
    Comment,
    Gold,
    ImageReplacement,
    Sample,
    VerifiedChain,
)
from annotation.quality.write.audits import draw_audit
from annotation.queue.settings import set_queue
from annotation.review.write.decisions import answer_blind
from annotation.workflow import Role
from tests.annotation.work_data import another_size, content, next_review, reviewed, submitted, to_annotate
from tests.annotation.workbench.test_page import CHAIN, sample
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User

__all__ = ["sample"]
pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
AT = "/benchmarks/kitchen"
BLIND = {"answer": "B", "unsure": False, "seconds": 3}
Prepare = Callable[[Benchmark, User, User, User], Sample]
Sent = tuple[str, dict[str, Any]]


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """One sample to do; Ana annotates, Rui reviews, Lea leads."""
    return to_annotate(1, annotator=ana, reviewer=rui, lead=lea)


def earlier_image(about: Sample, lea: User, boxes: str = "returned") -> str:
    """The SHA-256 of an image of another shape that the image of the sample has replaced."""
    another_size(about, (about.width or 0, about.height or 0), lea, old=(900, 900), boxes=boxes)
    return str(ImageReplacement.objects.select_related("image").latest("pk").image.sha256)


def sent(person: User, address: str, body: dict[str, Any], *, form: bool = False) -> tuple[int, str]:
    """Status and code of the answer."""
    client = signed_in(person)
    if form:
        answer = client.post(address, body, headers={"accept": "application/json"})
        return answer.status_code, ""
    answer = client.post(address, body, content_type="application/json")
    return answer.status_code, answer.json().get("error", {}).get("code", "")


def to_review(benchmark: Benchmark, ana: User, rui: User, lea: User) -> Sample:
    submitted(ana, benchmark)
    return next_review(rui, benchmark)


def half_reviewed(benchmark: Benchmark, ana: User, rui: User, lea: User) -> Sample:
    found = to_review(benchmark, ana, rui, lea)
    answer_blind(actor=rui, sample=found, **BLIND)
    return found


def drawn_for_audit(benchmark: Benchmark, ana: User, rui: User, lea: User) -> Sample:
    found = to_review(benchmark, ana, rui, lea)
    reviewed(rui, found, "accept")
    draw_audit(actor=lea, benchmark=benchmark, share=1)
    return found


def twice_annotated(benchmark: Benchmark, ana: User, rui: User, lea: User) -> Sample:
    bo = make_user("Bo Ek")
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2)
    submitted(ana, benchmark)
    return submitted(bo, benchmark, answer=["A"])


FIXED = {"decision": "fix_and_accept", "reasons": [], "comment": "", "content": content()}
MERGED = {"decision": "accept", "content": content()}
PIN = {"text": "Here?", "x": 10, "y": 10}
WRITES: list[tuple[str, Prepare, str, dict[str, Any], Callable[[], bool]]] = [
    ("a blind answer", to_review, "review/blind", BLIND, BlindAnswer.objects.exists),
    ("a decision with a fix", half_reviewed, "review/decide", FIXED, Gold.objects.exists),
    ("a comment at a place", half_reviewed, "review/comments", PIN, Comment.objects.exists),
    ("a merged gold", twice_annotated, "review/adjudicate", MERGED, Gold.objects.exists),
]


@pytest.mark.parametrize(("prepare", "path", "body", "is_saved"), [row[1:] for row in WRITES], ids=lambda one: "")
def test_a_reviewer_saves_nothing_from_a_page_with_the_old_image(
    kitchen: Benchmark, ana: User, rui: User, lea: User, prepare: Prepare, path: str, body: dict[str, Any],
    is_saved: Callable[[], bool],
) -> None:  # fmt: skip
    found = prepare(kitchen, ana, rui, lea)
    old, address = earlier_image(found, lea), f"{AT}/{path}/{found.key}/"
    assert sent(rui, address, body | {"image": old}) == (409, "image_replaced")
    assert not is_saved()
    assert found.image is not None
    assert sent(rui, address, body | {"image": found.image.sha256})[0] in (200, 201)
    assert is_saved()


def test_a_page_with_an_earlier_image_of_the_same_pixels_saves(
    kitchen: Benchmark, ana: User, rui: User, lea: User
) -> None:
    found = half_reviewed(kitchen, ana, rui, lea)
    old = earlier_image(found, lea, boxes="kept")
    assert sent(rui, f"{AT}/review/decide/{found.key}/", FIXED | {"image": old})[0] == 200


def test_a_comment_without_a_place_is_saved_from_a_page_with_the_old_image(
    kitchen: Benchmark, ana: User, rui: User, lea: User
) -> None:
    found = half_reviewed(kitchen, ana, rui, lea)
    old = earlier_image(found, lea)
    assert sent(rui, f"{AT}/review/comments/{found.key}/", {"text": "Blurred.", "image": old})[0] == 201


def test_an_auditor_decides_nothing_from_a_page_with_the_old_image(
    kitchen: Benchmark, ana: User, rui: User, lea: User
) -> None:
    found = drawn_for_audit(kitchen, ana, rui, lea)
    old = earlier_image(found, lea)
    assert sent(lea, f"{AT}/audit/blind/{found.key}/", BLIND | {"image": old}) == (409, "image_replaced")
    assert sent(lea, f"{AT}/audit/blind/{found.key}/", BLIND)[0] == 200
    page = signed_in(lea).get(f"{AT}/audit/samples/{found.key}/").content.decode()
    assert found.image is not None
    assert f'name="image" value="{found.image.sha256}"' in page
    assert sent(lea, f"{AT}/audit/decide/{found.key}/", {"verdict": "agree", "image": old}, form=True)[0] == 409
    assert not AuditItem.objects.decided().exists()


def test_adjudication_over_the_api_names_the_image_and_refuses_an_old_one(
    kitchen: Benchmark, ana: User, rui: User, lea: User
) -> None:
    found = twice_annotated(kitchen, ana, rui, lea)
    old, address = earlier_image(found, lea), f"/api/v1{AT}/adjudications/{found.key}/"
    image = signed_in(rui).get(address).json()["image_sha256"]
    assert found.image is not None
    assert image == found.image.sha256
    assert sent(rui, address, MERGED | {"image_sha256": old}) == (409, "image_replaced")
    assert sent(rui, address, MERGED | {"image_sha256": "s.png"})[0] == 400
    assert sent(rui, address, MERGED | {"image_sha256": image})[0] == 200


def test_a_toolchain_drawn_on_the_old_image_is_neither_accepted_nor_verified(
    sample: Sample, ana: User, rui: User, lea: User
) -> None:
    old = earlier_image(sample, lea)
    chain = {"calls": calls_to_json(CHAIN), "answer_type": "open", "options": {}, "answer": ["5"], "reason": "Seen."}
    for verb in ("accept", "verify"):
        address = f"{AT}/toolchain/{verb}/{sample.key}/"
        assert sent(rui, address, chain | {"note": "", "image": old}) == (409, "image_replaced")
    assert not AcceptedChain.objects.exists()
    assert not VerifiedChain.objects.exists()
    assert sample.image is not None
    bench = signed_in(ana).get(f"{AT}/toolchain/samples/{sample.key}/").context["bench"]
    assert bench["picture"]["sha"] == sample.image.sha256
    assert sent(rui, f"{AT}/toolchain/accept/{sample.key}/", chain | {"image": sample.image.sha256})[0] == 200
    assert AcceptedChain.objects.exists()
