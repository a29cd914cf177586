// What is asked of the server, by the keys under which its answers are kept.
import { type QueryClient, infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answered, api, raw } from "./client";
import type { Message } from "./types";
import { currentWorkspace, notePrincipal } from "./credential";

const PAGE_OF_DOCUMENTS = 40;
const PAGE_OF_MESSAGES = 500;
/** That are had on each side of a chunk at once. */
const MAX_CHUNKS = 50;

export const identityQuery = queryOptions({
  queryKey: ["identity"],
  queryFn: async () => {
    const who = await answered(api.GET("/v1/identity"));
    notePrincipal(who.principal);
    return who;
  },
  retry: false,
});

export const statsQuery = queryOptions({
  queryKey: ["stats"],
  queryFn: () => answered(api.GET("/stats")),
});

/** The newest documents; lists that are sorted otherwise have keys that begin alike. */
export const documentsQuery = infiniteQueryOptions({
  queryKey: ["documents", "newest"],
  queryFn: ({ pageParam }) =>
    answered(
      api.GET("/v1/documents", {
        params: { query: { limit: PAGE_OF_DOCUMENTS, ...(pageParam && { cursor: pageParam }) } },
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export function documentQuery(id: string) {
  return queryOptions({
    queryKey: ["document", id],
    queryFn: () =>
      answered(api.GET("/v1/documents/{document_id}", { params: { path: { document_id: id } } })),
  });
}

export const conversationsQuery = infiniteQueryOptions({
  queryKey: ["conversations"],
  queryFn: ({ pageParam }) =>
    answered(
      api.GET("/v1/conversations", {
        params: { query: { limit: 100, ...(pageParam && { cursor: pageParam }) } },
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

export function conversationQuery(id: string) {
  return queryOptions({
    queryKey: ["conversation", id],
    queryFn: () =>
      answered(
        api.GET("/v1/conversations/{conversation_id}", {
          params: { path: { conversation_id: id } },
        }),
      ),
  });
}

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: () => answered(api.GET("/v1/models")),
  staleTime: Number.POSITIVE_INFINITY,
});

/** All versions of all messages, oldest first. */
export function messagesQuery(id: string) {
  return queryOptions({
    queryKey: ["messages", id],
    queryFn: () => messagesAfter(id, null),
  });
}

async function messagesAfter(id: string, place: string | null): Promise<Message[]> {
  const messages = [];
  let cursor = place;
  do {
    const query: { limit: number; branches: boolean; cursor?: string } = {
      limit: PAGE_OF_MESSAGES,
      branches: true,
    };
    if (cursor !== null) query.cursor = cursor;
    const page = await answered(
      api.GET("/v1/conversations/{conversation_id}/messages", {
        params: { path: { conversation_id: id }, query },
      }),
    );
    messages.push(...page.messages);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return messages;
}

/** Has what came after the last message that is known; of a long conversation all would be a lot. */
export async function fetchNewMessages(queries: QueryClient, id: string): Promise<void> {
  const { queryKey } = messagesQuery(id);
  // What was asked for before the answer was kept lacks it, and would stand for what is asked now.
  await queries.cancelQueries({ queryKey });
  const known = queries.getQueryData<Message[]>(queryKey);
  const last = known?.at(-1);
  if (known === undefined || last === undefined) {
    await queries.invalidateQueries({ queryKey });
    return;
  }
  const added = await messagesAfter(id, String(last.message_no));
  const active = known.filter((each) => each.active).at(-1);
  if (added[0] !== undefined && added[0].parent_id !== active?.message_id) {
    // Another window has changed which branch goes on.
    await queries.invalidateQueries({ queryKey });
    return;
  }
  queries.setQueryData<Message[]>(queryKey, [...known, ...added]);
}

/** What may be asked after an answer; the server stops looking when nobody waits any more. */
export function suggestionsQuery(conversation: string, message: string, language: string) {
  return queryOptions({
    queryKey: ["suggestions", conversation, message],
    queryFn: ({ signal }) =>
      answered(
        api.POST("/v1/conversations/{conversation_id}/messages/{message_id}/suggestions", {
          params: { path: { conversation_id: conversation, message_id: message } },
          body: { language },
          signal,
        }),
      ),
    staleTime: Infinity,
    // An answer does without them.
    retry: false,
  });
}

/** A span of a document's text, as a citation names it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where spans stand on a page, from the stored offsets and the geometry of the page. */
export function rectanglesQuery(id: string, page: number, spans: readonly Span[]) {
  return queryOptions({
    queryKey: ["rectangles", id, page, spans],
    queryFn: () =>
      answered(
        api.GET("/v1/documents/{document_id}/pages/{page}/rects", {
          params: {
            path: { document_id: id, page },
            query: {
              start: spans.map((each) => each.start),
              end: spans.map((each) => each.end),
            },
          },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** On which pages a span of a file stands whose format has no pages of its own. */
export function pagesOfSpanQuery(id: string, span: Span | null) {
  return queryOptions({
    queryKey: ["pages-of-span", id, span],
    queryFn: () =>
      answered(
        api.GET("/v1/documents/{document_id}/pages", {
          params: {
            path: { document_id: id },
            query: span === null ? {} : { start: span.start, end: span.end },
          },
        }),
      ),
    enabled: span !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export function contextQuery(chunk: string, window: number) {
  return queryOptions({
    queryKey: ["context", chunk, window],
    queryFn: () => answered(api.POST("/v1/context", { body: { chunk_id: chunk, window } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** The whole text of a document, a few chunks at a time. */
export function passagesQuery(id: string, version: number, count: number) {
  return queryOptions({
    queryKey: ["passages-of", id, version],
    queryFn: async ({ signal }) => {
      const found = [];
      for (let first = 0; first < count; first += 2 * MAX_CHUNKS + 1) {
        const middle = Math.min(first + MAX_CHUNKS, count - 1);
        const body = { chunk_id: `${id}:${version}:${middle}`, window: MAX_CHUNKS };
        const { context_before, chunk, context_after } = await answered(
          api.POST("/v1/context", { body, signal }),
        );
        // Where the document ends, those before were there already.
        const all = [...context_before, chunk, ...context_after];
        found.push(...all.filter((each) => each.ordinal >= first));
      }
      return found;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** The bytes of a document's file. */
export async function fileOf(id: string, signal: AbortSignal): Promise<ArrayBuffer> {
  return (await raw(`/v1/documents/${id}/content`, { signal })).arrayBuffer();
}

/** Where the browser itself gets a document's file: of the workspace that the app is in. */
export function contentAddress(id: string): string {
  const workspace = currentWorkspace();
  const query = workspace === null ? "" : `?${new URLSearchParams({ workspace }).toString()}`;
  return `/v1/documents/${id}/content${query}`;
}
