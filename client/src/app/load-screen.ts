import { matchRoutes, type RouteObject } from "react-router-dom";

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
