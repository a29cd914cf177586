// Chooses how questions are answered, where there is anything to choose.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { modelsQuery } from "../api/queries";
import { useStore } from "../ui/store";
import { NEW, PLANS, type Plan, UNSET, choose, options } from "./options";

const QUOTES = "extractive";
const SELECT = "min-h-8 max-w-44 rounded-md border border-line bg-surface px-1";

export function OptionsBar({ conversation = NEW }: { readonly conversation?: string | undefined }) {
  const { t } = useTranslation();
  const { data: models } = useQuery(modelsQuery);
  const { plan, model, agent } = useStore(options)[conversation] ?? UNSET;
  const writers = models?.used.filter((each) => each !== QUOTES) ?? [];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      {!agent && (
        <label className="flex items-center gap-1">
          {t("options.plan")}
          <select
            className={SELECT}
            value={plan ?? ""}
            onChange={(event) =>
              choose(conversation, { plan: (event.target.value || null) as Plan | null })
            }
          >
            <option value="">{t("options.default")}</option>
            {PLANS.map((each) => (
              <option key={each} value={each}>
                {t(`options.plans.${each}`)}
              </option>
            ))}
          </select>
        </label>
      )}
      {writers.length > 0 && (
        <>
          <label className="flex items-center gap-1">
            {t("options.model")}
            <select
              className={SELECT}
              value={model ?? ""}
              onChange={(event) => choose(conversation, { model: event.target.value || null })}
            >
              <option value="">{t("options.default")}</option>
              {writers.map((each) => (
                <option key={each}>{each}</option>
              ))}
              {!agent && <option value={QUOTES}>{t("options.quotes")}</option>}
            </select>
          </label>
          <label className="flex min-h-8 items-center gap-1">
            <input
              type="checkbox"
              checked={agent}
              onChange={(event) =>
                choose(conversation, {
                  agent: event.target.checked,
                  ...(model === QUOTES ? { model: null } : {}),
                })
              }
            />
            {t("options.agent")}
          </label>
        </>
      )}
    </div>
  );
}
