"""Pages speak the language of the request. The API, files, commands, jobs and everything stored stay English."""

from __future__ import annotations

import json
import re
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.models import Benchmark
from evaluation.models import Run
from tests.annotation.work_data import reviewed, submitted, to_annotate
from tests.conftest import signed_in
from tests.pseudo_locale import END, START, pseudo_locale
from webapp.accounts.models import User
from webapp.common.glossary import find_term
from webapp.common.models import AuditEntry
from webapp.common.translation import english, in_english
from webapp.jobs.models import Job, JobLog

REFERENCE = re.compile(r"\"reference\":\s*\"[^\"]*\"")
"""Of a request, in an error of the API."""
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def in_brackets(*texts: str) -> list[str]:
    return [f"{START}{text}{END}" for text in texts]


def missing(answer: Any, *texts: str) -> list[str]:
    """The texts that a page does not show in the made-up language."""
    page = unescape(answer.content.decode())
    return [text for text in in_brackets(*texts) if text not in page]


@pytest.mark.endurance
def test_forms_are_in_the_language_of_the_page(lea: User, board: Benchmark) -> None:
    client, at = signed_in(lea), f"/benchmarks/{board.slug}"
    wanted = {
        "/sign-in/": ["Email", "Password", "Stay signed in on this computer for 30 days"],
        "/account/": [
            "Current password",
            "Expires after",
            "90 days",
            "Read everything that you can see, gold included",
        ],
        f"{at}/settings/": ["Remove metadata", "License", "Show notes and shared tags to visitors"],
        f"{at}/settings/queue/": [
            "Annotators per sample",
            "Returned samples always come first, then assigned samples.",
            "most disputed first",
        ],
        f"{at}/quality/": ["Warm-up checks per person", "0 for none.", "IoU with gold boxes"],
        f"{at}/settings/metrics/": [
            "Grounding",
            "A unit on one side only: it leaves the answer undecided, or is ignored.",
        ],
        f"{at}/judging/": ["People for each", "Do the crops support the answer?"],
    }
    with pseudo_locale():
        for address, texts in wanted.items():
            asking = Client() if "sign-in" in address else client
            assert missing(asking.get(address), *texts) == [], address


def test_messages_and_errors_are_in_the_language_of_the_page(lea: User, board: Benchmark) -> None:
    client, at = signed_in(lea), f"/benchmarks/{board.slug}"
    with pseudo_locale():
        renamed = client.post("/account/name/", {"name": "Lea Lind"}, follow=True)
        assert missing(renamed, "Name changed.") == []
        wrong = Client().post("/sign-in/", {"email": lea.email, "password": "not this one"})
        assert missing(wrong, "Email or password is incorrect.") == []
        nowhere = client.get(f"{at}/samples/no-such-sample/")
        assert missing(nowhere, "Page not found") == []
        added = client.post(f"{at}/quality/checks/add/", {"keys": "", "n": ""})
        assert missing(added, "Enter sample IDs or a number, not both.") == []
        paused = client.post(reverse("annotation:work-pause", args=[board.slug]), {"reason": "Lunch."}, follow=True)
        assert missing(paused, "Work is paused. Started samples can be finished.") == []


@pytest.mark.endurance
def test_words_of_pages_are_in_the_language_of_the_page(lea: User, board: Benchmark) -> None:
    client, at, run = signed_in(lea), f"/benchmarks/{board.slug}", Run.objects.order_by("pk").first()
    assert run is not None
    wanted = {
        f"{at}/samples/": ["Samples", "Accepted", "Evidence area"],
        f"{at}/runs/{run.pk}/": ["Accuracy when grounded", "Coverage, mean", "no answer given; counted as incorrect"],
        f"{at}/trajectories/": ["Run", "Failure", "sample, then run"],
        reverse("annotation:work", args=[board.slug]): ["Overview", "Choose samples"],
        f"{at}/settings/log/": ["All entries", "created the benchmark"],
        f"{at}/export/": ["One row per trajectory: correct, quadrant, coverage, calls, plan."],
        "/account/keys/": ["Annotating", "Reviewing"],
    }
    with pseudo_locale():
        for address, texts in wanted.items():
            assert missing(client.get(address), *texts) == [], address


