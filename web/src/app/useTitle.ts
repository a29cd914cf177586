import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLocation, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";

import { conversationQuery, conversationsQuery, documentQuery } from "../api/queries";

const APP = "Footnote";

/** What each section is called, by the first part of its path. */
const SECTIONS = {
  documents: "documents.title",
  entities: "knowledge.entities",
  clusters: "clusters.title",
  conflicts: "nav.conflicts",
  map: "nav.map",
  find: "nav.search",
  admin: "admin.title",
  compare: "compare.title",
  "sign-in": "signIn.title",
} as const;

/** Calls the browser's tab what is shown: a document, a conversation, or a section of the app. */
export function useTitle(): void {
  const { t, i18n } = useTranslation();
  const { pathname } = useLocation();
  const { documentId = "", conversationId = "", section = "" } = useParams({ strict: false });
  // The pages themselves ask for these; what they are told is read here as well.
  const { data: document } = useQuery({ ...documentQuery(documentId), enabled: false });
  const { data: list } = useInfiniteQuery({ ...conversationsQuery, enabled: false });
  const { data: single } = useQuery({ ...conversationQuery(conversationId), enabled: false });
  const conversation =
    list?.pages
      .flatMap((page) => page.conversations)
      .find((each) => each.conversation_id === conversationId) ?? single;

  const first = pathname.split("/")[1] ?? "";
  const ofAdmin = `admin.section.${section}` as "admin.section.keys";
  const isOfAdmin: boolean = section !== "" && i18n.exists(ofAdmin);
  let name: string | undefined;
  if (documentId !== "" && document) name = document.title;
  else if (conversationId !== "") name = conversation?.title || t("conversation.title");
  else if (isOfAdmin) name = t(ofAdmin);
  else if (Object.hasOwn(SECTIONS, first)) name = t(SECTIONS[first as keyof typeof SECTIONS]);
  useEffect(() => {
    window.document.title = name === undefined ? APP : `${name} · ${APP}`;
  }, [name]);
}
