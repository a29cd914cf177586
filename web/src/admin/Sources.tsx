// Places that the workspace follows by itself: looked into before they are kept, read, left alone.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { SourceCheck, WorkspaceSource } from "../api/types";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { ActForm, Choice, Choices, Field } from "./Form";
import { Heading, Loaded, Moment, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRemoval, useRun } from "./acting";
import { numberOrNull, textOf, textOrNull } from "./given";

const FOLLOW_MILLISECONDS = 1000;
const HOURS = [1, 6, 24, 168] as const;
const MINUTES = 60;

/** Whether it is read now, or as soon as a worker has its hands free. */
function isUnderWay(source: WorkspaceSource): boolean {
  if (source.state === "running") return true;
  return source.next_run_at !== null && Date.parse(source.next_run_at) <= Date.now();
}

export function Sources() {
  const { t } = useTranslation();
  const found = useQuery({
    queryKey: adminKey("sources"),
    queryFn: () => answered(api.GET("/v1/sources")),
    refetchInterval: (query) =>
      query.state.data?.sources.some(isUnderWay) === true ? FOLLOW_MILLISECONDS : false,
  });
  return (
    <>
      <Heading section="sources" />
      <Loaded query={found}>
        {({ sources, places }) => (
          <>
            {places.length === 0 ? (
              <Notice tone="info" title={t("admin.sources.closed")}>
                <p>
                  {t("admin.sources.closedHint")} <code dir="ltr">FOOTNOTE_SOURCE_PLACES</code>
                </p>
              </Notice>
            ) : (
              <AddForm places={places} />
            )}
            <List sources={sources} />
          </>
        )}
      </Loaded>
    </>
  );
}

type Wanted = Parameters<typeof bodyOf>[0];

function bodyOf(given: FormData) {
  return {
    place: textOf(given, "place"),
    collection: textOf(given, "collection") || "default",
    every_minutes: numberOrNull(given, "every"),
    delete_missing: given.has("delete"),
    secret: textOrNull(given, "secret"),
  };
}

function AddForm({ places }: { readonly places: readonly string[] }) {
  const { t } = useTranslation();
  const refresh = useRefresh("sources");
  const form = useRef<HTMLDivElement>(null);
  const [checked, setChecked] = useState<SourceCheck | null>(null);
  const send = async (given: Wanted) => {
    const body = bodyOf(given);
    if (checked?.found != null) {
      await answered(api.POST("/v1/sources", { body }));
      setChecked(null);
      await refresh();
      return;
    }
    setChecked(await answered(api.POST("/v1/sources/check", { body })));
    // What was given stays in the form, to be saved.
    throw new Checked();
  };
  return (
    // What is changed after the check has to be checked anew.
    <div ref={form} onChange={() => setChecked(null)} className="flex flex-col gap-2">
      <ActForm
        label={t("admin.sources.add")}
        submit={checked?.found != null ? t("admin.sources.save") : t("admin.sources.check")}
        onSubmit={send}
        keeps={(error) => error instanceof Checked}
      >
        <Field
          name="place"
          label={t("admin.sources.place")}
          hint={t("admin.sources.below", { places: places.join(", ") })}
          required
        />
        <Field name="collection" label={t("admin.collection")} hint={t("admin.sources.default")} />
        <Choice
          name="every"
          label={t("admin.sources.every")}
          choices={[
            ["", t("admin.sources.byHand")] as const,
            ...HOURS.map(
              (each) =>
                [String(each * MINUTES), t("admin.sources.hours", { count: each })] as const,
            ),
          ]}
        />
        <Field
          name="secret"
          label={t("admin.sources.secret")}
          hint={t("admin.sources.secretHint")}
          type="password"
        />
        <Choices
          name="delete"
          label={t("admin.sources.gone")}
          choices={[["yes", t("admin.sources.delete")]]}
        />
      </ActForm>
      <div role="status">{checked !== null && <Found checked={checked} />}</div>
    </div>
  );
}

/** Not a failure: the form is kept until what was found is saved. */
class Checked extends Error {}

function Found({ checked }: { readonly checked: SourceCheck }) {
  const { t } = useTranslation();
  const { found } = checked;
  if (found === null) {
    return (
      <Notice tone="warn" title={t("admin.sources.unreachable")}>
        <p>{checked.reason}</p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="info"
      title={t(found.more ? "admin.sources.foundMore" : "admin.sources.found", {
        count: found.entries,
      })}
    >
      {found.names.length > 0 && (
        <ul className="list-disc ps-5">
          {found.names.map((each) => (
            <li key={each}>
              <bdi>{each}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function List({ sources }: { readonly sources: readonly WorkspaceSource[] }) {
  const { t } = useTranslation();
  const number = useNumber();
  const run = useRun("sources");
  const { hidden, remove } = useRemoval("sources");
  return (
    <Table
      caption={t("admin.section.sources")}
      rows={sources.filter((each) => !hidden.has(each.source_id))}
      keyOf={(each) => each.source_id}
      empty={t("admin.sources.none")}
      columns={[
        { head: t("admin.sources.place"), cell: (each) => <bdi>{each.place}</bdi> },
        {
          head: t("admin.sources.kind"),
          cell: (each) => t(`admin.sourceKind.${each.kind as "folder"}`),
        },
        { head: t("admin.collection"), cell: (each) => <bdi>{each.collection}</bdi> },
        { head: t("admin.state"), cell: (each) => <State source={each} /> },
        { head: t("admin.sources.last"), cell: (each) => <Moment at={each.started_at} /> },
        { head: t("admin.sources.added"), numeric: true, cell: (each) => number(each.added) },
        { head: t("admin.sources.changed"), numeric: true, cell: (each) => number(each.changed) },
        { head: t("admin.sources.removed"), numeric: true, cell: (each) => number(each.removed) },
        { head: t("admin.sources.failed"), numeric: true, cell: (each) => number(each.failed) },
        { head: t("admin.sources.next"), cell: (each) => <Moment at={each.next_run_at} /> },
        {
          head: t("admin.actions"),
          cell: (each) => {
            const path = { params: { path: { source_id: each.source_id } } };
            return (
              <div className="flex flex-wrap gap-1">
                {each.state !== "running" && (
                  <Button
                    onClick={() =>
                      run(() => answered(api.POST("/v1/sources/{source_id}/run", path)))
                    }
                  >
                    {each.state === "paused"
                      ? t("admin.sources.resume")
                      : t("admin.sources.runNow")}
                  </Button>
                )}
                {each.state !== "paused" && (
                  <Button
                    onClick={() =>
                      run(() => answered(api.POST("/v1/sources/{source_id}/pause", path)))
                    }
                  >
                    {t("admin.sources.pause")}
                  </Button>
                )}
                <Button
                  look="danger"
                  onClick={() =>
                    remove(each.source_id, t("admin.removed", { name: each.place }), () =>
                      answered(api.DELETE("/v1/sources/{source_id}", { ...path, keepalive: true })),
                    )
                  }
                >
                  {t("admin.remove")}
                </Button>
              </div>
            );
          },
        },
      ]}
    />
  );
}

function State({ source }: { readonly source: WorkspaceSource }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-1">
      <span>
        {source.state === "running"
          ? t("admin.sources.running", { count: source.seen })
          : t(`admin.sourceState.${source.state as "waiting"}`)}
      </span>
      {source.last_error !== null && <span className="text-bad">{source.last_error}</span>}
    </div>
  );
}
