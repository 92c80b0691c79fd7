"""Attempts of code to leave the sandbox, and what comes of each in both modes.

``python -m tests.evaluation.sandbox.attempts MODE EXECUTABLE PREFIX PACKAGES`` prints the outcomes as JSON, for a test
that runs it as another user.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from evaluation.sandbox import CellResult, Limits, Mode, Python, Sandbox

PIXELS = np.random.default_rng(1).integers(0, 255, (100, 120, 3), np.uint8)

PRELUDE = """
import ctypes, errno, fcntl, os, platform, resource, socket, stat, struct, subprocess, termios, threading, time, zlib

libc = ctypes.CDLL(None, use_errno=True)
machine = ("x86_64", "aarch64").index(platform.machine())

def tried(attempt):
    try:
        return repr(attempt())
    except OSError as error:
        return errno.errorcode.get(error.errno, repr(error))
    except MemoryError:
        return "MemoryError"

def call(numbers, *given):
    done = libc.syscall(numbers[machine] if isinstance(numbers, tuple) else numbers, *given)
    if done < 0:
        raise OSError(ctypes.get_errno(), "")
    return done

def answer(text, more=b""):
    # The pipe that only the driver should write to.
    for number in range(3, 30):
        try:
            pipe = stat.S_ISFIFO(os.fstat(number).st_mode)
        except OSError:
            continue
        if pipe and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
            os.write(number, text + more)
            time.sleep(60)

