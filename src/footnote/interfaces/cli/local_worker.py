"""The worker process beside a server: how it is started, kept alive and ended with the server."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog

LONGEST_PAUSE_SECONDS = 30.0
"""Between restarts of a worker that keeps dying."""


class ForkedWorker:
    """A process that was forked, as `asyncio.subprocess.Process` is one."""

    def __init__(self, process_id: int, pipe: int) -> None:
        self._process_id = process_id
        self._pipe = pipe
        """Its standard input: a line tells it to begin, and it ends when the pipe is closed."""
        self._ended: asyncio.Future[int] | None = None

    def begin(self) -> None:
        """Have it begin to work. It ends with this process, or if it is never told to begin."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, b"\n")

    async def wait(self) -> int:
        """The code it ended with."""
        if self._ended is None:
            loop = asyncio.get_running_loop()
            self._ended = ended = loop.create_future()

            def watch() -> None:
                _, status = os.waitpid(self._process_id, 0)
                with contextlib.suppress(RuntimeError):  # the loop is closed
                    loop.call_soon_threadsafe(ended.set_result, os.waitstatus_to_exitcode(status))

            # A thread of its own: those of the loop are few, and this one waits for months.
            threading.Thread(target=watch, name="worker-watch", daemon=True).start()
        # Whoever gives up waiting does not end it for the next one.
        return await asyncio.shield(self._ended)

    def terminate(self) -> None:
        """Ask it to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        # Once it was waited for, its number may be another process's.
        if self._ended is None or not self._ended.done():
            os.kill(self._process_id, number)


def fork_worker(metrics_at: tuple[str, int] | None) -> ForkedWorker | None:
    """A process that waits to be a worker, and shares the modules of this one, some 80 MB.

    Call it before the process has threads, files and connections of its own. None in the forked
    process, once it is to work; that ends here if it never is. Linux alone: what the libraries of
    other systems do in a forked process is not defined.
    """
    # What a collection touches would no longer be shared.
    gc.collect()
    gc.freeze()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    read_end, write_end = os.pipe()
    process_id = os.fork()
    if process_id:
        os.close(read_end)
        return ForkedWorker(process_id, write_end)
    os.close(write_end)
    os.dup2(read_end, 0)
    os.close(read_end)
    os.setsid()  # Ctrl-C is for the server, which then ends the worker
    with contextlib.suppress(OSError):
        # What `ps` and `top` call it.
        Path("/proc/self/comm").write_text("footnote-worker", encoding="ascii")
    if not os.read(0, 1):
        os._exit(0)
    os.environ.update(_environment(metrics_at))
    sys.argv[1:] = ["worker"]  # what telemetry calls it
    return None


def forks() -> bool:
    """Whether a worker may be forked off this process."""
    return sys.platform == "linux" and threading.active_count() == 1


@asynccontextmanager
async def worker_process(
    ready: asyncio.Event,
    metrics_at: tuple[str, int] | None,
    forked: ForkedWorker | None,
    grace_seconds: float,
) -> AsyncIterator[None]:
    """Keep a worker process alive once the engine is ready; end it with the block.

    Whoever uses an embedded Postgres last stops it, and a worker that had to be killed cannot:
    so this block ends before the engine is closed. The first worker is the forked one, if any.
    """
    keeping = asyncio.create_task(_keep_worker(ready, metrics_at, forked, grace_seconds))
    try:
        yield
    finally:
        keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeping


async def _keep_worker(
    ready: asyncio.Event,
    metrics_at: tuple[str, int] | None,
    forked: ForkedWorker | None,
    grace_seconds: float,
) -> None:
    await ready.wait()
    pause_seconds = 1.0
    process: ForkedWorker | asyncio.subprocess.Process
    while True:
        if forked is None:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "footnote.interfaces.cli.main", "worker"),
                "--until-stdin-ends",
                stdin=asyncio.subprocess.PIPE,
                env={**os.environ, **_environment(metrics_at)},
                start_new_session=True,  # as above
            )
        else:
            # The memory of another one would be that of a process with threads.
            process, forked = forked, None
            process.begin()
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            await _end(process, grace_seconds)
            raise
        structlog.get_logger(__name__).error(
            "the worker died and is started again", exit_code=code, pause_seconds=pause_seconds
        )
        await asyncio.sleep(pause_seconds)
        pause_seconds = min(pause_seconds * 2, LONGEST_PAUSE_SECONDS)


def _environment(metrics_at: tuple[str, int] | None) -> dict[str, str]:
    """Where a worker tells its own metrics: one port above the server's."""
    if metrics_at is None:
        return {}
    host, port = metrics_at
    url_host = f"[{host}]" if ":" in host else host
    return {"FOOTNOTE_METRICS_ADDRESS": f"{url_host}:{port + 1}"}


async def _end(process: ForkedWorker | asyncio.subprocess.Process, grace_seconds: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), grace_seconds)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
