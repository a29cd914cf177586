// The paths of the app, which the server knows as well (`web_app.py`).
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";

import { documentQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import { setWorkspace } from "../api/credential";
import { Conversation } from "../conversation/Conversation";
import { ProblemNotice } from "../ui/ProblemNotice";
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
    component: lazyRouteComponent(() => import("../documents/Documents"), "Documents"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/documents/$documentId",
    loader: ({ params, preload }) => {
      // What fails is told where the page asks for it.
      if (!preload) queryClient.query(documentQuery(params.documentId)).catch(() => undefined);
    },
    component: lazyRouteComponent(() => import("../documents/DocumentCard"), "DocumentCard"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/entities",
    component: lazyRouteComponent(() => import("../knowledge/Entities"), "Entities"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/entities/$entityId",
    component: lazyRouteComponent(() => import("../knowledge/EntityPage"), "EntityPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/clusters",
    component: lazyRouteComponent(() => import("../knowledge/Clusters"), "Clusters"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/clusters/$clusterId",
    component: lazyRouteComponent(() => import("../knowledge/ClusterPage"), "ClusterPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/conflicts",
    component: lazyRouteComponent(() => import("../knowledge/Conflicts"), "Conflicts"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/map",
    component: lazyRouteComponent(() => import("../map/MapPage"), "MapPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/find",
    component: lazyRouteComponent(() => import("../search/Search"), "Search"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/admin",
    component: lazyRouteComponent(() => import("../admin/Admin"), "Admin"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/admin/$section",
    component: lazyRouteComponent(() => import("../admin/Admin"), "Admin"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/compare",
    component: lazyRouteComponent(() => import("../search/Compare"), "Compare"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: lazyRouteComponent(() => import("./SignIn"), "SignIn"),
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
