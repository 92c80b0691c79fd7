"""The client of the documents reads the same numbers as the leaderboard, and nothing twice."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client

from tests.evaluation.board_data import make_board
from webapp.accounts.actions import create_token
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
EXAMPLES = Path(__file__).parents[2] / "docs/examples"


@pytest.fixture
def server(lea: User, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lea's client, talking to the application in this process."""
    make_board(lea)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, "client", raising=False)
    client = runpy.run_path(str(EXAMPLES / "client.py"))["Sightline"]
    token = create_token(name="script", actor=lea)[1]
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


def test_an_error_says_what_to_do(server: Any) -> None:
    with pytest.raises(ValueError, match="400: reference is the number of a run"):
        server.get("leaderboard/", reference="best")
