"""The interpreter of the sandbox, and the modes that work on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from evaluation.sandbox import Mode, Python, available
from evaluation.sandbox.launch import LANDLOCK_ABI, landlock_abi
from tests.evaluation.sandbox.interpreters import readable_python


@pytest.fixture(scope="session")
def python() -> Iterator[Python]:
    with readable_python() as found:
        yield found


@pytest.fixture(params=list(Mode), scope="module")
def mode(request: pytest.FixtureRequest, python: Python) -> Mode:
    if request.param is Mode.BUBBLEWRAP and (not shutil.which("bwrap") or available(python) is not Mode.BUBBLEWRAP):
        pytest.skip("bubblewrap does not work here")
    if request.param is Mode.LANDLOCK and landlock_abi() < LANDLOCK_ABI:
        pytest.skip(f"Landlock {landlock_abi()} is older than {LANDLOCK_ABI}")
    return Mode(request.param)
