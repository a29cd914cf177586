"""Restrict the files, TCP and signals of the running process by Landlock (landlock(7)).

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
"""First version of Landlock that restricts TCP."""
SIGNALS_SINCE = 6
"""First version that restricts signals and abstract UNIX sockets to the sandbox."""


class Access(IntFlag):
    """Landlock's access rights to a path."""

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


_ACCESS_SINCE = ((1, (1 << 13) - 1), (2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV))
_FILE_ACCESS = Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE
"""The rights that a rule for a file may grant; the others apply to folders alone."""
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def version() -> int:
    """Return the kernel's version of Landlock, from 1; 0 where it is missing or forbidden."""
    try:
        return max(_system_call(_CREATE_RULESET, None, 0, _ASK_VERSION), 0)
    except OSError:
        return 0


def restrict(rules: Mapping[str, Access]) -> int:
    """Restrict this thread and its children to these paths, without TCP or signals to outsiders.

    A path includes everything below it; missing paths are skipped. Returns the version of Landlock
    in force. The process must have given up its privileges before. Raises OSError.
    """
    kernel_version = version()
    handled = 0
    for since, access in _ACCESS_SINCE:
        handled |= access if kernel_version >= since else 0
    # The struct grew with the versions; an older kernel refuses fields it does not know.
    record = struct.pack("=Q", handled)
    if kernel_version >= TCP_SINCE:
        record += struct.pack("=Q", _BIND_AND_CONNECT_TCP)
    if kernel_version >= SIGNALS_SINCE:
        record += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    ruleset = _system_call(_CREATE_RULESET, record, len(record), 0)
    try:
        for path, access in rules.items():
            _allow(ruleset, path, access & handled)
        _system_call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return kernel_version


def give_up_privileges() -> None:
    """Drop all capabilities, and set no_new_privs so that no executed program gains any.

    Root's would bypass Landlock: CAP_PERFMON shows the environment of every process.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header, empty = struct.pack("=Ii", _CAPABILITIES_OF_64_BITS, 0), bytes(24)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.capset(header, empty):
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")


def existing(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths that exist, resolved and without duplicates."""
    candidates = (Path(path) for path in paths if path)
    return tuple(dict.fromkeys(str(path.resolve()) for path in candidates if path.exists()))


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _FILE_ACCESS
        rule = struct.pack("=Qi", access, descriptor)
        _system_call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def _system_call(number: int, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    converted = [
        ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments
    ]
    result = int(libc.syscall(ctypes.c_long(number), *converted))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
