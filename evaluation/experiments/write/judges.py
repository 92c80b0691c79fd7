"""Experiments in which a model judges the trajectories of a run: their creation, their attempts, and their verdicts.

A verdict of the questions ``reliability``, ``sufficiency`` and ``answer`` is a judgment like an imported one. A map of
tool names becomes that of the trajectory where it has none. Changed reasoning stays with the attempt, for arms.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.records import record_of
from annotation.images.chain_runs import original_of
from annotation.imaging.crops import Picture, crop
from annotation.models import ImportRecord, Sample
from annotation.schema import AnswerType, Box, SampleContent
from annotation.workflow import Right
from evaluation.common.judging.digests import judged_digests
from evaluation.common.judging.known import judges_are_asked
from evaluation.common.judging.words import UNDECIDED
from evaluation.common.trajectory.read import Corners, read_crops
from evaluation.endpoints.presets import PRESETS
from evaluation.execution.attempt import Answered, Work
from evaluation.experiments.read.connection import settings_of
from evaluation.experiments.read.prompts import PromptVersion, prompt_named
from evaluation.experiments.read.tasks import selected_samples, task_of
from evaluation.experiments.write.create import DEFAULT_SAMPLING, dropped_of, require_endpoint
from evaluation.experiments.write.plan import in_batches, recipe_gone, trial_of
from evaluation.experiments.write.prompts import freeze_prompts
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Finished, Worker, open_record
from evaluation.importers.dialogue import answer_in
from evaluation.metrics.answers import digest, key_digest
from evaluation.metrics.columns import AnswerKey
from evaluation.models import Attempt, Endpoint, Experiment, Judgement, Run, Scoring, Trajectory
from evaluation.runner.dialects.zoom import spoken
from evaluation.runner.images import PolicyError
from evaluation.runner.judges import (
    NO,
    PROMPTS,
    WITH_CROPS,
    YES,
    JudgeError,
    JudgeRecipe,
    JudgeTurn,
    Question,
    Subject,
    majority,
    verdict_digest,
)
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import SLUGS, Prompt, PromptError
from evaluation.schema import DecisionWord, JudgementKind
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

KINDS: Mapping[Question, JudgementKind] = {
    Question.RELIABILITY: JudgementKind.RELIABILITY,
    Question.SUFFICIENCY: JudgementKind.SUFFICIENCY,
    Question.ANSWER: JudgementKind.ANSWER,
}
"""Questions whose verdicts are judgments."""
_TERMS: Mapping[Question, Mapping[str, str]] = {
    Question.RELIABILITY: {"evidence": "yes"},
    Question.SUFFICIENCY: {"evidence": "yes"},
    Question.ANSWER: {"undecided": "yes"},
}
"""The evaluated trajectories that a question applies to, as terms of their list."""

_TAGS = re.compile(r"</?think>")


@dataclass(frozen=True)
class JudgeChoices:
    """The choices for a judge. ``prompt``: ``slug@version``, "" for that of the question."""

    question: str
    votes: int = 1
    prompt: str = ""
    samples: str = ""
    sampling: str = DEFAULT_SAMPLING
    parameters: Mapping[str, Any] = field(default_factory=dict)
    images: str = ""
    budget_usd: float = 5.0
    budget_calls: int = 1000


@transaction.atomic
def create_judge(*, actor: User | None, run: Run, endpoint: Endpoint, choices: JudgeChoices) -> Experiment:
    """Create an experiment that judges a run, as a draft; nothing is sent. Raises ``InvalidInput`` naming the field,
    ``Conflict`` where answers wait for people, or images would leave the server without consent."""
    benchmark = run.benchmark
    require(actor, benchmark, Right.IMPORT_RUNS)
    require_endpoint(benchmark, endpoint)
    prompt = _prompt_of(run, choices)
    recipe = judge_recipe(endpoint, choices, prompt.template if prompt else None)
    check_budget(choices.budget_usd, choices.budget_calls)
    if recipe.question is Question.ANSWER and judges_are_asked(benchmark):
        raise Conflict(
            gettext("A judging queue asks people about these answers. A model can judge them when it is finished."),
            code="judges_asked",
        )
    if not judged_trajectories(run, recipe.question, choices.samples):
        raise InvalidInput(gettext("No trajectory of this run fits the question and the query."), field="samples")
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=Experiment.Kind.JUDGE, source=run, endpoint=endpoint, endpoint_name=endpoint.name,
        version=benchmark.versions.order_by("-number").first(), model=endpoint.shown_model,
        setting=f"{recipe.question.value}: {run}"[:200], samples=choices.samples, rollouts=recipe.votes,
        recipe=recipe.to_json(), recipe_digest=recipe.digest(), budget_usd=choices.budget_usd,
        budget_calls=choices.budget_calls, created_by=actor,
    )  # fmt: skip
    freeze_prompts([prompt] if prompt else [])
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest()},
    )  # fmt: skip
    return experiment


def _prompt_of(run: Run, choices: JudgeChoices) -> PromptVersion | None:
    """The chosen prompt, None for that of the question. Raises ``InvalidInput`` naming the field."""
    if not choices.prompt or choices.question not in list(Question):
        return None
    return prompt_named(run.benchmark, choices.prompt, [SLUGS[PROMPTS[Question(choices.question)]]])


def judge_recipe(endpoint: Endpoint, choices: JudgeChoices, prompt: Prompt | None = None) -> JudgeRecipe:
    """The recipe of these choices on this endpoint, with this prompt or that of the question. Raises ``InvalidInput``
    naming the field."""
    if choices.question not in list(Question):
        allowed = ", ".join(Question)
        raise InvalidInput(gettext("Choose a question: %(questions)s.") % {"questions": allowed}, field="question")
    if choices.sampling not in SAMPLING:
        raise InvalidInput(
            gettext("Choose a sampling preset: %(sampling)s.") % {"sampling": ", ".join(SAMPLING)}, field="sampling"
        )
    try:
        return JudgeRecipe.of(
            Question(choices.question), endpoint.model, endpoint.base_url, prompt,
            sampling={**SAMPLING[choices.sampling], **choices.parameters}, votes=choices.votes,
            images=choices.images or PRESETS[endpoint.preset].images, dropped=dropped_of(settings_of(endpoint).drop),
        )  # fmt: skip
    except PolicyError as error:
        raise InvalidInput(str(error), field="images") from error
    except JudgeError as error:
        raise InvalidInput(str(error), field="votes") from error


def same_family(run: Run, judge: str) -> bool:
    """Whether the judge seems to be of the family of the model that it judges: their names begin with the same word."""
    mine, theirs = (re.split(r"[-:. ]", name.split("/")[-1].casefold())[0] for name in (judge, run.model.name))
    return mine == theirs


def judged_trajectories(run: Run, question: Question, samples: str) -> list[tuple[int, int]]:
    """(trajectory, sample) of the evaluated trajectories that a question is about, in order of samples."""
    snapshot = Snapshot(run.benchmark, [Run.objects.of(run.benchmark).get(pk=run.pk)])
    rows = Selection(snapshot, _TERMS.get(question, {})).rows(["pk", "sample"], order="sample_key")
    wanted = set(selected_samples(run.benchmark, samples).values_list("pk", flat=True))
    found = [(pk, sample) for pk, sample in rows if sample in wanted]
    if question is Question.ANSWER:
        open_ones = Sample.objects.filter(benchmark=run.benchmark, gold__revision__answer_type=AnswerType.OPEN)
        kept = set(open_ones.values_list("pk", flat=True))
        return [(pk, sample) for pk, sample in found if sample in kept]
    if question is Question.TOOL_MAP:
        listed = Trajectory.objects.filter(run=run).exclude(recognition=None, plan=None)
        kept = set(listed.values_list("pk", flat=True))
        return [(pk, sample) for pk, sample in found if pk in kept]
    return found


def plan_judge(experiment: Experiment) -> int:
    """Create the votes, once; return their number. A trajectory that lacks what the question shows is skipped."""
    recipe = judge_recipe_of_row(experiment)
    run = experiment.source
    assert run is not None
    found = judged_trajectories(run, recipe.question, experiment.samples)
    trial = trial_of([sample for _, sample in found])
    with transaction.atomic():
        Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        if experiment.attempts.exists():
            return experiment.attempts.count()
        for batch in in_batches(found):
            subjects = subjects_of([pk for pk, _ in batch])
            Attempt.objects.bulk_create(
                _planned(experiment, recipe, subjects[pk], pk, sample, vote, trial=sample in trial)
                for pk, sample in batch
                for vote in range(recipe.votes)
            )
    return experiment.attempts.count()


def judge_recipe_of_row(experiment: Experiment) -> JudgeRecipe:
    """The recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return JudgeRecipe.from_json(experiment.recipe)
    except (JudgeError, PolicyError) as error:
        raise recipe_gone(error) from error


