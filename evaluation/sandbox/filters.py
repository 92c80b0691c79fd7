"""The seccomp filters as classic BPF. ``python -m evaluation.sandbox.filters`` writes the shipped files."""

from __future__ import annotations

import errno
import platform
import struct
from pathlib import Path

from evaluation.sandbox.calls import ALLOWED, CHECKED, IOCTLS, NAMESPACE_FLAGS, START, THREAD_FLAG, Numbers

FOLDER = Path(__file__).parent / "bpf"
MACHINES = ("x86_64", "aarch64")
STAGES = ("start", "cells")
"""``start`` holds until the driver is ready, ``cells`` from then on."""

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _RETURN = 0x20, 0x06
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_X32_BIT = 0x40000000
_NUMBER_AT, _MACHINE_AT = 0, 4


def program(machine: str, stage: str) -> bytes:
    """The filter for ``machine`` at ``stage`` as instructions of 8 bytes. Raises ``ValueError`` for another machine."""
    if machine not in MACHINES:
        raise ValueError(f"There is no filter for {machine}, only for {' and '.join(MACHINES)}.")
    column = MACHINES.index(machine)
    parts = [_op(_LOAD, _MACHINE_AT), _op(_EQUAL, _AUDIT[machine], 1, 0), _op(_RETURN, _KILL), _op(_LOAD, _NUMBER_AT)]
    if machine == "x86_64":
        parts += [_op(_AT_LEAST, _X32_BIT, 0, 1), _op(_RETURN, _KILL)]
    for name, numbers in CHECKED.items():
        body = _body(name)
        parts += [_op(_EQUAL, _number(numbers, column), 0, len(body)), *body]
    for numbers in {**ALLOWED, **(START if stage == "start" else {})}.values():
        if (number := numbers[column]) is not None:
            parts += [_op(_EQUAL, number, 0, 1), _op(_RETURN, _ALLOW)]
    return b"".join([*parts, _op(_RETURN, _ERRNO | errno.EPERM)])


def shipped(stage: str, machine: str | None = None) -> bytes:
    """Return the shipped filter of this machine. Raises ``FileNotFoundError`` if there is none."""
    return (FOLDER / f"{stage}-{machine or platform.machine()}.bpf").read_bytes()


def write() -> None:
    """Writes all shipped files."""
    FOLDER.mkdir(exist_ok=True)
    for machine in MACHINES:
        for stage in STAGES:
            (FOLDER / f"{stage}-{machine}.bpf").write_bytes(program(machine, stage))


def _body(name: str) -> list[bytes]:
    """Return the instructions for a call whose arguments are checked; every path ends with a return."""
    denied = _op(_RETURN, _ERRNO | errno.EPERM)
    allowed = _op(_RETURN, _ALLOW)
    if name == "clone3":  # its flags are in memory that a filter cannot read; libraries then use clone
        return [_op(_RETURN, _ERRNO | errno.ENOSYS)]
    if name == "clone":
        return [
            _op(_LOAD, _argument(0)),
            _op(_ANY_BIT, NAMESPACE_FLAGS, 1, 0),
            _op(_ANY_BIT, THREAD_FLAG, 1, 0),
            denied,
            allowed,
        ]
    if name == "prlimit64":  # 0 is the process itself
        return [_op(_LOAD, _argument(0)), _op(_EQUAL, 0, 1, 0), denied, allowed]
    checks = [_op(_EQUAL, request, len(IOCTLS) - place, 0) for place, request in enumerate(IOCTLS)]
    return [_op(_LOAD, _argument(1)), *checks, denied, allowed]


def _argument(index: int) -> int:
    """Return the position of the low half of an argument; both machines are little-endian."""
    return 16 + 8 * index


def _number(numbers: Numbers, column: int) -> int:
    number = numbers[column]
    if number is None:
        raise ValueError("A checked call needs a number on every machine.")
    return number


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


if __name__ == "__main__":
    write()
