// What documents name: found by words and kind, those that most documents name first.
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import type { EntityKind, EntitySummary } from "../api/types";
import { type Address, changedAddress } from "../app/address";
import { Table } from "../admin/Table";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Extracted } from "./parts";
import { entitiesQuery, entityProgressQuery, type WantedEntities } from "./queries";

export const KINDS: readonly EntityKind[] = [
  ...(["person", "organisation", "place", "other", "date", "amount"] as const),
  ...(["email", "phone", "iban", "vat", "address", "identifier"] as const),
];
const TYPING_MILLISECONDS = 200;
const FIELD = "min-h-8 min-w-0 rounded-md border border-line bg-surface px-2 py-1 text-sm";

export function Entities() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useSearch({ from: "__root__" });
  const { query = "" } = address;
  const [typed, setTyped] = useState(query);
  const [asked, setAsked] = useState(query);
  const [seen, setSeen] = useState(query);
  if (seen !== query) {
    setSeen(query);
    if (asked !== query) {
      // The address was changed by something else than typing, such as “back”.
      setAsked(query);
      setTyped(query);
    }
  }
  const progress = useQuery(entityProgressQuery);
  const chosen = KINDS.filter((each) => address.filters?.includes(`kind:${each}`));
  const change = (changes: Partial<{ [Name in keyof Address]: Address[Name] | undefined }>) => {
    void navigate({ to: ".", search: (before) => changedAddress(before, changes), replace: true });
  };
  useEffect(() => {
    if (typed.trim() === query) return undefined;
    const timer = setTimeout(() => {
      setAsked(typed.trim());
      void navigate({
        to: ".",
        search: (before) => changedAddress(before, { query: typed.trim() || undefined }),
        replace: true,
      });
    }, TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed, query, navigate]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
      <h1 className="text-xl font-bold">{t("knowledge.entities")}</h1>
      <Extracted what="entities" progress={progress}>
        <search className="flex flex-wrap items-end gap-3">
          <label className="flex flex-col gap-1 text-sm font-medium">
            {t("knowledge.findEntity")}
            <input
              id="filter"
              type="search"
              dir="auto"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              className={FIELD}
            />
          </label>
          <label className="flex flex-col gap-1 text-sm font-medium">
            {t("knowledge.kind")}
            <select
              value={chosen[0] ?? ""}
              onChange={(event) => {
                const { value } = event.target;
                change({ filters: value === "" ? undefined : [`kind:${value}`] });
              }}
              className={FIELD}
            >
              <option value="">{t("knowledge.anyKind")}</option>
              {KINDS.map((each) => (
                <option key={each} value={each}>
                  {t(`entityKind.${each}`)}
                </option>
              ))}
            </select>
          </label>
        </search>
        <EntityTable wanted={{ query, kind: chosen }} />
      </Extracted>
    </div>
  );
}

/** Some of the entities, with a way to have more. */
export function EntityTable({ wanted }: { readonly wanted: WantedEntities }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const found = useInfiniteQuery({
    ...entitiesQuery(wanted),
    // What is listed stays while something else is typed, but not beside another document.
    ...(wanted.document_id === undefined && { placeholderData: keepPreviousData }),
  });
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (!found.data) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  return (
    <>
      <Table
        caption={t("knowledge.entities")}
        rows={found.data.pages.flatMap((page) => page.entities)}
        keyOf={(each) => each.entity_id}
        empty={t("knowledge.noEntities")}
        columns={[
          { head: t("admin.name"), cell: (each) => <EntityName entity={each} /> },
          { head: t("knowledge.kind"), cell: (each) => t(`entityKind.${each.kind}`) },
          {
            head: t("documents.title"),
            numeric: true,
            cell: (each) => number.format(each.documents),
          },
          {
            head: t("knowledge.mentions"),
            numeric: true,
            cell: (each) => number.format(each.mentions),
          },
        ]}
      />
      {found.hasNextPage && (
        <Button disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </>
  );
}

export function EntityName({ entity }: { readonly entity: EntitySummary }) {
  return (
    <Link
      to="/entities/$entityId"
      params={{ entityId: entity.entity_id }}
      search={{}}
      className="inline-block min-h-6 text-accent underline"
    >
      <bdi>{entity.name}</bdi>
    </Link>
  );
}
