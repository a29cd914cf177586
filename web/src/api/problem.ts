// What went wrong with a request, in the words of the server (RFC 9457).

export interface ProblemDetail {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly hint?: string | null;
}

export class Problem extends Error {
  readonly status: number;
  readonly kind: string;
  readonly hint: string | null;
  /** Seconds after which trying again may help; null where the server does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(detail: ProblemDetail, retryAfterSeconds: number | null = null) {
    super(detail.detail || detail.title);
    this.name = "Problem";
    this.status = detail.status;
    this.kind = detail.type.replace("urn:footnote:problem:", "");
    this.hint = detail.hint ?? null;
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
    },
    Number.isFinite(seconds) ? seconds : null,
  );
}

/** Whether the server could not be reached at all. */
export function isOffline(error: unknown): boolean {
  return error instanceof TypeError;
}
