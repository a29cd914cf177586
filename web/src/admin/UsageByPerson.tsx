// What each person, key and service used and what it cost, by day, and the same as a file.
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api, raw } from "../api/client";
import { Button } from "../ui/Button";
import { saveAs } from "../ui/saveAs";
import { Loaded, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey, useRun } from "./acting";

export interface Days {
  readonly since?: string;
  readonly until?: string;
}

async function save(days: Days): Promise<void> {
  const asked = new URLSearchParams({ ...days }).toString();
  const answer = await raw(`/v1/usage/people/export${asked && `?${asked}`}`);
  saveAs(await answer.blob(), "usage-by-person.csv");
}

/** What people used in the days, or on all of them; what was shown stands until it is there. */
export function usageByPersonQuery(days: Days) {
  return queryOptions({
    queryKey: adminKey("usage", "people", days),
    queryFn: () => answered(api.GET("/v1/usage/people", { params: { query: days } })),
    placeholderData: keepPreviousData,
  });
}

export function UsageByPerson({ days }: { readonly days: Days }) {
  const { t } = useTranslation();
  const run = useRun();
  const money = useNumber({ style: "currency", currency: "USD", maximumFractionDigits: 4 });
  const whole = useNumber();
  const found = useQuery(usageByPersonQuery(days));
  return (
    <Part title={t("admin.usage.byPerson")}>
      <Loaded query={found}>
        {({ rows }) => (
          <>
            <Table
              caption={t("admin.usage.byPerson")}
              rows={rows}
              keyOf={(each) => `${each.day} ${each.principal}`}
              empty={t("admin.usage.none")}
              columns={[
                {
                  head: t("admin.usage.day"),
                  cell: (each) => <span className="whitespace-nowrap">{each.day}</span>,
                },
                {
                  head: t("admin.principal"),
                  cell: (each) =>
                    each.principal === "*" ? t("admin.usage.nobody") : <bdi>{each.principal}</bdi>,
                },
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
            {rows.length > 0 && (
              <Button className="self-start" onClick={() => run(() => save(days))}>
                {t("admin.usage.exportPeople")}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Part>
  );
}
