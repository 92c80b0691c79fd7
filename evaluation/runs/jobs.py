"""Jobs of runs."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from evaluation.runs.write import KIND as DELETE_RUN
from evaluation.runs.write import delete_run as delete_run_action
from webapp.jobs.context import JobContext
from webapp.jobs.registry import job


@job(DELETE_RUN, title=gettext_noop("Delete %(run)s from %(benchmark)s"))
def delete_run(context: JobContext, run_id: int) -> dict[str, Any]:
    return delete_run_action(context, run_id=run_id)
