// The collections: what they hold, who sees it, who has a role in each; empty ones are removed.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { CollectionSummary, Grant, Visibility } from "../api/types";
import { bytes } from "../documents/format";
import { Button } from "../ui/Button";
import { ActForm, Choice, Field } from "./Form";
import { Heading, Loaded, Moment, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval } from "./acting";
import { oneOf, textOf } from "./given";

const ROLES = ["reader", "writer", "admin"] as const;
const VISIBILITIES: readonly Visibility[] = ["workspace", "collection", "private"];

export function Collections() {
  const { t, i18n } = useTranslation();
  const number = useNumber();
  const { hidden, remove } = useRemoval("collections");
  const found = useQuery({
    queryKey: adminKey("collections"),
    queryFn: () => answered(api.GET("/v1/collections")),
  });
  return (
    <>
      <Heading section="collections" />
      <Loaded query={found}>
        {({ collections }) => (
          <>
            {collections.length > 0 && <GrantForm collections={collections} />}
            <Table
              caption={t("admin.section.collections")}
              rows={collections.filter((each) => !hidden.has(each.name))}
              keyOf={(each) => each.name}
              empty={t("admin.held.none")}
              columns={[
                { head: t("admin.name"), cell: (each) => <bdi>{each.name}</bdi> },
                {
                  head: t("admin.documents"),
                  numeric: true,
                  cell: (each) => number(each.documents),
                },
                {
                  head: t("admin.held.failed"),
                  numeric: true,
                  cell: (each) => number(each.documents_by_status["failed"] ?? 0),
                },
                {
                  head: t("admin.health.passages"),
                  numeric: true,
                  cell: (each) => number(each.chunks),
                },
                {
                  head: t("admin.held.size"),
                  numeric: true,
                  cell: (each) => bytes(each.bytes, i18n.language),
                },
                { head: t("admin.held.changed"), cell: (each) => <Moment at={each.changed_at} /> },
                { head: t("admin.held.seenBy"), cell: (each) => <SeenBy held={each} /> },
                { head: t("admin.held.roles"), cell: (each) => <Roles grants={each.grants} /> },
                {
                  head: t("admin.actions"),
                  cell: (each) =>
                    each.documents > 0 ? (
                      <span className="text-xs text-muted">{t("admin.held.usedOnly")}</span>
                    ) : (
                      <Button
                        look="danger"
                        aria-label={`${t("admin.remove")}: ${each.name}`}
                        onClick={() =>
                          remove(each.name, t("admin.removed", { name: each.name }), () =>
                            answered(
                              api.DELETE("/v1/collections", {
                                params: { query: { collection: each.name } },
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
          </>
        )}
      </Loaded>
    </>
  );
}

function SeenBy({ held }: { readonly held: CollectionSummary }) {
  const { t } = useTranslation();
  const number = useNumber();
  return (
    <ul>
      {VISIBILITIES.filter((each) => (held.documents_by_visibility[each] ?? 0) > 0).map((each) => (
        <li key={each}>
          {t(`paper.visibility.${each}`)}: {number(held.documents_by_visibility[each] ?? 0)}
        </li>
      ))}
    </ul>
  );
}

/** The roles in a collection, each with a way to take it back. */
function Roles({ grants }: { readonly grants: readonly Grant[] }) {
  const { t } = useTranslation();
  const { hidden, remove } = useRemoval("collections", "grants");
  const shown = grants.filter((each) => !hidden.has(each.subject));
  if (shown.length === 0) return t("admin.held.noRoles");
  return (
    <ul className="flex flex-col gap-1">
      {shown.map((each) => (
        <li key={each.subject} className="flex flex-wrap items-center gap-2">
          <span>
            <bdi>{each.subject}</bdi>: {t(`admin.role.${each.role}`)}
          </span>
          <Button
            look="danger"
            aria-label={`${t("admin.revoke")}: ${each.subject}`}
            onClick={() =>
              remove(each.subject, t("admin.roles.revoked", { subject: each.subject }), () =>
                answered(
                  api.DELETE("/v1/grants", {
                    params: {
                      query: { subject: each.subject, collection: each.collection ?? "" },
                    },
                    keepalive: true,
                  }),
                ),
              )
            }
          >
            {t("admin.revoke")}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function GrantForm({ collections }: { readonly collections: readonly CollectionSummary[] }) {
  const { t } = useTranslation();
  const refresh = useRefresh("collections", "grants");
  const grant = async (given: FormData) => {
    await answered(
      api.PUT("/v1/grants", {
        body: {
          subject: textOf(given, "subject"),
          role: oneOf(given, "role", ROLES),
          collection: textOf(given, "collection"),
        },
      }),
    );
    await refresh();
  };
  return (
    <Part title={t("admin.held.roles")}>
      <ActForm label={t("admin.roles.grant")} submit={t("admin.roles.grant")} onSubmit={grant}>
        <Choice
          name="collection"
          label={t("admin.collection")}
          choices={collections.map((each) => [each.name, each.name] as const)}
        />
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
      </ActForm>
    </Part>
  );
}
