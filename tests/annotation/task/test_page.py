"""Settings > Task in a browser without scripts, the same over the API, and what annotators and reviewers see of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Benchmark, BenchmarkSchema, Review
from annotation.queue.editor import studio_json
from annotation.review.write.decisions import Decision, decide
from annotation.task.write import save_draft
from tests.annotation.task.test_task import CATEGORY, fresh, in_force
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_token
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE = "/benchmarks/kitchen/settings/task/"
API = "/api/v1/benchmarks/kitchen/task/"


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return to_annotate(3, annotator=ana, reviewer=rui, lead=lea)


def fields_of(client: Client, address: str = PAGE) -> dict[str, Any]:
    """What a browser would send back of the page's forms."""
    forms = client.get(address).context["forms"]
    sent: dict[str, Any] = {}
    for form in (forms.blocks, forms.facets.management_form, forms.reasons.management_form):
        sent |= {field.html_name: field.value() for field in form}
    for entry in (*forms.facets, *forms.reasons):
        sent |= {field.html_name: field.value() for field in entry}
    return {name: value for name, value in sent.items() if value is not None and value is not False}


def test_what_a_page_shows_is_what_it_saves(kitchen: Benchmark, lea: User) -> None:
    facet = CATEGORY | {"values": [{"value": "OCR", "help": "Printed."}, {"value": "Color"}]}
    limits = {"count": [1, 3], "refuse_share": 0.25}
    in_force(lea, kitchen, facets=[facet], evidence=limits, plan={"use": "off"}, help={"question": "One fact."})
    client = signed_in(lea)
    assert client.post(PAGE, fields_of(client)).status_code == 302
    draft = BenchmarkSchema.objects.get(state="draft")
    assert draft.content == fresh(kitchen).task.as_json()


@pytest.mark.parametrize("template", ["grounded_question", "toolchain", "tool_plan", "blank"])
def test_each_template_can_be_saved_as_it_is(kitchen: Benchmark, lea: User, template: str) -> None:
    client = signed_in(lea)
    assert client.post(PAGE, fields_of(client, f"{PAGE}?template={template}")).status_code == 302


