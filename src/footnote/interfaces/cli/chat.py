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
from footnote.interfaces.cli.edge import in_workspace, report
from footnote.interfaces.cli.options import TopK, Workspace
from footnote.interfaces.cli.writing import show_rewording, show_suggestions
from footnote.interfaces.failures import failure_of
from footnote.retrieval.query import MAX_QUERY_CHARACTERS

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_PROMPT = "> "
_LEAVING = ("exit", "quit", "/exit", "/quit")
_HELPING = ("/help", "/?")
_COMMAND = re.compile(r"/[a-z?]+")
_WELCOME = "Ask a question a line. /help says more; exit ends the chat."
_HELP = (
    "Each line is a question, and may follow up on the ones before it. exit or quit, or the end of "
    "the input, ends the chat; the conversation is kept."
)
_MOST_READ = MAX_QUERY_CHARACTERS + 2
"""Characters of a line at once: the longest question, the end of its line, and one too many."""
_PIECES_PASSED_OVER = 1_000
"""So long may a line be that is refused by itself; a longer one ends the chat."""

EachAsJson = Annotated[
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
    """What may be asked next, sought while somebody reads the answer or types already."""

    task: asyncio.Task[Suggestions] | None = None

    def begin(self, workspace: WorkspaceEngine, conversation_id: UUID, reply_id: UUID) -> None:
        """Look for questions after this answer, and show them below it."""

        async def shown() -> Suggestions:
            made = await workspace.suggest_in_conversation(conversation_id, reply_id)
            if made.questions:
                show_suggestions(present.terminal(), made)
                _notice("A number asks one of them.")
                sys.stdout.write(_PROMPT)
                sys.stdout.flush()
            return made

        self.task = asyncio.create_task(shown())

    async def chosen(self, line: str) -> str:
        """The question of a number that was typed, or what was typed; nothing is sought further."""
        task, self.task = self.task, None
        if task is None:
            return line
        if not task.done():
            task.cancel()
        [found] = await asyncio.gather(task, return_exceptions=True)
        if not isinstance(found, Suggestions):
            return line
        known = {str(number): each.question for number, each in enumerate(found.questions, 1)}
        return known.get(line.strip(), line)


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
    as_json: EachAsJson = False,
) -> None:
    """Ask one question a line, until the input ends or says exit."""
    if only and not document and conversation is None:
        # A conversation that is only begun here has nothing attached yet, and would stay behind.
        raise InvalidRequest(
            "only: no document is attached that could be searched alone",
            hint="attach one with --document ID, or leave --only out",
        )
    modes: dict[bool | None, DocumentMode | None] = {None: None, True: "only", False: "first"}
    wanted = Chat(
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
    code = in_workspace(context, workspace, lambda inside: _talk(inside, wanted), top_k=top_k)
    if code:
        raise typer.Exit(code)


async def _talk(workspace: WorkspaceEngine, wanted: Chat) -> int:
    """The exit code of the last question that could not be answered; 0 if all could."""
    conversation_id = wanted.conversation_id
    if wanted.plan is not None:
        require_plan(workspace, wanted.plan)
    attached = [await workspace.document_called(each) for each in wanted.documents]
    if conversation_id is not None:
        await _attach(workspace, conversation_id, attached, wanted.mode)
    if sys.stdin.isatty() and not wanted.as_json:
        _notice(_WELCOME)
    code, suggesting = 0, Suggesting()
    while (line := await _next_line(prompt="" if wanted.as_json else _PROMPT)) is not None:
        line = await suggesting.chosen(line)
        said = line.strip().lower()
        if said in _LEAVING:
            break
        if _COMMAND.fullmatch(said):
            _notice(_HELP if said in _HELPING else f"There is no {said}. {_HELP}")
            continue
        if not said:
            continue
        if not wanted.as_json:
            _echo(line)
        if conversation_id is None:
            made = await workspace.create_conversation(
                document_mode=wanted.mode or "first", document_ids=tuple(attached)
            )
            _notice(f"Go on later with: footnote chat --conversation {made.conversation_id}")
            conversation_id = made.conversation_id
        code = await _answer(workspace, conversation_id, line, wanted, suggesting) or code
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


def _notice(told: str) -> None:
    present.notices().print(Text(told, style="dim"), soft_wrap=True)


def _echo(line: str) -> None:
    """Print a question that nobody typed where the answers go, so that each has its own."""
    if not sys.stdin.isatty():
        question = Text(f"{_PROMPT}{present.plain(_legible(line)).strip()}", style="bold")
        present.terminal().print(question, soft_wrap=True)


async def _answer(
    workspace: WorkspaceEngine,
    conversation_id: UUID,
    question: str,
    wanted: Chat,
    suggesting: Suggesting,
) -> int:
    """Print the answer; what is wrong with one question ends no chat, but gives it an exit code.

    A person who sees the error has been told, so 0 then.
    """
    try:
        _require_short(question)
        _require_decoded(question)
        asking = Asking(question=question, top_k=wanted.top_k, plan=wanted.plan)
        asked = await workspace.next_question(conversation_id, asking)
        assert isinstance(asked, NextQuestion), "nothing is kept under no key"
        async with aclosing(workspace.answered_stream(asked)) as events:
            answer = await completed(events)
            made = None
            if wanted.suggests and (wanted.as_json or not sys.stdin.isatty()):
                made = await workspace.suggest_in_conversation(conversation_id, asked.reply_id)
    except (InvalidRequest, ModelUnavailable) as error:
        failure = failure_of(error)
        if wanted.as_json:
            told = {"code": failure.code, "message": str(error), "hint": error.hint}
            _print_line(conversation_id, {"question": _legible(question), "error": told})
            return failure.exit_code
        report(failure.code, str(error), error.hint, failure.exit_code, as_json=False)
        return 0 if sys.stdin.isatty() else failure.exit_code
    if wanted.as_json:
        beside = {} if made is None else {"suggestions": schemas.object_of(made)}
        _print_line(conversation_id, {**schemas.object_of(answer), **beside})
        return 0
    present.show_degraded(answer.degraded)
    console = present.terminal()
    show_rewording(console, answer)
    present.show_answer(console, answer)
    if made is not None:
        show_suggestions(console, made)
    elif wanted.suggests:
        suggesting.begin(workspace, conversation_id, asked.reply_id)
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
    """A line with a sign in place of each byte that is no text."""
    encoding = sys.stdin.encoding
    return line.encode(encoding, "surrogateescape").decode(encoding, "replace")


def _print_line(conversation_id: UUID, told: Mapping[str, object]) -> None:
    typer.echo(json.dumps({"conversation_id": str(conversation_id), **told}))
    sys.stdout.flush()


async def _next_line(prompt: str) -> str | None:
    """The next line of the input; None at its end. Raises InvalidRequest for one without an end."""
    if sys.stdin.isatty():
        sys.stdout.write(prompt)
        sys.stdout.flush()
    line = await asyncio.to_thread(_read_line)
    return line or None


def _read_line() -> str:
    """A line, or so much of it that it is seen to be too long; the rest is passed over.

    Raises InvalidRequest where there is more of it than is passed over.
    """
    line = piece = sys.stdin.readline(_MOST_READ)
    for _ in range(_PIECES_PASSED_OVER):
        if len(piece) < _MOST_READ or piece.endswith("\n"):
            return line
        piece = sys.stdin.readline(_MOST_READ)
    raise InvalidRequest(
        f"a line of the input has more than {_MOST_READ * _PIECES_PASSED_OVER:,} characters",
        hint=f"give one question a line, each of 1 to {MAX_QUERY_CHARACTERS:,} characters",
    )


def _require_short(line: str) -> None:
    """Raise InvalidRequest for a line that is longer than a question may be."""
    if len(line.removesuffix("\n")) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            f"the line has more than {MAX_QUERY_CHARACTERS:,} characters",
            hint=f"ask with 1 to {MAX_QUERY_CHARACTERS:,} characters; the chat goes on",
        )
