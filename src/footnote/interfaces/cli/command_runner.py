"""Runs commands: settings and logs before each, and a sentence for its error after it."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import inspect
import json
import logging
import os
import re
import sys
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterator,
    Sequence,
)
from contextlib import aclosing, contextmanager, suppress
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeVar, cast, get_type_hints

import typer
from rich.console import Console
from rich.text import Text

from footnote.errors import FootnoteError, InvalidArguments, InvalidRequest
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace, workspace_name
from footnote.interfaces.cli.present import encodable_json, plain, print_json, show_degraded
from footnote.interfaces.failures import UNEXPECTED, UNWRITABLE, USAGE, failure_of

if TYPE_CHECKING:
    from footnote.engine import Engine, WorkspaceEngine
    from footnote.settings import Settings

INTERRUPTED = 130
"""128 + SIGINT, as shells count."""

T = TypeVar("T")
Work = TypeVar("Work", bound=Callable[..., object])

Shown = AsyncIterator[object]
"""What a command that shows something yields: the record that `--json` prints, once."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""As <malloc.h> has them."""
_LARGE_BYTES = 1 << 20
"""Smaller ones come and go with every search."""


def prepared(*, tell: bool = True, **overrides: object) -> Settings:
    """The settings of this call, with the logs set up as they say.

    Warns of variables that look like settings and are none, unless `tell` is off.
    """
    from footnote.interfaces.logs import write_logs
    from footnote.settings import settings_from, unknown_variables

    supplied = {name: value for name, value in overrides.items() if value is not None}
    if tell:
        for name, hint in unknown_variables(os.environ):
            show_degraded([f"there is no setting {name}; {hint}"])
    settings = settings_from(None, supplied)
    write_logs(settings)
    return settings


def return_freed_memory() -> None:
    """Have a process that goes on for long give large blocks back to the system once they are free.

    glibc keeps more and more of them otherwise, the larger those were that it was asked for: 100 MB
    after the models and vectors are loaded. It also keeps an arena for each of a dozen threads,
    20 MB together, though mostly one of them works. Other C libraries have no such settings.
    """
    with suppress(OSError, AttributeError):
        c_library = ctypes.CDLL(None)
        for option in (_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD):
            c_library.mallopt(option, _LARGE_BYTES)
        c_library.mallopt(_M_ARENA_MAX, 1)


def wait_for(work: Coroutine[object, object, T]) -> T:
    """Run the asynchronous part of a command."""
    return asyncio.run(work)


def require_yes(question: str, done: str) -> None:
    """Ask whether what cannot be undone is meant; a no is told that nothing was `done`.

    Raises typer.Abort for a no, and InvalidRequest where nobody answers.
    """
    try:
        sure = typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        Console(stderr=True).print()
        raise InvalidRequest(
            f"Nothing was {done}: there is no terminal to ask whether it is meant.",
            hint="Give --yes where no terminal is, or answer y.",
        ) from None
    if not sure:
        # What a pipe answers ends no line.
        line_end = "" if sys.stdin.isatty() else "\n"
        Console(stderr=True).print(f"{line_end}Nothing was {done}.")
        raise typer.Abort


def in_workspace(
    context: typer.Context,
    workspace: str | None,
    verb: Callable[[WorkspaceEngine], Awaitable[T]],
    *,
    top_k: int | None = None,
) -> T:
    """The result of a verb in the workspace of a command, with an engine of this process."""
    settings = prepared(top_k=top_k)
    name = workspace_name(context, workspace)

    async def work() -> T:
        from footnote import open as opened
        from footnote.ports.telemetry import span

        async with opened(settings) as engine:
            with span(f"footnote {context.info_name}"):
                return await verb(await entered(engine, name))

    return asyncio.run(work())


