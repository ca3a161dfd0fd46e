import {
  CLASS_FACTS,
  INSTRUMENTS,
  type Instrument,
  instrumentClass,
  LISTED_CLASSES,
} from "@shared/contract/instruments.ts";
import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { queryClient } from "../lib/query-client.ts";
import { browserStorage } from "../lib/session.ts";
import { meQuery, useMe } from "./me.ts";

const savedSymbolsSchema = z.object({ recent: z.array(z.string()) });
type SavedSymbols = z.infer<typeof savedSymbolsSchema>;

const NONE: SavedSymbols = { recent: [] };
const MAX_RECENT = 5;

const NAME = "symbols";
const storedSchema = z.object({ byUser: z.record(z.string(), savedSymbolsSchema) });
type Stored = z.infer<typeof storedSchema>;

/** What this browser keeps for each of its users, the same in all tabs. */
const useStored = create<Stored>()(
  persist((): Stored => ({ byUser: {} }), {
    name: NAME,
    storage: createJSONStorage(browserStorage),
    merge: (stored) => storedSchema.safeParse(stored).data ?? { byUser: {} },
  }),
);

// A change writes what all users have, so changes of other tabs are read first.
globalThis.addEventListener?.("storage", ({ key }) => {
  if (key === null || key === NAME) void useStored.persist.rehydrate();
});

export function useRecentSymbols(): readonly string[] {
  const username = useMe()?.username ?? "";
  return useStored(({ byUser }) => byUser[username] ?? NONE).recent;
}

export function addRecent(symbol: string): void {
  const username = queryClient.getQueryData(meQuery.queryKey)?.username;
  if (username === undefined) return;
  useStored.setState(({ byUser }) => {
    const { recent: before } = byUser[username] ?? NONE;
    const others = before.filter((other) => other !== symbol);
    return {
      byUser: { ...byUser, [username]: { recent: [symbol, ...others].slice(0, MAX_RECENT) } },
    };
  });
}

export interface SymbolGroup {
  title: string;
  symbols: string[];
}

/** The user's own symbols. */
interface OwnSymbols {
  watched: readonly string[];
  recent: readonly string[];
}

/** The symbols that match the query. Without one, watched and recent symbols come first, each symbol once. */
export function symbolGroups(query: string, own: OwnSymbols): SymbolGroup[] {
  const { watched, recent } = query === "" ? own : { watched: [], recent: [] };
  const isListed = (symbol: string) => watched.includes(symbol) || recent.includes(symbol);
  const classes = LISTED_CLASSES.map((wanted) => ({
    title: CLASS_FACTS[wanted].title,
    symbols: INSTRUMENTS.filter((one) => one.class === wanted && matchesInstrument(one, query))
      .map(({ symbol }) => symbol)
      .filter((symbol) => !isListed(symbol)),
  }));
  return [
    { title: "Watched", symbols: [...new Set(watched)] },
    { title: "Recent", symbols: recent.filter((symbol) => !watched.includes(symbol)) },
    ...classes,
  ].filter(({ symbols }) => symbols.length > 0);
}

/** Shorter queries list suggestions only. */
const MIN_NAME_LENGTH = 2;

function matchesInstrument({ symbol, name, isSuggested }: Instrument, query: string): boolean {
  if (isSuggested) return matchesSymbol(symbol, query);
  const start = query.trim().toLowerCase();
  if (start.length < MIN_NAME_LENGTH) return false;
  return [symbol, name].some((text) => text.toLowerCase().startsWith(start));
}

export const optionId = (listId: string, symbol: string): string => `${listId}-${symbol}`;

export const matchesSymbol = (symbol: string, query: string): boolean =>
  symbol.toLowerCase().includes(query.trim().toLowerCase());

/** What a position of the symbol counts. */
export function unitName(symbol: string): string {
  const [base = "", quote] = symbol.split("/");
  return quote === undefined ? (CLASS_FACTS[instrumentClass(symbol)].units ?? "units") : base;
}
