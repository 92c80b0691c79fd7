"""Notifying people of what happened, and what they do with it.

``notify`` is called by an act inside its transaction: the entries are there if, and only if, the act is. A job sends
emails after the commit. Reading has no audit entry, because no other person depends on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext

from webapp.accounts.anonymize import Leaving, when_anonymized
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput
from webapp.common.locks import lock_rows
from webapp.jobs.actions import enqueue_on_commit
from webapp.notifications.kinds import DEFAULTS, SENTENCES, Channel, Kind
from webapp.notifications.models import Notification, NotificationSetting, TimeZone
from webapp.notifications.schedule import ALIKE_MOST, ALIKE_WITHIN, at_once, next_digest

SEND = "notifications.send"
"""The job that sends emails."""
UTC = "UTC"
KEEP = timedelta(days=180)
"""Read entries are deleted after this time."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event: the name of its sentence, its data, its subject, and its link; ``list_path``: the link of several
    similar ones. ``actor`` is not notified of their own act.
    """

    sentence: str
    data: Mapping[str, Any] = field(default_factory=dict)
    actor: User | None = None
    benchmark: str = ""
    subject: str = ""
    path: str = ""
    list_path: str = ""

    @property
    def kind(self) -> Kind:
        return SENTENCES[self.sentence].kind


def notify(event: Event, people: Iterable[int] | Mapping[int, int]) -> int:
    """Write an entry for each of these people, who may know of it; return the number. A mapping gives the number of
    events for each. The number of queries does not depend on the number of people.
    """
    counts = dict(people) if isinstance(people, Mapping) else dict.fromkeys(people, 1)
    if event.actor is not None:
        counts.pop(event.actor.pk, None)
    if not counts:
        return 0
    with transaction.atomic():
        now = timezone.now()
        channels = _channels(counts, event.kind)
        counts = {person: n for person, n in counts.items() if person in channels}
        earlier: dict[int, list[Notification]] = defaultdict(list)
        for row in Notification.objects.alike(counts, event.kind, event.benchmark, now - ALIKE_WITHIN):
            earlier[row.person_id].append(row)
        zones = _zones(person for person, channel in channels.items() if channel is Channel.DIGEST)
        many = {person for person, count in counts.items() if _are_many(earlier[person], count)}
        if many:
            # Two events at once, or one and its reader, change several of these rows.
            lock_rows(Notification.objects.filter(pk__in=[row.pk for person in many for row in earlier[person]]))
        new = []
        for person, count in counts.items():
            mailed = max((row.mailed_at for row in earlier[person] if row.mailed_at), default=None)
            due = _mail_after(channels[person], now, mailed, zones.get(person, UTC))
            if person in many:
                _fold(event, earlier[person], count, now, due)
            else:
                new.append(_entry(event, person, count, now, due))
        Notification.objects.bulk_create(new)
        if settings.SENDS_EMAIL and Channel.AT_ONCE in channels.values():
            enqueue_on_commit(SEND, payload={}, actor=None, key=SEND)
    return len(counts)


def _entry(event: Event, person: int, count: int, now: datetime, due: datetime | None) -> Notification:
    return Notification(
        person_id=person, kind=event.kind, sentence=event.sentence, actor=event.actor, benchmark=event.benchmark,
        subject=event.subject, data=dict(event.data), path=event.path, list_path=event.list_path, count=count,
        created_at=now, changed_at=now, mail_after=due,
    )  # fmt: skip


def _are_many(earlier: list[Notification], count: int) -> bool:
    """Return whether this event reaches the number from which similar entries become one."""
    return bool(earlier) and count + sum(row.count for row in earlier) >= ALIKE_MOST


def _fold(event: Event, earlier: list[Notification], count: int, now: datetime, due: datetime | None) -> None:
    """Combine similar entries into one."""
    events = count + sum(row.count for row in earlier)
    newest, *others = earlier
    Notification.objects.filter(pk__in=[row.pk for row in others]).delete()
    Notification.objects.filter(pk=newest.pk).update(
        count=F("count") + events - newest.count, changed_at=now, data=dict(event.data), list_path=event.list_path,
        mail_after=due,
    )  # fmt: skip


def _channels(people: Iterable[int], kind: Kind) -> dict[int, Channel]:
    """The channel of each of these people who have an account and want to hear of this kind."""
    chosen = dict(NotificationSetting.objects.filter(person__in=people, kind=kind).values_list("person", "channel"))
    active = User.objects.filter(pk__in=list(people), is_active=True).values_list("pk", "email_verified")
    found = {person: Channel(chosen.get(person, DEFAULTS[kind])) for person, _ in active}
    verified = {person for person, proven in active if proven}
    return {
        # An email to an address that is not proven may reach another person.
        person: channel if person in verified else Channel.INBOX
        for person, channel in found.items()
        if channel is not Channel.OFF
    }


def _zones(people: Iterable[int]) -> dict[int, str]:
    wanted = list(people)
    return dict(TimeZone.objects.filter(person__in=wanted).values_list("person", "name")) if wanted else {}


def _mail_after(channel: Channel, now: datetime, mailed: datetime | None, zone: str) -> datetime | None:
    if not settings.SENDS_EMAIL:
        # Otherwise a server that gets a mail server one day would send what has long been seen.
        return None
    if channel is Channel.DIGEST:
        return next_digest(now, zone)
    return at_once(now, mailed) if channel is Channel.AT_ONCE else None


def mark_read(*, actor: User, entry: int) -> bool:
    """Mark one entry of this person as read; whether it was unread."""
    mine = Notification.objects.of(actor).unread().filter(pk=entry)
    return bool(mine.update(read_at=timezone.now()))


def mark_unread(*, actor: User, entry: int) -> bool:
    """Mark one entry of this person as unread; whether it was read. It is not emailed again."""
    mine = Notification.objects.of(actor).filter(pk=entry, read_at__isnull=False)
    return bool(mine.update(read_at=None, mail_after=None))


def mark_all_read(*, actor: User, until: datetime, kind: str = "") -> int:
    """Mark what this person saw as read: all entries up to a moment, of one kind if it is named; how many."""
    mine = Notification.objects.of(actor).unread().filter(Q(kind=kind) if kind else Q(), changed_at__lte=until)
    with transaction.atomic():
        lock_rows(mine)
        return mine.update(read_at=timezone.now())


def forget(person: User, benchmark: str) -> None:
    """Delete notifications about a benchmark that the person no longer belongs to. Call inside the transaction."""
    Notification.objects.filter(person=person, benchmark=benchmark).delete()


def forget_benchmark(benchmark: str) -> None:
    """Delete all notifications about a benchmark that was deleted permanently. Call inside the transaction."""
    Notification.objects.filter(benchmark=benchmark).delete()


def change_settings(*, actor: User, channels: Mapping[str, str], zone: str | None = None) -> list[str]:
    """Set the channels of kinds and the time zone of this person; return the names of the changed fields. Entries that
    wait for an email follow the change. Raises ``InvalidInput`` with the field.
    """
    for kind, channel in channels.items():
        if kind not in Kind.values or channel not in Channel.values:
            raise InvalidInput(gettext("Choose one of the listed channels."), field=kind)
    if zone is not None and zone not in available_timezones():
        raise InvalidInput(gettext("Choose a time zone of the list."), field="zone")
    with transaction.atomic():
        before = dict(NotificationSetting.objects.filter(person=actor).values_list("kind", "channel"))
        changed = [kind for kind, channel in channels.items() if before.get(kind, DEFAULTS[kind]) != channel]
        for kind in changed:
            NotificationSetting.objects.update_or_create(person=actor, kind=kind, defaults={"channel": channels[kind]})
        lived = _zones([actor.pk]).get(actor.pk, UTC)
        moved = zone is not None and zone != lived
        if moved and zone is not None:
            TimeZone.objects.update_or_create(person=actor, defaults={"name": zone})
        if changed or moved:
            _due_again(actor, zone if zone is not None else lived, changed, moved=moved)
            data = {kind: channels[kind] for kind in changed} | ({"zone": zone} if moved else {})
            audit.record(actor, "notifications.change", actor, data=data)
    return [*changed, *(["zone"] if moved else [])]


def _due_again(actor: User, zone: str, kinds: Iterable[str], *, moved: bool) -> None:
    """Reschedule waiting entries for the email of the new choice."""
    now = timezone.now()
    chosen = dict(NotificationSetting.objects.filter(person=actor).values_list("kind", "channel"))
    for kind in Kind.values if moved else kinds:
        channel = Channel(chosen.get(kind, DEFAULTS[kind]))
        waiting = Notification.objects.of(actor).unread().filter(kind=kind, mail_after__isnull=False)
        waiting.update(mail_after=_mail_after(channel, now, None, zone) if actor.email_verified else None)


def delete_old(now: datetime) -> int:
    """Delete what was read long ago; how many."""
    return Notification.objects.filter(read_at__lt=now - KEEP).delete()[0]


@when_anonymized
def forget_person(leaving: Leaving) -> None:
    """Notifications and settings of the person go with their name."""
    for model in (Notification, NotificationSetting, TimeZone):
        model._base_manager.filter(person=leaving.user).delete()


def end_emails(*, actor: User) -> bool:
    """Send this person no more emails with notifications; whether any kind was emailed. The inbox keeps its entries."""
    chosen = dict(NotificationSetting.objects.filter(person=actor).values_list("kind", "channel"))
    emailed = [kind for kind in Kind if chosen.get(kind, DEFAULTS[kind]) in (Channel.AT_ONCE, Channel.DIGEST)]
    return bool(change_settings(actor=actor, channels=dict.fromkeys(emailed, Channel.INBOX)))
