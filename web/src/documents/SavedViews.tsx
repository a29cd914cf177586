// Views of the list that one keeps on the server, under names.
import { useQuery } from "@tanstack/react-query";
import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { queryClient } from "../api/queryClient";
import type { SavedView } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { doUnlessUndone, showToast } from "../ui/toasts";
import { typed } from "./changing";
import { type List, NOTHING_CHOSEN, addressOf, listOf, viewOf, viewsQuery } from "./list";

const FIELD = "min-h-8 rounded-md border border-line bg-surface px-2 py-1 text-sm";

interface SavedViewsProps {
  readonly list: List;
  readonly onChange: (list: List) => void;
}

function same(one: List, other: List): boolean {
  return JSON.stringify(addressOf(one)) === JSON.stringify(addressOf(other));
}

async function remove(name: string): Promise<void> {
  try {
    await answered(api.DELETE("/v1/views", { params: { query: { name } } }));
  } catch (error) {
    showToast(error instanceof Error ? error.message : String(error));
  }
  await queryClient.invalidateQueries({ queryKey: viewsQuery.queryKey });
}

function shownWithout(name: string): void {
  queryClient.setQueryData(
    viewsQuery.queryKey,
    (found) => found && { views: found.views.filter((each) => each.name !== name) },
  );
}

export function SavedViews({ list, onChange }: SavedViewsProps) {
  const { t } = useTranslation();
  const found = useQuery(viewsQuery);
  const [naming, setNaming] = useState(false);
  const views = found.data?.views ?? [];
  const current = views.find((each) => same(listOf(each), list));
  const keep = async (name: string) => {
    setNaming(false);
    try {
      await answered(api.PUT("/v1/views", { body: viewOf(name, list) }));
      await queryClient.invalidateQueries({ queryKey: viewsQuery.queryKey });
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error));
    }
  };
  const drop = (view: SavedView) => {
    shownWithout(view.name);
    onChange(NOTHING_CHOSEN);
    doUnlessUndone(
      t("list.viewRemoved", { name: view.name }),
      () => remove(view.name),
      () => void queryClient.invalidateQueries({ queryKey: viewsQuery.queryKey }),
    );
  };
  return (
    <div role="group" aria-label={t("list.views")} className="flex flex-wrap items-center gap-1">
      {views.length > 0 && (
        <select
          aria-label={t("list.views")}
          value={current?.name ?? ""}
          onChange={(event) => {
            const chosen = views.find((each) => each.name === event.target.value);
            onChange(chosen === undefined ? NOTHING_CHOSEN : listOf(chosen));
          }}
          className={`${FIELD} max-w-48`}
        >
          <option value="">{t("list.allDocuments")}</option>
          {views.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
      )}
      {current !== undefined && (
        <IconButton
          label={t("list.removeView", { name: current.name })}
          icon={<Trash2 aria-hidden size={16} />}
          onClick={() => drop(current)}
        />
      )}
      {naming ? (
        <form
          className="flex gap-1"
          onSubmit={(event) => {
            event.preventDefault();
            const name = typed(event.currentTarget, "name").trim();
            if (name !== "") void keep(name);
          }}
        >
          <input
            // eslint-disable-next-line jsx-a11y/no-autofocus -- the button that asks for it is gone
            autoFocus
            name="name"
            dir="auto"
            required
            maxLength={100}
            aria-label={t("list.viewName")}
            placeholder={t("list.viewName")}
            className={FIELD}
            onKeyDown={(event) => event.key === "Escape" && setNaming(false)}
          />
          <Button type="submit">{t("common.save")}</Button>
        </form>
      ) : (
        current === undefined &&
        !same(list, NOTHING_CHOSEN) && (
          <Button look="quiet" onClick={() => setNaming(true)}>
            <Bookmark aria-hidden size={14} /> {t("list.keepView")}
          </Button>
        )
      )}
    </div>
  );
}
