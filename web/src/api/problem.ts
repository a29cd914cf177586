// What went wrong with a request, in the words of the server (RFC 9457).

export interface ProblemDetail {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly hint?: string | null;
  readonly errors?: readonly InvalidPart[] | null;
}

/** One part of a request that the server refused, such as `body.name`. */
export interface InvalidPart {
  readonly where: string;
  readonly message: string;
}

export class Problem extends Error {
  readonly status: number;
  readonly kind: string;
  readonly hint: string | null;
  readonly parts: readonly InvalidPart[];
  /** Seconds after which trying again may help; null where the server does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(detail: ProblemDetail, retryAfterSeconds: number | null = null) {
    super(detail.detail || detail.title);
    this.name = "Problem";
    this.status = detail.status;
    this.kind = detail.type.replace("urn:footnote:problem:", "");
    this.hint = detail.hint ?? null;
    this.parts = detail.errors ?? [];
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The problem that a response tells of, whatever its body is. */
export function problemOf(body: unknown, response: Response): Problem {
  const told = (typeof body === "object" && body !== null ? body : {}) as Partial<ProblemDetail>;
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new Problem(
    {
      type: told.type ?? "about:blank",
      title: told.title ?? response.statusText,
      status: response.status,
      detail: told.detail ?? `${response.status} ${response.statusText}`,
      hint: told.hint ?? null,
      errors: told.errors ?? null,
    },
    Number.isFinite(seconds) ? seconds : null,
  );
}

/** What the server says against a member of the body or the query; null where it says nothing. */
export function faultOf(error: unknown, member: string): string | null {
  if (!(error instanceof Problem)) return null;
  const found = error.parts.find(({ where }) => {
    const [, name] = where.split(".");
    return name === member;
  });
  return found?.message ?? null;
}

/** What is said of an error where there is room for a message alone. */
export function wordsOf(error: unknown): string {
  if (error instanceof Problem) return [error.message, error.hint].filter(Boolean).join(" ");
  return error instanceof Error ? error.message : String(error);
}

/** Whether what an address names is not there, or not for whoever asks: nobody is told which. */
export function isAbsent(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  // What is no id at all names nothing either.
  return error.status === 404 || error.parts.some(({ where }) => where.startsWith("path."));
}

/** Whether a refusal stays one: what an overloaded server or a proxy before it says may pass. */
export function isFinal(error: unknown): boolean {
  return error instanceof Problem && error.status < 500 && error.status !== 429;
}

/** Whether the server could not be reached at all. */
export function isOffline(error: unknown): boolean {
  return error instanceof TypeError;
}
