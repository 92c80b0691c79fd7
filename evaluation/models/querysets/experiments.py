"""Named questions about endpoints, experiments and their attempts."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from typing import Any, Self

from django.db import models
from django.db.models import Count, F, Q, Sum
from django.db.models.fields.json import KT

LIVE = ("trial", "running")
"""States in which a job works on an experiment."""
DETECTOR, BACKEND = "detector", "label-studio"
"""The presets of endpoints that detect objects, and of ML backends of Label Studio."""
RENDERERS = ("images", "openai-images", "stand-in-images")
"""The presets of endpoints that generate images."""
PROMPT_PARTS = ("system", "user", "prompt", "tools_prompt", "steps_prompt")
"""Parts of a recipe that are prompts: of models, and of judges."""


class EndpointQuerySet(models.QuerySet[Any]):
    def offered_to(self, benchmark: Any) -> Self:
        """The endpoints that experiments of a benchmark can use: its own and those of the site."""
        return self.filter(Q(benchmark=benchmark) | Q(benchmark=None))

    def chats(self) -> Self:
        """Keep endpoints of models that chat."""
        return self.exclude(preset__in=(DETECTOR, BACKEND, *RENDERERS))

    def detectors(self) -> Self:
        return self.filter(preset=DETECTOR)

    def drafters(self) -> Self:
        """Keep endpoints that can draft: models that chat, detectors and ML backends."""
        return self.exclude(preset__in=RENDERERS)

    def shape_finders(self) -> Self:
        """Keep endpoints that can propose shapes at a point: detectors and ML backends."""
        return self.filter(preset__in=(DETECTOR, BACKEND))

    def renderers(self) -> Self:
        return self.filter(preset__in=RENDERERS)

    def named(self, name: str, benchmark: Any | None) -> Any | None:
        """The endpoint with this name, first of the benchmark, then of the site; None if neither has it."""
        found = self.filter(Q(benchmark=benchmark) | Q(benchmark=None) if benchmark else Q(benchmark=None), name=name)
        return found.order_by(F("benchmark").asc(nulls_last=True)).first()


class ExperimentQuerySet(models.QuerySet[Any]):
    def live(self) -> Self:
        """Experiments that a job runs: no human studies and no sessions, which stay open until they close."""
        return self.of_models().filter(state__in=LIVE).exclude(kind="session")

    def of_models(self) -> Self:
        """Keep all experiments except human studies, which have their own pages."""
        return self.exclude(kind="human")

    def studies_of(self, benchmark: Any) -> Self:
        """The human studies of a benchmark, the newest first, with ``participants_n`` and ``answers_n``."""
        found = self.filter(benchmark=benchmark, kind="human").select_related("benchmark", "created_by").order_by("-pk")
        given = Count("human_answers", filter=Q(human_answers__done_at__isnull=False), distinct=True)
        return found.annotate(participants_n=Count("participants", distinct=True), answers_n=given)

    def of_run(self, run: Any) -> Self:
        """Keep experiments whose trajectories belong to a run."""
        made = self.filter(kind__in=("run", "detect"), import_record__isnull=False)
        return made.filter(benchmark=run.benchmark_id, model=run.model.name, setting=run.setting)

    def with_prompt(self, slug: str, version: str) -> Self:
        """Keep experiments whose recipe contains this version of a prompt."""
        return self.filter(
            reduce(
                or_,
                (Q(**{f"recipe__{part}__slug": slug, f"recipe__{part}__version": version}) for part in PROMPT_PARTS),
            )
        )

    def prompts(self) -> Counter[tuple[str, str]]:
        """The number of experiments with each slug and version of a prompt. Three queries."""
        found: Counter[tuple[str, str]] = Counter()
        for part in PROMPT_PARTS:
            named = self.order_by().annotate(slug=KT(f"recipe__{part}__slug"), number=KT(f"recipe__{part}__version"))
            for slug, version, n in named.values_list("slug", "number").annotate(n=Count("pk")):
                if slug is not None:
                    found[(slug, version)] += n
        return found

    def with_counts(self) -> Self:
        """Add ``attempts_n``, ``done_n`` and ``failed_n``."""
        return self.annotate(
            attempts_n=Count("attempts"),
            done_n=Count("attempts", filter=Q(attempts__state="done")),
            failed_n=Count("attempts", filter=Q(attempts__state="failed")),
        )


class AttemptQuerySet(models.QuerySet[Any]):
    def counted(self) -> dict[str, int]:
        """The number of attempts in each state that occurs. One query."""
        return dict(self.order_by().values_list("state").annotate(n=Count("pk")))

    def failures(self) -> list[tuple[str, int]]:
        """Kinds of errors with the number of failed attempts, the most frequent first. One query."""
        failed = self.filter(state="failed").order_by()
        return list(failed.values_list("error_kind").annotate(n=Count("pk")).order_by("-n", "error_kind"))

    def tokens(self) -> dict[str, int]:
        """Input and output tokens of all answered requests. One query."""
        sums = self.order_by().aggregate(input=Sum("exchanges__input_tokens"), output=Sum("exchanges__output_tokens"))
        return {name: value or 0 for name, value in sums.items()}
