"""The pages and the API of the building board."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.board.read.items import candidates_shuffled
from annotation.board.write.items import draw_items
from annotation.building import Stage
from annotation.models import Benchmark, BuildItem, Sample
from tests.annotation.board_data import DISTRACTORS, accepted, brought, drawn, photo, scene, workshop
from tests.conftest import signed_in
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.jobs.runner import run_waiting

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BOARD = "/benchmarks/workshop/board/"
API = "/api/v1/benchmarks/workshop/board/"


@pytest.fixture(autouse=True)
def files_elsewhere(tmp_path: Any, settings: Any) -> None:
    files = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "media"}}
    settings.STORAGES = settings.STORAGES | {"default": files}


@made_once
def bench(lea: User, ana: User, rui: User) -> Benchmark:
    return workshop(lea, annotator=ana, reviewer=rui)


def posted(browser: Client, item: BuildItem, part: str = "", **data: Any) -> Any:
    version = BuildItem.objects.get(pk=item.pk).version
    return browser.post(f"{BOARD}items/{item.number}/{part}", {"version": version, **data})


def stage_of(item: BuildItem) -> str:
    return str(BuildItem.objects.get(pk=item.pk).stage)


def test_lea_brings_an_item_from_its_targets_to_a_sample_and_rui_accepts_it(
    bench: Benchmark, lea: User, rui: User
) -> None:
    lead, reviewer = signed_in(lea), signed_in(rui)
    assert lead.post(BOARD, {"count": 6, "scenarios": 1}).status_code == 302
    item = BuildItem.objects.get(number=6)
    one, other = item.targets
    posted(lead, item)
    page = posted(lead, item, step_0=1, step_1=1, either=[one]).content.decode()
    assert "Select at least two targets" in page
    posted(lead, item, step_0=2, step_1=1)
    said = posted(lead, item, instruction=f"Use the {one}.")
    assert said.status_code == 400
    assert "gives away" in said.content.decode()
    posted(lead, item, instruction="Get it ready.")
    rows = {f"tool_{at}": given.tool for at, given in enumerate(DISTRACTORS)}
    assert "Choose how it resembles" in posted(lead, item, **rows).content.decode()
    posted(lead, item, **rows, **{f"likeness_{at}": given.likeness for at, given in enumerate(DISTRACTORS)})
    item.refresh_from_db()
    posted(lead, item, description=scene(item))
    item.refresh_from_db()
    answers = {f"essential_{at}": "yes" if tool in item.targets else "no" for at, tool in candidates(item)}
    posted(lead, item, valid_sequence="yes", **answers, **{f"consistent_{at}": "yes" for at, _ in candidates(item)})
    assert stage_of(item) == "image"
    posted(lead, item, "image/", image=SimpleUploadedFile("bench.png", photo()))
    assert "You worked on this item" in lead.get(f"{BOARD}items/6/").content.decode()
    fine = dict.fromkeys(("scene_unrealistic", "tool_not_visible", "artificial_cue"), "no")
    assert posted(lead, item, "check/", verdict="accept", **fine).status_code == 403
    assert posted(reviewer, item, "check/", verdict="accept", **fine | {"artificial_cue": "yes"}).status_code == 400
    assert posted(reviewer, item, "check/", verdict="accept", **fine).status_code == 302
    assert [(t.tool, t.step) for t in Sample.objects.get().gold.revision.plan_tools.all()] == [
        (one, 2), (other, 1), *((given.tool, None) for given in DISTRACTORS),
    ]  # fmt: skip


def candidates(item: BuildItem) -> list[tuple[int, str]]:
    return list(enumerate(candidates_shuffled(item)))


def test_a_fault_sends_the_image_back_and_the_board_counts_why(bench: Benchmark, lea: User, rui: User) -> None:
    item = brought(lea, drawn(lea, bench), Stage.IMAGE_CHECK)
    faults = {"scene_unrealistic": "no", "tool_not_visible": "yes", "artificial_cue": "no", "note": "No whisk."}
    posted(signed_in(rui), item, "check/", verdict="image", **faults)
    assert stage_of(item) == "image"
    assert "tool not visible" in signed_in(lea).get(BOARD).content.decode()
    history = signed_in(lea).get(f"{BOARD}items/{item.number}/").content.decode()
    assert "No whisk." in history
    posted(signed_in(lea), item, "reject/", to="discarded", reason="other", note="")
    assert stage_of(item) == "discarded"
    assert f"items/{item.number}/" in signed_in(lea).get(f"{BOARD}?stage=discarded").content.decode()


def test_a_tool_is_moved_on_the_page_of_its_item(bench: Benchmark, lea: User) -> None:
    item = brought(lea, drawn(lea, bench, 2), Stage.TEXT_CHECK)
    posted(signed_in(lea), item, "move/", tool=item.targets[0], becomes="visual")
    item.refresh_from_db()
    assert (len(item.targets), item.steps) == (2, [1, 2])
    posted(signed_in(lea), item, "move/", tool=item.targets[1], becomes="visual")
    item.refresh_from_db()
    assert (len(item.targets), item.steps, item.distractors[-1]["likeness"]) == (1, [1], "visual")


def test_a_form_of_an_earlier_version_is_told_so(bench: Benchmark, lea: User) -> None:
    item = brought(lea, drawn(lea, bench), Stage.INSTRUCTION)
    said = signed_in(lea).post(f"{BOARD}items/{item.number}/", {"version": 1, "instruction": "Fix it."})
    assert said.status_code == 409
    assert f"{BOARD}items/{item.number}/" in said.content.decode()


def test_members_see_the_board_and_only_leads_see_its_forms(bench: Benchmark, lea: User, ana: User, sam: User) -> None:
    item = drawn(lea, bench)
    for address in (BOARD, f"{BOARD}items/{item.number}/", f"{BOARD}?stage=targets"):
        page = signed_in(ana).get(address)
        assert page.status_code == 200
        assert "Keep these targets" not in page.content.decode()
        assert "Draw items" not in page.content.decode()
        assert signed_in(sam).get(address).status_code == 404
    mira = make_user("Mira Sato")
    bench.memberships.create(user=mira, role="researcher")
    waiting = brought(lea, item, Stage.IMAGE_CHECK)
    assert posted(signed_in(mira), waiting, "check/").status_code == 403


def test_an_image_of_an_item_is_shown_to_members_of_its_benchmark(bench: Benchmark, lea: User, ana: User) -> None:
    item = brought(lea, drawn(lea, bench), Stage.IMAGE_CHECK)
    assert "is being prepared" in signed_in(ana).get(f"{BOARD}items/{item.number}/").content.decode()
    run_waiting()
    page = signed_in(ana).get(f"{BOARD}items/{item.number}/").content.decode()
    assert item.image is not None
    address = f"/benchmarks/workshop/images/{item.image.sha256}/regions/0,0,320,240/960.jpg"
    assert address in page
    assert signed_in(ana).get(address).status_code == 200
    assert signed_in(lea).get(address.replace("workshop", "elsewhere")).status_code == 404


def test_the_board_asks_the_same_queries_for_any_number_of_items(bench: Benchmark, lea: User, rui: User) -> None:
    accepted(lea, rui, bench)
    browser = signed_in(lea)
    browser.get(BOARD)
    with CaptureQueriesContext(connection) as one:
        browser.get(BOARD)
    draw_items(actor=lea, benchmark=bench, count=10, scenarios=2)
    for item in BuildItem.objects.select_related("benchmark").filter(stage="targets")[:6]:
        brought(lea, item, Stage.TEXT_CHECK)
    with CaptureQueriesContext(connection) as many:
        browser.get(BOARD)
    assert len(many) == len(one)


def test_a_program_builds_an_item_over_the_api(bench: Benchmark, lea: User, rui: User) -> None:
    def program(user: User, *scopes: Scope) -> Client:
        return Client(headers={"Authorization": f"Bearer {create_token(name='p', actor=user, scopes=list(scopes))[1]}"})

    lead = program(lea, Scope.MANAGE, Scope.READ)

    def sent(**data: Any) -> Any:
        version = lead.get(f"{API}items/1/").json()["version"]
        return lead.post(f"{API}items/1/", {"version": version, **data}, "application/json")

    [made] = lead.post(API, {"count": 1}, "application/json").json()["items"]
    assert (made["number"], made["stage"], made["image"]) == (1, "targets", None)
    assert sent(steps=[1]).json()["error"]["message"] == "steps is no field of the stage targets."
    assert sent().json()["stage"] == "instruction"
    assert sent().json()["error"]["message"] == "The stage instruction needs instruction."
    sent(instruction="Get it ready.")
    sent(distractors=[{"tool": one.tool, "likeness": one.likeness} for one in DISTRACTORS])
    item = lead.get(f"{API}items/1/").json()
    names = [*item["targets"], *(one["tool"] for one in item["distractors"])]
    item = sent(description=f"A bench with {', '.join(names)}.").json()
    findings = [{"tool": one, "essential": one in item["targets"], "consistent": True} for one in item["shuffled"]]
    item = sent(findings=findings, valid_sequence=True).json()
    assert [one["person"] for one in item["decisions"]][-2:] == [str(lea), None]
    item = lead.post(
        f"{API}items/1/image/", {"version": item["version"], "image": SimpleUploadedFile("a.png", photo())}
    ).json()
    assert item.get("stage") == "image_check", item
    reviewer = program(rui, Scope.ANNOTATE, Scope.READ)
    done = reviewer.post(f"{API}items/1/accept/", {"version": item["version"]}, "application/json").json()
    assert "stage" in done, done
    assert (done["stage"], done["sample"]) == ("accepted", "plan-0001")
    assert reviewer.post(f"{API}items/1/", {"version": 1}, "application/json").status_code == 403
    state = reviewer.get(API).json()
    assert {one["stage"]: one["count"] for one in state["stages"] if one["count"]} == {"accepted": 1}
    assert state["likeness"] == {"visual": 1, "domain": 2}
    assert [one["number"] for one in reviewer.get(f"{API}items/?stage=accepted").json()["results"]] == [1]


def test_a_program_sends_an_item_back(bench: Benchmark, lea: User, ana: User) -> None:
    item = brought(lea, drawn(lea, bench), Stage.IMAGE_CHECK)
    token = create_token(name="p", actor=ana, scopes=[Scope.ANNOTATE])[1]
    checker = Client(headers={"Authorization": f"Bearer {token}"})
    data = {"version": item.version, "to": "steps", "reasons": ["artificial_cue"]}
    address = f"{API}items/{item.number}/reject/"
    assert checker.post(address, data, "application/json").status_code == 403
    assert checker.post(address, data | {"to": "image"}, "application/json").json()["stage"] == "image"
