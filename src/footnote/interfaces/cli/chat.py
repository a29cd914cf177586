"""`footnote chat`: one question after the other, from a terminal or a pipe."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from footnote.domain.conversations import DocumentMode
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.interfaces import schemas
from footnote.interfaces.cli import present, searching
from footnote.interfaces.cli.edge import prepared, report, wait_for
from footnote.interfaces.cli.loading import opened
from footnote.interfaces.cli.loading_conversations import asked, begun, gone_on_with
from footnote.interfaces.cli.options import TopK, Workspace, chosen_workspace
from footnote.interfaces.cli.writing import show_rewording
from footnote.interfaces.failures import failure_of
from footnote.settings import Settings

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

_PROMPT = "> "

EachAsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object a line for each answer.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """What a chat is about and how it is answered."""

    conversation_id: UUID | None
    document_ids: Sequence[UUID]
    mode: DocumentMode | None
    top_k: int | None
    plan: str | None
    as_json: bool


def chat(
    *,
    context: typer.Context,
    conversation: Annotated[
        UUID | None,
        typer.Option(metavar="CONVERSATION", help="Go on with this one; a new one if not given."),
    ] = None,
    document: Annotated[
        list[UUID] | None,
        typer.Option(metavar="DOCUMENT", help="Attach this document; may be repeated."),
    ] = None,
    only: Annotated[
        bool | None,
        typer.Option("--only/--first", help="Search attached documents alone, or before others."),
    ] = None,
    top_k: TopK = None,
    plan: searching.PlanName = None,
    workspace: Workspace = None,
    as_json: EachAsJson = False,
) -> None:
    """Ask one question a line, until the input ends."""
    settings = prepared(top_k=top_k)
    if only and not document and conversation is None:
        # A conversation that is only begun here has nothing attached yet, and would stay behind.
        raise InvalidRequest(
            "only: no document is attached that could be searched alone",
            hint="attach one with --document ID, or leave --only out",
        )
    modes: dict[bool | None, DocumentMode | None] = {None: None, True: "only", False: "first"}
    wanted = Chat(
        conversation_id=conversation,
        document_ids=tuple(document or ()),
        mode=modes[only],
        top_k=top_k,
        plan=plan,
        as_json=as_json,
    )
    code = wait_for(_talk(settings, chosen_workspace(context, workspace), wanted))
    if code:
        raise typer.Exit(code)


async def _talk(settings: Settings, name: str | None, wanted: Chat) -> int:
    """The exit code of the last question that could not be answered; 0 if all could."""
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        conversation_id = wanted.conversation_id
        if conversation_id is not None:
            await gone_on_with(workspace, conversation_id, wanted.document_ids, wanted.mode)
        code = 0
        while (line := await _next_line(prompt="" if wanted.as_json else _PROMPT)) is not None:
            if not line.strip():
                continue
            if conversation_id is None:
                conversation_id = await _begin(workspace, wanted)
            code = await _answer(workspace, conversation_id, line, wanted) or code
        return code


async def _begin(workspace: WorkspaceEngine, wanted: Chat) -> UUID:
    made = await begun(workspace, wanted.document_ids, wanted.mode or "first")
    said = f"Go on later with: footnote chat --conversation {made.conversation_id}"
    present.notices().print(Text(said, style="dim"), soft_wrap=True)
    return made.conversation_id


async def _answer(
    workspace: WorkspaceEngine, conversation_id: UUID, question: str, wanted: Chat
) -> int:
    """Print the answer; what is wrong with one question ends no chat, but gives it an exit code.

    A person who sees the error has been told, so 0 then.
    """
    try:
        answer = await asked(
            workspace, conversation_id, question, top_k=wanted.top_k, plan=wanted.plan
        )
    except (InvalidRequest, ModelUnavailable) as error:
        failure = failure_of(error)
        if wanted.as_json:
            told = {"code": failure.code, "message": str(error), "hint": error.hint}
            _print_line(conversation_id, {"question": question, "error": told})
            return failure.exit_code
        report(failure.code, str(error), error.hint, failure.exit_code, as_json=False)
        return 0 if sys.stdin.isatty() else failure.exit_code
    if wanted.as_json:
        _print_line(conversation_id, schemas.Answer.from_domain(answer).model_dump(mode="json"))
        return 0
    present.show_degraded(answer.degraded)
    console = present.terminal()
    show_rewording(console, answer)
    present.show_answer(console, answer)
    sys.stdout.flush()
    return 0


def _print_line(conversation_id: UUID, told: Mapping[str, object]) -> None:
    typer.echo(json.dumps({"conversation_id": str(conversation_id), **told}))
    sys.stdout.flush()


async def _next_line(prompt: str) -> str | None:
    """The next line of the input; None at its end."""
    if sys.stdin.isatty():
        sys.stdout.write(prompt)
        sys.stdout.flush()
    line = await asyncio.to_thread(sys.stdin.readline)
    return line or None
