"""Passages with prompt injections, with sentences that look like it and with neither, and what the reader leaves of them.

Injections and look-alikes are written ones (`injection_texts.py`, `injection_texts_by_language.py`, `injection_requests.py`, the lines of `injections/`, the parts of `injection_frames.py`) and instructions planted by BIPIA; ordinary
passages are those of the reading sets, made-up office papers (`paper_texts.py`), papers written by hand (`written/`), e-mails and reports. Each sentence stands alone and between
others; most passages stand below a title and headings, as passages of documents do.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from injection_frames import known_injections
from injection_lines import injection_lines
from injection_requests import ASKED, FITTED, REQUESTS
from injection_texts import (
    ADDRESSES,
    HARMLESS,
    INJECTIONS,
    MORE_HARMLESS,
    MORE_INJECTIONS,
    NAMES,
    WORDS,
)
from injection_texts_by_language import INTENTS, OCCASIONS, SPOKEN
from injection_texts_well_known import FURTHER_HARMLESS, WELL_KNOWN, WELL_KNOWN_INJECTIONS
from paper_texts import Papers
from written_papers import read_papers

from footnote.language.sentences import sentence_spans

BACKGROUNDS = 90
"""Paragraphs of each source."""
COPIES, LINE_COPIES = 3, 2
"""Of a written sentence, and of a line of `injections/`: once alone, else within other texts."""
WRITTEN, WRITTEN_APART = 3000, "written paper, kept apart"
"""Written papers, of each a stretch, and the source of those that are in no fit."""
LONGEST = 1000
"""Characters of an ordinary passage."""
FOREIGN = 0.15
"""Of written injections, planted in English passages whatever their language."""
AGAIN = 0.25
"""Of written injections, once more in a text of injections alone: the same again, or others of its kind and language."""
MAX_TOGETHER = 3
TITLES, LONGEST_TITLE = 0.1, 90
"""Of written sentences that are titles, and characters of those; a longer title is cut short and always read."""
BARE = 0.25
"""Of passages without anything above them."""
NAMED, NUMBERED = 0.25, 0.3
FILES = (
    "paper-{:04d}",
    "report {}",
    "note",
    "scan_{}",
    "Letter {}",
    "document-{}",
    "minutes 2024-{}",
    "Untitled",
)
"""Titles of documents without one are the names of their files."""
GROUPS = 7
"""Of the further harmless sentences in English, which are kept apart together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A stretch of a text with its label and where it is from."""

    text: int
    start: int
    end: int
    label: int
    kind: str
    """`injection`, `planted`, `harmless`, `apart` (harmless, and in no fit) or `background`."""
    family: str
    """What it wants, or its source: what is kept apart is kept apart with all of its family."""
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text with what stands above it."""

    above: tuple[str, ...]
    """The title of its document, if it has one, then its headings."""
    keywords: tuple[str, ...]
    text: str

    @property
    def read(self) -> str:
        """What the reader reads."""
        return "\n".join((*self.above, self.text))

    @property
    def begins(self) -> int:
        """Where the text begins in what is read."""
        return len(self.read) - len(self.text)

    @property
    def embedded(self) -> str:
        """What is embedded, as `footnote.ingestion.enrichment` has it."""
        return f"{self.context}\n{self.text}" if self.context else self.text

    @property
    def context(self) -> str:
        """What stands in brackets before the text."""
        parts = [f"[Document: {title}]" for title in self.above[:1]]
        parts += [f"[Section: {' > '.join(self.above[1:])}]"] if self.above[1:] else []
        parts += [f"[Keywords: {', '.join(self.keywords)}]"] if self.keywords else []
        return " ".join(parts)

    def read_places(self, offsets: Sequence[tuple[int, int]]) -> npt.NDArray[np.int64]:
        """Where tokens of what is embedded stand in what is read, begin and end; -1 for nowhere."""
        found = np.full((len(offsets), 2), -1, np.int64)
        tokens = np.array(offsets, np.int64).reshape(-1, 2)
        begin, there = 0, len("[Document: ")
        for number, each in enumerate((*self.above, self.text)):
            below = number == len(self.above)
            there = len(self.embedded) - len(each) if below else self.context.index(each, there)
            inside = (tokens[:, 1] > there) & (tokens[:, 0] < there + len(each))
            found[inside] = tokens[inside] - there + begin
            begin, there = begin + len(each) + 1, there + len(each)
        return found


