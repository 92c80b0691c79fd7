"""The interface of exporters: samples in order of id become the bytes of a file, chunk by chunk."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from annotation.exporters.parts import Part
from annotation.schema import SampleRecord

_UNSAFE = re.compile(r"[^\w.\- ]+")


T = TypeVar("T")


class MissingLibrary(Exception):
    """An optional library is not installed. The text names it and says how to install it."""


StoredFile = Callable[[], bytes]
"""Reads the stored file of an image. Raises ``FileNotFoundError`` if it is missing."""
Pictures = Callable[[Sequence[str]], Mapping[str, StoredFile | str]]
"""The image file of each of these samples, by id, or the reason why there is none. A sample without an image is
omitted."""


@dataclass(frozen=True, slots=True)
class Exporter:
    """One entry of ``EXPORTERS``. ``parts`` yields the bytes of the single file, or of the zip, chunk by chunk, and
    reads one sample at a time. ``suffix``: of the exported file; ``note``: information needed before opening it.
    ``with_pictures``: the same with the files of images, for a format that contains them. ``cannot_hold``: the parts
    that are not in the file, in addition to ``IN_NO_FORMAT``.
    """

    name: str
    title: str
    suffix: str
    parts: Callable[[Iterable[SampleRecord]], Iterator[bytes]]
    cannot_hold: tuple[Part, ...] = ()
    note: str = ""
    with_pictures: Callable[[Iterable[SampleRecord], Pictures], Iterator[bytes]] | None = None

    def holds(self, sample: SampleRecord) -> bool:
        """Whether the file has this sample. A sample without evidence can be left out."""
        return Part.BARE_SAMPLES not in self.cannot_hold or bool(sample.content.gold_boxes)

    def parts_of(self, samples: Iterable[SampleRecord], pictures: Pictures | None = None) -> Iterator[bytes]:
        """Yield the file, with images if the format contains them and they are given."""
        if self.with_pictures is None or pictures is None:
            return self.parts(samples)
        return self.with_pictures(samples, pictures)

    def write_to(self, out: IO[bytes], samples: Iterable[SampleRecord], pictures: Pictures | None = None) -> int:
        """Write the entire file; return the number of samples in it."""
        counted = Counted(samples, self.holds)
        for part in self.parts_of(counted, pictures):
            out.write(part)
        return counted.count


class Counted(Generic[T]):
    """Iterates rows unchanged and counts those that ``counts`` accepts."""

    def __init__(self, rows: Iterable[T], counts: Callable[[T], bool] = lambda row: True) -> None:
        self._rows, self._counts = rows, counts
        self.count = 0

    def __iter__(self) -> Iterator[T]:
        for row in self._rows:
            self.count += self._counts(row)
            yield row


def json_list(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield one JSON list, one row per line."""
    opened = b"[\n"
    for row in rows:
        yield opened + json.dumps(row, ensure_ascii=False).encode()
        opened = b",\n"
    yield b"[\n]\n" if opened == b"[\n" else b"\n]\n"


def zipped(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a zip of files by name, without dates, so that equal files give equal bytes."""
    out = _Piecewise()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            yield out.taken()
    yield out.taken()


class _Piecewise(io.RawIOBase):
    """Buffers the bytes written since the last read. A zip can be written to it, because that needs no seeking."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(self._pieces[-1])

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def safe_name(text: str) -> str:
    """Return ``text`` as one part of a file name: letters, digits, ``. - _`` and spaces, at most 100, without a leading
    dot.
    """
    return _UNSAFE.sub("_", text)[:100].strip(" .") or "_"


def picture_name(sample: SampleRecord) -> str:
    """Return the name of the image for a format that needs one: the given name, else the sample's id."""
    return sample.image or sample.id


def gold_first(sample: SampleRecord) -> list[str]:
    """Return the option texts with the gold one first; for an open question, the accepted answers."""
    options, answers = sample.content.options, sample.content.answers
    if not options:
        return list(answers)
    gold = [options[letter] for letter in answers if letter in options]
    return gold + [text for letter, text in sorted(options.items()) if letter not in answers]
