// API keys: made, shown this once, replaced with an overlap, and revoked.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { NewApiKey } from "../api/types";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Notice } from "../ui/Notice";
import { useCopy } from "../ui/copy";
import { ConfirmButton } from "./ConfirmButton";
import { ActForm, Choices, Field } from "./Form";
import { Heading, Loaded, Moment } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh } from "./acting";
import { chosenOf, namesOf, numberOrNull, textOf, textOrNull } from "./given";

const RIGHTS = ["read", "write", "administer"] as const;

export function Keys() {
  const { t } = useTranslation();
  const refresh = useRefresh("keys");
  const [made, setMade] = useState<NewApiKey | null>(null);
  const [rotating, setRotating] = useState<string | null>(null);
  const found = useQuery({
    queryKey: adminKey("keys"),
    queryFn: () => answered(api.GET("/v1/keys")),
  });
  const create = async (given: FormData) => {
    const days = numberOrNull(given, "expires");
    setMade(
      await answered(
        api.POST("/v1/keys", {
          body: {
            name: textOf(given, "name"),
            rights: chosenOf(given, "rights", RIGHTS),
            principal: textOrNull(given, "principal"),
            groups: namesOf(given, "groups"),
            collections: namesOf(given, "collections"),
            expires_in_days: days,
          },
        }),
      ),
    );
    await refresh();
  };
  const rotate = async (id: string, given: FormData) => {
    const key = await answered(
      api.POST("/v1/keys/{key_id}/rotate", {
        params: { path: { key_id: id } },
        body: { overlap_hours: numberOrNull(given, "overlap") ?? 0 },
      }),
    );
    setRotating(null);
    setMade(key);
    await refresh();
  };
  return (
    <>
      <Heading section="keys" />
      {made !== null && <Secret made={made} onKept={() => setMade(null)} />}
      <ActForm label={t("admin.keys.new")} submit={t("admin.create")} onSubmit={create}>
        <Field name="name" label={t("admin.name")} required />
        <Choices
          name="rights"
          label={t("admin.rights")}
          value={["read"]}
          choices={RIGHTS.map((each) => [each, t(`admin.right.${each}`)] as const)}
        />
        <Field name="collections" label={t("admin.collections")} hint={t("admin.keys.where")} />
        <Field name="principal" label={t("admin.principal")} hint={t("admin.keys.whom")} />
        <Field name="groups" label={t("admin.groups")} hint={t("admin.commas")} />
        <Field
          name="expires"
          sent="expires_in_days"
          label={t("admin.keys.days")}
          type="number"
          least={0}
        />
      </ActForm>
      <Loaded query={found}>
        {({ keys }) => (
          <Table
            caption={t("admin.section.keys")}
            rows={keys}
            keyOf={(key) => key.key_id}
            empty={t("admin.keys.none")}
            columns={[
              { head: t("admin.name"), cell: (key) => <bdi>{key.name}</bdi> },
              { head: t("admin.principal"), cell: (key) => <bdi>{key.principal}</bdi> },
              {
                head: t("admin.rights"),
                cell: (key) => key.rights.map((each) => t(`admin.right.${each}`)).join(", "),
              },
              {
                head: t("admin.collections"),
                cell: (key) => <bdi>{key.collections.join(", ") || t("admin.everywhere")}</bdi>,
              },
              { head: t("admin.lastUsed"), cell: (key) => <Moment at={key.last_used_at} /> },
              { head: t("admin.expires"), cell: (key) => <Moment at={key.expires_at} /> },
              {
                head: t("admin.actions"),
                cell: (key) =>
                  key.revoked_at !== null ? (
                    t("admin.keys.revoked")
                  ) : (
                    <div className="flex flex-wrap gap-1">
                      <Button onClick={() => setRotating(key.key_id)}>
                        {t("admin.keys.rotate")}
                      </Button>
                      <ConfirmButton
                        label={t("admin.keys.revoke")}
                        name={key.name}
                        onConfirm={async () => {
                          await answered(
                            api.DELETE("/v1/keys/{key_id}", {
                              params: { path: { key_id: key.key_id } },
                            }),
                          );
                          await refresh();
                        }}
                      >
                        {t("admin.keys.revokeHint")}
                      </ConfirmButton>
                    </div>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {rotating !== null && (
        <Dialog
          title={t("admin.keys.rotate")}
          description={t("admin.keys.rotateHint")}
          open
          onClose={() => setRotating(null)}
        >
          <ActForm
            label={t("admin.keys.rotate")}
            submit={t("admin.keys.rotate")}
            onSubmit={(given) => rotate(rotating, given)}
          >
            <Field
              name="overlap"
              label={t("admin.keys.overlap")}
              type="number"
              least={0}
              value="24"
            />
          </ActForm>
        </Dialog>
      )}
    </>
  );
}

/** The secret of a new key, which nobody can be shown again. */
function Secret({ made, onKept }: { readonly made: NewApiKey; readonly onKept: () => void }) {
  const { t } = useTranslation();
  const copy = useCopy();
  return (
    <Notice tone="warn" role="status" title={t("admin.keys.once", { name: made.name })}>
      <p className="my-2 font-mono break-all" dir="ltr" data-secret>
        {made.secret}
      </p>
      <div className="flex gap-2">
        <Button onClick={() => void copy(made.secret)}>{t("admin.copy")}</Button>
        <Button onClick={onKept}>{t("admin.keys.kept")}</Button>
      </div>
    </Notice>
  );
}
