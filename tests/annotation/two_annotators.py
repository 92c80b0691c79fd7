"""A sample that Ana and Bo annotate independently, for tests of images that are replaced between their work."""

from __future__ import annotations

import pytest

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark
from annotation.queue.settings import set_queue
from annotation.workflow import Role
from tests.annotation.work_data import to_annotate
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.models import User


@pytest.fixture
def bo(db: None) -> User:
    return make_user("Bo Ek")


@made_once
def kitchen(ana: User, bo: User, rui: User, lea: User) -> Benchmark:
    """A sample of 1000 × 800 pixels that Ana and Bo both annotate; Rui reviews, Lea leads."""
    benchmark = to_annotate(1, annotator=ana, reviewer=rui, lead=lea)
    add_member(actor=None, benchmark=benchmark, user=bo, role=Role.ANNOTATOR)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2, overlap_mode="independent")
    return benchmark
