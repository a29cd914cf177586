// Who asks: an API key that is kept in memory alone, and the workspace that the address names.
// A browser that logged in at an identity provider has a cookie instead, which no script can read.

import { forgetPerson } from "../ui/store";

let apiKey: string | null = null;
let workspace: string | null = null;
let principal: string | null = null;
let position: string | null = null;
let epoch = 0;

/** Takes another key, or none: nothing of whoever had the one before is kept. */
export function setApiKey(key: string | null): void {
  apiKey = key;
  principal = null;
  epoch += 1;
  forgetPerson();
}

/** Differs after each change of the key, to tell whose request an answer belongs to. */
export function credentialEpoch(): number {
  return epoch;
}

/** Notes who the server says is asking; begins anew where another signed in in another window. */
export function notePrincipal(name: string): void {
  const changed = principal !== null && principal !== name;
  principal = name;
  if (!changed) return;
  forgetPerson();
  location.reload();
}

/** Whether a key can be sent at all: a header carries visible characters of ASCII alone. */
export function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

/** Who the server last said is asking; null until it did. */
export function currentPrincipal(): string | null {
  return principal;
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

/** What tells a key from others without giving it away; empty without a key, or where a page may
 * not reckon it. */
export async function keyMark(): Promise<string> {
  const subtle = (crypto as Partial<Crypto>).subtle;
  if (apiKey === null || subtle === undefined) return "";
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(apiKey));
  return Array.from(new Uint8Array(digest), (each) => each.toString(16).padStart(2, "0")).join("");
}

/** Notes up to where an answer has seen the database, so that no replica shows anything older. */
export function notePosition(response: Response): void {
  const seen = response.headers.get("Footnote-Position");
  if (seen !== null && (position === null || place(seen) > place(position))) position = seen;
}

/** Where a position such as 16/B374D848 lies. */
function place(written: string): bigint {
  const [high = "0", low = "0"] = written.split("/");
  return BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`);
}

/** The headers that a request carries for them, and for what was seen before. */
export function credentialHeaders(): Record<string, string> {
  return {
    ...(position === null ? {} : { "Footnote-Position": position }),
    ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
    ...(workspace === null ? {} : { "Footnote-Workspace": workspace }),
  };
}

/** The ways to sign in that the server offers; none where it serves its own computer alone. */
export function waysToSignIn(): readonly string[] {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="footnote-sign-in"]');
  return (meta?.content ?? "").split(" ").filter(Boolean);
}