def _planned(
    experiment: Experiment, recipe: JudgeRecipe, subject: Subject, pk: int, sample: int, vote: int, *, trial: bool
) -> Attempt:
    made = Attempt(experiment=experiment, sample_id=sample, trajectory_id=pk, rollout=vote, trial=trial)
    try:
        if recipe.question in WITH_CROPS and not subject.crops:
            raise PromptError(gettext("No crop of this trajectory has a known place in the image."))
        made.digest = verdict_digest(recipe, subject, vote)
    except PromptError as problem:
        made.state, made.error, made.finished_at = Attempt.State.SKIPPED, str(problem), timezone.now()
    return made


def subjects_of(trajectories: Sequence[int]) -> dict[int, Subject]:
    """Return the subjects of these trajectories for a judge, by primary key."""
    rows = Trajectory.objects.filter(pk__in=trajectories).select_related("sample__image", "sample__gold__revision")
    rows = rows.prefetch_related(
        "steps", "sample__facets", "sample__gold__revision__gold_boxes", "sample__gold__revision__gold_shapes",
        "sample__gold__revision__reference_calls",
        "sample__gold__revision__plan_tools",
    )  # fmt: skip
    return {row.pk: _subject(row) for row in rows}


def _subject(row: Trajectory) -> Subject:
    content: SampleContent = record_of(row.sample).content
    crops = [corners for _, corners in read_crops([row], row.sample).get(row.pk, ())]
    said = row.answer or ""
    answer = answer_in(spoken(said))
    thoughts = said.partition("<answer>")[0] if answer is not None else said[: len(said) - len(spoken(said))]
    parts = [step.text for step in row.steps.all()] + [_TAGS.sub("", thoughts)]
    sha256 = row.sample.image.sha256 if row.sample.image else ""
    return Subject(
        sample=row.sample.key,
        question=content.question,
        options=dict(content.choices),
        answer=spoken(said).strip() if answer is None else answer,
        accepted=content.answers[0] if content.answers else "",
        reasoning="\n\n".join(part.strip() for part in parts if part.strip()),
        predicted=list(dict.fromkeys([*(row.recognition or ()), *(row.plan or ())])),
        targets=list(dict.fromkeys(target.tool for target in content.plan.targets)),
        distractors=list(content.plan.distractors),
        crops=[partial(_cut, row.sample, corners) for corners in crops],
        crops_digest=digest(repr((sha256, crops))) if crops else "",
    )


