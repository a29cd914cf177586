"""A stretch of LaTeX becomes the text it prints, formulas as they are written."""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "c": "\u0327",
    "k": "\u0328", "d": "\u0323",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textendash": "–", "textemdash": "—", "S": "§", "P": "¶", "copyright": "©", "pounds": "£",
    "euro": "€", "texteuro": "€", "EUR": "€", "textdegree": "°", "textbackslash": "\\",
    "dollar": "$", "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<",
    "textgreater": ">", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "newline": "\n",
    "quad": " ", "qquad": " ", "textquotesingle": "'", "textregistered": "®",
    "texttrademark": "™", "today": "",
}  # fmt: skip
_SILENT = frozenset(
    "label vspace hspace vskip hskip pagestyle thispagestyle setlength addtolength setcounter "
    "addtocounter bibliographystyle bibliography addbibresource input include includeonly "
    "usepackage RequirePackage documentclass newcommand renewcommand providecommand def let "
    "includegraphics index glsadd definecolor hypersetup color phantomsection nocite "
    "addcontentsline markboth markright pagenumbering graphicspath includepdf lstset "
    "lstinputlisting verbatiminput".split()
)
_CITING = re.compile(r"(?:foot|text|paren|auto|no)?[cC]ite\w*")
_REFERRING = re.compile(r"(?:auto|page|eq|name|[cC])?ref\*?")
_FORMULA = re.compile(
    r"\$\$(?:[^$\\]|\\.)+\$\$|\$(?:[^$\\]|\\.)+\$|\\\((?:(?!\\\)).)+\\\)", re.DOTALL
)
_ACCENT = re.compile(
    r"\\([`'^~=.\"]|[urHvckd](?=[\s{\\]))\s*\{?\s*(\\[ij](?![a-zA-Z])|[A-Za-z])\}?"
)
_MACRO = re.compile(r"\\([a-zA-Z@]+)\*?")
_SPACES = re.compile(r"[ \t\n]+")
_HELD = re.compile("\x00(\\d+)\x00")
_BRACE = re.compile(r"(?<!\\)[{}]")
_MAX_MACROS = 200_000
_MAX_ARGUMENT = 10_000
"""Characters; where no brace closes within, one was forgotten."""


def printed(text: str) -> str:
    """What a paragraph prints: styles, labels and commands gone, formulas untouched."""
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found.group(0))
        return f"\x00{len(held) - 1}\x00"

    text = _FORMULA.sub(hold, text.replace("\x00", "").replace("\\$", "\\dollar{}"))
    text = _ACCENT.sub(_accented, text)
    text = _without_macros(text)
    for mark, sign in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " ")):
        text = text.replace(mark, sign)
    lines = [_SPACES.sub(" ", line).strip() for line in text.split("\x01")]
    text = "\n".join(line for line in lines if line)
    return _HELD.sub(lambda found: held[int(found.group(1))], text)


def argument(text: str, at: int) -> tuple[str, int]:
    """What stands between the braces that open at or after blanks from `at`, and their end.

    An optional argument before them is passed over; the text is empty where no brace opens.
    """
    position = at
    while position < len(text) and text[position] in " \t\n":
        position += 1
    if text[position : position + 1] == "[":
        closing = text.find("]", position)
        if closing < 0:
            return "", at
        position = closing + 1
    if text[position : position + 1] != "{":
        return "", position if position != at and text[position - 1 : position] == "]" else at
    depth = 0
    limit = min(position + _MAX_ARGUMENT, len(text))
    for brace in _BRACE.finditer(text, position, limit):
        depth += 1 if brace.group(0) == "{" else -1
        if not depth:
            return text[position + 1 : brace.start()], brace.end()
    return text[position + 1 : limit], limit


def _accented(found: re.Match[str]) -> str:
    letter = found.group(2).replace("\\i", "i").replace("\\j", "j")
    return unicodedata.normalize("NFC", letter + _ACCENTS[found.group(1)])


def _without_macros(text: str) -> str:
    """Commands replaced by what they print, from left to right."""
    pieces: list[str] = []
    position = 0
    for _ in range(_MAX_MACROS):
        slash = text.find("\\", position)
        if slash < 0:
            break
        pieces.append(_bare(text[position:slash]))
        if macro := _MACRO.match(text, slash):
            said, position = _macro(macro.group(1), text, macro.end())
            pieces.append(said)
        else:
            sign = text[slash + 1 : slash + 2]
            pieces.append(
                {"\\": "\x01", ",": " ", ";": " ", " ": " ", "\n": " "}.get(
                    sign, sign if sign in "&%#_{}$" else ""
                )
            )
            position = slash + 2
            if sign == "\\" and (spacing := re.compile(r"\*?\[[^\]\n]*\]").match(text, position)):
                position = spacing.end()
    pieces.append(_bare(text[position:]))
    return "".join(pieces)


def _bare(text: str) -> str:
    return text.replace("{", "").replace("}", "")


def _macro(name: str, text: str, at: int) -> tuple[str, int]:
    """What a command prints, and where the text goes on."""
    if name in _LETTERS:
        return _LETTERS[name], at + _ending(_LETTERS[name], text[at : at + 2])
    said, end = argument(text, at)
    if name in _SILENT or _REFERRING.fullmatch(name):
        return "", _after_arguments(text, end) if name in _SILENT else end
    if _CITING.fullmatch(name):
        return f"[{said}]" if said else "", end
    if name == "href":
        shown, end = argument(text, end)
        return f"{_bare(shown)} ({said})", end
    return _styled(name, text, at, end)


def _ending(letter: str, following: str) -> int:
    """How many characters only end the name of a command that prints a letter or a sign."""
    if following == "{}":
        return 2
    return int(len(letter) == 1 and letter.isalpha() and following[:1] == " ")


def _styled(name: str, text: str, at: int, end: int) -> tuple[str, int]:
    """A command that only styles what it is given, or an unknown one."""
    if name in ("textcolor", "colorbox", "parbox", "raisebox", "fontsize", "hyperref"):
        return "", end
    # What it styles follows as plain text, braces and all.
    opened = text[at : at + 1] in ("{", "[")
    return ("" if opened else " "), text.find("{", at, end) + 1 or end if opened else at


def _after_arguments(text: str, at: int) -> int:
    while text[at : at + 1] in ("{", "["):
        _, end = argument(text, at)
        if end <= at:
            break
        at = end
    return at
