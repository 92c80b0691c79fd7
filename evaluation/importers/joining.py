"""Matching records with samples by an id, an image, or a question with its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.importers.fields import Report
from evaluation.importers.matching import SampleIndex, SampleKey, has_words, normalised, not_joined


@dataclass(frozen=True, slots=True)
class Clues:
    """The clues of a record about its sample. ``ids``: possible ids, the most likely first."""

    ids: Sequence[str] = ()
    image: str = ""
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def find_sample(clues: Clues, samples: SampleIndex, report: Report) -> str:
    """Return the id of the one matching sample.

    The order: by id, by a name that a person has accepted for it, by question and options, by image (and question).
    Issues are about ``sample``, ``image`` or ``question``, whichever matched; a format registers its own names for
    these with ``Report.stands_for``.

    Records are never matched by similarity, and never by a number alone, because every benchmark counts from 0: the
    sample must have the same question or image. Raises ``RowRefused`` if no sample matches (near names are suggested),
    or several.
    """
    other = ""
    for given in clues.ids:
        if given in samples:
            if not given.isdecimal() or _confirmed(given, clues, samples):
                return given
            other = given
    for given in (*clues.ids, clues.image, clues.question):
        if sample := samples.accepted(given):
            return sample
    found = _candidates(clues, samples)
    if len(found) == 1:
        return found[0].id
    if other and not found and not has_words(clues.question):
        done = f"A number alone can't be matched, and no question or image confirms sample {other}. The "
        done += "row was rejected. Add its question or image, accept the name, or use sample_id in the native format."
        report.refuse("number-alone", "sample", other, done)
    if other and not found:
        asks = samples.question_of(other)[:80]
        done = f"The row was rejected: sample {other} has another question, {asks!r}. A number alone can't be matched. "
        report.refuse("other-question", "question", clues.question, done + "Import it into the benchmark of the run.")
    places = [*(("sample", name) for name in clues.ids), ("image", clues.image), ("question", clues.question)]
    field, told = next(((field, told) for field, told in places if told), ("sample", ""))
    if found:
        ids = ", ".join(sample.id for sample in found[:5])
        done = f"The row was rejected because it matches several samples ({ids})."
        report.refuse("ambiguous-sample", field, told, done)
    if not told:
        done = "The row names no sample: no id, image or question. It was rejected."
        report.refuse("unknown-sample", "sample", "", done)
    report.refuse("unknown-sample", field, told, not_joined("The benchmark has no sample for", told, samples))


def _candidates(clues: Clues, samples: SampleIndex) -> Sequence[SampleKey]:
    """Return the samples that match all clues that distinguish samples."""
    asked = samples.by_question(clues.question, clues.options)
    pictured = samples.by_image(clues.image) if clues.image else ()
    if asked and pictured:
        ids = {sample.id for sample in pictured}
        return [sample for sample in asked if sample.id in ids] or asked
    if asked or len(pictured) < 2 or not has_words(clues.question):
        return asked or pictured
    return [sample for sample in pictured if _asks(clues.question, sample)]


def _confirmed(number: str, clues: Clues, samples: SampleIndex) -> bool:
    """Whether the sample with this number asks the question of the row, or has its image and asks nothing else."""
    told, asked = normalised(clues.question), normalised(samples.question_of(number))
    if has_words(told) and has_words(asked):
        return told in asked or asked in told  # a prompt may go on with options
    return bool(clues.image) and any(sample.id == number for sample in samples.by_image(clues.image))


def _asks(text: str, sample: SampleKey) -> bool:
    """Whether a prompt contains the question. Options and instructions may follow it."""
    question = normalised(sample.question)
    return has_words(question) and question in normalised(text)