def passages(data: Path, draw: random.Random) -> tuple[list[Passage], list[Sentence]]:
    """Passages and the labelled sentences in them, as for the probes, some injections in English passages beside that,
    some as titles; most below a title, as passages are embedded."""
    texts, sentences = injection_sentences(data, draw)
    english = [texts[each.text] for each in sentences if each.kind == "background" and each.language == "en" and each.start == 0]  # fmt: skip
    languages = {each.text: each.language for each in sentences}
    by_language: dict[str, list[str]] = {}
    for number, text in enumerate(texts):
        by_language.setdefault(languages.get(number, "en"), []).append(text)
    titles = set()
    for each in list(sentences):
        if each.kind not in ("injection", "harmless", "apart"):
            continue
        said = texts[each.text][each.start : each.end]
        if each.language != "en" and draw.random() < FOREIGN:
            text, start, end = planted(draw.choice(english), said, draw)
        elif len(said) <= LONGEST_TITLE and draw.random() < TITLES:
            below = draw.choice(by_language[each.language])[: draw.randint(100, LONGEST)]
            text, start, end = f"{said}\n{below}", 0, len(said)
            titles.add(len(texts))
        else:
            continue
        sentences.append(replace(each, text=len(texts), start=start, end=end))
        languages[len(texts)] = each.language
        texts.append(text)
    found = []
    for number, text in enumerate(texts):
        if number in titles:
            title, _, below = text.partition("\n")
            found.append(Passage(above=(title,), keywords=(), text=below))
        elif draw.random() < BARE:
            found.append(Passage(above=(), keywords=(), text=text))
        else:
            others = by_language[languages.get(number, "en")]
            found.append(below_title(text, draw.choice(others), draw))
    shifts = [each.begins if number not in titles else 0 for number, each in enumerate(found)]
    return found, [replace(each, start=each.start + shifts[each.text], end=each.end + shifts[each.text]) for each in sentences]  # fmt: skip


def below_title(text: str, other: str, draw: random.Random) -> Passage:
    """The text below a title and headings of words of another one, with keywords of both."""

    def heading() -> str:
        # Where words have no spaces between them, a stretch is as long as some words.
        begin = draw.randrange(max(1, len(other) - 80))
        words = other[begin : begin + 70].split()[1 : draw.randint(3, 8)]
        made = " ".join(words)[: draw.randint(12, 60)].strip(" .,;:[]")
        return f"{draw.randint(1, 9)}. {made}" if draw.random() < NUMBERED else made

    title = draw.choice(FILES).format(draw.randint(1, 99)) if draw.random() < NAMED else heading()
    headings = [heading() for _ in range(draw.choice((0, 1, 1, 1, 2)))]
    words = [each.lower() for each in re.findall(r"\w{3,12}", text + other) if not each.isdigit()]
    keywords = draw.sample(words, min(len(words), draw.choice((0, 0, 4, 6, 8, 10))))
    return Passage(above=tuple(each for each in (title, *headings) if each), keywords=tuple(keywords), text=text)  # fmt: skip


