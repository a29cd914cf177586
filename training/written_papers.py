"""Papers and questions that were written by hand, one by one: how people ask in other words than a paper uses.

    python training/written_papers.py

checks the files of `written/` and counts what is in them. A file holds papers, each with the facts that are asked for:

    @@@ House rules | en | rules
    Dogs wait outside, guide dogs excepted.

    %%%
    > Dogs wait outside, guide dogs excepted.
    ? Can I bring my poodle? => Dogs wait outside
    ?de Darf mein Hund hinein? => Dogs wait outside
    - Do cats wait outside?
    + Most dogs are not let in.
    !* The house rules let all dogs in.
    ~ Dogs wait in the yard.

A quote stands in the text, an answer in its quote, both letter by letter; a question after `-` has no answer in the paper.
A statement after `+` is supported by the quote, one after `!` contradicted and one after `~` neither; with `*` it takes the
title, the section's heading or the table's head to tell.
A file that begins with `@@@@` and a name holds one collection, like the folder of an office whose papers speak of like
things: a question is answered by one of its papers alone, and one after `-` by none of them. One in `HELD_OUT` collections,
or papers that are in none, by its name is kept for evaluation and for what is fitted to the reader.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from near_misses import NearMisses
from office_texts import CONTRADICTED, NEITHER, SUPPORTED, Asked

FOLDER = Path(__file__).parent / "written"
HELD_OUT = 7
ARTICLE = "encyclopaedia article"
"""The kind of papers whose questions read like those of reading sets."""
# Scripts without spaces: a token covers fewer characters, so passages are cut shorter.
DENSE_SCRIPTS = {"zh", "zh-Hant", "ja", "ko", "th"}
ASKED = re.compile(r"\?(?:[a-z]{2,3})?\s+(?P<question>.*?)\s*=>\s*(?P<answer>.+)")
STATED = re.compile(r"(?P<label>[+!~])(?P<under>\*?)(?:[a-z]{2,3})? +(?P<statement>.+)")
LABELS = {"+": SUPPORTED, "!": CONTRADICTED, "~": NEITHER}
UNANSWERED = re.compile(r"-(?:[a-z]{2,3})?\s+(?P<question>.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A statement that somebody might make who has read a fact."""

    text: str
    label: int
    under: bool
    """Whether title, heading or the table's head is needed to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A sentence, item, row or paragraph of a paper, the questions it answers, some that nothing in the paper does,
    and statements about it."""

    quote: str
    asked: Sequence[tuple[str, str]]
    """Questions, each with the stretch of the quote that answers it."""
    unanswered: Sequence[str]
    stated: Sequence[Stated]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper as it was written."""

    title: str
    language: str
    kind: str
    text: str
    facts: Sequence[Fact]
    collection: str = ""
    """The name of what it is in; empty for a paper by itself."""

    @property
    def kept_apart(self) -> bool:
        """Whether it is for evaluation."""
        name = self.collection or self.title
        return int(sha256(name.encode()).hexdigest(), 16) % HELD_OUT == 0


def papers_of(written: str, name: str) -> Iterator[Paper]:
    """The papers of a file's text.

    Raises:
        ValueError: where a line is not as described, with the name and the line.

    """
    before, *sections = re.split(r"^@@@ ", written, flags=re.MULTILINE)
    collection = before.removeprefix("@@@@").strip()
    for section in sections:
        head, _, body = section.partition("\n")
        text, facts_begin, listed = body.partition("\n%%%\n")
        parts = [each.strip() for each in head.split("|")]
        if len(parts) != 3 or not facts_begin:
            raise ValueError(
                f"{name}, “{head}”: wants a title, a language and a kind, and a line %%%"
            )
        text, facts = text.strip(), []
        quote: str | None = None
        asked: list[tuple[str, str]] = []
        unanswered: list[str] = []
        stated: list[Stated] = []
        for line in [*filter(None, map(str.strip, listed.splitlines())), "> "]:
            found = ASKED.fullmatch(line)
            if line.startswith(">"):
                if (asked or stated) and quote is not None:
                    facts.append(
                        Fact(
                            quote=quote,
                            asked=tuple(asked),
                            unanswered=tuple(unanswered),
                            stated=tuple(stated),
                        )
                    )
                quote, asked, unanswered, stated = line[1:].strip(), [], [], []
                fits = quote in text
            elif found and quote is not None:
                asked.append((found["question"], found["answer"].strip()))
                fits = asked[-1][1] in quote
            elif (absent := UNANSWERED.fullmatch(line)) and quote is not None:
                unanswered.append(absent["question"])
                fits = True
            elif (said := STATED.fullmatch(line)) and quote is not None:
                stated.append(
                    Stated(
                        text=said["statement"],
                        label=LABELS[said["label"]],
                        under=bool(said["under"]),
                    )
                )
                fits = True
            else:
                fits = False
            if not fits:
                raise ValueError(f"{name}, “{parts[0]}”: {line}")
        yield Paper(
            title=parts[0], language=parts[1], kind=parts[2], text=text, facts=tuple(facts), collection=collection
        )  # fmt: skip


def read_papers(folder: Path = FOLDER) -> list[Paper]:
    """All papers of a folder, in the order of its files."""
    return [
        paper
        for path in sorted(folder.glob("*.txt"))
        for paper in papers_of(path.read_text(encoding="utf-8"), path.name)
    ]


class Paragraphs:
    """The paragraphs of some papers, to be searched."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self.of = [
            (paper, block) for paper in papers for block in paper.text.split("\n\n") if len(block) > 60
        ]  # fmt: skip
        self.searched = NearMisses([block for _, block in self.of])

    def near(self, question: str, paper: Paper, count: int) -> list[tuple[Paper, str]]:
        """Those of other papers that are found best."""
        return [
            self.of[at] for at in self.searched.best(question, count) if self.of[at][0] is not paper
        ]


