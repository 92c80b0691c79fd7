"""Human studies as texts and as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import pgettext_lazy

from annotation.common.words import Count as Samples
from evaluation.common.links import Count, RunLinks
from evaluation.metrics.strata import Stratum
from evaluation.models import Experiment, Metric, Participant, Run
from evaluation.studies.read.cases import Cases
from evaluation.studies.read.results import Difference, Result

STATES = {
    Experiment.State.RUNNING: pgettext_lazy("state of a study", "Open"),
    Experiment.State.PAUSED: pgettext_lazy("state of a study", "Paused"),
    Experiment.State.DONE: pgettext_lazy("state of a study", "Closed"),
}
API_STATES = {"running": "open", "paused": "paused", "done": "closed"}
"""The states of an experiment, with the names that the API and the command use for studies."""


@dataclass(frozen=True)
class MetricLine:
    """An estimate with its cases. ``familiar``: "" or the least familiarity of its answers."""

    metric: Metric
    familiar: str
    cases: Cases


def metrics_shown(result: Result, cases: Mapping[str, Cases]) -> list[MetricLine]:
    """The metrics over all answers, then accuracy by familiarity. ``cases``: of ``metric_cases``."""
    whole = [MetricLine(one, "", cases[one.metric]) for one in result.metrics]
    return [*whole, *(MetricLine(one, value, cases[value]) for value, one in result.familiar)]


def differences_shown(result: Result, cases: Mapping[int, Count]) -> list[tuple[Difference, Count]]:
    return [(one, cases[one.run.pk]) for one in result.differences]


def state_words(study: Experiment) -> str:
    return str(STATES[Experiment.State(study.state)])


def with_answers(
    people: Iterable[Participant], run: Run | None, skipped: Mapping[int, Samples]
) -> list[tuple[Participant, Count, Samples]]:
    """Return participants with their answers, which are the trajectories of one rollout of the run of a closed study,
    and the samples that they skipped. ``people``: of ``progress_by_person``.
    """
    links = RunLinks.of(run) if run else None
    return [(one, _answers(one, links), skipped.get(one.person_id, Samples(0))) for one in people]


def _answers(person: Any, links: RunLinks | None) -> Count:
    n = person.answers_n
    return links.count(n, rollout=person.number) if links and n else Count(n)


def with_lists(strata: list[dict[str, Any]], answers: Sequence[Count]) -> list[dict[str, Any]]:
    """Strata whose answers are the trajectories of a closed study. ``strata``: of ``progress_by_stratum``."""
    return [
        one | {"answers": own if own.n == one["answers"] else Count(one["answers"])}
        for one, own in zip(strata, answers or [Count(0)] * len(strata), strict=True)
    ]


def strata_shown(strata: Iterable[Stratum]) -> list[dict[str, Any]]:
    total = sum(one.size for one in strata)
    return [
        {
            "name": one.name,
            "size": one.size,
            "drawn": one.drawn,
            "share": one.size / total,
            "merged": len(one.groups) > 1,
        }
        for one in strata
    ]


def study_row(study: Experiment) -> dict[str, Any]:
    """Return a study as the API and the command show it to leads. It includes the seed, which reproduces the draw from
    the samples.
    """
    design = study.design
    return {
        "id": study.pk,
        "name": study.setting,
        "state": API_STATES[study.state],
        "facets": design["facets"],
        "n": design["n"],
        "people": design["people"],
        "conditions": design.get("conditions", []),
        "roles": design["roles"],
        "seed": design["seed"],
        "strata": [{"groups": one["groups"], "size": one["size"], "drawn": one["drawn"]} for one in design["strata"]],
        "import": study.import_record_id,
        "created_at": study.created_at.isoformat(),
        "closed_at": study.finished_at.isoformat() if study.finished_at else None,
    }
