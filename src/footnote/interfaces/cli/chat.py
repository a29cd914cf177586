"""`footnote chat`: one question after the other, from a terminal or a pipe."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from footnote.answering.streaming import completed
from footnote.domain.answers import Suggestions
from footnote.domain.conversations import DocumentMode
from footnote.engine.exchanges import Asking, NextQuestion
from footnote.engine.search import require_plan
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.interfaces import schemas
from footnote.interfaces.cli import present, searching
from footnote.interfaces.cli.command_runner import in_workspace, report
from footnote.interfaces.cli.options import TopK, Workspace
from footnote.interfaces.cli.writing import show_rewording, show_suggestions
from footnote.interfaces.failures import failure_of
from footnote.retrieval.query import MAX_QUERY_CHARACTERS

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_PROMPT = "> "
_EXIT_COMMANDS = ("exit", "quit", "/exit", "/quit")
_HELP_COMMANDS = ("/help", "/?")
_COMMAND = re.compile(r"/[a-z?]+")
_WELCOME = "Ask a question a line. /help says more; exit ends the chat."
_HELP = (
    "Each line is a question, and may follow up on the ones before it. exit or quit, or the end of "
    "the input, ends the chat; the conversation is kept."
)
_READ_CHARACTERS = MAX_QUERY_CHARACTERS + 2
"""Characters of a line at once: the longest question, the end of its line, and one too many."""
_MAX_SKIPPED_PIECES = 1_000
"""A line of up to so many pieces is refused by itself; a longer one ends the chat."""

JsonLines = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line for each answer.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """What a chat is about and how it is answered."""

    conversation_id: UUID | None
    documents: Sequence[str]
    mode: DocumentMode | None
    top_k: int | None
    plan: str | None
    as_json: bool
    suggests: bool


@dataclass(slots=True, kw_only=True)
class Suggesting:
    """Questions to ask next, looked for while the reader reads the answer or types."""

    task: asyncio.Task[Suggestions] | None = None

    def begin(self, workspace: WorkspaceEngine, conversation_id: UUID, reply_id: UUID) -> None:
        """Look for questions after this answer, and show them below it."""

        async def show() -> Suggestions:
            suggestions = await workspace.suggest_in_conversation(conversation_id, reply_id)
            if suggestions.questions:
                show_suggestions(present.terminal(), suggestions)
                _notice("A number asks one of them.")
                sys.stdout.write(_PROMPT)
                sys.stdout.flush()
            return suggestions

        self.task = asyncio.create_task(show())

    async def chosen(self, line: str) -> str:
        """The question whose number was typed, else the line itself; ends the search for more."""
        task, self.task = self.task, None
        if task is None:
            return line
        if not task.done():
            task.cancel()
        [result] = await asyncio.gather(task, return_exceptions=True)
        if not isinstance(result, Suggestions):
            return line
        questions = {
            str(number): suggestion.question
            for number, suggestion in enumerate(result.questions, 1)
        }
        return questions.get(line.strip(), line)


def chat(
    *,
    context: typer.Context,
    conversation: Annotated[
        UUID | None,
        typer.Option(metavar="CONVERSATION", help="Go on with this one; a new one if not given."),
    ] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DOCUMENT",
            help="Attach this one, by id, beginning of an id, or file name; may be repeated.",
        ),
    ] = None,
    only: Annotated[
        bool | None,
        typer.Option("--only/--first", help="Search attached documents alone, or before others."),
    ] = None,
    top_k: TopK = None,
    plan: searching.PlanName = None,
    suggest: searching.Suggest = None,
    workspace: Workspace = None,
    as_json: JsonLines = False,
) -> None:
    """Ask one question a line, until the input ends or says exit."""
    if only and not document and conversation is None:
        # A conversation that is only begun here has nothing attached yet, and would stay behind.
        raise InvalidRequest(
            "only: no document is attached that could be searched alone",
            hint="attach one with --document ID, or leave --only out",
        )
    modes: dict[bool | None, DocumentMode | None] = {None: None, True: "only", False: "first"}
    options = Chat(
        conversation_id=conversation,
        documents=tuple(document or ()),
        mode=modes[only],
        top_k=top_k,
        plan=plan,
        as_json=as_json,
        suggests=suggest if suggest is not None else sys.stdin.isatty() and not as_json,
    )
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # A bad line is refused by itself.
    code = in_workspace(
        context,
        workspace,
        lambda workspace_engine: _converse(workspace_engine, options),
        top_k=top_k,
    )
    if code:
        raise typer.Exit(code)


async def _converse(workspace: WorkspaceEngine, options: Chat) -> int:
    """The exit code of the last question that could not be answered; 0 if all could."""
    conversation_id = options.conversation_id
    if options.plan is not None:
        require_plan(workspace, options.plan)
    document_ids = [await workspace.document_called(name) for name in options.documents]
    if conversation_id is not None:
        await _attach(workspace, conversation_id, document_ids, options.mode)
    if sys.stdin.isatty() and not options.as_json:
        _notice(_WELCOME)
    code, suggesting = 0, Suggesting()
    while (line := await _next_line(prompt="" if options.as_json else _PROMPT)) is not None:
        line = await suggesting.chosen(line)
        command = line.strip().lower()
        if command in _EXIT_COMMANDS:
            break
        if _COMMAND.fullmatch(command):
            _notice(_HELP if command in _HELP_COMMANDS else f"There is no {command}. {_HELP}")
            continue
        if not command:
            continue
        if not options.as_json:
            _echo(line)
        if conversation_id is None:
            conversation = await workspace.create_conversation(
                document_mode=options.mode or "first", document_ids=tuple(document_ids)
            )
            _notice(
                f"Go on later with: footnote chat --conversation {conversation.conversation_id}"
            )
            conversation_id = conversation.conversation_id
        code = await _answer(workspace, conversation_id, line, options, suggesting) or code
    await suggesting.chosen("")
    return code


async def _attach(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    document_ids: Sequence[UUID],
    mode: DocumentMode | None,
) -> None:
    """Attach further documents to an earlier conversation. Raises NotFound."""
    await workspace.conversation(conversation_id)
    for document_id in document_ids:
        await workspace.attach_document(conversation_id, document_id)
    if mode is not None:
        await workspace.change_conversation(conversation_id, document_mode=mode)


def _notice(text: str) -> None:
    present.notices().print(Text(text, style="dim"), soft_wrap=True)


def _echo(line: str) -> None:
    """Print a question from a pipe above its answer, since no terminal shows what was typed."""
    if not sys.stdin.isatty():
        question = Text(f"{_PROMPT}{present.plain(_legible(line)).strip()}", style="bold")
        present.terminal().print(question, soft_wrap=True)


async def _answer(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    question: str,
    options: Chat,
    suggesting: Suggesting,
) -> int:
    """Print the answer, and give an exit code; an invalid question does not end the chat.

    The code of an error is 0 on a terminal, where the person has read it.
    """
    try:
        _require_short(question)
        _require_decoded(question)
        asking = Asking(question=question, top_k=options.top_k, plan=options.plan)
        next_question = await workspace.next_question(conversation_id, asking)
        assert isinstance(next_question, NextQuestion), "nothing is kept under no key"
        async with aclosing(workspace.answered_stream(next_question)) as events:
            answer = await completed(events)
            suggestions = None
            if options.suggests and (options.as_json or not sys.stdin.isatty()):
                suggestions = await workspace.suggest_in_conversation(
                    conversation_id, next_question.reply_id
                )
    except (InvalidRequest, ModelUnavailable) as error:
        failure = failure_of(error)
        if options.as_json:
            problem = {"code": failure.code, "message": str(error), "hint": error.hint}
            _print_line(conversation_id, {"question": _legible(question), "error": problem})
            return failure.exit_code
        report(failure.code, str(error), error.hint, failure.exit_code, as_json=False)
        return 0 if sys.stdin.isatty() else failure.exit_code
    if options.as_json:
        extra = {} if suggestions is None else {"suggestions": schemas.object_of(suggestions)}
        _print_line(conversation_id, {**schemas.object_of(answer), **extra})
        return 0
    present.show_degraded(answer.degraded)
    console = present.terminal()
    show_rewording(console, answer)
    present.show_answer(console, answer)
    if suggestions is not None:
        show_suggestions(console, suggestions)
    elif options.suggests:
        suggesting.begin(workspace, conversation_id, next_question.reply_id)
    sys.stdout.flush()
    return 0


def _require_decoded(line: str) -> None:
    """Raise InvalidRequest for a line with bytes that are no text."""
    encoding = sys.stdin.encoding
    try:
        line.encode(encoding, "surrogateescape").decode(encoding)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InvalidRequest(
            f"the line is not {encoding.upper()}: its byte {error.start + 1:,} is 0x{byte:02X}",
            hint=f"send the question in {encoding.upper()}, as iconv makes it; the chat goes on",
        ) from error


def _legible(line: str) -> str:
    """The line with a replacement character for each byte that cannot be decoded."""
    encoding = sys.stdin.encoding
    return line.encode(encoding, "surrogateescape").decode(encoding, "replace")


def _print_line(conversation_id: UUID, fields: Mapping[str, object]) -> None:
    typer.echo(json.dumps({"conversation_id": str(conversation_id), **fields}))
    sys.stdout.flush()


async def _next_line(prompt: str) -> str | None:
    """The next line of the input; None at its end. Raises InvalidRequest for one without an end."""
    if sys.stdin.isatty():
        sys.stdout.write(prompt)
        sys.stdout.flush()
    line = await asyncio.to_thread(_read_line)
    return line or None


def _read_line() -> str:
    """A line, or enough of it to show that it is too long; the remainder is skipped.

    Raises InvalidRequest where the remainder is longer than what may be skipped.
    """
    line = piece = sys.stdin.readline(_READ_CHARACTERS)
    for _ in range(_MAX_SKIPPED_PIECES):
        if len(piece) < _READ_CHARACTERS or piece.endswith("\n"):
            return line
        piece = sys.stdin.readline(_READ_CHARACTERS)
    raise InvalidRequest(
        f"a line of the input has more than {_READ_CHARACTERS * _MAX_SKIPPED_PIECES:,} characters",
        hint=f"give one question a line, each of 1 to {MAX_QUERY_CHARACTERS:,} characters",
    )


def _require_short(line: str) -> None:
    """Raise InvalidRequest for a line that is longer than a question may be."""
    if len(line.removesuffix("\n")) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            f"the line has more than {MAX_QUERY_CHARACTERS:,} characters",
            hint=f"ask with 1 to {MAX_QUERY_CHARACTERS:,} characters; the chat goes on",
        )
