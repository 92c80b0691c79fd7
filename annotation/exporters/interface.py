"""What every exporter is: samples in order of id become the bytes of a file, piece by piece."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from annotation.schema import SampleRecord

_UNSAFE = re.compile(r"[^\w.\- ]+")


T = TypeVar("T")


class MissingLibrary(Exception):
    """An optional library is not installed. The text says which, and how to get it."""


@dataclass(frozen=True, slots=True)
class Exporter:
    """One row of ``EXPORTERS``. ``parts`` gives the bytes of the one file, or of the zip of many, piece by piece, and
    takes the samples one at a time. ``suffix`` of what is assigned; ``note``: what to know before opening it."""

    name: str
    title: str
    suffix: str
    parts: Callable[[Iterable[SampleRecord]], Iterator[bytes]]
    note: str = ""

    def write_to(self, out: IO[bytes], samples: Iterable[SampleRecord]) -> int:
        """Writes the whole file; the number of samples in it."""
        counted = Counted(samples)
        for part in self.parts(counted):
            out.write(part)
        return counted.count


class Counted(Generic[T]):
    """Rows as they are taken, and how many were."""

    def __init__(self, rows: Iterable[T]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[T]:
        for row in self._rows:
            self.count += 1
            yield row


def json_list(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """One JSON list, one row per line."""
    opened = b"[\n"
    for row in rows:
        yield opened + json.dumps(row, ensure_ascii=False).encode()
        opened = b",\n"
    yield b"[\n]\n" if opened == b"[\n" else b"\n]\n"


def zipped(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """A zip of files by name, without dates, so that the same files give the same bytes."""
    out = _Piecewise()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
            yield out.taken()
    yield out.taken()


class _Piecewise(io.RawIOBase):
    """What was written since it was last taken; a zip can be written to it, as it needs no way back."""

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
    """``text`` as one part of a file name: letters, digits, ``. - _`` and spaces, at most 100, no dot in front."""
    return _UNSAFE.sub("_", text)[:100].strip(" .") or "_"


def picture_name(sample: SampleRecord) -> str:
    """What a format that must name an image calls it: the image as given, else the sample's id."""
    return sample.image or sample.id


def gold_first(sample: SampleRecord) -> list[str]:
    """The option texts with the gold one in front; of an open question the accepted answers."""
    options, answers = sample.content.options, sample.content.answers
    if not options:
        return list(answers)
    gold = [options[letter] for letter in answers if letter in options]
    return gold + [text for letter, text in sorted(options.items()) if letter not in answers]
