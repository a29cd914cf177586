"""Characters by script, each as what stands in a class of a regular expression."""

from __future__ import annotations

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
