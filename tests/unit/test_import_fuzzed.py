"""Whatever bytes come in: rows, issues or a sentence come out, never another error, never what cannot be stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from annotation.importers import IMPORTERS as SAMPLE_IMPORTERS
from annotation.importers import detect_format as detect_samples
from annotation.importers.interface import ImportProblem
from annotation.importers.interface import ReadOptions as SampleOptions
from evaluation.importers import IMPORTERS as RUN_IMPORTERS
from evaluation.importers import detect_format as detect_runs
from evaluation.importers.interface import ReadOptions
from tests.fuzz.seeds import DAMAGED_FILES, INDEX
from tests.fuzz.targets import TARGETS, assert_storable
from tests.properties import fewer

REGRESSIONS = sorted((Path(__file__).resolve().parents[1] / "fuzz" / "regressions").iterdir())

HOSTILE = [b"\x00", b"\xff", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b"\n", b"\r", b"\t", b"1e999", b"-1e308",
           b"null", b"NaN", b"true", b"\\u0000", b"\\ud800", b"original", b"<tool_call>", b"</answer>", b"<answer>",
           "“".encode(), b"[" * 200, b"9" * 400, b'{"a": 1}', b"", b"PK\x03\x04"]  # fmt: skip
changes = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(HOSTILE)), max_size=5)


def damaged(content: bytes, edits: Iterable[tuple[float, int, bytes]]) -> bytes:
    for place, length, insert in edits:
        at = int(place * len(content))
        content = content[:at] + insert + content[at + length :]
    return content


def readings(path: Path) -> list[Callable[[], Iterable[Any]]]:
    found: list[Callable[[], Iterable[Any]]] = [lambda: detect_samples(path), lambda: detect_runs(path)]
    for sample_importer in SAMPLE_IMPORTERS.values():
        found.append(lambda read=sample_importer.read: read(path, SampleOptions()))  # type: ignore[misc]
    for run_importer in RUN_IMPORTERS.values():
        found.append(lambda read=run_importer.read: read(path, ReadOptions(), INDEX))  # type: ignore[misc]
    return found


def readable(reading: Callable[[], Iterable[Any]]) -> list[Any]:
    """What comes out before the end, or before the sentence that ends it."""
    found: list[Any] = []
    with suppress(ImportProblem):
        for item in reading():
            found.append(item)
    return found


@pytest.mark.parametrize("name", list(DAMAGED_FILES))
@given(edits=changes)
@fewer(suppress_health_check=list(HealthCheck))
def test_any_damage_ends_in_rows_issues_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, name: str, edits: list[tuple[float, int, bytes]]
) -> None:
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(damaged(DAMAGED_FILES[name], edits))
    for reading in readings(path):
        for item in readable(reading):
            assert_storable(item)


@pytest.mark.parametrize("path", REGRESSIONS, ids=[path.name for path in REGRESSIONS])
def test_what_fuzzing_found_once_is_read_now(tmp_path: Path, path: Path) -> None:
    """The target stands before the first full stop of the name; ``check`` raises what must not come out."""
    target = TARGETS[path.name.split(".")[0]]
    assert target.check(path.read_bytes(), tmp_path) is None
