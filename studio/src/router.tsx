import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Waiting } from "./parts/pieces";
import { pages } from "./pages/all";
import { NoPage } from "./shell/NoPage";
import { Shell } from "./shell/Shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NoPage });

const children = pages.map((page) =>
  createRoute({
    getParentRoute: () => root,
    path: page.path,
    component: lazyRouteComponent(page.load),
    pendingComponent: Waiting,
    validateSearch: (given: Record<string, unknown>) => given as Record<string, string | undefined>,
  }),
);

export const router = createRouter({
  routeTree: root.addChildren(children),
  defaultPreload: "intent",
  defaultPendingMs: 150,
  scrollRestoration: true,
});
