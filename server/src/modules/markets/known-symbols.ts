import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { INSTRUMENTS, type Instrument } from "@shared/contract/instruments.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { distance } from "fastest-levenshtein";
import { cachedRead } from "../../http/cached-read.ts";
import type { ServerDeps } from "../../server-deps.ts";

const REREAD_AFTER_MS = 30_000;

/** @throws AppError `invalid-input`, with symbols that may have been meant, unless a provider knows the symbol */
export async function assertKnownSymbol(
  deps: Pick<ServerDeps, "database" | "now">,
  symbol: string,
): Promise<void> {
  const known = await knownSymbols(deps);
  if (known.has(symbol)) return;
  const near = suggestSymbols(symbol, known);
  const question = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : "";
  const message = `Unknown symbol ${symbol}.${question}`;
  throw new AppError("invalid-input", message, { errors: [{ field: "symbol", message }] });
}

const knownSymbols = cachedRead(
  REREAD_AFTER_MS,
  async ({ database }: Pick<ServerDeps, "database" | "now">): Promise<ReadonlySet<string>> => {
    const listing = await database.marketListings.findById("symbols").lean();
    return new Set<string>([...SYMBOL_SUGGESTIONS, ...(listing?.symbols ?? [])]);
  },
);

/** Suggestions at most. */
const MAX_SUGGESTIONS = 3;
/** One slip of the finger for every so many letters. */
const LETTERS_PER_SLIP = 3;

/** What traders and other platforms call the product's instruments, beside what is in the table of instruments. */
const OTHER_NAMES: Readonly<Partial<Record<Instrument["symbol"], readonly string[]>>> = {
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

/**
 * Known symbols that an unknown one may have been meant for, best first: the same letters otherwise written, another
 * name of the market, the same base, and what is a slip or two away. Of equals, the product's own come first.
 */
export function suggestSymbols(asked: string, known: Iterable<string>): string[] {
  const letters = lettersOf(asked);
  if (letters === "") return [];
  const ranked = [...known].flatMap((symbol) => {
    const rank = rankOf({ asked, letters, symbol });
    return rank === null ? [] : [{ symbol, rank: rank + (NAMES.has(symbol) ? 0 : FOREIGN) }];
  });
  ranked.sort((one, other) => one.rank - other.rank || compareSymbols(one.symbol, other.symbol));
  return ranked.slice(0, MAX_SUGGESTIONS).map(({ symbol }) => symbol);
}

/** What makes a symbol of others weigh less than one of the product's own that fits as well. */
const FOREIGN = 0.5;

/** 0 is best; null for a symbol that is not near. */
function rankOf({
  asked,
  letters,
  symbol,
}: {
  asked: string;
  letters: string;
  symbol: string;
}): number | null {
  const candidate = lettersOf(symbol);
  if (candidate === letters || NAMES.get(symbol)?.includes(letters)) return 0;
  const [base = "", quote = ""] = symbol.split("/");
  const [askedBase = "", askedQuote = ""] = asked.split(/[/.-]/);
  if (base === askedBase && quote !== "") return 1 + distance(askedQuote, quote) / 10;
  const slips = distance(letters, candidate);
  return slips <= Math.max(1, Math.floor(letters.length / LETTERS_PER_SLIP)) ? 1 + slips : null;
}

function compareSymbols(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
