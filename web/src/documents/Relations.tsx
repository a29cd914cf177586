// What a document is part of, like, and what became of it: its message, similar ones, versions.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { documentQuery } from "../api/queries";
import type { Document } from "../api/types";
import { bytes, day, percent } from "./format";
import { similarQuery, versionsQuery } from "./reading";

/** The message or document that an attachment came with. */
export function AttachedTo({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(documentQuery(id));
  if (!data) return null;
  return (
    <p className="text-sm">
      {t("documents.attachedTo")}{" "}
      <Link
        to="/documents/$documentId"
        params={{ documentId: id }}
        search={{}}
        className="inline-block min-h-6 text-accent underline"
      >
        <bdi>{data.title}</bdi>
      </Link>
    </p>
  );
}

export function Similar({ document }: { readonly document: Document }) {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(similarQuery(document.document_id));
  if (!data) return null;
  return (
    <section aria-labelledby="similar">
      <h2 id="similar" className="font-semibold">
        {t("paper.similar")}
      </h2>
      {data.documents.length === 0 ? (
        <p className="text-sm text-muted">{t("paper.noSimilar")}</p>
      ) : (
        <ul className="text-sm">
          {data.documents.map((each) => (
            <li key={each.document_id}>
              <Link
                to="/documents/$documentId"
                params={{ documentId: each.document_id }}
                search={{}}
                className="inline-block min-h-6 text-accent underline"
              >
                <bdi>{each.title}</bdi>
              </Link>{" "}
              <span className="text-muted">
                {t("paper.alike", { percent: percent(each.similarity, i18n.language) })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function Versions({ document }: { readonly document: Document }) {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(versionsQuery(document.document_id, document.version));
  if (!data) return null;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions" className="font-semibold">
        {t("paper.versions")}
      </h2>
      <ol className="text-sm">
        {data.versions.map((each) => (
          <li key={each.version}>
            {t("paper.version", { version: each.version })} · <bdi>{each.filename}</bdi> ·{" "}
            {bytes(each.byte_size, i18n.language)} · {day(each.created_at, i18n.language)}
            {each.published && <strong> · {t("paper.published")}</strong>}
          </li>
        ))}
      </ol>
    </section>
  );
}
