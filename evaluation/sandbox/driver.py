"""The process that runs cells. It is started as ``python -c`` with this text, so it imports nothing of ours.

It reads a line of JSON with its setup, closes itself in, and then answers each cell: a line of JSON, then the bytes of
the files that the cell wrote. What it says after the first cell is hostile: the caller checks everything again.
"""


# ruff: noqa: BLE001, PTH112, PTH118, PTH123, PTH208, S102

import ast
import base64
import builtins
import contextlib
import ctypes
import json
import os
import resource
import stat
import sys
import traceback
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
NO_NEW_PRIVS, DEATH_SIGNAL, SIGKILL = 38, 1, 9
SECCOMP = {"x86_64": 317, "aarch64": 277}
EVERY_FILE_RIGHT = 0xFFFF
READ = 1 << 2 | 1 << 3
WRITE = READ | 1 << 1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 14
"""Landlock: write, make folders, files and symbolic links, truncate. Nothing is removed or renamed: a removed file that
is still open would use the disk without being counted."""


def checked(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def confine_files(readable: list[str], writable: str) -> None:
    """Landlock: these folders only; no TCP, no signal and no abstract socket to processes outside."""
    rules = (ctypes.c_uint64 * 3)(EVERY_FILE_RIGHT, 3, 3)
    ruleset = checked(LIBC.syscall(444, ctypes.byref(rules), ctypes.c_size_t(24), 0), "landlock_create_ruleset")
    for path, rights in [*((path, READ) for path in readable), (writable, WRITE)]:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        given = rights if os.path.isdir(path) else rights & ~(1 << 3)
        rule = ctypes.create_string_buffer(given.to_bytes(8, "little") + folder.to_bytes(4, "little"), 12)
        checked(LIBC.syscall(445, ruleset, 1, ctypes.byref(rule), 0), "landlock_add_rule")
        os.close(folder)
    checked(LIBC.syscall(446, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def confine_calls(program: bytes) -> None:
    """Seccomp for all threads; it can't be removed or followed by another one."""
    code = ctypes.create_string_buffer(program, len(program))
    head = len(program) // 8
    pointer = ctypes.addressof(code)
    filter_ = ctypes.create_string_buffer(head.to_bytes(8, "little") + pointer.to_bytes(8, "little"), 16)
    checked(LIBC.syscall(SECCOMP[os.uname().machine], 1, 1, ctypes.byref(filter_)), "seccomp")


class Moved(ast.NodeTransformer):
    """Rewrites paths under /in and /out if no separate file system can be mounted."""

    def __init__(self, folders: dict[str, str]) -> None:
        self.folders = folders

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            for name, folder in self.folders.items():
                if node.value == name or node.value.startswith(name + "/"):
                    return ast.copy_location(ast.Constant(folder + node.value[len(name) :]), node)
        return node


def run(code: str, names: dict[str, Any], folders: dict[str, str]) -> str:
    """Runs a cell. Returns its error as a traceback, "" without one."""
    try:
        tree = ast.parse(code, "<cell>")
        if folders:
            tree = ast.fix_missing_locations(Moved(folders).visit(tree))
        exec(compile(tree, "<cell>", "exec"), names)
    except SystemExit:
        return ""
    except BaseException as error:
        shown = error.__traceback__.tb_next if error.__traceback__ else None
        return "".join(traceback.format_exception(type(error), error, shown, limit=20))[-8000:]
    return ""


def new_files(folder: str, seen: dict[str, Any], most: int) -> list[Any]:
    """Name and content of at most ``most`` regular files that are new or changed since the last cell."""
    found: list[Any] = []
    for name in sorted(os.listdir(folder)):
        about = os.lstat(os.path.join(folder, name))
        mark = (about.st_ino, about.st_size, about.st_mtime_ns)
        if not stat.S_ISREG(about.st_mode) or seen.get(name) == mark:
            continue
        seen[name] = mark
        if len(found) < most:
            handle = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW)
            with open(handle, "rb") as file:
                found.append((name, file.read()))
    return found


def main() -> None:
    wire = os.dup(0), os.fdopen(os.dup(3), "wb")
    commands = os.fdopen(wire[0], "rb")
    answers = wire[1]
    os.close(3)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    setup = json.loads(commands.readline())
    os.environ.clear()
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    checked(LIBC.prctl(NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    if setup["readable"]:
        checked(LIBC.prctl(DEATH_SIGNAL, SIGKILL, 0, 0, 0), "prctl")
        confine_files(setup["readable"], setup["out"])
    for name, value in setup["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    sys.path += setup["site"]
    import cv2
    import numpy
    import PIL.Image

    cv2.setNumThreads(1)
    PIL.Image.init()
    os.environ.clear()
    os.chdir(setup["out"])
    confine_calls(base64.b64decode(setup["filter"]))
    answers.write(b'{"ready": true}\n')
    answers.flush()
    names = {"__name__": "__main__", "__builtins__": builtins, "cv2": cv2, "np": numpy, "numpy": numpy}
    names |= {"Image": PIL.Image}
    seen: dict[str, Any] = {}
    for line in commands:
        error = run(json.loads(line), names, setup["folders"])
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        files: list[Any] = []
        try:
            files = new_files(setup["out"], seen, setup["files"])
        except OSError as problem:
            error = error or f"The files in /out could not be read: {problem}"
        head = {"error": error, "files": [[name, len(data)] for name, data in files]}
        answers.write(json.dumps(head).encode() + b"\n")
        for _, data in files:
            answers.write(data)
        answers.flush()


main()
