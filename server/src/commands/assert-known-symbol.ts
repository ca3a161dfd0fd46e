import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { ServerDeps } from "../server-deps.ts";
import { cachedRead } from "./cached-read.ts";
import { suggestSymbols } from "./suggest-symbols.ts";

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