def test_a_facet_is_added_filled_in_and_removed_again(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    shown = client.post(PAGE, fields_of(client) | {"add": "facets"})
    assert (shown.status_code, len(shown.context["forms"].facets.forms)) == (200, 1)
    facet = {
        "name": "tier",
        "kind": "single",
        "required": "no",
        "who": "reviewer",
        "closed": "on",
        "values": "hard\neasy | Big.",
    }
    sent = fields_of(client) | {"facets-TOTAL_FORMS": 1} | {f"facets-0-{name}": value for name, value in facet.items()}
    client.post(PAGE, sent)
    [stored] = BenchmarkSchema.objects.get().content["facets"]
    assert stored["values"] == [{"value": "hard", "help": ""}, {"value": "easy", "help": "Big."}]
    client.post(PAGE, fields_of(client) | {"facets-0-remove": "on"})
    assert BenchmarkSchema.objects.get().content["facets"] == []


def test_a_fault_stands_at_its_field_and_nothing_is_saved(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    answer = client.post(PAGE, fields_of(client) | {"boxes_least": 4, "boxes_most": 2})
    assert (answer.status_code, list(answer.context["forms"].blocks.errors)) == (400, ["boxes_most"])
    sent = fields_of(client) | {"facets-TOTAL_FORMS": 1, "facets-0-name": "tier", "facets-0-kind": "single"}
    sent |= {"facets-0-required": "no", "facets-0-who": "import", "facets-0-closed": "on"}
    assert list(client.post(PAGE, sent).context["forms"].facets[0].errors) == ["values"]
    assert not BenchmarkSchema.objects.exists()


def test_a_reason_that_is_removed_is_retired(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    submitted(ana, kitchen)
    sample = next_review(rui, kitchen)
    reviewed(rui, sample, "return", reasons=["typo"], comment="Look.")
    assert "typo" in signed_in(ana).get("/benchmarks/kitchen/annotate/").content.decode()
    own = [{"code": "too_easy", "label": "too easy", "for": ["discard"]}, {"code": "other", "label": "other"}]
    in_force(lea, kitchen, reasons=own)
    task = fresh(kitchen).task
    assert [one.code for one in task.reasons if not one.retired] == ["too_easy", "other"]
    page = signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()
    assert "typo" in page
    submitted(ana, fresh(kitchen))
    waiting = next_review(rui, fresh(kitchen))
    for decision in (Decision("return", reasons=["typo"]), Decision("return", reasons=["too_easy"])):
        with pytest.raises(InvalidInput) as refused:
            decide(actor=rui, sample=waiting, decision=decision)
        assert refused.value.field == "reasons"
    reviewed(rui, waiting, "discard", reasons=["too_easy"])
    assert Review.objects.latest("pk").reasons == ["too_easy"]


def test_an_annotator_gets_the_form_of_the_task(kitchen: Benchmark, ana: User, lea: User) -> None:
    tier = {"name": "tier", "who": "reviewer", "values": [{"value": "hard"}]}
    in_force(
        lea, kitchen, facets=[CATEGORY, tier], answer={"types": ["mc"], "default": "mc"}, help={"facets": "Pick one."}
    )
    sample = take_one(ana, fresh(kitchen))
    data = studio_json(ana, sample, {})
    assert (data["content"]["answer_type"], data["task"]["answer_types"]) == ("mc", ["mc"])
    assert [(one["name"], one["given"], one["single"]) for one in data["task"]["facets"]] == [
        ("category", True, True),
        ("tier", False, False),
    ]
    assert "Pick one." in signed_in(ana).get(f"/benchmarks/kitchen/annotate/samples/{sample.key}/").content.decode()


def test_the_preview_shows_the_form_or_what_is_wrong(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    sent = fields_of(client, f"{PAGE}?template=tool_plan")
    shown = client.post(f"{PAGE}preview/", sent).context
    assert [block.title for block in shown["blocks"]] == ["Question", "Evidence", "Tool plan"]
    wrong = client.post(f"{PAGE}preview/", sent | {"plan": "off"}).context
    assert (wrong["task"], len(wrong["problems"])) == (None, 1)


def test_a_lead_decides_values_on_the_page(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    submitted(ana, kitchen, facets={"category": ["colour"]})
    sample = next_review(rui, kitchen)
    reviewed(rui, sample, "accept")
    client, program = signed_in(lea), {"Authorization": f"Bearer {make_token(lea)}"}
    body = {"content": {"facets": [CATEGORY]}, "version": 0}
    kept = client.put(f"{API}draft/", body, "application/json", headers=program).json()
    assert [(one["value"], one["proposed"]) for one in kept["undecided"]] == [("colour", "Color")]
    assert client.post(f"{PAGE}activate/", {"version": 1}).status_code == 409
    decided = {"version": 1, "facet": "category", "value": "colour", "decision": "change:Color"}
    assert client.post(f"{PAGE}activate/", decided).status_code == 302
    assert list(sample.facets.values_list("value", flat=True)) == ["Color"]
    assert client.get(API, headers=program).json()["number"] == 1


def test_a_program_drafts_and_activates(kitchen: Benchmark, lea: User, ana: User) -> None:
    client, program = Client(), {"Authorization": f"Bearer {make_token(lea)}"}
    assert client.get(f"{API}draft/", headers=program).json()["version"] == 0
    bad = client.put(f"{API}draft/", {"content": {"answer": 1}, "version": 0}, "application/json", headers=program)
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, "schema")
    client.put(
        f"{API}draft/", {"content": {"question": {"most_words": 2}}, "version": 0}, "application/json", headers=program
    )
    stale = client.post(f"{API}activation/", {"version": 7}, "application/json", headers=program)
    assert stale.status_code == 409
    made = client.post(f"{API}activation/", {"version": 1}, "application/json", headers=program).json()
    assert (made["number"], made["content"]["question"]["most_words"]) == (1, 2)
    assert content()["question"].count(" ") > 2


@pytest.mark.endurance
def test_the_page_asks_a_fixed_number_of_times(
    kitchen: Benchmark, ana: User, rui: User, lea: User, django_assert_num_queries: Any
) -> None:
    in_force(lea, kitchen, facets=[CATEGORY])
    client = signed_in(lea)
    client.post(PAGE, fields_of(client))
    client.get(PAGE)
    with django_assert_num_queries(16):
        client.get(PAGE)
    for value in ("OCR", "Color"):
        submitted(ana, fresh(kitchen), facets={"category": [value]})
        reviewed(rui, next_review(rui, fresh(kitchen)), "accept")
    with django_assert_num_queries(16):
        client.get(PAGE)


def test_a_lead_splits_a_value_by_hand(kitchen: Benchmark, ana: User, rui: User, lea: User) -> None:
    for value in ("Shape & size", "OCR"):
        submitted(ana, kitchen, facets={"category": [value]})
        reviewed(rui, next_review(rui, kitchen), "accept")
    client = signed_in(lea)
    draft = save_draft(actor=lea, benchmark=kitchen, content={"facets": [CATEGORY]})
    [(one, _, samples)] = client.get(PAGE).context["values"]
    assert (one.value, one.count) == ("Shape & size", 1)
    assert [row.sample.key for row in client.get(samples).context["rows"]] == ["s-0000"]
    assert "split by hand" in client.get(PAGE).content.decode()
    decided = {"version": draft.version, "facet": "category", "value": "Shape & size", "decision": "keep"}
    client.post(f"{PAGE}activate/", decided)
    page = client.get(PAGE)
    [(one, _, samples)] = page.context["kept"]
    assert (one.value, one.count) == ("Shape & size", 1)
    assert "Split 1 sample by hand" in page.content.decode()
    listed = client.get(samples)
    assert (listed.context["total"], listed.context["forms"]["facet"].initial["facet"]) == (1, "category")
    query = samples.partition("?")[2]
    data = {"all": "1", "facet-facet": "category", "facet-remove": "set", "facet-value": "Color", "facet-expected": "1"}
    client.post(f"/benchmarks/kitchen/work/samples/facet/?{query}", data)
    page = client.get(PAGE)
    assert page.context["kept"] == []
    assert "by hand" not in page.content.decode()
