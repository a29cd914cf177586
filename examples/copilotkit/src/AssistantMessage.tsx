// An answer: each [n] in its text is a chip that shows what is quoted, and leads to its page.
import { type CopilotChatAssistantMessageProps, CopilotChatToolCallsView } from "@copilotkit/react-core/v2";
import { useId, useState } from "react";

import { type Citation, pageOf } from "./footnote";
import { useTold } from "./run";

const MARKER = /\[(\d+)\]/;
const NONE: readonly Citation[] = [];

export function AssistantMessage({ message, messages }: CopilotChatAssistantMessageProps) {
  const told = useTold();
  const citations = told.citations.get(message.id) ?? NONE;
  const [open, setOpen] = useState<number | null>(null);
  const card = useId();
  const shown = citations.find((each) => each.marker === open);
  const text = typeof message.content === "string" ? message.content : "";
  // With one group, every second piece is the number of a marker.
  const pieces = text.split(MARKER);
  return (
    <article aria-label="Answer" className="answer">
      <CopilotChatToolCallsView message={message} {...(messages && { messages })} />
      <p>
        {pieces.map((piece, index) => {
          if (index % 2 === 0) return piece;
          const marker = Number(piece);
          const citation = citations.find((each) => each.marker === marker);
          if (citation === undefined) return `[${piece}]`;
          return (
            <button
              key={index}
              type="button"
              className="chip"
              aria-label={`Footnote ${marker}: ${citation.document_title}`}
              aria-expanded={open === marker}
              aria-controls={card}
              onClick={() => setOpen(open === marker ? null : marker)}
            >
              {marker}
            </button>
          );
        })}
      </p>
      <div id={card}>{shown !== undefined && <Card citation={shown} />}</div>
    </article>
  );
}

function Card({ citation }: { readonly citation: Citation }) {
  const { config } = useTold();
  const place = [...citation.heading_path];
  if (citation.page !== null) place.push(`page ${citation.page}`);
  return (
    <section aria-label={`Footnote ${citation.marker}`} className="card">
      <h3>{citation.document_title}</h3>
      {place.length > 0 && <p className="place">{place.join(" › ")}</p>}
      <blockquote>{citation.quote}</blockquote>
      <a href={pageOf(citation, config)} target="_blank" rel="noreferrer">
        Open the page
      </a>
    </section>
  );
}