def workspace_command(
    app: typer.Typer, name: str, *, negative_numbers: bool = False
) -> Callable[[Work], Work]:
    """Add a command that works in a workspace, with `--workspace` as an option of it.

    With `negative_numbers`, -1 is an argument as 1 is, and so is an option that there is not.

    Its function is a coroutine of the workspace and of the command's own arguments, by name. One
    that shows something is a generator, and the command takes `--json`: what it yields is then
    printed and nothing else; otherwise it goes on, and prints what a person reads.
    """

    def add(work: Work) -> Work:
        shows = inspect.isasyncgenfunction(work)
        _, *specific = inspect.signature(work).parameters.values()
        holder = SimpleNamespace(
            __annotations__={option.name: option.annotation for option in specific}
        )
        hints = get_type_hints(holder, vars(sys.modules[work.__module__]), include_extras=True)
        shared: list[tuple[str, object, object]] = [("workspace", Workspace, None)]
        shared += [("as_json", AsJson, False)] if shows else []
        parameters = [
            ("context", typer.Context, inspect.Parameter.empty),
            *((option.name, hints[option.name], option.default) for option in specific),
            *shared,
        ]

        def command(
            *,
            context: typer.Context,
            workspace: str | None,
            as_json: bool = False,
            **arguments: object,
        ) -> None:
            async def run(workspace: WorkspaceEngine) -> None:
                running = work(workspace, **arguments)
                if not isinstance(running, AsyncGenerator):
                    await cast("Awaitable[None]", running)
                    return
                async with aclosing(running):
                    async for record in running:
                        if as_json:
                            print_json(record)
                            return

            in_workspace(context, workspace, run)

        command.__doc__ = work.__doc__
        command.__annotations__ = {}
        keyword_only = inspect.Parameter.KEYWORD_ONLY
        vars(command)["__signature__"] = inspect.Signature(
            [
                inspect.Parameter(key, keyword_only, default=default, annotation=hint)
                for key, hint, default in parameters
            ]
        )
        settings = {"ignore_unknown_options": negative_numbers}
        app.command(name, epilog=EXIT_CODES, context_settings=settings)(command)
        return work

    return add


async def entered(engine: Engine, name: str | None) -> WorkspaceEngine:
    """A workspace, as whoever logged in; else as the operator, who can read the database anyway.

    Raises NotAuthenticated for a key or a token that is no longer valid, and NotFound.
    """
    from footnote.domain.credentials import Presented
    from footnote.interfaces.cli.stored_token import stored_token

    settings = engine.settings
    token = stored_token(settings.home)
    if token is None:
        return await engine.workspace(name)
    if not settings.identity_ways:
        raise InvalidRequest(
            "there is a key or a token to act with, and nobody is asked who they are here",
            hint="set FOOTNOTE_IDENTITY as the server has it; as the operator, unset "
            "FOOTNOTE_API_KEY or run `footnote logout`",
        )
    caller = await engine.caller(Presented(bearer=token))
    return await engine.enter_as(caller, name)


_HELP = "the command's --help says what it takes"


def about_arguments(error: BaseException, arguments: Sequence[str]) -> BaseException:
    """What ended a command; of bytes that are no text, the argument that has them.

    Commands that take files may be given such names, so arguments are not refused before.
    """
    if isinstance(error, UnicodeEncodeError):
        for argument in arguments:
            try:
                argument.encode()
            except UnicodeEncodeError as wrong:
                byte = os.fsencode(argument[wrong.start])[0]
                before = len(os.fsencode(argument[: wrong.start]))
                return InvalidRequest(
                    f"an argument is not UTF-8: its byte {before + 1:,} is 0x{byte:02X}",
                    hint="write it in UTF-8",
                )
    return error


def exit_code_for(error: BaseException, *, as_json: bool) -> int:
    """Report what ended a command, where there is something to say, and return its exit code."""
    match error:
        case FootnoteError():
            failure = failure_of(error)
            # A command's options are not the arguments that the verb behind it has.
            hint = _HELP if isinstance(error, InvalidArguments) else error.hint
            report(failure.code, str(error), hint, failure.exit_code, as_json=as_json)
            return failure.exit_code
        case typer.TyperException():
            message = _usage_message(error)
            if message.startswith("Usage: ") and not as_json:  # a group without a command of it
                sys.stderr.write(f"{message}\n")
            elif message:  # empty after a help page
                report(USAGE.code, message, _usage_hint(error), USAGE.exit_code, as_json=as_json)
            return USAGE.exit_code
        case KeyboardInterrupt() | typer.Abort() | asyncio.CancelledError():
            return INTERRUPTED
        case BrokenPipeError() | SystemExit():
            # typer and rich end the process when the reader of a pipe has gone; it has had enough
            _stop_writing()
            return 0
        case Exception():
            return _unexpected(error, as_json=as_json)
        case _:
            raise error


