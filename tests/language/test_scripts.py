"""Scripts have the characters that Unicode names after them, and are listed in one place."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from footnote.language import scripts

SOURCE = Path(scripts.__file__).parents[1]


@pytest.mark.parametrize(
    ("characters", "letters", "names"),
    [
        (scripts.HAN, "中々〆〇㐀𠀀", "CJK|IDEOGRAPHIC"),
        (scripts.KANA, "あカー・ㇰ", "HIRAGANA|KATAKANA"),
        (scripts.HANGUL, "한ㄱᄀ", "HANGUL"),
        (scripts.BOPOMOFO, "ㄅ", "BOPOMOFO"),
        (scripts.SOUTHEAST_ASIAN, "กາကក", "THAI|LAO|MYANMAR|CHAM|KHMER"),
    ],
)
def test_a_script_has_the_letters_that_are_named_after_it(
    characters: str, letters: str, names: str
) -> None:
    belongs = re.compile(f"[{characters}]")
    assert all(map(belongs.match, letters))
    named = re.compile(rf"\b(?:{names})\b")
    found = (
        unicodedata.name(each, names) for each in map(chr, range(0x40000)) if belongs.match(each)
    )
    assert [name for name in found if not named.search(name)] == []


def test_months_and_scripts_are_listed_nowhere_else() -> None:
    listed = re.compile(r"januar\w*\W+februar|jan\W+feb|\\u4e00", re.IGNORECASE)
    places = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if listed.search(path.read_text(encoding="utf-8")) and path.parent.name != "language"
    ]
    assert places == []
