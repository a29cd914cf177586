"""What people read: records as terminal text, with nothing in it that could steer a terminal."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import IO

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from footnote.domain import (
    Answer,
    AnswerSentence,
    BlockKind,
    Citation,
    Document,
    DocumentStatus,
    Health,
    Verdict,
    footnotes_of_conflicts,
    is_unsure,
)
from footnote.interfaces.cli.listing import Listing, labelled_facts
from footnote.interfaces.schemas import json_of

_EXCERPT_CHARACTERS = 360
_BETWEEN_ROWS = re.compile(r"[ \t]*\|[ \t]*\n[ \t]*\|[ \t]*")
"""Of a table as Markdown has it."""
_NEAREST = 3
"""Passages that are named where there is no answer."""
_NEAREST_CHARACTERS = 160
_PIPED_WIDTH = 120
"""Columns when nobody looks: wide enough for a table's ids."""

_DOUBTS = {
    Verdict.PARTLY: "Only partly supported",
    Verdict.UNSUPPORTED: "Not supported by its footnotes",
    Verdict.UNCITED: "Without a footnote",
}

_STATUS_STYLES = {
    DocumentStatus.QUEUED: "dim",
    DocumentStatus.INGESTING: "cyan",
    DocumentStatus.INDEXED: "green",
    DocumentStatus.FAILED: "bold red",
}


def print_json(record: object) -> None:
    """Print one JSON object on standard output."""
    typer.echo(encodable_json(json_of(record, indent=2), sys.stdout.encoding))


def encodable_json(text: str, encoding: str) -> str:
    """The same JSON, with escapes if the encoding lacks a character of it."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(json.loads(text), indent=2)
    return text


def terminal() -> Console:
    """Standard output as it is now."""
    return console_on(sys.stdout, None if sys.stdout.isatty() else _PIPED_WIDTH)


def show_done(message: str) -> None:
    """Print what a command did that has nothing else to show; names in it may be anybody's."""
    terminal().print(Text(plain(message)), soft_wrap=True)


def notices() -> Console:
    """Standard error, for what is not the result."""
    return console_on(sys.stderr)


def console_on(file: IO[str], width: int | None = None) -> Console:
    """A console that prints text as it is: brackets and colons in it mean nothing."""
    return Console(file=file, width=width, highlight=False, markup=False, emoji=False)


def plain(text: str) -> str:
    """Text from a document or a name, without control characters; blanks become spaces."""
    return "".join(
        " " if char.isspace() else char
        for char in text
        if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf", "Cs"}
    )


def excerpt(text: str, limit: int = _EXCERPT_CHARACTERS) -> str:
    """The beginning of a text on one line, cut at a word."""
    line = _on_one_line(text)
    if len(line) <= limit:
        return line
    return line[:limit].rsplit(" ", 1)[0] + " …"


def rows(markdown: str, limit: int = 5) -> str:
    """The first rows of a table, one a line, without the rule below its header."""
    lines = [line for line in markdown.splitlines() if line.strip(" |:-")]
    excerpts = [excerpt(line.strip().strip("|"), 110) for line in lines[:limit]]
    return "\n".join([*excerpts, "…"] if len(lines) > limit else excerpts)


def location_line(
    title: str,
    heading_path: Sequence[str],
    page: int | None,
    paragraph: int | None,
    start_seconds: float | None = None,
    *,
    last_page: int | None = None,
) -> str:
    """Where something stands in a document: section, page and paragraph; or when it is said.

    A range of pages is shown as `p. 3–4 ¶ 2`, where the paragraph is that of the first page.
    """
    if heading_path and heading_path[0] == title:
        heading_path = heading_path[1:]
    pages = f"{page}–{last_page}" if last_page not in (None, page) else f"{page}"
    position = [f"p. {pages}"] if page is not None else []
    if start_seconds is not None:
        position.append(f"at {time_code(start_seconds)}")
    elif paragraph is not None:
        position.append(f"¶ {paragraph}")
    section = " › ".join(excerpt(heading, 80) for heading in heading_path)
    return " › ".join(part for part in (section, " ".join(position)) if part)


def time_code(seconds: float) -> str:
    """A moment of a recording as players show it: `12:31`, `1:02:03`."""
    minutes, remainder = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{remainder:02}" if hours else f"{minutes}:{remainder:02}"


def footnote(citation: Citation) -> Text:
    """A footnote without its marker: document, file, place and quote."""
    title = citation.document_title
    location = location_line(
        title,
        citation.heading_path,
        citation.page,
        citation.paragraph,
        citation.start_seconds,
    )
    return Text.assemble(
        (plain(citation.document_title), "bold"),
        f" ({plain(citation.filename)})",
        (f" › {location}" if location else "", "dim"),
        " ",
        _quoted(citation),
    )