def test_the_glossary_is_in_the_language_of_the_page(client: Client) -> None:
    entry = find_term("mean_coverage")
    with pseudo_locale():
        page, card = client.get("/glossary/"), client.get("/glossary/mean_coverage/")
        assert find_term("mean_coverage").slug == entry.slug
    texts = (entry.name, entry.definition, entry.formula, entry.range, entry.undefined, "Formula", "Better")
    for answer in (page, card):
        assert missing(answer, *texts) == []
    assert missing(page, entry.group, find_term("failure-found_misread").definition, find_term("gold-box").sign) == []
    assert find_term("mean_coverage") == entry


def files_of(board: Benchmark) -> list[str]:
    at, runs = f"/benchmarks/{board.slug}", Run.objects.filter(benchmark=board).order_by("pk")
    compared = "&".join(f"run={run.pk}" for run in runs[:2])
    return [
        *(f"{at}/leaderboard/?format={format}" for format in ("csv", "json", "md", "svg")),
        f"{at}/leaderboard/?format=csv&table=metrics",
        f"{at}/trajectories/?format=csv",
        f"{at}/trajectories/?format=json",
        f"{at}/compare/?{compared}&format=csv",
        f"{at}/compare/?{compared}&format=md",
        f"{at}/toolchain/analysis/?table=runs&format=csv",
        f"{at}/diagnostics/?table=errors&format=csv",
        f"{at}/data-card.md",
        f"{at}/export/metrics.csv",
        f"{at}/export/native.json",
    ]


def api_of(board: Benchmark) -> list[str]:
    at, run = f"/api/v1/benchmarks/{board.slug}", Run.objects.filter(benchmark=board).order_by("pk").first()
    assert run is not None
    return [
        "/api/v1/benchmarks/",
        f"{at}/",
        f"{at}/samples/",
        f"{at}/leaderboard/",
        f"{at}/runs/{run.pk}/",
        f"{at}/trajectories/",
        f"{at}/samples/no-such-sample/",
        "/api/v1/no-such-address/",
    ]


def content(answer: Any) -> str:
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()


@pytest.mark.parametrize("addresses", [files_of, api_of], ids=["files", "API"])
@pytest.mark.endurance
def test_files_and_the_api_are_english_in_every_language(lea: User, board: Benchmark, addresses: Any) -> None:
    client = signed_in(lea)
    for address in addresses(board):
        plain = client.get(address)
        assert plain.status_code == (404 if "no-such" in address else 200), address
        with pseudo_locale():
            other = client.get(address)
            said = content(other)
        assert START not in said, address
        assert (other.status_code, REFERENCE.sub("", said)) == (plain.status_code, REFERENCE.sub("", content(plain)))


def test_what_is_done_in_another_language_is_stored_in_english(
    lea: User, ana: User, rui: User, board: Benchmark, run_jobs: Any
) -> None:
    client, at = signed_in(lea), f"/benchmarks/{board.slug}"
    with pseudo_locale():
        kitchen = to_annotate(2, slug="pantry", annotator=ana, reviewer=rui, lead=lea)
        sample = submitted(ana, kitchen)
        reviewed(rui, sample, "return", reasons=["wrong_answer"])
        client.post(reverse("annotation:work-pause", args=[kitchen.slug]), {"reason": "Lunch."})
        client.post(f"{at}/leaderboard/score/")
        run_jobs()
    stored = [
        *AuditEntry.objects.values_list("data", "reason", "before", "after"),
        *Job.objects.values_list("title", "error", "result"),
        *JobLog.objects.values_list("text"),
    ]
    assert len(stored) > 5
    assert START not in json.dumps(stored, default=str, ensure_ascii=False)


def test_commands_are_english_in_every_language(board: Benchmark) -> None:
    out = StringIO()
    with pseudo_locale():
        call_command("leaderboard", board.slug, stdout=out)
    assert "Model" in out.getvalue()
    assert START not in out.getvalue()


def test_the_english_of_a_text_is_that_of_no_other_language() -> None:
    with pseudo_locale():
        said = translation.gettext_lazy("Draft")
        assert (str(said), english(said)) == (f"{START}Draft{END}", "Draft")
        assert in_english(lambda: translation.gettext("Draft"))() == "Draft"
        assert translation.gettext("Draft") == f"{START}Draft{END}"
