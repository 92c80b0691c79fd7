"""Decides for every accepted toolchain of the demo whether its end gives the answer. The person is a script."""

from __future__ import annotations

from annotation.chain_answers import answer_words, compare
from annotation.content.revisions import content_of
from annotation.images.chain_runs import run_whole
from annotation.models import Benchmark, Sample
from annotation.schema import AnswerType, SampleContent
from annotation.workbench.write import answer_end, verify_chain
from webapp.accounts.models import User

UNKNOWN = "can't tell"


def decide_ends(*, benchmark: Benchmark, person: User) -> None:
    """Verify the ends that measure the answer. From the other ones, this person answers, who did not write them and
    sees the last image alone. Toolchains that have their mark are left out.
    """
    accepted = Sample.objects.filter(benchmark=benchmark, gold__isnull=False).exclude(verified_chains__person=person)
    for sample in accepted.with_gold().select_related("image").order_by("key"):
        sample.benchmark, content = benchmark, content_of(sample.gold.revision)
        if not content.reference_toolchain:
            continue
        last = run_whole(sample, content.reference_toolchain).steps[-1]
        if compare(last.measurements, content).agrees:
            verify_chain(actor=person, sample=sample, content=content)
        else:
            answer_end(actor=person, sample=sample, answer=_answered(content))


def _answered(content: SampleContent) -> str:
    """The gold answer if the last image shows all evidence. It is a crop of one box, so people who need several take
    another option, or can't tell.
    """
    whole = len(content.gold_boxes) == 1
    if content.answer_type is AnswerType.OPEN:
        return answer_words(content)[0] if whole else UNKNOWN
    return content.answers[0] if whole else next(one for one in content.options if one not in content.answers)
