// A conversation: its messages, the answer that is being made, and the field for a question.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api, newKey } from "../api/client";
import { useGuest } from "../api/may";
import { isAbsent, isOffline } from "../api/problem";
import { identityQuery, messagesQuery } from "../api/queries";
import type { Message } from "../api/types";
import { changedAddress, placeOf } from "../app/address";
import { trail, usePlace } from "../app/place";
import { Empty } from "../ui/Empty";
import { Missing } from "../ui/Missing";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Scroller } from "../ui/Scroller";
import { useStore } from "../ui/store";
import { Attachments } from "./Attachments";
import { Composer } from "./Composer";
import { DropZone } from "./DropZone";
import { Messages, rowId } from "./Messages";
import { OnlyHere } from "./OnlyHere";
import { OptionsBar } from "./OptionsBar";
import { QuestionText } from "./Question";
import { RunningReply } from "./RunningReply";
import { Suggestions } from "./Suggestions";
import { WaitingQuestion } from "./WaitingQuestion";
import { draft, draftBecomes, takeDraft } from "./attaching";
import { activeBranch, versionsOf } from "./branches";
import { NEW, UNSET, adopt, choose, options } from "./options";
import { dropPending, hasLeft, keepPending, takeLeft } from "./pending";
import {
  type Waiting,
  ask,
  forget,
  isKept,
  keepWaiting,
  refused,
  retry,
  running,
  stop,
  waiting,
} from "./running";
import { typedBecomes } from "./typed";

const NO_MESSAGES: readonly Message[] = [];

