"""Convert LaTeX to drafts; nothing is run, and no file it names is opened."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.latextables import latex_rows
from footnote.ingestion.parsing.latextext import argument, printed
from footnote.ingestion.parsing.tables import spanned_table_drafts

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*?(?:\n[ \t]*|\Z)")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_VERBATIM = re.compile(
    r"\\begin\s*\{(verbatim\*?|Verbatim|lstlisting|minted|alltt|comment)\}(.*?)\\end\s*\{\1\}",
    re.DOTALL,
)
_SHORTHAND = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand)\*?\s*\{?\s*\\([A-Za-z]+)\s*\}?\s*(?=\{)"
)
_MARK = re.compile(
    r"\\(begin|end)\s*\{([^{}\n]+)\}"
    r"|\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?=\s*[\[{])"
    r"|\\(item|bibitem|caption|footnote|footnotetext|par|maketitle)(?![A-Za-z])\*?"
    r"|(\\\[)|(\$\$)|(\n[ \t]*\n\s*)|\x02(\d+)\x02"
)
_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4,
           "paragraph": 5, "subparagraph": 6}  # fmt: skip
_LISTS = frozenset(("itemize", "enumerate", "description", "thebibliography", "compactitem"))
_FORMULAS = re.compile(r"(?:equation|align|gather|multline|eqnarray|displaymath|math|flalign)\*?")
_TABLES = re.compile(r"(?:tabular[xy*]?|tabulary|longtable|supertabular)\*?")
_DRAWINGS = frozenset(("tikzpicture", "pgfpicture", "picture", "filecontents", "filecontents*"))
_MAX_SHORTHAND = 60
_LISTING_OPTIONS = re.compile(r"\A(?:\[[^\]\n]*\]|\{[^}\n]*\})+[ \t]*\n")
_FLOAT_OPTIONS = re.compile(r"[ \t]*(?:\[[^\]\n]*\]|\{[^{}\n]*\})*")


def read_latex(text: str) -> Reading:
    """Read sections, lists, tables, listings, formulas, captions and footnotes."""
    text = text.replace("\x02", "")
    listings: list[str] = []

    def mask(match: re.Match[str]) -> str:
        listings.append("" if match.group(1) == "comment" else match.group(2))
        return f"\x02{len(listings) - 1}\x02"

    text = _COMMENT.sub(r"\1", _VERBATIM.sub(mask, text))
    text = _expanded(text)
    document = _DOCUMENT.search(text)
    preamble, body = (text[: document.start()], document.group(1)) if document else ("", text)
    title = _declared(preamble, "title") or _declared(body, "title")
    walk = _Walk(body, listings)
    drafts = list(walk.drafts())
    if title:
        drafts.insert(0, Draft(kind=BlockKind.HEADING, text=title, level=1))
    metadata: dict[str, MetadataValue] = {}
    if author := _declared(preamble, "author") or _declared(body, "author"):
        metadata["author"] = author
    if date := _declared(preamble, "date") or _declared(body, "date"):
        metadata["date"] = date
    return Reading(drafts=tuple(drafts), title=title or None, metadata=metadata)


def _expanded(text: str) -> str:
    """Replace macros that stand for a few words, once and never inside each other."""
    words: dict[str, str] = {}
    for match in _SHORTHAND.finditer(text):
        replacement, _ = argument(text, match.end())
        if len(replacement) <= _MAX_SHORTHAND and "#" not in replacement:
            words[match.group(1)] = replacement
    if not words:
        return text
    names = "|".join(sorted(words, key=len, reverse=True))
    body = text.find("\\begin{document}")
    head, tail = (text[:body], text[body:]) if body >= 0 else ("", text)
    pattern = re.compile(rf"\\({names})(?![A-Za-z])(?:\{{\}})?")
    return head + pattern.sub(lambda match: words[match.group(1)], tail)


def _declared(text: str, name: str) -> str:
    match = re.search(rf"\\{name}(?=\s*[\[{{])", text)
    if not match:
        return ""
    value, _ = argument(text, match.end())
    value = re.sub(r"\\thanks\s*\{[^}]*\}", "", value).replace("\\and", ", ")
    return " ".join(printed(value).replace(" ,", ",").split())


@dataclass(slots=True)
class _Walk:
    """One pass over the body, from one structural command to the next."""

    body: str
    listings: list[str]
    lists: list[int | None] = field(default_factory=list)
    """Open lists, innermost last: the next number, or None where items have bullets."""
    items: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    note_count: int = 0
    text: list[str] = field(default_factory=list)
    marker: str = ""

    def drafts(self) -> Iterator[Draft]:
        position = 0
        while mark := _MARK.search(self.body, position):
            self.text.append(self.body[position : mark.start()])
            position = mark.end()
            if mark.group(1):
                next_position = yield from self._environment(
                    mark.group(1), mark.group(2).strip(), position
                )
            elif mark.group(3):
                yield from self._break()
                yield from self._end_list()
                heading, next_position = argument(self.body, position)
                level, heading = _LEVELS[mark.group(3)], " ".join(printed(heading).split())
                yield Draft(kind=BlockKind.HEADING, text=heading, level=level)
            elif mark.group(4):
                next_position = yield from self._command(mark.group(4), position)
            elif opening := mark.group(5) or mark.group(6):
                closing = "\\]" if opening == "\\[" else "$$"
                end = self.body.find(closing, position)
                end = len(self.body) if end < 0 else end
                yield from self._break()
                yield Draft(kind=BlockKind.PARAGRAPH, text=self.body[position:end].strip())
                next_position = end + 2
            else:
                yield from self._break()
                if mark.group(8):
                    yield from self._end_items()
                    code = _LISTING_OPTIONS.sub("", self.listings[int(mark.group(8))]).strip("\n")
                    yield Draft(kind=BlockKind.CODE, text=code)
                next_position = position
            position = max(next_position, position)
        self.text.append(self.body[position:])
        yield from self._break()
        yield from self._end_list()

    def _environment(self, edge: str, name: str, position: int) -> Generator[Draft, None, int]:
        """Enter or leave an environment; return the position at which the text continues."""
        if edge == "begin" and (_FORMULAS.fullmatch(name) or name in _DRAWINGS):
            end = self.body.find(f"\\end{{{name}}}", position)
            end = len(self.body) if end < 0 else end
            yield from self._break()
            if name not in _DRAWINGS:
                source = self.body[position:end].strip()
                yield Draft(kind=BlockKind.PARAGRAPH, text=source)
            return end + len(name) + 6
        if edge == "begin" and _TABLES.fullmatch(name):
            end = self.body.find(f"\\end{{{name}}}", position)
            end = len(self.body) if end < 0 else end
            yield from self._break()
            yield from self._end_items()
            yield from spanned_table_drafts(latex_rows(self.body[position:end], name))
            return end + len(name) + 6
        yield from self._break()
        if name in _LISTS:
            if edge == "begin":
                self.lists.append(1 if name in ("enumerate", "thebibliography") else None)
                _, end = argument(self.body, position)
                return end if name == "thebibliography" else position
            if self.lists:
                self.lists.pop()
            if not self.lists:
                yield from self._end_list()
        elif name == "abstract" and edge == "begin":
            yield Draft(kind=BlockKind.HEADING, text="Abstract", level=2)
        elif edge == "begin":  # options of a float, a theorem, a minipage
            options = _FLOAT_OPTIONS.match(self.body, position)
            return options.end() if options else position
        return position

    def _command(self, name: str, position: int) -> Generator[Draft, None, int]:
        if name in ("item", "bibitem"):
            yield from self._break()
            return self._item(name, position)
        if name in ("footnote", "footnotetext"):
            content, end = argument(self.body, position)
            self.note_count += 1
            self.notes.append(f"[note {self.note_count}: {printed(content)}]")
            self.text.append(f"[note {self.note_count}]")
            return end
        yield from self._break()
        if name == "caption":
            content, end = argument(self.body, position)
            yield Draft(kind=BlockKind.CAPTION, text=printed(content))
            return end
        return position

    def _item(self, name: str, position: int) -> int:
        number = self.lists[-1] if self.lists else None
        if self.lists and number is not None:
            self.lists[-1] = number + 1
        sign = "-" if number is None else f"{number}."
        label = re.compile(r"\s*\[([^\]]*)\]").match(self.body, position)
        if name == "bibitem":
            key, position = argument(self.body, position)
            sign = f"[{key}]"
        elif label:
            position = label.end()
            sign = f"{sign} {printed(label.group(1))}".rstrip()
        self.marker = "  " * max(len(self.lists) - 1, 0) + sign
        return position

    def _break(self) -> Iterator[Draft]:
        """Close the paragraph or item being collected; its notes follow it."""
        text = printed("".join(self.text))
        self.text.clear()
        if text and self.lists:
            indent = "  " * len(self.lists)
            self.items.append(f"{self.marker} {text}" if self.marker else indent + text)
            self.marker = ""
        elif text:
            yield Draft(kind=BlockKind.PARAGRAPH, text=text)
        if not self.lists:
            for note in self.notes:
                yield Draft(kind=BlockKind.PARAGRAPH, text=note)
            self.notes.clear()

    def _end_items(self) -> Iterator[Draft]:
        if self.items:
            yield Draft(kind=BlockKind.LIST, text="\n".join(self.items))
            self.items.clear()

    def _end_list(self) -> Iterator[Draft]:
        self.lists.clear()
        yield from self._end_items()
        yield from self._break()
