// The conversations in which the words stand, each with the messages that have them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { paneShown } from "../app/place";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";

export function FoundConversations({ query }: { readonly query: string }) {
  const { t } = useTranslation();
  const found = useInfiniteQuery({
    queryKey: ["conversations", "found", query],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET("/v1/conversations", {
          params: { query: { query, limit: 50, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const pages = found.data?.pages ?? [];
  const conversations = pages.flatMap((page) => page.conversations);
  const matches = pages.flatMap((page) => page.matches);
  const { hasNextPage, isFetching, isError, fetchNextPage } = found;
  const nothingYet = conversations.length === 0;
  useEffect(() => {
    // The server looks at so many messages at a time, of which none may have the words.
    if (nothingYet && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [nothingYet, hasNextPage, isFetching, isError, fetchNextPage]);

  if (isError) return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-1">
      <p role="status" className="px-2 text-xs text-muted">
        {isFetching
          ? t("finding.looking")
          : nothingYet
            ? t("finding.nothing")
            : t("finding.found", { count: conversations.length })}
      </p>
      <ul aria-label={t("finding.results")}>
        {conversations.map((each) => (
          <li key={each.conversation_id} className="rounded-md px-2 py-1.5 text-sm">
            <Link
              to="/conversations/$conversationId"
              params={{ conversationId: each.conversation_id }}
              search={{}}
              onClick={() => paneShown.set("main")}
              className="flex min-h-6 items-center font-medium hover:underline"
            >
              <bdi className="truncate">{each.title || t("conversation.untitled")}</bdi>
            </Link>
            <ul>
              {matches.map(({ conversation_id: conversation, message_id: message, ...match }) =>
                conversation !== each.conversation_id || message === null ? null : (
                  <li key={message}>
                    <Link
                      to="/conversations/$conversationId"
                      params={{ conversationId: conversation }}
                      search={{ message }}
                      onClick={() => paneShown.set("main")}
                      className="line-clamp-2 rounded-md py-0.5 text-xs text-muted hover:bg-hover"
                    >
                      <bdi>{match.excerpt}</bdi>
                    </Link>
                  </li>
                ),
              )}
            </ul>
          </li>
        ))}
      </ul>
      {hasNextPage && !nothingYet && (
        <Button className="m-2" onClick={() => void fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </div>
  );
}
