"""Convert a passage of LaTeX to the text it prints, by pylatexenc; formulas stay as written."""

from __future__ import annotations

import re
from collections.abc import Callable

from pylatexenc import latex2text, latexwalker
from pylatexenc.macrospec import std_macro

_SILENT = {
    0: "vskip hskip today phantomsection",
    1: "label vspace hspace pagestyle thispagestyle setcounter bibliographystyle bibliography "
    "addbibresource input include includeonly usepackage RequirePackage documentclass "
    "includegraphics index glsadd hypersetup color nocite pagenumbering graphicspath includepdf "
    "lstset lstinputlisting verbatiminput ref autoref pageref eqref nameref cref Cref",
    2: "setlength addtolength addtocounter newcommand renewcommand providecommand def let "
    "markboth markright fontsize",
    3: "definecolor addcontentsline",
}
"""Macros that print nothing, by the number of their arguments; all take an optional one first."""
_CITING = (
    "cite citep citet citealp citealt citeauthor citeyear Cite Citep Citet textcite Textcite "
    "parencite Parencite autocite Autocite footcite fullcite"
).split()
_SIGNS = {
    "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€", "EUR": "€",
    "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">", "LaTeX": "LaTeX",
    "TeX": "TeX", "BibTeX": "BibTeX", "\\": "\x01", "newline": "\x01",
}  # fmt: skip
"""Signs that pylatexenc prints otherwise or not at all; \x01 stands for the end of a line."""
_SPECS = (
    *((name, "[" + "{" * count, "") for count, all_ in _SILENT.items() for name in all_.split()),
    *((name, "*[[{", "[{0}]") for name in _CITING),
    *((name, "[{{", "{0}") for name in ("textcolor", "colorbox", "raisebox", "parbox")),
    *((name, "*[" if name == "\\" else "", sign) for name, sign in _SIGNS.items()),
    ("href", "[{{", "{0} ({1})"),
)
"""Macros with their arguments and their output format, which numbers arguments from the last."""


def _renderer(form: str) -> Callable[[latexwalker.LatexMacroNode, latex2text.LatexNodes2Text], str]:
    """Return a function that prints a macro's arguments in a format; nothing if any is missing."""

    def render(node: latexwalker.LatexMacroNode, l2tobj: latex2text.LatexNodes2Text) -> str:
        arguments = (node.nodeargd.argnlist if node.nodeargd else None) or []
        texts = [l2tobj.nodelist_to_text([child]) if child else "" for child in reversed(arguments)]
        return form.format(*texts) if len(texts) >= form.count("{") else ""

    return render


_ARGUMENTS = latexwalker.get_default_latex_context_db()
_ARGUMENTS.add_context_category(
    "ours", macros=[std_macro(name, kinds) for name, kinds, _ in _SPECS], prepend=True
)
_PRINTS = latex2text.get_default_latex_context_db()
_PRINTS.add_context_category(
    "ours",
    macros=[
        *(latex2text.MacroTextSpec(name, _renderer(form)) for name, _, form in _SPECS),
        latex2text.MacroTextSpec("verb", lambda node: node.nodeargd.verbatim_text),
    ],
    prepend=True,
)
_PRINTER = latex2text.LatexNodes2Text(_PRINTS, math_mode="verbatim", strict_latex_spaces=True)
_MARKUP = re.compile(r"[{}]|\\[a-zA-Z@]*")
_BRACE = re.compile(r"(?<!\\)[{}]")
_MAX_ARGUMENT = 10_000
"""Most characters of an argument; where no brace closes within, one was forgotten."""


def printed(text: str) -> str:
    """Return the text a paragraph prints, without styles, labels and commands; formulas
    unchanged."""
    try:
        plain = _PRINTER.latex_to_text(text, tolerant_parsing=True, latex_context=_ARGUMENTS)
    except (RecursionError, LookupError, AttributeError, TypeError, ValueError):
        # Nested too deep, or a macro lacks the arguments that pylatexenc expects.
        plain = _MARKUP.sub("", text)
    lines = (" ".join(line.split()) for line in plain.split("\x01"))
    return "\n".join(line for line in lines if line)


def argument(text: str, start: int) -> tuple[str, int]:
    """Return the text in the braces that open at or after blanks from `start`, and their end.

    An optional argument before them is skipped; the text is empty where no brace opens.
    """
    position = start
    while position < len(text) and text[position] in " \t\n":
        position += 1
    if text[position : position + 1] == "[":
        closing = text.find("]", position)
        if closing < 0:
            return "", start
        position = closing + 1
    if text[position : position + 1] != "{":
        return "", position if position != start and text[position - 1 : position] == "]" else start
    depth = 0
    limit = min(position + _MAX_ARGUMENT, len(text))
    for brace in _BRACE.finditer(text, position, limit):
        depth += 1 if brace.group(0) == "{" else -1
        if not depth:
            return text[position + 1 : brace.start()], brace.end()
    return text[position + 1 : limit], limit
