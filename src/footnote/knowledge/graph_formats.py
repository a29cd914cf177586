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


def written(graph: Graph, format_: GraphFormat) -> str:
    """Serialise the graph in this format."""
    return as_graphml(graph) if format_ is GraphFormat.GRAPHML else as_json_ld(graph)


def as_graphml(graph: Graph) -> str:
    """Serialise the graph as GraphML 1.0; an edge's evidence is a JSON list in an attribute.

    Characters that XML does not allow are left out.
    """
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for whose, attributes in _ATTRIBUTES.items():
        for name, kind in attributes:
            key = {"id": f"{whose}_{name}", "for": whose, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, "key", key)
    drawn = ET.SubElement(root, "graph", id="graph", edgedefault="directed")
    for node in graph.nodes:
        made = ET.SubElement(drawn, "node", id=str(node.node_id))
        _say(made, "node", _of_node(node))
    for number, edge in enumerate(graph.edges):
        made = ET.SubElement(
            drawn, "edge", id=f"e{number}", source=str(edge.source_id), target=str(edge.target_id)
        )
        _say(
            made,
            "edge",
            _of_edge(edge) | {"evidence": json.dumps(_places(edge), ensure_ascii=False)},
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
                {"@type": "Evidence", **each, "document": f"urn:uuid:{each['document']}"}
                for each in _places(edge)
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


def _places(edge: GraphEdge) -> list[dict[str, str | int]]:
    return [
        {
            "document": str(each.document_id),
            "title": each.document_title,
            "version": each.version,
            "char_start": each.char_start,
            "char_end": each.char_end,
            "quote": each.quote,
        }
        for each in edge.evidence
    ]


def _say(element: ET.Element, whose: str, values: Mapping[str, str | int | float]) -> None:
    for name, value in values.items():
        said = ET.SubElement(element, "data", key=f"{whose}_{name}")
        said.text = str(value).translate(_FORBIDDEN)
