// Legal holds: what nothing may delete until an administrator lets it go.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ActForm, Choice, Field } from "./Form";
import { Heading, Loaded, Moment } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh } from "./acting";
import { oneOf, textOf } from "./given";

export const TARGETS = ["document", "collection", "principal"] as const;

/** The one thing that a request names, by the member that its kind has. */
export function targetOf(given: FormData): {
  document_id?: string;
  collection?: string;
  principal_id?: string;
} {
  const name = textOf(given, "target");
  const member = { document: "document_id", collection: "collection", principal: "principal_id" };
  return { [member[oneOf(given, "kind", TARGETS)]]: name };
}

export function Holds() {
  const { t } = useTranslation();
  const refresh = useRefresh("holds");
  const [lifting, setLifting] = useState<string | null>(null);
  const found = useQuery({
    queryKey: adminKey("holds"),
    queryFn: () => answered(api.GET("/v1/legal-holds", { params: { query: { lifted: true } } })),
  });
  const set = async (given: FormData) => {
    await answered(
      api.POST("/v1/legal-holds", {
        body: { reason: textOf(given, "reason"), ...targetOf(given) },
      }),
    );
    await refresh();
  };
  const lift = async (id: string, given: FormData) => {
    await answered(
      api.POST("/v1/legal-holds/{hold_id}/lift", {
        params: { path: { hold_id: id } },
        body: { reason: textOf(given, "reason") },
      }),
    );
    setLifting(null);
    await refresh();
  };
  return (
    <>
      <Heading section="holds" />
      <ActForm label={t("admin.holds.set")} submit={t("admin.holds.set")} onSubmit={set}>
        <Choice
          name="kind"
          label={t("admin.target.kind")}
          choices={TARGETS.map((each) => [each, t(`admin.target.${each}`)] as const)}
        />
        <Field name="target" label={t("admin.target.name")} required />
        <Field name="reason" label={t("admin.reason")} required />
      </ActForm>
      <Loaded query={found}>
        {({ legal_holds }) => (
          <Table
            caption={t("admin.section.holds")}
            rows={legal_holds}
            keyOf={(each) => each.hold_id}
            empty={t("admin.holds.none")}
            columns={[
              {
                head: t("admin.target.name"),
                cell: (e) => <bdi>{e.collection ?? e.principal_id ?? e.document_id}</bdi>,
              },
              { head: t("admin.reason"), cell: (each) => <bdi>{each.reason}</bdi> },
              { head: t("admin.by"), cell: (each) => <bdi>{each.set_by}</bdi> },
              { head: t("admin.when"), cell: (each) => <Moment at={each.set_at} /> },
              {
                head: t("admin.actions"),
                cell: (each) =>
                  each.lifted_at === null ? (
                    <Button onClick={() => setLifting(each.hold_id)}>
                      {t("admin.holds.lift")}
                    </Button>
                  ) : (
                    <>
                      {t("admin.holds.lifted")} <Moment at={each.lifted_at} />
                    </>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {lifting !== null && (
        <Dialog title={t("admin.holds.lift")} open onClose={() => setLifting(null)}>
          <ActForm
            label={t("admin.holds.lift")}
            submit={t("admin.holds.lift")}
            onSubmit={(given) => lift(lifting, given)}
          >
            <Field name="reason" label={t("admin.reason")} required />
          </ActForm>
        </Dialog>
      )}
    </>
  );
}
