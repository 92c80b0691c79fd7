"""Several reference toolchains of a sample are accepted: scores take the closest and say which."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import AcceptedChain, Benchmark, Sample
from annotation.schema import ToolCall
from annotation.toolbox.vtc import Profile
from annotation.workbench.write import accept_chain, remove_chain
from annotation.workflow import Role
from evaluation.common.exports import sample_rows
from evaluation.imports.write.sessions import open_session, record_session
from evaluation.models import Run, Trajectory
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.columns import load_samples
from evaluation.scoring.write import is_stale, score_benchmark
from tests.conftest import signed_in
from tests.evaluation.imports.test_sessions import benchmark
from webapp.accounts.models import User

__all__ = ["benchmark"]

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
CROP = ToolCall("crop", {"x": 80, "y": 40, "width": 60, "height": 50})
FLIP = ToolCall("flip", {"direction": "vertical"})


def test_scores_take_the_closest_accepted_chain_say_which_and_go_stale_with_it(
    benchmark: Benchmark, lea: User, rui: User
) -> None:
    add_member(actor=None, benchmark=benchmark, user=rui, role=Role.REVIEWER)
    add_member(actor=None, benchmark=benchmark, user=lea, role=Role.RESEARCHER)
    session = open_session(benchmark, "one").session
    session.call("crop", CROP.arguments)
    session.call("flip", FLIP.arguments)
    record_session(
        actor=None, benchmark=benchmark, row=session.trajectory("2", "agent-7", "interface"), profile=Profile.STRICT
    )
    sample = Sample.objects.get(key="one")

    def scored() -> Any:
        score_benchmark(actor=None, benchmark=benchmark, only_stale=True)
        row = next(sample_rows(benchmark))
        return row["reference_chain"], row["reference_calls"], row["edit_distance"]

    def stale() -> bool:
        return is_stale(Run.objects.get(), load_samples(benchmark).digest, StalenessChecker(benchmark))

    def page() -> Any:
        return signed_in(lea).get(f"/benchmarks/kitchen/trajectories/{Trajectory.objects.get().pk}/?tab=toolchain")

    assert scored() == (None, None, None)
    accept_chain(actor=rui, sample=sample, calls=[CROP])
    assert stale()
    assert scored() == (1, 1, 1)
    accept_chain(actor=rui, sample=sample, calls=[CROP, FLIP], note="mirrored text")
    assert page().context["stale"]
    assert scored() == (2, 2, 0)
    shown = page()
    words = shown.context["chain_words"]
    assert not shown.context["stale"]
    assert all(part in words for part in ("closest of 2", str(rui), "mirrored text"))
    assert words in shown.content.decode()
    remove_chain(actor=rui, chain=AcceptedChain.objects.get(note="mirrored text"))
    assert stale()
    assert scored() == (1, 1, 1)
