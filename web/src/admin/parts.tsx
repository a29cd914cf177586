// What the sections consist of: a heading with what it is for, what was loaded, and moments.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { ProblemNotice } from "../ui/ProblemNotice";
import type { SectionId } from "./sections";

/** The heading of a section, and a sentence that says what it is for. */
export function Heading({ section }: { readonly section: SectionId }) {
  const { t } = useTranslation();
  return (
    <div>
      <h1 className="text-xl font-bold">{t(`admin.section.${section}`)}</h1>
      <p className="max-w-prose text-sm text-muted">{t(`admin.about.${section}`)}</p>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

/** A part of a section under a heading of its own. */
export function Part({ title, hint, children }: PartProps) {
  return (
    <div className="flex flex-col gap-2">
      <h2 className="font-semibold">{title}</h2>
      {hint !== undefined && <p className="max-w-prose text-sm text-muted">{hint}</p>}
      {children}
    </div>
  );
}

interface LoadedProps<Found> {
  readonly query: UseQueryResult<Found>;
  readonly children: (found: Found) => ReactNode;
}

/** What a query found, or that it is on its way, or why it failed. */
export function Loaded<Found>({ query, children }: LoadedProps<Found>) {
  const { t } = useTranslation();
  if (query.isError) {
    return <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (!query.isSuccess) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  return children(query.data);
}

/** A moment as the language writes it; a dash where there is none. */
export function Moment({ at }: { readonly at: string | null }) {
  const { i18n } = useTranslation();
  if (at === null) return "–";
  const written = new Intl.DateTimeFormat(i18n.language, {
    dateStyle: "medium",
    timeStyle: "short",
  }).format(new Date(at));
  return <time dateTime={at}>{written}</time>;
}

export function useNumber(options: Intl.NumberFormatOptions = {}): (value: number) => string {
  const { i18n } = useTranslation();
  const format = new Intl.NumberFormat(i18n.language, options);
  return (value) => format.format(value);
}
