"""The control group of a sandbox: where one can be made, what it limits, and who is in it.

The kernel's own answer needs a part of the hierarchy of version 2; the rest is tried on a folder that looks like one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.imaging.encoding import encode
from evaluation.sandbox import Limits, Mode, Python, Sandbox, groups
from evaluation.sandbox.box import GONE
from tests.evaluation.sandbox.attempts import PIXELS

MB = 2**20
WORDS = "cpu memory pids"


@pytest.fixture
def hierarchy(tmp_path: Path) -> Path:
    """A hierarchy whose service has its processes in a group of their own, as with ``DelegateSubgroup=server``."""
    for path in ("", "sightline.service", "sightline.service/server"):
        folder = tmp_path / path
        folder.mkdir(exist_ok=True)
        (folder / "cgroup.controllers").write_text(WORDS)
        (folder / "cgroup.subtree_control").write_text("")
        (folder / "cgroup.procs").write_text("")
    return tmp_path


def found(hierarchy: Path, own: str) -> Path | None:
    """Where a process in the group ``own`` makes groups."""
    listed = hierarchy / "own"
    listed.write_text(f"4:memory:/elsewhere\n0::/{own}\n")
    return groups.handed_over([hierarchy / "absent", hierarchy], listed)


def test_groups_are_made_beside_that_of_the_server_where_limits_can_be_turned_on(
    hierarchy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = hierarchy / "sightline.service"

    def write(path: Path, text: str) -> int:
        """As the kernel does: what is turned on is listed without its sign."""
        return path.write_bytes(text.replace("+", "").encode())

    (service / "own").write_text("0::/sightline.service/server\n")
    monkeypatch.setattr(Path, "write_text", write)
    assert groups.handed_over([hierarchy / "absent", hierarchy], service / "own") == service
    assert (service / "cgroup.subtree_control").read_bytes() == b"memory pids"


def test_groups_are_made_below_that_of_the_server_if_limits_are_on_there(hierarchy: Path) -> None:
    (hierarchy / "sightline.service" / "cgroup.subtree_control").write_text(WORDS)
    assert found(hierarchy, "sightline.service") == hierarchy / "sightline.service"


@pytest.mark.parametrize("missing", ["memory", "pids"])
def test_no_group_is_made_where_a_limit_is_missing(hierarchy: Path, missing: str) -> None:
    for file in hierarchy.rglob("cgroup.controllers"):
        file.write_text(WORDS.replace(missing, ""))
    assert found(hierarchy, "sightline.service/server") is None
    assert (hierarchy / "sightline.service" / "cgroup.subtree_control").read_text() == ""


def test_no_group_is_made_without_a_hierarchy_or_a_group_of_ones_own(hierarchy: Path) -> None:
    assert groups.handed_over([hierarchy / "absent"], hierarchy / "own") is None
    (hierarchy / "own").write_text("4:memory:/elsewhere\n")
    assert groups.handed_over([hierarchy], hierarchy / "own") is None


def test_a_group_has_the_memory_of_the_process_and_of_its_files_and_few_tasks(tmp_path: Path) -> None:
    group = groups.Group(tmp_path, groups.values_of(Limits()))
    written = {file.name: file.read_text() for file in group.folder.iterdir()}
    assert written == {"memory.max": str((2048 + 64) * MB), "memory.oom.group": "1", "pids.max": "72"}
    (group.folder / "memory.events").write_text("oom 1\noom_kill 0\n")
    assert not group.out_of_memory()
    (group.folder / "memory.events").write_text("oom 1\noom_kill 2\n")
    assert group.out_of_memory()


@pytest.fixture
def kernel_group(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A group of the kernel, in which a sandbox makes its own without limits: where these can't be tried, who is in the
    group still can."""
    made = next(filter(None, map(made_in, groups.HIERARCHIES)), None)
    if made is None:
        pytest.skip("no cgroup v2 hierarchy can be written here")
    monkeypatch.setattr(groups, "handed_over", lambda: made)
    monkeypatch.setattr(groups, "values_of", lambda limits: {})
    yield made
    made.rmdir()


def made_in(root: Path) -> Path | None:
    """A new group at the root of a hierarchy, None where that can't be."""
    folder = root / f"sightline-test-{os.getpid()}"
    try:
        if (root / "cgroup.controllers").is_file():
            folder.mkdir()
            return folder
    except OSError:
        pass
    return None


def test_all_processes_of_a_sandbox_are_in_its_group_which_goes_with_it(
    kernel_group: Path, mode: Mode, python: Python
) -> None:
    with Sandbox({"a": encode(PIXELS)}, mode=mode, python=python) as box:
        assert box.run("print(cv2.imread('/in/a.png').shape)").text == "(100, 120, 3)\n"
        [group] = [path for path in kernel_group.iterdir() if path.is_dir()]
        members = {int(pid) for pid in (group / "cgroup.procs").read_text().split()}
        driver = box._driver
        assert driver is not None
        assert driver._pid in members
        assert os.getpid() not in members
        assert len(members) == (2 if mode is Mode.BUBBLEWRAP else 1)
    assert not [path for path in kernel_group.iterdir() if path.is_dir()]


def test_a_sandbox_runs_where_its_group_cannot_be_made(
    mode: Mode, python: Python, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(groups, "handed_over", lambda: tmp_path / "gone")
    with Sandbox({"a": encode(PIXELS)}, mode=mode, python=python) as box:
        assert box.run("print(1)").text == "1\n"


@pytest.fixture
def limited() -> None:
    if groups.handed_over() is None:
        pytest.skip("no cgroup v2 with limits of memory and processes was handed over to this process")


def test_the_kernel_stops_a_cell_whose_group_has_used_its_memory(
    limited: None, mode: Mode, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {**groups.values_of(Limits()), "memory.max": str(200 * MB)}
    monkeypatch.setattr(groups, "values_of", lambda limits: small)
    with Sandbox({}, mode=mode, python=python) as box:
        assert box.run("x = bytearray(2**20)").killed == ""
        assert box.run("x = np.ones(2**26)").killed == f"It used more than 2048 MB of memory. {GONE}"
        assert box.run("print(1)").text == "1\n"


def test_the_kernel_starts_no_more_threads_than_the_group_may_have(
    limited: None, mode: Mode, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {**groups.values_of(Limits()), "pids.max": "10"}
    monkeypatch.setattr(groups, "values_of", lambda limits: few)
    start = "import threading, time\nfor n in range(20):\n    threading.Thread(target=time.sleep, args=(9,)).start()"
    with Sandbox({}, mode=mode, python=python) as box:
        assert "can't start new thread" in box.run(start).error
