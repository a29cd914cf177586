// Conditions of the list on metadata: those there are as chips, and a form for one more.
import { ListFilter, X } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { typed } from "./changing";
import { MetadataInput } from "./MetadataInput";
import {
  type Kind,
  type MetadataCondition,
  OPERATORS,
  type Operator,
  kindOf,
  valueFrom,
} from "./metadata";

const FIELD = "min-h-8 rounded-md border border-line bg-surface px-2 py-1 text-sm";

interface MetadataFilterProps {
  readonly conditions: readonly MetadataCondition[];
  readonly onChange: (conditions: readonly MetadataCondition[]) => void;
}

export function MetadataFilter({ conditions, onChange }: MetadataFilterProps) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState(false);
  const [kind, setKind] = useState<Kind>("text");
  const [operator, setOperator] = useState<Operator>("contains");
  const operators: readonly Operator[] = OPERATORS[kind];
  const chosen = operators.includes(operator) ? operator : (operators[0] ?? "eq");
  const add = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = typed(event.currentTarget, "name").trim();
    const value = valueFrom(kind, typed(event.currentTarget, "value"));
    if (name === "" || value === null) return;
    setAdding(false);
    onChange([...conditions, { name, operator: chosen, value }]);
  };
  const worded = ({ name, operator: compared, value }: MetadataCondition) => {
    const shown = typeof value === "boolean" ? t(value ? "metadata.yes" : "metadata.no") : value;
    const sign = t(`metadata.operators.${compared}`);
    return kindOf(value) === "boolean" ? `${name}: ${shown}` : `${name} ${sign} ${shown}`;
  };
  return (
    <>
      {conditions.length > 0 && (
        <ul aria-label={t("metadata.filters")} className="flex flex-wrap gap-2">
          {conditions.map((each, index) => (
            <li key={worded(each)}>
              <Button
                aria-label={t("search.without", { filter: worded(each) })}
                onClick={() => onChange(conditions.filter((_, other) => other !== index))}
              >
                <bdi>{worded(each)}</bdi> <X aria-hidden size={14} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {adding ? (
        <form
          aria-label={t("metadata.filter")}
          className="flex flex-wrap items-end gap-2"
          onSubmit={add}
        >
          <MetadataInput kind={kind} onKind={setKind} onEscape={() => setAdding(false)} />
          {operators.length > 1 && (
            <select
              aria-label={t("metadata.operator")}
              value={chosen}
              onChange={(event) => setOperator(event.target.value as Operator)}
              className={FIELD}
            >
              {operators.map((each) => (
                <option key={each} value={each}>
                  {t(`metadata.operators.${each}`)}
                </option>
              ))}
            </select>
          )}
          <Button type="submit">{t("metadata.apply")}</Button>
          <Button look="quiet" onClick={() => setAdding(false)}>
            {t("metadata.cancel")}
          </Button>
        </form>
      ) : (
        <Button look="quiet" onClick={() => setAdding(true)}>
          <ListFilter aria-hidden size={14} /> {t("metadata.filter")}
        </Button>
      )}
    </>
  );
}
