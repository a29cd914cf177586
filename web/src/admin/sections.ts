// The sections of the administration, in their groups; each is loaded when it is opened.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

import { WHOLE_WORKSPACE, may } from "../api/may";
import type { WhoAsks } from "../api/types";

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

type Load = () => Promise<{ default: ComponentType }>;

const LOADS: Record<SectionId, Load> = {
  keys: () => import("./Keys").then((m) => ({ default: m.Keys })),
  roles: () => import("./Roles").then((m) => ({ default: m.Roles })),
  people: () => import("./People").then((m) => ({ default: m.People })),
  "sign-on": () => import("./SignOn").then((m) => ({ default: m.SignOn })),
  collections: () => import("./Collections").then((m) => ({ default: m.Collections })),
  sources: () => import("./Sources").then((m) => ({ default: m.Sources })),
  retention: () => import("./Retention").then((m) => ({ default: m.Retention })),
  holds: () => import("./Holds").then((m) => ({ default: m.Holds })),
  erasures: () => import("./Erasures").then((m) => ({ default: m.Erasures })),
  models: () => import("./Models").then((m) => ({ default: m.Models })),
  embedding: () => import("./Embedding").then((m) => ({ default: m.Embedding })),
  settings: () => import("./Settings").then((m) => ({ default: m.Settings })),
  webhooks: () => import("./Webhooks").then((m) => ({ default: m.Webhooks })),
  unanswered: () => import("./Unanswered").then((m) => ({ default: m.Unanswered })),
  citations: () => import("./Citations").then((m) => ({ default: m.Citations })),
  evaluations: () => import("./Evaluations").then((m) => ({ default: m.Evaluations })),
  usage: () => import("./Usage").then((m) => ({ default: m.Usage })),
  audit: () => import("./Audit").then((m) => ({ default: m.Audit })),
  health: () => import("./Health").then((m) => ({ default: m.Health })),
};

export const SECTIONS = Object.fromEntries(
  Object.entries(LOADS).map(([section, load]) => [section, lazy(load)]),
) as Record<SectionId, LazyExoticComponent<ComponentType>>;

/** Begins to load a section before it is known whether it may be shown. */
export function loadSection(section: SectionId): void {
  // What fails here fails again where it is shown, and says so there.
  LOADS[section]().catch(() => undefined);
}

export function isSection(name: string): name is SectionId {
  return Object.hasOwn(SECTIONS, name);
}
