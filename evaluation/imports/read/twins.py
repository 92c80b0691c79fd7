"""The two records of one result file: that of its samples knows that of its runs."""

from __future__ import annotations

from annotation.exchange.write.samples import WITH_RUNS
from annotation.models import ImportRecord

RUNS, SAMPLES = "runs_record", "samples_record"
"""Key of a record for the number of the other one from the same file."""


def twin_of(record: ImportRecord) -> ImportRecord | None:
    """Return the runs imported from the same file as the samples of a record, None if there are none."""
    of_samples = record.kind == ImportRecord.Kind.SAMPLES and record.options.get(WITH_RUNS)
    number = record.preview.get(RUNS) if of_samples else None
    return ImportRecord.objects.filter(pk=number, benchmark=record.benchmark_id).first() if number else None
