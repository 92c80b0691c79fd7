"""Rounds of adjudication: what happens when all annotators of a sample have submitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.common.bank import bank_of
from annotation.common.notices import notify_disputed
from annotation.consensus import (
    BoxGroup,
    Compared,
    Facets,
    Field,
    compare,
    proposal,
    proposed_facets,
    provenance,
    with_dispute,
)
from annotation.content.checks import obstacles_in
from annotation.content.drawn_on import Shown, shown_on_image
from annotation.content.json import BoxName, content_to_json
from annotation.content.revisions import add_revision, facets_of, make_gold
from annotation.content.transitions import apply_transition, close_rounds, update_sample_state
from annotation.models import Adjudication, AdjudicationRule, Annotation, Benchmark, BenchmarkQueue, Revision, Sample
from annotation.queue.second_toolchains import accept_others, verified_toolchains
from annotation.schema import SampleContent
from annotation.task_schema import Required
from annotation.tool_bank import key_of
from annotation.workflow import SampleState, State
from webapp.accounts.models import User
from webapp.common import audit

DECIDED = (SampleState.ACCEPTED, SampleState.DISCARDED)


@dataclass(frozen=True)
class Submissions:
    """The submissions of the annotators of a sample, by the time of their annotation: revisions with their content on
    the image that the sample has, their facets, the authors with a verified toolchain, and their comparison.
    """

    revisions: tuple[Revision, ...]
    shown: tuple[Shown, ...]
    facets: tuple[Facets, ...]
    verified: tuple[bool, ...]
    compared: Compared

    @property
    def contents(self) -> tuple[SampleContent, ...]:
        return tuple(one.content for one in self.shown)

    def provenance(self, content: SampleContent, facets: Facets) -> dict[str, dict[str, Any]]:
        """The source of each field of adjudicated content, as numbers of revisions."""
        found = provenance(content, facets, self.contents, self.facets, self.compared.groups)
        return {name: {**of, "from": [self.revisions[at].pk for at in of["from"]]} for name, of in found.items()}


def rule_of(benchmark: Benchmark) -> AdjudicationRule:
    """The rule in force, or the default one, not stored."""
    return AdjudicationRule.objects.filter(benchmark=benchmark).first() or AdjudicationRule(benchmark=benchmark)


def several_submitted(sample: Sample) -> bool:
    """Whether more than one annotation of the sample waits for a decision."""
    return Annotation.objects.filter(sample=sample).to_review()[:2].count() > 1


def submissions_of(sample: Sample, rule: AdjudicationRule) -> Submissions:
    """The newest submissions that wait for a decision. A fixed number of queries."""
    newest = Revision.objects.newest_waiting(sample).with_content().select_related("annotation__author", "author")
    revisions = tuple(newest.order_by("annotation"))
    shown = tuple(shown_on_image(sample, revisions))
    contents = tuple(one.content for one in shown)
    own = facets_of(sample)
    facets = tuple(revision.facets if revision.facets is not None else own for revision in revisions)
    meaning: dict[str, str] = {}
    if any(content.plan for content in contents):
        for tool in bank_of(sample.benchmark).tools:
            meaning |= {key_of(name): key_of(tool.name) for name in (tool.name, *tool.aliases)}
    canonical = lambda name: meaning.get(key_of(name), key_of(name))  # noqa: E731
    verified = verified_toolchains(sample, contents)
    compared = compare(contents, _required(sample.benchmark, facets), rule.consensus, canonical, verified)
    if any(one.lost for one in shown):
        compared = with_dispute(compared, Field.EVIDENCE)
    return Submissions(revisions, shown, facets, verified, compared)


def _required(benchmark: Benchmark, facets: Sequence[Facets]) -> Sequence[Facets]:
    """Only the facets whose values the schema requires: others differ without a dispute. All facets if the benchmark
    has no schema."""
    if benchmark.schema_number is None:
        return facets
    names = {facet.name for facet in benchmark.task.facets if facet.required is not Required.NO}
    return [{name: values for name, values in one.items() if name in names} for one in facets]


def current_round(sample: Sample) -> tuple[Adjudication, Submissions]:
    """The open round of the sample and what it compares, begun again where other submissions wait than it compared.
    Call with the sample locked, and more than one annotation waiting."""
    found = Adjudication.objects.filter(sample=sample, decision="").select_related("rule").first()
    rule = found.rule if found else rule_of(sample.benchmark)
    submissions = submissions_of(sample, rule)
    numbers = [revision.pk for revision in submissions.revisions]
    if found is not None and found.measured.get("revisions") == numbers:
        return found, submissions
    if found is not None:
        close_rounds([sample.pk])
        rule = rule_of(sample.benchmark)
        submissions = submissions_of(sample, rule)
    return _open(sample, rule, submissions), submissions


def _open(sample: Sample, rule: AdjudicationRule, submissions: Submissions) -> Adjudication:
    if rule.pk is None:
        rule, _ = AdjudicationRule.objects.get_or_create(benchmark=sample.benchmark, number=rule.number)
    compared = submissions.compared
    last = Adjudication.objects.filter(sample=sample).aggregate(last=Max("round"))["last"] or 0
    made = Adjudication.objects.create(
        sample=sample,
        round=last + 1,
        rule=rule,
        measured={
            "revisions": [revision.pk for revision in submissions.revisions],
            "fields": {name.value: {"agreed": one.agreed, "value": one.value} for name, one in compared.fields.items()},
        },
        outcome=Adjudication.Outcome.AGREED if compared.agreed else Adjudication.Outcome.DISPUTED,
    )
    audit.record(
        actor=None, action="sample.compare", subject=sample, benchmark=sample.benchmark.slug, after=made.outcome,
        data={"round": made.round, "disputed": [field.value for field in compared.disputed]},
    )  # fmt: skip
    update_sample_state(sample)
    if made.outcome == Adjudication.Outcome.DISPUTED:
        notify_disputed(None, sample)
    return made


def process_submission(actor: User | None, annotation: Annotation, queue: BenchmarkQueue) -> None:
    """Process a submission to a sample with several annotators: close it if the sample is decided already; else, when
    all have submitted, compare them, and accept the consensus if they agree and the lead's rules allow it. Call with
    the sample locked.
    """
    sample = annotation.sample
    wanted = queue.wanted(sample.pk, sample.extra_places)
    # Other people may have begun before the lead lowered the overlap.
    if wanted < 2 and sample.state != SampleState.ACCEPTED:
        return
    annotations = Annotation.objects.filter(sample=sample)
    states = list(annotations.filter(held_until__isnull=True).values_list("state", flat=True))
    if State.ACCEPTED in states:
        reason = "Submitted after the sample was decided."
        apply_transition(actor=actor, annotation=annotation, name="supersede_agreed", reason=reason)
        return
    waiting = [state for state in states if state in (State.SUBMITTED, State.IN_REVIEW)]
    if len(waiting) < 2 or len(waiting) + states.count(State.DISCARDED) < wanted:
        return
    found, submissions = current_round(sample)
    rule = found.rule
    agreed = found.outcome == Adjudication.Outcome.AGREED and rule.scope == AdjudicationRule.Scope.DISPUTES
    if agreed and rule.when_agreed == AdjudicationRule.WhenAgreed.ACCEPT:
        _accept_consensus(actor, sample, found, submissions)


def _accept_consensus(actor: User | None, sample: Sample, found: Adjudication, submissions: Submissions) -> None:
    content, groups = proposal(submissions.contents, submissions.compared, found.rule.consensus)
    facets = proposed_facets(submissions.facets)
    if obstacles_in(sample, content, facets):
        # A reviewer adds what annotators do not give, such as facets.
        return
    data = content_to_json(content, box_names(submissions, groups), facets)
    revision = add_adjudicated(None, sample, data, submissions.provenance(content, facets))
    for other in submissions.revisions:
        other.annotation.sample = sample
        apply_transition(actor=actor, annotation=other.annotation, name="supersede_agreed", reason="All agreed.")
    end_round(found, Adjudication.Decision.CONSENSUS, None, revision, submissions)


def add_adjudicated(
    actor: User | None, sample: Sample, content: dict[str, Any], source: dict[str, dict[str, Any]]
) -> Revision:
    """The accepted annotation without an author that combines others, as the gold of the sample. Call inside a
    transaction; the others must be superseded in it, too."""
    annotation, is_new = Annotation.objects.get_or_create(
        sample=sample, author=None, kind=Annotation.Kind.ADJUDICATED, defaults={"state": State.ACCEPTED.value}
    )
    before = "" if is_new else annotation.state
    if not is_new:
        Annotation.objects.filter(pk=annotation.pk).update(state=State.ACCEPTED.value, changed_at=timezone.now())
    annotation.sample = sample
    revision = add_revision(actor=actor, annotation=annotation, content=content, provenance=source)
    audit.record(
        actor=actor, action="annotation.adjudicate", subject=annotation, benchmark=sample.benchmark.slug, before=before,
        after=State.ACCEPTED.value, data={"sample": sample.key, "revision": revision.number, "provenance": source},
    )  # fmt: skip
    make_gold(revision)
    return revision


def box_names(submissions: Submissions, groups: Sequence[BoxGroup | None]) -> list[BoxName]:
    """For each combined box the first label that a member of its group gave."""
    labels = [[box.label for box in revision.evidence] for revision in submissions.revisions]
    named = []
    for group in groups:
        given = [labels[person][at] for person, at in group.members.items()] if group else []
        named.append(BoxName(next(filter(None, given), "")))
    return named


def end_round(
    found: Adjudication, decision: str, actor: User | None, result: Revision | None, submissions: Submissions
) -> None:
    """Record the decision of an open round. Verified toolchains other than that of the result, if there is one, are
    accepted."""
    with transaction.atomic():
        if result is not None:
            accept_others(actor, result, submissions.revisions, submissions.contents, submissions.verified)
        found.decision, found.adjudicator, found.result = decision, actor, result
        found.decided_at = timezone.now()
        found.save(update_fields=["decision", "adjudicator", "result", "decided_at"])
        update_sample_state(found.sample)
