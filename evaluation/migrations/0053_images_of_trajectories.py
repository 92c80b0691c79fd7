"""Trajectories know the image that they were recorded on: which one of the sample, and its size if the file states it.

Those on samples whose image was replaced get the number from the times of the replacements. All runs are to be scored
again: crops on another image are scaled or not compared, and score files have a column for the reason.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from django.db import migrations, models
from django.db.models.functions import Coalesce


def number_images(apps: Any, _: Any) -> None:
    Attempt, Trajectory = (apps.get_model("evaluation", name) for name in ("Attempt", "Trajectory"))
    replaced: dict[int, list[Any]] = {}
    rows = apps.get_model("annotation", "ImageReplacement").objects.order_by("replaced_at", "pk")
    for sample, at in rows.values_list("sample", "replaced_at"):
        replaced.setdefault(sample, []).append(at)
    for sample, times in replaced.items():
        found = Trajectory.objects.filter(sample=sample)
        made = dict(
            Attempt.objects.filter(trajectory__in=found)
            .order_by("pk")
            .values_list("trajectory", Coalesce(models.Min("exchanges__started_at"), "finished_at"))
        )
        for pk, imported, begun in found.values_list("pk", "source__created_at", "run__created_at"):
            if number := bisect_right(times, made.get(pk) or imported or begun):
                Trajectory.objects.filter(pk=pk).update(image_number=number)


def mark_all_stale(apps: Any, _: Any) -> None:
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0067_texts_of_model_audits"),
        ("evaluation", "0052_run_uids"),
    ]

    operations = [
        migrations.AddField(
            model_name="trajectory",
            name="image_number",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="How many images of the sample had been replaced when it was recorded; null: none.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="trajectory",
            name="image_width",
            field=models.PositiveIntegerField(
                blank=True, help_text="Of the image that it was recorded on, if its file states it.", null=True
            ),
        ),
        migrations.AddField(
            model_name="trajectory",
            name="image_height",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.RunPython(number_images, migrations.RunPython.noop),
        migrations.RunPython(mark_all_stale, migrations.RunPython.noop),
    ]
