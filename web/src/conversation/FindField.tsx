// Looks for words in one's own conversations, above their list.
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { ConversationList } from "./ConversationList";
import { lazily } from "../ui/lazily";

const TYPING_MILLISECONDS = 250;
const MAX_CHARACTERS = 200;

const FoundConversations = lazily(() =>
  import("./FoundConversations").then((m) => m.FoundConversations),
);

export function FindField() {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <input
        type="search"
        dir="auto"
        autoComplete="off"
        aria-label={t("finding.label")}
        placeholder={t("finding.label")}
        maxLength={MAX_CHARACTERS}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="mx-2 mb-1 rounded-md border border-line bg-surface px-2 py-1 text-sm placeholder:text-muted"
      />
      {query === "" ? (
        <ConversationList />
      ) : (
        <Suspense fallback={<p className="px-3 text-sm text-muted">{t("common.loading")}</p>}>
          <FoundConversations query={query} />
        </Suspense>
      )}
    </>
  );
}
