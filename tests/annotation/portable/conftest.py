from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from annotation.models import Benchmark
from tests.annotation.portable.files import exported, make_kitchen, taken_elsewhere
from tests.worlds import made_once
from webapp.accounts.models import User


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return make_kitchen(ana, rui, lea)


@made_once
def twin(kitchen: Benchmark, lea: User) -> Benchmark:
    """The kitchen on the server of another team."""
    return taken_elsewhere(kitchen, lea, "twin")


@made_once
def written(kitchen: Benchmark) -> bytes:
    """The file of the kitchen, without names."""
    with TemporaryDirectory() as folder:
        return exported(kitchen, Path(folder) / "file", named=False).read_bytes()
