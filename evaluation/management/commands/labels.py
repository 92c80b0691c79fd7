"""``manage.py labels draw|show|items|import``: what people say of drawn items of a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from evaluation.judging.present import label_row
from evaluation.judging.read.labels import is_labeled, labels_of
from evaluation.judging.write.labels import draw_labels
from evaluation.judging.write.queues import judge_item
from evaluation.management.output import answering_plainly, written_to
from evaluation.models import Experiment, JudgingItem, JudgingQueue
from webapp.accounts.models import User
from webapp.common.errors import ApplicationError
from webapp.common.formatting import finite

GIVEN = ("item", "verdict", "answer", "nothing", "reasons", "sure", "seconds")


class Command(BaseCommand):
    help = "Draw items of a judge for people to label, list them, import labels, or show what they come to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("doing", choices=("draw", "show", "items", "import"))
        parser.add_argument("id", type=int, help="of draw, show: the judge's experiment; of items, import: the queue")
        parser.add_argument("file", nargs="?", type=Path, help="of import: one JSON object per line")
        parser.add_argument("--size", type=int, default=20, metavar="N", help="of draw: items")
        parser.add_argument("--people", type=int, default=1, metavar="K", help="of draw: people for each item")
        parser.add_argument("--person", default="", metavar="EMAIL", help="of import: who gave the labels")
        parser.add_argument("--output", type=Path, metavar="FILE", help="of items; default: standard output")

    @answering_plainly
    def handle(self, *, doing: str, id: int, **options: Any) -> None:
        if doing == "draw":
            queue = draw_labels(actor=None, experiment=_judge(id), size=options["size"], people=options["people"])
            self.stdout.write(f"Queue {queue.pk}: {queue.items.count()} items for {queue.people} people each")
        elif doing == "show":
            self.stdout.write(json.dumps(label_row(labels_of(_judge(id), None)), indent=2))
        elif doing == "items":
            with written_to(options["output"]) as out:
                out.writelines(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in _rows(_queue(id)))
        else:
            n = _import(_queue(id), options["file"], options["person"])
            self.stdout.write(f"{n} labels imported.")


def _judge(number: int) -> Experiment:
    found = Experiment.objects.select_related("benchmark").filter(pk=number).first()
    if found is None or not is_labeled(found):
        raise CommandError(f"Experiment {number} is no finished judge of a question that people answer.")
    return found


def _queue(number: int) -> JudgingQueue:
    found = JudgingQueue.objects.select_related("benchmark").filter(pk=number).first()
    if found is None:
        raise CommandError(f"There is no judging queue {number}.")
    return found


def _rows(queue: JudgingQueue) -> Iterator[dict[str, Any]]:
    """The items in the order of their random names, which reveals nothing. No row names a model."""
    items = queue.items.select_related("trajectory__sample__gold__revision").order_by("key")
    for item in items:
        gold = getattr(item.trajectory.sample, "gold", None)
        row: dict[str, Any] = {"item": item.key, "kind": item.kind, "sample_id": item.trajectory.sample.key}
        if gold is not None:
            row |= {"question": gold.revision.question, "options": gold.revision.options or {}}
        if item.kind != JudgingItem.Kind.SUFFICIENCY:
            row["answer"] = item.trajectory.answer
        yield row


def _import(queue: JudgingQueue, path: Path | None, email: str) -> int:
    """All labels of a file, or none. Raises ``CommandError`` naming the line."""
    if path is None:
        raise CommandError("Name the file: manage.py labels import QUEUE FILE --person EMAIL.")
    person = User.objects.filter(email__iexact=email).first()
    if person is None:
        raise CommandError(f"There is no person {email!r}. Name who gave the labels with --person.")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read as text. Check the path.") from error
    items = {item.key: item for item in queue.items.select_related("trajectory__run", "trajectory__sample")}
    n = 0
    with transaction.atomic():
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    _give(person, queue, items, line)
                except (ApplicationError, ValueError) as error:
                    raise CommandError(f"{path.name}, line {number}: {error} Nothing was imported.") from error
                n += 1
    return n


def _give(person: User, queue: JudgingQueue, items: dict[str, JudgingItem], line: str) -> None:
    """Raises ``ValueError`` for a line that is no label."""
    try:
        row = json.loads(line)
    except ValueError:
        raise ValueError("This is not JSON.") from None
    if not isinstance(row, dict) or not isinstance(row.get("item"), str):
        raise ValueError('A label is an object with an "item", such as {"item": "…", "verdict": "yes"}.')
    if unknown := sorted(set(row) - set(GIVEN)):
        raise ValueError(f"Unknown field {unknown[0][:40]!r}. A label has {', '.join(GIVEN)}.")
    item = items.get(row["item"])
    if item is None:
        raise ValueError(f"The queue has no item {row['item'][:40]!r}.")
    for name in ("verdict", "answer"):
        if not isinstance(row.get(name, ""), str):
            raise ValueError(f"{name} must be a text.")
    reasons, seconds = row.get("reasons"), finite(str(row.get("seconds", "")))
    item.queue = queue
    known = reasons if isinstance(reasons, list) and all(isinstance(one, str) for one in reasons) else []
    judge_item(actor=person, item=item, said=row | {"reasons": known, "seconds": seconds})
