"""Verdicts of a judge model in one experiment, and labels of people on drawn items of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.drawn_labels import Batch, DrawnRate, drawn_rate
from annotation.models import Benchmark
from annotation.models.querysets.samples import cluster_image
from annotation.schema import AnswerType
from annotation.statistics import Floats, Interval, Ints, wilson
from evaluation.common.judging.known import queues_known_to
from evaluation.common.judging.words import YES, word_of
from evaluation.metrics.columns import AnswerKey, Bools
from evaluation.models import Attempt, Experiment, Judgement, JudgingItem, JudgingQueue, Trajectory
from evaluation.runner.judges import majority
from evaluation.schema import DecisionWord, JudgementKind
from evaluation.scoring.settings import settings_of

LABELED = tuple(kind.value for kind in JudgementKind)
"""The questions of judges that people can also answer."""
FIRST_WEIGHT = 1.0
"""λ of the first batch."""


@dataclass(frozen=True)
class Voted:
    """The M trajectories with all votes of a judge. ``share``: (M,) v, of yes votes, .5 if none can be read;
    ``verdict``: (M,) 1 or 0, v if undecided; ``cluster``: (M,) codes of images.
    """

    trajectories: Sequence[int]
    share: Floats
    verdict: Floats
    undecided: Bools
    cluster: Ints

    @property
    def raw(self) -> tuple[float | None, int, Interval | None]:
        """The share of yes among the decided verdicts, their number and Wilson's interval."""
        decided = self.verdict[~self.undecided]
        yes, n = int(decided.sum()), len(decided)
        return (yes / n if n else None), n, wilson(yes, n)


def is_labeled(experiment: Experiment) -> bool:
    """Return whether people can label the results of this experiment: a finished judge with a question that people
    answer.
    """
    return (
        experiment.kind == Experiment.Kind.JUDGE
        and experiment.state == Experiment.State.DONE
        and experiment.recipe.get("question") in LABELED
    )


def voted(experiment: Experiment) -> Voted:
    """Return the votes of an experiment, by trajectory. Two queries."""
    votes: dict[int, list[Any]] = defaultdict(list)
    done = Attempt.objects.filter(experiment=experiment, state=Attempt.State.DONE, trajectory__isnull=False)
    for pk, result in done.order_by("trajectory", "rollout").values_list("trajectory", "result"):
        votes[pk].append((result or {}).get("verdict"))
    whole = {pk: said for pk, said in votes.items() if len(said) == experiment.rollouts}
    gold = "sample__gold__revision__"
    about = Trajectory.objects.filter(pk__in=whole).order_by("pk").values(
        "pk", "sample", "sample__image_group", *(f"{gold}{name}" for name in _KEY),
        cluster_image=cluster_image("sample__"),
    )  # fmt: skip
    kind, settings = str(experiment.recipe["question"]), settings_of(experiment.benchmark)
    rows = list(about)
    share, verdict = np.full(len(rows), 0.5), np.full(len(rows), np.nan)
    book: dict[str, int] = {}
    cluster = np.zeros(len(rows), np.int64)
    for at, row in enumerate(rows):
        answer_type, options, answers = (row[f"{gold}{name}"] for name in _KEY)
        key = AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        said = whole[row["pk"]]
        words = [_truth(word_of(*_said(one), kind, key, settings)) for one in said]
        known = [word for word in words if word is not None]
        share[at] = sum(known) / len(known) if known else 0.5
        settled = _truth(word_of(*_said(majority(said, experiment.rollouts)), kind, key, settings))
        verdict[at] = np.nan if settled is None else settled
        image = row["sample__image_group"] or (row["cluster_image"] and f"image {row['cluster_image']}")
        cluster[at] = book.setdefault(image or f"sample {row['sample']}", len(book))
    undecided = np.isnan(verdict)
    verdict[undecided] = share[undecided]
    return Voted([row["pk"] for row in rows], share, verdict, undecided, cluster)


_KEY = ("answer_type", "options", "answers")


