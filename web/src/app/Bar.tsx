// The bar above the panes: where one is, which panes are open, how the app looks.
import { useIsFetching } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Command, PanelLeft, PanelRight, Settings2, WifiOff } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useGuest, useMay } from "../api/may";
import { LANGUAGES, chooseLanguage } from "../i18n/language";
import { Button, IconButton } from "../ui/Button";
import { Menu, type MenuEntry } from "../ui/Menu";
import { cx } from "../ui/cx";
import { useStore } from "../ui/store";
import { panesOpen, showOverlay, togglePane } from "./overlays";
import { type Pane, paneShown } from "./place";
import { THEMES, type Theme, prefer, preferences } from "./preferences";
import { useOnline } from "./useOnline";
import { useSignOut } from "./useSignOut";

const LINK =
  "rounded-md px-2 py-1 text-sm hover:bg-hover aria-[current=page]:font-semibold aria-[current=page]:underline";

export function Bar({ hasPage }: { readonly hasPage: boolean }) {
  const { t } = useTranslation();
  const open = useStore(panesOpen);
  const busy = useIsFetching() > 0;
  const online = useOnline();
  const mayAdminister = useMay("administer") === true;
  const isGuest = useGuest() === true;
  return (
    <header className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-surface px-2 py-1">
      <IconButton
        label={t("panes.toggleSources")}
        aria-pressed={open.sources}
        className="hidden md:inline-flex"
        icon={<PanelLeft aria-hidden size={18} />}
        onClick={() => togglePane("sources")}
      />
      <Link to="/" search={{}} className="px-1 text-base font-bold">
        Footnote
      </Link>
      {/* On a narrow window a row of its own, whether it has the last of them yet or not. */}
      <ul className="order-1 flex basis-full flex-wrap items-center gap-1 md:order-none md:basis-auto">
        {!isGuest && (
          <li>
            <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={LINK}>
              {t("nav.ask")}
            </Link>
          </li>
        )}
        <li>
          <Link to="/find" className={LINK} activeOptions={{ includeSearch: false }}>
            {t("nav.search")}
          </Link>
        </li>
        <li>
          <Link to="/documents" className={LINK} activeOptions={{ includeSearch: false }}>
            {t("nav.documents")}
          </Link>
        </li>
        <li>
          <Link to="/map" className={LINK} activeOptions={{ includeSearch: false }}>
            {t("nav.map")}
          </Link>
        </li>
        <li>
          <Link to="/entities" className={LINK} activeOptions={{ includeSearch: false }}>
            {t("knowledge.entities")}
          </Link>
        </li>
        <li>
          <Link to="/conflicts" className={LINK} activeOptions={{ includeSearch: false }}>
            {t("nav.conflicts")}
          </Link>
        </li>
        {mayAdminister && (
          <li>
            <Link to="/admin" className={LINK} activeOptions={{ includeSearch: false }}>
              {t("admin.title")}
            </Link>
          </li>
        )}
      </ul>
      <span
        aria-hidden
        className={cx(
          "ms-auto size-2 rounded-full",
          busy ? "animate-pulse bg-accent" : "bg-transparent",
        )}
      />
      <p role="status" className="text-sm text-warn">
        {!online && (
          <span className="inline-flex items-center gap-1">
            <WifiOff aria-hidden size={16} /> {t("offline.short")}
          </span>
        )}
      </p>
      <IconButton
        label={t("palette.open")}
        icon={<Command aria-hidden size={18} />}
        onClick={() => showOverlay("palette")}
      />
      <ViewMenu />
      {hasPage && (
        <IconButton
          label={t("panes.togglePage")}
          aria-pressed={open.page}
          className="hidden md:inline-flex"
          icon={<PanelRight aria-hidden size={18} />}
          onClick={() => togglePane("page")}
        />
      )}
      <PaneSwitch hasPage={hasPage} />
    </header>
  );
}

function ViewMenu() {
  const { t, i18n } = useTranslation();
  const { theme } = useStore(preferences);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const entries: readonly MenuEntry[] = [
    {
      kind: "choice",
      label: t("view.theme"),
      value: theme,
      onChange: (value) => prefer({ theme: value as Theme }),
      choices: THEMES.map((each) => [each, t(`view.themes.${each}`)] as const),
    },
    {
      kind: "choice",
      label: t("view.language"),
      value: i18n.language,
      onChange: (value) => void chooseLanguage(value),
      choices: LANGUAGES,
    },
    { kind: "item", label: t("shortcuts.title"), onSelect: () => showOverlay("shortcuts") },
    { kind: "item", label: t("signIn.title"), onSelect: () => void navigate({ to: "/sign-in" }) },
    { kind: "item", label: t("signIn.out"), onSelect: signOut },
  ];
  return (
    <Menu label={t("view.menu")} icon={<Settings2 aria-hidden size={18} />} entries={entries} />
  );
}

/** On a narrow window, which of the panes is shown. */
function PaneSwitch({ hasPage }: { readonly hasPage: boolean }) {
  const { t } = useTranslation();
  const shown = useStore(paneShown);
  const panes: readonly Pane[] = hasPage ? ["sources", "main", "page"] : ["sources", "main"];
  return (
    <div
      role="group"
      aria-label={t("panes.switch")}
      className="order-2 flex w-full gap-1 md:hidden"
    >
      {panes.map((pane) => (
        <Button
          key={pane}
          look={pane === shown ? "primary" : "plain"}
          aria-pressed={pane === shown}
          className="flex-1"
          onClick={() => paneShown.set(pane)}
        >
          {t(`panes.${pane}`)}
        </Button>
      ))}
    </div>
  );
}
