"""One sandbox per attempt: a driver that receives cells, its limits, and the images that come out."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from annotation.imaging.crops import Picture
from annotation.imaging.decoding import decode, inspect
from annotation.imaging.problems import PictureProblem
from evaluation.sandbox import filters, groups
from evaluation.sandbox.launch import NOBODY, Limits, Mode, Python, Refusal, available, bubblewrap, dropped
from evaluation.sandbox.process import Driver

DRIVER = (Path(__file__).parent / "driver.py").read_text()
_START_SECONDS = 30.0
_POLL = 0.1
"""Seconds between two looks at what a cell uses of the limits that the kernel does not know."""
_MOST_HEAD = 2**20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
GONE = "The process was stopped. Variables and files of earlier cells are gone."


class SandboxError(RuntimeError):
    """The sandbox could not start, or its driver broke before the first cell. The message says why."""


@dataclass(frozen=True, slots=True)
class OutImage:
    """An image that a cell wrote to /out as ``name``."""

    name: str
    picture: Picture


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of a cell. ``error``: a traceback, "" without one. ``killed``: why it was stopped, "" if it was not;
    the next cell then has no variables. ``notes``: files that are not images, with the reason. ``seconds`` of wall
    clock.
    """

    text: str
    images: tuple[OutImage, ...]
    error: str
    killed: str
    seconds: float
    notes: tuple[str, ...] = ()


class _Stopped(Exception):
    """The cell must be killed; the text gives the reason."""


class Sandbox:
    """Runs cells in one process, so that variables persist. Use it as a context manager, from one thread.

    ``images``: PNG bytes by name; a cell reads them as ``/in/<name>.png`` and writes results to ``/out``. Raises
    ``SandboxError`` where code can't be closed in, and ``ValueError`` for a name that is no plain file name.
    """

    def __init__(
        self,
        images: Mapping[str, bytes],
        limits: Limits | None = None,
        mode: Mode | None = None,
        python: Python | None = None,
    ) -> None:
        self.limits, self.python = limits or Limits(), python or Python()
        found = mode or available(self.python)
        if isinstance(found, Refusal):
            raise SandboxError(found.message)
        self.mode = found
        for name in images:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} can't name an image: use letters, digits, dots, - and _.")
        self._images = images
        self._left = self.limits.attempt
        self._process: subprocess.Popen[bytes] | None = None
        self._driver: Driver | None = None
        self._group: groups.Group | None = None

    def __enter__(self) -> Sandbox:
        self._root = Path(tempfile.mkdtemp(prefix="sightline-cells-"))
        for folder in ("in", "out"):
            # A server keeps its files private, regardless of the requested mode.
            (self._root / folder).mkdir()
            (self._root / folder).chmod(0o755)
        for name, data in self._images.items():
            path = self._root / "in" / f"{name}.png"
            path.write_bytes(data)
            path.chmod(0o644)
        if os.getuid() == 0:
            os.chown(self._root, NOBODY, NOBODY)
            os.chown(self._root / "out", NOBODY, NOBODY)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self._root, ignore_errors=True)

    @property
    def grouped(self) -> bool:
        """Whether a control group limits its processes together, besides the limits of each."""
        return self._group is not None

    def run(self, cell: str) -> CellResult:
        """Run ``cell``; start a driver first if none is running. Raises ``SandboxError`` if it can't start."""
        if self._left <= 0:
            return CellResult("", (), "", f"The {self.limits.attempt:g} s of the attempt are used.", 0.0)
        if self._process is None:
            self._start()
        began = time.monotonic()
        reading = _Reading(self, min(self.limits.cell_wall, self._left))
        error, killed = "", ""
        images: tuple[OutImage, ...] = ()
        notes: tuple[str, ...] = ()
        try:
            head, data = reading.answer(json.dumps(cell).encode() + b"\n")
            error = _encodable(str(head.get("error", "")))[:8000]
        except _Stopped as stopped:
            killed = f"{stopped} {GONE}"
            self._stop()
        seconds = time.monotonic() - began
        self._left -= seconds
        if not killed:
            images, notes = _checked(head, data, self.limits)
        return CellResult(self._told(reading.text()), images, self._told(error), killed, seconds, notes)

    def _told(self, text: str) -> str:
        """``text`` with the paths that the model knows."""
        return text.replace(f"{self._root}/", "/")

    def _start(self) -> None:
        if self.mode is Mode.LANDLOCK:
            shutil.rmtree(self._root / "out")
            (self._root / "out").mkdir(mode=0o755)
            if os.getuid() == 0:
                os.chown(self._root / "out", NOBODY, NOBODY)
        self._answers, answers = os.pipe()
        info, child_info = os.pipe()
        rules = os.memfd_create("filter")
        os.write(rules, filters.shipped("start"))
        os.lseek(rules, 0, os.SEEK_SET)
        # Bubblewrap waits at a gate until its process is in the group, because what it starts must be there too.
        gate, opener = os.pipe()
        command = [self.python.executable]
        if self.mode is Mode.BUBBLEWRAP:
            command = bubblewrap(self.python, str(self._root / "in"), rules)
            command[1:1] = ["--info-fd", str(child_info), "--block-fd", str(gate)]
        # The driver expects its answers at descriptor 3, regardless of the pipe's number here.
        inner = f"import os; os.dup2({answers}, 3)\n" + DRIVER if answers != 3 else DRIVER
        given = (answers, child_info, rules, gate) if self.mode is Mode.BUBBLEWRAP else (answers,)
        try:
            self._process = subprocess.Popen(
                [*command, "-I", "-S", "-c", inner],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
                env=self.python.environment, cwd="/", pass_fds=given, start_new_session=True,
                **dropped(),  # type: ignore[call-overload]
            )  # fmt: skip
        except OSError as problem:
            for descriptor in (self._answers, info, opener):
                os.close(descriptor)
            raise SandboxError(f"The sandbox did not start: {problem}") from problem
        finally:
            for descriptor in (answers, child_info, rules, gate):
                os.close(descriptor)
        with os.fdopen(info, "rb") as file:
            text = file.read()
        child = json.loads(text)["child-pid"] if text.strip() else None
        self._group = _group_of(child or self._process.pid, self.limits)
        os.close(opener)
        reading = _Reading(self, _START_SECONDS)
        try:
            reading.answer(json.dumps(self._setup()).encode() + b"\n")
            self._driver = self._found(child)
        except (_Stopped, OSError) as problem:
            self._stop()
            raise SandboxError(f"The sandbox did not start: {problem} {reading.text()}".strip()) from None

    def _found(self, child: int | None) -> Driver:
        """The driver, asleep until its first cell. ``child``: bubblewrap's process that started it."""
        if self._process is None:
            raise _Stopped("The process has ended.")
        if child is None:
            driver = Driver(self._process.pid, self._root / "out")
        else:
            driver = Driver.started_by(child, Path("/proc", str(child), "root", "out"))
        driver.freeze()
        return driver

    def _setup(self) -> dict[str, Any]:
        landlock = self.mode is Mode.LANDLOCK
        folders = {f"/{name}": str(self._root / name) for name in ("in", "out")} if landlock else {}
        devices = ["/dev/null", "/dev/urandom", "/etc/ld.so.cache"]
        return {
            "readable": [*self.python.libraries, folders["/in"], *filter(os.path.exists, devices)] if landlock else [],
            "out": folders.get("/out", "/out"),
            "folders": folders,
            "limits": self.limits.of_process(),
            "files": self.limits.images,
            "site": list(self.python.packages),
            "filter": base64.b64encode(filters.shipped("cells")).decode(),
        }

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for file in (process.stdin, process.stdout):
            if file:
                with contextlib.suppress(BrokenPipeError):
                    file.close()
        os.close(self._answers)
        if self._driver:
            self._driver.close()
            self._driver = None
        if self._group:
            self._group.close()
            self._group = None


