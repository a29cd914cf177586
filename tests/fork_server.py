"""Forks a process for each Python program that a test starts, with Footnote's modules loaded.

Run as a module with the number of a socket, by `tests.processes`, which is the other end of it.
"""

from __future__ import annotations

import gc
import io
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

LOADED = (
    "footnote.interfaces.cli.serve",
    "footnote.interfaces.cli.operations",
    "footnote.interfaces.logs",
    "httpcore",
    "onnxruntime",
)
"""What servers and workers import. None of it may start a thread: a fork copies only one."""

_STREAMS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What a forked process is to be."""

    arguments: Sequence[str]
    """As Python takes them: `-m` and a module, or `-c` and statements, and what these take."""
    env: dict[str, str]
    cwd: str


def main(control: socket.socket) -> None:
    """Load the modules and fork until the other end is closed, or be the program of a fork."""
    for name in LOADED:
        import_module(name)
    threads = Path("/proc/self/task")
    assert len(list(threads.iterdir())) == 1, "a module that is loaded before a fork has a thread"
    gc.collect()
    gc.freeze()
    run = _fork_for(control)
    if run is not None:
        # Out here, so that the interpreter ends as it does after any program.
        run()


def _fork_for(control: socket.socket) -> Callable[[], None] | None:
    """What the forked process is to run; None, in this one, when nobody will ask any more."""
    told, tells = os.pipe()
    os.set_blocking(tells, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(tells)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with the tests, whoever interrupts them
    children: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([told, control.fileno()], [], [])
        if told in ready:
            os.read(told, 65536)
            _report_ended(children)
        if control.fileno() in ready:
            asked, descriptors, _, _ = socket.recv_fds(control, 1, _STREAMS + 1)
            if not asked:
                return None
            run = _fork(descriptors, children)
            if run is not None:
                return run


def _fork(
    descriptors: Sequence[int], children: dict[int, socket.socket]
) -> Callable[[], None] | None:
    *streams, answers = descriptors
    client = socket.socket(fileno=answers)
    with client.makefile("r", encoding="utf-8") as request:
        program = Program(**json.loads(request.readline()))
    handled = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    # A signal to the new process waits until that has its own ways with signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    process_id = os.fork()
    if not process_id:
        run = _become(program, streams)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, handled)
        return run
    signal.pthread_sigmask(signal.SIG_UNBLOCK, handled)
    for each in streams:
        os.close(each)
    children[process_id] = client
    client.sendall(b"%d\n" % process_id)
    return None


def _report_ended(children: dict[int, socket.socket]) -> None:
    for process_id in list(children):
        ended, status = os.waitpid(process_id, os.WNOHANG)
        if ended:
            with children.pop(process_id) as client:
                client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(program: Program, streams: Sequence[int]) -> Callable[[], None]:
    """Make this process what Python makes of itself before it runs a program."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, given in enumerate(streams):
        os.dup2(given, number)
    os.closerange(_STREAMS, os.sysconf("SC_OPEN_MAX"))
    kind, what, *arguments = program.arguments
    of_its_own = sys.path[1 + len(_paths(os.environ)) :]
    sys.path[:] = ["" if kind == "-c" else program.cwd, *_paths(program.env), *of_its_own]
    os.environ.clear()
    os.environ.update(program.env)
    os.chdir(program.cwd)
    time.tzset()
    unbuffered = bool(program.env.get("PYTHONUNBUFFERED"))
    for number, name, errors in (
        (0, "stdin", "strict"),
        (1, "stdout", "strict"),
        (2, "stderr", "backslashreplace"),
    ):
        raw = io.FileIO(number, "w" if number else "r", closefd=False)
        buffer = io.BufferedWriter if number else io.BufferedReader
        stream = io.TextIOWrapper(
            raw if number and unbuffered else buffer(raw),
            encoding="utf-8",
            errors=errors,
            line_buffering=number == 2,
            write_through=unbuffered,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    main_module = ModuleType("__main__")
    if kind == "-c":
        sys.argv = ["-c", *arguments]
        code = compile(what, "<string>", "exec")
    else:
        spec = find_spec(what)
        assert spec is not None
        assert spec.loader is not None
        main_module.__spec__, main_module.__package__ = spec, spec.parent
        main_module.__file__ = spec.origin
        sys.argv = [str(spec.origin), *arguments]
        code = spec.loader.get_code(what)  # type: ignore[attr-defined]
    sys.modules["__main__"] = main_module
    return partial(exec, code, main_module.__dict__)


def _paths(env: Mapping[str, str]) -> list[str]:
    return list(filter(None, env.get("PYTHONPATH", "").split(os.pathsep)))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
