// How the questions of a conversation are answered: by which model and plan, and whether it looks
// things up by itself. It lasts as long as the visit.
import { createPersonalStore } from "../ui/store";

export const PLANS = ["fast", "balanced", "thorough"] as const;
export type Plan = (typeof PLANS)[number];

export interface Options {
  /** Null for what the server is set to. */
  readonly plan: Plan | null;
  readonly model: string | null;
  readonly agent: boolean;
}

/** Of a conversation that is not there yet. */
export const NEW = "new";
export const UNSET: Options = { plan: null, model: null, agent: false };
export const options = createPersonalStore<Readonly<Record<string, Options>>>({});

export function choose(conversation: string, change: Partial<Options>): void {
  options.change((all) => ({
    ...all,
    [conversation]: { ...(all[conversation] ?? UNSET), ...change },
  }));
}

/** Takes what was chosen before there was a conversation over to it. */
export function adopt(conversation: string): void {
  options.change(({ [NEW]: chosen = UNSET, ...others }) => ({ ...others, [conversation]: chosen }));
}

/** What a question of the conversation says of it. */
export function chosenFor(conversation: string): Record<string, string | boolean> {
  const { plan, model, agent } = options.get()[conversation] ?? UNSET;
  return {
    ...(plan === null ? {} : { plan }),
    ...(model === null ? {} : { model }),
    ...(agent ? { agent } : {}),
  };
}
