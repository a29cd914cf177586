// Proves who asks: at an identity provider, or with an API key that only memory keeps.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { isSendable, setApiKey, waysToSignIn } from "../api/credential";
import { identityQuery } from "../api/queries";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { ProblemNotice } from "../ui/ProblemNotice";
import { STILL_SIGNED_IN, useSignOut } from "./useSignOut";

/** The kinds of problems that have words of their own. */
const FAILURES = ["not-authenticated", "forbidden", "rate-limited", STILL_SIGNED_IN] as const;
/** Of the path to come back to; the server takes no longer one. */
const MAX_CHARACTERS = 2000;

export function SignIn() {
  const { t } = useTranslation();
  const { workspace, next = "/", failed } = useSearch({ from: "__root__" });
  const ways = waysToSignIn();
  const signOut = useSignOut();
  const [error, setError] = useState<unknown>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { history } = useRouter();
  const home = workspace === undefined ? "/" : `/?${new URLSearchParams({ workspace }).toString()}`;
  const back = next === "/" || next.length > MAX_CHARACTERS ? home : next;

  const signIn = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("key");
    const key = typeof typed === "string" ? typed.trim() : "";
    if (!isSendable(key)) {
      setError(new Error(t("signIn.notValid")));
      return;
    }
    setApiKey(key);
    try {
      await queries.query(identityQuery);
      history.push(back);
    } catch (refused) {
      setApiKey(null);
      setError(refused);
    }
  };

  const query = workspace === undefined ? "" : `&workspace=${encodeURIComponent(workspace)}`;
  return (
    <main className="mx-auto flex min-h-full max-w-sm flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl font-bold">{t("signIn.title")}</h1>
      {failed !== undefined && error === null && (
        <Notice tone="bad" role="alert">
          <p>{t(`signIn.failed.${FAILURES.find((each) => each === failed) ?? "other"}`)}</p>
          {failed === STILL_SIGNED_IN && (
            <Button className="mt-2" onClick={signOut}>
              {t("signIn.out")}
            </Button>
          )}
        </Notice>
      )}
      {ways.length === 0 && (
        <Notice>
          <p>{t("signIn.nobodyAsked")}</p>
          <Button className="mt-2" onClick={() => void navigate({ to: "/" })}>
            {t("signIn.goOn")}
          </Button>
        </Notice>
      )}
      {ways.includes("login") && (
        <a
          href={`/v1/login?next=${encodeURIComponent(back)}${query}`}
          className="rounded-md bg-accent px-3 py-2 text-center font-medium text-on-accent"
        >
          {t("signIn.provider")}
        </a>
      )}
      {(ways.includes("keys") || ways.includes("tokens")) && (
        <form onSubmit={(event) => void signIn(event)} className="flex flex-col gap-2">
          <label htmlFor="key" className="text-sm font-medium">
            {t("signIn.key")}
          </label>
          <input
            id="key"
            name="key"
            type="password"
            required
            autoComplete="off"
            spellCheck={false}
            aria-describedby="key-kept"
            className="rounded-md border border-line bg-surface px-2 py-1.5"
          />
          <p id="key-kept" className="text-sm text-muted">
            {t("signIn.keptInMemory")}
          </p>
          <Button look="primary" type="submit">
            {t("signIn.title")}
          </Button>
        </form>
      )}
      {error !== null && <ProblemNotice error={error} />}
    </main>
  );
}
