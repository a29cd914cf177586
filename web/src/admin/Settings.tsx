// The settings that the workspace may have of its own, and who changed what when.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { WorkspaceSetting } from "../api/types";
import { Button } from "../ui/Button";
import { ActForm, Choice, Field } from "./Form";
import { Heading, Loaded, Moment, Part } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRun } from "./acting";
import { textOf } from "./given";

type Value = WorkspaceSetting["value"];

function written(value: Value): string {
  return value === null ? "–" : String(value);
}

export function Settings() {
  const { t } = useTranslation();
  const found = useQuery({
    queryKey: adminKey("settings"),
    queryFn: () => answered(api.GET("/v1/config")),
  });
  const history = useQuery({
    queryKey: adminKey("history"),
    queryFn: () => answered(api.GET("/v1/config/history")),
  });
  return (
    <>
      <Heading section="settings" />
      <Loaded query={found}>
        {({ settings }) => (
          <ul className="flex flex-col gap-2">
            {settings.map((each) => (
              <Setting key={`${each.name} ${written(each.value)}`} setting={each} />
            ))}
          </ul>
        )}
      </Loaded>
      <Part title={t("admin.settings.history")}>
        <Loaded query={history}>
          {({ changes }) => (
            <Table
              caption={t("admin.settings.history")}
              rows={changes}
              keyOf={(each) => String(each.change_no)}
              empty={t("admin.settings.noChanges")}
              columns={[
                { head: t("admin.when"), cell: (each) => <Moment at={each.changed_at} /> },
                { head: t("admin.settings.setting"), cell: (each) => each.name },
                {
                  head: t("admin.settings.before"),
                  cell: (e) => (e.was_set ? written(e.previous) : t("admin.settings.inherited")),
                },
                {
                  head: t("admin.settings.after"),
                  cell: (e) => (e.is_set ? written(e.value) : t("admin.settings.inherited")),
                },
                { head: t("admin.by"), cell: (each) => <bdi>{each.changed_by}</bdi> },
              ]}
            />
          )}
        </Loaded>
      </Part>
    </>
  );
}

function Setting({ setting }: { readonly setting: WorkspaceSetting }) {
  const { t } = useTranslation();
  const refresh = useRefresh("settings", "history");
  const run = useRun("settings", "history");
  const path = { params: { path: { name: setting.name } } };
  const change = async (given: FormData) => {
    const text = textOf(given, "value");
    const value = text === "" ? null : text;
    await answered(api.PUT("/v1/config/{name}", { ...path, body: { value } }));
    await refresh();
  };
  const label = t("admin.settings.valueOf", { name: setting.name });
  return (
    <li className="flex flex-col gap-1 rounded-md border border-line p-3">
      <h2 className="font-mono text-sm font-semibold">{setting.name}</h2>
      <p className="max-w-prose text-sm text-muted" lang="en" dir="ltr">
        {setting.description}
      </p>
      <div className="flex flex-wrap items-end gap-2">
        <ActForm label={setting.name} submit={t("common.save")} onSubmit={change}>
          {typeof setting.value === "boolean" ? (
            <Choice
              name="value"
              label={label}
              value={String(setting.value)}
              choices={[
                ["true", t("admin.yes")],
                ["false", t("admin.no")],
              ]}
            />
          ) : (
            <Field
              name="value"
              label={label}
              value={setting.value === null ? "" : String(setting.value)}
            />
          )}
        </ActForm>
        {setting.source === "workspace" && (
          <Button onClick={() => run(() => answered(api.DELETE("/v1/config/{name}", path)))}>
            {t("admin.settings.follow", { value: written(setting.installation_value) })}
          </Button>
        )}
      </div>
    </li>
  );
}
