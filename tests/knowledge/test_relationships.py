"""What one document tells of relationships, and how much two documents have in common."""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from itertools import combinations
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain.entities import EntityKind, ExtractedEntity
from footnote.domain.relationships import (
    SKETCH_SENTENCES,
    Graph,
    GraphEdge,
    GraphEvidence,
    GraphNode,
    KeyRole,
    NodeKind,
    RelationshipKind,
)
from footnote.knowledge.graph_formats import GraphFormat, serialised
from footnote.knowledge.relationships import (
    MAX_ENTITIES_PER_SENTENCE,
    document_keys,
    pairs_of,
    resemblance,
    title_words,
)

NAMES = ("Ada", "Bo", "Cy", "Dee")
TEXT = "Ada met Bo. Ada and Bo and Cy talked. Cy left.\n\nDee was alone."


def entities_in(text: str, names: tuple[str, ...] = NAMES) -> list[ExtractedEntity]:
    return [
        ExtractedEntity(
            kind=EntityKind.PERSON,
            name=name,
            forms=(name,),
            normals=(name.lower(),),
            spans=tuple(found.span() for found in re.finditer(rf"\b{name}\b", text)),
            confidence=1.0,
        )
        for name in names
    ]


def keys_of(text: str, title: str = "", filename: str = "", **metadata: object) -> dict[str, str]:
    """By the text of each key that is no sentence, the words where it shows."""
    found = document_keys(text, title=title, filename=filename, metadata=metadata, entities=())
    return {
        f"{each.role.name} {each.text}": text[slice(*each.span)]
        for each in found
        if each.role is not KeyRole.SAYS
    }


def test_names_of_a_sentence_are_pairs_that_weigh_less_the_more_there_are() -> None:
    pairs = {(each.first, each.second): each for each in pairs_of(TEXT, entities_in(TEXT))}
    assert {pair: each.weight for pair, each in pairs.items()} == {
        (0, 1): 1.5,
        (0, 2): 0.5,
        (1, 2): 0.5,
    }
    shown = [TEXT[slice(*span)] for span in pairs[0, 1].spans]
    assert shown == ["Ada met Bo.", "Ada and Bo and Cy talked."]


def test_a_list_of_many_names_pairs_none_of_them() -> None:
    names = tuple(f"Name{number}" for number in range(MAX_ENTITIES_PER_SENTENCE + 1))
    text = ", ".join(names)
    assert pairs_of(text, entities_in(text, names)) == ()


@given(st.lists(st.lists(st.sampled_from(NAMES), max_size=5), max_size=8))
def test_each_pair_stands_in_the_sentences_that_are_shown(sentences: list[list[str]]) -> None:
    text = "\n\n".join(f"Then {' saw '.join(each)}." for each in sentences)
    entities = entities_in(text)
    together = {
        pair for each in sentences for pair in combinations(sorted(map(NAMES.index, set(each))), 2)
    }
    pairs = pairs_of(text, entities)
    assert {(each.first, each.second) for each in pairs} == together
    for each in pairs:
        assert each.weight > 0
        for start, end in each.spans:
            assert all(
                NAMES[at] in text[start:end].split(".")[0].split()
                for at in (each.first, each.second)
            )


CITING = [
    ("As the Harbour Safety Handbook says, stop.", "Harbour Safety Handbook"),
    ("See the Handbook of Safe Mooring 2024 for more.", "Handbook of Safe Mooring 2024"),
    ("See “storm review” for more.", "Storm Review"),
    ("Siehe „Mietvertrag über Lagerräume“.", "Mietvertrag über Lagerräume"),
    ("参见《仓库租赁合同》。", "仓库租赁合同"),
]


@pytest.mark.parametrize(("text", "title"), CITING)
def test_a_title_is_found_where_a_text_gives_it(text: str, title: str) -> None:
    called = {each.partition(" ")[2] for each in keys_of("Body.", title=title)}
    cited = {
        each.partition(" ")[2]: words
        for each, words in keys_of(text).items()
        if each.startswith("NAMES")
    }
    common = called & cited.keys()
    assert common
    for each in common:
        assert cited[each].casefold() == title.casefold()


