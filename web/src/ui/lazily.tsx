// Components whose scripts are loaded when they are first shown, however often that fails before.
import { type ComponentType, type ReactNode, createElement, use, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { needsHeader } from "../api/credential";
import { isReached, reachable } from "../api/reach";
import { ProblemNotice } from "./ProblemNotice";
import { createStore, useStore } from "./store";
import { hasUnsent } from "./unsent";

/** What is shown while the server cannot be reached: that it cannot, or what waits for it. */
type WhileLost = "told" | "waiting";

type Loaded<Props> =
  | { readonly state: "unloaded" }
  /** The server cannot be reached; once it can be, the script is asked for again. */
  | { readonly state: "lost"; readonly error: unknown }
  /** The server answers, but has no such script: it has another version of the app. */
  | { readonly state: "gone"; readonly error: Error }
  | { readonly state: "here"; readonly component: ComponentType<Props> };

interface Lazy<Props> {
  (props: Props): ReactNode;
  /** Begins to load it. What fails is not thrown but told where the component is shown. */
  preload: () => Promise<void>;
}

/**
 * A component that is loaded when it is first shown.
 *
 * `React.lazy` keeps a failure for good, and the router's own loads the whole page anew, which
 * leaves the app where there is no connection.
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  whileLost: WhileLost = "told",
): Lazy<Props> {
  const loaded = createStore<Loaded<Props>>({ state: "unloaded" });
  let loading: Promise<void> | undefined;
  let arrive: () => void;
  const arrival = new Promise<void>((resolve) => (arrive = resolve));

  const take = async () => {
    const component = await load();
    loaded.set({ state: "here", component });
    arrive();
  };
  const attempt = async () => {
    try {
      await take();
    } catch (error) {
      if (await isReached()) {
        await take().catch((again: unknown) => {
          loaded.set({ state: "gone", error: new Error(String(again)) });
          arrive();
        });
        return;
      }
      loaded.set({ state: "lost", error });
      const leave = reachable.subscribe(() => {
        leave();
        void preload();
      });
    }
  };
  const preload = (): Promise<void> => {
    if (loaded.get().state === "here") return Promise.resolve();
    loading ??= attempt().finally(() => (loading = undefined));
    return loading;
  };
  function Lazily(props: Props) {
    const now = useStore(loaded);
    if (now.state === "here") return createElement(now.component, props);
    if (now.state === "gone") return <Gone error={now.error} onRetry={() => void preload()} />;
    if (now.state === "lost" && whileLost === "told") {
      return <Told error={now.error} onRetry={() => void preload()} />;
    }
    const settled = preload();
    use(whileLost === "told" ? settled : arrival);
    return null;
  }
  Lazily.preload = preload;
  return Lazily;
}

interface ToldProps {
  readonly error: unknown;
  readonly onRetry: () => void;
}

function Told({ error, onRetry }: ToldProps) {
  return (
    <div className="p-4">
      <ProblemNotice error={error} onRetry={onRetry} />
    </div>
  );
}

/** Whether loading the page anew would lose files that wait, the key, or words in a field. */
function isNeeded(): boolean {
  const fields = [...document.querySelectorAll("textarea")];
  const isTyped = fields.some(({ value, defaultValue }) => value !== defaultValue);
  return isTyped || hasUnsent() || needsHeader();
}

/**
 * Loads the page anew, once for each script that is gone, so that it is not done for ever. Where
 * that would lose something, somebody has to want it.
 */
function Gone({ error, onRetry }: ToldProps & { readonly error: Error }) {
  const { t } = useTranslation();
  const { message } = error;
  const [kept] = useState(isNeeded);
  useEffect(() => {
    if (kept) return;
    const key = `footnote-reloaded:${message}`;
    if (sessionStorage.getItem(key) !== null) return;
    sessionStorage.setItem(key, "yes");
    window.location.reload();
  }, [message, kept]);
  if (kept) {
    return <Told error={new Error(t("common.updated"))} onRetry={() => window.location.reload()} />;
  }
  return <Told error={error} onRetry={onRetry} />;
}
