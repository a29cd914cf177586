"""Characters by script, each as what stands in a class of a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA_LETTERS = "\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
KANA = f"{KANA_LETTERS}\u30a0\u30fb"
"""With the hyphen and the dot that stand between words of Katakana."""
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
BOPOMOFO = "\u3100-\u312f"
SOUTHEAST_ASIAN = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1780-\u17dd\ua9e0-\uaa7f"
"""Thai, Lao, Burmese and Khmer, which put no spaces between words; without the digits of Thai."""
EAST_ASIAN_UNSPACED = HAN + KANA_LETTERS + BOPOMOFO
UNSPACED = EAST_ASIAN_UNSPACED + SOUTHEAST_ASIAN
"""Every script that puts no spaces between words."""

_LONGEST_WORD = 512
_KEPT_OF_A_RUN = 64
"""As much as the lexical index keeps of a word."""
UNBROKEN = rf"[\w+/=-]{{{_LONGEST_WORD},}}"
"""What is no word, unless its script puts no spaces between words: data in letters, as base64."""
_UNBROKEN = re.compile(rf"(?<![\w+/=-]){UNBROKEN}")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def is_data(run: str) -> bool:
    """Whether a match of `UNBROKEN` is no text in any language."""
    return _UNSPACED.search(run) is None


def without_data(text: str) -> str:
    """The text as a model is given it: of each unbroken run of data only the beginning."""
    return "".join(text[start:end] for start, end in outside_data(text))


def outside_data(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text that `without_data` keeps."""
    start = 0
    for run in _UNBROKEN.finditer(text):
        if is_data(run[0]):
            yield start, run.start() + _KEPT_OF_A_RUN
            start = run.end()
    if start < len(text):
        yield start, len(text)
