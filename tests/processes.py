"""Python programs that tests start as processes of their own: to be killed, or to be piped to.

Python takes seconds to load Footnote's modules. So these are forked off a process that has loaded
them (`tests.fork_server`), and are processes like any other in all else: each has its environment,
its folder, its streams and its signals, and shares nothing with the tests. What concerns the start
itself, such as what a module loads or what Python makes of its environment, needs a real start.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
Stream = int | IO[bytes] | None


class ForkedProcess:
    """A process of another parent, with the members of `asyncio.subprocess.Process`."""

    stdin: asyncio.StreamWriter | None = None
    stdout: asyncio.StreamReader | None = None
    stderr: asyncio.StreamReader | None = None
    returncode: int | None = None

    def __init__(
        self, pid: int, told: asyncio.StreamReader, connection: asyncio.StreamWriter
    ) -> None:
        self.pid = pid
        self._ended = asyncio.create_task(self._until_ended(told, connection))

    async def _until_ended(
        self, told: asyncio.StreamReader, connection: asyncio.StreamWriter
    ) -> int:
        line = await told.readline()
        connection.close()
        assert line, "the process that forks others has died"
        self.returncode = int(line)
        return self.returncode

    async def wait(self) -> int:
        """The code it ended with; minus the number of the signal that ended it."""
        # Whoever gives up waiting does not end it for the next one.
        return await asyncio.shield(self._ended)

    async def communicate(self, input: bytes | None = None) -> tuple[bytes, bytes]:  # noqa: A002
        """Write to its standard input, close that, and read what it says until it ends."""
        out, err, _ = await asyncio.gather(
            _read(self.stdout), _read(self.stderr), self._write(input)
        )
        await self.wait()
        return out, err

    async def _write(self, given: bytes | None) -> None:
        if self.stdin is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):  # it may read none of it
            if given:
                self.stdin.write(given)
                await self.stdin.drain()
        self.stdin.close()

    def send_signal(self, number: int) -> None:
        """Send a signal. Raises ProcessLookupError where it has ended."""
        if self.returncode is not None:
            raise ProcessLookupError
        os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


Process = asyncio.subprocess.Process | ForkedProcess
Start = Callable[..., Awaitable[Process]]


async def start_python(
    *arguments: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
) -> Process:
    """Start Python with `-m` and a module, or `-c` and statements, and what these take.

    Streams are as `asyncio.create_subprocess_exec` takes them.
    """
    given = (stdin, stdout, stderr)
    if sys.platform != "linux":  # elsewhere nobody says what libraries do in a fork
        return await start_anew(
            *arguments, env=env, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr
        )
    program = {"arguments": arguments, "env": dict(env), "cwd": str(cwd or Path.cwd())}
    connection, theirs = socket.socketpair()
    ours: list[int | None] = []
    with ExitStack() as passed:
        passed.enter_context(theirs)
        streams: list[int] = []
        for number, stream in enumerate(given):
            own, passes = _stream(number, stream, streams, passed)
            ours.append(own)
            streams.append(passes)
        socket.send_fds(_fork_server(), [b"\0"], [*streams, theirs.fileno()])
    connection.sendall(json.dumps(program).encode() + b"\n")
    told, telling = await asyncio.open_connection(sock=connection)
    first = await told.readline()
    assert first, "the process that forks others has died"
    process = ForkedProcess(int(first), told, telling)
    if ours[0] is not None:
        process.stdin = await _writer(ours[0])
    if ours[1] is not None:
        process.stdout = await _reader(ours[1])
    if ours[2] is not None:
        process.stderr = await _reader(ours[2])
    return process


async def start_anew(
    *arguments: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: Stream = None,
    stdout: Stream = None,
    stderr: Stream = None,
) -> Process:
    """The same by an interpreter that begins at the beginning."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, *arguments),
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
    )


def _stream(
    number: int, wanted: Stream, before: Sequence[int], passed: ExitStack
) -> tuple[int | None, int]:
    """This end of a pipe, if it is to be one, and what the process gets."""
    if wanted is None:
        return None, number
    if wanted == PIPE:
        reads, writes = os.pipe()
        own, passes = (reads, writes) if number else (writes, reads)
        passed.callback(os.close, passes)
        return own, passes
    if wanted == DEVNULL:
        nothing = os.open(os.devnull, os.O_RDWR)
        passed.callback(os.close, nothing)
        return None, nothing
    if wanted == STDOUT:
        return None, before[1]
    return None, wanted if isinstance(wanted, int) else wanted.fileno()


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    return reader


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(descriptor, "wb", 0)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    return b"" if stream is None else await stream.read()


@cache
def _fork_server() -> socket.socket:
    """The connection to the process that forks others, which ends with this one."""
    connection, theirs = socket.socketpair()
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
            cwd=ROOT,
            # The threads of a library of numbers would not be there in a fork.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    def end() -> None:
        connection.close()
        server.wait()

    atexit.register(end)
    return connection
