"""What every exporter takes: where its files go, and the samples in order of id."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from annotation.schema import SampleRecord

_UNSAFE = re.compile(r"[^\w.\- ]+")


class Files(Protocol):
    """Where an exporter puts its files, one after the other."""

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """A new file. ``name`` may have folders; its parts come from ``safe_name``."""
        ...


@dataclass(frozen=True, slots=True)
class Exporter:
    """One row of ``EXPORTERS``. ``write`` returns the number of samples written. ``suffix`` of what is handed out:
    formats of many files are handed out as a zip."""

    name: str
    title: str
    suffix: str
    write: Callable[[Files, Iterable[SampleRecord]], int]

    def write_to(self, out: IO[bytes], samples: Iterable[SampleRecord]) -> int:
        """Writes the one file, or the zip of many, to ``out``."""
        if self.suffix != ".zip":
            return self.write(SingleFile(out), samples)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            return self.write(ZipFiles(archive), samples)


class SingleFile:
    """The one file of a format is what is handed out."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        yield self._out


class ZipFiles:
    """Files in a zip, without dates, so that the same samples give the same bytes."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        with self._archive.open(info, "w") as file:
            yield file


class FolderFiles:
    """Files in a folder, which is made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            yield file


def safe_name(text: str) -> str:
    """``text`` as one part of a file name: letters, digits, ``. - _`` and spaces, at most 100, no dot in front."""
    return _UNSAFE.sub("_", text)[:100].strip(" .") or "_"


def picture_name(sample: SampleRecord) -> str:
    """What a format that must name a picture calls it: the image as given, else the sample's id."""
    return sample.image or sample.id


def gold_first(sample: SampleRecord) -> list[str]:
    """The option texts with the gold one in front; of an open question the accepted answers."""
    options, answers = sample.content.options, sample.content.answers
    if not options:
        return list(answers)
    gold = [options[letter] for letter in answers if letter in options]
    return gold + [text for letter, text in sorted(options.items()) if letter not in answers]
