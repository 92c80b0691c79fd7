"""The page of a trajectory run again: a recorded session comes out as it was recorded."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.benchmarks.write.benchmark import add_member
from annotation.imaging.encoding import encode
from annotation.models import Benchmark
from annotation.toolbox.vtc import Profile
from annotation.workflow import Role
from evaluation.imports.write.sessions import open_session, record_session
from evaluation.models import Replay, Scoring, Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.trajectory.views.replay import REPLAYS
from tests.conftest import signed_in
from tests.evaluation.imports.test_sessions import benchmark
from tests.evaluation.scores import score_of
from tests.unit.toolbox_cases import one_color, scene
from webapp.accounts.models import User
from webapp.common.models import AuditEntry

__all__ = ["benchmark"]


pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_a_recorded_session_runs_again_as_it_was_recorded(benchmark: Benchmark, lea: User, sam: Any) -> None:
    session = open_session(benchmark, "one").session
    session.call("crop", {"x": 80, "y": 40, "width": 60, "height": 50})
    session.call("rotate", {"image": "image_1", "angle": 30})
    session.call("blur", {"image": "image_1", "method": "median", "ksize": 4})
    record_session(
        actor=None, benchmark=benchmark, row=session.trajectory("2", "agent-7", "interface"), profile=Profile.STRICT
    )
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    address = f"/benchmarks/kitchen/trajectories/{Trajectory.objects.get().pk}/replay/"
    page = signed_in(lea).get(address)
    assert [row.words for row in page.context["rows"]] == [
        "as recorded",
        "as recorded",
        "failed in the record and in the replay",
    ]
    assert page.context["rows"][0].seen == "80, 40, 140, 90"
    assert (page.context["same"], page.context["differ"], page.context["lost"]) == (2, 0, 0)
    assert [row.step.difference for row in page.context["rows"]] == [0.0, 0.0, None], "by the digests of the session"
    off = scene()[40:90, 80:140].copy()
    off[0, 0] = 255 - off[0, 0]
    sent = [SimpleUploadedFile(name, encode(off)) for name in ("image_1.png", "holiday.png")]
    page = signed_in(lea).post(address, {"pictures": sent})
    assert page.context["rows"][0].words == "differs"
    assert 0 < page.context["rows"][0].step.difference < 1
    assert [name for name, _ in page.context["left"]] == ["holiday.png"]
    huge = [SimpleUploadedFile("image_1.png", one_color(12_000, 9_000))]
    page = signed_in(lea).post(address, {"pictures": huge})
    assert "100,000,000 pixels" in page.context["left"][0][1], "D3.3: by the header, before it is decoded"
    with REPLAYS.one_of(who := f"person {lea.pk}"), REPLAYS.one_of(who):
        assert signed_in(lea).get(address).status_code == 429
    assert signed_in(sam).get(address).status_code == 404


@pytest.mark.endurance
def test_a_kept_replay_is_what_scores_use_until_it_is_dropped(benchmark: Benchmark, lea: User, ana: User) -> None:
    """The zoom was cut at whole pixels, the last crop lies outside the picture, and nobody here has a telescope."""
    steps = [
        {
            "tool": "zoom",
            "bbox": [0.065, 0.17, 0.314, 0.51],
            "coords": "norm1",
            "image_in": "original",
            "image_out": "a",
        },
        {"tool": "telescope", "image_in": "original", "image_out": "b"},
        {"tool": "opencv_crop", "args": {"x": 500, "y": 0, "width": 9, "height": 9}, "image_in": "a", "image_out": "c"},
    ]
    row = {"model": "agent-7", "sample_id": "one", "setting": "", "steps": steps, "answer": "2"}
    record_session(actor=None, benchmark=benchmark, row=row, profile=Profile.STRICT)
    for person, role in ((lea, Role.RESEARCHER), (ana, Role.ANNOTATOR)):
        add_member(actor=None, benchmark=benchmark, user=person, role=role)
    here = f"/benchmarks/kitchen/trajectories/{Trajectory.objects.get().pk}/"

    def found() -> Any:
        score_benchmark(actor=None, benchmark=benchmark, only_stale=True)
        shown = signed_in(lea).get(here).context
        assert not shown["stale"]
        marked = [(turn.replayed, turn.failed) for turn in shown["turns"]]
        return score_of(Trajectory.objects.get()).effective_calls, shown["turns"][0].measures.executed, marked

    recorded = (2, pytest.approx((10.4, 20.4, 50.24, 61.2)), [(False, False)] * 3)
    assert found() == recorded
    assert signed_in(ana).post(f"{here}replay/keep/").status_code == 403
    assert signed_in(lea).post(f"{here}replay/keep/").status_code == 302
    assert Scoring.objects.get().stale
    assert found() == (1, pytest.approx((10, 20, 50, 61)), [(True, False), (False, False), (True, True)])
    assert signed_in(lea).get(f"/api/v1{here}").json()["replayed"]
    page = signed_in(lea).get(f"{here}replay/")
    assert [row.holds for row in page.context["rows"]] == [False, True, False]
    assert "Scores use this replay" in page.content.decode()
    Replay.objects.update(image="0" * 64)
    assert not signed_in(lea).get(here).context["turns"][0].replayed, "a replay on another picture says nothing"
    signed_in(lea).post(f"{here}replay/drop/")
    assert found() == recorded
    said = AuditEntry.objects.filter(action__startswith="replay.").order_by("pk").values_list("action", "data")
    outcomes = {"outcomes": {"lost": 1, "ran": 1, "unlike": 1}}
    assert list(said) == [("replay.keep", outcomes), ("replay.drop", outcomes)]
