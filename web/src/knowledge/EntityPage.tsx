// One entity: its names with the reasons, every mention in place, what is said of it.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { WHOLE_WORKSPACE, useMay } from "../api/may";
import type { EntityMention } from "../api/types";
import type { Place } from "../app/address";
import { useOpenPlace } from "../app/place";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Unloaded } from "../ui/Unloaded";
import { EntityName } from "./Entities";
import { Merge, NamedIn, Rename } from "./EntityChanges";
import { Decisions } from "./EntityDecisions";
import { Facts } from "./Facts";
import { Related } from "./Related";
import { entityQuery, mentionsQuery } from "./queries";

export function EntityPage() {
  const { t } = useTranslation();
  const { entityId } = useParams({ from: "/entities/$entityId" });
  const mayAdminister = useMay("administer", WHOLE_WORKSPACE) === true;
  const found = useQuery(entityQuery(entityId));
  if (found.isError || !found.data) {
    return (
      <Unloaded found={found} missing={t("missing.entity")}>
        <Link to="/entities" search={{}}>
          {t("knowledge.allEntities")}
        </Link>
      </Unloaded>
    );
  }
  const entity = found.data;
  return (
    <div key={entityId} className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      <div>
        <h1 className="text-xl font-bold">
          <bdi>{entity.name}</bdi>
        </h1>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{t(`entityKind.${entity.kind}`)}</span>
          <span>{t("documents.shown", { count: entity.documents })}</span>
          <span>{t("knowledge.mentioned", { count: entity.mentions })}</span>
          <Link to="/entities" search={{}} className="inline-block min-h-6 text-accent underline">
            {t("knowledge.allEntities")}
          </Link>
        </p>
      </div>
      {entity.identifiers.length > 0 && (
        <section aria-labelledby="identifiers">
          <h2 id="identifiers" className="font-semibold">
            {t("knowledge.identifiers")}
          </h2>
          <ul className="text-sm">
            {entity.identifiers.map((each) => (
              <li key={each.entity_id}>
                <EntityName entity={each} />{" "}
                <span className="text-muted">{t(`entityKind.${each.kind}`)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <NamedIn entity={entity} mayAdminister={mayAdminister} />
      <Mentions id={entityId} />
      <Related of={{ entity_id: entityId }} name={entity.name} />
      <Facts of={{ entity_id: entityId }} />
      {mayAdminister && (
        <>
          <Rename entity={entity} />
          <Merge entity={entity} />
          <Decisions id={entityId} />
        </>
      )}
    </div>
  );
}

function Mentions({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const openPlace = useOpenPlace();
  const found = useInfiniteQuery(mentionsQuery(id));
  const mentions = found.data?.pages.flatMap((page) => page.mentions) ?? [];
  return (
    <section aria-labelledby="mentions" className="flex flex-col gap-1">
      <h2 id="mentions" className="font-semibold">
        {t("knowledge.mentions")}
      </h2>
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      <ul aria-label={t("knowledge.mentions")} className="flex flex-col gap-1 text-sm">
        {mentions.map((each) => (
          <li key={`${each.document_id} ${each.char_start}`}>
            <button
              type="button"
              className="w-full rounded text-start break-words hover:bg-hover"
              onClick={() => openPlace(placeOfMention(each), mentions.map(placeOfMention))}
            >
              <span dir="auto" className="block">
                {each.before}
                <mark className="bg-mark font-semibold text-ink">{each.quote}</mark>
                {each.after}
              </span>
              <span className="block text-xs text-muted">
                <bdi>{each.document_title}</bdi>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.hasNextPage && (
        <Button disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </section>
  );
}

function placeOfMention(mention: EntityMention): Place {
  return {
    document: mention.document_id,
    start: mention.char_start,
    end: mention.char_end,
    ...(mention.chunk_id !== null && { chunk: mention.chunk_id }),
  };
}
