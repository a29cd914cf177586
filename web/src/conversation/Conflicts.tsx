// What documents do not agree about, below the answer that quotes one of them.
import { useTranslation } from "react-i18next";

import type { AnswerConflict, Citation } from "../api/types";
import { Notice } from "../ui/Notice";
import { Footnote } from "./Footnote";

interface ConflictsProps {
  readonly conflicts: readonly AnswerConflict[];
  /** All of the answer, to walk through them. */
  readonly citations: readonly Citation[];
}

export function Conflicts({ conflicts, citations }: ConflictsProps) {
  const { t } = useTranslation();
  const own = new Set(citations.map((each) => each.marker));
  const others = new Map<number, Citation>();
  for (const { citation } of conflicts.flatMap((each) => each.statements))
    if (!own.has(citation.marker)) others.set(citation.marker, citation);
  const walked = [...citations, ...others.values()];
  return (
    <section aria-label={t("conflicts.inAnswer")}>
      <Notice tone="warn" title={t("conflicts.inAnswer")}>
        {conflicts.map((conflict, index) => (
          <div key={index} className="mt-2">
            <p>
              <bdi className="font-medium">{conflict.subject}</bdi>
              {conflict.predicate !== "" && (
                <>
                  {" – "}
                  <bdi>{conflict.predicate}</bdi>
                </>
              )}
            </p>
            <ul className="list-disc ps-5">
              {conflict.statements.map(({ fact_id, text, citation }) => (
                <li key={fact_id}>
                  <q>
                    <bdi>{text}</bdi>
                  </q>{" "}
                  <Footnote citation={citation} citations={walked} verdict={null} />{" "}
                  <bdi className="text-muted">{citation.document_title}</bdi>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </Notice>
    </section>
  );
}
