"""Convert equations of Office files (OMML) and OpenDocument (MathML) to text on one line."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from footnote.ingestion.parsing.package import attribute, child, children, local

_SPACE = re.compile(r"\s+")
_SIMPLE = re.compile(r"[\w.,∞]*|\(.*\)")
_ACCENTS = {"\u0302": "^", "\u0303": "~", "\u0305": "¯", "\u20d7": "→", "\u0307": "˙"}


def equation_text(element: Element) -> str:
    """Return an equation in linear notation: `x=(-b±√(b^2-4ac))/(2a)`."""
    return _SPACE.sub(" ", _text(element)).strip()


def _text(element: Element | None) -> str:
    if element is None:
        return ""
    name = local(element)
    if name in ("t", "mi", "mn", "mo", "mtext"):
        return element.text or ""
    if name.endswith("Pr") or name.startswith("annotation"):
        return ""
    builder = _BUILDERS.get(name)
    return builder(element) if builder else "".join(_text(item) for item in element)


def _grouped(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _part(element: Element, name: str) -> str:
    return _text(child(element, name)).strip()


def _argument(element: Element, position: int) -> str:
    """Return the text of a child by position, as MathML identifies arguments."""
    return _text(element[position]).strip() if position < len(element) else ""


def _fraction(element: Element) -> str:
    numerator, denominator = _part(element, "num"), _part(element, "den")
    if _sign(element, "fPr", "type") == "noBar":
        return f"({numerator} over {denominator})"
    return f"{_grouped(numerator)}/{_grouped(denominator)}"


def _scripts(base: str, subscript: str, superscript: str) -> str:
    text = base
    if subscript:
        text += f"_{_grouped(subscript)}"
    if superscript:
        text += f"^{_grouped(superscript)}"
    return text


def _sign(element: Element, *path: str) -> str | None:
    """Return the sign that a property sets; None where the default applies."""
    sign = child(element, *path)
    return attribute(sign, "val") if sign is not None else None


def _sum(element: Element) -> str:
    symbol = _sign(element, "naryPr", "chr") or "∫"
    limits = _scripts(symbol, _part(element, "sub"), _part(element, "sup"))
    return f"{limits} {_part(element, 'e')}"


def _delimited(element: Element) -> str:
    def sign(name: str, default: str) -> str:
        value = _sign(element, "dPr", name)
        return default if value is None else value

    inner = sign("sepChr", "|").join(_text(item) for item in children(element, "e"))
    return f"{sign('begChr', '(')}{inner}{sign('endChr', ')')}"


def _function(element: Element) -> str:
    argument = _part(element, "e")
    grouped = argument if argument.startswith(("(", "[")) else f"({argument})"
    return f"{_part(element, 'fName')}{grouped}"


def _matrix(element: Element) -> str:
    rows = [
        ", ".join(_text(cell).strip() for cell in row) for row in children(element, "mr", "mtr")
    ]
    return f"[{'; '.join(rows)}]"


def _accent(element: Element) -> str:
    mark = _sign(element, "accPr", "chr") or "\u0302"
    return _part(element, "e") + _ACCENTS.get(mark, mark)


_BUILDERS = {
    "f": _fraction,
    "sSup": lambda e: _scripts(_part(e, "e"), "", _part(e, "sup")),
    "sSub": lambda e: _scripts(_part(e, "e"), _part(e, "sub"), ""),
    "sSubSup": lambda e: _scripts(_part(e, "e"), _part(e, "sub"), _part(e, "sup")),
    "sPre": lambda e: _scripts("", _part(e, "sub"), _part(e, "sup")) + _part(e, "e"),
    "rad": lambda e: f"{_part(e, 'deg')}√{_grouped(_part(e, 'e')) or '()'}",
    "nary": _sum,
    "d": _delimited,
    "func": _function,
    "limLow": lambda e: _scripts(_part(e, "e"), _part(e, "lim"), ""),
    "limUpp": lambda e: _scripts(_part(e, "e"), "", _part(e, "lim")),
    "m": _matrix,
    "eqArr": lambda e: "; ".join(_text(item).strip() for item in children(e, "e")),
    "acc": _accent,
    "mfrac": lambda e: f"{_grouped(_argument(e, 0))}/{_grouped(_argument(e, 1))}",
    "msup": lambda e: _scripts(_argument(e, 0), "", _argument(e, 1)),
    "mover": lambda e: _scripts(_argument(e, 0), "", _argument(e, 1)),
    "msub": lambda e: _scripts(_argument(e, 0), _argument(e, 1), ""),
    "munder": lambda e: _scripts(_argument(e, 0), _argument(e, 1), ""),
    "msubsup": lambda e: _scripts(_argument(e, 0), _argument(e, 1), _argument(e, 2)),
    "munderover": lambda e: _scripts(_argument(e, 0), _argument(e, 1), _argument(e, 2)),
    "msqrt": lambda e: f"√({''.join(_text(item) for item in e)})",
    "mroot": lambda e: f"{_argument(e, 1)}√{_grouped(_argument(e, 0))}",
    "mtable": _matrix,
}
