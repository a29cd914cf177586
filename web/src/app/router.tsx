// The paths of the app, which the server knows as well (`web_app.py`).
import {
  createRootRoute,
  createRoute,
  createRouter,
  retainSearchParams,
} from "@tanstack/react-router";

import { documentQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import { setWorkspace } from "../api/credential";
import { Conversation } from "../conversation/Conversation";
import { ProblemNotice } from "../ui/ProblemNotice";
import { lazily } from "../ui/lazily";
import { addressFrom } from "./address";
import { Nowhere } from "./Nowhere";
import { Shell } from "./Shell";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: Nowhere,
  validateSearch: addressFrom,
  search: { middlewares: [retainSearchParams(["workspace"])] },
  // What a route asks for while its script is loaded is asked of the workspace of the address.
  beforeLoad: ({ search, preload }) => {
    if (!preload) setWorkspace(search.workspace ?? null);
  },
});

const routes = [
  createRoute({ getParentRoute: () => root, path: "/", component: Conversation }),
  createRoute({
    getParentRoute: () => root,
    path: "/conversations/$conversationId",
    component: Conversation,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/documents",
    component: lazily(() => import("../documents/Documents").then((m) => m.Documents)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/documents/$documentId",
    loader: ({ params, preload }) => {
      // What fails is told where the page asks for it.
      if (!preload) queryClient.query(documentQuery(params.documentId)).catch(() => undefined);
    },
    component: lazily(() => import("../documents/DocumentCard").then((m) => m.DocumentCard)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/entities",
    component: lazily(() => import("../knowledge/Entities").then((m) => m.Entities)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/entities/$entityId",
    component: lazily(() => import("../knowledge/EntityPage").then((m) => m.EntityPage)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/clusters",
    component: lazily(() => import("../knowledge/Clusters").then((m) => m.Clusters)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/clusters/$clusterId",
    component: lazily(() => import("../knowledge/ClusterPage").then((m) => m.ClusterPage)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/conflicts",
    component: lazily(() => import("../knowledge/Conflicts").then((m) => m.Conflicts)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/map",
    component: lazily(() => import("../map/MapPage").then((m) => m.MapPage)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/find",
    component: lazily(() => import("../search/Search").then((m) => m.Search)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/admin",
    component: lazily(() => import("../admin/Admin").then((m) => m.Admin)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/admin/$section",
    component: lazily(() => import("../admin/Admin").then((m) => m.Admin)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/compare",
    component: lazily(() => import("../search/Compare").then((m) => m.Compare)),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: lazily(() => import("./SignIn").then((m) => m.SignIn)),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: "intent",
  notFoundMode: "root",
  defaultErrorComponent: ({ error, reset }) => <ProblemNotice error={error} onRetry={reset} />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
