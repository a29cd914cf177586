// Everything that can be done from anywhere: by the palette, and by a key where it has one.
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { useGuest, useMay } from "../api/may";
import { LANGUAGES, chooseLanguage } from "../i18n/language";
import { showOverlay, togglePane } from "./overlays";
import { paneShown, trail, useClosePlace, useOpenPlace, usePlace } from "./place";
import { THEMES, prefer } from "./preferences";

export interface Action {
  readonly id: string;
  readonly label: string;
  /** As the browser calls the key; `mod+` for Control or Command. */
  readonly key?: string;
  readonly run: () => void;
}

function focusOn(selector: string): void {
  // What is asked for may only be there once the view has changed.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus()),
  );
}

export function useActions(): readonly Action[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const openPlace = useOpenPlace();
  const closePlace = useClosePlace();
  const place = usePlace();
  const mayAdminister = useMay("administer") === true;
  const isGuest = useGuest() === true;
  return useMemo(() => {
    const walk = (by: 1 | -1) => {
      const places = trail.get();
      const now = places.findIndex(
        ({ document, start, end }) =>
          document === place.document && start === place.start && end === place.end,
      );
      const next = places[now + by];
      if (next !== undefined) openPlace(next);
    };
    const go =
      (
        to:
          | "/"
          | "/find"
          | "/compare"
          | "/documents"
          | "/map"
          | "/entities"
          | "/clusters"
          | "/conflicts"
          | "/admin",
        selector: string,
      ) =>
      () => {
        paneShown.set("main");
        void navigate({ to }).then(() => focusOn(selector));
      };
    return [
      { id: "palette", label: t("palette.open"), key: "mod+k", run: () => showOverlay("palette") },
      { id: "keys", label: t("shortcuts.title"), key: "?", run: () => showOverlay("shortcuts") },
      ...(isGuest
        ? []
        : [{ id: "ask", label: t("conversation.new"), key: "n", run: go("/", "#question") }]),
      { id: "find", label: t("nav.search"), key: "/", run: go("/find", "#search") },
      { id: "documents", label: t("nav.documents"), key: "d", run: go("/documents", "#filter") },
      { id: "map", label: t("map.title"), key: "m", run: go("/map", "#map, #filter") },
      { id: "entities", label: t("knowledge.entities"), run: go("/entities", "#filter, #main") },
      { id: "clusters", label: t("clusters.title"), run: go("/clusters", "#main") },
      { id: "conflicts", label: t("conflicts.title"), run: go("/conflicts", "#main") },
      ...(mayAdminister
        ? [{ id: "admin", label: t("admin.title"), run: go("/admin", "#main") }]
        : []),
      { id: "compare", label: t("compare.title"), run: go("/compare", "[name=query]") },
      { id: "next", label: t("page.nextCitation"), key: "]", run: () => walk(1) },
      { id: "previous", label: t("page.previousCitation"), key: "[", run: () => walk(-1) },
      {
        id: "sources",
        label: t("panes.toggleSources"),
        key: "s",
        run: () => togglePane("sources"),
      },
      { id: "page", label: t("panes.togglePage"), key: "p", run: () => togglePane("page") },
      { id: "close", label: t("page.close"), key: "x", run: closePlace },
      ...THEMES.map((theme) => ({
        id: `theme-${theme}`,
        label: `${t("view.theme")}: ${t(`view.themes.${theme}`)}`,
        run: () => prefer({ theme }),
      })),
      ...LANGUAGES.map(([code, name]) => ({
        id: `language-${code}`,
        label: `${t("view.language")}: ${name}`,
        run: () => void chooseLanguage(code),
      })),
    ];
  }, [
    t,
    navigate,
    openPlace,
    closePlace,
    place.document,
    place.start,
    place.end,
    mayAdminister,
    isGuest,
  ]);
}
