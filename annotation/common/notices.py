"""Notifications of the members of a benchmark. Call inside the transaction of the act.

For every message, check who may know it now. Annotators who get gold checks must not recognize them by a message or its
absence. Therefore, no message mentions that the queue assigned a sample, or that a sample was accepted or checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Model, Q
from django.urls import reverse

from annotation.common.access import members_who_may
from annotation.common.reports import report
from annotation.models import (
    Annotation,
    Benchmark,
    CheckAnswer,
    Comment,
    Guideline,
    ImportRecord,
    Membership,
    Pause,
    Sample,
    Version,
    WorkPackage,
)
from annotation.workflow import OPEN, Right
from webapp.accounts.models import User
from webapp.notifications.write import Event, notify


def send(
    sentence: str, benchmark: Benchmark, people: Iterable[int] | Mapping[int, int], *, actor: User | None = None,
    subject: Model | None = None, data: Mapping[str, Any] | None = None, path: str = "", list_path: str = "",
) -> None:  # fmt: skip
    """Write to these people: see ``webapp.notifications.write.notify``. ``subject``: the row it is about."""
    event = Event(
        sentence,
        {"title": benchmark.title, **(data or {})},
        actor=actor,
        benchmark=benchmark.slug,
        subject=f"{subject._meta.label_lower}:{subject.pk}" if subject is not None else "",
        path=path,
        list_path=list_path or path,
    )
    notify(event, people)


def notify_authors(sentence: str, actor: User | None, benchmark: Benchmark, annotations: Iterable[Annotation]) -> None:
    """Notify the authors of these annotations that they can continue: ``returned`` or ``reopened``."""
    theirs = [(one.author_id, one) for one in annotations if one.author_id is not None]
    if not theirs:
        return
    keys = sorted({one.sample.key for _, one in theirs})
    words = f"{keys[0]} was {sentence}." if len(keys) == 1 else f"{len(keys)} samples were {sentence}."
    report("returned", benchmark, words, path=_work(benchmark), data={"samples": keys[:100], "n": len(keys)})
    list_path = reverse("annotation:my-work", args=[benchmark.slug])
    counts = Counter(author for author, _ in theirs)
    several = {author: n for author, n in counts.items() if n > 1}
    if several:
        send(sentence, benchmark, several, actor=actor, path=list_path)
    for author, one in theirs:
        if counts[author] == 1:
            send(
                sentence, benchmark, [author], actor=actor, subject=one, data={"sample": one.sample.key},
                path=reverse("annotation:annotate-sample", args=[benchmark.slug, one.sample.key]), list_path=list_path,
            )  # fmt: skip


def notify_ended(sentence: str, actor: User, benchmark: Benchmark, samples: Collection[int]) -> None:
    """Notify the people who have begun one of these samples and not submitted it: ``deleted`` or ``discarded``. Call
    it before the act. A gold check that a person began gives the same entry as any other sample."""
    drafts = Annotation.objects.filter(sample__in=samples, state__in=OPEN, author__isnull=False)
    checks = CheckAnswer.objects.begun().filter(check_of__sample__in=samples, state=CheckAnswer.State.DRAFT)
    begun: dict[int, list[str]] = {}
    for person, key in {
        *drafts.values_list("author", "sample__key"),
        *checks.values_list("user", "check_of__sample__key"),
    }:
        begun.setdefault(person, []).append(key)
    path = reverse("annotation:my-work", args=[benchmark.slug])
    several = {person: len(keys) for person, keys in begun.items() if len(keys) > 1}
    if several:
        send(sentence, benchmark, several, actor=actor, path=path)
    for person, keys in begun.items():
        if len(keys) == 1:
            send(sentence, benchmark, [person], actor=actor, data={"sample": keys[0]}, path=path)


def notify_assigned(actor: User, benchmark: Benchmark, to: User) -> None:
    """Notify a person that samples wait, without IDs and numbers. Otherwise, a sample that is not among them
    could be a gold check."""
    send("assigned", benchmark, [to.pk], actor=actor, path=reverse("annotation:annotate", args=[benchmark.slug]))
    report("assigned", benchmark, f"{actor} assigned samples to {to}.", path=_work(benchmark))


def _work(benchmark: Benchmark) -> str:
    return reverse("annotation:work", args=[benchmark.slug])


def notify_commented(actor: User, comment: Comment, mentioned: Sequence[User]) -> None:
    """Notify the people whom a comment names, the author of the annotation, and those who wrote in the thread, each
    once.
    """
    about = comment.about
    benchmark, sample = about.sample.benchmark, about.sample
    about_it: dict[str, Any] = {"actor": actor, "subject": comment, "data": {"sample": sample.key}}
    named = {one.pk for one in mentioned}
    if comment.annotation is None:
        # Reviewers must not learn what is a gold check. Leads answer these comments, and find them on its page.
        leads = {one.pk for one in members_who_may(benchmark, Right.MANAGE)}
        path = reverse("annotation:gold-checks", args=[benchmark.slug])
        send("mention", benchmark, named & leads, path=path, **about_it)
        send("reply", benchmark, leads - named, path=path, **about_it)
        return
    wrote: set[int] = set()
    if comment.parent_id is not None:
        thread = Comment.objects.filter(Q(pk=comment.parent_id) | Q(parent=comment.parent_id))
        reviewers = {one.pk for one in members_who_may(benchmark, Right.REVIEW)}
        wrote = set(thread.values_list("author", flat=True)) & reviewers
    author = {about.author_id} - {None}
    own = reverse("annotation:annotate-sample", args=[benchmark.slug, sample.key])
    review = reverse("annotation:review-sample", args=[benchmark.slug, sample.key])
    named_sample = {"sample": sample.key}
    report("reply", benchmark, f"There is a new comment on {sample.key}.", path=review, data=named_sample)
    if named:
        names = ", ".join(str(one) for one in mentioned if one.pk != about.author_id) or "its author"
        words = f"A comment on {sample.key} mentions {names}."
        report("mention", benchmark, words, path=review, data=named_sample)
    for sentence, people in (("mention", named), ("reply", (wrote | author) - named)):
        send(sentence, benchmark, people & author, path=own, **about_it)
        send(sentence, benchmark, people - author, path=review, **about_it)


def notify_disputed(actor: User | None, sample: Sample) -> None:
    """Notify those who can adjudicate the sample: reviewers who don't annotate it."""
    benchmark = sample.benchmark
    own = set(Annotation.objects.filter(sample=sample, author__isnull=False).values_list("author", flat=True))
    reviewers = [one.pk for one in members_who_may(benchmark, Right.REVIEW) if one.pk not in own]
    send(
        "dispute", benchmark, reviewers, actor=actor, subject=sample, data={"sample": sample.key},
        path=reverse("annotation:adjudication", args=[benchmark.slug, sample.key]),
        list_path=reverse("annotation:review", args=[benchmark.slug]),
    )  # fmt: skip
    report(
        "dispute", benchmark, f"The annotations of {sample.key} differ.", data={"sample": sample.key},
        path=reverse("annotation:adjudication", args=[benchmark.slug, sample.key]),
    )  # fmt: skip


