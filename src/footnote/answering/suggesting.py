"""Propose next questions from passages around an answer, each with its answer.

Questions are built from exact parts: a heading, or the row and column of a table cell. Their
wording fits any heading and title without inflection, in the user's language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from footnote.answering.addresses import addresses_in
from footnote.answering.answer_selection import contains_phrase, plain_words
from footnote.answering.injection_patterns import has_injection_pattern
from footnote.answering.reading import read_statements
from footnote.answering.sanitise import plain_text
from footnote.answering.sentences import Candidate, candidates_of, cells_of
from footnote.domain import BlockKind, Evidence, Passage
from footnote.ports import Reader

WORDINGS: Mapping[str, tuple[str, ...]] = {
    "en": ("what applies?", "when?", "how long?", "how much?", "where?", "who?", "why?"),
    "de": ("was gilt?", "wann?", "wie lange?", "wie viel?", "wo?", "wer?", "warum?"),
    "fr": (
        *("que prévoit-on ?", "quand ?", "combien de temps ?", "combien ?", "où ?", "qui ?"),
        "pourquoi ?",
    ),
    "es": (
        *("¿qué se aplica?", "¿cuándo?", "¿cuánto tiempo?", "¿cuánto?", "¿dónde?", "¿quién?"),
        "¿por qué?",
    ),
    "zh": ("有什么规定？", "什么时候？", "多长时间？", "多少？", "在哪里？", "谁？", "为什么？"),
    "ar": ("ما الذي ينطبق؟", "متى؟", "كم المدة؟", "كم؟", "أين؟", "من؟", "لماذا؟"),
}
"""Questions about a topic, in each language of the web app: the same seven in the same order."""
_FIGURES = (1, 2, 3)
"""The indices of those that are answered with a number or a date."""
_TOPIC = {"fr": "{0} : {1}", "zh": "{0}：{1}"}
_CELL = {"fr": "{0} : {1} ?", "es": "{0}: ¿{1}?", "zh": "{0}：{1}？", "ar": "{0}: {1}؟"}

MIN_READ = 0.5
"""Minimum reader probability, over the topic's own passage, of a proposed question."""
READ_TOPICS = 5
"""Most topics that are read, with seven questions each."""
ROWS = 3
"""Most rows per table."""
LONGEST_TOPIC = 60
LONGEST_ROW = 70

