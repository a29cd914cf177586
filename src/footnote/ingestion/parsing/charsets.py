"""Bytes become text, in whatever encoding they came."""

from __future__ import annotations

import codecs
import re

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
_LATIN_KIN = frozenset(("cp1250", "cp1254", "iso8859_2", "iso8859_16"))
_SAMPLE_BYTES = 50_000
_KIN_SHARE = 0.04
"""With fewer bytes beyond ASCII than this, a Latin text is far more often western European."""


def decode(content: bytes) -> str:
    """Text by its mark, as UTF-8 or UTF-16, as it declares itself, else as is most likely."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    head = content[:_DECLARING_BYTES]
    if head.count(0) > len(head) // 4:
        little = head[1::2].count(0) > head[::2].count(0)
        return content.decode("utf-16-le" if little else "utf-16-be", "replace")
    if b"\x1b$" in head:
        return content.decode("iso2022_jp", "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if declared := _DECLARED.search(content[:_DECLARING_BYTES]):
        try:
            return content.decode(declared.group(1).decode("ascii"))
        except (LookupError, UnicodeError, ValueError):  # an unknown or a lying declaration
            pass
    return content.decode(_likely_encoding(content), "replace")


def _likely_encoding(content: bytes) -> str:
    """Judged by what is not ASCII, which may begin late in a file."""
    first = next((at for at, byte in enumerate(content) if byte > 127), 0)
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
    is_kin = best.encoding in _LATIN_KIN and high < _KIN_SHARE * len(sample)
    return _WESTERN if is_kin else best.encoding