def png(width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\\x89PNG\\r\\n\\x1a\\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")

def pages(folder, size, most):
    for number in range(most):
        with open(f"{folder}/{number}", "wb") as file:
            file.write(bytes(size))
"""


@dataclass(frozen=True)
class Attempt:
    """``rows`` of the table in the design; those from 48 on came later. ``code``: an expression, or statements where
    it has several lines. ``bubblewrap`` and ``landlock``: the outcome, which one text states for both."""

    rows: str
    what: str
    code: str
    bubblewrap: str
    landlock: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fits(self) -> bool:
        """Whether this machine has what it uses."""
        return self.rows != "31" or platform.machine() == "x86_64"

    @property
    def name(self) -> str:
        return f"{self.rows} {self.what}"

    @property
    def cell(self) -> str:
        return self.code if "\n" in self.code else f"print(tried(lambda: {self.code}))"

    def expected(self, mode: Mode) -> str:
        return self.bubblewrap if mode is Mode.BUBBLEWRAP else self.landlock or self.bubblewrap


CALLS = {
    "bpf": (321, 280), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "io_uring_setup": (425, 425), "perf_event_open": (298, 241), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "userfaultfd": (323, 282), "setns": (308, 268),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "kcmp": (312, 272),
    "open_by_handle_at": (304, 265), "kexec_load": (246, 104), "init_module": (175, 105), "pivot_root": (155, 41),
    "chroot": (161, 51), "swapon": (167, 224), "reboot": (169, 142), "fsopen": (430, 430), "open_tree": (428, 428),
    "move_mount": (429, 429), "fanotify_init": (300, 262), "rt_sigqueueinfo": (129, 138), "mlockall": (151, 230),
    "linkat": (265, 37), "capset": (126, 91), "setrlimit": (160, 164), "setxattr": (188, 5), "execveat": (322, 281),
    "fchownat": (260, 54), "syslog": (103, 116), "timer_create": (222, 107), "sched_setaffinity": (203, 122),
    "setpriority": (141, 140), "personality": (135, 92),
}  # fmt: skip

ATTEMPTS = [
    Attempt("1", "read a file of the system", "open('/etc/passwd')", "ENOENT", "EACCES"),
    Attempt("2", "read a file of the server", "open(SECRET)", "ENOENT", "EACCES"),
    # Under bubblewrap the root lists only what is mounted for the code.
    Attempt("3", "list the root", "{'etc', 'proc', 'sys', 'boot'} & set(os.listdir('/'))", "set()", "EACCES"),
    # Landlock has no right for stat: that a file exists, and its size, can be learned.
    Attempt("4", "stat a hidden file", "os.stat(SECRET).st_size", "ENOENT", "6"),
    Attempt("5", "write to the input", "open('/in/a.png', 'r+b')", "EROFS", "EACCES"),
    Attempt("6", "write to a library", "open(os.path.dirname(os.__file__) + '/new.py', 'x')", "EROFS", "EACCES"),
    Attempt("7", "TCP", "socket.socket()", "EPERM"),
    Attempt("8", "UDP", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", "EPERM"),
    Attempt("9", "a unix socket", "socket.socket(socket.AF_UNIX)", "EPERM"),
    Attempt("10", "the raw system call of sockets", "call((41, 198), 2, 1, 0)", "EPERM"),
    Attempt("11", "own environment", "dict(os.environ)", "{}"),
    Attempt("12", "environment of the first process", "open('/proc/1/environ')", "ENOENT", "EACCES"),
    Attempt("13", "environment of the worker", "open(f'/proc/{WORKER}/environ')", "ENOENT", "EACCES"),
    Attempt("14", "memory of the worker", "open(f'/proc/{WORKER}/mem', 'r+b')", "ENOENT", "EACCES"),
    Attempt("15", "processes", "os.listdir('/proc')", "ENOENT", "EACCES"),
    Attempt("16", "kill the worker", "os.kill(WORKER, 9)", "EPERM"),
    Attempt("17", "kill a thread of the worker", "call((234, 131), WORKER, WORKER, 9)", "EPERM"),
    Attempt("18", "fork", "os.fork()", "EPERM"),
    Attempt("19", "a subprocess", "subprocess.run(['/bin/true'])", "EPERM"),
    Attempt("20", "exec in place", "os.execv('/bin/true', ['true'])", "EPERM"),
    Attempt("21", "a program in memory", "os.memfd_create('x')", "EPERM"),
    Attempt("22", "8 GB of memory", "bytearray(8 * 2**30)", "MemoryError"),
    # The limits of time are shortened: those of the product are asserted in test_limits.
    Attempt(
        "23", "a CPU loop", "while True:\n    pass", "killed: It used more than 0.5 s of CPU.", limits={"cell_cpu": 0.5}
    ),
    Attempt("24", "sleep", "time.sleep(60)", "killed: It ran longer than 0.5 s.", limits={"cell_wall": 0.5}),
    Attempt("25", "one large file", "open('/out/large', 'wb').write(bytes(33 * 2**20))", "EFBIG"),
    # The file system of bubblewrap is full; Landlock has none of its own, so the caller counts.
    Attempt("26", "many bytes", "pages('/out', 30 * 2**20, 3)", "ENOSPC", "killed: It wrote more than 64 MB."),
    Attempt("26", "many files", "pages('/out', 1, 300)", "killed: It wrote more than 200 files."),
    Attempt("27", "mount", "call((165, 40), b'none', b'/out', b'tmpfs', 0, 0)", "EPERM"),
    Attempt("28", "a namespace by unshare", "call((272, 97), 0x10000000)", "EPERM"),
    Attempt("29", "a namespace by clone", "call((56, 220), 0x10000011, 0, 0, 0, 0)", "EPERM"),
    # Its flags are in memory, so it is missing; libraries then use clone.
    Attempt("29", "a namespace by clone3", "call((435, 435), 0, 0)", "ENOSYS"),
    Attempt("30", "calls of the kernel", f"{{tried(lambda: call(one, 0, 0, 0, 0)) for one in {list(CALLS.values())}}}",
            "{'EPERM'}"),
    Attempt("31", "an x32 system call", "call(0x40000000 | 39)", "killed: The process was ended by SIGSYS."),
    Attempt("31", "a system call of 32 bits", """
import mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # getpid by interrupt 128
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())
""", "killed: The process was ended by SIGSYS."),
    Attempt("32", "System V shared memory", "call((29, 194), 0, 4096, 0o1600)", "EPERM"),
    Attempt("33", "chmod of a foreign file", "os.chmod(os.__file__, 0o777)", "EPERM"),
    Attempt("34", "utime of a foreign file", "os.utime(os.__file__)", "EPERM"),
    Attempt("35", "limits of the worker", "call((302, 261), WORKER, 9, 0, ctypes.create_string_buffer(16))", "EPERM"),
    Attempt("36", "raise own limits", "call((302, 261), 0, 9, struct.pack('QQ', 2**40, 2**40), 0)", "EPERM"),
    Attempt("37", "type into the terminal", "fcntl.ioctl(0, termios.TIOCSTI, b'x')", "EPERM"),
    Attempt("38", "mknod", "os.mknod('/out/null', stat.S_IFCHR | 0o666, os.makedev(1, 3))", "EPERM"),
    Attempt("39", "mkfifo", "os.mkfifo('/out/pipe')", "EPERM"),
    Attempt("40", "setuid", "os.setuid(0)", "EPERM"),
    Attempt("41", "a symbolic link as result", "os.symlink('/in/a.png', '/out/link.png')", "None"),
    Attempt("42", "core_pattern", "open('/proc/sys/kernel/core_pattern', 'w')", "ENOENT", "EACCES"),
    Attempt("43", "personality", "call((135, 92), 0x0400000)", "EPERM"),
    Attempt("44", "a new filter", "call((317, 277), 1, 0, ctypes.create_string_buffer(16))", "EPERM"),
    Attempt("45", "1 GB of output", "for _ in range(1024):\n    print('x' * 2**20)", "[cut after 65536 bytes]"),
    Attempt("46", "a PNG bomb", "open('/out/bomb.png', 'wb').write(png(50_000, 50_000))\n",
            "bomb.png: The file declares 50000 × 50000 pixels"),
    Attempt("47", "a file name that leaves", """answer(b'{"files": [["../x", 3]]}\\n', b'abc')\n""",
            "'../x' is no plain file name."),
    # bubblewrap's /dev is a file system in memory with no limit of its own.
    Attempt("48", "write to shared memory", "open('/dev/shm/x', 'x')", "EROFS", "EACCES"),
    # A removed file that is still open uses the disk, where nothing counts it. bubblewrap's is full at 64 MB.
    Attempt("49", "remove an open file", "(open('/out/gone', 'x'), os.remove('/out/gone'))[1]", "None", "EACCES"),
    Attempt("50", "files in a folder too deep to count", """
