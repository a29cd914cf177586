// A small drawing of what stands around an entity or a document; a list beside it says the same.
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { useTranslation } from "react-i18next";

import type { Graph, GraphNode } from "../api/types";
import { useSize } from "../ui/useSize";
import { type RelationGroup, type Spot, layoutOf, mostRelated } from "./related";

const MOST = 12;
const NODE_PIXELS = 6;
const TARGET_PIXELS = 28;

interface RelatedPictureProps {
  readonly graph: Graph;
  readonly middle: GraphNode;
  readonly groups: readonly RelationGroup[];
}

export function RelatedPicture({ graph, middle, groups }: RelatedPictureProps) {
  const { t } = useTranslation();
  const room = useRef<HTMLDivElement>(null);
  const { width } = useSize(room);
  const others = mostRelated(groups, MOST);
  const related = new Set(groups.flatMap(({ relations }) => relations.map((r) => r.other.node_id)));
  const left = related.size - others.length;
  const layout = layoutOf(others.length, width);
  const spots = new Map(others.map((each, index) => [each.node_id, layout.spots[index]]));
  const lines = graph.edges.flatMap((edge) => {
    const [from, to] = [spots.get(edge.source_id), spots.get(edge.target_id)];
    return from === undefined || to === undefined ? [] : [{ edge, from, to }];
  });
  const label = t("related.picture", { name: middle.name });
  return (
    <div ref={room} className="w-full">
      {width > 0 && (
        // Names stand where the drawing puts them, whichever way the app reads.
        <svg
          role="group"
          aria-label={label}
          direction="ltr"
          width={width}
          height={layout.height}
          className="rounded-md border border-line bg-raised text-ink"
        >
          <g fill="none" stroke="var(--muted)" aria-hidden>
            {others.map(({ node_id: id }) => (
              <path key={id} d={curve(layout.middle, spots.get(id) ?? layout.middle)} />
            ))}
            {lines.map(({ edge, from, to }) => (
              <path
                key={`${edge.source_id} ${edge.target_id} ${edge.kind} ${edge.label}`}
                d={curve(from, to)}
                strokeDasharray="3 4"
              />
            ))}
          </g>
          <Mark node={middle} spot={layout.middle} fill="var(--accent)" radius={NODE_PIXELS + 3} />
          {others.map((node) => {
            const spot = spots.get(node.node_id);
            if (spot === undefined) return null;
            return (
              <NodeAnchor key={node.node_id} node={node}>
                <rect
                  fill="transparent"
                  x={spot.side === "left" ? 0 : spot.x - TARGET_PIXELS / 2}
                  y={spot.y - TARGET_PIXELS / 2}
                  width={spot.side === "left" ? spot.x + TARGET_PIXELS / 2 : width - spot.x}
                  height={TARGET_PIXELS}
                />
                <Mark node={node} spot={spot} fill="currentColor" radius={NODE_PIXELS} />
                <text
                  x={spot.x + (spot.side === "left" ? -2 : 2) * NODE_PIXELS}
                  y={spot.y}
                  dominantBaseline="central"
                  textAnchor={spot.side === "left" ? "end" : "start"}
                  fill="currentColor"
                  fontSize={13}
                  unicodeBidi="plaintext"
                >
                  <title>{node.name}</title>
                  {shortened(node.name, layout.characters)}
                </text>
              </NodeAnchor>
            );
          })}
        </svg>
      )}
      {left > 0 && <p className="text-xs text-muted">{t("related.more", { count: left })}</p>}
    </div>
  );
}

/** Curves towards the middle of the drawing, so that lines of one side do not lie on each other. */
function curve(from: Spot, to: Spot): string {
  const bend = from.x === to.x ? (from.side === "left" ? 1 : -1) * 40 : 0;
  const [x, y] = [(from.x + to.x) / 2 + bend, (from.y + to.y) / 2];
  return `M ${from.x} ${from.y} Q ${x} ${y} ${to.x} ${to.y}`;
}

function shortened(name: string, characters: number): string {
  const all = Array.from(name);
  return all.length <= characters ? name : `${all.slice(0, characters - 1).join("")}…`;
}

interface MarkProps {
  readonly node: GraphNode;
  readonly spot: Spot;
  readonly fill: string;
  readonly radius: number;
}

/** A square for a document, a circle for an entity. */
function Mark({ node, spot, fill, radius }: MarkProps) {
  if (node.kind === "entity") return <circle cx={spot.x} cy={spot.y} r={radius} fill={fill} />;
  const side = 2 * radius - 1;
  return (
    <rect x={spot.x - side / 2} y={spot.y - side / 2} width={side} height={side} fill={fill} />
  );
}

interface NodeAnchorProps {
  readonly node: GraphNode;
  readonly children: React.ReactNode;
}

function NodeAnchor({ node, children }: NodeAnchorProps) {
  const given = { className: "hover:text-accent", children };
  return node.kind === "entity" ? (
    <Link
      to="/entities/$entityId"
      params={{ entityId: node.node_id }}
      search={{}}
      preload={false}
      {...given}
    />
  ) : (
    <Link
      to="/documents/$documentId"
      params={{ documentId: node.node_id }}
      search={{}}
      preload={false}
      {...given}
    />
  );
}