def notify_paused(actor: User | None, made: Pause) -> None:
    """Notify the paused people. Where a rule paused a person, leads learn it, too. That person reads the same as if a
    lead had done it."""
    benchmark, path = made.benchmark, reverse("annotation:annotate", args=[made.benchmark.slug])
    if made.user is None:
        send("paused.all", benchmark, _workers(benchmark), actor=actor, data={"reason": made.reason}, path=path)
        report("pause", benchmark, f"Work is paused: {made.reason}", path=path, data={"reason": made.reason})
        return
    send("paused", benchmark, [made.user.pk], actor=actor, data={"reason": made.reason}, path=path)
    if actor is None:
        leads = [one.pk for one in members_who_may(benchmark, Right.MANAGE)]
        path = reverse("annotation:gold-checks", args=[benchmark.slug])
        send("paused.rule", benchmark, leads, actor=made.user, subject=made, path=path)


def notify_resumed(actor: User, made: Pause) -> None:
    """Notify the people who can continue."""
    benchmark = made.benchmark
    people = [made.user.pk] if made.user else _workers(benchmark)
    path = reverse("annotation:annotate", args=[benchmark.slug])
    send("resumed", benchmark, people, actor=actor, path=path)
    if made.user is None:
        report("pause", benchmark, "Work is resumed.", path=path)


