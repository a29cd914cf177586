"""A program that is forked is a process like one that Python has started anew."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

import pytest

from .processes import Start, start_anew, start_python


@pytest.fixture(params=[start_python, start_anew], ids=["forked", "anew"])
def start(request: pytest.FixtureRequest) -> Start:
    chosen: Start = request.param
    return chosen


async def ended(
    start: Start, statements: str, *arguments: str, stdin: bytes = b""
) -> tuple[int | None, str, str]:
    process = await start(
        *("-c", statements, *arguments),
        env={"FOOTNOTE_X": "y"},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    out, err = await process.communicate(stdin)
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize(
    ("statements", "code", "said"),
    [
        ("", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no more')", 1, "no more\n"),
        ("import os; os._exit(5)", 5, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
        ("import atexit, sys; atexit.register(print, 'bye', file=sys.stderr)", 0, "bye\n"),
        (
            "import threading, time; threading.Thread(target=lambda: (time.sleep(0.05), "
            "__import__('sys').stderr.write('late'))).start()",
            0,
            "late",
        ),
    ],
    ids=["at its end", "a code", "a reason", "at once", "killed", "at exit", "with a thread"],
)
async def test_it_ends_as_it_ends(start: Start, statements: str, code: int, said: str) -> None:
    assert await ended(start, statements) == (code, "", said)


async def test_what_nobody_catches_is_told_and_ends_it(start: Start) -> None:
    code, out, err = await ended(start, "def divide():\n    1 / 0\ndivide()")
    assert (code, out) == (1, "")
    assert err.startswith("Traceback")
    assert err.endswith("ZeroDivisionError: division by zero\n")


WAITS = """
import sys
try:
    print("begun", flush=True)
    sys.stdin.read()
finally:
    print("ended", flush=True)
"""


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, b""), (signal.SIGTERM, b""), (signal.SIGINT, b"ended\n")],
)
async def test_a_signal_ends_it(start: Start, number: signal.Signals, said: bytes) -> None:
    process = await start(*("-c", WAITS), env={}, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"begun\n"
    assert process.returncode is None
    process.send_signal(number)
    assert await process.wait() == -number
    assert await process.stdout.read() == said
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
    with pytest.raises(ProcessLookupError):
        process.kill()


async def test_it_has_its_own_environment_folder_arguments_and_streams(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "shown.py").write_text(
        "import os, sys\n"
        "print(__name__, sys.argv[1:], dict(os.environ)['FOOTNOTE_X'], os.getcwd())\n"
        "print('“here”', file=sys.stderr)\n"
        "print('HOME' in os.environ, sys.stdin.read())\n"
    )
    env = {
        "FOOTNOTE_X": "y",
        "PYTHONPATH": str(tmp_path),
        "PYTHONUNBUFFERED": "1",
        "LANG": "C.UTF-8",
    }
    process = await start(
        *("-m", "shown", "--port", "0"),
        env=env,
        cwd=tmp_path,
        stdin=PIPE,
        stdout=PIPE,
        stderr=STDOUT,
    )
    out, err = await process.communicate("“there”".encode())
    assert out.decode() == f"__main__ ['--port', '0'] y {tmp_path}\n“here”\nFalse “there”\n"
    assert not err
    assert process.returncode == 0


HOLDS = """
import os, signal, threading
numbers = set()
for name in os.listdir("/proc/self/fd"):
    try:
        os.fstat(int(name))
        numbers.add(int(name))
    except OSError:
        pass
print(sorted(numbers), len(os.listdir("/proc/self/task")), threading.active_count())
print([signal.getsignal(each) in (signal.SIG_DFL, signal.default_int_handler)
       for each in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)])
print(signal.pthread_sigmask(signal.SIG_BLOCK, []), os.getpgid(0), os.getsid(0))
"""


async def test_it_holds_nothing_of_the_tests(start: Start) -> None:
    beside = await start("-c", WAITS, env={}, stdin=PIPE, stdout=PIPE)
    code, out, err = await ended(start, HOLDS)
    beside.kill()
    await beside.communicate()
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "[0, 1, 2] 1 1",
        "[True, True, True]",
        f"set() {os.getpgid(0)} {os.getsid(0)}",
    ]


async def test_what_one_changes_no_other_sees(start: Start) -> None:
    change = (
        "import os, json, footnote; footnote.left = json.left = os.environ['LEFT'] = 'something'"
    )
    look = (
        "import os, json, footnote; "
        "print([hasattr(footnote, 'left'), hasattr(json, 'left'), 'LEFT' in os.environ])"
    )
    assert (await ended(start, change))[0] == 0
    assert await ended(start, look) == (0, "[False, False, False]\n", "")


async def test_what_it_writes_to_a_file_is_there(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with log.open("ab") as file:
        for number in range(2):
            process = await start(
                "-c", f"print({number})", env={}, stdin=DEVNULL, stdout=file, stderr=file
            )
            assert await process.wait() == 0
    assert log.read_text() == "0\n1\n"


async def test_it_may_read_nothing_of_what_it_is_given(start: Start) -> None:
    assert await ended(start, "", stdin=b"x" * 1_000_000) == (0, "", "")


async def test_many_run_beside_each_other(start: Start) -> None:
    program = "import sys; print(sys.stdin.read(), sys.argv[1])"
    found = await asyncio.gather(
        *(ended(start, program, str(number), stdin=b"in") for number in range(8))
    )
    assert found == [(0, f"in {number}\n", "") for number in range(8)]


async def test_what_is_forked_has_loaded_what_takes_long() -> None:
    loaded = "import sys; print('footnote.interfaces.http.app' in sys.modules)"
    assert await ended(start_python, loaded) == (
        0,
        "True\n" if sys.platform == "linux" else "False\n",
        "",
    )
