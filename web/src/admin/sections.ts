// The sections of the administration, in their groups; each is loaded when it is opened.
import { WHOLE_WORKSPACE, may } from "../api/may";
import type { WhoAsks } from "../api/types";
import { lazily } from "../ui/lazily";

export const GROUPS = [
  ["access", ["keys", "roles", "people", "sign-on"]],
  ["content", ["collections", "sources", "retention", "holds", "erasures"]],
  ["engine", ["models", "embedding", "settings", "webhooks"]],
  ["watch", ["unanswered", "citations", "evaluations", "usage", "audit", "health"]],
] as const;

export type GroupId = (typeof GROUPS)[number][0];
export type SectionId = (typeof GROUPS)[number][1][number];

/** What an administrator of single collections alone is offered. */
const OF_COLLECTIONS: readonly SectionId[] = ["collections", "roles", "citations"];

/** Whether somebody is offered a section. */
export function isOffered(who: WhoAsks, section: SectionId): boolean {
  return (
    may(who, "administer", WHOLE_WORKSPACE) ||
    (may(who, "administer") && OF_COLLECTIONS.includes(section))
  );
}

/** The first section that somebody is offered; undefined for none. */
export function firstOffered(who: WhoAsks): SectionId | undefined {
  const ids = may(who, "administer", WHOLE_WORKSPACE) ? [FIRST] : OF_COLLECTIONS;
  return ids.find((each) => isOffered(who, each));
}

export const FIRST: SectionId = "keys";

export const SECTIONS = {
  keys: lazily(() => import("./Keys").then((m) => m.Keys)),
  roles: lazily(() => import("./Roles").then((m) => m.Roles)),
  people: lazily(() => import("./People").then((m) => m.People)),
  "sign-on": lazily(() => import("./SignOn").then((m) => m.SignOn)),
  collections: lazily(() => import("./Collections").then((m) => m.Collections)),
  sources: lazily(() => import("./Sources").then((m) => m.Sources)),
  retention: lazily(() => import("./Retention").then((m) => m.Retention)),
  holds: lazily(() => import("./Holds").then((m) => m.Holds)),
  erasures: lazily(() => import("./Erasures").then((m) => m.Erasures)),
  models: lazily(() => import("./Models").then((m) => m.Models)),
  embedding: lazily(() => import("./Embedding").then((m) => m.Embedding)),
  settings: lazily(() => import("./Settings").then((m) => m.Settings)),
  webhooks: lazily(() => import("./Webhooks").then((m) => m.Webhooks)),
  unanswered: lazily(() => import("./Unanswered").then((m) => m.Unanswered)),
  citations: lazily(() => import("./Citations").then((m) => m.Citations)),
  evaluations: lazily(() => import("./Evaluations").then((m) => m.Evaluations)),
  usage: lazily(() => import("./Usage").then((m) => m.Usage)),
  audit: lazily(() => import("./Audit").then((m) => m.Audit)),
  health: lazily(() => import("./Health").then((m) => m.Health)),
} satisfies Record<SectionId, unknown>;

/** Begins to load a section before it is known whether it may be shown. */
export function loadSection(section: SectionId): void {
  void SECTIONS[section].preload();
}

export function isSection(name: string): name is SectionId {
  return Object.hasOwn(SECTIONS, name);
}
