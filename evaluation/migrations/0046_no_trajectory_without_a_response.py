"""Attempts that got no response leave no trajectory, so that metrics do not count them as incorrect.

Earlier releases stored one for each. The attempts keep their state, their error and their requests.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations

NO_RESPONSE = ("input_rejected", "auth", "rate", "timeout", "server", "cut_stream", "sandbox", "internal")
AT_ONCE = 500


def remove_failed(apps: Any, _: Any) -> None:
    Attempt, Scoring, Trajectory = (apps.get_model("evaluation", name) for name in ("Attempt", "Scoring", "Trajectory"))
    failed = Attempt.objects.filter(state="failed", error_kind__in=NO_RESPONSE, experiment__kind__in=("run", "detect"))
    found = Trajectory.objects.filter(attempts__in=failed).exclude(error="")
    keys = list(found.values_list("pk", "run"))
    Scoring.objects.filter(run__in={run for _, run in keys}).update(stale=True)
    for first in range(0, len(keys), AT_ONCE):
        Trajectory.objects.filter(pk__in=[pk for pk, _ in keys[first : first + AT_ONCE]]).delete()


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0045_runs_in_the_trash")]

    operations = [migrations.RunPython(remove_failed, migrations.RunPython.noop)]
