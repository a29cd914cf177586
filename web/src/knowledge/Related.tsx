// What an entity or a document is related to: a picture, and the same as a list with its evidence.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { GraphNode } from "../api/types";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { RelatedPicture } from "./RelatedPicture";
import { NodeLink, Quote } from "./parts";
import { type RelatedTo, entityProgressQuery, graphQuery } from "./queries";
import { type Relation, type RelationGroup, groupsAround } from "./related";

/** Of each kind, and how many more come on demand. */
const SHOWN = 5;
const MORE = 20;
const FIRST_LIMIT = 50;
/** As many as the server takes. */
const MOST = 500;

interface RelatedProps {
  readonly of: RelatedTo;
  readonly name: string;
}

export function Related({ of, name }: RelatedProps) {
  const { t } = useTranslation();
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const progress = useQuery(entityProgressQuery);
  // Relationships are found together with entities.
  const found = useQuery({
    ...graphQuery(of, limit),
    enabled: progress.data?.enabled === true,
    placeholderData: (before) => before,
  });
  if (progress.data?.enabled !== true) return null;
  const middle = of.entity_id ?? of.document_id ?? "";
  const groups = found.data === undefined ? [] : groupsAround(found.data, middle);
  const self = found.data?.nodes.find((each) => each.node_id === middle);
  const shown: GraphNode = self ?? {
    node_id: middle,
    kind: of.entity_id === undefined ? "document" : "entity",
    name,
    entity_kind: null,
    documents: 1,
  };
  return (
    <section aria-labelledby="related" className="flex flex-col gap-2">
      <h2 id="related" className="font-semibold">
        {t("related.title")}
      </h2>
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <p className="text-sm text-muted">{t("common.loading")}</p>}
      {found.data && groups.length === 0 && (
        <p className="text-sm text-muted">{t("related.none")}</p>
      )}
      {found.data && groups.length > 0 && (
        <>
          <RelatedPicture graph={found.data} middle={shown} groups={groups} />
          {groups.map((group) => (
            <Group key={`${group.kind} ${group.back ?? ""}`} group={group} />
          ))}
          {!found.data.complete && limit < MOST && (
            <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
              {t("related.incomplete")}
              <Button disabled={found.isFetching} onClick={() => setLimit(MOST)}>
                {t("related.all")}
              </Button>
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Group({ group }: { readonly group: RelationGroup }) {
  const { t } = useTranslation();
  const [most, setMost] = useState(SHOWN);
  const { kind, back, relations } = group;
  const heading = back === null ? t(`relation.${kind}`) : t(`relationBack.${back}`);
  const sources = relations.flatMap(({ edge }) => edge.evidence.map(pageless));
  const left = relations.length - most;
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-sm font-medium">
        {heading} <span className="font-normal text-muted">({relations.length.toString()})</span>
      </h3>
      <ul aria-label={heading} className="flex flex-col gap-2 text-sm">
        {relations.slice(0, most).map((relation) => (
          <li
            key={`${relation.other.node_id} ${relation.edge.label}`}
            className="rounded-md border border-line p-2"
          >
            <RelationView relation={relation} sources={sources} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button className="self-start" onClick={() => setMost(most + MORE)}>
          {t("related.moreOfKind", { count: left })}
        </Button>
      )}
    </div>
  );
}

type Source = React.ComponentProps<typeof Quote>["source"];

/** The words of an edge; the page is found from their offsets. */
function pageless(evidence: Relation["edge"]["evidence"][number]): Source {
  return { ...evidence, chunk_id: evidence.chunk_id ?? null, page: null };
}

interface RelationViewProps {
  readonly relation: Relation;
  readonly sources: readonly Source[];
}

function RelationView({ relation, sources }: RelationViewProps) {
  const { t } = useTranslation();
  const { edge, other } = relation;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-3">
        <NodeLink node={other} />
        {edge.label !== "" && <bdi className="text-muted">{edge.label}</bdi>}
        {other.entity_kind != null && (
          <span className="text-xs text-muted">{t(`entityKind.${other.entity_kind}`)}</span>
        )}
      </p>
      <ul>
        {edge.evidence.map(pageless).map((source) => (
          <li key={`${source.document_id} ${source.char_start}`}>
            <Quote source={source} sources={sources} />
          </li>
        ))}
      </ul>
    </>
  );
}
