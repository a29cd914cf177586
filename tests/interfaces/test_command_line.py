"""What the command line says and returns before any engine is needed."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable, FootnoteError, NotFound, StoreUnavailable
from footnote.interfaces.cli.command_runner import wants_json
from footnote.interfaces.cli.main import COMMANDS as LOADED
from footnote.interfaces.cli.main import app, exit_code_of, load_command
from footnote.interfaces.cli.options import EXIT_CODES
from tests.interfaces.serving import Ended, footnote, footnote_process
from tests.processes import start_anew

COMMANDS = [
    "demo",
    "ingest",
    "search",
    "ask",
    "agent",
    "chat",
    "grounding check",
    "access grant",
    "access revoke",
    "access list",
    "access show",
    "access set",
    "access explain",
    "conversations list",
    "conversations show",
    "conversations rename",
    "conversations delete",
    "conversations export",
    "feedback give",
    "feedback export",
    "documents list",
    "documents map",
    "documents show",
    "documents delete",
    "documents erase",
    "erasure list",
    "erasure verify",
    "erasure replay",
    "documents retry",
    "page",
    "lanes",
    "reembed",
    "admin create",
    "admin export",
    "keys create",
    "keys list",
    "keys rotate",
    "keys revoke",
    "share collection",
    "share conversation",
    "share list",
    "share revoke",
    "citations",
    "unanswered",
    "collections list",
    "collections delete",
    "graph",
    *(
        f"entities {name}"
        for name in (
            *("list", "show", "mentions", "merge", "split", "rename"),
            *("decisions", "undo", "extract", "progress"),
        )
    ),
    *(
        f"facts {name}"
        for name in (
            *("list", "recall", "show", "confirm", "reject"),
            *("conflicts", "changes", "extract", "progress"),
        )
    ),
    *(f"clusters {name}" for name in ("list", "show", "progress")),
    *(f"summaries {name}" for name in ("show", "progress")),
    *(f"backfill {name}" for name in ("show", "start", "pause", "resume")),
    "eval-runs list",
    "eval-runs show",
    "eval-runs compare",
    "eval-runs delete",
    "eval-runs start",
    "eval-runs started",
    "eval-runs cancel",
    "source list",
    "source check",
    "source add",
    "source run",
    "source pause",
    "source remove",
    "usage",
    "trace",
    "cluster plan",
    "cluster apply",
    "cluster status",
    "cluster isolate",
    "cluster move",
    "cluster rebalance",
    "upgrade",
    *(f"backup {name}" for name in ("create", "list", "verify", "restore", "prune")),
    "budget set",
    "budget list",
    "budget remove",
    "audit list",
    "audit export",
    "audit verify",
    "config list",
    "config get",
    "config set",
    "config unset",
    "config history",
    "retention list",
    "retention set",
    "retention unset",
    "retention preview",
    "retention apply",
    "hold list",
    "hold set",
    "hold lift",
    "login",
    "logout",
    "webhooks add",
    "webhooks list",
    "webhooks remove",
    "webhooks test",
    "models show",
    "models use",
    "models reset",
    "mcp-servers add",
    "mcp-servers list",
    "mcp-servers remove",
    "workspace create",
    "workspace list",
    "workspace destroy",
    "encryption status",
    "encryption rotate-master",
    "encryption rotate-data",
    "encryption export-keys",
    "encryption import-keys",
    "serve",
    "mcp",
    "eval",
    "worker",
    "doctor",
]
ENV = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}


@pytest.fixture
def command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ended]:
    """The command line in this process, for what ends before any settings are read."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: str) -> Ended:
        call = partial(app, arguments, prog_name="footnote", standalone_mode=False)
        code = exit_code_of(call, arguments)
        written = capfd.readouterr()
        return Ended(code, written.out, written.err)

    return run


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_exit_codes_and_no_type_of_the_code(
    name: str, command: Callable[..., Ended]
) -> None:
    ended = command(*name.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    assert words(EXIT_CODES)[:60] in words(ended.out)
    assert "<" not in re.sub(r"\S*<=x<=\S*", "", ended.out)
    assert "UUID" not in ended.out
    assert "-h, --help" in ended.out


WITHOUT_JSON = {
    *("demo", "serve", "mcp", "worker", "login", "logout"),
    *("conversations export", "feedback export", "audit export"),  # What they write has its form.
    *("eval-runs delete", "eval-runs cancel", "source remove", "access revoke"),
    *("collections delete", "webhooks remove", "keys revoke", "share revoke"),
    *("retention unset", "budget remove", "mcp-servers remove"),
}
"""Commands that give no record; those of the last lines print nothing."""


def test_every_other_command_takes_json() -> None:
    def lacking(command: TyperCommand | TyperGroup, path: str) -> Iterator[str]:
        if isinstance(command, TyperGroup):
            for name, inner in command.commands.items():
                assert isinstance(inner, TyperCommand | TyperGroup)
                yield from lacking(inner, f"{path} {name}")
        elif not any("--json" in each.opts for each in command.params):
            yield path

    found = {each for name in LOADED for each in lacking(load_command(name), name)}
    assert found == WITHOUT_JSON


def test_help_names_every_group(command: Callable[..., Ended]) -> None:
    ended = command("--help")
    assert all(name.split()[0] in ended.out for name in COMMANDS)
    assert "FOOTNOTE_WORKSPACE" in ended.out


def test_help_loads_no_engine() -> None:
    code = (
        "import sys, footnote.interfaces.cli.main; "
        "print([name for name in ('numpy', 'psycopg', 'onnxruntime', 'fastapi', 'uvicorn', "
        "'footnote.engine') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_said(command: Callable[..., Ended]) -> None:
    ended = command("--version")
    assert (ended.code, ended.out.split()[0]) == (0, "footnote")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search",), "`footnote search --help` says how it is used."),
        (("serch", "x"), "`footnote --help` lists the commands"),
        (("documents", "show"), "`footnote documents show --help` says how it is used."),
        (("documents", "shew"), "`footnote documents --help` lists the commands"),
        (("search", "x", "--bogus"), "--bogus"),
        (("ask", os.fsdecode(b"bad \xff")), "an argument is not UTF-8: its byte 5 is 0xFF"),
        (("ask", "Wie", "hoch"), "Put an argument of several words in quotation marks; "),
        (
            ("ask", "-15 degrees?"),
            "Write -- before an argument that begins with a dash; ",
        ),
        (("search", "x", "-k", "0"), "it must be at least 1, not 0"),
        (("search", "x", "-k", "few"), "it must be a whole number, not 'few'"),
        (("search", "x", "--kind", "poem"), "'--kind': 'poem' is not one of 'heading', "),
        (("search", "x", "--source-type", "fax"), "fax"),
        (("search", "x", "--min-similarity", "2"), "2"),
        (("search", "x", "--set", "rerank=7"), "rerank=7 cannot be used: it must be true or false"),
        (("ask", "x", "--facet", "class"), "--facet"),
        (("chat", "--conversation", "a"), "'--conversation': it must be a UUID such as "),
        (("ingest", "/no/such/file"), "there is no file or folder '/no/such/file'"),
        (("ingest", ""), "a path is empty"),
        (("ingest", "ftp://a.b/c"), "nothing can be taken in from ftp://; name a file, a folder "),
        (("ingest", "file:///etc/hosts"), "nothing can be taken in from file://"),
        (("documents", "list", "--status", "lost"), "lost"),
        (("documents", "list", "--limit", "few"), "few"),
        (("search", "x", "--collection", ""), "'--collection' / '-c': it must not be empty"),
        (("documents", "list", "-c", " "), "'--collection' / '-c': it must not be empty"),
        (("summaries", "show", "--collection", ""), "'--collection': it must not be empty"),
        (("collections", "delete", ""), "'COLLECTION': it must not be empty"),
        (("facts", "recall", ""), "'QUERY': it must not be empty"),
        (("keys", "create", ""), "'NAME': it must not be empty"),
        (("usage", "--since", "May"), "'May' is not like 2024-05-31."),
        (
            ("backup", "restore", "--at", "yesterday"),
            "'yesterday' is not like 2024-05-31T09:30:00Z or 2024-05-31T09:30:00.",
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_wrong_usage_is_one_sentence_and_a_hint_and_exit_code_2(
    arguments: tuple[str, ...], said: str, command: Callable[..., Ended]
) -> None:
    ended = command(*arguments)
    assert (ended.code, ended.out) == (2, "")
    error, hint = ended.err.strip().splitlines()
    assert error.startswith("Error: ")
    assert hint.startswith("Hint: ")
    assert said in ended.err
    assert not [word for word in ("Input should", "Value error", "parse") if word in error]


def test_wrong_usage_is_json_when_json_is_wanted(command: Callable[..., Ended]) -> None:
    ended = command("search", "--json", "--bogus")
    assert (ended.code, ended.err) == (2, "")
    error = json.loads(ended.out)["error"]
    assert set(error) == {"code", "message", "hint", "exit_code"}
    assert (error["code"], error["exit_code"]) == ("usage", 2)


@pytest.mark.parametrize("name", ["BAD", "-x", "ä", "a b", "x" * 64])
def test_nobody_is_told_to_create_a_workspace_that_cannot_be(
    name: str, command: Callable[..., Ended]
) -> None:
    ended = command("documents", "list", f"--workspace={name}")
    assert (ended.code, ended.out) == (2, "")
    assert repr(name) in ended.err
    assert "workspace create" not in ended.err
    assert "lower-case" in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
async def test_output_that_nobody_takes_is_one_sentence_and_exit_code_1(unbuffered: str) -> None:
    process = await asyncio.create_subprocess_shell(
        f"{sys.executable} -m footnote.interfaces.cli.main --help > /dev/full",
        env={**ENV, "PYTHONUNBUFFERED": unbuffered},
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await process.communicate()
    error, hint = err.decode().strip().splitlines()
    assert process.returncode == 1
    assert error == "Error: Footnote cannot write: No space left on device."
    assert hint.startswith("Hint: ")


async def test_output_that_is_closed_is_one_sentence_and_exit_code_1() -> None:
    process = await asyncio.create_subprocess_shell(
        f"{sys.executable} -m footnote.interfaces.cli.main --help >&-",
        env=ENV,
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await process.communicate()
    error, hint = err.decode().strip().splitlines()
    assert process.returncode == 1
    assert error == "Error: Footnote cannot write: standard output is closed."
    assert hint.startswith("Hint: ")


async def test_what_the_terminal_cannot_show_is_escaped() -> None:
    env = {**ENV, "PYTHONIOENCODING": "ascii"}
    for arguments in (("--help",), ("search", "“quoted”", "--plän"), ("doctor", "--wörter")):
        ended = await footnote_process(env, *arguments, start=start_anew)
        assert "Traceback" not in ended.err
        assert "UnicodeEncodeError" not in ended.err
        assert ended.code == (0 if arguments == ("--help",) else 2)
    wrong = await footnote_process(env, "search", "x", "--kínd", "--json", start=start_anew)
    assert json.loads(wrong.out)["error"]["code"] == "usage"


async def test_a_setting_that_cannot_be_used_is_named() -> None:
    ended = await footnote({**ENV, "FOOTNOTE_POOL_SIZE": "many"}, "search", "x")
    assert ended.code == 2
    assert "pool_size" in ended.err
    assert "FOOTNOTE_POOL_SIZE" in ended.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("there is no such document"), 3),
        (StoreUnavailable("the database does not answer", hint="start it"), 4),
        (DocumentUnreadable(stage=Stage.PARSE, cause="it is broken", advice="send another"), 1),
        (FootnoteError("no"), 1),
        (ValueError("a defect"), 1),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_every_end_has_its_exit_code_and_no_traceback(
    error: BaseException, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise error

    assert exit_code_of(fail, []) == code
    written = capfd.readouterr()
    assert "Traceback" not in written.err
    assert written.out == ""


def test_json_is_wanted_only_by_the_option() -> None:
    assert wants_json(["search", "--json", "x"])
    assert not wants_json(["search", "--", "--json"])
    assert not wants_json(["search", "json"])


async def test_serving_other_computers_is_refused_with_the_reason() -> None:
    for arguments, env in (
        (("serve", "--host", "0.0.0.0"), ENV),
        (("serve",), {**ENV, "FOOTNOTE_ADDRESS": "192.168.1.2:8080"}),
    ):
        ended = await footnote(env, *arguments)
        assert ended.code == 2
        assert "FOOTNOTE_IDENTITY" in ended.err
        assert "127.0.0.1" in ended.err


async def test_the_list_of_commands_is_shown_without_loading_what_only_they_need() -> None:
    code = (
        "import sys\nfrom footnote.interfaces.cli.main import app\n"
        "app(['--help'], prog_name='footnote', standalone_mode=False)\n"
        "loaded = {'pydantic', 'rich', 'asyncio', 'footnote.domain'} & sys.modules.keys()\n"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    assert all(name in out.decode() for name in LOADED)


def test_every_command_is_reachable_from_the_application() -> None:
    assert {command.split()[0] for command in COMMANDS} == LOADED.keys()
