// An entity is renamed, takes in another, or loses what some documents call so to one of its own.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { ActForm, FIELD, Field } from "../admin/Form";
import { textOf } from "../admin/given";
import { answered, api } from "../api/client";
import type { Entity } from "../api/types";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { useAct, useRun } from "./acting";
import { candidatesQuery } from "./queries";

interface ChangeProps {
  readonly entity: Entity;
}

export function Rename({ entity }: ChangeProps) {
  const { t } = useTranslation();
  const act = useAct();
  return (
    <section aria-labelledby="rename" className="flex flex-col gap-2">
      <h2 id="rename" className="font-semibold">
        {t("knowledge.rename")}
      </h2>
      <ActForm
        label={t("knowledge.rename")}
        submit={t("common.save")}
        onSubmit={(given) =>
          act(() =>
            answered(
              api.PATCH("/v1/entities/{entity_id}", {
                params: { path: { entity_id: entity.entity_id } },
                body: { name: textOf(given, "name") },
              }),
            ),
          )
        }
      >
        <Field key={entity.name} name="name" label={t("admin.name")} value={entity.name} required />
      </ActForm>
    </section>
  );
}

export function Merge({ entity }: ChangeProps) {
  const { t } = useTranslation();
  const id = useId();
  const run = useRun();
  const [query, setQuery] = useState("");
  const found = useQuery(candidatesQuery(query));
  const others = (found.data?.entities ?? []).filter((each) => each.entity_id !== entity.entity_id);
  const merge = (other: string) => {
    run(async () => {
      await answered(
        api.POST("/v1/entities/{entity_id}/merge", {
          params: { path: { entity_id: entity.entity_id } },
          body: { other_id: other },
        }),
      );
      setQuery("");
    });
  };
  return (
    <section aria-labelledby="merge" className="flex flex-col gap-2">
      <h2 id="merge" className="font-semibold">
        {t("knowledge.merge")}
      </h2>
      <p className="max-w-prose text-sm text-muted">{t("knowledge.mergeHint")}</p>
      <label htmlFor={id} className="text-sm font-medium">
        {t("knowledge.findEntity")}
      </label>
      <input
        id={id}
        type="search"
        dir="auto"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        className={`${FIELD} max-w-sm`}
      />
      {found.isError && <ProblemNotice error={found.error} />}
      <ul aria-label={t("knowledge.merge")} className="flex flex-col gap-1 text-sm">
        {others.map((each) => (
          <li key={each.entity_id} className="flex flex-wrap items-center gap-2">
            <bdi>{each.name}</bdi>
            <span className="text-muted">{t(`entityKind.${each.kind}`)}</span>
            <Button
              aria-label={`${t("knowledge.takeIn")}: ${each.name}`}
              onClick={() => merge(each.entity_id)}
            >
              {t("knowledge.takeIn")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NamedInProps extends ChangeProps {
  readonly mayAdminister: boolean;
}

/** How documents name it and why; what some of them call so can become an entity of its own. */
export function NamedIn({ entity, mayAdminister }: NamedInProps) {
  const { t, i18n } = useTranslation();
  const run = useRun();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" });
  const choose = (document: string, wanted: boolean) =>
    setChosen((before) =>
      wanted
        ? new Set([...before, document])
        : new Set([...before].filter((each) => each !== document)),
    );
  const split = () => {
    run(async () => {
      const made = await answered(
        api.POST("/v1/entities/{entity_id}/split", {
          params: { path: { entity_id: entity.entity_id } },
          body: { names: [], document_ids: [...chosen] },
        }),
      );
      setChosen(new Set());
      await navigate({
        to: "/entities/$entityId",
        params: { entityId: made.entity_id },
        search: {},
      });
    });
  };
  const splits = mayAdminister && entity.named_in.length > 1;
  return (
    <section aria-labelledby="named-in" className="flex flex-col gap-2">
      <h2 id="named-in" className="font-semibold">
        {t("knowledge.namedIn")}
      </h2>
      <ul aria-label={t("knowledge.namedIn")} className="flex flex-col gap-2 text-sm">
        {entity.named_in.map((each) => (
          <li key={`${each.document_id} ${each.name}`} className="flex items-start gap-2">
            {splits && (
              <input
                type="checkbox"
                aria-label={t("documents.choose", { title: each.document_title })}
                checked={chosen.has(each.document_id)}
                onChange={(event) => choose(each.document_id, event.target.checked)}
                className="size-6 shrink-0"
              />
            )}
            <div className="min-w-0">
              <Link
                to="/documents/$documentId"
                params={{ documentId: each.document_id }}
                search={{}}
                className="inline-block min-h-6 text-accent underline"
              >
                <bdi>{each.document_title}</bdi>
              </Link>
              : <bdi className="font-medium">{each.forms.join(" · ")}</bdi>
              <p className="flex flex-wrap gap-x-3 text-xs text-muted">
                <span>{t("knowledge.mentioned", { count: each.mentions })}</span>
                {each.reasons.map((reason) => (
                  <span key={reason}>{t(`linkReason.${reason}`)}</span>
                ))}
                {each.linked_by !== null && (
                  <span>
                    {t("knowledge.linkedBy", {
                      reason: t(`linkReason.${each.linked_by}`),
                      percent: percent.format(each.confidence),
                    })}
                  </span>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {splits && (
        <div>
          <Button
            disabled={chosen.size === 0 || chosen.size === entity.named_in.length}
            onClick={split}
          >
            {t("knowledge.split")}
          </Button>
        </div>
      )}
    </section>
  );
}