class _Reading:
    """One exchange with the driver: text up to its limit, the answer up to its own, the clock, and /out."""

    def __init__(self, sandbox: Sandbox, seconds: float) -> None:
        self.sandbox, self.until = sandbox, time.monotonic() + seconds
        self.seconds = seconds
        self._text, self._cut, self._answer = bytearray(), False, bytearray()
        self._looked = 0.0

    def text(self) -> str:
        """The output of the cell, cut at its limit."""
        shown = self._text.decode("utf-8", "replace")
        return f"{shown}\n[cut after {self.sandbox.limits.output} bytes]" if self._cut else shown

    def answer(self, line: bytes) -> tuple[dict[str, Any], bytes]:
        """Sends ``line``; returns the head of the answer and the bytes after it. Raises ``_Stopped``.

        The driver runs only meanwhile, so that what it uses is always counted.
        """
        process, driver = self.sandbox._process, self.sandbox._driver
        if process is None or process.stdin is None or process.stdout is None:
            raise _Stopped("The process has ended.")
        output, answers, commands = process.stdout, self.sandbox._answers, process.stdin
        os.set_blocking(commands.fileno(), False)
        watched: list[IO[bytes] | int] = [output, answers]
        cpu = driver.cpu() if driver else 0.0
        if driver:
            driver.thaw()
        while True:
            ready, free, _ = select.select(watched, [commands] if line else [], [], _POLL)
            if free:
                line = line[self._sent(commands, line) :]
            if output in ready and not self._printed(os.read(output.fileno(), 65536)):
                watched.remove(output)
            whole = self._more(process, answers) if answers in ready else None
            if whole is not None and driver:
                driver.freeze()
            if time.monotonic() > self.until:
                raise _Stopped(f"It ran longer than {self.seconds:g} s.")
            if driver:
                self._look(driver, cpu, whole is not None)
            if whole is not None:
                self._rest(output)
                return whole

    def _sent(self, file: IO[bytes], line: bytes) -> int:
        try:
            return os.write(file.fileno(), line[:65536])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(line)  # the answer's pipe then ends too, which shows why

    def _more(self, process: subprocess.Popen[bytes], answers: int) -> tuple[dict[str, Any], bytes] | None:
        part = os.read(answers, 2**20)
        if not part:
            raise _Stopped(self._ended(process))
        self._answer += part
        return self._whole()

    def _printed(self, part: bytes) -> bool:
        """Keeps what fits; returns whether there was anything."""
        room = self.sandbox.limits.output - len(self._text)
        self._text += part[: max(0, room)]
        self._cut = self._cut or len(part) > room
        return bool(part)

    def _rest(self, output: IO[bytes]) -> None:
        while select.select([output], [], [], 0)[0] and self._printed(os.read(output.fileno(), 65536)):
            if time.monotonic() > self.until:
                return

    def _ended(self, process: subprocess.Popen[bytes]) -> str:
        if process.stdout:
            self._rest(process.stdout)
        try:
            code = process.wait(2)
        except subprocess.TimeoutExpired:
            return "The process closed its pipe."
        if self.sandbox._group and self.sandbox._group.out_of_memory():
            return f"It used more than {self.sandbox.limits.memory // 2**20} MB of memory."
        number = -code if code < 0 else code - 128
        try:
            return f"The process was ended by {signal.Signals(number).name}."
        except ValueError:
            return f"The process ended with code {code}."

    def _whole(self) -> tuple[dict[str, Any], bytes] | None:
        end = self._answer.find(b"\n")
        if end < 0:
            if len(self._answer) > _MOST_HEAD:
                raise _Stopped("Its answer cannot be read.")
            return None
        try:
            head = json.loads(self._answer[:end])
            files = [(str(name), int(size)) for name, size in head.get("files", [])]
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            raise _Stopped("Its answer cannot be read.") from None
        limits = self.sandbox.limits
        total = sum(size for _, size in files)
        if len(files) > limits.images or min((size for _, size in files), default=0) < 0 or total > limits.out_bytes:
            raise _Stopped("Its answer is larger than allowed.")
        length = len(self._answer) - end - 1
        if length > total:
            raise _Stopped("Its answer is larger than it says.")
        # It comes in many pieces: the bytes are copied once, when they are complete.
        checked = {"error": head.get("error", ""), "files": files}
        return (checked, bytes(self._answer[end + 1 :])) if length == total else None

    def _look(self, driver: Driver, cpu: float, last: bool) -> None:
        """Kills a cell that uses more than the limits. ``cpu``: what the driver had used before it; ``last``: it is
        done."""
        if time.monotonic() < self._looked + _POLL and not last:
            return
        self._looked = time.monotonic()
        limits = self.sandbox.limits
        if driver.cpu() - cpu > limits.cell_cpu:
            raise _Stopped(f"It used more than {limits.cell_cpu:g} s of CPU.")
        if driver.threads() > limits.threads:
            raise _Stopped(f"It started more than {limits.threads} threads.")
        try:
            count, size = driver.written(limits.out_files)
        except OSError:
            raise _Stopped("Its files could not be counted.") from None
        if count > limits.out_files:
            raise _Stopped(f"It wrote more than {limits.out_files} files.")
        if size > limits.out_bytes:
            raise _Stopped(f"It wrote more than {limits.out_bytes // 2**20} MB.")


