// How long what is kept: the rules, what they delete next, and deleting what is due now.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { identityQuery } from "../api/queries";
import type { RetentionRule } from "../api/types";
import { Button } from "../ui/Button";
import { showToast } from "../ui/toasts";
import { ConfirmButton } from "./ConfirmButton";
import { ActForm, Choice, FIELD, Field } from "./Form";
import { Heading, Loaded, Moment, Part } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval } from "./acting";
import { numberOrNull, oneOf, textOrNull } from "./given";

const KINDS = ["documents", "conversations", "queries", "pushes"] as const;
const AHEAD_DAYS = [0, 7, 30, 90, 365] as const;

export function Retention() {
  const { t } = useTranslation();
  const refresh = useRefresh("retention");
  const { hidden, remove } = useRemoval("retention");
  const found = useQuery({
    queryKey: adminKey("retention", "rules"),
    queryFn: () => answered(api.GET("/v1/retention")),
  });
  const set = async (given: FormData) => {
    await answered(
      api.PUT("/v1/retention", {
        body: {
          kind: oneOf(given, "kind", KINDS),
          days: numberOrNull(given, "days"),
          collection: textOrNull(given, "collection"),
        },
      }),
    );
    await refresh();
  };
  const keyOf = (each: RetentionRule) => JSON.stringify([each.kind, each.collection]);
  return (
    <>
      <Heading section="retention" />
      <ActForm label={t("admin.retention.set")} submit={t("admin.retention.set")} onSubmit={set}>
        <Choice
          name="kind"
          label={t("admin.target.kind")}
          choices={KINDS.map((each) => [each, t(`admin.retention.${each}`)] as const)}
        />
        <Field
          name="days"
          label={t("admin.retention.days")}
          hint={t("admin.retention.forEver")}
          type="number"
          least={0}
        />
        <Field name="collection" label={t("admin.collection")} hint={t("admin.emptyIsAll")} />
      </ActForm>
      <Loaded query={found}>
        {({ rules }) => (
          <Table
            caption={t("admin.section.retention")}
            rows={rules.filter((each) => !hidden.has(keyOf(each)))}
            keyOf={keyOf}
            empty={t("admin.retention.none")}
            columns={[
              { head: t("admin.target.kind"), cell: (e) => t(`admin.retention.${e.kind}`) },
              {
                head: t("admin.collection"),
                cell: (each) => <bdi>{each.collection ?? t("admin.everywhere")}</bdi>,
              },
              {
                head: t("admin.retention.days"),
                numeric: true,
                cell: (each) => each.days ?? t("admin.retention.always"),
              },
              { head: t("admin.by"), cell: (each) => <bdi>{each.set_by}</bdi> },
              {
                head: t("admin.actions"),
                cell: (each) => (
                  <Button
                    look="danger"
                    onClick={() =>
                      remove(
                        keyOf(each),
                        t("admin.removed", { name: t(`admin.retention.${each.kind}`) }),
                        () =>
                          answered(
                            api.DELETE("/v1/retention", {
                              params: {
                                query: {
                                  kind: each.kind,
                                  ...(each.collection !== null && { collection: each.collection }),
                                },
                              },
                              keepalive: true,
                            }),
                          ),
                      )
                    }
                  >
                    {t("admin.remove")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <Preview />
    </>
  );
}

/** What the rules delete until some time, and deleting at once what is due today. */
function Preview() {
  const { t } = useTranslation();
  const refresh = useRefresh("retention");
  const [days, setDays] = useState(30);
  const { data: who } = useQuery(identityQuery);
  const found = useQuery({
    queryKey: adminKey("retention", "preview", days),
    queryFn: () =>
      answered(api.GET("/v1/retention/preview", { params: { query: { within_days: days } } })),
  });
  const apply = async () => {
    const run = await answered(api.POST("/v1/retention/apply"));
    showToast(t("admin.retention.applied", { documents: run.documents }));
    await refresh();
  };
  return (
    <Part title={t("admin.retention.preview")}>
      <label className="flex items-center gap-2 text-sm">
        {t("admin.retention.within")}
        <select
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
          className={FIELD}
        >
          {AHEAD_DAYS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <Loaded query={found}>
        {(due) => (
          <>
            <p role="status" className="text-sm">
              {t("admin.retention.due", {
                documents: due.document_count,
                held: due.held_count,
                conversations: due.conversation_count,
                queries: due.query_count,
              })}
            </p>
            <Table
              caption={t("admin.retention.preview")}
              rows={due.documents}
              keyOf={(each) => each.document_id}
              empty={t("admin.retention.nothing")}
              columns={[
                { head: t("admin.name"), cell: (each) => <bdi>{each.filename}</bdi> },
                { head: t("admin.collection"), cell: (each) => <bdi>{each.collection}</bdi> },
                { head: t("admin.retention.at"), cell: (each) => <Moment at={each.due_at} /> },
              ]}
            />
          </>
        )}
      </Loaded>
      {who !== undefined && (
        <div>
          <ConfirmButton label={t("admin.retention.apply")} name={who.workspace} onConfirm={apply}>
            {t("admin.retention.applyHint")}
          </ConfirmButton>
        </div>
      )}
    </Part>
  );
}