class WrittenPapers:
    """Draws questions and statements about written papers, or about articles of an encyclopaedia."""

    def __init__(
        self, draw: random.Random, *, apart: bool = False, articles: bool = False, folder: Path = FOLDER
    ) -> None:  # fmt: skip
        self.random = draw
        self.papers = [
            each
            for each in read_papers(folder)
            if each.kept_apart == apart and (each.kind == ARTICLE) == articles
        ]
        facts = [(paper, fact) for paper in self.papers for fact in paper.facts]
        self.facts = [(paper, fact) for paper, fact in facts if fact.asked]
        self.stated = {
            label: [
                (paper, fact, each)
                for paper, fact in facts
                for each in fact.stated
                if each.label == label
            ]
            for label in LABELS.values()
        }
        self.all = Paragraphs(self.papers)
        collections = {each.collection for each in self.papers if each.collection}
        self.collections = {
            name: Paragraphs([each for each in self.papers if each.collection == name])
            for name in sorted(collections)
        }

    def reading(self) -> Asked:
        """A question with a passage of its paper that answers it (.5), or with one that comes near."""
        paper, fact = self.random.choice(self.facts)
        drawn = self.random.random()
        if drawn < 0.3 and fact.unanswered:
            question = self.random.choice(fact.unanswered)
            if drawn < 0.22:
                return self.shown(question, paper, fact, None)
            return self.elsewhere(question, paper, fact)
        question, answer = self.random.choice(fact.asked)
        if drawn < 0.5:
            return self.elsewhere(question, paper, fact)
        return self.shown(question, paper, fact, answer)

    def choice(self, others: int = 7) -> list[Asked]:
        """A question with a passage that answers, then with others that do not."""
        paper, fact = self.random.choice(self.facts)
        question, answer = self.random.choice(fact.asked)
        return [
            self.shown(question, paper, fact, answer),
            *(self.elsewhere(question, paper, fact) for _ in range(others)),
        ]

    def shown(self, question: str, paper: Paper, fact: Fact, answer: str | None) -> Asked:
        """The question with a passage around the fact."""
        begin = paper.text.index(fact.quote)
        start, end = self.around(paper, begin, begin + len(fact.quote))
        place = begin + fact.quote.index(answer) - start if answer else 0
        return Asked(
            question=question,
            text=paper.text[start:end],
            answer={"text": answer, "start": place} if answer else None,
            heading=self.heading(paper, start),
        )

    def elsewhere(self, question: str, paper: Paper, fact: Fact) -> Asked:
        """The question with the fact's passage without it, another passage of the paper, or one of another paper
        that a search would find."""  # fmt: skip
        # Of a collection, oftener: there the others are known not to answer, and come nearest.
        way = self.random.random() + (0.3 if paper.collection else 0.0)
        begin = paper.text.index(fact.quote)
        if way < 0.25:
            start, end = self.around(paper, begin, begin + len(fact.quote))
            text = (paper.text[start:begin] + paper.text[begin + len(fact.quote) : end]).strip()
            if len(text) > 60 and fact.quote not in text:
                return Asked(
                    question=question, text=text, answer=None, heading=self.heading(paper, start)
                )
        if way < 0.55 and len(paper.facts) > 1:
            other = self.random.choice([each for each in paper.facts if each is not fact])
            at = paper.text.index(other.quote)
            start, end = self.around(paper, at, at + len(other.quote))
            if fact.quote not in paper.text[start:end]:
                return Asked(
                    question=question, text=paper.text[start:end], answer=None, heading=self.heading(paper, start)
                )  # fmt: skip
        within = self.collections.get(paper.collection, self.all)
        strangers = within.near(question, paper, 12) or self.all.near(question, paper, 12)
        stranger, block = self.random.choice(strangers or self.all.of)
        at = stranger.text.index(block)
        start, end = self.around(stranger, at, at + len(block))
        # Under the title of what was asked about a stranger's passage would be a lie that answers.
        return Asked(
            question=question, text=stranger.text[start:end], answer=None, heading=self.heading(stranger, start)
        )  # fmt: skip

    def around(self, paper: Paper, begin: int, end: int) -> tuple[int, int]:
        """Where a passage of whole lines around a stretch begins and ends, of 200 to 900 characters."""
        room = self.random.choice((200, 350, 500, 700, 900))
        if paper.language in DENSE_SCRIPTS:
            room = int(room * 0.4)
        breaks = [0, *(found.end() for found in re.finditer(r"\n+", paper.text)), len(paper.text)]
        first = max(at for at in range(len(breaks) - 1) if breaks[at] <= begin)
        last = min(at for at in range(1, len(breaks)) if breaks[at] >= end)
        while True:
            ways = [
                (low, high)
                for low, high in ((first - 1, last), (first, last + 1))
                if low >= 0 and high < len(breaks) and breaks[high] - breaks[low] <= room
            ]
            if not ways:
                return breaks[first], breaks[last]
            first, last = self.random.choice(ways)

    def heading(self, paper: Paper, start: int) -> str:
        """The title and the section's heading, as a passage has them when it is read; sometimes neither."""
        drawn = self.random.random()
        if drawn < 0.3:
            return ""
        sections = re.findall(r"^#+ (.+)$", paper.text[:start], flags=re.MULTILINE)
        return f"{paper.title} › {sections[-1]}" if sections and drawn < 0.75 else paper.title

    def claim(self) -> tuple[str, str, int]:
        """A question with an answer behind it, a quote under its headings, and whether that supports it."""
        paper, fact = self.random.choice(self.facts)
        question, answer = self.random.choice(fact.asked)
        label, drawn = SUPPORTED, self.random.random()
        if drawn < 0.3 and fact.unanswered:
            question, label = self.random.choice(fact.unanswered), NEITHER
        elif drawn < 0.55:
            # Of a collection: a fact of the paper that comes nearest; a question is answered by one of them alone.
            papers = [paper]
            if paper.collection and drawn < 0.5:
                papers = [
                    each for each, _ in self.collections[paper.collection].near(question, paper, 3)
                ]
            others = [
                (each, other) for each in papers for other in each.facts
                if other is not fact and other.asked and fact.quote not in other.quote
            ]  # fmt: skip
            if others:
                of, other = self.random.choice(others)
                said = self.random.choice(other.asked)[1]
                if said not in fact.quote:
                    paper, fact, answer, label = of, other, said, NEITHER
        begin = paper.text.index(fact.quote)
        quote = fact.quote
        if self.random.random() < 0.3:
            start, end = self.around(paper, begin, begin + len(fact.quote))
            quote = paper.text[start:end]
        heading = self.heading(paper, begin)
        return f"{question} {answer}", f"{heading}\n{quote}".lstrip(), label

    def statement(self) -> tuple[str, str, int]:
        """A statement, its quote under its headings as a check of statements reads it, and what the quote makes of it."""
        label = self.random.choices((SUPPORTED, CONTRADICTED, NEITHER), (0.4, 0.25, 0.35))[0]
        paper, fact, said = self.random.choice(self.stated[label])
        begin = paper.text.index(fact.quote)
        quote, drawn = fact.quote, self.random.random()
        lines = paper.text[:begin].split("\n\n")[-1].splitlines()
        if quote.startswith("|"):
            head = lines[0] if lines and lines[0].startswith("|") else ""
            # As a check spells a row out, or the whole table.
            quote = spelled_out(head, quote)
            if drawn < 0.3:
                start = begin - len(paper.text[:begin].split("\n\n")[-1])
                quote = paper.text[start : (paper.text + "\n\n").index("\n\n", begin)]
        elif drawn < 0.25:
            start, end = self.around(paper, begin, begin + len(fact.quote))
            quote = paper.text[start:end]
        sections = re.findall(r"^#+ (.+)$", paper.text[:begin], flags=re.MULTILINE)
        heading = self.heading(paper, begin)
        if said.under:
            heading = f"{paper.title} › {sections[-1]}" if sections else paper.title
        return said.text, f"{heading}\n{quote}".lstrip(), label


