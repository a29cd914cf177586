// What was decided of an entity, each of which can be undone.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { Moment } from "../admin/parts";
import { answered, api } from "../api/client";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { useRun } from "./acting";
import { decisionsQuery } from "./queries";

export function Decisions({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const run = useRun();
  const found = useQuery(decisionsQuery(id));
  if (found.isError) return <ProblemNotice error={found.error} />;
  const decisions = found.data?.decisions ?? [];
  if (decisions.length === 0) return null;
  return (
    <section aria-labelledby="decisions" className="flex flex-col gap-2">
      <h2 id="decisions" className="font-semibold">
        {t("knowledge.decisions")}
      </h2>
      <ul aria-label={t("knowledge.decisions")} className="flex flex-col gap-1 text-sm">
        {decisions.map((each) => (
          <li key={each.decision_id} className="flex flex-wrap items-center gap-2">
            <span>{t(`entityAct.${each.act}`)}</span>
            {each.name !== "" && <bdi>{each.name}</bdi>}
            <span className="text-muted">
              <bdi>{each.decided_by}</bdi>, <Moment at={each.decided_at} />
            </span>
            {each.undone ? (
              <span className="text-muted">{t("knowledge.undone")}</span>
            ) : (
              <Button
                onClick={() =>
                  run(() =>
                    answered(
                      api.POST("/v1/entities/decisions/{decision_id}/undo", {
                        params: { path: { decision_id: each.decision_id } },
                      }),
                    ),
                  )
                }
              >
                {t("common.undo")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
