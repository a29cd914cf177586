// A document's own page: where it stands, what it is about, and what can be done with it.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Download, RotateCcw, Trash2, Users } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

import { raw } from "../api/client";
import { useMay } from "../api/may";
import { wordsOf } from "../api/problem";
import { documentQuery } from "../api/queries";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { saveAs } from "../ui/saveAs";
import { Unloaded } from "../ui/Unloaded";
import { lazily } from "../ui/lazily";
import { showToast } from "../ui/toasts";
import { StatusBadge } from "./StatusBadge";
import { AccessDialog } from "./AccessForm";
import { MetadataFields } from "./MetadataFields";
import { Passages } from "./Passages";
import { AttachedTo, Similar, Versions } from "./Relations";
import { TagsField } from "./TagsField";
import { retryDocuments } from "./changing";
import { deleteUnlessUndone } from "./deleting";
import { bytes, day } from "./format";

const Summary = lazily(() => import("../knowledge/Summary").then((m) => m.Summary), "waiting");
const Facts = lazily(() => import("../knowledge/Facts").then((m) => m.Facts), "waiting");
const Related = lazily(() => import("../knowledge/Related").then((m) => m.Related), "waiting");
const DocumentEntities = lazily(
  () => import("../knowledge/DocumentEntities").then((m) => m.DocumentEntities),
  "waiting",
);

export function DocumentCard() {
  const { t, i18n } = useTranslation();
  const { documentId } = useParams({ from: "/documents/$documentId" });
  const navigate = useNavigate();
  const found = useQuery(documentQuery(documentId));
  const [access, setAccess] = useState(false);
  const mayWrite = useMay("write", found.data?.collection) === true;
  if (found.isError || !found.data) {
    return (
      <Unloaded found={found} missing={t("missing.document")}>
        <Link to="/documents" search={{}}>
          {t("list.allDocuments")}
        </Link>
      </Unloaded>
    );
  }
  const { attachments, ...document } = found.data;
  const download = async () => {
    try {
      const response = await raw(`/v1/documents/${documentId}/content`);
      saveAs(await response.blob(), document.filename);
    } catch (error) {
      showToast(wordsOf(error));
    }
  };
  const remove = () => {
    deleteUnlessUndone([documentId], t("documents.deleted", { count: 1 }));
    void navigate({ to: "/documents", search: {} });
  };
  const facts: readonly (readonly [string, string])[] = [
    [t("column.filename"), document.filename],
    [t("column.collection"), document.collection],
    [t("column.document_class"), t(`class.${document.document_class}`)],
    [
      t("column.page_count"),
      document.page_count === null ? "" : document.page_count.toLocaleString(i18n.language),
    ],
    [t("column.byte_size"), bytes(document.byte_size, i18n.language)],
    [t("column.language"), document.language ?? ""],
    [t("documents.keywords"), document.keywords.join(", ")],
    [t("column.created_at"), day(document.created_at, i18n.language)],
  ];
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      <div className="flex flex-col gap-1">
        <h1 className="text-xl font-bold">
          <bdi>{document.title}</bdi>
        </h1>
        <StatusBadge state={document} />
        {document.parent_id !== null && <AttachedTo id={document.parent_id} />}
      </div>
      {document.failure !== null && (
        <Notice tone="bad" title={document.failure.cause}>
          <p>{document.failure.advice}</p>
          {mayWrite && (
            <Button className="mt-2" onClick={() => void retryDocuments([documentId])}>
              <RotateCcw aria-hidden size={16} /> {t("common.retry")}
            </Button>
          )}
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void download()}>
          <Download aria-hidden size={16} /> {t("documents.download")}
        </Button>
        {mayWrite && document.parent_id === null && (
          <Button onClick={() => setAccess(true)}>
            <Users aria-hidden size={16} /> {t("paper.access")}
          </Button>
        )}
        {mayWrite && (
          <Button look="danger" onClick={remove}>
            <Trash2 aria-hidden size={16} /> {t("documents.delete")}
          </Button>
        )}
      </div>
      {document.summary !== "" && (
        <section aria-labelledby="summary">
          <h2 id="summary" className="font-semibold">
            {t("documents.summary")}
          </h2>
          <p dir="auto" className="text-sm">
            {document.summary}
          </p>
        </section>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        <dt className="text-muted">{t("column.tags")}</dt>
        <dd className="min-w-0">
          <TagsField document={document} />
        </dd>
      </dl>
      <MetadataFields document={document} />
      <Passages document={document} />
      {document.status === "indexed" && (
        <Suspense fallback={null}>
          <Summary of={{ document_id: documentId }} />
          <Facts of={{ document_id: documentId }} collection={document.collection} />
          <DocumentEntities id={documentId} />
          <Related of={{ document_id: documentId }} name={document.title} />
        </Suspense>
      )}
      <Similar document={document} />
      <Versions document={document} />
      {attachments.length > 0 && (
        <section aria-labelledby="attachments">
          <h2 id="attachments" className="font-semibold">
            {t("documents.attachments")}
          </h2>
          <ul className="text-sm">
            {attachments.map((each) => (
              <li key={each.document_id}>
                <Link
                  to="/documents/$documentId"
                  params={{ documentId: each.document_id }}
                  search={{}}
                  className="inline-block min-h-6 text-accent underline"
                >
                  <bdi>{each.title}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      {access && <AccessDialog ids={[documentId]} onClose={() => setAccess(false)} />}
    </div>
  );
}
