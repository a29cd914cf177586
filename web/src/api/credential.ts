// Who asks: an API key that is kept in memory alone, and the workspace that the address names.
// A browser that logged in at an identity provider has a cookie instead, which no script can read.

let apiKey: string | null = null;
let workspace: string | null = null;

export function setApiKey(key: string | null): void {
  apiKey = key;
}

export function setWorkspace(name: string | null): void {
  workspace = name;
}

export function currentWorkspace(): string | null {
  return workspace;
}

/** Whether requests need a header that names who asks, which no address of a file can carry. */
export function needsHeader(): boolean {
  return apiKey !== null;
}

/** The headers that a request carries for them. */
export function credentialHeaders(): Record<string, string> {
  return {
    ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
    ...(workspace === null ? {} : { "Footnote-Workspace": workspace }),
  };
}

/** The ways to sign in that the server offers; none where it serves its own computer alone. */
export function waysToSignIn(): readonly string[] {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="footnote-sign-in"]');
  return (meta?.content ?? "").split(" ").filter(Boolean);
}
