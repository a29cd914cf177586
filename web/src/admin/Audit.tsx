// Who did what: the log is filtered, saved as a file, and verified by its hashes.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { AuditEntry, AuditVerification } from "../api/types";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { ProblemNotice } from "../ui/ProblemNotice";
import { saveAs } from "../ui/saveAs";
import { ActForm, Choice, Field } from "./Form";
import { Heading, Moment } from "./parts";
import { Table } from "./Table";
import { adminKey, useRun } from "./acting";
import { midnightOf, textOf } from "./given";

const ACTS = ["searched", "read", "changed", "exported", "deleted"] as const;
const PAGE = 100;
const PAGE_OF_FILE = 500;

interface Sought {
  readonly principal_id?: string;
  readonly act?: (typeof ACTS)[number];
  readonly document_id?: string;
  readonly since?: string;
  readonly until?: string;
}

function soughtOf(given: FormData): Sought {
  const asked = {
    principal_id: textOf(given, "principal") || undefined,
    act: ACTS.find((each) => each === textOf(given, "act")),
    document_id: textOf(given, "document") || undefined,
    since: midnightOf(given, "since"),
    // The last day is meant with all its hours.
    until: midnightOf(given, "until", 1),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

function entriesOf(sought: Sought, limit: number, cursor: string) {
  return answered(
    api.GET("/v1/audit", {
      params: { query: { ...sought, limit, ...(cursor !== "" && { cursor }) } },
    }),
  );
}

/** The log as a file with an entry on each line, oldest first, as `footnote audit` writes it. */
async function saved(sought: Sought): Promise<void> {
  const lines: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof entriesOf>> = await entriesOf(
      sought,
      PAGE_OF_FILE,
      cursor,
    );
    lines.push(...page.entries.map((each) => `${JSON.stringify(each)}\n`));
    cursor = page.next_cursor;
  }
  saveAs(new Blob(lines.reverse(), { type: "application/jsonl" }), "audit.jsonl");
}

export function Audit() {
  const { t } = useTranslation();
  const run = useRun("audit");
  const [sought, setSought] = useState<Sought>({});
  const [verified, setVerified] = useState<AuditVerification | null>(null);
  const found = useInfiniteQuery({
    queryKey: adminKey("audit", sought),
    queryFn: ({ pageParam }) => entriesOf(sought, PAGE, pageParam),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  return (
    <>
      <Heading section="audit" />
      <ActForm
        label={t("admin.audit.filter")}
        submit={t("admin.show")}
        narrows
        onSubmit={(given) => {
          setSought(soughtOf(given));
          return Promise.resolve();
        }}
      >
        <Field name="principal" label={t("admin.principal")} />
        <Choice
          name="act"
          label={t("admin.audit.act")}
          choices={[
            ["", t("admin.audit.any")],
            ...ACTS.map((each) => [each, t(`admin.act.${each}`)] as const),
          ]}
        />
        <Field name="document" label={t("admin.audit.document")} />
        <Field name="since" label={t("admin.since")} type="date" />
        <Field name="until" label={t("admin.until")} type="date" />
      </ActForm>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => run(() => saved(sought))}>{t("admin.audit.export")}</Button>
        <Button
          onClick={() =>
            run(async () =>
              setVerified(await answered(api.POST("/v1/audit/verify", { body: { kept: [] } }))),
            )
          }
        >
          {t("admin.audit.verify")}
        </Button>
      </div>
      {verified !== null && (
        <Notice tone={verified.intact ? "info" : "bad"} role="status">
          {verified.intact
            ? t("admin.audit.intact", { entries: verified.entries })
            : verified.faults.map((each) => `${each.entry_no}: ${each.what}`).join(" ")}
        </Notice>
      )}
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      <Entries entries={found.data?.pages.flatMap((page) => page.entries) ?? []} />
      {found.hasNextPage && (
        <Button className="self-start" onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const { t } = useTranslation();
  return (
    <Table
      caption={t("admin.section.audit")}
      rows={entries}
      keyOf={(each) => String(each.entry_no)}
      empty={t("admin.audit.none")}
      columns={[
        { head: t("admin.when"), cell: (each) => <Moment at={each.recorded_at} /> },
        { head: t("admin.principal"), cell: (each) => <bdi>{each.principal}</bdi> },
        { head: t("admin.audit.act"), cell: (each) => t(`admin.act.${each.act}`) },
        { head: t("admin.audit.verb"), cell: (each) => <code>{each.verb}</code> },
        { head: t("admin.audit.outcome"), cell: (each) => t(`admin.outcome.${each.outcome}`) },
        {
          head: t("admin.audit.about"),
          cell: (each) => (
            <bdi>
              {each.query ??
                Object.entries(each.subject)
                  .map(([name, value]) => `${name}: ${value}`)
                  .join(", ")}
            </bdi>
          ),
        },
        { head: t("admin.documents"), numeric: true, cell: (each) => each.documents.length },
      ]}
    />
  );
}
