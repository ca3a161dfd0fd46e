import type { SignalResponse } from "@shared/contract/signal.ts";
import type { BrowserContext, Page, WebSocketRoute } from "playwright/test";
import { apiUrl } from "./config.ts";

interface HeldRequests {
  /** Lets them go on, and every later one too. */
  release(): void;
}

/** Holds back what `page` asks of these addresses, so that a test sees what is shown meanwhile. */
export async function holdRequests(page: Page, { url }: { url: RegExp }): Promise<HeldRequests> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.fallback();
  });
  return { release: () => release() };
}

const HOLD_API = `
  const released = new Promise((resolve) => { globalThis.releaseApi = resolve; });
  const { fetch } = globalThis;
  globalThis.fetch = async (address, options) => {
    if (String(address).startsWith("${apiUrl}/")) await released;
    return fetch(address, options);
  };
`;

/** Lets every screen that `page` opens wait for the API until `releaseApi`. A route would turn off the browser's cache. */
export const holdApi = (page: Page): Promise<unknown> => page.addInitScript({ content: HOLD_API });

export const releaseApi = (page: Page): Promise<unknown> => page.evaluate("releaseApi()");

/** Lets the first of these requests be answered by the server, and holds the answer back until it is released. */
export async function holdAnswer(
  page: Page,
  url: RegExp,
): Promise<{ isMade: Promise<void>; release: () => void }> {
  const held = new EventTarget();
  const event = (name: string) =>
    new Promise<void>((resolve) => {
      held.addEventListener(name, () => resolve(), { once: true });
    });
  const isMade = event("made");
  const isReleased = event("released");
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      held.dispatchEvent(new Event("made"));
      await isReleased;
      // The page may have cancelled the request meanwhile.
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  return { isMade, release: () => void held.dispatchEvent(new Event("released")) };
}

interface SocketSwitch {
  /** Closes the WebSockets, and each that is opened later. */
  close(): void;
  /** Turns off all of the network. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** Open WebSockets outlive the browser's own offline mode, so they are closed as well. */
export async function installSocketSwitch(context: BrowserContext): Promise<SocketSwitch> {
  const open = new Set<WebSocketRoute>();
  let isClosed = false;
  await context.routeWebSocket(/socket\.io/, (socket) => {
    if (isClosed) return void socket.close();
    open.add(socket).add(socket.connectToServer());
  });
  const close = () => {
    isClosed = true;
    for (const socket of open) void socket.close();
    open.clear();
  };
  return {
    close,
    async cut() {
      close();
      await context.setOffline(true);
    },
    async restore() {
      isClosed = false;
      await context.setOffline(false);
    },
  };
}

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
  // Frames with a sandbox have no storage.
  await page.addInitScript((bot) => {
    if (window === window.top) sessionStorage.setItem("bot", bot);
  }, JSON.stringify(kept));
}

export const WIDGET_SCRIPTS = /^https:\/\/s3\.tradingview\.com\/external-embedding\//;

/** Serves fake widgets: each script adds an iframe that contains `frame`, as the scripts of TradingView do. */
export async function serveWidgets(page: Page, frame: string) {
  await page.route(WIDGET_SCRIPTS, (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `{
        const { parentElement, text } = document.currentScript;
        const frame = document.createElement("iframe");
        frame.src = "https://www.tradingview-widget.com/embed#" + encodeURIComponent(text);
        parentElement.append(frame);
      }`,
    }),
  );
  await page.route("https://www.tradingview-widget.com/**", (route) =>
    route.fulfill({ contentType: "text/html", body: frame }),
  );
}
