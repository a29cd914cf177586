// The frame of the app: a bar, and three panes for sources, conversation and page.
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation, useParams, useRouter } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { onSignedOut } from "../api/client";
import { setWorkspace } from "../api/credential";
import { isAbsent } from "../api/problem";
import { documentQuery } from "../api/queries";
import { followEvents } from "../documents/events";
import { Toasts } from "../ui/Toasts";
import { cx } from "../ui/cx";
import { lazily } from "../ui/lazily";
import { useStore } from "../ui/store";
import { useAskBeforeLeaving } from "../ui/unsent";
import { useMedia } from "../ui/useMedia";
import { Bar } from "./Bar";
import { Separator } from "./Separator";
import { ShortcutKeys } from "./ShortcutKeys";
import { Sources } from "./Sources";
import { overlays, panesOpen } from "./overlays";
import { paneShown, usePlace } from "./place";
import { prefer, preferences } from "./preferences";
import { useTitle } from "./useTitle";

/** From here on panes stand beside each other, as `md:` says in their styles. */
const WIDE = "(min-width: 48rem)";

const PagePanes = lazily(() => import("../page/PagePanes").then((m) => m.PagePanes));
const Palette = lazily(() => import("./Palette").then((m) => m.Palette), "waiting");
const Shortcuts = lazily(() => import("./Shortcuts").then((m) => m.Shortcuts), "waiting");

export function Shell() {
  const { t } = useTranslation();
  const { pathname, search } = useLocation();
  // Every request of the panes names the workspace of the address.
  setWorkspace(search.workspace ?? null);
  useTitle();
  const router = useRouter();
  const place = usePlace();
  const { sourcesWidth, pageWidth } = useStore(preferences);
  const shown = useStore(paneShown);
  const open = useStore(panesOpen);
  const { palette, shortcuts } = useStore(overlays);
  const signingIn = pathname === "/sign-in";
  const { documentId } = useParams({ strict: false });
  const own = search.document === undefined ? documentId : undefined;
  const { error } = useQuery({ ...documentQuery(own ?? ""), enabled: own !== undefined });
  // Of a document that is not there, its address says so; it has no page besides.
  const hasPage = place.document !== undefined && !(own !== undefined && isAbsent(error));
  // A page that nobody sees yet is not loaded; once it was seen it stays as it was left.
  const isWide = useMedia(WIDE);
  const isSeen = hasPage && (isWide ? open.page : shown === "page");
  const [wasSeen, setWasSeen] = useState(false);
  if (wasSeen !== (hasPage && (wasSeen || isSeen))) setWasSeen(!wasSeen);

  useEffect(
    () =>
      onSignedOut(() => {
        const asked = router.latestLocation;
        if (asked.pathname === "/sign-in") return;
        void router.navigate({ to: "/sign-in", search: { next: asked.href } });
      }),
    [router],
  );
  useEffect(() => (signingIn ? undefined : followEvents()), [signingIn, search.workspace]);
  useAskBeforeLeaving();

  if (signingIn) return <Outlet />;
  const narrow = (pane: string) => (shown === pane ? "flex" : "hidden");
  return (
    // What is placed within a pane that scrolls must not make the whole app scroll.
    <div className="relative flex h-full flex-col overflow-clip">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        {t("panes.skip")}
      </a>
      <Bar hasPage={hasPage} />
      <div className="flex min-h-0 flex-1">
        <nav
          id="sources"
          aria-label={t("panes.sources")}
          style={{ "--pane-width": `${sourcesWidth}px` } as React.CSSProperties}
          className={cx(
            narrow("sources"),
            "w-full min-w-0 bg-raised md:w-(--pane-width) md:shrink-0",
            open.sources ? "md:flex" : "md:hidden",
          )}
        >
          <div className="flex min-w-0 flex-1 flex-col">
            <Sources />
          </div>
          <Separator
            label={t("panes.resizeSources")}
            controls="sources"
            width={sourcesWidth}
            least={200}
            most={480}
            grows={1}
            onResize={(width) => prefer({ sourcesWidth: width })}
          />
        </nav>
        <main
          id="main"
          tabIndex={-1}
          className={cx(narrow("main"), "min-w-0 flex-1 flex-col outline-none md:flex")}
        >
          <Suspense fallback={<p className="p-4 text-sm text-muted">{t("common.loading")}</p>}>
            <Outlet />
          </Suspense>
        </main>
        {hasPage && (
          <section
            id="page"
            aria-label={t("panes.page")}
            style={{ "--pane-width": `${pageWidth}px` } as React.CSSProperties}
            className={cx(
              narrow("page"),
              "w-full min-w-0 bg-raised md:w-(--pane-width) md:max-w-[60vw] md:shrink-0",
              open.page ? "md:flex" : "md:hidden",
            )}
          >
            <Separator
              label={t("panes.resizePage")}
              controls="page"
              width={pageWidth}
              least={280}
              most={1100}
              grows={-1}
              onResize={(width) => prefer({ pageWidth: width })}
            />
            <div className="flex min-w-0 flex-1 flex-col">
              <Suspense fallback={<p className="p-4 text-sm text-muted">{t("common.loading")}</p>}>
                {(isSeen || wasSeen) && <PagePanes />}
              </Suspense>
            </div>
          </section>
        )}
      </div>
      <ShortcutKeys />
      <Suspense fallback={null}>
        {palette && <Palette />}
        {shortcuts && <Shortcuts />}
      </Suspense>
      <Toasts />
    </div>
  );
}
