from __future__ import annotations

import io
import json

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import BlockKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion.chunking import chunk_blocks
from footnote.ingestion.parsing.charsets import decode
from footnote.ingestion.parsing.reading import read_document
from tests.ingestion.test_chunking import TOKENIZER
from tests.ingestion.test_reading import assert_lawful, blocks_of

# --- JSON -----------------------------------------------------------------------------------


def test_what_is_not_quite_json_is_kept_as_code() -> None:
    (block,) = read_document(b'// comment\n{"a": 1,}', "a.json").blocks
    assert (block.kind, block.text) == (BlockKind.CODE, '// comment\n{"a": 1,}')
    assert read_document(b"[" * 100_000, "a.json").blocks[0].kind is BlockKind.CODE


leaves = st.none() | st.booleans() | st.integers() | st.text("abc xyz", min_size=1, max_size=9)
values = st.recursive(
    leaves,
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.text("klm", min_size=1, max_size=3), inside, max_size=4)
    ),
    max_leaves=25,
)


@given(values)
@settings(max_examples=75, deadline=None)
def test_no_value_of_a_document_is_lost(value: object) -> None:
    try:
        parsed = read_document(json.dumps(value).encode(), "a.json")
    except DocumentUnreadable:
        return
    assert_lawful(parsed)
    words = set(parsed.text.replace(",", " ").split())
    for leaf in _leaves(value):
        assert set(leaf.split()) <= words | {"|"}


def _leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


# --- XML ------------------------------------------------------------------------------------


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><d>&c;</d>'
)
EXTERNAL = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>'


@pytest.mark.parametrize("content", [LAUGHS, EXTERNAL], ids=["billion laughs", "external entity"])
def test_entities_of_a_document_are_refused(content: bytes) -> None:
    with pytest.raises(DocumentUnreadable, match="entity of its own") as raised:
        read_document(content, "a.xml")
    assert raised.value.advice.startswith("save it without entity declarations")


def test_an_external_doctype_is_never_fetched() -> None:
    text = b'<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d.dtd"><d><a>words</a></d>'
    assert "words" in read_document(text, "a.xml").text


def test_elements_too_deep_are_refused_and_broken_ones_kept_as_code() -> None:
    with pytest.raises(DocumentUnreadable, match="more than 200 levels deep") as raised:
        read_document(b"<a>" * 5000 + b"x" + b"</a>" * 5000, "a.xml")
    assert raised.value.advice.startswith("save it with at most 200 levels of elements")
    assert read_document(b"<a><b>words</a>", "a.xml").blocks[0].kind is BlockKind.CODE


# --- code -----------------------------------------------------------------------------------


def _long(opening: str, body: str = "work();", closing: str = "") -> str:
    """A definition of 22 lines or so, none of which is blank."""
    return "\n".join((opening, *["        " + body] * 20, *closing.splitlines())) + "\n"