_NUMBERING = re.compile(r"(?:§+\s*)?(?:\d+(?:\.\d+)*[.):]?|[a-zA-Z][.)]|[IVXivx]{1,5}[.)])\s+")
_MIN_CAPITALS = 5
"""Minimum letters of an all-capitals heading that is changed to normal capitalisation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A question that a passage seems to answer."""

    question: str
    passage: Passage
    answer: str
    """The words of the passage that answer it."""
    probability: float
    is_cell: bool = False
    """Whether it asks for a table cell, which is its only answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousTurn:
    """The previous question and answer; a suggestion must not only ask it again."""

    question: str
    answer: str
    earlier: tuple[str, ...] = ()
    """The questions before the previous one."""

    def holds(self, text: str) -> bool:
        """Whether the words of a text occur in the answer."""
        return contains_phrase(text, self.answer)

    def asks(self, question: str) -> bool:
        """Whether the question was asked before, in the same words."""
        asked_words = {plain_words(text) for text in (self.question, *self.earlier)}
        return plain_words(question) in asked_words


def worded_in(*languages: str | None) -> str:
    """The first of the languages with question wordings; English if there is none.

    >>> worded_in(None, "pt", "de-AT")
    'de'
    """
    for tag in languages:
        if tag is not None and (language := tag.partition("-")[0].lower()) in WORDINGS:
            return language
    return "en"


async def propose(
    reader: Reader | None, passages: Sequence[Passage], previous: PreviousTurn, language: str
) -> list[Proposal]:
    """Questions about the passages, the most promising first, from each section in turn.

    The passages are ordered by similarity to the answered question. Without a reader only tables
    are used. Raises ModelUnavailable.
    """
    evidence = [
        Evidence(passage=passage, rank=rank, score=1.0)
        for rank, passage in enumerate(passages, 1)
        if not passage.suspicious
    ]
    from_tables = [list(_cell_proposals(item, previous, language)) for item in evidence]
    from_topics = []
    if reader is not None:
        for topic, topic_evidence in _topics(evidence, previous)[:READ_TOPICS]:
            if proposal := await _best_for_topic(reader, topic, topic_evidence, previous, language):
                from_topics.append(proposal)
    from_topics.sort(key=lambda proposal: -proposal.probability)
    return list(_round_robin([from_topics, *from_tables], previous))


def _round_robin(lists: Iterable[Sequence[Proposal]], previous: PreviousTurn) -> Iterator[Proposal]:
    """Take one proposal of each list in turn, without repeated questions."""
    proposed: set[str] = set()
    for turn in zip_longest(*lists):
        for proposal in turn:
            if (
                proposal is None
                or previous.asks(proposal.question)
                or plain_words(proposal.question) in proposed
            ):
                continue
            proposed.add(plain_words(proposal.question))
            yield proposal


def _topics(
    evidence: Sequence[Evidence], previous: PreviousTurn
) -> list[tuple[str, list[Evidence]]]:
    """The headings, each with its passages of prose; headings not yet mentioned come first."""
    evidence_by_topic: dict[str, list[Evidence]] = {}
    for item in evidence:
        if item.passage.kind is not BlockKind.TABLE:
            topic = topic_of(item.passage)
            if topic is not None:
                evidence_by_topic.setdefault(topic, []).append(item)
    return sorted(
        evidence_by_topic.items(), key=lambda pair: contains_phrase(pair[0], previous.question)
    )


def topic_of(passage: Passage) -> str | None:
    """The innermost heading of a passage as a topic; None if there is none.

    A heading equal to its document's title distinguishes nothing.
    """
    if not passage.heading_path:
        return None
    heading = passage.heading_path[-1]
    topic = _NUMBERING.sub("", heading, count=1) if _NUMBERING.match(heading) else heading
    if topic.isupper() and len(topic) >= _MIN_CAPITALS:
        topic = topic.capitalize()
    topic = topic.rstrip(" .:;–—-")
    if plain_words(topic) == plain_words(passage.document_title):
        return None
    return topic if _is_clean(topic, LONGEST_TOPIC) else None


async def _best_for_topic(
    reader: Reader, topic: str, evidence: Sequence[Evidence], previous: PreviousTurn, language: str
) -> Proposal | None:
    """The best question about a topic; a heading that is a question is used as it is."""
    if topic[-1] in "?？؟":
        wordings = [(0, topic)]
    else:
        template = _TOPIC.get(language, "{0}: {1}")
        wordings = [
            (kind, template.format(topic, wording))
            for kind, wording in _applicable_wordings(evidence, language)
        ]
    best: Proposal | None = None
    for kind, question in wordings:
        for located in await read_statements(reader, question, evidence[:2]):
            if located.probability < max(MIN_READ, best.probability if best else 0.0):
                continue
            if previous.holds(located.answer) or contains_phrase(located.answer, topic):
                continue
            if kind in _FIGURES and not any(map(str.isdigit, located.answer)):
                continue
            best = Proposal(
                question=question,
                passage=located.passage,
                answer=located.answer,
                probability=located.probability,
            )
    return best


def _applicable_wordings(evidence: Sequence[Evidence], language: str) -> Iterator[tuple[int, str]]:
    """The questions that fit the passages: those for a figure only if there is one."""
    has_figures = any(map(str.isdigit, "".join(item.passage.text for item in evidence[:2])))
    for kind, wording in enumerate(WORDINGS[language]):
        if has_figures or kind not in _FIGURES:
            yield kind, wording


def _cell_proposals(
    evidence: Evidence, previous: PreviousTurn, language: str
) -> Iterator[Proposal]:
    """Proposals for cells: of mentioned rows first, then of others."""
    rows = [row for row in candidates_of([evidence]) if len(cells_of(row)) > 1]
    rows.sort(key=lambda row: not _is_mentioned(row, previous))
    for row in rows[:ROWS]:
        name, *cells = cells_of(row)
        if not _is_clean(name.text, LONGEST_ROW) or not any(map(str.isalpha, name.text)):
            continue
        # Other rows are preferably asked for the column of the answer.
        cells.sort(
            key=lambda cell: not (cell.title and contains_phrase(cell.title, previous.question))
        )
        askable = [
            cell
            for cell in cells
            if cell.text
            and ":" not in cell.title
            and _is_clean(cell.title, LONGEST_TOPIC)
            and plain_words(cell.text) != plain_words(name.text)
            and not (_is_mentioned(row, previous) and previous.holds(cell.text))
        ]
        for cell in askable[: 2 if _is_mentioned(row, previous) else 1]:
            yield Proposal(
                question=_CELL.get(language, "{0}: {1}?").format(name.text, cell.title.rstrip("?")),
                passage=evidence.passage,
                answer=cell.text,
                probability=1.0,
                is_cell=True,
            )


def _is_mentioned(row: Candidate, previous: PreviousTurn) -> bool:
    """Whether a table row is mentioned in the question or the answer."""
    name = cells_of(row)[0].text
    return contains_phrase(name, previous.question) or contains_phrase(name, previous.answer)


def _is_clean(text: str, max_length: int) -> bool:
    """Whether a text of a document can be used in a question: short, plain, and no instruction."""
    return (
        2 <= len(text) <= max_length
        and any(map(str.isalpha, text))
        and plain_text(text) == text
        and not addresses_in(text)
        and not has_injection_pattern(text)
    )
