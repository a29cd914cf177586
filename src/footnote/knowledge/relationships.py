"""Extract a document's relationships: entities in one sentence, and keys it shares with others.

No other document is read: documents are related by equal keys.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from footnote.domain.entities import NAMED_KINDS, EntityKind, ExtractedEntity
from footnote.domain.relationships import SKETCH_SENTENCES, DocumentKey, EntityPair, KeyRole
from footnote.knowledge.names import words_of
from footnote.language.sentences import sentence_spans

MAX_ENTITIES_PER_SENTENCE = 12
"""Most entities of a sentence that is used; a longer list says little about any two of them."""
MAX_PAIRS = 2_000
"""Most pairs of one document, the strongest."""
SENTENCES_PER_PAIR = 3
"""Sentences kept for a pair, those with the fewest other names."""
MAX_CITATIONS = 1_000
"""Most citation keys of one document."""
_MIN_SENTENCE_WORDS = 6
_TITLE_WORDS = range(3, 13)
_MARKED_WORDS = range(2, 13)
"""Number of words of a title in quotation marks."""
_WORDS_OF_FILES = 6
_LONGEST_SENTENCE = 2_000
"""Most characters of a sentence; the names in a longer one, such as a table, may be unrelated."""
_MIN_IDEOGRAPHS, _MIN_OF_SENTENCE = 4, 12
"""Least characters of a title and of a sentence in a script without spaces."""
_QUOTED = re.compile(r"[\"“„«「『《]([^\"“”„«»「」『』《》\n]{4,150})[\"”“»」』》]")
_FILE = re.compile(r"(?<![\w/\\])[\w()\-][\w .()\-]{0,80}?\.[A-Za-z][A-Za-z0-9]{1,4}(?!\w)")
_TOKEN = re.compile(r"[^\W_]+(?:['’.\-/][^\W_]+)*")
_GAP = re.compile(r"[ \t]*\n?[ \t]*[,:–—&-]?[ \t]*\n?[ \t]*")
"""Matches what may separate the words of one title."""


def pairs_of(text: str, entities: Sequence[ExtractedEntity]) -> tuple[EntityPair, ...]:
    """Return the pairs of named entities that occur in one sentence, strongest first."""
    places = sorted(
        (start, end, at)
        for at, entity in enumerate(entities)
        if entity.kind in NAMED_KINDS
        for start, end in entity.spans
    )
    starts = [start for start, _, _ in places]
    weights: dict[tuple[int, int], float] = defaultdict(float)
    evidence: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for start, end in sentence_spans(text):
        if end - start > _LONGEST_SENTENCE:
            continue
        inside = places[bisect_left(starts, start) : bisect_left(starts, end)]
        present = sorted({at for _, until, at in inside if until <= end})
        if not 2 <= len(present) <= MAX_ENTITIES_PER_SENTENCE:
            continue
        for pair in combinations(present, 2):
            weights[pair] += 1 / (len(present) - 1)
            evidence[pair].append((len(present), start, end))
    strongest = sorted(weights, key=lambda pair: (-weights[pair], pair))[:MAX_PAIRS]
    return tuple(
        EntityPair(
            first=pair[0],
            second=pair[1],
            weight=weights[pair],
            spans=tuple(
                (start, end) for _, start, end in sorted(evidence[pair])[:SENTENCES_PER_PAIR]
            ),
        )
        for pair in strongest
    )


def document_keys(
    text: str,
    *,
    title: str,
    filename: str,
    metadata: Mapping[str, object],
    entities: Sequence[ExtractedEntity],
) -> tuple[DocumentKey, ...]:
    """Compute the keys by which a document's citations, replies and similar documents are found."""
    match = re.search(r"\S[^\n]*", text)
    head = None if match is None else (match.start(), match.start() + len(match[0].rstrip()))
    if head is None:
        return ()
    keys = [DocumentKey(role=KeyRole.IS, text=name, span=head) for name in _names(title, filename)]
    own_keys = {document_key.text for document_key in keys}
    for role, name in ((KeyRole.IS, "message_id"), (KeyRole.REPLIES_TO, "in_reply_to")):
        if ids := re.findall(r"<[^<>\s]+>", str(metadata.get(name, ""))):
            keys.append(DocumentKey(role=role, text=f"mail\n{ids[0]}", span=head))
    title_end = head[1] if words_of(text[slice(*head)]) == words_of(title) else 0
    cited: dict[str, tuple[int, int]] = {}
    for key, span in _cited(text, entities):
        # A document does not cite itself, nor what its own title begins or ends with.
        if key not in own_keys and key not in cited and span[0] >= title_end:
            cited[key] = span
            if len(cited) == MAX_CITATIONS:
                break
    keys += [DocumentKey(role=KeyRole.NAMES, text=key, span=at) for key, at in cited.items()]
    return (*keys, *_sentences(text))


