"""Labelled pairs of texts, drawn without end from the folders of `../shared/data`.

Three kinds of pairs, one format: a question and a passage (span and relevance), a statement and a quote (support),
and a question about a table, from a report or made up on the spot (span and relevance). Passages of office papers are
made by `office_texts.py` and `paper_texts.py`.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from alterations import NAME, alter, kind_of, other_number
from limit_texts import limit_claim
from near_misses import NearMisses
from office_texts import CONTRADICTED, NEITHER, SUPPORTED, Asked, Office
from paper_texts import Papers
from restatements import answered, respelt, restated
from rewordings import Rewordings
from sibling_pairs import Siblings
from tokenizers import Tokenizer
from written_papers import ARTICLE, DENSE_SCRIPTS, Paper, WrittenPapers, read_papers

from footnote.ports import Embedder

SYLLABLES = {"vi"}  # written apart, so that words are not found by spaces
COUNTED = 2000  # passages of a language in which words are counted
JUDGED = 0.35  # share of exchanges that are claims, of the question with the answer behind it
LONGEST = 256  # tokens of a pair in training
REWORDED = 0.25  # share of the questions of reading sets that are put in other words
# Left out: an official development half that nothing needs, and questions without answers.
LEFT_OUT = {"jaquad-dev", "squad2-en-mt-unlabelled"}
# Sources that read like users' questions, and well annotated, are drawn oftener than by the root of their size.
FAVOURED = {"squad-train-parts": 5.0, "squad2-dev-half": 4.0, "labelled": 6.0, "squad-es-dev": 2.0,
            f"{ARTICLE} de": 3.0, f"{ARTICLE} es": 2.0, f"{ARTICLE} zh": 2.0, "tydiqa-goldp-train": 2.0,
            "qamr": 0.4, "jaquad": 0.7, "afriqa": 0.5}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One example: token ids, where the second text begins, and the labels it has."""

    ids: list[int]
    second: int
    span: tuple[int, int] | None = None
    """First and last token of the answer; None with `relevance` 0 means "not answered here"."""
    relevance: int | None = None
    support: int | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph with its questions, and its place among the paragraphs of its source."""

    source: str
    language: str
    text: str
    questions: list[dict]
    place: int


class Examples:
    """Draws pairs from reading sets, claims and made-up tables; the same seed gives the same stream."""

    def __init__(
        self,
        folder: Path,
        tokenizer: Tokenizer,
        seed: int,
        *,
        held_out: int = 20,
        whole: float = 0.3,
        judged: float = 0.3,
        reword: Rewordings | None = None,
        labelled: Path | None = None,
        found: Path | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        """Read all sources; of each, every `held_out`-th block of ten paragraphs is kept for evaluation.

        `whole` is the share of passages that are not shortened; `judged` that of statements with a quote; `reword` puts some questions in other words;
        `labelled` is a further set, whose answers `label_reading.py` found; `found` holds claims that `found_answers.py` made; with an `embedder`, words are exchanged for siblings.
        """
        self.reword = reword
        self.tokenizer, self.random, self.whole = tokenizer, random.Random(seed), whole
        self.judged = judged
        self.clauses, self.papers = Office(self.random), Papers(self.random)
        self.written = WrittenPapers(self.random)
        self.articles = WrittenPapers(self.random, articles=True)
        self.searched: dict[str, NearMisses] = {}
        self.siblings = Siblings(self.random, reword, embedder) if reword and embedder else None
        self.sources: dict[str, list[Passage]] = {}
        self.kept_apart: dict[str, list[Passage]] = {}
        paths = sorted((folder / "reading").glob("*.jsonl.gz"))
        for path in [*paths, labelled] if labelled else paths:
            source = path.name.removesuffix(".jsonl.gz")
            if source in LEFT_OUT:
                continue
            with gzip.open(path, "rt") as lines:
                for place, line in enumerate(lines):
                    row = json.loads(line)
                    language = row["lang"].split(">")[-1]
                    passage = Passage(source, language, row["context"], row["questions"], place)
                    # Blocks, because neighbouring paragraphs come from the same article.
                    apart = (place // 10) % held_out == held_out - 1
                    (self.kept_apart if apart else self.sources).setdefault(source, []).append(
                        passage
                    )
        for paper in (each for each in read_papers() if each.kind == ARTICLE):
            own = self.kept_apart if paper.kept_apart else self.sources
            listed = own.setdefault(f"{ARTICLE} {paper.language}", [])
            listed += passages_of(paper, len(listed))
        self.index()
        self.claims = [
            json.loads(line) for line in (folder / "claims" / "wice-tokens-train.jsonl").open()
        ]
        self.found: list[dict] = []
        if found is not None:
            with gzip.open(found, "rt") as lines:
                self.found = [json.loads(line) for line in lines]
        reports = json.loads((folder / "tables" / "tatqa-dev.json").read_text())
        self.reports = [each for i, each in enumerate(reports) if i % held_out != held_out - 1]
        self.apart_reports = [
            each for i, each in enumerate(reports) if i % held_out == held_out - 1
        ]

    def index(self) -> None:
        """List the questions of each source, and how often it is drawn."""
        self.asked = {
            source: [(i, q) for i, p in enumerate(passages) for q in p.questions]
            for source, passages in self.sources.items()
        }
        self.names = list(self.asked)
        self.weights = [len(self.asked[n]) ** 0.5 * FAVOURED.get(n, 1.0) for n in self.names]

    def keep_apart(self) -> None:
        """Draw from what was kept apart instead, for evaluation."""
        self.sources, self.reports = self.kept_apart, self.apart_reports
        self.clauses, self.searched = Office(self.random, apart=True), {}
        self.papers = Papers(self.random, apart=True)
        self.written = WrittenPapers(self.random, apart=True)
        self.articles = WrittenPapers(self.random, apart=True, articles=True)
        self.index()

    def speak(self, language: str) -> None:
        """Draw from sources in one language alone."""
        self.sources = {n: p for n, p in self.sources.items() if p[0].language == language}
        self.index()

    def __iter__(self) -> Iterator[Pair]:
        """Pairs in the mix of the recipe."""
        read = [
            (self.reading, 1.0), (self.office, 0.2), (self.table, 0.02), (self.report, 0.03),
            (self.decision, 0.02), (self.written_question, 0.7), (self.written_article, 0.2),
        ]  # fmt: skip
        if self.siblings is not None:
            read += [(self.sibling, 0.25), (self.office_sibling, 0.18)]
        judged = [
            (self.support, 0.36), (self.office_claim, 0.08), (self.claim, 0.06),
            (self.written_claim, 0.20), (self.written_statement, 0.30), (self.limit_claim, 0.04),
        ]  # fmt: skip
        if self.found:
            judged.append((self.found_answer, 0.4))
        while True:
            kinds = judged if self.random.random() < self.judged else read
            draw = self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            pair = draw()
            if pair is not None:
                yield pair

    # Reading ----------------------------------------------------------------------------------------------------

    def question(self) -> tuple[Passage, dict, list[Passage]]:
        """A passage, one of its questions, and the passages of its source."""
        name = self.random.choices(self.names, self.weights)[0]
        at, question = self.random.choice(self.asked[name])
        passages = self.sources[name]
        return passages[at], question, passages

    def near_miss(self, question: dict, passage: Passage, passages: list[Passage]) -> str | None:
        """A passage that a search finds or that shares words with the question, and does not hold its answer."""
        answers = [a["text"].lower() for a in question["answers"]]
        if self.random.random() < 0.6:
            if passage.source not in self.searched:
                self.searched[passage.source] = NearMisses([each.text for each in passages])
            best = self.searched[passage.source].best(question["question"], 12)
            found = [
                text
                for text in (passages[i].text for i in best)
                if text != passage.text and not any(a in text.lower() for a in answers)
            ]
            if found:
                return self.random.choice(found[:6])
        at = place_of(passage, passages)
        around = passages[max(0, at - 6) : at + 7]
        others = [*around, *self.random.choices(passages, k=8)]
        others = [
            o.text
            for o in others
            if o.text != passage.text and not any(a in o.text.lower() for a in answers)
        ]
        if not others:
            return None
        if self.random.random() < 0.3:
            return self.random.choice(others)
        asked = grams(question["question"])
        return max(others, key=lambda text: len(asked & grams(text)) / (20 + len(text)) ** 0.3)

    def reading(self) -> Pair | None:
        """A question with a passage that answers it, or with one that does not."""
        passage, question, passages = self.question()
        characters = self.characters(passage.language)
        answer = (
            self.random.choice(question["answers"])
            if question["answers"] and not question.get("impossible")
            else None
        )
        asked = "query: " + self.put(question["question"], passage.language)
        if answer is None:
            return self.pack(
                asked,
                *window(self.random, passage.text, None, characters),
                relevance=True,
                heading=self.heading(passage, passages),
            )
        drawn = self.random.random()
        heading = self.heading(passage, passages)
        if drawn < 0.26:
            text = self.near_miss(question, passage, passages)
            if text is None:
                return None
            return self.pack(
                asked,
                *window(self.random, text, None, characters),
                relevance=True,
                heading=heading,  # a near miss under the title of what was asked about
            )
        if drawn < 0.34:
            text = without(passage.text, [a["text"] for a in question["answers"]], answer["start"])
            if text is None:
                return None
            return self.pack(
                asked,
                *window(self.random, text, None, characters),
                relevance=True,
                heading=heading,
            )
        return self.pack(
            asked,
            *window(self.random, passage.text, answer, characters),
            relevance=True,
            heading=heading,
        )

    def put(self, question: str, language: str) -> str:
        """The question, perhaps in other words."""
        if self.reword is None or self.random.random() >= REWORDED:
            return question
        return self.reword(self.random, question, language)

    def office(self) -> Pair | None:
        """A question about an office paper with a passage of it, which answers or comes near."""
        return self.asked_pair(self.office_source(0.7).reading())

    def office_source(self, papers: float) -> Office | Papers:
        """Papers of all kinds for that share of draws, otherwise clauses and lists of one kind."""
        return self.papers if self.random.random() < papers else self.clauses

    def written_question(self) -> Pair | None:
        """A question about a written paper with a passage of it, which answers or comes near."""
        return self.asked_pair(self.written.reading())

    def written_article(self) -> Pair | None:
        """A question about a written article, of which a part answers or comes near."""
        return self.asked_pair(self.articles.reading())

    def asked_pair(self, asked: Asked) -> Pair | None:
        """A made-up question with its passage, as it is read."""
        return self.pack(
            "query: " + asked.question, asked.text, asked.answer, relevance=True, heading=asked.heading
        )  # fmt: skip

    def sibling(self) -> Pair | None:
        """A question with a word exchanged, in it, in its passage or in both."""
        passage, question, passages = self.question()
        language = passage.language
        if language in DENSE_SCRIPTS | SYLLABLES or not question["answers"] or question.get("impossible"):  # fmt: skip
            return None
        text, answer = window(
            self.random,
            passage.text,
            self.random.choice(question["answers"]),
            self.characters(language),
        )
        assert answer, "a window is cut around the answer"
        asked = Asked(
            question=question["question"], text=text, answer=answer, heading=self.heading(passage, passages)
        )  # fmt: skip
        return self.exchanged(f"reading {language}", language, asked)

    def office_sibling(self) -> Pair | None:
        """The same of an office paper."""
        source = self.office_source(0.7)
        made = source.asked()
        language = made[2]
        if language in DENSE_SCRIPTS:
            return None
        return self.exchanged(f"office {language}", language, source.answering(*made))

    def exchanged(self, name: str, language: str, asked: Asked) -> Pair | None:
        """The question with a word exchanged beside its passage, or with its answer as a claim."""
        assert self.siblings is not None
        if name not in self.siblings.known:
            self.learn_words(name, language)
        found = self.siblings.exchange(name, language, asked)
        if found is None:
            return None
        made, answer = found.asked, found.asked.answer
        if self.random.random() >= JUDGED:
            return self.asked_pair(made if found.met else replace(made, answer=None))
        text, _ = window(self.random, made.text, answer, self.random.randint(120, 400))
        if found.thing.casefold() not in text.casefold():
            return None
        return self.pack(
            f"claim: {made.question} {answer and answer['text']}", f"{made.heading}\n{text}".lstrip(), None,
            support=SUPPORTED if found.met else NEITHER,
        )  # fmt: skip

    def learn_words(self, name: str, language: str) -> None:
        """What siblings are sought among: words of questions, and of office papers where they are in the language."""
        passages = [p for each in self.sources.values() for p in each if p.language == language]
        passages = self.random.sample(passages, min(COUNTED, len(passages)))
        words = [q["question"] for p in passages for q in p.questions]
        texts = [p.text for p in passages]
        if name.startswith("office"):
            made = [self.papers.scene(language) for _ in range(COUNTED // 5)]
            texts = [self.papers.laid_out(facts, language)[0] for facts in made]
            words += texts
        assert self.siblings is not None
        self.siblings.learn(name, language, words, texts)

    def heading(self, passage: Passage, passages: list[Passage]) -> str:
        """What a document's title and section might be: the name that the paragraphs around share; often none."""
        if self.random.random() < 0.5:
            return ""
        at = place_of(passage, passages)
        names: dict[str, int] = {}
        for each in passages[max(0, at - 3) : at + 4]:
            for name in set(NAME.findall(each.text)):
                names[name] = names.get(name, 0) + (2 if each is passage else 1)
        if not names:
            return ""
        common = sorted(names, key=lambda name: (-names[name], name))[:3]
        if self.random.random() < 0.5:
            return common[0]
        return " › ".join(self.random.sample(common, min(2, len(common))))

    def characters(self, language: str) -> int:
        """How much of a passage is read: mostly short, for speed, and sometimes all that fits."""
        full = 330 if language in DENSE_SCRIPTS else 800
        return (
            full
            if self.random.random() < self.whole
            else int(full * self.random.uniform(0.4, 0.75))
        )

    # Support ----------------------------------------------------------------------------------------------------

    def support(self) -> Pair | None:
        """A statement made of a question and an answer, or of a sentence, right or altered, with a quote."""
        if self.random.random() < 0.5:
            return self.answered_statement()
        return self.altered_sentence()

    def answered_statement(self) -> Pair | None:
        """Question and answer in one: supported; another answer of the passage: contradicted; a near miss: neither."""
        passage, question, passages = self.question()
        if not question["answers"] or question.get("impossible"):
            return None
        answer = self.random.choice(question["answers"])
        text, _ = window(
            self.random, passage.text, answer, int(self.characters(passage.language) * 0.6)
        )
        label = self.random.choices((SUPPORTED, CONTRADICTED, NEITHER), (0.4, 0.35, 0.25))[0]
        said = answer["text"]
        if label == CONTRADICTED:
            others = [
                a["text"] for q in passage.questions for a in q["answers"] if q is not question
            ]
            others = [
                o
                for o in others
                if not grams(o) & grams(said)
                and o.lower() not in said.lower()
                and said.lower() not in o.lower()
            ]
            alike = [o for o in others if kind_of(o) == kind_of(said)]
            if alike:
                said = self.random.choice(alike)
            elif re.search(r"\d", said):
                said = other_number(self.random, said)
            elif others:
                said = self.random.choice(others)
            else:
                return None
        if label == NEITHER:
            miss = self.near_miss(question, passage, passages)
            if miss is None:
                return None
            text, _ = window(self.random, miss, None, int(self.characters(passage.language) * 0.6))
        drawn = self.random.random()
        order = f"{question['question']} {said}"
        if drawn < 0.4:
            order = answered(question["question"], said, passage.language) or order
        elif drawn < 0.5:
            order = f"{said}: {question['question']}"
        return self.pack(
            "claim: " + order, self.under_heading(text, passage, passages), None, support=label
        )

    def under_heading(self, quote: str, passage: Passage, passages: list[Passage]) -> str:
        """The quote as it is judged, below its title and headings; often it has none."""
        return f"{self.heading(passage, passages)}\n{quote}".lstrip()

    def altered_sentence(self) -> Pair | None:
        """A sentence of the passage, mostly said otherwise: supported; altered: contradicted; taken out: neither."""
        passage, _, passages = self.question()
        sentences = [
            s
            for s in re.split(r"(?<=[.!?])\s+(?=\w)|(?<=[。！？])", passage.text)
            if 15 < len(s) < 300
        ]
        if len(sentences) < 2:
            return None
        at = self.random.randrange(len(sentences))
        sentence = sentences[at]
        label = self.random.choices((SUPPORTED, CONTRADICTED, NEITHER), (0.35, 0.45, 0.2))[0]
        first = max(0, at - self.random.randint(0, 2))
        quote = " ".join(sentences[first : at + 1 + self.random.randint(0, 2)])
        said = sentence
        if self.random.random() < (0.75 if label == SUPPORTED else 0.4):
            said = restated(self.random, sentence, passage.language) or sentence
        if label == CONTRADICTED:
            names = [n for p in self.random.choices(passages, k=4) for n in NAME.findall(p.text)]
            own, others = (
                [a["text"] for q in questions for a in q["answers"]]
                for questions in (
                    passage.questions,
                    [q for _, q in self.random.choices(self.asked[passage.source], k=12)],
                )
            )
            altered = alter(self.random, said, passage.language, names, own, [*others, *own])
            if altered is None or altered in quote:
                return None
            said = altered
        if label == NEITHER:
            rest = [s for i, s in enumerate(sentences) if i != at]
            quote = (
                " ".join(rest[:3])
                if self.random.random() < 0.6
                else self.random.choice(passages).text[:300]
            )
            if sentence in quote:
                return None
        quote = quote[: self.characters(passage.language)]
        return self.pack(
            "claim: " + said, self.under_heading(quote, passage, passages), None, support=label
        )

    def office_claim(self) -> Pair | None:
        """A statement about an office paper, true, altered or of another fact, with a quote."""
        said, quote, label = self.office_source(0.55).claim()
        if self.random.random() < 0.3:
            said = respelt(self.random, said, "en") or said
        return self.pack("claim: " + said, quote, None, support=label)

    def limit_claim(self) -> Pair | None:
        """A statement about a limit with a quote that sets one."""
        said, quote, label = limit_claim(self.random)
        return self.pack("claim: " + said, quote, None, support=label)

    def written_claim(self) -> Pair | None:
        """A question about a written paper with an answer behind it, right or not, and a quote."""
        said, quote, label = self.written.claim()
        return self.pack("claim: " + said, quote, None, support=label)

    def found_answer(self) -> Pair | None:
        """A question with what a reader took for its answer, right or not, and the statement around it."""
        row = self.random.choice(self.found)
        return self.pack("claim: " + row["claim"], row["quote"], None, support=row["support"])

    def written_statement(self) -> Pair | None:
        """A statement that was written about a paper, and a quote."""
        said, quote, label = self.written.statement()
        if self.random.random() < 0.4:
            # What these change in one of these languages stands in no other.
            said = respelt(self.random, said, "en") or respelt(self.random, said, "de") or said
        return self.pack("claim: " + said, quote, None, support=label)

    def claim(self) -> Pair | None:
        """A claim of Wikipedia with sentences of the page it cites."""
        row = self.random.choice(self.claims)
        evidence = row["evidence"]
        shown = (
            self.random.choice(row["supporting_sentences"]) if row["supporting_sentences"] else []
        )
        quote = " ".join(evidence[i] for i in shown)
        tokens, flags = row["claim_tokens"], row["non_supported_spans"]
        if self.random.random() < 0.5 and any(flags) and not flags[0]:
            # What is left of a claim without its unsupported words is supported, where it still says something.
            kept = [t for t, bad in zip(tokens, flags, strict=True) if not bad]
            if len(kept) < 5:
                return None
            return self.pack("claim: " + detokenised(kept), quote, None, support=SUPPORTED)
        return self.pack("claim: " + row["claim"], quote[:900], None, support=NEITHER)

    # Tables -----------------------------------------------------------------------------------------------------

    def table(self) -> Pair | None:
        """A question about one cell of a table that is made of answers of the reading sets."""
        passage, _, passages = self.question()
        some = self.random.choices(passages, k=40)
        short = list(
            {
                a["text"]
                for p in some
                for q in p.questions
                for a in q["answers"]
                if 2 < len(a["text"]) < 24 and "|" not in a["text"] and "\n" not in a["text"]
            }
        )
        rows = [s for s in short if not re.search(r"\d", s)]
        words = [w for q in passage.questions for w in re.findall(r"[^\W\d_]{4,}", q["question"])]
        asks = ASKS.get(passage.language, ASKS["en"])
        columns = list(
            dict.fromkeys(
                self.random.choices(COLUMNS.get(passage.language, COLUMNS["en"]), k=4) + words[:1]
            )
        )
        if len(rows) < 4:
            return None
        self.random.shuffle(rows)
        rows = rows[: self.random.randint(3, 8)]
        self.random.shuffle(columns)
        columns = columns[: self.random.randint(2, 4)]
        cells = [[self.cell(short) for _ in columns] for _ in rows]
        corner = self.random.choice(["", "", self.random.choice(columns) + " ID", "Name"])
        row, column = self.random.randrange(len(rows)), self.random.randrange(len(columns))
        lines = ["| " + " | ".join([corner, *columns]) + " |", "|" + " --- |" * (len(columns) + 1)]
        at = None
        absent = self.random.random() < 0.25
        for i, name in enumerate(rows):
            if absent and i == row:
                continue
            line = "| " + name
            for j, value in enumerate(cells[i]):
                line += " | "
                if (i, j) == (row, column):
                    at = sum(len(x) + 1 for x in lines) + len(line)
                line += value
            lines.append(line + " |")
        text = "\n".join(lines)
        question = self.random.choice(asks).format(column=columns[column], row=rows[row])
        if self.random.random() < 0.3:
            # The same as a list of named values under a heading.
            text, at = "", None
            for i, name in enumerate(columns):
                text += self.random.choice(["- ", "", "* "]) + f"{name}: "
                if i == column and not absent:
                    at = len(text)
                    text += cells[row][i] + "\n"
                else:
                    text = text if i != column else text[: text.rindex(name)].rstrip("-* ")
                    text += cells[row][i] + "\n" if i != column else ""
            answer = {"text": cells[row][column], "start": at} if at is not None else None
            return self.pack("query: " + question, text, answer, relevance=True, heading=rows[row])
        answer = {"text": cells[row][column], "start": at} if at is not None else None
        return self.pack("query: " + question, text, answer, relevance=True)

    def report(self) -> Pair | None:
        """A question about a cell of a table in a financial report, with that table or another one."""
        report = self.random.choice(self.reports)
        asked = [
            q for q in report["questions"]
            if q["answer_type"] == "span" and q["answer_from"] != "text" and len(q["answer"]) == 1
        ]  # fmt: skip
        if not asked:
            return None
        question = self.random.choice(asked)
        absent = self.random.random() < 0.3
        shown = self.random.choice(self.reports) if absent else report
        lines, places = [], []
        start = 0
        for number, row in enumerate(shown["table"]["table"]):
            line = "| " + " | ".join(" ".join(cell.split()) for cell in row) + " |"
            if question["answer"][0] in row and not absent:
                before = " | ".join(
                    " ".join(c.split()) for c in row[: row.index(question["answer"][0])]
                )
                places.append(
                    start
                    + 2
                    + len(before)
                    + (3 if before or row.index(question["answer"][0]) else 0)
                )
            lines.append(line)
            start += len(line) + 1
            if number == 0:
                lines.append("|" + " --- |" * len(row))
                start += len(lines[-1]) + 1
        text = "\n".join(lines)
        said = " ".join(question["answer"][0].split())
        if (shown is report and len(places) != 1) or (shown is not report and said in text):
            return None
        answer = {"text": said, "start": places[0]} if shown is report else None
        if answer and text[answer["start"] :][: len(said)] != said:
            return None
        return self.pack("query: " + question["question"], text, answer, relevance=True)

    def decision(self) -> Pair | None:
        """A yes/no question, made of an English sentence: what follows its verb decides it, right or altered."""
        name = self.random.choice([n for n in self.names if self.sources[n][0].language == "en"])
        passages = self.sources[name]
        passage = self.random.choice(passages)
        found = list(STATED.finditer(passage.text))
        if not found:
            return None
        stated = self.random.choice(found)
        subject, verb, said = stated.groups()
        first = subject.split()[0]
        if first in DETERMINERS:
            subject = subject[0].lower() + subject[1:]
        names = [n for p in self.random.choices(passages, k=4) for n in NAME.findall(p.text)]
        asked = said if self.random.random() < 0.6 else alter(self.random, said, "", names) or said
        question = f"{verb.capitalize()} {subject} {asked}?"
        answer: dict | None = {"text": said, "start": stated.start(3)}
        text = passage.text
        if self.random.random() < 0.3:
            shorn = without(text, [said], stated.start(3))
            if shorn is None:
                return None
            text, answer = shorn, None
        return self.pack(
            "query: " + question, *window(self.random, text, answer, self.characters("en")), relevance=True,
            heading=self.heading(passage, passages),
        )  # fmt: skip

    def cell(self, short: list[str]) -> str:
        """A value: an amount, a share, a date or words."""
        pick = self.random.random()
        if pick < 0.35:
            return (
                self.random.choice(["", "EUR ", "$", "£", ""])
                + f"{self.random.randint(1, 99999):,}"
                + self.random.choice(["", "", ".50", " kg", " m", " %"])
            )
        if pick < 0.5:
            return f"{self.random.randint(1, 28)}.{self.random.randint(1, 12)}.{self.random.randint(1950, 2030)}"
        if pick < 0.6:
            return str(self.random.randint(1, 40))
        return self.random.choice(short)

    # Tokens -----------------------------------------------------------------------------------------------------

    def pack(
        self,
        first: str,
        second: str,
        answer: dict | None,
        *,
        relevance: bool = False,
        support: int | None = None,
        heading: str = "",
    ) -> Pair | None:
        """`<s> first </s></s> heading second </s>`; None where the answer does not fit."""
        ids = [0, *self.tokenizer.encode(first).ids[:72], 2, 2]
        if heading:
            ids += self.tokenizer.encode(heading).ids[:32]
        begin = len(ids)
        encoded = self.tokenizer.encode(second)
        room, offset, span = LONGEST - begin - 1, 0, None
        if answer:
            start, end = answer["start"], answer["start"] + len(answer["text"])
            inside = [
                i for i, (a, b) in enumerate(encoded.offsets) if b > start and a < end and b > a
            ]
            if not inside:
                return None
            if len(encoded.ids) > room:
                offset = max(0, min(inside[0] - room // 3, len(encoded.ids) - room))
            if inside[0] < offset or inside[-1] >= offset + room:
                return None
            span = (begin + inside[0] - offset, begin + inside[-1] - offset)
        return Pair(
            ids=[*ids, *encoded.ids[offset : offset + room], 2],
            second=begin,
            span=span,
            relevance=int(answer is not None) if relevance else None,
            support=support,
        )


def passages_of(paper: Paper, first: int) -> Iterator[Passage]:
    """The paragraphs of an article with the questions that they answer, as a reading set has them; `first` is the place
    of the first."""  # fmt: skip
    source = f"{ARTICLE} {paper.language}"
    for place, text in enumerate(paper.text.split("\n\n"), start=first):
        questions = [
            {
                "question": question,
                "answers": [
                    {"text": answer, "start": text.index(fact.quote) + fact.quote.index(answer)}
                ],
            }
            for fact in paper.facts
            if fact.quote in text
            for question, answer in fact.asked
        ]
        if questions:
            yield Passage(source, paper.language, text, questions, place)


STATED = re.compile(
    r"(?:(?<=^)|(?<=[.!?] ))([A-Z][^,;:.!?()\n]{3,50}?) (is|was|are|were|can|will|has|must|may|should|could)"
    r" ([^,;:.!?()\n]{12,110})(?=[,.])"
)
DETERMINERS = {"The", "A", "An", "This", "These", "That", "It", "They", "He", "She", "Its", "His", "Their", "Some",
               "Most", "Many", "All", "There", "In", "Each", "Every", "Both", "Other"}  # fmt: skip
ASKS = {
    "en": [
        "What is the {column} of {row}?",
        "{row}: {column}?",
        "Which {column} does {row} have?",
        "What {column} is given for {row}?",
        "How much is the {column} for {row}?",
    ],
    "es": ["¿Cuál es {column} de {row}?", "¿Qué {column} tiene {row}?"],
    "fr": ["Quel est {column} de {row} ?", "Quelle est la valeur de {column} pour {row} ?"],
    "it": ["Qual è {column} di {row}?"],
    "pt": ["Qual é {column} de {row}?"],
    "zh": ["{row}的{column}是什么？", "{row}的{column}是多少？"],
    "ja": ["{row}の{column}は何ですか？"],
}
COLUMNS = {
    "en": [
        "Weight",
        "Price",
        "Deductible",
        "Limit",
        "Owner",
        "Due date",
        "Department",
        "Rate",
        "Fee",
        "Length",
        "Capacity",
        "Status",
        "Total",
        "Contact",
        "Start",
        "Warranty",
        "Quantity",
        "Net sales",
        "Term",
        "Location",
    ],
    "es": ["Peso", "Precio", "Fecha", "Importe", "Responsable", "Estado", "Plazo", "Cantidad"],
    "fr": ["Poids", "Prix", "Date", "Montant", "Responsable", "État", "Délai", "Quantité"],
    "it": ["Peso", "Prezzo", "Data", "Importo", "Responsabile", "Quantità"],
    "pt": ["Peso", "Preço", "Data", "Valor", "Responsável", "Quantidade"],
    "zh": ["重量", "价格", "日期", "金额", "负责人", "状态", "数量", "期限"],
    "ja": ["重量", "価格", "日付", "金額", "担当者", "状態", "数量"],
}


def place_of(passage: Passage, passages: list[Passage]) -> int:
    """The index of a passage among those of its source, which are in order of place."""
    return bisect_left(passages, passage.place, key=lambda each: each.place)


def grams(text: str) -> set[str]:
    """Words of four letters and more, and pairs of characters where words are not spaced."""
    low = text.lower()
    words = set(re.findall(r"[^\W_]{4,}", low))
    if len(words) * 12 < len(low):
        words |= {low[i : i + 2] for i in range(len(low) - 1)}
    return words


def window(
    draw: random.Random, context: str, answer: dict | None, characters: int
) -> tuple[str, dict | None]:
    """At most so many characters of the context, around the answer at a random place, cut at spaces."""
    if len(context) <= characters:
        return context, answer
    if not answer:
        start = draw.randint(0, len(context) - characters)
        return context[start : start + characters], None
    begin, end = answer["start"], answer["start"] + len(answer["text"])
    low, high = max(0, end - characters + 10), max(0, min(begin, len(context) - characters))
    start = min(draw.randint(min(low, high), max(low, high)), begin)
    return context[start : start + characters], {"text": answer["text"], "start": begin - start}


def without(context: str, answers: list[str], start: int) -> str | None:
    """The context less the sentence that answers; None where the answer stands elsewhere too or nothing is left."""
    ends = [m.end() for m in re.finditer(r"[.!?。！？]\s*", context)]
    before = max((e for e in ends if e <= start), default=0)
    after = min((e for e in ends if e > start), default=len(context))
    left = context[:before] + context[after:]
    if len(left) < 80 or any(a.lower() in left.lower() for a in answers):
        return None
    return left


def detokenised(tokens: list[str]) -> str:
    """Words and marks joined as they are written."""
    return re.sub(r"\s+([.,;:!?)’'])", r"\1", " ".join(tokens)).replace(" - ", "-")
