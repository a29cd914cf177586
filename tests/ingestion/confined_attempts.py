"""Run in a confined process: what hostile code would try, and how the kernel answers."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path


def call(name: str, *arguments: object) -> None:
    """A function of libc; raises OSError as Python's own would."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc[name](*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)


def opened(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def ran(*command: str) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def limits_of(pid: int) -> None:
    call("prlimit", pid, 7, None, ctypes.create_string_buffer(16))


def connected(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(path)


def through_a_link(own: Path, outside: Path) -> None:
    link = own / "link"
    link.symlink_to(outside)
    link.write_text("changed")


def moved_in(own: Path, outside: Path) -> None:
    outside.rename(own / "stolen")


def attempts(own: Path, outside: Path, server: str) -> dict[str, Callable[[], object]]:
    parent = Path(f"/proc/{os.getppid()}")
    stream, datagram = socket.SOCK_STREAM, socket.SOCK_DGRAM
    return {
        "a TCP socket": lambda: opened(socket.AF_INET, stream),
        "a TCP socket of IPv6": lambda: opened(socket.AF_INET6, stream),
        "a UDP socket": lambda: opened(socket.AF_INET, datagram),
        "a raw socket": lambda: opened(socket.AF_INET, socket.SOCK_RAW),
        "a netlink socket": lambda: opened(socket.AF_NETLINK, datagram),
        "a local datagram socket": lambda: opened(socket.AF_UNIX, datagram),
        "a connection to a local server": lambda: connected(server),
        "io_uring": lambda: call("syscall", 425, 8, bytes(120)),
        "reading another file": outside.read_text,
        "writing another file": lambda: outside.write_text("changed"),
        "writing through a link": lambda: through_a_link(own, outside),
        "deleting another file": outside.unlink,
        "moving another file": lambda: moved_in(own, outside),
        "a new file elsewhere": (outside.parent / "new").touch,
        "a new folder elsewhere": (outside.parent / "folder").mkdir,
        "listing another folder": lambda: list(outside.parent.iterdir()),
        "the environment of its parent": (parent / "environ").read_bytes,
        "the memory of its parent": lambda: (parent / "mem").open("rb").close(),
        "a signal to its parent": lambda: os.kill(os.getppid(), 0),
        "the limits of its parent": lambda: limits_of(os.getppid()),
        "ptrace": lambda: call("ptrace", 0x4206, os.getppid(), None, None),
        "a shell": lambda: ran("/bin/sh", "-c", "true"),
        "a Python": lambda: ran(sys.executable, "-V"),
        "a new namespace": lambda: call("unshare", 0x10000000),
        "a mount": lambda: call("mount", b"none", os.fsencode(own), b"tmpfs", 0, None),
    }  # fmt: skip


def how_it_ends(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


if __name__ == "__main__":
    own, outside, server, left_out = json.load(sys.stdin)
    ends = {
        name: how_it_ends(attempt)
        for name, attempt in attempts(Path(own), Path(outside), server).items()
        if name not in left_out
    }
    (Path(own) / "mine").write_text("written")
    ends["its own folder"] = (Path(own) / "mine").read_text()
    json.dump(ends, sys.stdout)