export function Conversation() {
  const { t } = useTranslation();
  const { conversationId } = useParams({ strict: false });
  const { message: target } = useSearch({ from: "__root__" });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isGuest = useGuest() === true;
  const [failed, setFailed] = useState<{ readonly at: string; readonly error: unknown } | null>(
    null,
  );
  const [onlyHere, setOnlyHere] = useState(false);
  const { document: opened } = usePlace();
  const { error: unknownHere } = useQuery(identityQuery);
  const found = useQuery({
    ...messagesQuery(conversationId ?? ""),
    enabled: conversationId !== undefined,
  });
  const all = conversationId === undefined ? NO_MESSAGES : (found.data ?? NO_MESSAGES);
  const messages = useMemo(() => activeBranch(all), [all]);
  const versions = useMemo(() => versionsOf(all), [all]);
  const here = conversationId ?? NEW;
  const kept = useStore(waiting)[here];
  const notBegun = useStore(refused);
  const made = useStore(running)[conversationId ?? ""];
  // Once the answer is among the messages, it is shown as one of them.
  const current = all.some((each) => each.message_id === made?.reply) ? undefined : made;
  const busy = current?.state === "searching" || current?.state === "writing";
  const last = messages.at(-1);
  const newest =
    current === undefined && kept === undefined && last?.role === "assistant" ? last : undefined;
  const end = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (target === undefined) end.current?.scrollIntoView({ block: "end" });
  }, [target, conversationId, found.isSuccess, current?.text, current?.state]);

  // It is led to once: whoever goes on to another version of it is not taken back.
  const reached = useRef<string>(undefined);
  const activated = useRef<string>(undefined);
  useEffect(() => {
    if (target === undefined) reached.current = activated.current = undefined;
    if (target === undefined || reached.current === target) return;
    const aimed = all.find((each) => each.message_id === target);
    if (aimed === undefined || conversationId === undefined) return;
    if (aimed.active) {
      reached.current = target;
      const row = document.getElementById(rowId(aimed.message_id));
      row?.scrollIntoView({ block: "start" });
      row?.focus();
      return;
    }
    if (activated.current === target) return;
    activated.current = target;
    // What a link leads to may stand on a branch that was left.
    const path = { conversation_id: conversationId, message_id: aimed.message_id };
    const route = "/v1/conversations/{conversation_id}/messages/{message_id}/activate";
    void answered(api.POST(route, { params: { path } }))
      .then(() => queries.invalidateQueries({ queryKey: messagesQuery(conversationId).queryKey }))
      .catch((error: unknown) => setFailed({ at: conversationId, error }));
  }, [target, all, conversationId, queries]);

  useEffect(() => {
    // A deep link to a quote of this conversation can be walked from.
    const cited = messages.flatMap((each) => each.answer?.citations ?? []);
    if (trail.get().length === 0 && cited.length > 0) trail.set(cited.map(placeOf));
  }, [messages]);

  const askHere = async (asked: Waiting) => {
    const { question, documents, key } = asked;
    setFailed(null);
    keepWaiting(here, null);
    if (conversationId === undefined) {
      refused.set(null);
      keepPending(NEW, {
        ...asked,
        place: { kind: "next" },
        after: 0,
        options: options.get()[NEW] ?? UNSET,
        attached: draft.get(),
      });
    }
    if (!navigator.onLine) {
      keepWaiting(here, asked);
      return;
    }
    try {
      const conversation =
        conversationId ??
        (
          await answered(
            api.POST("/v1/conversations", {
              params: { header: { "idempotency-key": key } },
              body: { document_ids: takeDraft() },
            }),
          )
        ).conversation_id;
      if (conversationId === undefined) {
        adopt(conversation);
        void draftBecomes(conversation);
        typedBecomes(conversation);
        keepPending(conversation, {
          ...asked,
          place: { kind: "next" },
          after: 0,
          options: options.get()[conversation] ?? UNSET,
          attached: [],
        });
        dropPending(NEW, key);
      }
      if (conversationId === undefined || target !== undefined) {
        await navigate({
          to: "/conversations/$conversationId",
          params: { conversationId: conversation },
          search: (before) => changedAddress(before, { message: undefined }),
        });
      }
      await ask(queries, { conversation, question, documents, key });
    } catch (error) {
      // A question that never reached the server waits until it can.
      if (isOffline(error)) keepWaiting(here, asked);
      else {
        dropPending(here, key);
        if (conversationId === undefined) refused.set({ asked, error });
        else setFailed({ at: here, error });
      }
    }
  };
  // What was asked before the page was loaded anew goes on, and is kept once all the same.
  const goOn = useEffectEvent(async (principal: string) => {
    const left = takeLeft(here);
    if (left === null) return;
    const { question, documents, place, key, answer } = left;
    if (left.principal !== principal || isKept(all, { ...left, reply: answer?.reply ?? null })) {
      dropPending(here, key);
      return;
    }
    choose(here, left.options);
    if (conversationId !== undefined) {
      await ask(queries, { conversation: conversationId, question, documents, place, key, answer });
      return;
    }
    draft.set(left.attached);
    await askHere({ question, documents, key });
  });
  const isLoaded = conversationId === undefined || found.isSuccess;
  useEffect(() => {
    if (!isLoaded || !hasLeft(here)) return;
    queries
      .query(identityQuery)
      .then(({ principal }) => goOn(principal))
      .catch(() => undefined);
  }, [isLoaded, here, queries]);
  const askNew = (question: string) => {
    const documents = onlyHere && opened !== undefined ? [opened] : [];
    void askHere({ question, documents, key: newKey() });
  };
  const onAgain = useCallback(
    ({ message_id: message }: Message) =>
      void ask(queries, {
        conversation: conversationId ?? "",
        question: "",
        place: { kind: "again", message },
      }),
    [queries, conversationId],
  );
  const onEdit = useCallback(
    ({ message_id: message }: Message, question: string) =>
      void ask(queries, {
        conversation: conversationId ?? "",
        question,
        place: { kind: "instead", message },
      }),
    [queries, conversationId],
  );

  // What is asked or answered otherwise keeps its place; what stood there gives way meanwhile.
  const place = current?.place;
  const shown =
    place === undefined || place.kind === "next"
      ? messages
      : messages.slice(
          0,
          messages.findIndex((each) => each.message_id === place.message),
        );
  if (isAbsent(unknownHere)) {
    return (
      <Missing title={t("missing.workspace")} hint={t("missing.workspaceHint")}>
        <a href="/">{t("missing.home")}</a>
      </Missing>
    );
  }
  if (conversationId !== undefined && isAbsent(found.error)) {
    return (
      <Missing title={t("missing.conversation")} hint={t("missing.hint")}>
        <Link to="/" search={{}}>
          {t("conversation.new")}
        </Link>
      </Missing>
    );
  }
  if (isGuest) {
    return (
      <Missing title={t("guest.title")} hint={t("guest.hint")}>
        <Link to="/find" search={{}}>
          {t("nav.search")}
        </Link>
      </Missing>
    );
  }
  return (
    <DropZone conversation={conversationId}>
      <h1 className="sr-only">{t("conversation.title")}</h1>
      <Scroller label={t("conversation.messages")} className="min-h-0 flex-1 p-4">
        <div className="mx-auto flex max-w-3xl flex-col gap-6">
          {messages.length === 0 && current === undefined && !found.isFetching && (
            <Empty title={t("conversation.emptyTitle")}>
              <p>{t("conversation.emptyHint")}</p>
            </Empty>
          )}
          {found.isError && (
            <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
          )}
          {conversationId !== undefined && (
            <Messages
              key={conversationId}
              conversation={conversationId}
              messages={shown}
              versions={versions}
              target={target}
              onEdit={onEdit}
              onAgain={onAgain}
            />
          )}
          {current !== undefined && conversationId !== undefined && (
            <>
              {current.place.kind !== "again" && <QuestionText text={current.question} />}
              <RunningReply
                running={current}
                onRetry={() => void retry(queries, conversationId)}
                onDismiss={() => forget(conversationId)}
              />
            </>
          )}
          {newest !== undefined && conversationId !== undefined && (
            <Suggestions conversation={conversationId} message={newest} onAsk={askNew} />
          )}
          {kept !== undefined && (
            <WaitingQuestion
              question={kept.question}
              onSend={() => void askHere(kept)}
              onDismiss={() => {
                keepWaiting(here, null);
                dropPending(here);
              }}
            />
          )}
          {conversationId === undefined && notBegun !== null && (
            <>
              <QuestionText text={notBegun.asked.question} />
              <ProblemNotice error={notBegun.error} onRetry={() => void askHere(notBegun.asked)} />
            </>
          )}
          {failed?.at === here && <ProblemNotice error={failed.error} />}
          <div ref={end} />
        </div>
      </Scroller>
      <Composer
        conversation={here}
        busy={busy}
        held={kept !== undefined}
        onAsk={askNew}
        onStop={() => conversationId !== undefined && void stop(queries, conversationId)}
      >
        {opened !== undefined && (
          <OnlyHere document={opened} checked={onlyHere} onChange={setOnlyHere} />
        )}
        <Attachments conversation={conversationId} />
        <OptionsBar conversation={conversationId} />
      </Composer>
    </DropZone>
  );
}
