from __future__ import annotations

from django.db import models

from evaluation.models.run import Run


class WordFile(models.Model):
    """The full-text index of a run: a file with the words of its trajectories (``evaluation.store.words``).

    It never changes; a new state of the run is a new file. ``revision``: of the run when its texts were indexed. A file
    of another revision is not read. The search then reads the texts, until a scoring writes the next file.
    """

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="words")
    revision = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file, which is also its name.")
    bytes = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"words of {self.run}"
