import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { AppError } from "@shared/node/app-error.ts";
import type { Database } from "@shared/node/database.ts";
import type { ServerDeps } from "../server-deps.ts";
import { suggestSymbols } from "./suggest-symbols.ts";

const REREAD_AFTER_MS = 30_000;

interface KnownSymbols {
  symbols: ReadonlySet<string>;
  readAt: number;
}
const knownByDatabase = new WeakMap<Database, KnownSymbols>();

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

async function knownSymbols(
  deps: Pick<ServerDeps, "database" | "now">,
): Promise<ReadonlySet<string>> {
  const nowMs = deps.now().getTime();
  const kept = knownByDatabase.get(deps.database);
  if (kept && nowMs - kept.readAt < REREAD_AFTER_MS) return kept.symbols;
  const listing = await deps.database.marketListings.findById("symbols").lean();
  const symbols = new Set<string>([...SYMBOL_SUGGESTIONS, ...(listing?.symbols ?? [])]);
  knownByDatabase.set(deps.database, { symbols, readAt: nowMs });
  return symbols;
}
