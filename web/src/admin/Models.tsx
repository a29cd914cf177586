// Which models answer in the workspace, and the servers whose tools its agents may use.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { Button } from "../ui/Button";
import { ActForm, Field } from "./Form";
import { Heading, Loaded, Part } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval, useRun } from "./acting";
import { namesOf, textOf } from "./given";

export function Models() {
  const { t } = useTranslation();
  const refresh = useRefresh("models");
  const run = useRun("models");
  const found = useQuery({
    queryKey: adminKey("models"),
    queryFn: () => answered(api.GET("/v1/models")),
  });
  const choose = async (given: FormData) => {
    await answered(api.PUT("/v1/models", { body: { use: namesOf(given, "use") } }));
    await refresh();
  };
  return (
    <>
      <Heading section="models" />
      <Part title={t("admin.models.answering")} hint={t("admin.models.answeringHint")}>
        <Loaded query={found}>
          {({ configured, chosen, used }) => (
            <>
              <p className="text-sm">
                {t("admin.models.configured")}{" "}
                <bdi>{configured.join(", ") || t("admin.models.quotes")}</bdi>
              </p>
              <p className="text-sm">
                {t("admin.models.used")} <bdi>{used.join(", ") || t("admin.models.quotes")}</bdi>
              </p>
              <ActForm
                label={t("admin.models.answering")}
                submit={t("admin.models.choose")}
                onSubmit={choose}
              >
                <Field
                  name="use"
                  label={t("admin.models.names")}
                  hint={t("admin.models.namesHint")}
                  required
                />
              </ActForm>
              {chosen !== null && (
                <Button
                  className="self-start"
                  onClick={() => run(() => answered(api.DELETE("/v1/models")))}
                >
                  {t("admin.follow")}
                </Button>
              )}
            </>
          )}
        </Loaded>
      </Part>
      <Servers />
    </>
  );
}

function Servers() {
  const { t } = useTranslation();
  const refresh = useRefresh("mcp");
  const { hidden, remove } = useRemoval("mcp");
  const found = useQuery({
    queryKey: adminKey("mcp"),
    queryFn: () => answered(api.GET("/v1/mcp-servers")),
  });
  const add = async (given: FormData) => {
    const header = textOf(given, "header");
    await answered(
      api.POST("/v1/mcp-servers", {
        body: {
          name: textOf(given, "name"),
          url: textOf(given, "url"),
          headers: header === "" ? {} : { [header]: textOf(given, "value") },
        },
      }),
    );
    await refresh();
  };
  return (
    <Part title={t("admin.mcp.title")} hint={t("admin.mcp.hint")}>
      <ActForm label={t("admin.mcp.add")} submit={t("admin.mcp.add")} onSubmit={add}>
        <Field name="name" label={t("admin.name")} required />
        <Field name="url" label={t("admin.address")} type="url" required />
        <Field name="header" label={t("admin.mcp.header")} />
        <Field name="value" label={t("admin.mcp.value")} hint={t("admin.mcp.valueHint")} />
      </ActForm>
      <Loaded query={found}>
        {({ mcp_servers }) => (
          <Table
            caption={t("admin.mcp.title")}
            rows={mcp_servers.filter((each) => !hidden.has(each.name))}
            keyOf={(each) => each.name}
            empty={t("admin.mcp.none")}
            columns={[
              { head: t("admin.name"), cell: (each) => <bdi>{each.name}</bdi> },
              { head: t("admin.address"), cell: (each) => <bdi>{each.url}</bdi> },
              { head: t("admin.mcp.header"), cell: (each) => each.header_names.join(", ") || "–" },
              {
                head: t("admin.actions"),
                cell: (each) => (
                  <Button
                    look="danger"
                    onClick={() =>
                      remove(each.name, t("admin.removed", { name: each.name }), () =>
                        answered(
                          api.DELETE("/v1/mcp-servers/{name}", {
                            params: { path: { name: each.name } },
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
    </Part>
  );
}
