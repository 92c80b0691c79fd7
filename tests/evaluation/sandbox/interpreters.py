"""A Python that other users can read, for a sandbox that root starts as nobody."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluation.sandbox import Python, Refusal, available


@contextmanager
def readable_python() -> Iterator[Python]:
    """The interpreter of the tests, as hard links where its own folder is closed to other users."""
    own = Python()
    if not isinstance(available(own), Refusal):
        yield own
        return
    folder = Path(tempfile.mkdtemp(prefix="sightline-python-"))
    try:
        folder.chmod(0o755)
        base = folder / "base"
        left_out = shutil.ignore_patterns("site-packages", "test", "include", "share")
        shutil.copytree(own.prefix, base, symlinks=True, ignore=left_out, copy_function=os.link)
        linked = Python(str(base / "bin" / Path(own.executable).name), str(base), own.packages)
        found = available(linked)
        if isinstance(found, Refusal):
            pytest.skip(found.message)
        yield linked
    finally:
        shutil.rmtree(folder)
