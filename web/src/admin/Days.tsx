// A form for the days that a section looks at.
import { useTranslation } from "react-i18next";

import { ActForm, Field } from "./Form";
import { textOf } from "./given";

export interface DaysSought {
  readonly since?: string;
  readonly until?: string;
}

interface DaysFormProps {
  /** To begin with. */
  readonly value: DaysSought;
  readonly onChange: (days: DaysSought) => void;
}

export function DaysForm({ value, onChange }: DaysFormProps) {
  const { t } = useTranslation();
  return (
    <ActForm
      label={t("admin.days.filter")}
      submit={t("admin.show")}
      narrows
      onSubmit={(given) => {
        const [since, until] = [textOf(given, "since"), textOf(given, "until")];
        onChange({ ...(since && { since }), ...(until && { until }) });
        return Promise.resolve();
      }}
    >
      <Field name="since" label={t("admin.since")} type="date" value={value.since ?? ""} />
      <Field name="until" label={t("admin.until")} type="date" value={value.until ?? ""} />
    </ActForm>
  );
}