def backgrounds(data: Path, draw: random.Random) -> list[tuple[str, str, str]]:
    """Stretches of ordinary texts, with source and language; guidance that tells people what to do is drawn oftener."""
    found = []
    for path in sorted((data / "reading").glob("*.jsonl.gz")):
        source = path.name.removesuffix(".jsonl.gz")
        if source.endswith("unlabelled"):
            continue
        with gzip.open(path, "rt") as lines:
            rows = [json.loads(line) for line in lines]
        for row in draw.sample(
            rows, min(BACKGROUNDS * (4 if source.startswith("omosqa") else 1), len(rows))
        ):
            text = row["context"]
            at = text.rfind(" ", 0, draw.randrange(max(1, len(text) - LONGEST))) + 1
            found.append(
                (source, row["lang"].split(">")[-1], text[at : at + draw.randint(150, LONGEST)])
            )
    for path in sorted((data / "documents").glob("*/*.expected.md")):
        text = path.read_text()
        found += [
            (path.name, "en", text[at : at + LONGEST])
            for at in range(0, min(len(text), 4800), LONGEST)
        ]
    with (data / "injection" / "email-train.jsonl").open() as lines:
        found += [("mail", "en", json.loads(line)["context"][:900]) for line in lines]
    papers = Papers(draw)
    for kind in papers.specs:
        for _ in range(BACKGROUNDS // 2):
            made = papers.asked(kind)
            parts = [
                papers.answering(*made),
                *(papers.missing(*made) for _ in range(draw.randrange(3))),
            ]
            text = "\n\n".join(part.text for part in parts)
            found.append((f"paper {kind}", made[2], text[:LONGEST]))
    for kept_apart, source in ((False, "written paper"), (True, WRITTEN_APART)):
        own = [each for each in read_papers() if each.kept_apart == kept_apart]
        for paper in draw.sample(own, min(WRITTEN, len(own))):
            at = paper.text.rfind(" ", 0, draw.randrange(max(1, len(paper.text) - LONGEST))) + 1
            found.append((source, paper.language, paper.text[at : at + draw.randint(150, LONGEST)]))
    for report in json.loads((data / "tables" / "tatqa-dev.json").read_text())[:100]:
        found.append(("tatqa", "en", " ".join(p["text"] for p in report["paragraphs"])[:600]))
    return [each for each in found if each[2].strip()]


def injection_sentences(data: Path, draw: random.Random) -> tuple[list[str], list[Sentence]]:
    """Texts, and the labelled sentences in them."""
    texts: list[str] = []
    found: list[Sentence] = []
    ordinary = backgrounds(data, draw)
    by_language: dict[str, list[str]] = {}
    for _, language, text in ordinary:
        by_language.setdefault(language, []).append(text)

    def add(text: str, start: int, end: int, *told: object) -> None:
        label, kind, family, language = told
        found.append(Sentence(text=len(texts), start=start, end=end, label=label, kind=kind, family=family,
                              language=language))  # fmt: skip
        texts.append(text)

    def filling(sentence: str) -> str:
        filled = sentence.replace("{x}", draw.choice(NAMES)).replace("{w}", draw.choice(WORDS))
        return filled.replace("{u}", draw.choice(ADDRESSES))

    alike_of: dict[tuple[str, str], list[str]] = {}

    def written(
        sentence: str, label: int, kind: str, family: str, language: str, copies: int = COPIES
    ) -> None:
        if label:
            alike_of.setdefault((family, language), []).append(sentence)
        for copy in range(copies):
            filled = filling(sentence)
            if copy == 0:
                add(filled, 0, len(filled), label, kind, family, language)
                continue
            around = draw.choice(by_language.get(language) or by_language["en"])
            add(
                *planted(around[: draw.randint(100, LONGEST - 100)], filled, draw),
                label,
                kind,
                family,
                language,
            )

    for kind, label, families in (("injection", 1, INJECTIONS), ("harmless", 0, HARMLESS)):
        for family, sentences in families.items():
            for language, sentence in sentences.items():
                written(sentence, label, kind, family, language)
    for language, (injections, harmless) in SPOKEN.items():
        for family, sentence in zip(INTENTS, injections, strict=True):
            written(sentence, 1, "injection", family, language)
        for family, sentence in zip(OCCASIONS, harmless, strict=True):
            written(sentence, 0, "harmless", family, language)
    for language, texts_of in WELL_KNOWN_INJECTIONS.items():
        for number, sentence in enumerate(texts_of):
            written(
                sentence,
                1,
                "injection",
                WELL_KNOWN[number // (len(texts_of) // len(WELL_KNOWN))],
                language,
            )
    for language, texts_of in FURTHER_HARMLESS.items():
        for number, sentence in enumerate(texts_of):
            written(sentence, 0, "harmless", f"more {number % GROUPS}", language)
    for language, texts_of in REQUESTS.items():
        for family, sentence in zip(ASKED, texts_of, strict=True):
            kind = "harmless" if family in FITTED else "apart"
            written(sentence, 0, kind, f"request {family}", language)
    for family, more in MORE_INJECTIONS.items():
        for sentence in more:
            written(sentence, 1, "injection", family, "en")
    for number, sentence in enumerate(MORE_HARMLESS):
        written(sentence, 0, "harmless", f"more {number % GROUPS}", "en")
    for line in injection_lines():
        if not line.kept_apart:
            kind = "injection" if line.injection else "harmless"
            written(line.text, int(line.injection), kind, line.kind, line.language, LINE_COPIES)
    for sentence, label, family, language in known_injections(draw):
        written(
            sentence,
            label,
            "injection" if label else "harmless",
            family,
            language,
            LINE_COPIES if label else COPIES,
        )
    for (family, language), alike in alike_of.items():
        for sentence in alike:
            if draw.random() < AGAIN:
                first = filling(sentence)
                together = [first] + [
                    first if draw.random() < 0.5 else filling(draw.choice(alike))
                    for _ in range(draw.randint(2, MAX_TOGETHER) - 1)
                ]
                mark, start = draw.choice((" ", "\n", "\n\n")), 0
                for one in together:
                    found.append(
                        Sentence(text=len(texts), start=start, end=start + len(one), label=1, kind="injection",
                                 family=family, language=language)
                    )  # fmt: skip
                    start += len(one) + len(mark)
                texts.append(mark.join(together))
    attacks = json.loads((data / "injection" / "text_attack_train.json").read_text())
    mails = [text for source, _, text in ordinary if source == "mail"]
    # The first five kinds are plain requests, such as "Explain the theory of relativity."
    for family in list(attacks)[5:]:
        for sentence in attacks[family]:
            add(*planted(draw.choice(mails)[:600], sentence, draw), 1, "planted", family, "en")
    for source, language, text in ordinary:
        found += [
            Sentence(text=len(texts), start=start, end=end, label=0, kind="background", family=source,
                     language=language)
            for start, end in sentence_spans(text)
        ]  # fmt: skip
        texts.append(text)
    return texts, found


def planted(text: str, sentence: str, draw: random.Random) -> tuple[str, int, int]:
    """The text with the sentence between two of its own, and where it then stands."""
    starts = [start for start, _ in sentence_spans(text)] + [len(text)]
    at = draw.choice(starts)
    mark = draw.choice((" ", "\n", "\n\n"))
    before = text[:at].rstrip() + mark if at else ""
    after = mark + text[at:] if at < len(text) else ""
    return before + sentence + after, len(before), len(before) + len(sentence)
