"""A sample that Ana and Bo annotate independently, for tests of images that are replaced between their work."""

from __future__ import annotations

from annotation.models import Benchmark
from annotation.queue.settings import set_queue
from tests.annotation.work_data import to_annotate
from tests.worlds import made_once
from webapp.accounts.models import User


@made_once
def kitchen(ana: User, bo: User, rui: User, lea: User) -> Benchmark:
    """A sample of 1000 × 800 pixels that Ana and Bo both annotate; Rui reviews, Lea leads."""
    benchmark = to_annotate(1, annotator=[ana, bo], reviewer=rui, lead=lea)
    set_queue(actor=lea, benchmark=benchmark, order="sequential", overlap=2, overlap_mode="independent")
    return benchmark
