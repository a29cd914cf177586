"""Landlock: what a process may open from now on, by the kernel's own rules (landlock(7)).

Its three system calls have the same numbers on every architecture, and no wrapper in libc.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Mapping
from enum import IntFlag
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITIES_OF_64_BITS = 0x20080522

TCP_SINCE = 4
"""The version of Landlock that knows TCP."""
SIGNALS_SINCE = 6
"""The version that keeps signals, and abstract sockets, inside."""


class Access(IntFlag):
    """What a path may be opened for."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15

    READ = READ_FILE | READ_DIR
    CHANGE = (
        WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO
        | MAKE_SYM | REFER | TRUNCATE
    )  # fmt: skip


_KNOWN_SINCE = ((1, (1 << 13) - 1), (2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV))
_OF_FILES = Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE
"""What a rule about a file may speak of; the rest is about folders."""
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def version() -> int:
    """The version of Landlock that the kernel has, from 1; 0 where it has none or forbids it."""
    try:
        return max(_system_call(_CREATE_RULESET, None, 0, _ASK_VERSION), 0)
    except OSError:
        return 0


def restrict(rules: Mapping[str, Access]) -> int:
    """Leave this thread, and what it starts, these paths, no TCP and no signals outwards.

    A path stands for all beneath it; one that is not there is left out. Returns the version whose
    rules hold. The process must have given up its privileges before. Raises OSError.
    """
    known = version()
    handled = 0
    for since, access in _KNOWN_SINCE:
        handled |= access if known >= since else 0
    # The record grew with the versions, and an older kernel refuses what it does not know.
    record = struct.pack("=Q", handled)
    if known >= TCP_SINCE:
        record += struct.pack("=Q", _BIND_AND_CONNECT_TCP)
    if known >= SIGNALS_SINCE:
        record += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = _system_call(_CREATE_RULESET, record, len(record), 0)
    try:
        for path, access in rules.items():
            _allow(ruleset, path, access & handled)
        _system_call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return known


def give_up_privileges() -> None:
    """Drop all capabilities, and let no program that is run from now on gain any.

    Those of root would see past Landlock: CAP_PERFMON shows the environment of every process.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header, none = struct.pack("=Ii", _CAPABILITIES_OF_64_BITS, 0), bytes(24)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.capset(header, none):
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")


def existing(paths: Iterable[str]) -> tuple[str, ...]:
    """Those that are there, resolved, each once."""
    there = (Path(path) for path in paths if path)
    return tuple(dict.fromkeys(str(path.resolve()) for path in there if path.exists()))


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            access &= _OF_FILES
        rule = struct.pack("=Qi", access, opened)
        _system_call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(opened)


def _system_call(number: int, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [
        ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments
    ]
    result = int(libc.syscall(ctypes.c_long(number), *given))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
