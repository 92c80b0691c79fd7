"""The control share: a setting of the lead that its first use fixes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from annotation.content.evidence import keep_answer
from annotation.content.proposals import withheld_from
from annotation.evidence import Condition, Purpose
from annotation.models import Benchmark, Drafting, Revision
from evaluation.experiments.write.clicks import ClickChoices, set_click
from evaluation.experiments.write.control_share import set_control_share
from evaluation.experiments.write.drafts import DraftChoices, create_drafts
from evaluation.models import Endpoint
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common.errors import Conflict, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.one_database

EndpointAt = Callable[..., Endpoint]
PAGE, SHARE = "/benchmarks/kitchen/drafting/", "/benchmarks/kitchen/drafting/share/"
API = "/api/v1/benchmarks/kitchen/drafting/"


def drafting_begins(benchmark: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9/v1")
    create_drafts(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=DraftChoices())


def clicks_begin(benchmark: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    endpoint = endpoint_at("http://127.0.0.1:9", preset="label-studio")
    set_click(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=ClickChoices())


def flags_begin(benchmark: Benchmark, endpoint_at: EndpointAt, lea: User) -> None:
    revision = Revision.objects.filter(annotation__sample__benchmark=benchmark).earliest("pk")
    keep_answer(revision.pk, Condition.CROP, Purpose.CHECK, answer="x", right=False, model="m")


USES = [drafting_begins, clicks_begin, flags_begin]


def said(client: Client) -> tuple[float, bool]:
    """The share that the API states, and whether it is fixed."""
    given = client.get(API).json()
    return given["control_share"], given["control_share_fixed_at"] is not None


def test_the_page_shows_the_share_and_lea_changes_it_until_it_is_used(to_do: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    assert client.get(PAGE).context["share"]["control_share"].value() == 0.2
    assert said(client) == (0.2, False)
    for share in ("0.3", "0.35"):
        assert client.post(SHARE, {"control_share": share}).status_code == 302
    page = client.get(PAGE)
    assert page.context["share"]["control_share"].value() == 0.35
    assert "Not in use yet." in page.content.decode()
    assert "35.0% " in client.get("/benchmarks/kitchen/evidence/").content.decode().replace("%.", "% ")
    assert said(client) == (0.35, False)
    entries = AuditEntry.objects.filter(action="benchmark.control_share").order_by("pk")
    assert [(one.actor, one.data) for one in entries] == [
        (lea, {"share": 0.3, "fixed": False}), (lea, {"share": 0.35, "fixed": False}),
    ]  # fmt: skip
    assert Drafting.objects.get().seed not in str(list(entries.values()))


@pytest.mark.both_databases  # the row is locked
@pytest.mark.parametrize("use", USES)
def test_the_first_use_takes_the_share_that_is_set_and_fixes_it(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, use: Any
) -> None:
    set_control_share(actor=lea, benchmark=to_do, share=0.4)
    seed = Drafting.objects.get().seed
    use(to_do, endpoint_at, lea)
    client = signed_in(lea)
    assert said(client) == (0.4, True)
    assert Drafting.objects.get().seed == seed
    with pytest.raises(Conflict, match="bias the comparison"):
        set_control_share(actor=lea, benchmark=to_do, share=0.2)
    refused = client.post(SHARE, {"control_share": "0.2"})
    assert (refused.status_code, said(client)) == (400, (0.4, True))
    page = client.get(PAGE).content.decode()
    assert "Control share: 40.0%, in use since" in page
    assert "bias the comparison" in page
    assert 'name="control_share"' not in page


@pytest.mark.parametrize("use", USES)
def test_without_a_setting_the_first_use_fixes_the_usual_share(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, use: Any
) -> None:
    use(to_do, endpoint_at, lea)
    assert said(signed_in(lea)) == (0.2, True)


def test_a_share_over_the_api_replaces_the_setting_before_the_first_use_alone(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User
) -> None:
    endpoint_at("http://127.0.0.1:9/v1", "chat")
    set_control_share(actor=lea, benchmark=to_do, share=0.4)
    client = signed_in(lea)

    def post(**given: Any) -> Any:
        return client.post(API, {"endpoint": "chat", **given}, content_type="application/json")

    assert post(control_share=0.3).status_code == 201
    assert said(client) == (0.3, True)
    other = post(control_share=0.4)
    assert (other.status_code, other.json()["error"]["field"]) == (409, "control_share")
    assert post().status_code == 201
    assert said(client) == (0.3, True)


def test_turning_clicks_off_uses_no_share(to_do: Benchmark, lea: User) -> None:
    set_click(actor=lea, benchmark=to_do, endpoint=None, choices=ClickChoices())
    assert said(signed_in(lea)) == (0.2, False)


def test_nothing_is_withheld_before_the_first_use(
    to_do: Benchmark, endpoint_at: EndpointAt, lea: User, ana: User
) -> None:
    set_control_share(actor=lea, benchmark=to_do, share=0.5)
    samples = list(to_do.samples.values_list("pk", flat=True))
    assert withheld_from(ana, to_do, samples) == []
    drafting_begins(to_do, endpoint_at, lea)
    drafting = Drafting.objects.get()
    for number in range(100):
        drafting.seed = f"{number:032x}"
        drafting.save()
        if withheld_from(ana, to_do, samples):
            return
    raise AssertionError("no seed withholds a sample")


@pytest.mark.parametrize("share", ["0.01", "0.6", "much", ""])
def test_a_share_out_of_range_is_refused_with_its_field(to_do: Benchmark, lea: User, share: str) -> None:
    refused = signed_in(lea).post(SHARE, {"control_share": share})
    assert refused.status_code == 400
    assert "control_share" in refused.context["share"].errors
    assert not Drafting.objects.exists()


def test_only_leads_set_the_share(to_do: Benchmark, ana: User, sam: User) -> None:
    assert signed_in(ana).post(SHARE, {"control_share": "0.3"}).status_code == 403
    assert signed_in(sam).post(SHARE, {"control_share": "0.3"}).status_code == 404
    with pytest.raises(NotAllowed):
        set_control_share(actor=ana, benchmark=to_do, share=0.3)
