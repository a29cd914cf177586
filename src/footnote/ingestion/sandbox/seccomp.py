"""Refuse the system calls that parsing an untrusted file does not need, by a seccomp filter.

The filter is a classic BPF program over a call's number and arguments (seccomp(2)). It is a deny
list, since LibreOffice, Tesseract and numpy run under it too.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_LOAD, _MASK, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_KILL_PROCESS, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24
"""Offsets in struct seccomp_data; both architectures have the low half of an argument first."""
_SET_MODE_FILTER, _ACTION_AVAILABLE = 1, 2
_ALL_THREADS = 1
_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEWTIME and the flags of the other seven kinds of namespaces."""
_SOCKET_TYPES = 0xF
"""Mask of the socket type in the second argument of socket(2), without its flags."""
_X32 = 0x40000000
"""Number from which x86-64 repeats its calls with 32-bit pointers (the x32 ABI)."""

_CONNECTIONS = "connect accept accept4".split()
_PROCESSES = (
    "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd pidfd_open "
    "pidfd_send_signal"
).split()
_KERNEL = (
    "io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd add_key "
    "request_key keyctl init_module finit_module delete_module kexec_load kexec_file_load reboot "
    "swapon swapoff acct settimeofday clock_settime syslog quotactl quotactl_fd lookup_dcookie"
).split()
_NAMESPACES = (
    "unshare setns mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick move_mount "
    "open_tree mount_setattr name_to_handle_at open_by_handle_at"
).split()
_SIGNALS = "kill tkill rt_sigqueueinfo rt_tgsigqueueinfo".split()

_X86_64_CALLS = {
    "socket": 41, "connect": 42, "accept": 43, "bind": 49, "listen": 50, "accept4": 288,
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "clone": 56, "prlimit64": 302, "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129,
    "rt_tgsigqueueinfo": 297, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
    "add_key": 248, "request_key": 249, "keyctl": 250, "init_module": 175, "finit_module": 313,
    "delete_module": 176, "kexec_load": 246, "kexec_file_load": 320, "reboot": 169, "swapon": 167,
    "swapoff": 168, "acct": 163, "settimeofday": 164, "clock_settime": 227, "syslog": 103,
    "quotactl": 179, "lookup_dcookie": 212, "unshare": 272, "setns": 308, "mount": 165,
    "umount2": 166, "pivot_root": 155, "chroot": 161, "name_to_handle_at": 303,
    "open_by_handle_at": 304,
}  # fmt: skip
_AARCH64_CALLS = {
    "socket": 198, "connect": 203, "accept": 202, "bind": 200, "listen": 201, "accept4": 242,
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
    "clone": 220, "prlimit64": 261, "kill": 129, "tkill": 130, "tgkill": 131,
    "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240, "bpf": 280, "perf_event_open": 241,
    "userfaultfd": 282, "add_key": 217, "request_key": 218, "keyctl": 219, "init_module": 105,
    "finit_module": 273, "delete_module": 106, "kexec_load": 104, "kexec_file_load": 294,
    "reboot": 142, "swapon": 224, "swapoff": 225, "acct": 89, "settimeofday": 170,
    "clock_settime": 112, "syslog": 116, "quotactl": 60, "lookup_dcookie": 18, "unshare": 97,
    "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51,
    "name_to_handle_at": 264, "open_by_handle_at": 265,
}  # fmt: skip
_COMMON_CALLS = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426,
    "io_uring_register": 427, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "fspick": 433, "pidfd_open": 434, "clone3": 435, "pidfd_getfd": 438,
    "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Architecture:
    """The system call numbers of one processor architecture."""

    audit: int
    """Its AUDIT_ARCH_ constant, by which the kernel names it to a filter."""
    seccomp: int
    """The number of seccomp(2)."""
    calls: dict[str, int]
    has_x32: bool = False


ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, 317, _X86_64_CALLS | _COMMON_CALLS, has_x32=True),
    "aarch64": Architecture(0xC00000B7, 277, _AARCH64_CALLS | _COMMON_CALLS),
}


def architecture() -> Architecture | None:
    """Return the architecture of this process; None if its calls are not listed here."""
    if platform.system() != "Linux" or struct.calcsize("P") != 8:
        return None
    return ARCHITECTURES.get(platform.machine())


