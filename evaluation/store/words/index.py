"""The full-text index of a run: a file in the object store, written together with its scores."""

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
    """Write the text index of a run and record it, unless the current one is up to date.

    The rows are read before the transaction begins, so nothing waits for that. If trajectories changed meanwhile, the
    file is not recorded: the change causes another scoring.
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
        # Changes of trajectories also lock this row, so the two wait for each other.
        if Run.objects.select_for_update(of=("self",), no_key=True).filter(pk=run.pk, revision=revision).first():
            WordFile.objects.update_or_create(run=run, defaults=facts)
