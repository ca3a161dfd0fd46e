import { setTimeout } from "node:timers/promises";
import {
  findInstrument,
  INSTRUMENTS,
  PRODUCT_SYMBOLS,
  type ProductSymbol,
} from "@shared/contract/instruments.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { distance } from "fastest-levenshtein";
import { cachedRead } from "../../http/caching.ts";
import type { ServerDeps } from "../../server-deps.ts";

const REREAD_AFTER_MS = 30_000;

/** After the start, the workers need a moment to read what the providers list. */
const LIST_TIMEOUT_MS = 3_000;
const POLL_INTERVAL_MS = 100;
const RETRY_AFTER_SECONDS = 5;

type SymbolDeps = Pick<ServerDeps, "database" | "now">;

export async function assertKnownSymbol(deps: SymbolDeps, symbol: string): Promise<void> {
  if (findInstrument(symbol)) return;
  const deadlineMs = performance.now() + LIST_TIMEOUT_MS;
  for (;;) {
    const { isKnown, isComplete } = await lookUp(deps, symbol);
    if (isKnown) return;
    // Besides the product's own symbols, providers list pairs only.
    if (isComplete || !symbol.includes("/")) throw await unknownSymbol(deps, symbol);
    if (performance.now() >= deadlineMs) throw noList();
    await setTimeout(POLL_INTERVAL_MS);
  }
}

async function lookUp({ database }: SymbolDeps, symbol: string) {
  const listing = await database.marketListings
    .findById("symbols")
    .select({ missing: 1, symbols: { $elemMatch: { $eq: symbol } } })
    .lean();
  return {
    isKnown: (listing?.symbols?.length ?? 0) > 0,
    isComplete: listing !== null && (listing.missing ?? []).length === 0,
  };
}

async function unknownSymbol(deps: SymbolDeps, symbol: string): Promise<AppError> {
  const similar = suggestSymbols(symbol, await knownSymbols(deps));
  const question = similar.length > 0 ? ` Did you mean ${similar.join(", ")}?` : "";
  const message = `Unknown symbol ${symbol}.${question}`;
  return new AppError("invalid-input", message, { errors: [{ field: "symbol", message }] });
}

function noList(): AppError {
  const detail = "The list of markets is not complete yet. Please try again in a few seconds.";
  return new AppError("unavailable", detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const knownSymbols = cachedRead(
  REREAD_AFTER_MS,
  async ({ database }: SymbolDeps): Promise<ReadonlySet<string>> => {
    const listing = await database.marketListings.findById("symbols").lean();
    return new Set<string>([...PRODUCT_SYMBOLS, ...(listing?.symbols ?? [])]);
  },
);

const MAX_SUGGESTIONS = 3;
const LETTERS_PER_TYPO = 3;

const OTHER_NAMES: Readonly<Partial<Record<ProductSymbol, readonly string[]>>> = {
  "BTC/USDT": ["XBT"],
  "ETH/USDT": ["ETHEREUM"],
  "XRP/USDT": ["RIPPLE"],
  "XAU/USD": ["GC"],
  "XAG/USD": ["SI"],
  "GBP/USD": ["CABLE"],
  US30: ["DOW", "DOWJONES", "DJ30", "DJIA", "WALLSTREET", "YM"],
  NAS100: ["NASDAQ", "US100", "USTEC", "QQQ", "NQ"],
  SPX500: ["SPX", "SP500", "US500", "SPY", "ES", "GSPC"],
  WTI: ["OIL", "CRUDE", "CRUDEOIL", "USOIL", "CL"],
  BRENT: ["UKOIL", "OIL", "BRENTOIL", "BZ"],
};

const lettersOf = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");

const NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  INSTRUMENTS.map(({ symbol, name, oanda, yahoo, base }) => {
    const names = [name, oanda ?? "", yahoo?.ticker ?? "", base, ...(OTHER_NAMES[symbol] ?? [])];
    return [symbol, names.map(lettersOf).filter((letters) => letters !== "")];
  }),
);

/** Known symbols similar to an unknown one, best first: other notation, other name, same base, one or two typing errors, or half typed. */
export function suggestSymbols(typed: string, known: Iterable<string>): string[] {
  const letters = lettersOf(typed);
  if (letters === "") return [];
  const ranked = [...known].flatMap((symbol) => {
    const rank = rankOf({ typed, letters, symbol });
    return rank === null
      ? []
      : [{ symbol, rank: rank + (NAMES.has(symbol) ? 0 : PROVIDER_SYMBOL_PENALTY) }];
  });
  ranked.sort((one, other) => one.rank - other.rank || compareSymbols(one.symbol, other.symbol));
  return ranked.slice(0, MAX_SUGGESTIONS).map(({ symbol }) => symbol);
}

/** Ranks symbols of providers below equally similar ones of the product. */
const PROVIDER_SYMBOL_PENALTY = 0.5;
/** Behind every typing error. */
const HALF_TYPED_RANK = 20;

function rankOf({
  typed,
  letters,
  symbol,
}: {
  typed: string;
  letters: string;
  symbol: string;
}): number | null {
  const candidate = lettersOf(symbol);
  if (candidate === letters || NAMES.get(symbol)?.includes(letters)) return 0;
  const [base = "", quote = ""] = symbol.split("/");
  const [givenBase = "", givenQuote = ""] = typed.split(/[/.-]/);
  if (base === givenBase && quote !== "") return 1 + distance(givenQuote, quote) / 10;
  const typos = distance(letters, candidate);
  if (typos <= Math.max(1, Math.floor(letters.length / LETTERS_PER_TYPO))) return 1 + typos;
  const isHalfTyped = [candidate, ...(NAMES.get(symbol) ?? [])].some((name) =>
    name.startsWith(letters),
  );
  return isHalfTyped ? HALF_TYPED_RANK : null;
}

function compareSymbols(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
