"""How the model of a run was run: from the experiments of the run, or from the portable file that brought it."""

from __future__ import annotations

from typing import Any

from annotation.project_file import line_of
from evaluation.exporters.portable import portable_recipe
from evaluation.models import Experiment, Run
from evaluation.models.run import PROTOCOL


def protocols_of(run: Run) -> list[dict[str, Any]]:
    """Protocol, dialect, images, limits, sampling and prompts, once for equal ones. One query."""
    recipes = Experiment.objects.of_run(run).order_by("pk").values_list("recipe", flat=True)
    found = {line_of(one): one for one in map(portable_recipe, recipes) if one}
    return [found[line] for line in sorted(found)] or list(run.extra.get(PROTOCOL, ()))
