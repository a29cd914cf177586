"""A conversation becomes a Markdown text, and feedback candidates for a golden set."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from uuid import UUID

from footnote.domain import Citation, Verdict
from footnote.domain.conversations import (
    Conversation,
    JudgedAnswer,
    Message,
    MessageAnswer,
)
from footnote.engine.conversations import all_messages, conversation
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.store.messages import judged_answers

REMOVED = "[removed: its document was deleted, or may not be seen any longer]"
_PAGE = 100
# A document's text must not become a link, a picture or a heading of the page it is exported to.
_MEANING = re.compile(r"([\\`*_{}\[\]<>#|!~]|:(?=//)|(?<=www)\.)")


async def export(
    workspace: WorkspaceEngine, conversation_id: UUID
) -> tuple[Conversation, tuple[Message, ...]]:
    """A conversation with every message of every branch. Raises NotFound."""
    found = await conversation(workspace, conversation_id)
    return found, await all_messages(workspace, conversation_id)


_DOUBTS = {
    Verdict.PARTLY: " _(only partly supported)_",
    Verdict.UNSUPPORTED: " _(not supported by its footnotes)_",
    Verdict.UNCITED: " _(without a footnote)_",
}


def as_markdown(found: Conversation, messages: Sequence[Message]) -> str:
    """The branch that goes on as Markdown, with a footnote for each citation."""
    lines = [f"# {escaped(found.title or 'Conversation')}", ""]
    lines += [f"_{found.created_at:%Y-%m-%d %H:%M} UTC_", ""]
    notes: list[str] = []
    number = 0
    for message in messages:
        if not message.active:
            continue
        if message.answer is None:
            number += 1
            lines += [f"> {escaped(line)}" for line in message.text.splitlines()] + [""]
        else:
            lines += [_prose(message.answer, number), ""]
            notes += _notes(message.answer, number)
    return "\n".join([*lines, *notes]).rstrip() + "\n"


def _prose(answer: MessageAnswer, number: int) -> str:
    said = []
    for sentence in answer.sentences:
        marks = "".join(f"[^{number}-{marker}]" for marker in sentence.markers)
        doubt = _DOUBTS.get(sentence.verdict, "") if answer.found and answer.model else ""
        said.append(f"{escaped(sentence.text) or escaped(REMOVED)}{marks}{doubt}")
    return "\n".join(said)


def _notes(answer: MessageAnswer, number: int) -> Iterator[str]:
    notes = {each.marker: _note(each) for each in answer.citations}
    notes |= dict.fromkeys(answer.removed_markers, escaped(REMOVED))
    for marker in sorted(notes):
        yield f"[^{number}-{marker}]: {notes[marker]}"


def _note(citation: Citation) -> str:
    where = [f"“{' › '.join(citation.heading_path)}”"] if citation.heading_path else []
    where += [] if citation.page is None else [f"p. {citation.page}"]
    where += [f"¶ {citation.paragraph}"]
    place = f"{citation.document_title} ({citation.filename}), {', '.join(where)}"
    return f"{escaped(place)}: “{escaped(citation.quote)}”"


def escaped(text: str) -> str:
    """The text on one line, as Markdown that shows it and does nothing else.

    >>> escaped("see [here](x)")
    'see \\\\[here\\\\](x)'
    """
    return _MEANING.sub(r"\\\1", " ".join(text.split()))


async def golden_candidates(
    workspace: WorkspaceEngine, *, down: bool = False
) -> AsyncIterator[str]:
    """The principal's feedback as lines of a golden set, in a lasting order.

    An answer that was liked gives its citations as the places that answer, and a refusal that was
    liked a question without an answer. With `down`, what was disliked comes too: such a line lacks
    its places, so that an evaluation refuses it until somebody has written them in.
    """
    after: tuple[UUID, int] | None = None
    while True:
        async with scope_of(workspace) as scope:
            page, after = await judged_answers(scope, after, _PAGE)
        for judged in page:
            if down or judged.feedback.thumb == "up":
                line = golden_candidate(judged)
                if line is not None:
                    yield json.dumps(line, ensure_ascii=False)
        if after is None:
            return


def golden_candidate(judged: JudgedAnswer) -> dict[str, object] | None:
    """A line of a golden set; None where the documents that answered are gone."""
    answer, feedback = judged.answer, judged.feedback
    places = [
        {"document": str(each.document_id), "page": each.page, "quote": each.quote}
        for each in answer.citations
    ]
    liked = feedback.thumb == "up"
    if liked and answer.found and not places:
        return None
    return {
        "id": str(judged.message_id),
        "question": answer.asked_as,
        "kind": f"feedback-{feedback.thumb}",
        "answerable": answer.found if liked else True,
        "relevant": places if liked and answer.found else [],
        "answer": answer.text if liked and answer.found else "",
        "comment": feedback.comment,
        "cited": [] if liked else places,
        "confidence": answer.confidence,
        "model": answer.model,
        "evidence": [each.chunk_id for each in answer.evidence],
    }
