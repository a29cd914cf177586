// What the workspace used and what it cost, by day and model, and the budgets that limit it.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { UsageRow } from "../api/types";
import { Bars } from "./Bars";
import { Budgets } from "./Budgets";
import { type Days, UsageByPerson, usageByPersonQuery } from "./UsageByPerson";
import { ActForm, Field } from "./Form";
import { Heading, Loaded, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey } from "./acting";
import { textOf } from "./given";

interface Sought {
  readonly since?: string;
  readonly until?: string;
  readonly principal_id?: string;
}

/** What all kinds and models cost together, by day, earliest first. */
function byDay(rows: readonly UsageRow[]): readonly (readonly [day: string, cost: number])[] {
  const sums = new Map<string, number>();
  for (const each of rows) sums.set(each.day, (sums.get(each.day) ?? 0) + each.cost_usd);
  return [...sums].sort(([one], [other]) => one.localeCompare(other));
}

export function Usage() {
  const { t } = useTranslation();
  const [sought, setSought] = useState<Sought>({});
  const money = useNumber({ style: "currency", currency: "USD", maximumFractionDigits: 4 });
  const whole = useNumber();
  const found = useQuery({
    queryKey: adminKey("usage", sought),
    queryFn: () => answered(api.GET("/v1/usage", { params: { query: sought } })),
    placeholderData: keepPreviousData,
  });
  const days: Days = {
    ...(sought.since !== undefined && { since: sought.since }),
    ...(sought.until !== undefined && { until: sought.until }),
  };
  // What stands below waits for what stands above, or it would be pushed down under the reader's eyes.
  const byPerson = useQuery(usageByPersonQuery(days));
  return (
    <>
      <Heading section="usage" />
      <ActForm
        label={t("admin.usage.filter")}
        submit={t("admin.show")}
        narrows
        onSubmit={(given) => {
          const names = ["since", "until", "principal_id"] as const;
          const asked = names.map((name) => [name, textOf(given, name)] as const);
          setSought(Object.fromEntries(asked.filter(([, value]) => value !== "")));
          return Promise.resolve();
        }}
      >
        <Field name="since" label={t("admin.since")} type="date" />
        <Field name="until" label={t("admin.until")} type="date" />
        <Field name="principal_id" label={t("admin.principal")} hint={t("admin.emptyIsAll")} />
      </ActForm>
      <Loaded query={found}>
        {({ rows }) => {
          const days = byDay(rows);
          const sum = days.reduce((all, [, cost]) => all + cost, 0);
          const title = t("admin.usage.sum", { cost: money(sum), count: days.length });
          return (
            <>
              <p role="status" className="text-sm">
                {title}
              </p>
              {days.length > 0 && (
                <Bars
                  title={title}
                  bars={days.map(([day, cost]) => ({
                    label: day,
                    value: cost,
                    written: money(cost),
                  }))}
                />
              )}
              <Part title={t("admin.usage.byKind")}>
                <Table
                  caption={t("admin.usage.byKind")}
                  rows={rows}
                  keyOf={(each) => `${each.day} ${each.kind} ${each.model}`}
                  empty={t("admin.usage.none")}
                  columns={[
                    {
                      head: t("admin.usage.day"),
                      cell: (each) => <span className="whitespace-nowrap">{each.day}</span>,
                    },
                    { head: t("admin.target.kind"), cell: (e) => t(`admin.use.${e.kind}`) },
                    { head: t("admin.usage.model"), cell: (each) => <bdi>{each.model}</bdi> },
                    {
                      head: t("admin.usage.requests"),
                      numeric: true,
                      cell: (each) => whole(each.requests),
                    },
                    {
                      head: t("admin.usage.tokens"),
                      numeric: true,
                      cell: (each) => whole(each.input_tokens + each.output_tokens),
                    },
                    {
                      head: t("admin.usage.cost"),
                      numeric: true,
                      cell: (each) =>
                        each.unpriced_requests > 0 && each.cost_usd === 0
                          ? t("admin.usage.unpriced")
                          : money(each.cost_usd),
                    },
                  ]}
                />
              </Part>
            </>
          );
        }}
      </Loaded>
      {!found.isPending && <UsageByPerson days={days} />}
      {!found.isPending && !byPerson.isPending && <Budgets />}
    </>
  );
}