def _cut(sample: Sample, corners: Corners) -> Picture:
    return crop(original_of(sample), Box(*corners))


class JudgeWorker(Worker):
    """Asks a judge, and keeps what it says."""

    def prepare(self) -> None:
        self.judge = judge_recipe_of_row(self.experiment)

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        assert attempt.trajectory_id is not None
        subject = subjects_of([attempt.trajectory_id])[attempt.trajectory_id]
        begin = partial(JudgeTurn, self.judge, subject, attempt.rollout, family=self.family)
        return Work(attempt.pk, begin, task_of(sample).image, {"vote": attempt.rollout}, answered)

    def save(self, finished: Sequence[Finished]) -> None:
        """Keep the votes, and the verdict on each trajectory whose votes are all there."""
        record = open_record(self.experiment)
        for held, row, kind in finished:
            result = {name: row.get(name) for name in ("verdict", "text")}
            self.mark(held, kind, str(row.get("error", "")), result=None if kind else result)
        done = {held.attempt.trajectory_id for held, *_ in finished}
        votes: dict[int, list[Attempt]] = defaultdict(list)
        open_states = (Attempt.State.QUEUED, Attempt.State.RUNNING)
        mine = Attempt.objects.filter(experiment=self.experiment, trajectory__in=done).order_by("rollout")
        for attempt in mine:
            if attempt.trajectory_id is not None:
                votes[attempt.trajectory_id].append(attempt)
        settled = {pk: given for pk, given in votes.items() if not any(one.state in open_states for one in given)}
        keep_verdicts(self.experiment, self.judge, record, settled)