def _workers(benchmark: Benchmark) -> set[int]:
    """The people whose work stops if all work is paused."""
    return {one.pk for right in (Right.ANNOTATE, Right.REVIEW) for one in members_who_may(benchmark, right)}


def notify_guideline(actor: User, made: Guideline) -> None:
    """Notify all members."""
    benchmark = made.benchmark
    people = [one.pk for one in members_who_may(benchmark, Right.VIEW)]
    path = reverse("annotation:guidelines", args=[benchmark.slug])
    send("guideline", benchmark, people, actor=actor, subject=made, data={"number": made.number}, path=path)
    words = f"Version {made.number} of the guidelines is published."
    report("guideline", benchmark, words, path=path, data={"number": made.number})


def notify_frozen(actor: User | None, version: Version) -> None:
    """Notify the members who may see versions."""
    benchmark = version.benchmark
    people = [one.pk for one in members_who_may(benchmark, Right.SEE_GOLD)]
    path = reverse("annotation:versions", args=[benchmark.slug])
    send("freeze", benchmark, people, actor=actor, subject=version, data={"number": version.number}, path=path)
    words = f"Version {version.number} was frozen."
    report("freeze", benchmark, words, path=path, data={"number": version.number})


def notify_joined(user: User, benchmark: Benchmark, inviter: int | None) -> None:
    """Notify the person who sent the invitation that it was accepted."""
    path = reverse("annotation:settings", args=[benchmark.slug])
    report("invitation", benchmark, f"{user} joined.", path=path)
    if inviter is not None:
        send("invitation", benchmark, [inviter], actor=user, path=path)


def notify_role(actor: User | None, membership: Membership) -> None:
    """Notify a person that a lead gave them a role."""
    benchmark = membership.benchmark
    if actor is not None:
        path = reverse("annotation:benchmark", args=[benchmark.slug])
        send("role", benchmark, [membership.user_id], actor=actor, data={"role": membership.role}, path=path)


def notify_due(package: WorkPackage, people: Sequence[int], hours: int) -> None:
    """Remind these people of a work package. How much of it is left, they see in their queue."""
    benchmark = package.benchmark
    path = reverse("annotation:annotate", args=[benchmark.slug])
    data = {"name": package.title, "hours": hours}
    send("deadline", benchmark, people, subject=package, data=data, path=path)
    words = f"{package.title} is due in {hours} hours."
    report("deadline", benchmark, words, path=path, data=data)


def notify_imported(record: ImportRecord, *, stopped: bool = False) -> None:
    """Notify the person who began an import that it is complete, or that it stopped."""
    if record.created_by_id is not None:
        sentence = "import.stopped" if stopped else "import"
        path = reverse("jobs:job", args=[record.job_id]) if record.job_id else ""
        send(
            sentence, record.benchmark, [record.created_by_id], subject=record, data={"file": record.file_name},
            path=path,
        )  # fmt: skip
        words = f"The import of {record.file_name} stopped." if stopped else f"{record.file_name} was imported."
        report("import", record.benchmark, words, path=path, data={"file": record.file_name})


def notify_disabled(benchmark: Benchmark, webhook: int, host: str) -> None:
    """Notify the leads that a webhook failed too often."""
    leads = [one.pk for one in members_who_may(benchmark, Right.MANAGE)]
    path = reverse("annotation:webhook", args=[benchmark.slug, webhook])
    send("webhook", benchmark, leads, data={"host": host}, path=path)


def notify_accepted(benchmark: Benchmark, person: User, day: str, n: int, path: str) -> None:
    """Notify a person how many of their samples were accepted on a day."""
    data = {"title": benchmark.title, "day": day, "n": n}
    notify(Event("accepted", data, benchmark=benchmark.slug, subject=f"day:{day}", path=path), [person.pk])
