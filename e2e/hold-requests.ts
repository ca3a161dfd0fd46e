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

/** Lets the first of these requests be answered by the server, and holds the answer back until it is released. */
export async function holdAnswer(
  page: Page,
  url: RegExp,
): Promise<{ isMade: Promise<void>; release: () => void }> {
  const held = new EventTarget();
  const told = (name: string) =>
    new Promise<void>((resolve) => {
      held.addEventListener(name, () => resolve(), { once: true });
    });
  const [isMade, isReleased] = [told("made"), told("released")];
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      held.dispatchEvent(new Event("made"));
      await isReleased;
      // The page may have called the request off meanwhile; then nobody waits for its answer.
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  return { isMade, release: () => void held.dispatchEvent(new Event("released")) };
}
