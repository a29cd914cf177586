// How a document is shown: by PDF.js, by pictures of its pages, as what can be heard, or by its text.

export type Kind = "pdf" | "picture" | "recording" | "text";

const OFFICE =
  /^(application\/(vnd\.openxmlformats-officedocument\.|vnd\.oasis\.opendocument\.|vnd\.ms-(excel|powerpoint|word)|msword|rtf)|text\/rtf)/;

export function kindOf(mediaType: string): Kind {
  if (mediaType === "application/pdf") return "pdf";
  if (mediaType.startsWith("image/") && mediaType !== "image/svg+xml") return "picture";
  if (/^(audio|video)\//.test(mediaType)) return "recording";
  return OFFICE.test(mediaType) ? "picture" : "text";
}
