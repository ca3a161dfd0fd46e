import { type LazyRouteFunction, matchRoutes, type RouteObject } from "react-router-dom";

/**
 * Loads the code of the screen at `path`, so that a router with these routes shows it at once. Routes without a screen
 * of their own stay as they are.
 * @throws if the code cannot be loaded
 */
export async function loadScreen(routes: RouteObject[], path: string): Promise<void> {
  const matches = matchRoutes(routes, path) ?? [];
  await Promise.all(
    matches.map(async ({ route }) => {
      if (typeof route.lazy !== "function") return;
      const { lazy, ...screen } = { ...route, ...(await route.lazy()) };
      Object.assign(route, screen);
      delete route.lazy;
    }),
  );
}

/**
 * Starts to load the code of the screen at `path`, and has the router wait for `until` before it shows it: a screen that
 * came while the page is still compared with the frame it holds would not be what is in there.
 */
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
