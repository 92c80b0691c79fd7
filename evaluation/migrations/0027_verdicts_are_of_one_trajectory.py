"""What people said to questions of queues about crops names the trajectory, as what they said of answers does."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import migrations

BOX = ("x1", "y1", "x2", "y2", "executed_x1", "executed_y1", "executed_x2", "executed_y2", "coords", "image_in")


def name_trajectories(apps: Any, schema_editor: Any) -> None:
    """Two questions of a queue on one run and sample had one verdict, that of the question judged last. The other one
    counts as passed by, so that others can judge it. A verdict whose question is gone stays without a trajectory."""
    judgements, items, seats = (
        apps.get_model("evaluation", name).objects for name in ("Judgement", "JudgingItem", "JudgingSeat")
    )
    wanted = judgements.filter(person__isnull=False, trajectory=None, decides=False).exclude(kind="answer")
    for row in wanted.iterator(chunk_size=2000):
        asked = items.filter(
            queue=row.extra.get("queue"), kind=row.kind, trajectory__run=row.run_id, trajectory__sample=row.sample_id
        )
        done = seats.filter(item__in=asked, user=row.person_id, done_at__isnull=False).order_by("-done_at", "-pk")
        last = done.select_related("item__trajectory").first()
        if last is None:
            continue
        done.exclude(pk=last.pk).update(place=None, done_at=None)
        of = last.item.trajectory
        judgements.filter(pk=row.pk).update(trajectory=of, text_digest=digest_of(apps, of))


def digest_of(apps: Any, trajectory: Any) -> str:
    steps = apps.get_model("evaluation", "Step").objects.filter(trajectory=trajectory).order_by("position")
    said = json.dumps([trajectory.answer or "", [list(box) for box in steps.values_list(*BOX)]])
    return hashlib.blake2b(said.encode(), digest_size=16).hexdigest()


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0026_who_decided_an_answer")]

    operations = [migrations.RunPython(name_trajectories, migrations.RunPython.noop)]
