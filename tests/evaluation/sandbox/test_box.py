"""What cells can do, what comes out, and where code is refused."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from annotation.imaging.encoding import encode
from evaluation.sandbox import Mode, Python, Refusal, Sandbox, SandboxError, available, filters, launch
from evaluation.sandbox.launch import landlock_abi
from tests.evaluation.sandbox.attempts import ATTEMPTS, PIXELS

ROOT = Path(__file__).resolve().parents[3]
ORDINARY = 12345
"""A user who owns nothing."""


@pytest.fixture
def box(mode: Mode, python: Python) -> Iterator[Sandbox]:
    with Sandbox({"a": encode(PIXELS)}, mode=mode, python=python) as found:
        yield found


def test_variables_persist_and_images_come_out(box: Sandbox) -> None:
    box.run("x = cv2.imread('/in/a.png', cv2.IMREAD_COLOR_RGB)")
    result = box.run("cv2.imwrite('/out/b.png', x[10:50, 20:60, ::-1]); print(x.shape)")
    assert result.text == "(100, 120, 3)\n"
    [image] = result.images
    assert image.name == "b.png"
    assert np.array_equal(image.picture, PIXELS[10:50, 20:60])


def test_an_image_comes_out_once_and_again_when_it_changes(box: Sandbox) -> None:
    save = "Image.new('RGB', ({}, 9)).save('/out/c.png')"
    assert len(box.run(save.format(8)).images) == 1
    assert box.run("pass").images == ()
    assert box.run(save.format(70)).images[0].picture.shape == (9, 70, 3)


def test_an_error_keeps_variables_and_names_the_line(box: Sandbox) -> None:
    box.run("x = 3")
    assert 'File "<cell>", line 2' in box.run("\n1 / 0").error
    assert box.run("print(x)").text == "3\n"


def test_a_file_that_is_no_image_is_named(box: Sandbox) -> None:
    result = box.run("open('/out/n.png', 'wb').write(b'no image')")
    assert result.images == ()
    assert result.notes[0].startswith("n.png")


def test_code_longer_than_a_pipe_is_run(box: Sandbox) -> None:
    assert box.run(f"x = {'y' * 300_000!r}\nprint(len(x))").text == "300000\n"


def test_a_cell_that_closes_its_output_ends_as_usual(box: Sandbox) -> None:
    result = box.run("import os\nos.close(1)\nos.close(2)\nx = 4")
    assert (result.error, result.killed) == ("", "")


def test_threads_that_a_cell_leaves_do_not_run_before_the_next_one(box: Sandbox) -> None:
    box.run("import threading, time\nstamps = []")
    box.run("""
def tick():
    while True:
        stamps.append(time.monotonic())
        time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()
time.sleep(0.2)
""")
    before = time.monotonic()
    subprocess.run([sys.executable, "-c", "import numpy, cv2"], check=True)
    waited = time.monotonic() - before
    gaps = "time.sleep(0.1)\nprint(max(b - a for a, b in zip(stamps, stamps[1:])))"
    assert float(box.run(gaps).text) >= waited


def test_names_of_images_are_plain(mode: Mode, python: Python) -> None:
    with pytest.raises(ValueError, match="can't name"):
        Sandbox({"../a": b""}, mode=mode, python=python)


def test_a_python_that_does_not_start_is_reported(mode: Mode, python: Python) -> None:
    missing = dataclasses.replace(python, executable=f"{python.executable}-missing")
    with Sandbox({}, mode=mode, python=missing) as box, pytest.raises(SandboxError, match="did not start"):
        box.run("pass")


def test_a_server_that_keeps_its_files_to_itself_can_run_code(mode: Mode, python: Python) -> None:
    usual = os.umask(0o077)
    try:
        with Sandbox({"a": encode(PIXELS)}, mode=mode, python=python) as box:
            result = box.run("print(Image.open('/in/a.png').size)")
    finally:
        os.umask(usual)
    assert (result.text.strip(), result.error) == ("(120, 100)", "")


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("setpriv"), reason="only root can start it as another user")
@pytest.mark.endurance
def test_every_attempt_has_the_same_outcome_where_the_server_is_an_ordinary_user(mode: Mode, python: Python) -> None:
    user = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups"]
    script = [python.executable, "-m", "tests.evaluation.sandbox.attempts", mode, python.executable, python.prefix]
    script += python.packages
    done = subprocess.run(
        [*user, *script], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env={"PYTHONPATH": os.pathsep.join([str(ROOT), *python.packages]), "LD_LIBRARY_PATH": f"{python.prefix}/lib"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found, worker_runs = json.loads(done.stdout)
    assert found == {one.name: one.expected(mode) for one in ATTEMPTS if one.fits}
    assert worker_runs


WORKER = """
import sys, time
from evaluation.sandbox import Mode, Python, Sandbox
mode, executable, prefix, *packages = sys.argv[1:]
with Sandbox({}, mode=Mode(mode), python=Python(executable, prefix, tuple(packages))) as box:
    box.run("x = 1")
    print(box._driver._pid, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def scratch() -> Iterator[str]:
    """A folder for temporary files, open to every user, for a process that cannot remove its own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield folder


def test_code_ends_with_its_worker(mode: Mode, python: Python, scratch: str) -> None:
    command = [sys.executable, "-c", WORKER, mode, python.executable, python.prefix, *python.packages]
    given = {**os.environ, "TMPDIR": scratch}
    with subprocess.Popen(command, cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        driver = Path("/proc", worker.stdout.readline().strip())
        assert driver.exists()
        worker.kill()
    until = time.monotonic() + 5
    while driver.exists() and time.monotonic() < until:
        os.sched_yield()
    assert not driver.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be refused as root")
def test_root_is_refused_where_it_may_not_be_dropped(python: Python) -> None:
    found = available(python, drop_root=False)
    assert isinstance(found, Refusal)
    assert "as root" in found.message


def test_code_is_refused_with_what_to_install_where_nothing_can_close_it_in(
    python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bubblewrap, Landlock is used if the kernel has it, and else nothing."""
    monkeypatch.setenv("PATH", "")
    if landlock_abi() >= launch.LANDLOCK_ABI:
        assert available(python) is Mode.LANDLOCK
    monkeypatch.setattr(launch, "LANDLOCK_ABI", 1000)
    found = available(python)
    assert isinstance(found, Refusal)
    assert "Install bubblewrap" in found.message


def test_a_python_that_its_user_cannot_start_is_refused_with_the_reason(python: Python) -> None:
    found = available(dataclasses.replace(python, packages=()))
    assert isinstance(found, Refusal)
    assert "where every user can read them" in found.message


@pytest.mark.parametrize("machine", filters.MACHINES)
@pytest.mark.parametrize("stage", filters.STAGES)
def test_the_shipped_filter_is_what_its_source_gives(machine: str, stage: str) -> None:
    assert filters.shipped(stage, machine) == filters.program(machine, stage)
