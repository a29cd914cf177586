// The administration of a workspace: its sections beside the one that is open.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";

import { identityQuery } from "../api/queries";
import { Missing } from "../ui/Missing";
import { ProblemNotice } from "../ui/ProblemNotice";
import {
  FIRST,
  GROUPS,
  SECTIONS,
  type SectionId,
  firstOffered,
  isOffered,
  isSection,
  loadSection,
} from "./sections";

export function Admin() {
  const { t } = useTranslation();
  const { section: named } = useParams({ strict: false });
  const who = useQuery(identityQuery);
  const asked = named ?? FIRST;
  useEffect(() => {
    if (isSection(asked)) loadSection(asked);
  }, [asked]);
  if (who.isError) {
    return (
      <div className="p-4">
        <ProblemNotice error={who.error} onRetry={() => void who.refetch()} />
      </div>
    );
  }
  if (!who.data) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  const first = firstOffered(who.data);
  if (first === undefined) {
    return (
      <Missing
        title={t("admin.refusedTitle")}
        hint={t("admin.refusedHint", { principal: who.data.principal })}
      >
        <Link to="/documents" search={{}}>
          {t("nav.documents")}
        </Link>
      </Missing>
    );
  }
  const offered = (each: SectionId) => isOffered(who.data, each);
  const section = named ?? first;
  const Open = isSection(section) && offered(section) ? SECTIONS[section] : null;
  const groups = GROUPS.map(
    ([group, sections]) => [group, sections.filter((each) => offered(each))] as const,
  ).filter(([, sections]) => sections.length > 0);
  return (
    <div className="flex min-h-0 flex-1 flex-col md:flex-row">
      <nav
        aria-label={t("admin.title")}
        className="flex shrink-0 flex-wrap gap-x-4 gap-y-2 border-line p-3 max-md:border-b md:w-52 md:flex-col md:overflow-y-auto md:border-e"
      >
        {groups.map(([group, sections]) => (
          <div key={group}>
            <p id={`group-${group}`} className="px-2 text-xs font-semibold text-muted">
              {t(`admin.group.${group}`)}
            </p>
            <ul aria-labelledby={`group-${group}`} className="flex flex-wrap md:flex-col">
              {sections.map((each) => (
                <li key={each}>
                  <Link
                    to="/admin/$section"
                    params={{ section: each }}
                    activeOptions={{ includeSearch: false }}
                    aria-current={each === section ? "page" : undefined}
                    className="block rounded-md px-2 py-1 text-sm hover:bg-hover aria-[current=page]:bg-hover aria-[current=page]:font-semibold"
                  >
                    {t(`admin.section.${each}`)}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
        {Open === null ? (
          <Missing title={t("admin.unknownTitle")} hint={t("admin.unknownHint")}>
            <Link to="/admin" search={{}}>
              {t("admin.title")}
            </Link>
          </Missing>
        ) : (
          <Suspense fallback={<p className="text-sm text-muted">{t("common.loading")}</p>}>
            <Open />
          </Suspense>
        )}
      </div>
    </div>
  );
}
