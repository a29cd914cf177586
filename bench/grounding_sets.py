"""Makes statements, true and false ones, from questions, their answers and the text around them.

A set is a folder in XQuAD's format. A true statement is the sentence that holds the answer,
shortened, with its clauses in another order or with its numbers written otherwise; or the question
with the answer in the place of its question word, which is how a person who did not copy the
sentence would put it. A false one is a true one in which one thing was altered, or one whose quote
is another. What is cited is the sentence, or it with the next one, or beside it a sentence from
elsewhere.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from footnote.language.sentences import sentence_spans
from grounding_changes import (
    alter_date,
    alter_name,
    alter_number,
    from_question,
    negate,
    oppose,
    reorder,
    respell,
    shorten,
)

TRUE_FORMS = ("shortened", "reordered", "respelled", "from the question")
FALSE_FORMS = (
    "number altered",
    "date altered",
    "name altered",
    "negated",
    "opposite word",
    "answer from elsewhere",
    "number from the same quote",
    "quote of the same article",
    "quote of another article",
)
ARTICLE_PARAGRAPHS = 5
"""XQuAD's; its corpus keeps the paragraphs of an article together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement with what it cites."""

    text: str
    quotes: tuple[str, ...]
    around: tuple[str, ...]
    """The paragraphs that the quotes are from."""
    title: str
    language: str
    spoken: str
    """The language of the statement."""
    true: bool
    form: str
    """How it was made true, or which alteration made it false."""
    held_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its answer in its sentence."""

    identity: str
    question: str
    answer: str
    sentence: str
    following: str
    paragraph: str
    title: str
    article: int


def read_set(folder: Path) -> list[Asked]:
    """Every question of a set whose answer lies within one sentence."""
    rows = _lines(folder / "corpus.jsonl")
    place = {str(row["_id"]): number for number, row in enumerate(rows)}
    judged = (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    gold = dict(line.split("\t")[:2] for line in judged)
    found = []
    for query in _lines(folder / "queries.jsonl"):
        number = place[gold[str(query["_id"])]]
        answers = query["answers"]
        assert isinstance(answers, list)
        answer, start = str(answers[0]["text"]), int(answers[0]["start"])
        text = str(rows[number]["text"])
        spans = sentence_spans(text)
        for at, (first, last) in enumerate(spans):
            if first <= start and start + len(answer) <= last and last - first > 20:
                following = text[slice(*spans[at + 1])] if at + 1 < len(spans) else ""
                found.append(
                    Asked(
                        identity=str(query["_id"]),
                        question=str(query["text"]).strip(),
                        answer=answer.strip(),
                        sentence=text[first:last],
                        following=following,
                        paragraph=text,
                        title=str(rows[number]["title"]).replace("_", " "),
                        article=number // ARTICLE_PARAGRAPHS,
                    )
                )
    return found


def statements_of(asked: Sequence[Asked], language: str, each: int, seed: int) -> list[Statement]:
    """Up to `each` true and `each` false statements of every question, rarest forms first."""
    used: Counter[str] = Counter()
    chance = random.Random(seed)
    articles: dict[int, list[Asked]] = {}
    for item in asked:
        articles.setdefault(item.article, []).append(item)
    made: list[Statement] = []
    for item in asked:
        siblings = articles[item.article]
        others = articles[(item.article + 1 + chance.randrange(len(articles) - 1)) % len(articles)]
        makers = _Makers(item, siblings, others, language, chance)
        for makes, forms in ((makers.true_one, TRUE_FORMS), (makers.false_one, FALSE_FORMS)):
            found = (makes(form) for form in sorted(forms, key=lambda form: (used[form], form)))
            for statement in itertools.islice(filter(None, found), each):
                used[statement.form] += 1
                made.append(statement)
    return made


def crossed(
    spoken: Sequence[Statement], asked: Sequence[Asked], quoted: Sequence[Asked], language: str
) -> list[Statement]:
    """Statements in one language about the sentences of the same questions in another.

    Those that were altered stay false; only those that cite their own sentence can be moved.
    """
    of_sentence = {each.sentence: each.identity for each in asked}
    by_identity = {each.identity: each for each in quoted}
    moved = []
    for each in spoken:
        identity = next((of_sentence[quote] for quote in each.quotes if quote in of_sentence), None)
        other = by_identity.get(identity or "")
        if other is None or each.form.startswith("quote of") or len(each.quotes) > 1:
            continue
        moved.append(
            Statement(
                text=each.text,
                quotes=(other.sentence,),
                around=(other.paragraph,),
                title=other.title,
                language=language,
                spoken=each.language,
                true=each.true,
                form=each.form,
                held_out=each.held_out,
            )
        )
    return moved


class _Makers:
    """Makes the statements of one question."""

    def __init__(
        self,
        item: Asked,
        siblings: Sequence[Asked],
        others: Sequence[Asked],
        language: str,
        chance: random.Random,
    ) -> None:
        self._item = item
        self._siblings = siblings
        self._others = others
        self._language = language
        self._chance = chance

    def true_one(self, form: str) -> Statement | None:
        """A true statement of this form, where the question has one."""
        text = self._true(form)
        if not text or text == self._item.sentence:
            return None
        return self._statement(text, true=True, form=form)

    def false_one(self, form: str) -> Statement | None:
        """A statement made false this way, where that can be done."""
        base = self._base()
        if form.startswith("quote of"):
            quote = self._elsewhere(other=form.endswith("another article"))
            return self._statement(base, true=False, form=form, quote=quote) if quote else None
        text = self._false(form, base)
        return self._statement(text, true=False, form=form) if text else None

    def _base(self) -> str:
        """A true statement to alter: any form, or the sentence as it stands."""
        forms = self._chance.sample(TRUE_FORMS, len(TRUE_FORMS))
        texts = [text for form in forms if (text := self._true(form))]
        return next(iter([*texts, self._item.sentence]))

    def _true(self, form: str) -> str | None:
        item, language = self._item, self._language
        makers: dict[str, Callable[[], str | None]] = {
            "shortened": lambda: shorten(item.sentence, item.answer),
            "reordered": lambda: reorder(item.sentence),
            "respelled": lambda: respell(item.sentence, language),
            "from the question": lambda: from_question(item.question, item.answer, language),
        }
        return makers[form]()

    def _false(self, form: str, base: str) -> str | None:
        item, language, chance = self._item, self._language, self._chance
        apart = [each.sentence for each in self._siblings if each.sentence != item.sentence]
        makers: dict[str, Callable[[], str | None]] = {
            "number altered": lambda: alter_number(base, item.paragraph, language, chance),
            "date altered": lambda: alter_date(base, item.paragraph, language, chance),
            "name altered": lambda: alter_name(base, item.sentence, apart, language, chance),
            "negated": lambda: negate(base, language, chance),
            "opposite word": lambda: oppose(base, language),
            "answer from elsewhere": lambda: self._other_answer(base, inside=False),
            "number from the same quote": lambda: self._other_answer(base, inside=True),
        }
        return makers[form]()

    def _other_answer(self, base: str, *, inside: bool) -> str | None:
        """The base with another answer of the article, of the same look, for its own."""
        item = self._item
        if item.answer not in base:
            return None
        if inside:
            answers = re.findall(r"(?<![\w.,])(?:\d[\d.,]*\d|\d)(?![\w%])", item.sentence)
        else:
            answers = [each.answer for each in self._siblings if each.answer not in item.sentence]
        fitting = sorted(
            {
                each
                for each in answers
                if _looks_like(each, item.answer)
                and each.casefold() not in base.casefold()
                and item.answer.casefold() not in each.casefold()
            }
        )
        if not fitting:
            return None
        return base.replace(item.answer, self._chance.choice(fitting), 1)

    def _elsewhere(self, *, other: bool) -> Asked | None:
        pool = self._others if other else self._siblings
        apart = [each for each in pool if each.paragraph != self._item.paragraph]
        return self._chance.choice(apart) if apart else None

    def _statement(
        self, text: str, *, true: bool, form: str, quote: Asked | None = None
    ) -> Statement:
        item = quote or self._item
        quotes, around = [item.sentence], [item.paragraph]
        how = self._chance.random()
        if how < 0.2 and item.following:
            quotes = [f"{item.sentence} {item.following}"]
        elif how < 0.4 and quote is None:
            further = self._chance.choice(self._siblings)
            quotes.append(further.sentence)
            around.append(further.paragraph)
        return Statement(
            text=text,
            quotes=tuple(dict.fromkeys(quotes)),
            around=tuple(dict.fromkeys(around)),
            title=item.title,
            language=self._language,
            spoken=self._language,
            true=true,
            form=form,
            held_out=self._item.article % 2 == 1,
        )


def _looks_like(one: str, other: str) -> bool:
    """Whether two answers could stand in each other's place."""
    return (
        any(map(str.isdigit, one)) == any(map(str.isdigit, other))
        and one[:1].isupper() == other[:1].isupper()
        and len(one) <= 3 * len(other) + 4
        and len(other) <= 3 * len(one) + 4
    )


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
