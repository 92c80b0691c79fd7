"""A scripted judge: do the crops of a trajectory show what is needed, and can one answer from them alone?"""

from __future__ import annotations

from collections.abc import Iterator

from demo.agents.planning import tell_apart
from demo.agents.reading import answer_of, clearest
from demo.agents.sample import AgentSample
from demo.agents.scripted import Run
from demo.scenes.hand_tools import kind_of
from evaluation.schema import Judgement, JudgementKind

JUDGE = "pixel-matcher"


def judge(run: Run, sample: AgentSample) -> Iterator[Judgement]:
    """A reliability and a sufficiency judgment; nothing for a trajectory without crops.

    Reliable: every piece of evidence can be made out in some crop (for a plan: that it names the right ones of alike
    tools). Sufficient: the answer follows from the crops alone; the judge gives the answer it reads, or says "no".
    """
    if not run.crops:
        return
    trajectory = run.trajectory
    common = (trajectory.model, trajectory.sample_id)
    setting = trajectory.setting
    if sample.tools:
        plan = trajectory.plan or ()
        shown = [tell_apart(kind_of(name), sample.question, run.crops, sample.tools) for name in plan]
        reliable = bool(plan) and shown == [[name] for name in plan]
        yield Judgement(*common, JudgementKind.RELIABILITY, "yes" if reliable else "no", judge=JUDGE, setting=setting)
        return
    read = [pair[0].value for piece in sample.pieces if (pair := clearest(run.crops, piece))]
    complete = len(read) == len(sample.pieces)
    yield Judgement(*common, JudgementKind.RELIABILITY, "yes" if complete else "no", judge=JUDGE, setting=setting)
    answer = answer_of(sample, read) if complete else ""
    verdict = None if answer else "no"
    yield Judgement(*common, JudgementKind.SUFFICIENCY, verdict, answer or None, JUDGE, setting)
