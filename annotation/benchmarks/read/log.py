"""The audit log of one benchmark, for its leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Q
from django.db.models.functions import Cast
from django.utils.translation import gettext, gettext_lazy

from annotation.models import Benchmark
from annotation.queue.timeline import WORDS as OF_SAMPLES
from webapp.accounts.models import User
from webapp.common.audit import SECURITY
from webapp.common.models import AuditEntry
from webapp.common.paging import Page, page_after
from webapp.common.translation import Text

ROWS = 50
JOINED = "member.join"
"""``member.add`` by the person who accepted an invitation."""
KINDS = {"": gettext_lazy("All entries"), "security": gettext_lazy("Security events")}
WORDS: Mapping[str, Text] = {
    **OF_SAMPLES,
    "access.refuse": gettext_lazy("was refused access"),
    "benchmark.change": gettext_lazy("changed the description"),
    "benchmark.create": gettext_lazy("created the benchmark"),
    "benchmark.public": gettext_lazy("changed the visibility"),
    "benchmark.delete": gettext_lazy("deleted the benchmark"),
    "benchmark.queue": gettext_lazy("changed the queue"),
    "benchmark.restore": gettext_lazy("restored the benchmark"),
    "download.file": gettext_lazy("downloaded a file"),
    "export.gold": gettext_lazy("exported gold"),
    "gold_check.add": gettext_lazy("added gold checks"),
    "gold_check.answer": gettext_lazy("answered a gold check"),
    "gold_check.begin": gettext_lazy("started a gold check"),
    "gold_check.compare": gettext_lazy("compared a gold check"),
    "gold_check.hand_out": gettext_lazy("was assigned a gold check"),
    "gold_check.rules": gettext_lazy("changed the rules for gold checks"),
    "gold_check.take_back": gettext_lazy("took a gold check back"),
    "guidelines.publish": gettext_lazy("published guidelines"),
    "guidelines.image_add": gettext_lazy("uploaded an image into the guidelines"),
    "guidelines.image_delete": gettext_lazy("deleted an uploaded image of the guidelines"),
    "guidelines.read": gettext_lazy("read the guidelines"),
    "export.project": gettext_lazy("exported the whole benchmark"),
    "import.project": gettext_lazy("made the benchmark out of a file"),
    "import.runs": gettext_lazy("imported a run"),
    "import.samples": gettext_lazy("imported samples"),
    "import.project_runs": gettext_lazy("added the runs of a file"),
    "import.project_marks": gettext_lazy("added the marks of a file to runs"),
    "import.update": gettext_lazy("updated the benchmark from a file"),
    "import.undo": gettext_lazy("undid an import"),
    "judging.drop": gettext_lazy("changed what questions of a judging queue were about"),
    "member.add": gettext_lazy("added a role"),
    JOINED: gettext_lazy("accepted an invitation"),
    "member.invite": gettext_lazy("invited a member"),
    "member.remove": gettext_lazy("removed a role"),
    "member.withdraw": gettext_lazy("withdrew an invitation"),
    "qualification.begin": gettext_lazy("began the qualification test"),
    "qualification.finish": gettext_lazy("finished the qualification test"),
    "qualification.replace": gettext_lazy("replaced a sample of a qualification test"),
    "qualification.void": gettext_lazy("voided an attempt at the qualification test without samples"),
    "qualification.rules": gettext_lazy("changed the qualification test"),
    "qualification.waive": gettext_lazy("decided that a person needs no qualification test"),
    "settings.change": gettext_lazy("changed metric settings"),
    "task.activate": gettext_lazy("put a schema in force"),
    "task.discard": gettext_lazy("discarded the draft of a schema"),
    "task.draft": gettext_lazy("changed the draft of a schema"),
    "token.create": gettext_lazy("created an API token"),
    "token.refuse": gettext_lazy("used an API token outside its scopes"),
    "token.revoke": gettext_lazy("revoked an API token"),
    "webhook.add": gettext_lazy("added a webhook"),
    "webhook.change": gettext_lazy("changed a webhook"),
    "webhook.disable": gettext_lazy("disabled a webhook"),
    "webhook.remove": gettext_lazy("removed a webhook"),
    "webhook.secret": gettext_lazy("gave a webhook another secret"),
    "webhook.send_again": gettext_lazy("sent a webhook delivery again"),
    "webhook.test": gettext_lazy("tested a webhook"),
    "version.freeze": gettext_lazy("froze a version"),
}
"""Actions without an entry here are shown as their code: "note.write"."""
LOSSES = ("judging.drop", "judging.remove")
"""Actions that removed questions and their subjects from a queue."""


@dataclass(frozen=True, slots=True)
class LogRow:
    """An entry for display. ``who`` is "" for actions of Sightline itself; ``details`` are names with values."""

    entry: AuditEntry
    who: str
    words: str
    details: tuple[tuple[str, str], ...]


def log_page(
    benchmark: Benchmark, viewer: User, *, kind: str, person: int | None, after: str
) -> tuple[list[LogRow], Page[AuditEntry]]:
    """Return a page of the log, the newest first. One query. Questions removed from a queue that ``viewer`` may still
    judge are omitted, because they would reveal the run of its questions.
    """
    entries = AuditEntry.objects.filter(benchmark=benchmark.slug).select_related("actor")
    open_ones = Benchmark.objects.all().questions().of(benchmark).unjudged().unsettled_by(viewer)
    queues = open_ones.order_by().values(number=Cast("queue_id", CharField()))
    entries = entries.exclude(action__in=LOSSES, subject_id__in=queues)
    if kind == "security":
        starts = Q()
        for start in SECURITY:
            starts |= Q(action__startswith=start)
        entries = entries.filter(starts)
    if person is not None:
        entries = entries.filter(actor=person)
    page = page_after(entries, after, order=("-created", "-pk"), size=ROWS)
    return [_row(entry) for entry in page.rows], page


def log_people(benchmark: Benchmark) -> list[User]:
    """Return the people with entries in the log."""
    acting = AuditEntry.objects.filter(benchmark=benchmark.slug, actor__isnull=False).order_by()
    return list(User.objects.filter(pk__in=acting.values("actor").distinct()).order_by("name", "pk"))


def _row(entry: AuditEntry) -> LogRow:
    named = {name: value for name, value in (entry.personal or {}).items() if name not in ("actor", "salt")}
    told: dict[str, Any] = {**entry.data, **named}
    if entry.action == "judging.draw":
        # Older entries name the source of a queue, and leads also judge.
        told = {name: value for name, value in told.items() if name in ("n", "people")}
    # Verdicts are withheld: a lead who also judges must not learn those of others.
    if (entry.before or entry.after) and not entry.action.startswith("judging."):
        told = {"change": " → ".join(part or gettext("none") for part in (entry.before, entry.after)), **told}
    if entry.reason:
        told["reason"] = entry.reason
    details = tuple((name.replace("_", " "), _words(value)) for name, value in told.items() if value not in ("", None))
    action = JOINED if entry.action == "member.add" and "invitation" in entry.data else entry.action
    return LogRow(entry, str(entry.actor) if entry.actor else "", str(WORDS.get(action, "")), details)


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_words(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(_words(one) for one in value)
    return str(value)
