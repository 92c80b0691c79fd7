"""Matched pairs: one plan with a real and a generated image."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.board.read.items import board_of, used_combinations
from annotation.board.write.items import accept_item, reject_item, set_image
from annotation.board.write.pairs import pair_item, pair_sample
from annotation.building import Stage
from annotation.common.bank import bank_of
from annotation.content.records import record_of
from annotation.content.revisions import facet_rows
from annotation.content.samples import save_samples
from annotation.images.store import store_picture
from annotation.models import Benchmark, BuildItem, FacetValue, Sample
from annotation.schema import SampleContent, SampleRecord, Target, ToolPlan
from tests.annotation.board_data import accepted, brought, drawn, photo, workshop
from tests.conftest import signed_in
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

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


PLAN = ToolPlan((Target("claw hammer", 1), Target("vise", 2)), ("whisk",))


@pytest.fixture
def imported(bench: Benchmark) -> Sample:
    """A sample with a tool plan from a file, which breaks the rules of the board: it names a tool and has one
    distractor of unknown likeness."""
    image = store_picture(actor=None, benchmark=bench, source=photo("black"))
    content = SampleContent("Fix the chair with a hammer.", plan=PLAN)
    record = SampleRecord("chair", content, "chair.png", facets={"category": ("Repair",)})
    save_samples(actor=None, benchmark=bench, records=[record], pictures={"chair.png": image})
    return Sample.objects.get(benchmark=bench, key="chair")


def test_a_pair_starts_from_an_imported_sample(bench: Benchmark, imported: Sample, lea: User, rui: User) -> None:
    before = board_of(bench)
    second = pair_sample(actor=lea, sample=imported, origin="real")
    first = second.pair_of
    assert first is not None
    assert (first.stage, first.from_sample, first.sample, first.real) == ("accepted", True, imported, True)
    assert (second.stage, second.from_sample, second.sample) == ("image", False, None)
    assert [second.targets, second.steps] == [["claw hammer", "vise"], [1, 2]]
    now = board_of(bench)
    assert (now.uses, now.likeness) == (before.uses, before.likeness), "the measures are about what was built here"
    assert AuditEntry.objects.get(action="build.pair").data == {
        "number": second.number, "of": first.number, "sample": "chair",
    }  # fmt: skip
    second = set_image(actor=lea, item=second, version=second.version, data=photo("white"))
    done = accept_item(actor=rui, item=second, version=second.version)
    assert facets_of(imported) == {"pair": "chair", "origin": "real"}
    assert facets_of(done.sample) == {"pair": "chair", "origin": "generated"}
    one, other = (record_of(Sample.objects.with_gold().get(pk=item.sample_id)) for item in (first, done))
    assert one.content == other.content
    assert other.facets["category"] == ("Repair",)
    for page in (f"board/items/{first.number}/", f"board/items/{second.number}/", "board/", "samples/chair/"):
        assert signed_in(lea).get(f"/benchmarks/workshop/{page}").status_code == 200
    shown = signed_in(lea).get(f"/benchmarks/workshop/board/items/{first.number}/").content.decode()
    assert "It was made from the sample" in shown
    assert "likeness unknown" in shown


def test_the_pair_of_a_sample_is_refused_with_its_reason(
    bench: Benchmark, imported: Sample, lea: User, ana: User
) -> None:
    with pytest.raises(NotAllowed):
        pair_sample(actor=ana, sample=imported, origin="real")
    for origin in ("", "painted"):
        with pytest.raises(InvalidInput):
            pair_sample(actor=lea, sample=imported, origin=origin)
    assert not BuildItem.objects.exists(), "a refused pair leaves no item"
    FacetValue.objects.bulk_create(facet_rows(imported, {"origin": ["generated"], "pair": ["chair"]}))
    with pytest.raises(InvalidInput, match="generated"):
        pair_sample(actor=lea, sample=imported, origin="real")
    other = Sample.objects.create(benchmark=bench, key="stool")
    with pytest.raises(Conflict, match="needs a tool plan"):
        pair_sample(actor=lea, sample=other, origin="real")
    FacetValue.objects.bulk_create(facet_rows(other, {"pair": ["chair"]}))
    with pytest.raises(Conflict, match="has a matched pair"):
        pair_sample(actor=lea, sample=imported)
    FacetValue.objects.filter(sample=other).delete()
    first = pair_sample(actor=lea, sample=imported).pair_of
    assert first is not None
    assert first.real is False
    with pytest.raises(Conflict, match="has a pair"):
        pair_sample(actor=lea, sample=imported)


def test_the_author_of_a_sample_does_not_check_its_other_image(
    bench: Benchmark, imported: Sample, lea: User, ana: User, rui: User
) -> None:
    imported.annotations.update(author=ana)
    second = pair_sample(actor=lea, sample=imported, origin="real")
    second = set_image(actor=lea, item=second, version=second.version, data=photo("white"))
    for person in (ana, lea):
        with pytest.raises(NotAllowed, match="worked on this item"):
            accept_item(actor=person, item=second, version=second.version)
    done = accept_item(actor=rui, item=second, version=second.version)
    assert done.sample is not None
    assert done.sample.gold.revision.annotation.author == ana


def test_a_pair_starts_from_the_page_and_over_the_api(
    bench: Benchmark, imported: Sample, lea: User, rui: User, sam: User
) -> None:
    page, action = "/benchmarks/workshop/samples/chair/", "/benchmarks/workshop/board/pairs/chair/"
    shown = signed_in(lea).get(page).content.decode()
    assert action in shown
    assert action not in signed_in(rui).get(page).content.decode(), "Rui does not lead"
    api = "/api/v1/benchmarks/workshop/board/pairs/chair/"
    for person, status in ((rui, 403), (sam, 404)):
        assert signed_in(person).post(action, {"origin": "real"}).status_code == status
        assert signed_in(person).post(api, {}, content_type="application/json").status_code == status
    said = signed_in(lea).post(api, {}, content_type="application/json")
    assert (said.status_code, said.json()["error"]["field"]) == (400, "origin")
    given = {"origin": "real", "description": "A chair, a hammer and a vise."}
    assert signed_in(lea).post(action, given).status_code == 302
    item = BuildItem.objects.get(stage="image")
    assert item.description == given["description"]
    after = signed_in(lea).get(page).content.decode()
    assert action not in after
    assert "was made from it, for a matched pair" in after
    again = signed_in(lea).post(api, {}, content_type="application/json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "has_pair")


def test_the_api_starts_a_pair_from_any_sample_with_a_plan(
    bench: Benchmark, imported: Sample, lea: User, rui: User
) -> None:
    built = accepted(lea, rui, bench)
    assert built.sample is not None
    for key, origin in (("chair", {"origin": "generated"}), (built.sample.key, {})):
        address = f"/api/v1/benchmarks/workshop/board/pairs/{key}/"
        said = signed_in(lea).post(address, origin, content_type="application/json")
        assert said.status_code == 201, said.content
        assert (said.json()["stage"], said.json()["from_sample"]) == ("image", False)
