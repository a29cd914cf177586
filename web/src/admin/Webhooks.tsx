// Addresses that are told of events, with a trial message for each.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { showToast } from "../ui/toasts";
import { ActForm, Choices, Field } from "./Form";
import { Heading, Loaded, Moment } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval, useRun } from "./acting";
import { chosenOf, textOf } from "./given";

const EVENTS = ["document.indexed", "document.failed", "document.deleted"] as const;

export function Webhooks() {
  const { t } = useTranslation();
  const refresh = useRefresh("webhooks");
  const run = useRun("webhooks");
  const { hidden, remove } = useRemoval("webhooks");
  const [secret, setSecret] = useState<string | null>(null);
  const found = useQuery({
    queryKey: adminKey("webhooks"),
    queryFn: () => answered(api.GET("/v1/webhooks")),
  });
  const add = async (given: FormData) => {
    const made = await answered(
      api.POST("/v1/webhooks", {
        body: { url: textOf(given, "url"), events: chosenOf(given, "events", EVENTS) },
      }),
    );
    setSecret(made.secret);
    await refresh();
  };
  const tryOut = async (id: string) => {
    const { delivered, error } = await answered(
      api.POST("/v1/webhooks/{webhook_id}/test", { params: { path: { webhook_id: id } } }),
    );
    showToast(
      delivered
        ? t("admin.webhooks.delivered")
        : t("admin.webhooks.failed", { error: error ?? "" }),
    );
  };
  return (
    <>
      <Heading section="webhooks" />
      {secret !== null && (
        <Notice tone="warn" role="status" title={t("admin.webhooks.once")}>
          <p className="my-2 font-mono break-all" dir="ltr">
            {secret}
          </p>
          <Button onClick={() => setSecret(null)}>{t("admin.keys.kept")}</Button>
        </Notice>
      )}
      <ActForm label={t("admin.webhooks.add")} submit={t("admin.webhooks.add")} onSubmit={add}>
        <Field name="url" label={t("admin.address")} type="url" required />
        <Choices
          name="events"
          label={t("admin.webhooks.events")}
          value={EVENTS}
          choices={EVENTS.map((each) => [each, each] as const)}
        />
      </ActForm>
      <Loaded query={found}>
        {({ webhooks }) => (
          <Table
            caption={t("admin.section.webhooks")}
            rows={webhooks.filter((each) => !hidden.has(each.webhook_id))}
            keyOf={(each) => each.webhook_id}
            empty={t("admin.webhooks.none")}
            columns={[
              { head: t("admin.address"), cell: (each) => <bdi>{each.url}</bdi> },
              { head: t("admin.webhooks.events"), cell: (each) => each.events.join(", ") },
              {
                head: t("admin.webhooks.last"),
                cell: (each) => <Moment at={each.last_delivery_at} />,
              },
              {
                head: t("admin.state"),
                cell: (each) =>
                  each.disabled_at !== null
                    ? t("admin.webhooks.disabled")
                    : (each.last_error ?? t("admin.webhooks.fine")),
              },
              {
                head: t("admin.actions"),
                cell: (each) => (
                  <div className="flex flex-wrap gap-1">
                    <Button onClick={() => run(() => tryOut(each.webhook_id))}>
                      {t("admin.webhooks.test")}
                    </Button>
                    <Button
                      look="danger"
                      onClick={() =>
                        remove(each.webhook_id, t("admin.removed", { name: each.url }), () =>
                          answered(
                            api.DELETE("/v1/webhooks/{webhook_id}", {
                              params: { path: { webhook_id: each.webhook_id } },
                              keepalive: true,
                            }),
                          ),
                        )
                      }
                    >
                      {t("admin.remove")}
                    </Button>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </>
  );
}