def _usage_message(error: typer.TyperException) -> str:
    """What is wrong with a command line; messages of libraries are replaced by our own."""
    from pydantic import ValidationError

    from footnote.validation.messages import wrong_value

    if isinstance(error.__cause__, ValidationError):
        first = error.__cause__.errors(include_url=False)[0]
        error.message = wrong_value(first)
    value, _, formats = error.message.partition(_NOT_OF_FORMAT)
    if formats:
        moment = datetime(2024, 5, 31, 9, 30, tzinfo=UTC)
        examples = [
            moment.strftime(time_format).replace("+0000", "Z")
            for time_format in re.findall("'([^']+)'", formats)
            if "%f" not in time_format
        ]
        error.message = f"{value} is not like {' or '.join(examples)}."
    return error.format_message()


_NOT_OF_FORMAT = " does not match the format"
"""Behind the value, before the formats of a time as the library has them."""


_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""The error numbers of a device that is full."""


def _unexpected(error: Exception, *, as_json: bool) -> int:
    """Report an unexpected error, or that the output or the disk is full."""
    if isinstance(error, OSError) and error.errno in _FULL:
        _stop_writing()
        sentence = f"Footnote cannot write: {error.strerror}."
        with suppress(OSError):
            report(UNWRITABLE.code, sentence, _FULL_HINT, UNWRITABLE.exit_code, as_json=False)
        return UNWRITABLE.exit_code
    logging.getLogger(__name__).debug("unexpected failure", exc_info=error)
    sentence = f"Something failed inside Footnote: {type(error).__name__}: {error}"
    report(UNEXPECTED.code, sentence, _UNEXPECTED_HINT, 1, as_json=as_json)
    return UNEXPECTED.exit_code


_FULL_HINT = "Make room where the output goes and in FOOTNOTE_HOME, then run it again."
_UNEXPECTED_HINT = "Run it again with FOOTNOTE_LOG=debug to see where."


def _usage_hint(error: typer.TyperException) -> str:
    """Where to read how the command is used."""
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "footnote")
    if getattr(getattr(context, "command", None), "commands", None) or context is None:
        return f"`{command} --help` lists the commands; each has its own --help."
    how = f"`{command} --help` says how it is used."
    if error.message.startswith("Got unexpected extra argument"):
        return f"Put an argument of several words in quotation marks; {how}"
    if re.match(r"No such option: -[^-]", error.message):
        return f"Write -- before an argument that begins with a dash; {how}"
    return how


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for JSON, even if the rest of it cannot be understood."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def report(code: str, message: str, hint: str | None, exit_code: int, *, as_json: bool) -> None:
    """Say what went wrong: a sentence and a hint on stderr, or an object on stdout."""
    if as_json:
        error = {"code": code, "message": message, "hint": hint, "exit_code": exit_code}
        with suppress(BrokenPipeError):
            text = json.dumps({"error": error}, indent=2, ensure_ascii=False)
            sys.stdout.write(encodable_json(text, sys.stdout.encoding) + "\n")
            sys.stdout.flush()
        return
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    # They quote names that others gave, which must not steer a terminal.
    for name, style, sentence in (("Error: ", "bold red", message), ("Hint: ", "bold", hint)):
        if sentence:
            lines = "\n".join(map(plain, sentence.split("\n")))
            console.print(Text.assemble((name, style), lines), soft_wrap=True)


@contextmanager
def ending_with(exit_code: Callable[[], int]) -> Iterator[None]:
    """End the command with this code once its output is written, or its reader has left."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        _stop_writing()
    if code := exit_code():
        raise typer.Exit(code)


def _stop_writing() -> None:
    """Let the interpreter flush into the null device at its end instead of complaining."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