def resemblance(sketch: frozenset[bytes], other_sketch: frozenset[bytes]) -> float:
    """Estimate the share of sentences that two documents have in common, 0…1, by their sketches.

    A sketch is the `SKETCH_SENTENCES` least keys of a document's sentences. The Jaccard similarity
    as Broder (1997) estimates it from them; exact where no document has more sentences.
    """
    smallest = sorted(sketch | other_sketch)[:SKETCH_SENTENCES]
    return (
        sum(key in sketch and key in other_sketch for key in smallest) / len(smallest)
        if smallest
        else 0.0
    )


def title_words(title: str) -> tuple[str, ...]:
    """The words of a title without numbers, which differ between versions of one document."""
    return tuple(
        word
        for word in words_of(title)
        if not any(map(str.isdigit, word)) and word not in ("v", "version", "draft", "final")
    )


def _names(title: str, filename: str) -> Iterator[str]:
    words = words_of(title)
    if _is_specific(words):
        yield f"marked\n{' '.join(words)}"
    if len(words) in _TITLE_WORDS:
        yield f"title\n{' '.join(words)}"
    if filename.strip():
        yield f"file\n{filename.strip().casefold()}"


def _cited(text: str, entities: Sequence[ExtractedEntity]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the keys and spans of possible document names, most certain first."""
    for match in _FILE.finditer(text):
        # A name may have spaces, and what stands before it may be no part of it.
        for word in list(re.finditer(r"\S+", match[0]))[-_WORDS_OF_FILES:]:
            start = match.start() + word.start()
            yield f"file\n{text[start : match.end()].casefold()}", (start, match.end())
    for match in _QUOTED.finditer(text):
        words = words_of(match[1])
        if _is_specific(words):
            yield f"marked\n{' '.join(words)}", match.span(1)
    for entity in entities:
        if entity.kind is EntityKind.OTHER:
            for form, span in zip(entity.forms, entity.spans, strict=False):
                words = words_of(form)
                if _is_specific(words) and words_of(text[slice(*span)]) == words:
                    yield f"marked\n{' '.join(words)}", span
    for start, end in _capitalised(text):
        yield f"title\n{' '.join(words_of(text[start:end]))}", (start, end)


def _capitalised(text: str) -> Iterator[tuple[int, int]]:
    """Yield spans of three or more words that look like titles by their capitals."""
    for start, end in sentence_spans(text):
        if end - start > _LONGEST_SENTENCE:
            continue
        tokens = list(_TOKEN.finditer(text, start, end))
        capitals = [not token[0][0].islower() for token in tokens]
        for first, begins in enumerate(capitals):
            if not begins or tokens[first][0][0].isdigit():
                continue
            lowercase_run = 0
            for last in range(first + 1, min(first + _TITLE_WORDS.stop - 1, len(tokens))):
                between = text[tokens[last - 1].end() : tokens[last].start()]
                if _GAP.fullmatch(between) is None:
                    break
                lowercase_run = 0 if capitals[last] else lowercase_run + 1
                if lowercase_run > 2:
                    break
                if capitals[last] and last - first + 1 in _TITLE_WORDS:
                    yield tokens[first].start(), tokens[last].end()


def _sentences(text: str) -> Iterator[DocumentKey]:
    for start, end in sentence_spans(text):
        words = words_of(text[start:end])
        sentence = " ".join(words)
        if len(words) >= _MIN_SENTENCE_WORDS or _ideographs(sentence) >= _MIN_OF_SENTENCE:
            yield DocumentKey(role=KeyRole.SAYS, text=f"says\n{sentence}", span=(start, end))


def _is_specific(words: Sequence[str]) -> bool:
    """Whether the words are specific enough to identify a document when quoted."""
    return len(words) in _MARKED_WORDS or _ideographs("".join(words)) >= _MIN_IDEOGRAPHS


def _ideographs(text: str) -> int:
    return sum(
        "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3" for character in text
    )
