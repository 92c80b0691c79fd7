"""The samples of a benchmark as importers of runs join them. Most files name samples by id, and need no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property

from annotation.models import Benchmark, ImageReplacement, Revision, Sample
from evaluation.importers.matching import MemoryIndex, SampleIndex, SampleKey, alias_key

CHUNK = 5000


def sample_index(benchmark: Benchmark, at: datetime | None = None) -> SampleIndex:
    """The benchmark's samples: by id at once; by image, by question and by likeness from the first such question on.

    ``at``: sizes are those of the images of then, None for now. Two queries, and three more when more than ids is asked
    for.
    """
    return _LazyIndex(benchmark, at)


class _LazyIndex:
    """A ``SampleIndex``: ids are a tenth of a microsecond and 100 bytes each, all the rest ten times that."""

    def __init__(self, benchmark: Benchmark, at: datetime | None) -> None:
        self._benchmark, self._at = benchmark, at
        aliases = benchmark.sample_aliases.values_list("name", "sample__key")
        self.aliases: dict[str, str] = dict(aliases)
        """Accepted names and the ids they mean."""
        self._ids = frozenset(Sample.objects.filter(benchmark=benchmark).values_list("key", flat=True))

    @cached_property
    def _whole(self) -> MemoryIndex:
        golds = Revision.objects.filter(gold_of__sample__benchmark=self._benchmark)
        questions = {
            pk: (question, options)
            for pk, question, options in golds.values_list("gold_of__sample_id", "question", "options").iterator(CHUNK)
        }
        samples, earlier = Sample.objects.filter(benchmark=self._benchmark), self._earlier()
        return MemoryIndex(
            (
                SampleKey(
                    key,
                    image,
                    *questions.get(pk, ("", {})),
                    earlier.get(pk) or ((width, height) if width and height else None),
                )
                for pk, key, image, width, height in samples.values_list(
                    "pk", "key", "image_name", "width", "height"
                ).iterator(CHUNK)
            ),
            self.aliases,
        )

    def _earlier(self) -> dict[int, tuple[int, int]]:
        """The size of the image that each sample had then, if another has replaced it since."""
        if self._at is None:
            return {}
        replaced = ImageReplacement.objects.filter(sample__benchmark=self._benchmark, replaced_at__gt=self._at)
        rows = replaced.order_by("-replaced_at", "-pk").values_list("sample", "image__width", "image__height")
        return {sample: (width, height) for sample, width, height in rows}

    def __contains__(self, sample_id: object) -> bool:
        return sample_id in self._ids

    def accepted(self, name: str) -> str:
        return self.aliases.get(alias_key(name), "")

    def by_image(self, name: str) -> Sequence[SampleKey]:
        return self._whole.by_image(name)

    def by_question(self, question: str, options: Mapping[str, str]) -> Sequence[SampleKey]:
        return self._whole.by_question(question, options)

    def size_of(self, sample_id: str) -> tuple[int, int] | None:
        return self._whole.size_of(sample_id)

    def question_of(self, sample_id: str) -> str:
        return self._whole.question_of(sample_id)

    def near(self, text: str) -> Sequence[str]:
        return self._whole.near(text)

    def digest(self) -> str:
        return self._whole.digest()
