// What documents say in several ways: each value with its quote, to be confirmed or rejected.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { useMay } from "../api/may";
import type { FactConflict } from "../api/types";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { FactView } from "./Facts";
import { Extracted, Period } from "./parts";
import { conflictsQuery, factProgressQuery } from "./queries";

export function Conflicts() {
  const { t } = useTranslation();
  const progress = useQuery(factProgressQuery);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
      <h1 className="text-xl font-bold">{t("conflicts.title")}</h1>
      <p className="max-w-prose text-sm text-muted">{t("conflicts.about")}</p>
      <Extracted what="facts" progress={progress}>
        <ConflictList />
      </Extracted>
    </div>
  );
}

function ConflictList() {
  const { t } = useTranslation();
  const mayWrite = useMay("write") === true;
  const found = useInfiniteQuery(conflictsQuery);
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (!found.data) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  const conflicts = found.data.pages.flatMap((page) => page.conflicts);
  if (conflicts.length === 0) {
    return (
      <p data-none className="text-sm text-muted">
        {t("conflicts.none")}
      </p>
    );
  }
  return (
    <>
      {conflicts.map((conflict) => (
        <OneConflict key={conflict.facts[0]?.fact_id} conflict={conflict} mayWrite={mayWrite} />
      ))}
      {found.hasNextPage && (
        <Button disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </>
  );
}

interface OneConflictProps {
  readonly conflict: FactConflict;
  readonly mayWrite: boolean;
}

function OneConflict({ conflict, mayWrite }: OneConflictProps) {
  const about = [conflict.subject, conflict.predicate].filter(Boolean).join(" – ");
  return (
    <section aria-label={about} className="flex flex-col gap-2">
      <h2 className="font-semibold">
        <bdi>{about}</bdi>{" "}
        <span className="text-sm font-normal text-muted">
          <Period from={conflict.valid_from} to={conflict.valid_to} />
        </span>
      </h2>
      <ul className="grid gap-2 @xl:grid-cols-2">
        {conflict.facts.map((fact) => (
          <li key={fact.fact_id} className="rounded-md border border-line p-2">
            <FactView fact={fact} mayWrite={mayWrite} />
          </li>
        ))}
      </ul>
    </section>
  );
}
