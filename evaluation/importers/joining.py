"""Which sample a record belongs to, from whatever its format tells: an id, a picture, a question with its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.importers.fields import Report
from evaluation.importers.matching import SampleIndex, SampleKey, normalised, not_joined


@dataclass(frozen=True, slots=True)
class Clues:
    """What a record says of its sample. ``ids``: names that may be its id, the likeliest first."""

    ids: Sequence[str] = ()
    image: str = ""
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def find_sample(clues: Clues, samples: SampleIndex, report: Report) -> str:
    """The id of the one sample that fits: by id, else by a name that a person has accepted for
    it, else by question and options, else by picture (and question). Issues are about ``sample``, ``image`` or
    ``question``, whichever told; a format says with ``Report.stands_for`` what its file calls these.

    Nothing is joined by resemblance, and nothing by a bare number whose sample asks something else: every benchmark
    counts from 0. Raises ``RowRefused`` when none fits (near names are proposed), or several do.
    """
    other = ""
    for given in clues.ids:
        if given in samples:
            if not (given.isdecimal() and clues.question and _differs(clues.question, samples.question_of(given))):
                return given
            other = given
    for given in (*clues.ids, clues.image, clues.question):
        if sample := samples.accepted(given):
            return sample
    found = _candidates(clues, samples)
    if len(found) == 1:
        return found[0].id
    if other and not found:
        asks = samples.question_of(other)[:80]
        done = f"Sample {other} asks {asks!r}, not this; a number alone joins nothing, and the row was left out. "
        report.refuse("other-question", "question", clues.question, done + "Import into the benchmark it was run on.")
    places = [*(("sample", name) for name in clues.ids), ("image", clues.image), ("question", clues.question)]
    field, told = next(((field, told) for field, told in places if told), ("sample", ""))
    if found:
        ids = ", ".join(sample.id for sample in found[:5])
        done = f"Several samples fit ({ids}); the row was left out, as it does not say which is meant."
        report.refuse("ambiguous-sample", field, told, done)
    if not told:
        done = "Nothing here says which sample it is about: no id, no picture, no question. It was left out."
        report.refuse("unknown-sample", "sample", "", done)
    report.refuse("unknown-sample", field, told, not_joined("The benchmark has no sample for", told, samples))


def _candidates(clues: Clues, samples: SampleIndex) -> Sequence[SampleKey]:
    """Those that fit all that is told, as far as it tells them apart."""
    asked = samples.by_question(clues.question, clues.options) if clues.question else ()
    pictured = samples.by_image(clues.image) if clues.image else ()
    if asked and pictured:
        ids = {sample.id for sample in pictured}
        return [sample for sample in asked if sample.id in ids] or asked
    if asked or len(pictured) < 2 or not clues.question:
        return asked or pictured
    return [sample for sample in pictured if _asks(clues.question, sample)]


def _differs(told: str, asked: str) -> bool:
    """Whether two questions are known, and neither stands in the other: a prompt may go on with options."""
    told, asked = normalised(told), normalised(asked)
    return bool(told and asked) and told not in asked and asked not in told


def _asks(text: str, sample: SampleKey) -> bool:
    """Whether the question stands in a prompt, which may go on with options and instructions."""
    question = normalised(sample.question)
    return bool(question) and question in normalised(text)