def _quoted(citation: Citation) -> Text:
    """The quote in quotation marks, with the answer in it in bold, if known; never cut off."""
    start, end = citation.answer_start, citation.answer_end
    if start is None or end is None:
        return Text(f"“{excerpt(citation.quote)}”", style="italic")
    before = _on_one_line(citation.quote[: start - citation.char_start])
    answer = _on_one_line(citation.quote[start - citation.char_start : end - citation.char_start])
    line = _on_one_line(citation.quote)
    at = max(0, line.find(answer, max(0, len(before) - 1)))
    first = 0
    if at + len(answer) > _EXCERPT_CHARACTERS:
        first = line.rfind(" ", 0, max(0, at - _EXCERPT_CHARACTERS // 4)) + 1
    visible = excerpt(line[first:], max(_EXCERPT_CHARACTERS, at - first + len(answer) + 1))
    opening = "“… " if first else "“"
    quoted = Text(f"{opening}{visible}”", style="italic")
    bold_start = len(opening) + at - first
    quoted.stylize("bold", bold_start, bold_start + len(answer))
    return quoted


def _on_one_line(text: str) -> str:
    return " ".join(plain(_BETWEEN_ROWS.sub(" / ", text)).split())


def show_answer(console: Console, answer: Answer) -> None:
    """The answer with its markers, and below it the footnotes."""
    if not answer.found:
        console.print(Text(plain(answer.text), style="yellow"))
        show_footnotes(console, answer)
        return
    prose = Text()
    before: AnswerSentence | None = None
    for sentence in answer.sentences:
        gap = sentence.gap_after(before)
        prose.append("\n" * gap.count("\n") or gap)
        prose.append(plain(sentence.text))
        for marker in sentence.markers:
            prose.append(f" [{marker}]", style="bold cyan")
        before = sentence
    console.print(prose)
    show_footnotes(console, answer)


def show_nearest(console: Console, answer: Answer) -> None:
    """What comes nearest where there is no answer, and what else was searched.

    The text of one passage where the search is confident, else the beginnings of a few.
    """
    if answer.searched:
        queries = "; ".join(excerpt(query, 100) for query in answer.searched)
        console.print(Text(f"Searched: {queries}", style="dim"))
    if answer.closest is not None:
        console.print(Text(plain(answer.closest.prose)))
        _show_notes(console, [answer.closest.citation])
        return
    if not answer.evidence:
        return
    console.print(Text("Nearest to it:", style="dim"))
    nearest = numbered()
    for hit in answer.evidence[:_NEAREST]:
        passage = hit.passage
        location = location_line(
            passage.document_title,
            passage.heading_path,
            passage.page_start,
            passage.paragraph_start,
            passage.start_seconds,
            last_page=passage.page_end,
        )
        line = f"{plain(passage.document_title)} ({plain(passage.filename)})"
        heading = Text(f"{line} › {location}\n" if location else f"{line}\n")
        is_table = passage.kind is BlockKind.TABLE
        begins = rows(passage.text, 2) if is_table else excerpt(passage.text, _NEAREST_CHARACTERS)
        nearest.add_row(Text("·", style="dim"), heading.append(begins, style="italic"))
    console.print(nearest)


def show_footnotes(console: Console, answer: Answer) -> None:
    """What stands below an answer: its footnotes and doubts, or what comes nearest to one."""
    if not answer.found:
        show_nearest(console, answer)
        return
    if is_unsure(answer):
        # Above the quotes, which may be long, so that it is read with the answer.
        note = f"Only {answer.confidence:.0%} sure: this may be about something else."
        console.print(Text(note, style="yellow"))
    for conflict in answer.conflicts:
        console.print(Text(plain(conflict.prose), style="yellow"))
    conflict_citations = footnotes_of_conflicts(answer.conflicts, answer.citations)
    _show_notes(console, [*answer.citations, *conflict_citations])
    doubtful = [sentence for sentence in answer.sentences if sentence.verdict in _DOUBTS]
    if answer.model is not None and doubtful:
        console.print()
        for sentence in doubtful:
            note = f"{_DOUBTS[sentence.verdict]}: “{excerpt(sentence.text, 100)}”"
            console.print(Text(note, style="yellow"))


def _show_notes(console: Console, citations: Sequence[Citation]) -> None:
    notes = numbered()
    for citation in citations:
        notes.add_row(Text(f"[{citation.marker}]", style="bold cyan"), footnote(citation))
    if citations:
        console.print()
        console.print(notes)


def numbered() -> Table:
    """Rows with a narrow column of numbers or markers before them."""
    numbered = Table.grid(padding=(0, 1))
    numbered.add_column(justify="right", no_wrap=True)
    numbered.add_column(overflow="fold")
    return numbered


def show_degraded(degraded: Iterable[str]) -> None:
    """Say on standard error what a result had to do without."""
    for note in degraded:
        notices().print(Text(f"Note: {plain(note)}", style="yellow"), soft_wrap=True)


def status_text(document: Document) -> Text:
    """A document's status; while it is worked on, its stage."""
    word = document.status.value
    if document.status is DocumentStatus.INGESTING:
        word = stage_words(document)
    return Text(word, style=_STATUS_STYLES[document.status])


def stage_words(document: Document) -> str:
    """The stage a document is in, and how far it has come, if that is known."""
    if document.progress is None or document.progress.total < document.progress.done:
        return document.stage.value  # how much there is to do is not known yet
    return f"{document.stage.value} {document.progress.done:,}/{document.progress.total:,}"


def failure_sentence(document: Document) -> str:
    """Why a document failed and what to do about it; empty when it did not."""
    if document.failure is None:
        return ""
    cause, advice = plain(document.failure.cause).rstrip("."), plain(document.failure.advice)
    return f"{cause}; {advice}"


def table(*columns: str) -> Listing:
    """An airy table; columns named `#…` are numbers."""
    return Listing(columns)


def show_documents(console: Console, documents: Sequence[Document]) -> None:
    """A listing of documents."""
    if not documents:
        console.print("No documents.")
        return
    listing = table("id", "document", "collection", "status", "#pages", "#chunks")
    for document in documents:
        # The title, and the file below it where it has another name.
        title, file = excerpt(document.title, 60), plain(document.filename)
        listing.add_row(
            str(document.document_id),
            Text(file) if title == file else Text.assemble(title, "\n", (file, "dim")),
            plain(document.collection),
            status_text(document),
            str(document.page_count or ""),
            str(document.chunk_count),
        )
    listing.show(console)


def show_document(console: Console, document: Document, children: Sequence[Document]) -> None:
    """Everything about one document."""
    console.print(Text(plain(document.title), style="bold"))
    console.print()
    facts = [
        (Text(name, style="dim"), Text(value) if isinstance(value, str) else value)
        for name, value in _facts(document)
    ]
    for line in labelled_facts(facts, console.width):
        console.print(line, soft_wrap=True)
    console.print()
    if children:
        console.print(Text("Attachments", style="bold"))
        show_documents(console, children)


def _facts(document: Document) -> Iterable[tuple[str, str | Text]]:
    yield "document", str(document.document_id)
    yield "file", plain(PurePath(document.filename).as_posix())
    yield "status", status_text(document)
    if document.failure is not None:
        yield "failure", failure_sentence(document)
    yield "collection", plain(document.collection)
    yield "version", str(document.version)
    optional = {
        "pages": document.page_count,
        "language": document.language,
        "external id": document.external_id,
        "attached to": document.parent_id,
        "summary": excerpt(document.summary),
        "keywords": ", ".join(document.keywords),
        "tags": ", ".join(document.tags),
    }
    yield "chunks", str(document.chunk_count)
    yield "class", document.document_class.value
    yield "type", f"{document.media_type}, {document.byte_size:,} bytes"
    yield from ((name, plain(str(value))) for name, value in optional.items() if value)
    yield from ((plain(key), plain(str(value))) for key, value in document.metadata.items())
    yield "received", f"{document.created_at:%Y-%m-%d %H:%M} UTC"
    yield "changed", f"{document.updated_at:%Y-%m-%d %H:%M} UTC"


def show_health(console: Console, health: Health) -> None:
    """Each check, and below one that fails what to do; what may fail is called optional."""
    facts: list[tuple[Text, Text]] = []
    for check in health.checks:
        fault = ("○ ", "yellow") if check.optional else ("✗ ", "bold red")
        mark = ("✓ ", "green") if check.ok else fault
        word = " (optional)" if check.optional and not check.ok else ""
        facts.append((Text.assemble(mark, check.name, word), Text(plain(check.detail))))
        if check.hint:
            facts.append((Text(), Text(f"→ {plain(check.hint)}", style="yellow")))
    for line in labelled_facts(facts, console.width):
        console.print(line, soft_wrap=True)
    verdict = (
        Text("Ready.", style="green") if health.ready else Text("Not ready.", style="bold red")
    )
    console.print(Padding(verdict, (1, 0, 0, 0), expand=False))