def _said(vote: Any) -> tuple[str | None, str | None]:
    """Return verdict and answer of a vote in the form of judgments."""
    return (vote, None) if vote in ("yes", "no", None) else (None, str(vote))


def _truth(word: str | None) -> float | None:
    """Return 1 for yes, 0 for no, None for neither. For open answers, people say whether they are the same."""
    if word in YES or word == DecisionWord.SAME:
        return 1.0
    return 0.0 if word in ("no", DecisionWord.DIFFERENT) else None


@dataclass(frozen=True)
class Labels:
    """The state of one judge: its votes, the batches of labels and the resulting rate.

    ``rate`` None before the first batch, or with too few labels. ``unsure``: undecided labels of people. ``waiting``:
    queues that this person or others have not finished, so that the batches stay hidden. ``broken``: a batch or some of
    its trajectories were deleted, so that later draws give no estimate.
    """

    voted: Voted
    batches: Sequence[Batch]
    rate: DrawnRate | None
    unsure: int
    waiting: bool
    broken: bool = False

    @property
    def labeled(self) -> int:
        return sum(len(batch.items) for batch in self.batches) - self.unsure

    @property
    def left(self) -> int:
        """Items that were never drawn."""
        return len(self.voted.trajectories) - sum(len(batch.items) for batch in self.batches)

    @property
    def weight(self) -> float:
        """λ of the next batch."""
        return self.rate.next_weight if self.rate else FIRST_WEIGHT


def labels_of(experiment: Experiment, user: Any) -> Labels:
    """Return the labels of a judge, as far as this person may know them. A fixed number of queries."""
    found, benchmark = voted(experiment), experiment.benchmark
    _, hidden = queues_known_to(user, benchmark) if user is not None else (set(), False)
    if hidden or open_queues(benchmark):
        return Labels(found, (), None, 0, waiting=True)
    place = {pk: at for at, pk in enumerate(found.trajectories)}
    batches: list[Batch] = []
    left = len(found.trajectories)
    for queue in experiment.label_queues.order_by("pk"):
        if queue.drawn_from != left:
            # An earlier batch or some trajectories were deleted, so its probabilities are those of another draw.
            return Labels(found, batches, None, 0, waiting=False, broken=True)
        said = _labels(queue)
        drawn = queue.items.order_by("pk").values_list("trajectory", "probability")
        items = [(pk, chance) for pk, chance in drawn if pk in place]
        batches.append(
            Batch(
                np.array([place[pk] for pk, _ in items], np.int64),
                np.array([chance for _, chance in items], np.float64),
                np.array([said.get(pk, np.nan) for pk, _ in items], np.float64),
                FIRST_WEIGHT if queue.weight is None else queue.weight,
            )
        )
        left -= len(items)
    unsure = sum(int(np.isnan(batch.labels).sum()) for batch in batches)
    return Labels(found, batches, drawn_rate(found.verdict, batches, found.cluster), unsure, waiting=False)


def open_queues(benchmark: Benchmark) -> bool:
    """Return whether a question of the benchmark waits for people."""
    return bool(JudgingItem.objects.of(benchmark).unjudged().exists())


def _labels(queue: JudgingQueue) -> Mapping[int, float]:
    """Return, by trajectory, the share of yes among the decided verdicts. One query."""
    said = Judgement.objects.given().filter(
        person__isnull=False, extra__queue=queue.pk, trajectory__in=queue.items.values("trajectory")
    )
    gold = tuple(f"sample__gold__revision__{name}" for name in _KEY)
    settings, found = settings_of(queue.benchmark), defaultdict(list)
    for pk, kind, verdict, answer, answer_type, options, answers in said.values_list(
        "trajectory", "kind", "verdict", "answer", *gold
    ):
        key = AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        word = _truth(word_of(verdict, answer, kind, key, settings))
        if word is not None:
            found[pk].append(word)
    return {pk: sum(words) / len(words) for pk, words in found.items()}
