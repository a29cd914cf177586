"""The samples hold what the golden set says they hold, and can be made again from their sources."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any, cast
from zipfile import ZipFile

import pytest
from PIL import Image, ImageChops, ImageStat

openpyxl = pytest.importorskip("openpyxl")
docx = pytest.importorskip("docx")
pptx = pytest.importorskip("pptx")
pypdfium2 = pytest.importorskip("pypdfium2")
pytest.importorskip("reportlab")

EXAMPLES = Path(__file__).parents[2] / "examples"
DOCUMENTS = EXAMPLES / "documents"
GOLDEN_LINES = (EXAMPLES / "golden.jsonl").read_text(encoding="utf-8").splitlines()
GOLDEN: list[dict[str, Any]] = [json.loads(line) for line in GOLDEN_LINES]
AT_LEAST = {
    "fact": 8,
    "identifier": 6,
    "paraphrase": 5,
    "table": 5,
    "multi_document": 5,
    "scanned": 3,
    "cross_language": 3,
    "unanswerable": 8,
}
PICTURES = {"scanned-invoice.pdf", "battery-store-sign.png"}
SMALL_WORDS = set(
    "a an and are be can does for from happens has have how i if in into is it its may me must my "
    "no not of on or our so that the there through to up us was we what when which who whom will "
    "with you your".split()
)

Pages = dict[
    int | None, str
]  # text by page number from 1; None is the one page of a format without pages


# --- plain readers, independent of the engine ---


def squeezed(text: str) -> str:
    return " ".join(text.split())


def content(document: str) -> bytes:
    """Return the bytes of a document; `mail.eml/name` is an attachment of that mail."""
    name, _, attachment = document.partition("/")
    stored = (DOCUMENTS / name).read_bytes()
    return attachments(stored)[attachment] if attachment else stored


def pages(document: str) -> Pages:
    read = READERS[PurePath(document).suffix]
    return {number: squeezed(text) for number, text in read(content(document)).items()}


def mail(stored: bytes) -> EmailMessage:
    return message_from_bytes(stored, policy=default)


def attachments(stored: bytes) -> dict[str, bytes]:
    parts = mail(stored).iter_attachments()
    return {str(part.get_filename()): cast(bytes, part.get_payload(decode=True)) for part in parts}


def read_pdf(stored: bytes) -> Pages:
    document = pypdfium2.PdfDocument(stored)
    return {number: page.get_textpage().get_text_range() for number, page in enumerate(document, 1)}


def read_docx(stored: bytes) -> Pages:
    document = docx.Document(BytesIO(stored))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return {None: "\n".join([paragraph.text for paragraph in document.paragraphs] + cells)}


def read_xlsx(stored: bytes) -> Pages:
    workbook = openpyxl.load_workbook(BytesIO(stored))
    return {
        None: "\n".join(str(value) for sheet in workbook for row in sheet.values for value in row)
    }


def read_pptx(stored: bytes) -> Pages:
    deck = pptx.Presentation(BytesIO(stored))
    return {number: "\n".join(slide_texts(slide)) for number, slide in enumerate(deck.slides, 1)}


def slide_texts(slide: Any) -> Iterator[str]:
    for shape in slide.shapes:
        if shape.has_text_frame:
            yield shape.text_frame.text
        elif shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)


def read_mail(stored: bytes) -> Pages:
    body = mail(stored).get_body(("plain",))
    assert body is not None
    return {None: body.get_content()}


def read_html(stored: bytes) -> Pages:
    parser = TextCollector()
    parser.feed(stored.decode())
    return {None: "".join(parser.texts)}


class TextCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read_plain(stored: bytes) -> Pages:
    return {None: stored.decode()}


READERS: dict[str, Callable[[bytes], Pages]] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".xlsx": read_xlsx,
    ".pptx": read_pptx,
    ".eml": read_mail,
    ".html": read_html,
    ".md": read_plain,
    ".txt": read_plain,
    ".csv": read_plain,
}


# --- the golden set ---


def quotes(*, scanned: bool) -> list[Any]:
    """Return each relevant span as a case, those in pictures apart from those in text."""
    return [
        pytest.param(span, id=f"{question['id']}-{number}")
        for question in GOLDEN
        for number, span in enumerate(question["relevant"], 1)
        if (span["document"] in PICTURES) == scanned
    ]


def test_golden_ids_and_questions_are_unique() -> None:
    assert len({question["id"] for question in GOLDEN}) == len(GOLDEN)
    assert len({question["question"] for question in GOLDEN}) == len(GOLDEN)


def test_golden_lines_have_exactly_the_documented_fields() -> None:
    for question in GOLDEN:
        assert set(question) == {"id", "question", "kind", "answerable", "relevant", "answer"}
        assert question["question"].strip()
        assert question["answer"].strip()
        for span in question["relevant"]:
            assert set(span) == {"document", "page", "quote"}


def test_each_kind_is_asked_often_enough() -> None:
    counts = Counter(question["kind"] for question in GOLDEN)
    assert set(counts) == set(AT_LEAST)
    assert not {kind: counts[kind] for kind, least in AT_LEAST.items() if counts[kind] < least}


def test_exactly_the_unanswerable_questions_have_no_relevant_span() -> None:
    for question in GOLDEN:
        assert question["answerable"] == (question["kind"] != "unanswerable"), question["id"]
        assert question["answerable"] == bool(question["relevant"]), question["id"]


def test_multi_document_questions_need_more_than_one_document() -> None:
    for question in GOLDEN:
        if question["kind"] == "multi_document":
            assert len({span["document"] for span in question["relevant"]}) > 1, question["id"]


def test_paraphrases_share_no_content_word_with_their_passage() -> None:
    for question in GOLDEN:
        if question["kind"] == "paraphrase":
            passage = content_words(" ".join(span["quote"] for span in question["relevant"]))
            assert not content_words(question["question"]) & passage, question["id"]


def content_words(text: str) -> set[str]:
    letters = "".join(character if character.isalnum() else " " for character in text.casefold())
    return set(letters.split()) - SMALL_WORDS


def test_every_document_is_asked_about() -> None:
    asked = {
        span["document"].partition("/")[0] for question in GOLDEN for span in question["relevant"]
    }
    assert asked == {path.name for path in DOCUMENTS.iterdir()}


@pytest.mark.parametrize("span", quotes(scanned=False))
def test_each_quote_stands_on_its_page(span: dict[str, Any]) -> None:
    assert squeezed(span["quote"]) in pages(span["document"])[span["page"]]


@pytest.mark.parametrize("span", quotes(scanned=True))
def test_each_quote_of_a_picture_was_drawn_there(span: dict[str, Any]) -> None:
    assert span["page"] == (1 if span["document"].endswith(".pdf") else None)
    drawn = (EXAMPLES / "generators" / "scans.py").read_text(encoding="utf-8")
    assert span["quote"] in drawn


# --- the documents ---


def test_the_scanned_invoice_has_no_text_layer() -> None:
    assert set(read_pdf(content("scanned-invoice.pdf")).values()) == {""}


def test_the_documents_stay_small() -> None:
    assert sum(path.stat().st_size for path in DOCUMENTS.iterdir()) < 1_500_000


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("documents")
    subprocess.run([sys.executable, str(EXAMPLES / "generate.py"), "--out", str(out)], check=True)
    return out


@pytest.mark.parametrize(
    "name",
    [
        "insurance-policy.pdf",
        "annual-report-2024.pdf",
        "lagermietvertrag-nordersiel.pdf",
        "supplier-email.eml",
    ],
)
def test_pdf_and_mail_are_reproduced_to_the_byte(regenerated: Path, name: str) -> None:
    assert (regenerated / name).read_bytes() == content(name)


@pytest.mark.parametrize(
    "name", ["harbour-contract.docx", "price-list-2025.xlsx", "pelorus-4-launch.pptx"]
)
def test_office_files_are_reproduced_whatever_packs_them(regenerated: Path, name: str) -> None:
    assert members((regenerated / name).read_bytes()) == members(content(name))


def members(archive: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(archive)) as opened:
        names = set(opened.namelist()) - {"docProps/app.xml"}  # names the version of the library
        return {name: opened.read(name) for name in names}


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_pictures_are_reproduced_to_the_eye(regenerated: Path, name: str) -> None:
    difference = ImageChops.difference(
        picture((regenerated / name).read_bytes()), picture(content(name))
    )
    assert ImageStat.Stat(difference).mean[0] < 2.0  # of 255; another FreeType moves edges a little


def picture(stored: bytes) -> Image.Image:
    if stored.startswith(b"%PDF"):
        page = pypdfium2.PdfDocument(stored)[0]
        return cast(Image.Image, page.render(scale=1).to_pil()).convert("L")
    return Image.open(BytesIO(stored)).convert("L")


def test_every_binary_document_is_generated(regenerated: Path) -> None:
    text = {".md", ".txt", ".csv", ".html"}
    binary = {path.name for path in DOCUMENTS.iterdir() if path.suffix not in text}
    assert binary == {path.name for path in regenerated.iterdir()}
