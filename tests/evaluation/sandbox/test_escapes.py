"""Attempts of code to leave the sandbox, in both modes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from annotation.imaging.encoding import encode
from evaluation.sandbox import Mode, Python, Refusal, Sandbox, available, filters
from evaluation.sandbox.launch import LANDLOCK_ABI, landlock_abi

PIXELS = np.random.default_rng(1).integers(0, 255, (100, 120, 3), np.uint8)

DENIED = {
    "read a file of the system": "open('/etc/passwd')",
    "list processes": "os.listdir('/proc')",
    "write to the input": "open('/in/a.png', 'ab')",
    "write to a library": "open(np.__file__, 'ab')",
    "TCP": "import socket; socket.socket()",
    "a unix socket": "import socket; socket.socket(socket.AF_UNIX)",
    "the environment of the first process": "open('/proc/1/environ')",
    "kill": "os.kill(os.getppid() or 1, 9)",
    "fork": "os.fork()",
    "a subprocess": "import subprocess; subprocess.run(['/bin/true'])",
    "exec in place": "os.execv('/bin/true', ['true'])",
    "memfd": "os.memfd_create('x')",
    "chmod": "os.chmod('/out', 0o777)",
    "utime": "os.utime('/out')",
    "limits of another process": "import resource; resource.prlimit(1, resource.RLIMIT_AS)",
    "raise own limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))",
    "mkfifo": "os.mkfifo('/out/f')",
    "core_pattern": "open('/proc/sys/kernel/core_pattern', 'w')",
    "8 GB of memory": "bytearray(8 * 2**30)",
    "one large file": "open('/out/big', 'wb').write(bytes(40 * 2**20))",
}


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Python]:
    """The interpreter, as hard links where its own folder is closed to other users."""
    own = Python()
    if not isinstance(available(own), Refusal):
        yield own
        return
    folder = Path("/tmp") / f"sightline-python-{os.getpid()}"
    folder.mkdir()
    folder.chmod(0o755)
    subprocess.run(["cp", "-al", own.prefix, folder / "base"], check=True)
    base = folder / "base"
    copied = Python(str(base / "bin" / Path(own.executable).name), str(base), own.packages)
    found = available(copied)
    try:
        if isinstance(found, Refusal):
            pytest.skip(found.message)
        yield copied
    finally:
        shutil.rmtree(folder)


@pytest.fixture(params=list(Mode))
def sandbox(request: pytest.FixtureRequest, python: Python) -> Iterator[Sandbox]:
    if request.param is Mode.BUBBLEWRAP and available(python) is not Mode.BUBBLEWRAP:
        pytest.skip("bubblewrap does not work here")
    if request.param is Mode.LANDLOCK and landlock_abi() < LANDLOCK_ABI:
        pytest.skip(f"Landlock {landlock_abi()} is older than {LANDLOCK_ABI}")
    with Sandbox({"a": encode(PIXELS)}, mode=request.param, python=python) as box:
        yield box


@pytest.mark.parametrize("attempt", DENIED.values(), ids=DENIED.keys())
def test_an_attempt_fails_with_an_error(sandbox: Sandbox, attempt: str) -> None:
    result = sandbox.run(f"import os\n{attempt}")
    assert "Error" in result.error, result
    assert not any(name in result.error for name in ("NameError", "ImportError", "AttributeError", "SyntaxError"))


def test_variables_persist_and_images_come_out(sandbox: Sandbox) -> None:
    sandbox.run("x = cv2.imread('/in/a.png')")
    result = sandbox.run("cv2.imwrite('/out/b.png', x[10:50, 20:60]); print(x.shape)")
    assert result.text == "(100, 120, 3)\n"
    assert [(image.name, image.width, image.height) for image in result.images] == [("b.png", 40, 40)]


def test_the_environment_is_empty(sandbox: Sandbox) -> None:
    assert sandbox.run("import os; print(dict(os.environ), os.getuid() != 0)").text == "{} True\n"


def test_output_is_cut_and_links_are_ignored(sandbox: Sandbox) -> None:
    result = sandbox.run("import os; os.symlink('/in/a.png', '/out/l.png'); print('x' * 200_000)")
    assert len(result.text) < 70_000
    assert "cut after" in result.text
    assert result.images == ()


def test_a_file_that_is_no_image_is_named(sandbox: Sandbox) -> None:
    result = sandbox.run("open('/out/n.png', 'wb').write(b'no image')")
    assert result.images == ()
    assert result.notes[0].startswith("n.png")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be refused as root")
def test_root_is_refused_where_it_may_not_be_dropped(python: Python) -> None:
    assert isinstance(available(python, drop_root=False), Refusal)


@pytest.mark.parametrize("machine", filters.MACHINES)
@pytest.mark.parametrize("stage", filters.STAGES)
def test_the_shipped_filter_is_what_its_source_gives(machine: str, stage: str) -> None:
    assert filters.shipped(stage, machine) == filters.program(machine, stage)


def test_a_server_that_keeps_its_files_to_itself_can_run_code(python: Python) -> None:
    usual = os.umask(0o077)
    try:
        with Sandbox({"a": encode(PIXELS)}, mode=mode_of(python), python=python) as box:
            result = box.run("print(Image.open('/in/a.png').size)")
    finally:
        os.umask(usual)
    assert (result.text.strip(), result.error) == ("(120, 100)", "")


def mode_of(python: Python) -> Mode:
    found = available(python)
    return found if isinstance(found, Mode) else pytest.skip(found.message)
