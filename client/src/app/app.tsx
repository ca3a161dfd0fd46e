import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentProps, StrictMode, useEffect } from "react";
import {
  type LazyRouteFunction,
  matchRoutes,
  type RouteObject,
  RouterProvider,
} from "react-router-dom";
import { queryClient } from "../lib/query-client.ts";
import { initialLiveState, useRealtime } from "../lib/realtime/store.ts";
import { followOtherTabs, useSession } from "../lib/session.ts";

/** The whole application, in the browser and where its screens are pre-rendered; `public/theme-init.js` waits for it. */
export function App({ router }: Pick<ComponentProps<typeof RouterProvider>, "router">) {
  useEffect(() => void window.dispatchEvent(new Event("appready")), []);
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
}

/** Clears all caches when another user signs in. */
export function followSession(): void {
  followOtherTabs();
  useRealtime.subscribe(({ connection }, before) => {
    if (connection === "online" && before.connection !== "online") refetchFailed();
  });
  useSession.subscribe((session, before) => {
    if (session.token === before.token) return;
    queryClient.clear();
    useRealtime.setState(initialLiveState);
  });
}

function refetchFailed(): void {
  void queryClient.refetchQueries({
    type: "active",
    predicate: (query) => query.state.status === "error",
  });
}

/** Loads the code of the screen at `path`, so that a router with these routes shows it at once. */
export async function loadScreen(routes: RouteObject[], path: string): Promise<void> {
  const matches = matchRoutes(routes, path) ?? [];
  await Promise.all(
    matches.map(async ({ route }) => {
      if (typeof route.lazy !== "function") return;
      Object.assign(route, await route.lazy());
      delete route.lazy;
    }),
  );
}

/** Has the router wait for `until`, because the page must show its pre-rendered frame while it is hydrated. */
export function holdScreen(routes: RouteObject[], path: string, until: Promise<unknown>): void {
  for (const { route } of matchRoutes(routes, path) ?? []) {
    const { lazy } = route;
    if (typeof lazy !== "function") continue;
    const held: LazyRouteFunction<RouteObject> = async () => {
      const [screen] = await Promise.all([lazy(), until]);
      return screen;
    };
    route.lazy = held;
  }
}
