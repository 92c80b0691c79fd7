"""Matched pairs: one plan with a real and a generated image."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.board.read.items import board_of, used_combinations
from annotation.board.write.items import accept_item, reject_item, set_image
from annotation.board.write.pairs import pair_item
from annotation.building import Stage
from annotation.common.bank import bank_of
from annotation.content.records import record_of
from annotation.models import Benchmark, BuildItem, Sample
from tests.annotation.board_data import accepted, brought, drawn, photo, workshop
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


@made_once
def bench(lea: User, ana: User, rui: User) -> Benchmark:
    return workshop(lea, annotator=ana, reviewer=rui)


def facets_of(sample: Sample | None) -> dict[str, str]:
    assert sample is not None
    return dict(sample.facets.filter(name__in=("pair", "origin")).values_list("name", "value"))


def test_a_pair_has_one_plan_and_two_images_that_are_checked_one_by_one(bench: Benchmark, lea: User, rui: User) -> None:
    first = accepted(lea, rui, bench)
    second = pair_item(actor=lea, item=first)
    assert (second.stage, second.pair_of, second.description) == ("image", first, first.description)
    second = set_image(actor=lea, item=second, version=second.version, data=photo("white"), real=True)
    with pytest.raises(NotAllowed, match="worked on this item"):
        accept_item(actor=lea, item=second, version=second.version)
    done = accept_item(actor=rui, item=second, version=second.version)
    assert first.sample is not None
    assert done.sample is not None
    key = first.sample.key
    assert facets_of(first.sample) == {"pair": key, "origin": "generated"}
    assert facets_of(done.sample) == {"pair": key, "origin": "real"}
    one, other = (record_of(Sample.objects.with_gold().get(pk=item.sample_id)) for item in (first, done))
    assert one.content == other.content
    assert first.sample.image != done.sample.image
    assert sum(board_of(bench).likeness.values()) == 3, "the plan counts once"
    assert used_combinations(bench, bank_of(bench)) == [frozenset(first.targets)], "where targets are drawn, too"


def test_two_images_of_one_kind_are_no_pair_and_only_the_image_is_made_again(
    bench: Benchmark, lea: User, rui: User
) -> None:
    second = pair_item(actor=lea, item=accepted(lea, rui, bench))
    second = set_image(actor=lea, item=second, version=second.version, data=photo("white"))
    with pytest.raises(InvalidInput, match="both are alike"):
        accept_item(actor=rui, item=second, version=second.version)
    with pytest.raises(InvalidInput, match="earlier stage"):
        reject_item(actor=lea, item=second, version=second.version, to=Stage.INSTRUCTION, reasons=["other"])
    back = reject_item(actor=lea, item=second, version=second.version, to=Stage.IMAGE, reasons=["other"])
    assert back.stage == "image"
    assert not Sample.objects.filter(key=second.number).exists()


def test_an_item_has_one_pair_and_needs_a_sample(bench: Benchmark, lea: User, rui: User, ana: User) -> None:
    first = accepted(lea, rui, bench)
    with pytest.raises(NotAllowed):
        pair_item(actor=ana, item=first)
    second = pair_item(actor=lea, item=first)
    with pytest.raises(Conflict, match="has a pair"):
        pair_item(actor=lea, item=first)
    with pytest.raises(Conflict, match="no pair itself"):
        pair_item(actor=lea, item=second)
    with pytest.raises(Conflict, match="Only an accepted item"):
        pair_item(actor=lea, item=brought(lea, drawn(lea, bench), Stage.IMAGE))
    reject_item(actor=lea, item=second, version=second.version, to=Stage.DISCARDED, reasons=["other"])
    assert pair_item(actor=lea, item=first).pair_of == first


def test_a_lead_makes_a_pair_on_the_page_of_an_accepted_item(bench: Benchmark, lea: User, rui: User) -> None:
    first = accepted(lea, rui, bench)
    page = f"/benchmarks/workshop/board/items/{first.number}/"
    assert "Add the other image" in signed_in(lea).get(page).content.decode()
    assert "Add the other image" not in signed_in(rui).get(page).content.decode()
    answer = signed_in(lea).post(f"{page}pair/", follow=True)
    second = BuildItem.objects.get(pair_of=first)
    assert f"items/{first.number}/" in answer.content.decode()
    assert "It is a photograph of a real scene" in answer.content.decode()
    said = signed_in(lea).get(f"/api/v1/benchmarks/workshop/board/items/{second.number}/").json()
    assert (said["pair_of"], said["real"]) == (first.number, False)
    again = signed_in(lea).post(f"/api/v1/benchmarks/workshop/board/items/{first.number}/pair/")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "has_pair")


def test_a_lead_makes_a_pair_on_the_page_of_the_sample(bench: Benchmark, lea: User, rui: User) -> None:
    first = accepted(lea, rui, bench)
    assert first.sample is not None
    page = f"/benchmarks/workshop/samples/{first.sample.key}/"
    assert f"/board/items/{first.number}/pair/" in signed_in(lea).get(page).content.decode()
    assert "Add the other image" not in signed_in(rui).get(page).content.decode()
    signed_in(lea).post(f"/benchmarks/workshop/board/items/{first.number}/pair/")
    second = BuildItem.objects.get(pair_of=first)
    text = signed_in(lea).get(page).content.decode()
    assert "Add the other image" not in text
    assert f"/board/items/{second.number}/" in text
    second = set_image(actor=lea, item=second, version=second.version, data=photo("white"), real=True)
    done = accept_item(actor=rui, item=second, version=second.version)
    assert done.sample is not None
    for shown, other in (
        (page, done.sample.key),
        (f"/benchmarks/workshop/samples/{done.sample.key}/", first.sample.key),
    ):
        assert f'/samples/{other}/"><bdi>' in signed_in(lea).get(shown).content.decode()
