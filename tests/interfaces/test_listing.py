"""Tables never break a word, whatever stands in them and however narrow the terminal is."""

from __future__ import annotations

from io import StringIO
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from footnote.domain import SourceType
from footnote.interfaces.cli import present
from footnote.interfaces.cli.listing import Listing
from tests.interfaces.records import DOCUMENT_ID, a_document

WORDS = st.text("abcdefghij-/._0123456789", min_size=1, max_size=60)
CELLS = st.lists(WORDS, max_size=6).map(" ".join)


def shown(listing: Listing, width: int) -> str:
    console = present.console_on(StringIO(), width=width)
    listing.show(console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4),
    width=st.sampled_from([40, 80, 120]),
)
def test_every_word_is_whole_at_every_width(rows: list[tuple[str, str, str]], width: int) -> None:
    listing = Listing(("name", "what it is", "#number"))
    for row in rows:
        listing.add_row(*row)
    said = shown(listing, width)
    found = said.split()
    for row in rows:
        for cell in row:
            assert all(word in found for word in cell.split())
    longest = max(
        (cell_len(word) for row in rows for cell in row for word in cell.split()), default=0
    )
    if longest < width - 16:
        assert all(cell_len(line) <= width for line in said.splitlines())


def test_documents_keep_their_ids_and_names_at_eighty_columns() -> None:
    name = "commercial-marine-equipment-policy-2024-with-all-endorsements.pdf"
    documents = [
        a_document(filename=name, title=name, collection="insurance-policies"),
        a_document(filename="b.pdf", title="A title of several words that is rather long"),
    ]
    for width in (40, 80, 100, 120):
        console = present.console_on(StringIO(), width=width)
        present.show_documents(console, documents)
        present.show_document(console, documents[0], ())
        assert isinstance(console.file, StringIO)
        words = console.file.getvalue().split()
        assert words.count(str(DOCUMENT_ID)) == 3
        assert words.count(name) >= 2
        assert "insurance-policies" in words


def test_a_wide_terminal_has_a_table_and_a_narrow_one_lines() -> None:
    listing = present.table("id", "document")
    listing.add_row(str(UUID(int=5)), "A title of several words, of which none is broken")
    assert len(shown(listing, 120).strip().splitlines()) == 3
    narrow = shown(listing, 50)
    assert narrow.splitlines()[0] == str(UUID(int=5))
    assert narrow.splitlines()[1].startswith("  document")


def test_a_mail_is_called_by_its_subject_in_a_list() -> None:
    mail = a_document(source_type=SourceType.EMAIL, filename="7.eml", title="The anchors")
    console = present.console_on(StringIO(), width=120)
    present.show_documents(console, [mail])
    assert isinstance(console.file, StringIO)
    assert "The anchors" in console.file.getvalue()
