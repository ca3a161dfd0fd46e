import type { Page, Route } from "playwright/test";

/** Lets the requests that `page` posts to this path get lost, until the function it returns is called. */
export async function losePosts(page: Page, path: string): Promise<() => Promise<void>> {
  const pattern = `**${path}`;
  const lose = (route: Route) =>
    route.request().method() === "POST" ? route.abort() : route.fallback();
  await page.route(pattern, lose);
  return () => page.unroute(pattern, lose);
}
