"""What one document tells of relationships: names in one sentence, and what it shares with others.

Nothing of other documents is needed: what documents have in common is found by equal keys.
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

MOST_TOGETHER = 12
"""Entities of one sentence; a longer list says little of any two of them."""
MOST_PAIRS = 2_000
"""Of one document, the strongest."""
PLACES_KEPT = 3
"""Sentences of a pair, the ones with the fewest other names."""
MOST_CITATIONS = 1_000
"""Keys of one document under which it may name others."""
_LEAST_SENTENCE_WORDS = 6
_TITLE_WORDS = range(3, 13)
_MARKED_WORDS = range(2, 13)
"""Of a title in quotation marks, which set it apart."""
_WORDS_OF_FILES = 6
_LONGEST_SENTENCE = 2_000
"""Characters; of a longer one, such as a table, names at its ends have little in common."""
_LEAST_IDEOGRAPHS, _LEAST_OF_SENTENCE = 4, 12
"""Of a name and a sentence in a script that leaves no spaces between words."""
_QUOTED = re.compile(r"[\"“„«「『《]([^\"“”„«»「」『』《》\n]{4,150})[\"”“»」』》]")
_FILE = re.compile(r"(?<![\w/\\])[\w()\-][\w .()\-]{0,80}?\.[A-Za-z][A-Za-z0-9]{1,4}(?!\w)")
_TOKEN = re.compile(r"[^\W_]+(?:['’.\-/][^\W_]+)*")
_GAP = re.compile(r"[ \t]*\n?[ \t]*[,:–—&-]?[ \t]*\n?[ \t]*")
"""What may stand between words of one title."""


def pairs_of(text: str, entities: Sequence[ExtractedEntity]) -> tuple[EntityPair, ...]:
    """The pairs of named entities that stand in one sentence, the strongest first."""
    places = sorted(
        (start, end, at)
        for at, each in enumerate(entities)
        if each.kind in NAMED_KINDS
        for start, end in each.spans
    )
    starts = [start for start, _, _ in places]
    weights: dict[tuple[int, int], float] = defaultdict(float)
    shown: dict[tuple[int, int], list[tuple[int, int, int]]] = defaultdict(list)
    for start, end in sentence_spans(text):
        if end - start > _LONGEST_SENTENCE:
            continue
        inside = places[bisect_left(starts, start) : bisect_left(starts, end)]
        together = sorted({at for _, until, at in inside if until <= end})
        if not 2 <= len(together) <= MOST_TOGETHER:
            continue
        for pair in combinations(together, 2):
            weights[pair] += 1 / (len(together) - 1)
            shown[pair].append((len(together), start, end))
    strongest = sorted(weights, key=lambda pair: (-weights[pair], pair))[:MOST_PAIRS]
    return tuple(
        EntityPair(
            first=pair[0],
            second=pair[1],
            weight=weights[pair],
            spans=tuple((start, end) for _, start, end in sorted(shown[pair])[:PLACES_KEPT]),
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
    """By what a document is found to cite, answer, or resemble others, and they it; each once."""
    match = re.search(r"\S[^\n]*", text)
    head = None if match is None else (match.start(), match.start() + len(match[0].rstrip()))
    if head is None:
        return ()
    found = [DocumentKey(role=KeyRole.IS, text=each, span=head) for each in _names(title, filename)]
    own = {each.text for each in found}
    for role, name in ((KeyRole.IS, "message_id"), (KeyRole.REPLIES_TO, "in_reply_to")):
        if ids := re.findall(r"<[^<>\s]+>", str(metadata.get(name, ""))):
            found.append(DocumentKey(role=role, text=f"mail\n{ids[0]}", span=head))
    titled = head[1] if words_of(text[slice(*head)]) == words_of(title) else 0
    cited: dict[str, tuple[int, int]] = {}
    for key, span in _cited(text, entities):
        # A document does not cite itself, nor what its own title begins or ends with.
        if key not in own and key not in cited and span[0] >= titled:
            cited[key] = span
            if len(cited) == MOST_CITATIONS:
                break
    found += [DocumentKey(role=KeyRole.NAMES, text=key, span=at) for key, at in cited.items()]
    return (*found, *_sentences(text))


def resemblance(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    """The share of sentences that two documents have in common, 0…1, told by their sketches.

    A sketch is the `SKETCH_SENTENCES` least keys of a document's sentences. The Jaccard similarity
    as Broder (1997) estimates it from them; exact where no document has more sentences.
    """
    least = sorted(one | other)[:SKETCH_SENTENCES]
    return sum(each in one and each in other for each in least) / len(least) if least else 0.0


def title_words(title: str) -> tuple[str, ...]:
    """The words of a title without numbers, which differ between versions of one document."""
    return tuple(
        each
        for each in words_of(title)
        if not any(map(str.isdigit, each)) and each not in ("v", "version", "draft", "final")
    )


def _names(title: str, filename: str) -> Iterator[str]:
    words = words_of(title)
    if _tells(words):
        yield f"marked\n{' '.join(words)}"
    if len(words) in _TITLE_WORDS:
        yield f"title\n{' '.join(words)}"
    if filename.strip():
        yield f"file\n{filename.strip().casefold()}"


def _cited(text: str, entities: Sequence[ExtractedEntity]) -> Iterator[tuple[str, tuple[int, int]]]:
    """What may be the name of a document, the surest first, with its place."""
    for match in _FILE.finditer(text):
        # A name may have spaces, and what stands before it may be no part of it.
        for word in list(re.finditer(r"\S+", match[0]))[-_WORDS_OF_FILES:]:
            start = match.start() + word.start()
            yield f"file\n{text[start : match.end()].casefold()}", (start, match.end())
    for match in _QUOTED.finditer(text):
        words = words_of(match[1])
        if _tells(words):
            yield f"marked\n{' '.join(words)}", match.span(1)
    for each in entities:
        if each.kind is EntityKind.OTHER:
            for form, span in zip(each.forms, each.spans, strict=False):
                words = words_of(form)
                if _tells(words) and words_of(text[slice(*span)]) == words:
                    yield f"marked\n{' '.join(words)}", span
    for start, end in _capitalised(text):
        yield f"title\n{' '.join(words_of(text[start:end]))}", (start, end)


def _capitalised(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of three words and more that begin and end with a capital letter or a figure."""
    for start, end in sentence_spans(text):
        if end - start > _LONGEST_SENTENCE:
            continue
        tokens = list(_TOKEN.finditer(text, start, end))
        heavy = [not token[0][0].islower() for token in tokens]
        for first, begins in enumerate(heavy):
            if not begins or tokens[first][0][0].isdigit():
                continue
            light = 0
            for last in range(first + 1, min(first + _TITLE_WORDS.stop - 1, len(tokens))):
                between = text[tokens[last - 1].end() : tokens[last].start()]
                if _GAP.fullmatch(between) is None:
                    break
                light = 0 if heavy[last] else light + 1
                if light > 2:
                    break
                if heavy[last] and last - first + 1 in _TITLE_WORDS:
                    yield tokens[first].start(), tokens[last].end()


def _sentences(text: str) -> Iterator[DocumentKey]:
    for start, end in sentence_spans(text):
        words = words_of(text[start:end])
        said = " ".join(words)
        if len(words) >= _LEAST_SENTENCE_WORDS or _ideographs(said) >= _LEAST_OF_SENTENCE:
            yield DocumentKey(role=KeyRole.SAYS, text=f"says\n{said}", span=(start, end))


def _tells(words: Sequence[str]) -> bool:
    """Whether the words may be the name of one document alone, where they are set apart."""
    return len(words) in _MARKED_WORDS or _ideographs("".join(words)) >= _LEAST_IDEOGRAPHS


def _ideographs(text: str) -> int:
    return sum("\u3040" <= each <= "\u9fff" or "\uac00" <= each <= "\ud7a3" for each in text)
