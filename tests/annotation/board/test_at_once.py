"""Several people at the board at the same moment: over real connections."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.board.write.items import accept_item, draw_items, set_instruction
from annotation.building import Stage
from annotation.models import BuildDecision, BuildItem, Sample
from tests.annotation.board_data import brought, drawn, workshop
from tests.annotation.review.test_at_once import at_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


def test_draws_at_once_repeat_no_number_and_no_combination(lea: User) -> None:
    bench = workshop(lea)
    raised = at_once([lambda: draw_items(actor=lea, benchmark=bench, count=3, scenarios=1)] * 4)
    items = BuildItem.objects.order_by("number")
    assert raised == []
    assert [item.number for item in items] == list(range(1, 13))
    assert len({frozenset(item.targets) for item in items}) == 12


def test_of_instructions_at_once_one_is_kept(lea: User) -> None:
    item = brought(lea, drawn(lea, workshop(lea)), Stage.INSTRUCTION)
    texts = ("Put up the shelf.", "Clear the yard.", "Serve the soup.")
    acts = [
        lambda text=text: set_instruction(actor=lea, item=item, version=item.version, instruction=text)
        for text in texts
    ]
    raised = at_once(acts)
    assert [type(problem) for problem in raised] == [Conflict, Conflict]
    [kept] = BuildDecision.objects.filter(item=item, stage="instruction")
    assert BuildItem.objects.get().instruction == kept.details["instruction"]


def test_an_item_that_two_people_accept_at_once_becomes_one_sample(lea: User, ana: User, rui: User) -> None:
    bench = workshop(lea, annotator=ana, reviewer=rui)
    item = brought(lea, drawn(lea, bench), Stage.IMAGE_CHECK)
    acts = [lambda person=person: accept_item(actor=person, item=item, version=item.version) for person in (ana, rui)]
    raised = at_once(acts)
    assert [type(problem) for problem in raised] == [Conflict]
    assert Sample.objects.filter(benchmark=bench).count() == 1
