"""Prompt templates that a person may pick in a client of the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound
from footnote.interfaces.tools.library import optional_import
from footnote.validation.messages import printable

with optional_import("mcp", "mcp"):
    import mcp.types as mcp_types

MAX_ARGUMENT_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """A template with arguments."""

    title: str
    description: str
    text: str
    arguments: Mapping[str, str]
    """The description of each argument; all are required."""


_DOCUMENT = "The document's id, as list_documents shows it."
_PROMPTS: Mapping[str, _Prompt] = {
    "answer_with_footnotes": _Prompt(
        title="Answer with footnotes",
        description="Answer a question from the documents, every statement cited.",
        text=(
            "Answer the question below from the documents of this workspace alone.\n"
            "1. Call search_documents; search again with other words if that does not suffice, "
            "and read around a passage with get_document_context where it breaks off.\n"
            "2. Put after each statement the number [n] of the passage it rests on. Say nothing "
            "that no passage says.\n"
            "3. If the documents do not answer, say so and name what you searched for.\n"
            "4. End with a list of the passages you cited: number, title, page, and the words "
            "that carry the statement.\n\nQuestion: {question}"
        ),
        arguments={"question": "What to answer."},
    ),
    "summarise_document": _Prompt(
        title="Summarise a document",
        description="Summarise one document, every statement cited.",
        text=(
            "Summarise the document {document_id}. Call get_document for what it is, then "
            "analyze_document for its purpose, its main points with their names, numbers and "
            "dates, and what it asks of whom. Put the number [n] of the passage after each "
            "statement."
        ),
        arguments={"document_id": _DOCUMENT},
    ),
    "compare_documents": _Prompt(
        title="Compare two documents",
        description="Say where two documents agree and differ, every statement cited.",
        text=(
            "Compare the documents {first_document_id} and {second_document_id} on this: "
            "{aspect}. Call analyze_document once for each of them with the same question. Make a "
            "table of what each says, with the numbers [n] of the passages of that call, then "
            "name every difference and what only one of them mentions."
        ),
        arguments={
            "first_document_id": _DOCUMENT,
            "second_document_id": _DOCUMENT,
            "aspect": "What to compare them on.",
        },
    ),
}


def listed() -> mcp_types.ListPromptsResult:
    """List the prompts."""
    return mcp_types.ListPromptsResult(
        prompts=[
            mcp_types.Prompt(
                name=name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    mcp_types.PromptArgument(name=argument, description=description, required=True)
                    for argument, description in prompt.arguments.items()
                ],
            )
            for name, prompt in _PROMPTS.items()
        ]
    )


async def filled_prompt(
    workspace: WorkspaceEngine, name: str, arguments: Mapping[str, str]
) -> mcp_types.GetPromptResult:
    """The prompt with its arguments filled in.

    Raises InvalidRequest, and NotFound for a document that is absent or foreign.
    """
    if name not in _PROMPTS:
        raise InvalidRequest("there is no such prompt", hint=f"known are {', '.join(_PROMPTS)}")
    prompt = _PROMPTS[name]
    for argument in prompt.arguments:
        if not 1 <= len(arguments.get(argument, "").strip()) <= MAX_ARGUMENT_CHARACTERS:
            raise InvalidRequest(
                f"{argument} is missing or too long", hint=prompt.arguments[argument]
            )
        if argument.endswith("document_id"):
            await workspace.document(_document_id(arguments[argument]))
    text = prompt.text.format_map(
        {argument: arguments[argument].strip() for argument in prompt.arguments}
    )
    return mcp_types.GetPromptResult(
        description=prompt.description,
        messages=[
            mcp_types.PromptMessage(
                role="user", content=mcp_types.TextContent(type="text", text=text)
            )
        ],
    )


def _document_id(text: str) -> UUID:
    try:
        return UUID(text.strip())
    except ValueError:
        raise NotFound(
            f"there is no document {printable(text)}",
            hint="list_documents tells the ids of those there are",
        ) from None
