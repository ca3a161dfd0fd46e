import type { SignalResponse } from "@shared/contract/signal.ts";
import type { BrowserContext, Page, Request, Route, WebSocketRoute } from "playwright/test";
import { apiUrl } from "./config.ts";

interface HeldRequests {
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

/** Lets the requests that `page` posts to this path get lost, until the function it returns is called. */
export async function dropPosts(page: Page, path: string): Promise<() => Promise<void>> {
  const pattern = `**${path}`;
  const lose = (route: Route) =>
    route.request().method() === "POST" ? route.abort() : route.fallback();
  await page.route(pattern, lose);
  return () => page.unroute(pattern, lose);
}

/** Cuts and restores the network of a browser. */
interface SocketSwitch {
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** Open WebSockets outlive the browser's own offline mode, so they are closed as well. */
export async function installSocketSwitch(context: BrowserContext): Promise<SocketSwitch> {
  const open = new Set<WebSocketRoute>();
  let isCut = false;
  await context.routeWebSocket(/socket\.io/, (socket) => {
    if (isCut) return void socket.close();
    open.add(socket).add(socket.connectToServer());
  });
  return {
    async cut() {
      isCut = true;
      await context.setOffline(true);
      for (const socket of open) void socket.close();
      open.clear();
    },
    async restore() {
      isCut = false;
      await context.setOffline(false);
    },
  };
}

/** Lets no live connection come up: what failed to load is then only read again when the user asks for it. */
export const holdSockets = (context: BrowserContext): Promise<void> =>
  context.routeWebSocket(/socket\.io/, () => undefined);

/** Lets the bot that `page` opens next show this signal, as one that the tab requested at `requestedAt`. */
export async function keepSignal(
  page: Page,
  signal: SignalResponse,
  requestedAt = new Date(),
): Promise<void> {
  const { signal_id: id, symbol, timeframe } = signal;
  await page.route(`${apiUrl}/signals/${id}`, (route) =>
    route.fulfill({ json: signal, headers: { "Access-Control-Allow-Origin": "*" } }),
  );
  const tracked = [{ id, symbol, timeframe, requestedAt: requestedAt.getTime(), withImage: false }];
  const inputs = { symbol, timeframe, amount: 100, riskPercent: 1, leverage: 1 };
  const kept = { state: { inputs, pending: null, tracked, selectedId: null }, version: 0 };
  await page.addInitScript((bot) => sessionStorage.setItem("bot", bot), JSON.stringify(kept));
}
