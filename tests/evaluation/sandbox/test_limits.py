"""Limits of cells: their values, and what happens at each. Those of time and number are shortened here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from annotation.imaging.encoding import encode
from evaluation.sandbox import Limits, Mode, Python, Sandbox
from evaluation.sandbox.box import GONE
from tests.evaluation.sandbox.attempts import PIXELS

Box = Callable[..., Sandbox]
MB = 2**20


@pytest.fixture
def box(mode: Mode, python: Python) -> Iterator[Box]:
    with ExitStack() as stack:

        def make(**limits: Any) -> Sandbox:
            return stack.enter_context(Sandbox({"a": encode(PIXELS)}, Limits(**limits), mode, python))

        yield make


def test_the_limits_are_those_of_the_design() -> None:
    assert Limits() == Limits(
        cell_cpu=10, cell_wall=20, attempt=120, memory=2048 * MB, file=32 * MB, out_bytes=64 * MB, out_files=200,
        output=65536, open_files=128, threads=64, images=16, pixels=200_000_000,
    )  # fmt: skip


def test_the_kernel_has_the_limits_of_the_process(box: Box) -> None:
    names = ("AS", "FSIZE", "NOFILE", "CPU", "CORE")
    shown = f"import resource\nprint([resource.getrlimit(getattr(resource, 'RLIMIT_' + name)) for name in {names}])"
    values = (2048 * MB, 32 * MB, 128, 120, 0)
    assert box().run(shown).text.strip() == str([(value, value) for value in values])


def test_cpu_is_limited_for_each_cell_and_not_for_all(box: Box) -> None:
    found = box(cell_cpu=0.5)
    used = "import time\nstart = time.process_time()\nwhile time.process_time() < start + 0.3:\n    pass"
    assert [found.run(used).killed for _ in range(2)] == [""] * 2
    assert found.run("while True:\n    pass").killed == f"It used more than 0.5 s of CPU. {GONE}"


def test_code_cannot_escape_the_limit_of_cpu_by_handling_its_signal_or_in_threads(box: Box) -> None:
    result = box(cell_cpu=0.5).run("""
import signal, threading
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
def spin():
    while True:
        cv2.GaussianBlur(np.zeros((900, 900, 3)), (31, 31), 0)
for one in [threading.Thread(target=spin) for _ in range(3)]:
    one.start()
one.join()
""")
    assert result.killed.startswith("It used more than 0.5 s of CPU.")
    assert result.seconds < 2


def test_a_cell_is_stopped_after_its_seconds(box: Box) -> None:
    result = box(cell_wall=0.3).run("import time\nprint('before', flush=True)\ntime.sleep(60)")
    assert (result.text, result.killed) == ("before\n", f"It ran longer than 0.3 s. {GONE}")


def test_all_cells_together_have_the_seconds_of_an_attempt(box: Box) -> None:
    found = box(attempt=0.5)
    sleep = "import time\ntime.sleep(0.3)"
    assert found.run(sleep).killed == ""
    assert found.run(sleep).killed.startswith("It ran longer than 0.")
    assert found.run("print(1)").killed == "The 0.5 s of the attempt are used."


def test_after_a_kill_variables_and_files_are_gone_and_code_runs_again(box: Box) -> None:
    found = box(cell_wall=0.3)
    found.run("x = 1\nopen('/out/x.txt', 'w').close()")
    assert GONE in found.run("import time\ntime.sleep(60)").killed
    assert "NameError" in found.run("print(x)").error
    assert found.run("import os\nprint(os.listdir('/out'), os.listdir('/in'))").text == "[] ['a.png']\n"


def test_memory_is_limited_and_the_cell_can_go_on(box: Box) -> None:
    found = box()
    assert "MemoryError" in found.run("x = bytearray(2 * 2**30)").error
    assert found.run("x = bytearray(2**28)\nprint(len(x))").text == f"{2**28}\n"


def test_a_file_has_its_largest_size(box: Box) -> None:
    save = "open('/out/f', 'wb').write(bytes({}))"
    found = box()
    assert found.run(save.format(32 * MB)).error == ""
    assert "File too large" in found.run(save.format(33 * MB)).error


def test_files_in_out_have_their_number(box: Box) -> None:
    save = "for n in range({}):\n    open(f'/out/{{n}}', 'w').close()"
    found = box()
    assert found.run(save.format(200)).killed == ""
    assert found.run("open('/out/one more', 'w').close()").killed == f"It wrote more than 200 files. {GONE}"


def test_output_is_cut_at_its_limit(box: Box) -> None:
    found = box()
    assert found.run("print('x' * 65535)").text == "x" * 65535 + "\n"
    assert found.run("print('x' * 65536)").text == "x" * 65536 + "\n[cut after 65536 bytes]"


def test_few_files_can_be_open(box: Box) -> None:
    result = box().run("files = []\nwhile True:\n    files.append(open('/in/a.png'))")
    assert "Too many open files" in result.error


def test_at_most_sixteen_images_of_a_cell_come_out(box: Box) -> None:
    result = box().run("for n in range(20):\n    Image.new('RGB', (8, 8)).save(f'/out/{n:02}.png')")
    assert [one.name for one in result.images] == [f"{n:02}.png" for n in range(16)]


def test_the_images_of_a_cell_have_at_most_the_pixels_of_the_limit(box: Box) -> None:
    result = box(pixels=1000).run("for n in range(3):\n    Image.new('RGB', (20, 20)).save(f'/out/{n}.png')")
    assert [one.name for one in result.images] == ["0.png", "1.png"]
    assert result.notes == ("The images have more than 1,000 pixels. 2.png and those after it are left out.",)