def _group_of(pid: int, limits: Limits) -> groups.Group | None:
    """The new group of a process, None where no group with limits can be made."""
    parent = groups.handed_over()
    if parent is None:
        return None
    try:
        group = groups.Group(parent, groups.values_of(limits))
    except OSError:
        return None
    try:
        group.take(pid)
    except OSError:
        group.close()
        return None
    return group


def _encodable(text: str) -> str:
    """``text`` without half characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _checked(head: Mapping[str, Any], data: bytes, limits: Limits) -> tuple[tuple[OutImage, ...], tuple[str, ...]]:
    """The files of an answer that are images with plain names, and why the others are not taken."""
    images: list[OutImage] = []
    notes: list[str] = []
    start, room = 0, limits.pixels
    for name, size in head["files"][: limits.images]:
        content, start = data[start : start + size], start + size
        if not _NAME.fullmatch(name):
            notes.append(f"{name[:100]!r} is no plain file name.")
            continue
        try:
            info = inspect(content)
            room -= info.width * info.height
            if room < 0:
                notes.append(
                    f"The images have more than {limits.pixels:,} pixels. {name} and those after it are left out."
                )
                break
            images.append(OutImage(name, decode(content)))
        except PictureProblem as problem:
            notes.append(f"{name}: {problem.message}")
    return tuple(images), tuple(notes)
