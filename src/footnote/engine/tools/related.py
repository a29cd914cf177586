"""The tool that finds what is related to an entity or a document, with the words that show it."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from pydantic import Field

from footnote.domain.audit import Act
from footnote.domain.relationships import GraphEdge, RelationshipKind
from footnote.engine.entities import entity_called
from footnote.engine.graph import graph
from footnote.engine.tools.definition import Arguments, ToolContext, tool
from footnote.engine.tools.facts import FactLocation
from footnote.engine.tools.rendering import line
from footnote.engine.tools.results import Result, filled, tool_text
from footnote.errors import InvalidRequest
from footnote.ports import ReadableDocument
from footnote.validation.constrained_types import StorableText

_PHRASES = {
    RelationshipKind.STATED: "",
    RelationshipKind.CONTRADICTS: "contradicts",
    RelationshipKind.CITES: "cites",
    RelationshipKind.REPLIES_TO: "replies to",
    RelationshipKind.ATTACHED_TO: "is attached to",
    RelationshipKind.VERSION_OF: "is another version of",
    RelationshipKind.DUPLICATE_OF: "is a duplicate of",
    RelationshipKind.RESEMBLES: "resembles",
    RelationshipKind.NAMES: "names",
    RelationshipKind.NAMED_TOGETHER: "is named together with",
    RelationshipKind.SHARES_ENTITIES: "names the same as",
}
"""The words for an edge from its source to its target; the most telling kinds come first."""
_ORDER = {kind: position for position, kind in enumerate(_PHRASES)}
_MAX_ENTITIES = 30
"""Most entities around the central one."""
_MAX_QUOTES = 2


class FindRelated(Arguments):
    """Of what is wanted what is related to it: exactly one of the two."""

    entity: StorableText | None = Field(
        None,
        min_length=1,
        max_length=300,
        description="The name of a person, an organisation, a place or a product, or its id.",
    )
    document_id: UUID | None = Field(None, description="This document.")
    limit: int = Field(12, ge=1, le=50, description="How many relationships.")


class Relationship(Result):
    """How two things belong together."""

    source: str
    relationship: str = Field(description="From the source to the target.")
    target: str
    source_document_id: UUID | None = Field(None, description="Where the source is a document.")
    target_document_id: UUID | None = Field(None, description="Where the target is a document.")
    documents: int = Field(description="How many documents show it.")
    quotes: list[FactLocation] = Field(description="Words that show it.")


class Relationships(Result):
    """What is related, that which says most first."""

    relationships: list[Relationship]


@tool(
    """\
Find what a person, organisation, place, product or document has to do with others: what is stated \
of both, what is named together with it, and which documents cite, answer, repeat or contradict \
one another, each with the words that show it. Use it for questions about connections, such as \
who supplies whom or which documents belong to this contract; use search_documents for what a \
document says.""",
    returns=Relationships,
    act=Act.SEARCHED,
)
async def find_related(context: ToolContext, arguments: FindRelated) -> str:
    """Return each relationship on a line, with its quotes below."""
    workspace = context.workspace
    if (arguments.entity is None) == (arguments.document_id is None):
        raise InvalidRequest(
            "what is related is asked of one entity or one document",
            hint="name either `entity` or `document_id`",
        )
    entity_id = (
        None if arguments.entity is None else await entity_called(workspace, arguments.entity)
    )
    subgraph = await graph(
        workspace, entity_id=entity_id, document_id=arguments.document_id, limit=_MAX_ENTITIES
    )
    nodes = {node.node_id: node for node in subgraph.nodes}
    central_id = entity_id or arguments.document_id
    edges: list[GraphEdge] = []
    of_kind: Counter[RelationshipKind] = Counter()
    for edge in sorted(subgraph.edges, key=lambda edge: (_ORDER[edge.kind], -edge.weight)):
        # One kind, such as all that a document names, leaves room for the others.
        if (
            central_id in (edge.source_id, edge.target_id)
            and of_kind[edge.kind] <= arguments.limit // 2
        ):
            of_kind[edge.kind] += 1
            edges.append(edge)
    result = Relationships(
        relationships=[
            Relationship(
                source=nodes[edge.source_id].name,
                relationship=edge.label or _PHRASES[edge.kind],
                target=nodes[edge.target_id].name,
                source_document_id=_document(edge.source_id, nodes[edge.source_id].entity_kind),
                target_document_id=_document(edge.target_id, nodes[edge.target_id].entity_kind),
                documents=edge.documents,
                quotes=[filled(FactLocation, quote) for quote in edge.evidence[:_MAX_QUOTES]],
            )
            for edge in edges[: arguments.limit]
        ]
    )
    lines: list[str] = []
    for number, relation in enumerate(result.relationships, start=1):
        lines.append(
            f"{number}. {line(relation.source)} – {line(relation.relationship)} – "
            f"{line(relation.target)}"
        )
        lines += [
            f"   “{line(quote.quote)}” ({line(quote.document_title)}, "
            f"Document ID: {quote.document_id})"
            for quote in relation.quotes
        ]
    documents = [
        ReadableDocument(document_id=quote.document_id, filename="", title=quote.document_title)
        for relation in result.relationships
        for quote in relation.quotes
    ]
    text = "\n".join(lines) or "Nothing related was found; use search_documents."
    return tool_text(text, result, documents)


def _document(node_id: UUID, entity_kind: object) -> UUID | None:
    """Return the id of a node that is a document; None for an entity."""
    return node_id if entity_kind is None else None
