"""The client of the documents reads the same numbers as the leaderboard, and nothing twice."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.test import Client

from annotation.models import Benchmark
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
EXAMPLES = Path(__file__).parents[3] / "docs/examples"


@pytest.fixture
def server(lea: User, board: Benchmark, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lea's client, talking to the application in this process."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "client", raising=False)
    client = runpy.run_path(str(EXAMPLES / "client.py"))["Sightline"]
    token = create_token(name="script", actor=lea, scopes=list(Scope))[1]
    return client("http://testserver", "kitchen", token, transport=httpx.MockTransport(answered_here))


def answered_here(request: httpx.Request) -> httpx.Response:
    answer = Client().get(request.url.raw_path.decode(), headers=dict(request.headers))
    return httpx.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


def test_the_leaderboard_can_be_rebuilt_from_its_trajectories(server: Any) -> None:
    rebuilt = runpy.run_path(str(EXAMPLES / "leaderboard.py"))["rebuilt"](server)
    board = server.get("leaderboard/")
    shown = {
        f"{row['model']}, {row['setting']}": tuple(
            row["metrics"].get(name, {}).get("value") for name in ("accuracy", "valid_grounded_reasoning")
        )
        for band in ("ranked", "baselines")
        for row in board[band]
    }
    assert len(shown) > 4
    for name, shares in shown.items():
        assert rebuilt[name] == pytest.approx(shares), name


def test_pages_follow_each_other_and_what_is_known_is_not_sent_again(server: Any) -> None:
    whole = list(server.rows("trajectories/", limit=1000))
    assert list(server.rows("trajectories/", limit=7)) == whole
    assert len(whole) > 14
    answers: list[int] = []
    server._http.event_hooks["response"] = [lambda answer: answers.append(answer.status_code)]
    assert list(server.rows("trajectories/", limit=1000)) == whole
    assert answers == [304]


def test_the_example_prints_the_board_best_first(
    server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "client", SimpleNamespace(Sightline=lambda *_: server))
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "http://testserver", "kitchen"])
    runpy.run_path(str(EXAMPLES / "leaderboard.py"), run_name="__main__")
    _, *lines = capsys.readouterr().out.splitlines()
    board = server.get("leaderboard/")
    assert lines[0].startswith(board["ranked"][0]["model"])
    assert len(lines) == len(list(server.rows("runs/")))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "400: reference is the number of a run"),
        (httpx.Response(502, headers={"Content-Type": "text/html"}, content="<h1>Proxy</h1>"), "502: Bad Gateway"),
    ],
    ids=["of ours", "of what stands before us"],
)
def test_an_error_says_what_to_do(server: Any, answer: httpx.Response | None, words: str) -> None:
    if answer:
        server._http = httpx.Client(base_url="http://testserver", transport=httpx.MockTransport(lambda _: answer))
    with pytest.raises(httpx.HTTPStatusError, match=words):
        server.get("leaderboard/", reference="best")


def test_the_client_is_no_longer_than_it_is_said_to_be() -> None:
    assert "a client of thirty lines" in (EXAMPLES.parent / "api.md").read_text()
    assert sum(bool(line.strip()) for line in (EXAMPLES / "client.py").read_text().splitlines()) <= 30
