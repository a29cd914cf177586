// The conversations, what was used last first; each can be renamed, exported and deleted.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

import { raw } from "../api/client";
import { wordsOf } from "../api/problem";
import { conversationsQuery } from "../api/queries";
import type { Conversation } from "../api/types";
import { paneShown } from "../app/place";
import { Button } from "../ui/Button";
import { Menu } from "../ui/Menu";
import { ProblemNotice } from "../ui/ProblemNotice";
import { lazily } from "../ui/lazily";
import { saveAs } from "../ui/saveAs";
import { useStore } from "../ui/store";
import { showToast } from "../ui/toasts";
import { deleteUnlessUndone, leaving } from "./deleting";

const Rename = lazily(() => import("./Rename").then((m) => m.Rename), "waiting");

const FORMATS = ["markdown", "docx", "pdf"] as const;
type Format = (typeof FORMATS)[number];
const ENDINGS: Record<Format, string> = { markdown: ".md", docx: ".docx", pdf: ".pdf" };

export function ConversationList() {
  const { t } = useTranslation();
  const found = useInfiniteQuery(conversationsQuery);
  const hidden = useStore(leaving);
  const [renamed, setRenamed] = useState<Conversation | null>(null);
  const navigate = useNavigate();
  const { conversationId } = useParams({ strict: false });

  const remove = ({ conversation_id: id, title }: Conversation) => {
    if (id === conversationId) void navigate({ to: "/", search: {} });
    deleteUnlessUndone(
      id,
      t("conversation.deleted", { title: title || t("conversation.untitled") }),
    );
  };
  const exportAs = async ({ conversation_id: id, title }: Conversation, format: Format) => {
    try {
      const response = await raw(`/v1/conversations/${id}/export?format=${format}`);
      saveAs(await response.blob(), `${title || t("conversation.untitled")}${ENDINGS[format]}`);
    } catch (error) {
      showToast(wordsOf(error));
    }
  };

  if (found.isError)
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  const all = found.data?.pages.flatMap((page) => page.conversations) ?? [];
  const shown = all.filter((each) => !hidden.has(each.conversation_id));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-1">
      {found.isSuccess && shown.length === 0 && (
        <p className="px-2 text-sm text-muted">{t("conversation.none")}</p>
      )}
      <ul>
        {shown.map((each) => (
          <li key={each.conversation_id} className="flex items-center rounded-md hover:bg-hover">
            <Link
              to="/conversations/$conversationId"
              params={{ conversationId: each.conversation_id }}
              search={{}}
              onClick={() => paneShown.set("main")}
              // Cut off at its own end, whichever way the app reads.
              dir="auto"
              className="min-w-0 flex-1 truncate rounded-md px-2 py-1.5 text-sm aria-[current=page]:font-semibold"
            >
              {each.title || t("conversation.untitled")}
            </Link>
            <Menu
              label={t("conversation.more", { title: each.title || t("conversation.untitled") })}
              icon={<Ellipsis aria-hidden size={16} />}
              entries={[
                {
                  kind: "item",
                  label: t("conversation.rename"),
                  onSelect: () => setRenamed(each),
                },
                ...FORMATS.map((format) => ({
                  kind: "item" as const,
                  label: t(`exporting.${format}`),
                  onSelect: () => void exportAs(each, format),
                })),
                { kind: "item", label: t("conversation.delete"), onSelect: () => remove(each) },
              ]}
            />
          </li>
        ))}
      </ul>
      {found.hasNextPage && (
        <Button className="m-2" onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
      <Suspense fallback={null}>
        {renamed !== null && <Rename conversation={renamed} onClose={() => setRenamed(null)} />}
      </Suspense>
    </div>
  );
}