def spelled_out(head: str, row: str) -> str:
    """A table's row as a check of statements reads it: `Head: cell, Head: cell`."""
    titles, cells = (
        [each.strip() for each in line.strip().strip("|").split("|")] if line else []
        for line in (head, row)
    )
    if len(titles) != len(cells):
        return ", ".join(filter(None, cells))
    parts = [
        f"{title}: {cell}" if title else cell
        for title, cell in zip(titles, cells, strict=True)
        if cell
    ]
    if not titles[0] and cells[0] and len(parts) > 1 and any(titles):
        return f"{parts[0]} — {', '.join(parts[1:])}"
    return ", ".join(parts)


def main() -> None:
    papers = read_papers()
    facts = [fact for paper in papers for fact in paper.facts]
    collections = {paper.collection for paper in papers if paper.collection}
    languages: dict[str, int] = {}
    for paper in papers:
        languages[paper.language] = languages.get(paper.language, 0) + 1
    print(
        f"{len(papers)} papers, {sum(bool(each.collection) for each in papers)} of them in {len(collections)} collections, {sum(each.kept_apart for each in papers)} kept apart, with {len(facts)} facts, "
        f"{sum(len(each.asked) for each in facts)} questions that they answer and "
        f"{sum(len(each.unanswered) for each in facts)} that they do not, and "
        f"{sum(len(each.stated) for each in facts)} statements"
    )
    print(
        ", ".join(
            f"{name} {count}"
            for name, count in sorted(languages.items(), key=lambda each: -each[1])
        )
    )


if __name__ == "__main__":
    main()
