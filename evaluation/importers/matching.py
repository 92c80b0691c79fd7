"""Joining rows of a run with the samples of a benchmark: by id, by image, by question and options; never by guess."""

from __future__ import annotations

import difflib
import hashlib
import json
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from annotation.importers.fields import Report

NEAR_MATCHES = 3
CANDIDATES = 400
"""Near matches are searched among at most this number of names with the same first letters."""
PROPOSALS = 200
"""Maximum number of names for which near matches are searched, so that a file of unknown names stays cheap."""
_FIRST_LETTERS = 2


@dataclass(frozen=True, slots=True)
class SampleKey:
    """The data for joining a row of a run. ``size`` is ``(width, height)`` in pixels, None if unknown."""

    id: str
    image: str = ""
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    size: tuple[int, int] | None = None


class SampleIndex(Protocol):
    """The samples of one benchmark, as an importer needs them."""

    def __contains__(self, sample_id: object) -> bool:
        """Whether a sample has this id."""
        ...

    def accepted(self, name: str) -> str:
        """Return the id of the sample that a person assigned to this name, "" if there is none."""
        ...

    def by_image(self, name: str) -> Sequence[SampleKey]:
        """The samples whose image has this file name (folders are ignored)."""
        ...

    def by_question(self, question: str, options: Mapping[str, str]) -> Sequence[SampleKey]:
        """The samples with this question and these options letter by letter, compared by ``question_key``."""
        ...

    def size_of(self, sample_id: str) -> tuple[int, int] | None:
        """Width and height of the sample's image, None when unknown."""
        ...

    def question_of(self, sample_id: str) -> str:
        """Return the question of the sample, "" if unknown."""
        ...

    def near(self, text: str) -> Sequence[str]:
        """Return at most ``NEAR_MATCHES`` ids of samples whose id, image name or question resembles ``text``, best
        first."""
        ...

    def digest(self) -> str:
        """Return a digest of all facts that rows are joined by: equal digests join every row alike."""
        ...


def normalised(text: str) -> str:
    """``text`` for comparison: Unicode NFKC, casefold, runs of space as one, no space or full stop at the ends."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .")


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit; without one, as "...", it is no clue to anything."""
    return any(character.isalnum() for character in text)


def alias_key(name: str) -> str:
    """A name in the form that is stored for a sample: on one line, without space at the ends."""
    return " ".join(name.split())


def question_key(question: str, options: Mapping[str, str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Question and options as one comparable value; blank options are omitted, letters keep their texts."""
    pairs = ((letter.strip().upper(), normalised(text)) for letter, text in options.items() if text.strip())
    return normalised(question), tuple(sorted(pairs))


def base_name(path: str) -> str:
    """The file name at the end of a path, whichever slash it was written with."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


class MemoryIndex:
    """A ``SampleIndex`` in memory, about 1 kB per sample. Build it once per import."""

    def __init__(self, samples: Iterable[SampleKey], aliases: Mapping[str, str] | None = None) -> None:
        self._aliases = aliases or {}
        self._by_id: dict[str, SampleKey] = {}
        self._by_image: dict[str, list[SampleKey]] = defaultdict(list)
        self._by_question: dict[object, list[SampleKey]] = defaultdict(list)
        self._names: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._proposals: dict[str, tuple[str, ...]] = {}
        for sample in samples:
            self._add(sample)

    def _add(self, sample: SampleKey) -> None:
        self._by_id[sample.id] = sample
        if sample.image:
            self._by_image[base_name(sample.image)].append(sample)
        self._by_question[question_key(sample.question, sample.options)].append(sample)
        for text in (sample.id, base_name(sample.image), sample.question):
            name = normalised(text[:200])
            bucket = self._names[name[:_FIRST_LETTERS]]
            if name and len(bucket) < CANDIDATES:
                bucket.append((name, sample.id))

    def __contains__(self, sample_id: object) -> bool:
        return sample_id in self._by_id

    def accepted(self, name: str) -> str:
        return self._aliases.get(alias_key(name), "")

    def by_image(self, name: str) -> Sequence[SampleKey]:
        return self._by_image.get(base_name(name), ())

    def by_question(self, question: str, options: Mapping[str, str]) -> Sequence[SampleKey]:
        asked = question_key(question, options)
        # A text without a word asks nothing: it is no more like a sample without a question than like any other.
        return self._by_question.get(asked, ()) if has_words(asked[0]) else ()

    def size_of(self, sample_id: str) -> tuple[int, int] | None:
        sample = self._by_id.get(sample_id)
        return sample.size if sample else None

    def question_of(self, sample_id: str) -> str:
        sample = self._by_id.get(sample_id)
        return sample.question if sample else ""

    def near(self, text: str) -> Sequence[str]:
        wanted = normalised(text[:200])
        if wanted in self._proposals:
            return self._proposals[wanted]
        if len(self._proposals) >= PROPOSALS or not wanted:
            return ()
        self._proposals[wanted] = self._near(wanted)
        return self._proposals[wanted]

    def _near(self, wanted: str) -> tuple[str, ...]:
        bucket = self._names.get(wanted[:_FIRST_LETTERS], [])
        close = difflib.get_close_matches(wanted, {name for name, _ in bucket}, n=NEAR_MATCHES, cutoff=0.75)
        ids = (sample_id for match in close for name, sample_id in bucket if name == match)
        return tuple(dict.fromkeys(ids))[:NEAR_MATCHES]

    def digest(self) -> str:
        total = hashlib.blake2b(digest_size=16)
        for _, sample in sorted(self._by_id.items()):
            said = [sample.id, sample.image, sample.question, sorted(sample.options.items()), sample.size]
            total.update(json.dumps(said).encode("ascii"))
        total.update(json.dumps(sorted(self._aliases.items())).encode("ascii"))
        return total.hexdigest()


def unknown_sample(sample_id: str, samples: SampleIndex, report: Report) -> NoReturn:
    """Refuses the row of a sample that the benchmark does not have; names what it might have meant."""
    report.refuse(
        "unknown-sample", "sample_id", sample_id, not_joined("The benchmark has no sample", sample_id, samples)
    )


def not_joined(what: str, text: str, samples: SampleIndex) -> str:
    """Return the message for a row without a sample, with near matches if there are any."""
    near = samples.near(text)
    hint = f" Near: {', '.join(near)}." if near else ""
    return f"{what} {text[:80]!r}. The row was rejected.{hint} Import the benchmark first, or correct the name."
