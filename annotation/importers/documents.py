"""Records in separate files: a dialog per file, or a folder per sample. Memory use is one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annotation.importers.interface import ImportProblem, Position, Progress
from annotation.importers.sources import Limits, Member, open_members
from annotation.schema import Issue, Severity

Group = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Maps the names of a folder or zip to the files of each record, its main file first."""


@dataclass(frozen=True, slots=True)
class Document:
    """The files of one record. ``name`` is the name of the main file with its folders; ``parts`` are by file name."""

    name: str
    parts: Mapping[str, bytes]

    @property
    def main(self) -> bytes:
        """The bytes of the main file."""
        return self.parts[PurePosixPath(self.name).name]

    @property
    def folder(self) -> str:
        """The name of the folder of the main file, "" at the top."""
        return PurePosixPath(self.name).parent.name

    def beside(self, name: str) -> str:
        """Return the name of a file in the same folder, with its folders."""
        return str(PurePosixPath(self.name).with_name(name))


class DocumentStream:
    """Iterates the records of ``path``; ``progress()`` returns the position reached. Raises ``ImportProblem``.

    ``group`` chooses the files of a folder or zip; ``wanted`` describes them in messages. A single file is one record.
    """

    def __init__(
        self, path: Path, start: Position | None = None, *, group: Group, wanted: str, limits: Limits | None = None
    ) -> None:
        self._limits = limits or Limits()
        self._groups: list[Sequence[str]] = []

        def pick(names: Sequence[str]) -> Sequence[str]:
            self._groups = [list(names) for names in group(names)]
            return list(dict.fromkeys(name for names in self._groups for name in names))

        self._members = {m.name: m for m in open_members(path, pick, wanted, self._limits, deep=True)}
        self._groups = self._groups or [[name] for name in self._members]
        self._total = sum(self._size(names) for names in self._groups)
        self._read = 0
        self._at = start or Position()
        self.resumed = bool(self._at.member)
        self.given = 0

    def progress(self) -> Progress:
        """Return the progress: everything before it has been yielded."""
        return Progress(self._at.member, self._at.offset, self._at.line, self._read, self._total)

    def __iter__(self) -> Iterator[Document | Issue]:
        mains = [names[0] for names in self._groups]
        if self.resumed and self._at.member not in mains:
            raise ImportProblem(f"{self._at.member}, where reading stopped, is not in this file. Start again.")
        first = mains.index(self._at.member) + 1 if self.resumed else 0
        self._read = sum(self._size(names) for names in self._groups[:first])
        for names in self._groups[first:]:
            self.given += 1
            self._read += self._size(names)
            self._at = Position(names[0], self._members[names[0]].size, 0)
            yield self._document(names)

    def _size(self, names: Sequence[str]) -> int:
        return sum(self._members[name].size for name in names)

    def _document(self, names: Sequence[str]) -> Document | Issue:
        for name in names:
            if self._members[name].size > self._limits.row_bytes:
                done = f"The file is longer than {self._limits.row_bytes:,} bytes and was not read. Remove images."
                return Issue(Severity.REFUSED, "row-too-long", name, None, "", "", done)
        return Document(names[0], {PurePosixPath(name).name: _bytes(self._members[name]) for name in names})


def _bytes(member: Member) -> bytes:
    with member.open() as file:
        return file.read(member.size)


def each_named(*names: str) -> Group:
    """Make one record of every folder with the first of ``names``. The other names are included if they exist."""

    def group(found: Sequence[str]) -> Sequence[Sequence[str]]:
        known = set(found)
        mains = [name for name in found if PurePosixPath(name).name == names[0]]
        beside = ((main, [str(PurePosixPath(main).parent / other) for other in names[1:]]) for main in mains)
        return [[main, *(other for other in others if other in known)] for main, others in beside]

    return group


def each_ending(*suffixes: str) -> Group:
    """Make one record of every file with one of these endings."""
    return lambda found: [[name] for name in found if PurePosixPath(name).suffix.lower() in suffixes]