os.chdir("/out")
for _ in range(30):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
""", "killed: Its files could not be counted."),
    Attempt("51", "many threads", """
threading.stack_size(32768)
for _ in range(100):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
""", "killed: It started more than 64 threads."),
    # A descriptor can send any signal; the pid is unknown under bubblewrap, and Landlock keeps the signal in.
    Attempt("52", "a signal by a descriptor", """
def signalled():
    read, write = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, WORKER)
    fcntl.fcntl(read, 10, 9)  # F_SETSIG, SIGKILL
    fcntl.fcntl(read, fcntl.F_SETFL, fcntl.fcntl(read, fcntl.F_GETFL) | os.O_ASYNC)
    os.write(write, b"x")
print(tried(signalled))
""", "ESRCH", "None"),
    Attempt("53", "an answer of no size", """answer(b'{"files": [["a", 1e999]]}\\n')\n""",
            "killed: Its answer cannot be read."),
    Attempt("54", "a larger answer than allowed", """answer(b'{"files": [["a", 99999999999]]}\\n')\n""",
            "killed: Its answer is larger than allowed."),
    Attempt("55", "half a character", """answer(b'{"error": "\\\\ud800"}\\n')\n""", "?"),
]  # fmt: skip


class Runner:
    """Runs attempts in one mode. Those with the usual limits share a sandbox, which starts again after a kill."""

    def __init__(self, mode: Mode, python: Python, stack: ExitStack) -> None:
        self._mode, self._python, self._stack = mode, python, stack
        folder = Path(tempfile.mkdtemp(prefix="sightline-secret-"))
        stack.callback(shutil.rmtree, folder)
        folder.chmod(0o755)
        self._secret = folder / "secret"
        self._secret.write_text("secret")
        self._secret.chmod(0o644)
        self.worker = stack.enter_context(subprocess.Popen(["sleep", "600"]))
        stack.callback(self.worker.kill)
        self._shared = self._sandbox({})

    def outcome(self, attempt: Attempt) -> str:
        own = attempt.limits or "answer(" in attempt.code
        sandbox = self._sandbox(attempt.limits) if own else self._shared
        told = sandbox.run(f"{PRELUDE}\nSECRET, WORKER = {str(self._secret)!r}, {self.worker.pid}")
        if told.error or told.killed:
            raise RuntimeError(f"The sandbox is broken: {told}")
        return self._said(sandbox.run(attempt.cell))

    def _sandbox(self, limits: Mapping[str, Any]) -> Sandbox:
        data = cv2.imencode(".png", PIXELS)[1].tobytes()
        given = Limits(**{"attempt": 600.0, **limits})
        sandbox = self._stack.enter_context(Sandbox({"a": data}, given, self._mode, self._python))
        # Only the sandbox, not the owner of the file, may be what forbids to write to it.
        (sandbox._root / "in/a.png").chmod(0o666)
        return sandbox

    @staticmethod
    def _said(result: CellResult) -> str:
        if result.killed:
            return f"killed: {result.killed.partition(' The process was stopped.')[0]}"
        shown = [*result.text.splitlines()[-1:], *result.error.splitlines()[-1:]]
        shown += [f"{one.name} came out" for one in result.images]
        return "; ".join(shown or [note.partition(",")[0] for note in result.notes])


@contextmanager
def runner(mode: Mode, python: Python) -> Iterator[Runner]:
    with ExitStack() as stack:
        yield Runner(mode, python, stack)


def main(mode: str, executable: str, prefix: str, *packages: str) -> None:
    """Prints the outcome of every attempt by its name, and whether the worker still runs."""
    python = Python(executable, prefix, packages)
    with runner(Mode(mode), python) as running:
        found = {one.name: running.outcome(one) for one in ATTEMPTS if one.fits}
        sys.stdout.write(json.dumps([found, running.worker.poll() is None]))


if __name__ == "__main__":
    main(*sys.argv[1:])