LONG = {
    "a.py": (
        "def small(): pass\ndef other():\n    return 1\nclass Big:\n    x = 1\n\n"
        + "    @cached(\n        size=1,\n    )\n"
        + "\n".join(_long(f"    def m{number}(self):", "work()") for number in range(3))
        + "    y = 2\n\n\nZ = 3\n",
        ("class Big", "def m0(self)"),
    ),
    "a.ts": (
        "class Big {\n  #count = 0;\n"
        + "\n".join(_long(f"  async m{each}<T>(a: T) {{", "go(`{`);", "  }") for each in range(3))
        + "}\nexport function other() {\n  return 1;\n}\n",
        ("class Big", "async m0<T>(a: T)"),
    ),
    "A.java": (
        "package a;\n\npublic class Big {\n"
        + "\n".join(
            _long(f"    @Override\n    public int m{each}(int a) throws X {{", closing="    }")
            for each in range(3)
        )
        + "}\n",
        ("public class Big", "public int m0(int a) throws X"),
    ),
    "a.rs": (
        "impl<'a> Big<'a> {\n"
        + "\n".join(
            _long(f"    /// Says.\n    pub fn m{each}(&self) {{", closing="    }")
            for each in range(3)
        )
        + "}\n\n#[test]\nfn other() {\n    1;\n}\n",
        ("impl<'a> Big<'a>", "pub fn m0(&self)"),
    ),
    "a.cpp": (
        "namespace acme {\n\nclass Big {\npublic:\n"
        + "\n".join(
            _long(f"    int m{each}(int a) const\n    {{", closing="    }") for each in range(3)
        )
        + "};\n\n}  // namespace acme\n",
        ("namespace acme", "class Big", "int m0(int a) const"),
    ),
    "a.go": (
        "package a\n\n" + _long("func m0() {", closing="}") + "type Big struct {\n\tA int\n}\n",
        ("func m0()",),
    ),
    "a.rb": (
        "module Acme\n  class Big\n"
        + "\n".join(_long(f"    def m{each}", "work", "    end") for each in range(3))
        + "  end\nend\n",
        ("module Acme", "class Big", "def m0"),
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_class_is_parted_at_its_methods(name: str) -> None:
    text, path = LONG[name]
    parsed = read_document(text.encode(), name)
    assert_lawful(parsed)
    methods = {block.heading_path for block in parsed.blocks if path[-1] in block.text}
    assert methods == {path}
    code = "\n".join(block.text for block in blocks_of(parsed, BlockKind.CODE))
    assert _lines(code) == _lines(text)


def test_what_follows_a_definition_is_not_under_its_heading() -> None:
    parsed = read_document(LONG["a.py"][0].encode(), "a.py")
    paths = {block.text: block.heading_path for block in blocks_of(parsed, BlockKind.CODE)}
    assert paths["def small(): pass"] == ()
    assert paths["def other():\n    return 1"] == ("def other()",)
    assert paths["y = 2"] == ("class Big",)
    assert paths["Z = 3"] == ()
    chunks = chunk_blocks(parsed, TOKENIZER)
    assert {chunk.heading_path for chunk in chunks if "Z = 3" in chunk.text} == {()}


CODE_LINES = (
    "def a():|class B:|    x = 1|@d|# c||    def m(self):|y = 2|        z()|class C {|  int m() {|"
    '  }|}|// c|/*|*/|"""|create table a (|);|begin|end;|[a]|[a.b]|function f() {|\'|`|func g() {'
).split("|")
CODE_FILES = ("a.py", "a.ts", "a.cpp", "a.go", "a.rs", "A.java", "a.sql", "a.toml", "a.rb")


@given(st.sampled_from(CODE_FILES), st.lists(st.sampled_from(CODE_LINES), max_size=150))
@settings(max_examples=150, deadline=None)
def test_no_line_of_code_is_lost_or_moved(name: str, lines: list[str]) -> None:
    if not any(line.strip() for line in lines):
        return
    parsed = read_document("\n".join(lines).encode(), name)
    assert_lawful(parsed)
    code = "\n".join(block.text for block in blocks_of(parsed, BlockKind.CODE))
    assert _lines(code) == _lines("\n".join(lines))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.expandtabs(4).split("\n") if line.strip()]


# --- plain text -----------------------------------------------------------------------------

SAMPLES = {
    "utf-16": "Договор вступает в силу.",
    "utf-8-sig": "Größe: fünf Meter",
    "cp1252": "Der Vertrag läuft zwei Jahre. Die Kündigung ist möglich: 5 €.",
    "latin-1": "Le café était fermé; l'été dernier, les élèves ont préféré la plage à l'école.",
    "cp1250": "Příliš žluťoučký kůň úpěl ďábelské ódy. Zaměstnanec má nárok na dovolenou.",
    "cp1251": "Договор вступает в силу с момента подписания. Работник имеет право на отпуск.",
    "koi8-r": "Договор вступает в силу с момента подписания. Работник имеет право на отпуск.",
    "cp1253": "Η σύμβαση τίθεται σε ισχύ από την ημέρα της υπογραφής.",
    "shift-jis": "契約は署名の日から効力を生じます。従業員は年に二十日の有給休暇を取得できます。",
    "euc-jp": "契約は署名の日から効力を生じます。従業員は年に二十日の有給休暇を取得できます。",
    "iso2022_jp": "契約は署名の日から効力を生じます。",
    "gb18030": "本合同自签字之日起生效。员工每年享有二十天带薪休假。未使用的假期失效。",
    "big5": "本合約自簽字之日起生效。員工每年享有二十天帶薪休假。未使用的假期失效。",
    "euc-kr": "계약은 서명한 날부터 효력이 발생합니다. 직원은 매년 유급 휴가를 받습니다.",
}


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("encoding", SAMPLES)
def test_a_text_is_read_in_its_encoding(encoding: str, end: str) -> None:
    text = SAMPLES[encoding] + end
    assert decode(text.encode(encoding)) == text


def test_one_odd_letter_in_a_long_text_is_western() -> None:
    text = "The lease runs for two years and ends by itself. " * 20 + "A naïve café."
    assert decode(text.encode("cp1252")) == text


def test_columns_of_the_same_title_are_told_of() -> None:
    parsed = read_document(b"Item,Price,Price,Note\nA,1,2,x\nB,3,4,y\n", "prices.csv")
    assert "the title “Price”, which a question cannot tell apart" in str(
        parsed.metadata["repeated_columns"]
    )
    book = openpyxl.Workbook()
    for row in (("Item", "Price", "Price"), ("A", 1, 2), ("B", 3, 4)):
        book.worksheets[0].append(row)
    saved = io.BytesIO()
    book.save(saved)
    assert "“Price”" in str(read_document(saved.getvalue(), "p.xlsx").metadata["repeated_columns"])
    for once in (b"Item,Price,Price \\| net\nA,1,2\n", b"Item,,\nA,1,2\n", b"Item,Price\nA,A\n"):
        assert "repeated_columns" not in read_document(once, "prices.csv").metadata


def test_a_text_in_two_encodings_is_read_and_doubted() -> None:
    parts = "Die Prämie beträgt 100 €.\n\n", "Der Selbstbehalt für Glasschäden ist 50 €.\n"
    content = parts[0].encode() + parts[1].encode("cp1252")
    parsed = read_document(content, "police.txt")
    assert parsed.text == "".join(parts).strip()
    assert "UTF-8" in str(parsed.metadata["mixed_encodings"])
    for encoding, text in SAMPLES.items():
        sample = read_document(text.encode(encoding), "sample.txt")
        assert "mixed_encodings" not in sample.metadata, encoding


def test_words_divided_at_line_ends_are_made_whole() -> None:
    text = (
        "The regular week has thirty-eight hours, and no member of the organi-\n"
        "sation works more than ten hours on one day, whatever the well-known\n"
        "customs of the trade may be in other places of the same sort.\n"
    )
    (block,) = read_document(text.encode(), "a.txt").blocks
    assert "organisation works" in block.text
    assert "well-known customs" in block.text
