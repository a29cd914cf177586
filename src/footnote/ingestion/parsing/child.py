"""The process that reads files, started by `ChildParser`."""

from __future__ import annotations

from pydantic import TypeAdapter

from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ingestion.parsing.serialization import to_message
from footnote.ingestion.serving import serve

if __name__ == "__main__":
    serve(
        TypeAdapter(ReadingOptions),
        TypeAdapter(str),
        lambda options, tell: (
            lambda filename, content: to_message(read_document(content, filename, options, tell))
        ),
    )