def test_a_file_name_is_found_with_its_spaces_and_without_what_stands_before_it() -> None:
    [own] = keys_of("Body.", filename="price list 2024.xlsx")
    cited = keys_of("Prices are in price list 2024.xlsx of May.")
    assert cited[own.replace("IS", "NAMES")] == "price list 2024.xlsx"


def test_a_document_does_not_cite_itself() -> None:
    keys = keys_of("Harbour Safety Handbook\n\nThis is it.", title="Harbour Safety Handbook")
    assert not any(each.startswith("NAMES") for each in keys)


def test_mails_are_known_by_their_ids() -> None:
    keys = keys_of("From: Ada\n\nYes.", message_id="<2@x>", in_reply_to="<1@x>")
    assert keys == {"IS mail\n<2@x>": "From: Ada", "REPLIES_TO mail\n<1@x>": "From: Ada"}


@given(st.text(max_size=300), st.text(max_size=40))
def test_every_key_shows_in_the_text(text: str, title: str) -> None:
    for each in document_keys(text, title=title, filename="a.md", metadata={}, entities=()):
        start, end = each.span
        assert 0 <= start < end <= len(text)
        assert text[start:end].strip()


@given(st.sets(st.integers(0, 300), max_size=250), st.sets(st.integers(0, 300), max_size=250))
def test_sketches_tell_what_is_common(one: set[int], other: set[int]) -> None:
    sketches = [
        frozenset(
            sorted(blake2b(bytes([at // 256, at % 256]), digest_size=16).digest() for at in each)[
                :SKETCH_SENTENCES
            ]
        )
        for each in (one, other)
    ]
    told = resemblance(*sketches)
    true = len(one & other) / len(one | other) if one | other else 0.0
    if max(len(one), len(other)) <= SKETCH_SENTENCES and len(one | other) <= SKETCH_SENTENCES:
        assert told == pytest.approx(true)
    # Of 64 drawn ones: four standard deviations.
    assert abs(told - true) <= 4 * 0.5 / 8
    assert resemblance(sketches[0], sketches[0]) == (1.0 if one else 0.0)


def test_titles_of_versions_are_equal_without_their_numbers() -> None:
    assert title_words("Price list v2, draft 3 (2024)") == title_words("Price List 2025")


def test_a_graph_is_written_for_other_programs_with_its_evidence() -> None:
    entity, document = UUID(int=1), UUID(int=2)
    evidence = GraphEvidence(
        document_id=document, document_title="Notice", version=3, char_start=4, char_end=9,
        quote="<Ada> & \x00co",
    )  # fmt: skip
    graph = Graph(
        nodes=(
            GraphNode(
                node_id=entity, kind=NodeKind.ENTITY, name="Ada \x0b& co",
                entity_kind=EntityKind.PERSON, documents=2,
            ),
            GraphNode(node_id=document, kind=NodeKind.DOCUMENT, name="Notice"),
        ),
        edges=(
            GraphEdge(
                source_id=document, target_id=entity, kind=RelationshipKind.NAMES, weight=2.0,
                documents=1, evidence=(evidence,),
            ),
        ),
        complete=True,
    )  # fmt: skip
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.fromstring(serialised(graph, GraphFormat.GRAPHML))
    assert [each.get("id") for each in root.iter(f"{space}node")] == [str(entity), str(document)]
    [edge] = root.iter(f"{space}edge")
    assert (edge.get("source"), edge.get("target")) == (str(document), str(entity))
    said = {each.get("key"): each.text or "" for each in edge}
    assert said["edge_relationship"] == "names"
    assert json.loads(said["edge_evidence"])[0]["quote"] == evidence.quote
    declared = {each.get("id") for each in root.iter(f"{space}key")}
    assert {each.get("key") for each in root.iter(f"{space}data")} <= declared

    linked = json.loads(serialised(graph, GraphFormat.JSON_LD))
    first, second, relation = linked["@graph"]
    assert relation["source"] == second["@id"] == f"urn:uuid:{document}"
    assert relation["target"] == first["@id"]
    assert relation["evidence"][0]["char_start"] == 4
