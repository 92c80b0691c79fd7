"""A lead sets or removes a value of a facet on many samples: the task restricts it, and it can be undone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from annotation.content.facet_batches import undo_batch
from annotation.models import Benchmark, FacetBatch, FacetValue, Gold, Revision, Sample
from annotation.task.write import activate, save_draft
from annotation.work.write.facets import set_facet
from tests.annotation.work_data import (
    KEYS,
    annotation_of,
    drafted,
    next_review,
    reopened,
    reviewed,
    submitted,
    to_annotate,
)
from tests.conftest import signed_in
from tests.factories import make_token
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
FACETS = [
    {"name": "category", "kind": "single", "required": "accept", "closed": True,
     "values": [{"value": "Color"}, {"value": "OCR"}]},
    {"name": "scene", "kind": "multiple"},
]  # fmt: skip
IN_REVIEW = "Its facets come with its annotation (in review). Set the facet after it is accepted."


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """Six samples: two accepted with the category Color, one in review, one a draft, two to do."""
    benchmark = to_annotate(6, annotator=ana, reviewer=rui, lead=lea)
    draft = save_draft(actor=lea, benchmark=benchmark, content={"facets": FACETS})
    activate(actor=lea, benchmark=benchmark, version=draft.version)
    benchmark = Benchmark.objects.get(pk=benchmark.pk)
    for _ in range(2):
        submitted(ana, benchmark)
        reviewed(rui, next_review(rui, benchmark), "accept")
    submitted(ana, benchmark)
    drafted(ana, benchmark)
    states = list(benchmark.samples.order_by("key").values_list("state", flat=True))
    assert states == ["accepted", "accepted", "in_review", "draft", "to_do", "to_do"]
    return benchmark


def set_values(
    lead: User, benchmark: Benchmark, facet: str, value: str, *keys: str, remove: bool = False, **about: Any
) -> dict[str, Any]:
    samples = benchmark.samples.filter(key__in=keys) if keys else benchmark.samples.all()
    given = {"facet": facet, "value": value, "remove": remove, "key": next(KEYS)} | about
    answer: dict[str, Any] = set_facet(actor=lead, benchmark=benchmark, samples=samples, **given).answer
    return answer


def values(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    rows = FacetValue.objects.filter(name=name).order_by("sample__key", "position")
    for key, value in rows.values_list("sample__key", "value"):
        found.setdefault(key, []).append(value)
    return found


def test_accepted_samples_and_samples_to_do_get_the_value_and_others_are_named(kitchen: Benchmark, lea: User) -> None:
    before = list(Revision.objects.order_by("pk").values_list("facets", "digest"))
    answer = set_values(lea, kitchen, "category", "OCR")
    assert answer["done"] == ["s-0000", "s-0001", "s-0004", "s-0005"]
    refused = dict(answer["refused"])
    assert refused["s-0002"] == IN_REVIEW
    assert refused["s-0003"] == IN_REVIEW.replace("in review", "draft")
    assert values("category") == {key: ["OCR"] for key in answer["done"]}
    assert list(Revision.objects.order_by("pk").values_list("facets", "digest")) == before
    [batch] = FacetBatch.objects.all()
    assert (batch.name, batch.made_by, len(batch.changes)) == ("category", lea, 4)
    assert [before_and_after[1:] for before_and_after in batch.changes] == [["Color", "OCR"]] * 2 + [[None, "OCR"]] * 2
    entry = AuditEntry.objects.get(action="benchmark.facets")
    assert (entry.actor, entry.data["name"], entry.data["value"], entry.data["samples"]) == (lea, "category", "OCR", 4)


def test_the_task_restricts_facets_and_values(kitchen: Benchmark, lea: User, ana: User) -> None:
    for facet, value, field in (("category", "Shape", "value"), ("mood", "calm", "facet"), ("scene", "  ", "value")):
        with pytest.raises(InvalidInput) as refused:
            set_values(lea, kitchen, facet, value)
        assert refused.value.field == field
    with pytest.raises(NotAllowed):
        set_values(ana, kitchen, "category", "OCR")
    assert not FacetBatch.objects.exists()


def test_a_facet_with_several_values_takes_another_one_and_loses_the_removed_one(kitchen: Benchmark, lea: User) -> None:
    FacetValue.objects.create(
        sample=kitchen.samples.get(key="s-0000"), benchmark=kitchen, name="scene", value="3", kind="json"
    )
    set_values(lea, kitchen, "scene", "desk", "s-0000", "s-0004")
    assert values("scene") == {"s-0000": ["3", "desk"], "s-0004": ["desk"]}
    answer = set_values(lea, kitchen, "scene", "desk", "s-0000", "s-0005", remove=True)
    assert (answer["done"], dict(answer["refused"])) == (["s-0000"], {"s-0005": "It does not have this value."})
    assert values("scene") == {"s-0000": ["3"], "s-0004": ["desk"]}
    assert FacetValue.objects.get(name="scene", value="3").original() == 3


def test_an_accepted_sample_keeps_a_required_facet(kitchen: Benchmark, lea: User) -> None:
    set_values(lea, kitchen, "category", "Color", "s-0004")
    answer = set_values(lea, kitchen, "category", "Color", "s-0000", "s-0004", remove=True)
    assert answer["done"] == ["s-0004"]
    assert dict(answer["refused"]) == {"s-0000": "It would lack category, which is required. Set another value."}


def test_undoing_restores_all_but_what_changed_since(kitchen: Benchmark, lea: User) -> None:
    set_values(lea, kitchen, "category", "OCR")
    set_values(lea, kitchen, "category", "Color", "s-0000")
    batch = FacetBatch.objects.order_by("pk")[0]
    assert undo_batch(actor=lea, batch=batch) == (3, 1)
    assert values("category") == {"s-0000": ["Color"], "s-0001": ["Color"]}
    with pytest.raises(Conflict):
        undo_batch(actor=lea, batch=batch)


def test_the_same_request_and_an_outdated_preview_change_nothing(kitchen: Benchmark, lea: User) -> None:
    for _ in range(2):
        set_values(lea, kitchen, "category", "OCR", "s-0000", key="one")
    with pytest.raises(Conflict) as refused:
        set_values(lea, kitchen, "category", "OCR", "s-0000", "s-0001", expected=2)
    assert refused.value.code == "changed"
    assert FacetBatch.objects.count() == 1


def test_a_reopened_sample_begins_with_the_value_of_the_lead(kitchen: Benchmark, ana: User, lea: User) -> None:
    set_values(lea, kitchen, "category", "OCR", "s-0000")
    sample = Sample.objects.select_related("benchmark").get(key="s-0000")
    reopened(lea, sample)
    assert annotation_of(ana, sample).draft.content["facets"] == {"category": ["OCR"]}
    assert Gold.objects.get(sample=sample).revision.facets == {"category": ["Color"]}


def test_the_work_page_previews_the_number_and_undoes_the_batch(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    page, address = "/benchmarks/kitchen/work/samples/", reverse("annotation:work-act", args=["kitchen", "facet"])
    data = {"all": "6", "key": "k", "facet-facet": "category", "facet-remove": "set", "facet-value": "OCR"}
    preview = client.post(address, data)
    assert (preview.status_code, preview.context["done_n"]) == (200, 4)
    assert "4 samples would change: category “OCR”" in preview.content.decode()
    assert preview.context["totals"] == [("", "OCR", 2), ("Color", "OCR", 2)]
    assert ("all", "6") in preview.context["posted"]
    assert not FacetBatch.objects.exists()
    outcome = client.post(address, data | {"facet-expected": "4"}, follow=True)
    assert "4 samples changed: category “OCR”" in outcome.content.decode()
    batch = FacetBatch.objects.get()
    undo = reverse("annotation:work-facets-undo", args=["kitchen", batch.pk])
    assert undo in outcome.content.decode()
    assert undo in client.get(page).content.decode()
    client.post(undo)
    assert values("category") == {"s-0000": ["Color"], "s-0001": ["Color"]}
    wrong = client.post(address, data | {"facet-value": "Shape"})
    assert wrong.status_code == 400
    assert "category does not take “Shape”. Use one of: Color, OCR." in wrong.content.decode()
    listed = client.get(f"{page}?facet.scene=desk").context["forms"]["facet"]
    assert listed.initial["facet"] == "scene"


def test_values_are_set_over_the_api(client: Any, kitchen: Benchmark, lea: User) -> None:
    headers = {"Authorization": f"Bearer {make_token(lea)}"}

    def send(data: dict[str, Any], route: str = "api-facet-batches") -> Any:
        address = reverse(route, args=["kitchen"])
        return client.post(address, json.dumps(data), content_type="application/json", headers=headers)

    wanted = {"ids": ["s-0000", "s-0002"], "facet": "category", "value": "OCR"}
    refused = [{"sample": "s-0002", "reason": IN_REVIEW}]
    assert send(wanted | {"preview": True}).json() == {"batch": None, "samples": ["s-0000"], "refused": refused}
    made = send(wanted).json()
    assert made == {"batch": FacetBatch.objects.get().pk, "samples": ["s-0000"], "refused": refused}
    assert send(wanted | {"ids": ["none"]}).status_code == 400
    assert send(wanted | {"value": "Shape"}).status_code == 400
    assert send({"batch": made["batch"]}, "api-facet-undo").json() == {"restored": 1, "kept": 0}
    assert send({"batch": made["batch"]}, "api-facet-undo").status_code == 409