def is_supported() -> bool:
    """Whether the kernel supports the filter and this processor's calls are listed."""
    target = architecture()
    if target is None:
        return False
    action = ctypes.c_uint32(_ERRNO)
    libc = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_long(target.seccomp)
    return bool(libc.syscall(number, _ACTION_AVAILABLE, 0, ctypes.byref(action)) == 0)


def program(target: Architecture, *, pid: int | None = None) -> bytes:
    """Compile the filter to 8-byte instructions; with `pid`, only that process can be signalled."""
    return b"".join(_instructions(target, pid))


def install(*, keep_signals: bool) -> None:
    """Install the filter for all threads and their children; it cannot be removed.

    With `keep_signals`, no other process can be signalled. The process must have given up its
    privileges before. Raises OSError.
    """
    target = architecture()
    if target is None:
        raise OSError(errno.ENOSYS, f"no list of the system calls of {platform.machine()}")
    compiled = program(target, pid=os.getpid() if keep_signals else None)
    buffer = ctypes.create_string_buffer(compiled, len(compiled))
    # struct sock_fprog: the number of instructions, padding, and where they are.
    descriptor = struct.pack("@HP", len(compiled) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(target.seccomp), _SET_MODE_FILTER, _ALL_THREADS, descriptor):
        code = ctypes.get_errno()
        raise OSError(code, f"the filter of system calls cannot be set: {os.strerror(code)}")


def _instructions(target: Architecture, pid: int | None) -> Iterator[bytes]:
    calls, refused = target.calls, _ERRNO | errno.EPERM
    yield _instruction(_LOAD, _ARCHITECTURE_AT)
    yield from _unless(_EQUAL, target.audit, _KILL_PROCESS)
    yield _instruction(_LOAD, _NUMBER_AT)
    if target.has_x32:
        yield from _when(_AT_LEAST, _X32, refused)
    # clone3 has its flags in memory, which a filter cannot read: libc falls back to clone.
    yield from _when(_EQUAL, calls["clone3"], _ERRNO | errno.ENOSYS)
    for name in (*_CONNECTIONS, *_PROCESSES, *_KERNEL, *_NAMESPACES):
        yield from _when(_EQUAL, calls[name], refused)
    if pid is not None:
        for name in _SIGNALS:
            yield from _when(_EQUAL, calls[name], refused)
        yield from _check_argument(calls["tgkill"], *_unless(_EQUAL, pid, refused))
    # LibreOffice does not start unless it can listen on a socket in /tmp for a second instance. It
    # gets a socket that can do nothing; bind and listen report success.
    for name in ("bind", "listen"):
        yield from _when(_EQUAL, calls[name], _ERRNO | 0)
    yield from _check_argument(
        calls["socket"],
        *_unless(_EQUAL, socket.AF_UNIX, refused),
        _instruction(_LOAD, _SECOND_ARGUMENT_AT),
        _instruction(_MASK, _SOCKET_TYPES),
        *_unless(_EQUAL, socket.SOCK_STREAM, refused),
    )
    yield from _check_argument(calls["clone"], *_when(_ANY_BIT, _NEW_NAMESPACES, refused))
    # It may set its own resource limits alone (pid 0).
    yield from _check_argument(calls["prlimit64"], *_unless(_EQUAL, 0, refused))
    yield _instruction(_RETURN, _ALLOW)


def _check_argument(number: int, *tests: bytes) -> Iterator[bytes]:
    """For this call alone, test its first argument; allow it if no test refuses."""
    instructions = [_instruction(_LOAD, _FIRST_ARGUMENT_AT), *tests, _instruction(_RETURN, _ALLOW)]
    yield _instruction(_EQUAL, number, otherwise=len(instructions))
    yield from instructions


def _when(test: int, value: int, verdict: int) -> Iterator[bytes]:
    yield _instruction(test, value, otherwise=1)
    yield _instruction(_RETURN, verdict)


def _unless(test: int, value: int, verdict: int) -> Iterator[bytes]:
    yield _instruction(test, value, then=1)
    yield _instruction(_RETURN, verdict)


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """struct sock_filter; `then` and `otherwise` count the instructions skipped if the test is true
    or false."""
    return struct.pack("=HBBI", code, then, otherwise, value)
