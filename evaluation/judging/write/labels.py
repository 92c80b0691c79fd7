"""Draws the next items of a judge for labels by people."""

from __future__ import annotations

import secrets

import numpy as np
from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import refuse_open_blind_work
from annotation.drawn_labels import draw, inclusion
from annotation.workflow import Right
from evaluation.judging.forms import MOST
from evaluation.judging.read.labels import is_labeled, labels_of, open_queues
from evaluation.models import Experiment, JudgingItem, JudgingQueue
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


def draw_labels(
    *, actor: User | None, experiment: Experiment, size: int, people: int = 1, seed: str = ""
) -> JudgingQueue:
    """Draw ``size`` items of a judge, with probabilities proportional to max(.1, √(v(1−v))) for a share v of yes votes,
    and ask people about them. Items on which the judge is undecided are all drawn, if the batch is large enough. Items
    of earlier batches are not drawn again. The seed is secret, because it would reveal the drawn items.

    Raises ``InvalidInput`` on a size outside 1..MOST or on people outside 1..5; ``Conflict`` if nothing is left, if the
    experiment is not a finished judge, or while questions wait for people: λ comes from the labels of the last batch.
    """
    benchmark = experiment.benchmark
    require(actor, benchmark, Right.SCORE)
    if not 1 <= size <= MOST:
        raise InvalidInput(gettext("Draw 1 to %(limit)s items.") % {"limit": MOST}, field="size")
    if not 1 <= people <= 5:
        raise InvalidInput(gettext("Each question must have one to five judges."), field="people")
    if not is_labeled(experiment):
        raise Conflict(gettext("People can label what a judge said when its experiment is done."), code="state")
    with transaction.atomic():
        refuse_open_blind_work(benchmark, judging=True)
        if open_queues(benchmark):
            raise Conflict(
                gettext("Questions still wait for people. Finish or delete the open judging queues first."),
                code="judges_asked",
            )
        known = labels_of(experiment, None)
        if known.broken:
            raise Conflict(
                gettext("A batch of labels or some of its trajectories were deleted. Judge the run again first."),
                code="labels_broken",
            )
        drawn_before = {int(at) for batch in known.batches for at in batch.items}
        rest = np.array([at for at in range(len(known.voted.trajectories)) if at not in drawn_before], np.int64)
        if not len(rest):
            raise Conflict(gettext("People have labeled everything that the judge said."), field="size")
        seed = seed or secrets.token_hex(16)
        probability = inclusion(known.voted.share[rest], min(size, len(rest)), known.voted.undecided[rest])
        chosen = draw(probability, np.random.default_rng(int.from_bytes(seed.encode(), "big")))
        queue = JudgingQueue.objects.create(
            benchmark=benchmark, terms={"run": str(experiment.source_id)}, people=people, seed=seed,
            drawn_from=len(rest), created_by=actor, experiment=experiment, weight=known.weight,
        )  # fmt: skip
        JudgingItem.objects.bulk_create(
            JudgingItem(
                queue=queue, trajectory_id=known.voted.trajectories[rest[at]],
                kind=experiment.recipe["question"], probability=float(probability[at]),
            )
            for at in chosen
        )  # fmt: skip
        audit.record(
            actor=actor, action="judging.draw", subject=queue, benchmark=benchmark.slug,
            data={"n": len(chosen), "people": people},
        )  # fmt: skip
    return queue
