import type { Page, Request } from "playwright/test";

export interface HeldRequests {
  /** How many have been held back so far. */
  count(): number;
  /** Lets them go on, and every later one too. */
  release(): void;
}

/** Holds back what `page` asks of these addresses, so that a test sees what is shown meanwhile. */
export async function holdRequests(
  page: Page,
  { url, which = () => true }: { url: RegExp; which?: (request: Request) => boolean },
): Promise<HeldRequests> {
  let held = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (!which(route.request())) return route.fallback();
    held += 1;
    await released;
    await route.fallback();
  });
  return { count: () => held, release };
}

export const isPost = (request: Request): boolean => request.method() === "POST";
