// The budgets of the workspace, with what was used of each.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { Budget } from "../api/types";
import { Button } from "../ui/Button";
import { ActForm, Choice, Field } from "./Form";
import { Loaded, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval } from "./acting";
import { numberOrNull, oneOf } from "./given";

const MEASURES = ["cost_usd", "tokens", "documents", "chunks", "bytes"] as const;
const PERIODS = ["month", "day", "total"] as const;

export function Budgets() {
  const { t } = useTranslation();
  const refresh = useRefresh("budgets");
  const { hidden, remove } = useRemoval("budgets");
  const number = useNumber();
  const found = useQuery({
    queryKey: adminKey("budgets"),
    queryFn: () => answered(api.GET("/v1/budgets")),
  });
  const set = async (given: FormData) => {
    const share = numberOrNull(given, "warn");
    await answered(
      api.PUT("/v1/budgets", {
        body: {
          measure: oneOf(given, "measure", MEASURES),
          period: oneOf(given, "period", PERIODS),
          most: numberOrNull(given, "most") ?? 0,
          ...(share !== null && { warn_share: share / 100 }),
        },
      }),
    );
    await refresh();
  };
  const keyOf = (each: Budget) => `${each.measure} ${each.period}`;
  const called = (each: Budget) =>
    `${t(`admin.measure.${each.measure}`)}, ${t(`admin.period.${each.period}`)}`;
  return (
    <Part title={t("admin.budgets.title")} hint={t("admin.budgets.hint")}>
      <ActForm label={t("admin.budgets.set")} submit={t("admin.budgets.set")} onSubmit={set}>
        <Choice
          name="measure"
          label={t("admin.budgets.measure")}
          choices={MEASURES.map((each) => [each, t(`admin.measure.${each}`)] as const)}
        />
        <Choice
          name="period"
          label={t("admin.budgets.period")}
          choices={PERIODS.map((each) => [each, t(`admin.period.${each}`)] as const)}
        />
        <Field name="most" label={t("admin.budgets.most")} type="number" least={0} required />
        <Field name="warn" label={t("admin.budgets.warn")} type="number" least={0} value="80" />
      </ActForm>
      <Loaded query={found}>
        {({ budgets }) => (
          <Table
            caption={t("admin.budgets.title")}
            rows={budgets.filter((each) => !hidden.has(keyOf(each)))}
            keyOf={keyOf}
            empty={t("admin.budgets.none")}
            columns={[
              { head: t("admin.budgets.measure"), cell: called },
              {
                head: t("admin.budgets.used"),
                numeric: true,
                cell: (e) => t("admin.shownOf", { shown: number(e.used), all: number(e.most) }),
              },
              { head: t("admin.state"), cell: (each) => t(`admin.budgets.${each.state}`) },
              {
                head: t("admin.actions"),
                cell: (each) => (
                  <Button
                    look="danger"
                    onClick={() =>
                      remove(keyOf(each), t("admin.removed", { name: called(each) }), () =>
                        answered(
                          api.DELETE("/v1/budgets", {
                            params: { query: { measure: each.measure, period: each.period } },
                            keepalive: true,
                          }),
                        ),
                      )
                    }
                  >
                    {t("admin.remove")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Part>
  );
}
