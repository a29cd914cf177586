// The roles that people and groups have in the workspace or in one collection.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { WHOLE_WORKSPACE, may } from "../api/may";
import { identityQuery } from "../api/queries";
import { Button } from "../ui/Button";
import { ActForm, Choice, Field } from "./Form";
import { Heading, Loaded, Moment } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval } from "./acting";
import { oneOf, textOf, textOrNull } from "./given";

const ROLES = ["reader", "writer", "admin"] as const;

export function Roles() {
  const { t } = useTranslation();
  const refresh = useRefresh("grants");
  const { hidden, remove } = useRemoval("grants");
  const found = useQuery({
    queryKey: adminKey("grants"),
    queryFn: () => answered(api.GET("/v1/grants")),
  });
  const grant = async (given: FormData) => {
    await answered(
      api.PUT("/v1/grants", {
        body: {
          subject: textOf(given, "subject"),
          role: oneOf(given, "role", ROLES),
          collection: textOrNull(given, "collection"),
        },
      }),
    );
    await refresh();
  };
  const { data: who } = useQuery(identityQuery);
  const everywhere = who !== undefined && may(who, "administer", WHOLE_WORKSPACE);
  const own = Object.keys(who?.collections ?? {}).filter(
    (each) => who !== undefined && may(who, "administer", each),
  );
  const keyOf = (each: { subject: string; collection: string | null }) =>
    JSON.stringify([each.subject, each.collection]);
  return (
    <>
      <Heading section="roles" />
      <ActForm label={t("admin.roles.grant")} submit={t("admin.roles.grant")} onSubmit={grant}>
        <Field
          name="subject"
          label={t("admin.roles.subject")}
          hint={t("admin.roles.subjectHint")}
          required
        />
        <Choice
          name="role"
          label={t("admin.role.title")}
          choices={ROLES.map((each) => [each, t(`admin.role.${each}`)] as const)}
        />
        {everywhere ? (
          <Field name="collection" label={t("admin.collection")} hint={t("admin.emptyIsAll")} />
        ) : (
          <Choice
            name="collection"
            label={t("admin.collection")}
            choices={own.map((each) => [each, each] as const)}
          />
        )}
      </ActForm>
      <Loaded query={found}>
        {({ grants }) => (
          <Table
            caption={t("admin.section.roles")}
            rows={grants.filter((each) => !hidden.has(keyOf(each)))}
            keyOf={keyOf}
            empty={t("admin.roles.none")}
            columns={[
              { head: t("admin.roles.subject"), cell: (each) => <bdi>{each.subject}</bdi> },
              { head: t("admin.role.title"), cell: (each) => t(`admin.role.${each.role}`) },
              {
                head: t("admin.collection"),
                cell: (each) => <bdi>{each.collection ?? t("admin.everywhere")}</bdi>,
              },
              { head: t("admin.by"), cell: (each) => <bdi>{each.granted_by}</bdi> },
              { head: t("admin.when"), cell: (each) => <Moment at={each.granted_at} /> },
              {
                head: t("admin.actions"),
                cell: (each) => (
                  <Button
                    look="danger"
                    onClick={() =>
                      remove(keyOf(each), t("admin.roles.revoked", { subject: each.subject }), () =>
                        answered(
                          api.DELETE("/v1/grants", {
                            params: {
                              query: {
                                subject: each.subject,
                                ...(each.collection !== null && { collection: each.collection }),
                              },
                            },
                            keepalive: true,
                          }),
                        ),
                      )
                    }
                  >
                    {t("admin.revoke")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
