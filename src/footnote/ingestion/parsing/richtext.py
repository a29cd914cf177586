"""An RTF file becomes drafts: headings by outline level, lists, tables, notes, links, pictures."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading, clean
from footnote.ingestion.parsing.flow import BULLET, Flow, link_text
from footnote.ingestion.parsing.pictures import Pictures
from footnote.ingestion.parsing.richtables import RichTable

_TOKEN = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|(?P<bytes>(?:\\'[0-9a-fA-F]{2})+)"
    r"|\\(?P<symbol>[^a-zA-Z'])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
_MAX_DEPTH = 500
_IGNORED = frozenset(
    "colortbl filetbl listtable listoverridetable rsidtbl generator themedata colorschememapping "
    "latentstyles datastore xmlnstbl mmathPr nonshppict objdata bkmkstart bkmkend revtbl pgptbl "
    "fldtype datafield xe tc private do shprslt sp sn sv pntxta pntxtb atnid atrfstart "
    "atrfend atndate atnref atnparent ftnsep ftnsepc aftnsep aftnsepc operator company "
    "doccomm category manager docvar userprops password passwordhash writereservhash".split()
)
_COLLECTED = frozenset("title author subject keywords fldinst listtext pntext atnauthor".split())
_FLOWS = frozenset("footnote annotation header headerl headerr headerf footer footerl footerr "
                   "footerf shptxt".split())  # fmt: skip
_CHARACTERS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "endash": "–", "emdash": "—", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_CHARSETS = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _State:
    """What holds inside the current group."""

    destination: str = "body"
    fallback: int = 1
    """Characters that follow each Unicode character for readers that do not know it."""
    style: int = 0
    outline: int | None = None
    in_table: bool = False
    hidden: bool = False
    font: int = 0
    depth: int = 0


_CHANGES: dict[str, Callable[[_State, int | None], _State]] = {
    "uc": lambda state, number: replace(state, fallback=number or 0),
    "pard": lambda state, _: replace(state, style=0, outline=None, in_table=False, depth=0),
    "plain": lambda state, _: replace(state, hidden=False),
    "v": lambda state, number: replace(state, hidden=number != 0),
    "deleted": lambda state, number: replace(state, hidden=number != 0),
    "s": lambda state, number: replace(state, style=number or 0),
    "outlinelevel": lambda state, number: replace(state, outline=number),
    "intbl": lambda state, _: replace(state, in_table=True),
    "f": lambda state, number: replace(state, font=number or 0),
    "ilvl": lambda state, number: replace(state, depth=min(number or 0, 9)),
}


@dataclass(slots=True)
class _Story:
    """The body, a note, a header or a text box while it is being read."""

    flow: Flow = field(default_factory=Flow)
    pieces: list[str] = field(default_factory=list)
    label: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list)
    floats: list[Draft] = field(default_factory=list)
    table: RichTable = field(default_factory=RichTable)


def read_rich_text(content: bytes, pictures: Pictures) -> Reading:
    """Read an RTF file; a damaged one is read as far as it makes sense."""
    reader = _RichReader(pictures)
    reader.read(content.decode("latin-1"))
    drafts = reader.finish()
    if reader.pictures.unread:
        reader.metadata["pictures_without_text"] = reader.pictures.unread
    return Reading(drafts=tuple(drafts), title=reader.title, metadata=reader.metadata)


class _RichReader:
    """One pass over the tokens, with a stack of groups and a stack of stories."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures
        self.title = ""
        self.metadata: dict[str, MetadataValue] = {}
        self._state = _State()
        self._groups: list[tuple[_State, int]] = []
        self._stories = [_Story()]
        self._collected: list[str] = []
        self._encoding = "cp1252"
        self._fonts: dict[int, str] = {}
        self._styles: dict[int, tuple[str, int | None]] = {}
        self._to_skip = 0
        self._titled = False
        self._notes = 0
        self._optional = False
        self._author = ""
        self._links: list[tuple[int, str]] = []
        self._moment: dict[str, int] = {}

    def read(self, text: str) -> None:
        """Read all tokens; binary data between them is jumped over."""
        position = 0
        while match := _TOKEN.match(text, position):
            position = match.end()
            if match["word"] == "bin":
                position += max(int(match["number"] or 0), 0)
            elif match["word"]:
                self._word(match["word"], int(match["number"]) if match["number"] else None)
            elif match["brace"]:
                self._open() if match["brace"] == "{" else self._close()
            elif match["symbol"]:
                self._symbol(match["symbol"])
            elif said := match["bytes"] or match["text"]:
                self._text(said, encoded=match["bytes"] is not None)

    def finish(self) -> list[Draft]:
        """Close what the file left open."""
        while self._groups:
            self._close()
        self._end_paragraph()
        self._end_table()
        return self._stories[0].flow.close()

    def _open(self) -> None:
        if len(self._groups) < _MAX_DEPTH:
            self._groups.append((self._state, len(self._collected)))

    def _close(self) -> None:
        self._optional = False
        if not self._groups:
            return
        ended = self._state
        self._state, start = self._groups.pop()
        if ended.destination == "stylesheet":
            name = "".join(self._collected[start:]).strip().rstrip(";")
            del self._collected[start:]
            if name:
                self._styles[ended.style] = (name, ended.outline)
        elif ended.destination != self._state.destination:
            said = "".join(self._collected[start:])
            del self._collected[start:]
            self._end_destination(ended.destination, said)

    def _end_destination(self, destination: str, said: str) -> None:
        if destination == "title":
            self.title = said.strip()
        elif destination in ("author", "subject", "keywords"):
            self.metadata[destination] = said.strip()
        elif destination == "atnauthor":
            self._author = said.strip()
        elif destination in ("listtext", "pntext"):
            self._stories[-1].label = said.strip()
        elif destination == "fldinst":
            match = _HYPERLINK.match(said)
            self._links.append((len(self._stories[-1].pieces), match.group(1) if match else ""))
        elif destination == "fldrslt" and self._links:
            start, target = self._links.pop()
            pieces = self._stories[-1].pieces
            pieces[start:] = [link_text("".join(pieces[start:]), target)]
        elif destination in ("creatim", "revtim"):
            self._date("created" if destination == "creatim" else "modified")
        elif destination == "pict":
            self._picture(said)
        elif destination in _FLOWS:
            self._end_story(destination)

    def _end_story(self, destination: str) -> None:
        self._end_paragraph()
        self._end_table()
        drafts = self._stories.pop().flow.close()
        said = " ".join(" ".join(draft.text.split()) for draft in drafts)
        above = self._stories[-1]
        if destination == "footnote" and said:
            self._notes += 1
            above.notes.append((f"note {self._notes}", said))
            above.pieces.append(f" [note {self._notes}]")
        elif destination == "annotation":
            by = f"comment by {self._author}" if self._author else "comment"
            above.notes.append((by, said))
        elif destination == "shptxt":
            above.floats += drafts
        elif said:
            key = "running_header" if destination.startswith("header") else "running_footer"
            before = str(self.metadata.get(key, ""))
            if said not in before:
                self.metadata[key] = f"{before} | {said}"[:500] if before else said[:500]

    def _word(self, word: str, number: int | None) -> None:
        optional, self._optional = self._optional, False
        if word in _IGNORED or (optional and not self._knows(word)):
            self._state = replace(self._state, destination="skip")
        elif self._state.destination != "skip":
            if self._knows(word):
                self._enter(word)
            elif word == "u" and number is not None:
                self._write(_unicode(number))
                self._to_skip = self._state.fallback
            elif word in _CHARACTERS:
                self._write(_CHARACTERS[word])
            elif not self._format(word, number) and self._state.destination not in _COLLECTED:
                self._structure(word, number)

    def _knows(self, word: str) -> bool:
        return word in _COLLECTED or word in _FLOWS or word in (
            "fldrslt", "stylesheet", "fonttbl", "pict", "shppict", "shpinst", "creatim", "revtim"
        )  # fmt: skip

    def _enter(self, word: str) -> None:
        if word in ("shppict", "shpinst"):  # what is in them counts
            return
        self._state = replace(self._state, destination=word)
        if word in _FLOWS:
            self._stories.append(_Story())
            self._state = replace(self._state, in_table=False, style=0, outline=None)

    def _format(self, word: str, number: int | None) -> bool:
        """Change what holds from here on; False if the word is about something else."""
        if word in _CHANGES:
            self._state = _CHANGES[word](self._state, number)
        elif word == "fcharset":
            self._fonts[self._state.font] = _CHARSETS.get(number or 0, "")
        elif word == "ansicpg":
            self._encoding = _known_encoding(f"cp{number}")
        else:
            return False
        return True

    def _structure(self, word: str, number: int | None) -> None:
        story = self._stories[-1]
        if word in ("par", "sect"):
            if self._state.in_table:
                story.pieces.append("\n")
            else:
                self._end_paragraph()
        elif word in ("cell", "nestcell", "row", "nestrow"):
            if word == "cell":
                story.table.add_cell(clean(f"{story.label} {''.join(story.pieces)}"))
                story.pieces.clear()
                story.label = ""
            elif word == "row":
                story.table.end_row()
            else:
                story.pieces.append(", " if word == "nestcell" else "; ")
        elif word in ("yr", "mo", "dy", "hr", "min"):
            self._moment[word] = number or 0
        else:
            story.table.define(word, number)

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._optional = True
        elif symbol in "{}\\":
            self._write(symbol)
        elif symbol in "~_":
            self._write(" " if symbol == "~" else "-")
        elif symbol in "\r\n":
            self._structure("par", None)

    def _text(self, said: str, *, encoded: bool) -> None:
        if self._state.destination == "pict":
            self._collected.append(said)
            return
        raw = bytes.fromhex(said.replace("\\'", "")) if encoded else said.encode("latin-1")
        skipped = min(self._to_skip, len(raw))
        self._to_skip -= skipped
        encoding = self._fonts.get(self._state.font) or self._encoding
        self._write(raw[skipped:].decode(encoding, "replace"))

    def _write(self, text: str) -> None:
        state = self._state
        if not text or state.hidden or state.destination in ("skip", "fonttbl", "info"):
            return
        if state.destination in _COLLECTED or state.destination == "stylesheet":
            self._collected.append(text)
        else:
            self._stories[-1].pieces.append(text)

    def _end_paragraph(self) -> None:
        story = self._stories[-1]
        # Halves of characters beyond the first plane come one after the other.
        joined = "".join(story.pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text, label = clean(joined), story.label
        story.pieces.clear()
        story.label = ""
        if text or story.notes or story.floats:
            self._end_table()
        name, outline = self._styles.get(self._state.style, ("", None))
        outline = outline if self._state.outline is None else self._state.outline
        heading = _HEADING.match(name)
        level = int(heading.group(1)) if heading else (outline if outline is not None else 9) + 1
        if not text:
            pass
        elif name.lower() == "title":
            self._titled = True
            story.flow.heading(text, 1)
        elif level < 10:
            text = (
                f"{label} {text}" if label and label[-1:].isalnum() | (label[-1:] in ".)") else text
            )
            story.flow.heading(text, level + self._titled)
        elif label:
            shown = label if any(character.isalnum() for character in label) else BULLET
            story.flow.item(text, self._state.depth, shown)
        else:
            caption = name.lower() == "caption"
            story.flow.paragraph(text, BlockKind.CAPTION if caption else BlockKind.PARAGRAPH)
        self._release(story)

    def _release(self, story: _Story) -> None:
        for label, said in story.notes:
            story.flow.note(label, said)
        story.flow.defer(story.floats)
        story.notes, story.floats = [], []

    def _end_table(self) -> None:
        story = self._stories[-1]
        drafts = list(story.table.take())
        if drafts:
            story.flow.extend(drafts)
            self._release(story)

    def _date(self, name: str) -> None:
        moment, self._moment = self._moment, {}
        if moment.get("yr"):
            date = f"{moment['yr']:04d}-{moment.get('mo', 1):02d}-{moment.get('dy', 1):02d}"
            self.metadata[name] = f"{date}T{moment.get('hr', 0):02d}:{moment.get('min', 0):02d}:00"

    def _picture(self, said: str) -> None:
        digits = re.sub(r"[^0-9a-fA-F]", "", said)
        content = bytes.fromhex(digits[: len(digits) // 2 * 2])
        self._stories[-1].floats += self.pictures.drafts(content, None)


def _unicode(number: int) -> str:
    return chr(number % 65536) if -32768 <= number < 65536 else ""


def _known_encoding(name: str) -> str:
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name
