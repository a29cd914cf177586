"""Characters by script, each as ranges for a regular expression's character class."""

from __future__ import annotations

import re
from collections.abc import Iterator

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA_LETTERS = "\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
KANA = f"{KANA_LETTERS}\u30a0\u30fb"
"""With the double hyphen and the middle dot between words of Katakana."""
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
BOPOMOFO = "\u3100-\u312f"
SOUTHEAST_ASIAN = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17dd\ua9e0-\uaa7f"
"""Thai, Lao, Burmese and Khmer, which put no spaces between words; without the digits of Thai."""
EAST_ASIAN_UNSPACED = HAN + KANA_LETTERS + BOPOMOFO
UNSPACED = EAST_ASIAN_UNSPACED + SOUTHEAST_ASIAN
"""Every script that puts no spaces between words."""

_LONGEST_WORD = 512
_MAX_RUN_CHARACTERS = 64
"""Characters kept of a run of data; as many as the lexical index keeps of a term."""
UNBROKEN = rf"[\w+/=-]{{{_LONGEST_WORD},}}"
"""A run too long for a word, unless its script has no spaces: encoded data such as base64."""
_UNBROKEN = re.compile(rf"(?<![\w+/=-]){UNBROKEN}")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def is_data(run: str) -> bool:
    """Return whether a match of `UNBROKEN` has no character of a script without spaces."""
    return _UNSPACED.search(run) is None


def without_data(text: str) -> str:
    """Return the text to give to a model: each run of data is cut to its first 64 characters."""
    return "".join(text[start:end] for start, end in outside_data(text))


def outside_data(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text that `without_data` keeps."""
    start = 0
    for run in _UNBROKEN.finditer(text):
        if is_data(run[0]):
            yield start, run.start() + _MAX_RUN_CHARACTERS
            start = run.end()
    if start < len(text):
        yield start, len(text)
