// Questions under way, kept for as long as the tab is open: a page that is loaded anew goes on with them.
import { currentPrincipal } from "../api/credential";
import { onForget } from "../ui/store";
import type { Options } from "./options";
import type { Running } from "./running";

export interface Pending extends Pick<
  Running,
  "question" | "documents" | "place" | "key" | "after"
> {
  /** Who asked. */
  readonly principal: string | null;
  readonly options: Options;
  /** What a conversation that is not there yet begins with. */
  readonly attached: readonly string[];
  /** Where the answer is told, and the message that it will be; null until that is known. */
  readonly answer: { readonly run: string; readonly reply: string | null } | null;
}

type PendingQuestions = Readonly<Record<string, Pending>>;

const NAME = "footnote-pending";

let kept: PendingQuestions = stored();
/** What was under way as the page was left. */
let left = kept;

onForget(() => {
  left = {};
  keep({});
});

function stored(): PendingQuestions {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? "{}") as PendingQuestions;
  } catch {
    return {};
  }
}

function keep(next: PendingQuestions): void {
  kept = next;
  try {
    if (Object.keys(next).length === 0) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(next));
  } catch {
    // Where nothing can be stored, a page that is loaded anew asks nothing of its own.
  }
}

/** Keeps a question of a conversation, in place of the one before it. */
export function keepPending(
  conversation: string,
  question: Omit<Pending, "principal" | "answer">,
): void {
  const pending = { ...question, principal: currentPrincipal(), answer: null };
  keep({ ...kept, [conversation]: pending });
}

/** Notes where the answer to a question is told. */
export function noteAnswer(conversation: string, key: string, answer: Pending["answer"]): void {
  const pending = kept[conversation];
  if (pending?.key === key) keep({ ...kept, [conversation]: { ...pending, answer } });
}

/** Keeps a question no longer: the one of this key, or whichever it is. */
export function dropPending(conversation: string, key?: string): void {
  if (key !== undefined && kept[conversation]?.key !== key) return;
  keep(without(kept, conversation));
}

/** Whether a question was under way in a conversation as the page was left, which nobody took. */
export function hasLeft(conversation: string): boolean {
  return conversation in left;
}

/** The question that was under way as the page was left; null once it was taken. */
export function takeLeft(conversation: string): Pending | null {
  const pending = left[conversation] ?? null;
  left = without(left, conversation);
  return pending;
}

function without(all: PendingQuestions, conversation: string): PendingQuestions {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== conversation));
}
