// The sections of the administration, in their groups; each is loaded when it is opened.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";

export const GROUPS = [
  ["access", ["keys", "roles", "people", "sign-on"]],
  ["content", ["collections", "retention", "holds", "erasures"]],
  ["engine", ["models", "embedding", "settings", "webhooks"]],
  ["watch", ["unanswered", "citations", "evaluations", "usage", "audit", "health"]],
] as const;

export type GroupId = (typeof GROUPS)[number][0];
export type SectionId = (typeof GROUPS)[number][1][number];

/** What an administrator of single collections alone is offered. */
export const OF_COLLECTIONS: readonly SectionId[] = ["collections", "roles", "citations"];

export const FIRST: SectionId = "keys";

export const SECTIONS: Record<SectionId, LazyExoticComponent<ComponentType>> = {
  keys: lazy(() => import("./Keys").then((m) => ({ default: m.Keys }))),
  roles: lazy(() => import("./Roles").then((m) => ({ default: m.Roles }))),
  people: lazy(() => import("./People").then((m) => ({ default: m.People }))),
  "sign-on": lazy(() => import("./SignOn").then((m) => ({ default: m.SignOn }))),
  collections: lazy(() => import("./Collections").then((m) => ({ default: m.Collections }))),
  retention: lazy(() => import("./Retention").then((m) => ({ default: m.Retention }))),
  holds: lazy(() => import("./Holds").then((m) => ({ default: m.Holds }))),
  erasures: lazy(() => import("./Erasures").then((m) => ({ default: m.Erasures }))),
  models: lazy(() => import("./Models").then((m) => ({ default: m.Models }))),
  embedding: lazy(() => import("./Embedding").then((m) => ({ default: m.Embedding }))),
  settings: lazy(() => import("./Settings").then((m) => ({ default: m.Settings }))),
  webhooks: lazy(() => import("./Webhooks").then((m) => ({ default: m.Webhooks }))),
  unanswered: lazy(() => import("./Unanswered").then((m) => ({ default: m.Unanswered }))),
  citations: lazy(() => import("./Citations").then((m) => ({ default: m.Citations }))),
  evaluations: lazy(() => import("./Evaluations").then((m) => ({ default: m.Evaluations }))),
  usage: lazy(() => import("./Usage").then((m) => ({ default: m.Usage }))),
  audit: lazy(() => import("./Audit").then((m) => ({ default: m.Audit }))),
  health: lazy(() => import("./Health").then((m) => ({ default: m.Health }))),
};

export function isSection(name: string): name is SectionId {
  return name in SECTIONS;
}
