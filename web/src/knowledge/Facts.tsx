// Facts of a document or about an entity, each with the words that it was taken from.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { useMay } from "../api/may";
import type { Decision, Fact } from "../api/types";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { showUndoable } from "../ui/toasts";
import { decide, useRun } from "./acting";
import { Extracted, Period, Quote } from "./parts";
import { type FactsOf, factProgressQuery, factsQuery } from "./queries";

interface FactsProps {
  readonly of: FactsOf;
  /** Whose they are, where it is known: who may write there may decide. */
  readonly collection?: string;
}

export function Facts({ of, collection }: FactsProps) {
  const { t } = useTranslation();
  const [rejected, setRejected] = useState(false);
  const progress = useQuery(factProgressQuery);
  const mayWrite = useMay("write", collection) === true;
  return (
    <section aria-labelledby="facts" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="facts" className="font-semibold">
          {t("knowledge.facts")}
        </h2>
        {progress.data?.enabled === true && (
          <span className="flex flex-wrap items-center gap-3 text-sm">
            <label className="inline-flex items-center gap-1.5">
              <input
                type="checkbox"
                checked={rejected}
                onChange={(event) => setRejected(event.target.checked)}
                className="size-6"
              />
              {t("knowledge.showRejected")}
            </label>
            <Link
              to="/conflicts"
              search={{}}
              className="inline-block min-h-6 text-accent underline"
            >
              {t("conflicts.title")}
            </Link>
          </span>
        )}
      </div>
      <Extracted what="facts" progress={progress}>
        <FactList of={of} rejected={rejected} mayWrite={mayWrite} />
      </Extracted>
    </section>
  );
}

interface FactListProps {
  readonly of: FactsOf;
  readonly rejected: boolean;
  readonly mayWrite: boolean;
}

function FactList({ of, rejected, mayWrite }: FactListProps) {
  const { t } = useTranslation();
  const found = useInfiniteQuery(factsQuery(of, rejected));
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (!found.data) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  const facts = found.data.pages.flatMap((page) => page.facts);
  if (facts.length === 0) return <p className="text-sm text-muted">{t("knowledge.noFacts")}</p>;
  return (
    <>
      <ul aria-label={t("knowledge.facts")} className="flex flex-col gap-2">
        {facts.map((fact) => (
          <li key={fact.fact_id} className="rounded-md border border-line p-2">
            <FactView fact={fact} mayWrite={mayWrite} />
          </li>
        ))}
      </ul>
      {found.hasNextPage && (
        <Button disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </>
  );
}

interface FactViewProps {
  readonly fact: Fact;
  readonly mayWrite: boolean;
}

/** A fact with its value, period, status and quotes, and what may be decided of it. */
export function FactView({ fact, mayWrite }: FactViewProps) {
  const { t, i18n } = useTranslation();
  const run = useRun();
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" });
  const set = (status: Decision) => {
    const before = fact.status === "confirmed" ? "confirmed" : "proposed";
    run(async () => {
      await decide(fact.fact_id, status);
      if (status !== "rejected") return;
      showUndoable(t("knowledge.rejected", { statement: fact.statement }), () =>
        run(() => decide(fact.fact_id, before)),
      );
    });
  };
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p dir="auto" className="font-medium break-words">
        {fact.statement}
      </p>
      <p className="flex flex-wrap gap-x-3 text-xs text-muted">
        <span>{t(`factKind.${fact.kind}`)}</span>
        {fact.value !== null && <bdi>{`${fact.value} ${fact.unit}`.trim()}</bdi>}
        <Period from={fact.valid_from} to={fact.valid_to} />
        <span>{t(`factStatus.${fact.status}`)}</span>
        <span>{t("knowledge.sure", { percent: percent.format(fact.confidence) })}</span>
      </p>
      <ul>
        {fact.sources.map((source) => (
          <li key={`${source.document_id} ${source.char_start}`}>
            <Quote source={source} sources={fact.sources} />
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap items-center gap-2">
        {fact.subject_entity_id !== null && (
          <EntityLink id={fact.subject_entity_id} name={fact.subject} />
        )}
        {fact.object_entity_id !== null && (
          <EntityLink id={fact.object_entity_id} name={fact.object} />
        )}
        {mayWrite && fact.status !== "confirmed" && (
          <Button
            aria-label={`${t("knowledge.confirm")}: ${fact.statement}`}
            onClick={() => set("confirmed")}
          >
            <Check aria-hidden size={16} /> {t("knowledge.confirm")}
          </Button>
        )}
        {mayWrite && fact.status !== "rejected" && (
          <Button
            aria-label={`${t("knowledge.reject")}: ${fact.statement}`}
            onClick={() => set("rejected")}
          >
            <X aria-hidden size={16} /> {t("knowledge.reject")}
          </Button>
        )}
        {mayWrite && fact.status !== "proposed" && (
          <Button
            aria-label={`${t("knowledge.openAgain")}: ${fact.statement}`}
            onClick={() => set("proposed")}
          >
            <RotateCcw aria-hidden size={16} /> {t("knowledge.openAgain")}
          </Button>
        )}
      </p>
    </div>
  );
}

function EntityLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Link
      to="/entities/$entityId"
      params={{ entityId: id }}
      search={{}}
      className="inline-block min-h-6 text-accent underline"
    >
      <bdi>{name}</bdi>
    </Link>
  );
}
