"""Serialise a graph for other programs, as GraphML or JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from xml.etree import ElementTree as ET

from footnote.domain.relationships import Graph, GraphEdge, GraphNode, NodeKind

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_ATTRIBUTES: Mapping[str, Sequence[tuple[str, str]]] = {
    "node": (
        ("kind", "string"),
        ("name", "string"),
        ("entity_kind", "string"),
        ("documents", "int"),
    ),
    "edge": (
        ("relationship", "string"),
        ("label", "string"),
        ("weight", "double"),
        ("documents", "int"),
        ("evidence", "string"),
    ),
}
_VOCABULARY = "urn:footnote:"
_CONTEXT = {
    "@vocab": _VOCABULARY,
    "schema": "https://schema.org/",
    "name": "schema:name",
    "source": {"@type": "@id"},
    "target": {"@type": "@id"},
    "document": {"@type": "@id"},
    "evidence": {"@container": "@list"},
}
_FORBIDDEN = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
)


class GraphFormat(StrEnum):
    """How a graph is written for other programs."""

    GRAPHML = "graphml"
    JSON_LD = "json-ld"


MEDIA_TYPES = {
    GraphFormat.GRAPHML: "application/graphml+xml",
    GraphFormat.JSON_LD: "application/ld+json",
}


def serialised(graph: Graph, format_: GraphFormat) -> str:
    """Serialise the graph in this format."""
    return as_graphml(graph) if format_ is GraphFormat.GRAPHML else as_json_ld(graph)


def as_graphml(graph: Graph) -> str:
    """Serialise the graph as GraphML 1.0; an edge's evidence is a JSON list in an attribute.

    Characters that XML does not allow are left out.
    """
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for owner, attributes in _ATTRIBUTES.items():
        for name, kind in attributes:
            key = {"id": f"{owner}_{name}", "for": owner, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, "key", key)
    graph_element = ET.SubElement(root, "graph", id="graph", edgedefault="directed")
    for node in graph.nodes:
        child = ET.SubElement(graph_element, "node", id=str(node.node_id))
        _add_values(child, "node", _of_node(node))
    for number, edge in enumerate(graph.edges):
        child = ET.SubElement(
            graph_element,
            "edge",
            id=f"e{number}",
            source=str(edge.source_id),
            target=str(edge.target_id),
        )
        _add_values(
            child,
            "edge",
            _of_edge(edge) | {"evidence": json.dumps(_evidence_of(edge), ensure_ascii=False)},
        )
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def as_json_ld(graph: Graph) -> str:
    """Serialise the graph as JSON-LD 1.1: nodes and edges by URN, each edge with its evidence."""
    nodes = [
        {
            "@id": f"urn:uuid:{node.node_id}",
            "@type": "Document" if node.kind is NodeKind.DOCUMENT else "Entity",
            **_of_node(node),
        }
        for node in graph.nodes
    ]
    edges = [
        {
            "@type": "Relationship",
            "source": f"urn:uuid:{edge.source_id}",
            "target": f"urn:uuid:{edge.target_id}",
            **_of_edge(edge),
            "evidence": [
                {"@type": "Evidence", **evidence, "document": f"urn:uuid:{evidence['document']}"}
                for evidence in _evidence_of(edge)
            ],
        }
        for edge in graph.edges
    ]
    return json.dumps(
        {"@context": _CONTEXT, "@graph": [*nodes, *edges]}, ensure_ascii=False, indent=2
    )


def _of_node(node: GraphNode) -> dict[str, str | int]:
    return {
        "kind": node.kind.value,
        "name": node.name,
        **({} if node.entity_kind is None else {"entity_kind": node.entity_kind.value}),
        "documents": node.documents,
    }


def _of_edge(edge: GraphEdge) -> dict[str, str | int | float]:
    return {
        "relationship": edge.kind.value,
        "label": edge.label,
        "weight": edge.weight,
        "documents": edge.documents,
    }


def _evidence_of(edge: GraphEdge) -> list[dict[str, str | int]]:
    return [
        {
            "document": str(evidence.document_id),
            "title": evidence.document_title,
            "version": evidence.version,
            "char_start": evidence.char_start,
            "char_end": evidence.char_end,
            "quote": evidence.quote,
        }
        for evidence in edge.evidence
    ]


def _add_values(parent: ET.Element, owner: str, values: Mapping[str, str | int | float]) -> None:
    for name, value in values.items():
        child = ET.SubElement(parent, "data", key=f"{owner}_{name}")
        child.text = str(value).translate(_FORBIDDEN)
