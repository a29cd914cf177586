// Which documents answers cite most, and which they never do, with how long those are there.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { DocumentCitations } from "../api/types";
import { DaysForm, type DaysSought } from "./Days";
import { Heading, Loaded, Moment, Part, useNumber } from "./parts";
import { Table, type Column } from "./Table";
import { adminKey } from "./acting";

const DAY_MILLISECONDS = 86_400_000;

export function Citations() {
  const { t } = useTranslation();
  const number = useNumber();
  const [days, setDays] = useState<DaysSought>({});
  const found = useQuery({
    queryKey: adminKey("citations", days),
    queryFn: async () => ({
      report: await answered(api.GET("/v1/citations", { params: { query: days } })),
      now: Date.now(),
    }),
  });
  const document: readonly Column<DocumentCitations>[] = [
    {
      head: t("admin.name"),
      cell: (each) => (
        <Link
          to="/documents/$documentId"
          params={{ documentId: each.document_id }}
          className="inline-block min-h-6 underline"
        >
          <bdi>{each.title || each.filename}</bdi>
        </Link>
      ),
    },
    { head: t("admin.collection"), cell: (each) => <bdi>{each.collection}</bdi> },
  ];
  return (
    <>
      <Heading section="citations" />
      <DaysForm value={days} onChange={setDays} />
      <Loaded query={found}>
        {({ report, now }) => (
          <>
            <Part title={t("admin.citations.most")}>
              <Table
                caption={t("admin.citations.most")}
                rows={report.most_cited}
                keyOf={(each) => each.document_id}
                empty={t("admin.citations.nothing")}
                columns={[
                  ...document,
                  {
                    head: t("admin.citations.citations"),
                    numeric: true,
                    cell: (each) => number(each.citations),
                  },
                  {
                    head: t("admin.citations.answers"),
                    numeric: true,
                    cell: (each) => number(each.answers),
                  },
                  {
                    head: t("admin.citations.last"),
                    cell: (each) => <Moment at={each.last_cited_at} />,
                  },
                ]}
              />
            </Part>
            <Part
              title={t("admin.citations.never")}
              hint={t("admin.citations.neverSum", {
                never: number(report.never_cited_count),
                count: report.documents,
                all: number(report.documents),
              })}
            >
              <Table
                caption={t("admin.citations.never")}
                rows={report.never_cited}
                keyOf={(each) => each.document_id}
                empty={t("admin.citations.all")}
                columns={[
                  ...document,
                  {
                    head: t("admin.citations.added"),
                    cell: (each) => <Moment at={each.created_at} />,
                  },
                  {
                    head: t("admin.citations.days"),
                    numeric: true,
                    cell: (each) =>
                      number(Math.floor((now - Date.parse(each.created_at)) / DAY_MILLISECONDS)),
                  },
                ]}
              />
            </Part>
          </>
        )}
      </Loaded>
    </>
  );
}
