import { MAX_WATCHED_PRICES, PRICE_STALE_MS } from "@shared/contract/constants.ts";
import type { LivePrice, StalePrice } from "@shared/contract/market-data.ts";
import { useCallback, useSyncExternalStore } from "react";
import { OVERVIEW_COLUMNS } from "../listed-markets.ts";

export interface CurrentPrice {
  price: number;
  at: string;
  /** The market has not confirmed it for 30 s, or there has been no connection for so long. */
  isStale: boolean;
}

/** Asks for the prices of these symbols instead of the former ones. Resolves with `watched` or the code of an error. */
type WatchPrices = (symbols: string[]) => Promise<string>;

interface WatchedSymbol {
  /** Called when the price changes or becomes stale. */
  listeners: Set<() => void>;
  current: CurrentPrice | null;
  /** The server does not know the symbol. */
  isRefused: boolean;
}

/** The server allows two requests a second. */
const MIN_REQUEST_INTERVAL_MS = 600;
const RETRY_MS = 5_000;

/** What is on the screen, in the order in which it appeared. */
const watched = new Map<string, WatchedSymbol>();
let watchPrices: WatchPrices | null = null;
let requested = "";
let requestedAt = Number.NEGATIVE_INFINITY;
let requestTimer: ReturnType<typeof setTimeout> | undefined;
let staleTimer: ReturnType<typeof setTimeout> | undefined;

/**
 * The live price of a market while the component is mounted; null before the first one, and for visitors and users
 * without access. The first 20 markets on the screen have one.
 */
export function useLivePrice(symbol: string | undefined): CurrentPrice | null {
  const subscribe = useCallback(
    (onChange: () => void) => (symbol === undefined ? () => undefined : add(symbol, onChange)),
    [symbol],
  );
  const read = () => (symbol === undefined ? null : (watched.get(symbol)?.current ?? null));
  return useSyncExternalStore(subscribe, read, () => null);
}

/** The connection is open, or the account has changed. */
export function startPrices(watch: WatchPrices): void {
  watchPrices = watch;
  clearTimeout(staleTimer);
  requested = "";
  for (const symbol of watched.values()) symbol.isRefused = false;
  requestSoon();
}

/** The connection is closed. Prices stay until they are stale. */
export function stopPrices(): void {
  if (watchPrices) staleTimer = setTimeout(markStale, PRICE_STALE_MS);
  watchPrices = null;
  clearTimeout(requestTimer);
}

export function receivePrice({ symbol, price, at }: LivePrice): void {
  const entry = watched.get(symbol);
  const isStale = Date.now() - Date.parse(at) > PRICE_STALE_MS;
  if (entry) show(entry, { price, at, isStale });
}

export function receiveStale({ symbol, stale, at }: StalePrice): void {
  const entry = watched.get(symbol);
  if (entry?.current) show(entry, { ...entry.current, at, isStale: stale });
}

function add(symbol: string, listener: () => void): () => void {
  const known = watched.get(symbol);
  const entry = known ?? { listeners: new Set(), current: null, isRefused: false };
  entry.listeners.add(listener);
  if (!known) {
    watched.set(symbol, entry);
    requestSoon();
  }
  return () => {
    entry.listeners.delete(listener);
    if (entry.listeners.size > 0) return;
    watched.delete(symbol);
    requestSoon();
  };
}

function show(entry: WatchedSymbol, current: CurrentPrice): void {
  entry.current = current;
  for (const listener of entry.listeners) listener();
}

/** While the connection is open, the server says which prices are stale. */
function markStale(): void {
  for (const entry of watched.values()) {
    const { current } = entry;
    if (current && !current.isStale) show(entry, { ...current, isStale: true });
  }
}

const wantedSymbols = (): string[] =>
  [...watched]
    .filter(([, { isRefused }]) => !isRefused)
    .map(([symbol]) => symbol)
    .slice(0, MAX_WATCHED_PRICES);

/** One request for all components that appear and disappear together. */
function requestSoon(minDelayMs = 0): void {
  clearTimeout(requestTimer);
  const leftMs = requestedAt + MIN_REQUEST_INTERVAL_MS - Date.now();
  // Clocks may be set back.
  const delayMs = Math.max(minDelayMs, Math.min(leftMs, MIN_REQUEST_INTERVAL_MS));
  requestTimer = setTimeout(() => void request(), delayMs);
}

async function request(): Promise<void> {
  const watch = watchPrices;
  const symbols = wantedSymbols();
  const key = symbols.join();
  if (!watch || key === requested) return;
  const former = requested.split(",");
  requested = key;
  requestedAt = Date.now();
  const result = await watch(symbols).catch(() => "unavailable");
  if (result === "watched" || watch !== watchPrices || key !== requested) return;
  // Without access there is no retry: the account changes first.
  if (result === "not-approved" || result === "two-factor-enrolment-required") return;
  requested = former.join();
  if (result !== "invalid-input") return requestSoon(RETRY_MS);
  // The server knows the product's own symbols. Most likely, it is the newest other symbol that it does not know.
  const suspect = symbols.findLast((symbol) => !former.includes(symbol) && !isOwn(symbol));
  const refused = watched.get(suspect ?? "");
  if (!refused) return;
  refused.isRefused = true;
  requestSoon();
}

const isOwn = (symbol: string): boolean =>
  OVERVIEW_COLUMNS.flat().some(({ symbols }) => symbols.includes(symbol));