def keep_verdicts(
    experiment: Experiment, recipe: JudgeRecipe, record: ImportRecord, votes: Mapping[int, Sequence[Attempt]]
) -> None:
    """Save what the majority of the votes says of each trajectory. Where a vote failed, nothing is saved."""
    whole = {pk: given for pk, given in votes.items() if all(one.state == Attempt.State.DONE for one in given)}
    rows = {row.pk: row for row in Trajectory.objects.filter(pk__in=whole).select_related("sample__gold__revision")}
    for pk, given in whole.items():
        said = [(one.result or {}).get("verdict") for one in given]
        verdict = majority(said, recipe.votes)
        if recipe.question in KINDS:
            _keep_judgment(experiment, recipe, record, rows[pk], verdict, said)
        elif recipe.question is Question.TOOL_MAP and isinstance(verdict, dict):
            _keep_map(rows[pk], verdict)
    if whole:
        Scoring.objects.filter(run=experiment.source).update(stale=True)


def _keep_judgment(
    experiment: Experiment, recipe: JudgeRecipe, record: ImportRecord, row: Trajectory, verdict: Any, votes: list[Any]
) -> None:
    kind = KINDS[recipe.question]
    revision = row.sample.gold.revision
    key = AnswerKey(
        revision.answer_type == AnswerType.MULTIPLE_CHOICE, dict(revision.options or {}), tuple(revision.answers or ())
    )
    words = verdict in (YES, NO)
    about: dict[str, Any] = {
        "run_id": row.run_id, "sample_id": row.sample_id, "trajectory": row, "kind": kind.value,
        "judge": experiment.model, "person": None,
    }  # fmt: skip
    said: dict[str, Any] = {
        "verdict": verdict if words else UNDECIDED if verdict is None else None,
        "answer": None if words or verdict is None else str(verdict),
        "text_digest": judged_digests(kind.value, [row.pk])[row.pk],
        "key_digest": key_digest(key),
        "extra": {"votes": votes, "experiment": experiment.pk, "prompt": prompt_name(recipe)},
        "source": record,
    }
    Judgement.objects.update_or_create(**about, decides=False, defaults=said)
    if kind is JudgementKind.ANSWER and words and not Judgement.objects.decisions().filter(trajectory=row).exists():
        word = DecisionWord.SAME if verdict == YES else DecisionWord.DIFFERENT
        Judgement.objects.create(**about, decides=True, **said | {"verdict": word.value})


def _keep_map(row: Trajectory, found: Mapping[str, str | None]) -> None:
    known = {name: target for name, target in found.items() if target is not None}
    for name, listed in (("recognition_map", row.recognition), ("plan_map", row.plan)):
        if listed and not getattr(row, name):
            setattr(row, name, {one: known[one] for one in listed if one in known})
    row.save(update_fields=["recognition_map", "plan_map"])


def prompt_name(recipe: JudgeRecipe) -> str:
    return f"{recipe.prompt.slug}@{recipe.prompt.version}"
