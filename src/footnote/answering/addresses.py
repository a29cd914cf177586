"""Find what a Markdown viewer or a chat client would turn into a link, in any text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# Two-letter domains that are better known as file names (`main.py`, `README.md`) are left out.
_BARE_DOMAINS = (
    "com|net|org|info|biz|edu|gov|mil|io|co|ai|app|dev|xyz|me|tv|us|uk|de|fr|es|it|pt|nl|be|ch|at|"
    "eu|ru|cn|jp|kr|in|br|au|ca|se|no|dk|fi|cz|ie|gr|tr|hk|tw|sg|mx|ar|cl|za|nz|online|site|"
    "website|shop|store|club|top|icu|link|click|live|space|tech|cloud|page|blog|news|fun|life|"
    "world|today|win|bid|vip|ws|su|onion|ly|gg|to|tk|ga|cf|gq|zip|mov"
)
_STOP = r"\s<>\"'`“”«»„‘’|\\^{}\[\]，。；：！？、（）【】"

# Each branch reads a bounded stretch before it can fail, which keeps hostile input linear.
_ADDRESS = re.compile(
    rf"""
      [a-z0-9+.\-]{{0,20}} :// [^{_STOP}]*
    | www\d{{0,3}}\. [^{_STOP}]+
    | \b (?: mailto | xmpp | javascript | vbscript | blob | magnet | view-source ) : [^{_STOP}]*
    | \b data: [\w.+\-]* [/;,] [^{_STOP}]*
    | (?<! [:/\w] ) // \w [\w\-]{{0,62}} \. [^{_STOP}]+
    | [\w.+\-]{{1,64}} @ [\w\-]{{1,63}} (?: \. [\w\-]{{1,63}} ){{1,8}}
    | (?<! [\w.@\-/] ) (?: \w [\w\-]{{0,62}} \. ){{1,6}} (?: {_BARE_DOMAINS} ) (?! [\w\-] )
      (?: [:/?\#] [^{_STOP}]* )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TRAILING = ".,;:!?)*_~…"
"""Punctuation and emphasis marks that may close an address without belonging to it."""


def addresses_in(text: str) -> frozenset[str]:
    """Every URL, e-mail address and domain of a text, without trailing punctuation.

    >>> sorted(addresses_in("See (https://a.example/x?q=1), www.b.example or c@d.example."))
    ['c@d.example', 'https://a.example/x?q=1', 'www.b.example']
    """
    return frozenset(text[start:end] for start, end in _address_spans(text))


def replace_addresses(text: str, replacement: Callable[[str], str]) -> str:
    """Replace each address of the text by the result of `replacement`."""
    parts, position = [], 0
    for start, end in _address_spans(text):
        parts += [text[position:start], replacement(text[start:end])]
        position = end
    return "".join([*parts, text[position:]])


def _address_spans(text: str) -> Iterator[tuple[int, int]]:
    for match in _ADDRESS.finditer(text):
        # An address with only punctuation after its scheme is taken whole: it may begin a link.
        length = len(match.group().rstrip(_TRAILING)) or len(match.group())
        yield match.start(), match.start() + length
