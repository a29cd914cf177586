// The same question searched by two plans, side by side: which passages moved, and what each took.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { SearchResponse } from "../api/types";
import { TooLong } from "../conversation/TooLong";
import { isTooLong } from "../conversation/length";
import { PLANS, type Plan } from "../conversation/options";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Scroller } from "../ui/Scroller";
import { Ranking } from "./Ranking";

const SIDES = [0, 1] as const;
const COMPARED: readonly [Plan, Plan] = ["fast", "thorough"];
const RESULTS = 10;

export function Compare() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { query = "", plans = [] } = useSearch({ from: "__root__" });
  const [typed, setTyped] = useState(query);
  const [left, right] = SIDES.map((side) => known(plans[side]) ?? COMPARED[side]) as [Plan, Plan];
  const found = [useSearchBy(query, left), useSearchBy(query, right)] as const;
  const go = (next: { query?: string; plans?: readonly Plan[] }) =>
    void navigate({ to: "/compare", search: (before) => ({ ...before, ...next }) });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get("query");
    if (typeof given !== "string" || given.trim() === "" || isTooLong(given)) return;
    go({ query: given.trim() });
  };
  return (
    <Scroller label={t("compare.title")} className="flex min-h-0 flex-1 flex-col gap-3 p-3">
      <h1 className="text-lg font-semibold">{t("compare.title")}</h1>
      <form key={query} onSubmit={submit} className="flex gap-2">
        <input
          name="query"
          type="search"
          dir="auto"
          autoComplete="off"
          aria-label={t("compare.query")}
          placeholder={t("search.placeholder")}
          defaultValue={query}
          aria-invalid={isTooLong(typed)}
          aria-describedby={isTooLong(typed) ? "compare-length" : undefined}
          onChange={(event) => setTyped(event.target.value)}
          className="min-w-0 flex-1 rounded-md border border-line bg-surface px-3 py-2 placeholder:text-muted"
        />
        <Button look="primary" type="submit">
          {t("compare.run")}
        </Button>
      </form>
      <TooLong id="compare-length" text={typed} />
      {query === "" ? (
        <Empty title={t("compare.emptyTitle")}>
          <p>{t("compare.emptyHint")}</p>
        </Empty>
      ) : (
        <div className="grid gap-4 lg:grid-cols-2">
          {SIDES.map((side) => (
            <Side
              key={side}
              side={side}
              plan={[left, right][side] ?? left}
              found={found[side]}
              other={found[side === 0 ? 1 : 0].data}
              onPlan={(plan) => go({ plans: side === 0 ? [plan, right] : [left, plan] })}
            />
          ))}
        </div>
      )}
    </Scroller>
  );
}

function known(name: string | undefined): Plan | undefined {
  return PLANS.find((each) => each === name);
}

function useSearchBy(query: string, plan: Plan) {
  return useQuery({
    queryKey: ["search-by", query, plan],
    // What each stage does is compared, so no earlier search may answer.
    queryFn: ({ signal }) =>
      answered(
        api.POST("/v1/search", {
          body: { query, plan, top_k: RESULTS, stages: { cache: false } },
          signal,
        }),
      ),
    enabled: query !== "",
  });
}

interface SideProps {
  readonly side: 0 | 1;
  readonly plan: Plan;
  readonly found: ReturnType<typeof useSearchBy>;
  readonly other: SearchResponse | undefined;
  readonly onPlan: (plan: Plan) => void;
}

function Side({ side, plan, found, other, onPlan }: SideProps) {
  const { t } = useTranslation();
  const label = t("compare.side", { number: side + 1 });
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-3">
      <label className="flex items-center gap-2 text-sm">
        {label}
        <select
          value={plan}
          onChange={(event) => onPlan(known(event.target.value) ?? plan)}
          className="min-h-8 rounded-md border border-line bg-surface px-2"
        >
          {PLANS.map((each) => (
            <option key={each} value={each}>
              {t(`options.plans.${each}`)}
            </option>
          ))}
        </select>
      </label>
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      {found.isFetching && <p role="status">{t("common.loading")}</p>}
      {found.data && <Ranking found={found.data} other={other?.evidence} label={label} />}
    </section>
  );
}
