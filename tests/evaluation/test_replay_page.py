"""The page of a trajectory run again: a recorded session comes out as it was recorded."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.actions.benchmarks import add_member
from annotation.models import Benchmark
from annotation.workflow import Role
from evaluation.actions.record_session import open_session, record_session
from evaluation.models import Trajectory
from tests.conftest import signed_in
from tests.evaluation.test_toolbox_server import benchmark
from webapp.accounts.models import User

__all__ = ["benchmark"]


@pytest.mark.django_db
def test_a_recorded_session_runs_again_as_it_was_recorded(benchmark: Benchmark, lea: User, sam: Any) -> None:
    session, _ = open_session(benchmark, "one")
    session.call("crop", {"x": 80, "y": 40, "width": 60, "height": 50})
    session.call("rotate", {"image": "image_1", "angle": 30})
    session.call("blur", {"image": "image_1", "method": "median", "ksize": 4})
    record_session(actor=None, benchmark=benchmark, row=session.trajectory("2", "agent-7", "interface"))
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    address = f"/benchmarks/kitchen/trajectories/{Trajectory.objects.get().pk}/replay/"
    page = signed_in(lea).get(address)
    assert [row.words for row in page.context["rows"]] == ["as recorded", "as recorded", "failed then, and fails here"]
    assert page.context["rows"][0].seen == "80, 40, 140, 90"
    assert (page.context["same"], page.context["differ"], page.context["lost"]) == (2, 0, 0)
    assert signed_in(sam).get(address).status_code == 404
