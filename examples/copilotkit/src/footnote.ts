// What Footnote tells in a run beside the text: citations, suggestions and the state of the agent.
import { z } from "zod";

export const citationSchema = z.object({
  marker: z.number(),
  chunk_id: z.string(),
  document_id: z.string(),
  document_title: z.string(),
  heading_path: z.array(z.string()),
  page: z.number().nullable(),
  quote: z.string(),
  char_start: z.number(),
  char_end: z.number(),
});
export type Citation = z.infer<typeof citationSchema>;

export const suggestionsSchema = z.object({
  questions: z.array(z.object({ question: z.string(), document_title: z.string() })),
});

export const sourcesSchema = z.object({
  evidence: z.array(z.object({ chunk_id: z.string(), document_title: z.string() })),
});

/** Where Footnote is, and which workspace is asked; empty for its default one. */
export const configSchema = z.object({ footnote: z.string(), workspace: z.string() });
export type Config = z.infer<typeof configSchema>;

/** The page of Footnote's web app with the words of a quote marked. */
export function pageOf(citation: Citation, { footnote, workspace }: Config): string {
  const place = new URLSearchParams();
  if (workspace !== "") place.set("workspace", workspace);
  place.set("document", citation.document_id);
  if (citation.page !== null) place.set("page", String(citation.page));
  place.set("start", String(citation.char_start));
  place.set("end", String(citation.char_end));
  place.set("chunk", citation.chunk_id);
  return `${footnote}/?${place}`;
}
