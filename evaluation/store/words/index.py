"""The full-text index of a run: a file in the object store, made beside its scores."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.db import transaction

from evaluation.models import Run, WordFile
from evaluation.store.files import folder, put_by_content, words_name
from evaluation.store.words.file import available, write_words
from evaluation.store.words.search import texts_of
from webapp.common import objects


def index_run_text(run: Run) -> None:
    """Write the file of the words of a run and name it as the run's, unless it has that of today's trajectories.

    The rows are read before the transaction begins: nothing waits for that. When the trajectories changed meanwhile,
    the file stays without a name: whoever changed them has the run scored again.
    """
    revision = Run.objects.values_list("revision", flat=True).filter(pk=run.pk).first()
    file = WordFile.objects.filter(run=run, revision=revision).first()
    if revision is None or not available() or (file and objects.exists(words_name(file.digest))):
        return
    with tempfile.TemporaryDirectory(dir=folder()) as inside:
        path = Path(inside) / "words.sqlite3"
        write_words(path, texts_of(run))
        facts = {"revision": revision, **put_by_content(path, words_name)}
    with transaction.atomic():
        # Whoever changes the trajectories changes this row, and waits here or is waited for.
        if Run.objects.select_for_update(no_key=True).filter(pk=run.pk, revision=revision).first():
            WordFile.objects.update_or_create(run=run, defaults=facts)
