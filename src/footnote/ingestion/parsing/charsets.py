"""Decode bytes of an unknown encoding to text."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"(?:charset|encoding|coding)\s*[:=]\s*[\"']?\s*([A-Za-z][\w.:-]{1,30})")
_DECLARING_BYTES = 2000
_WESTERN = "cp1252"
_GUESSED = (
    "cp1252 cp1250 cp1251 cp1253 cp1254 cp1255 cp1256 iso8859_2 koi8_r shift_jis euc_jp gb18030 "
    "big5 euc_kr"
).split()
_RELATED_LATIN = frozenset(("cp1250", "cp1254", "iso8859_2", "iso8859_16"))
_SAMPLE_BYTES = 50_000
_WESTERN_SHARE = 0.04
"""Share of bytes beyond ASCII below which a text in a Latin encoding is taken as western European,
which is far more frequent."""


_UTF8_LETTERS = re.compile(rb"\xc2[\xa0-\xbf]|\xc3[\x80-\xbf]|\xe2\x80[\x90-\xaf]")
"""Letters and signs of western Europe in UTF-8; read in a western encoding they are no words."""
_WESTERN_ERRORS = "footnote.western"


def _western(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError), "it is used to decode"
    return error.object[error.start : error.end].decode(_WESTERN, "replace"), error.end


codecs.register_error(_WESTERN_ERRORS, _western)


def decode(content: bytes) -> str:
    """Return the text by its byte order mark, as UTF-16 or UTF-8, as declared, else as is most
    likely."""
    return decode_and_doubt(content)[0]


def decode_and_doubt(content: bytes) -> tuple[str, bool]:
    """Return the text as `decode` does, and whether it is in two encodings.

    Text that is partly in UTF-8 and partly in a western encoding is decoded part by part.
    """
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, "replace"), False
    head = content[:_DECLARING_BYTES]
    if head.count(0) > len(head) // 4:
        little = head[1::2].count(0) > head[::2].count(0)
        return content.decode("utf-16-le" if little else "utf-16-be", "replace"), False
    if b"\x1b$" in head:
        return content.decode("iso2022_jp", "replace"), False
    with suppress(UnicodeDecodeError):
        return content.decode("utf-8"), False
    if declared := _DECLARED.search(content[:_DECLARING_BYTES]):
        # An unknown or a wrong declaration is ignored.
        with suppress(LookupError, UnicodeError, ValueError):
            return content.decode(declared.group(1).decode("ascii")), False
    remaining, utf8_letters = _UTF8_LETTERS.subn(b"", content)
    guess = _likely_encoding(remaining)
    if utf8_letters and guess not in (_WESTERN, *_RELATED_LATIN):
        utf8_letters, guess = 0, _likely_encoding(content)
    encoding, errors = ("utf-8", _WESTERN_ERRORS) if utf8_letters else (guess, "replace")
    return content.decode(encoding, errors), bool(utf8_letters)


def _likely_encoding(content: bytes) -> str:
    """Guess the encoding from the bytes beyond ASCII, the first of which may come late in a
    file."""
    first = next((index for index, byte in enumerate(content) if byte > 127), 0)
    begin = max(first - 200, 0)
    sample = content[begin:][:_SAMPLE_BYTES]
    if begin and b"\n" in sample[:200]:
        sample = sample[sample.find(b"\n") + 1 :]
    high = len(sample.translate(None, bytes(range(128))))
    if not high:
        return _WESTERN
    best = from_bytes(sample, cp_isolation=_GUESSED).best()
    if best is None:
        return _WESTERN
    is_western = best.encoding in _RELATED_LATIN and high < _WESTERN_SHARE * len(sample)
    return _WESTERN if is_western else best.encoding
