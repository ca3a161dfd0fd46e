import { instrumentClass } from "@shared/contract/instruments.ts";
import type { PerformanceQuery } from "@shared/contract/performance.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import type { RecordedKind } from "../models/performance.ts";
import type { EndedAnalysis } from "./ended-analyses.ts";

/** Analyses without an analyst version. */
export const UNVERSIONED = "unversioned";

const ANY = "*";
const ofClass = (name: string) => `class:${name}`;

interface SeriesParts {
  data: string;
  market: string;
  timeframe: string;
  analyst: string;
  version: string;
}

const keyOf = ({ data, market, timeframe, analyst, version }: SeriesParts): string =>
  [data, market, timeframe, analyst, version].join("|");

/** Data of an analysis; one that failed before any came counts against the live record, rather than against none. */
const dataOf = ({ result: { analysis } }: EndedAnalysis): MarketDataSource =>
  analysis.source.data === "replay" ? "replay" : "live";

/** The series that holds what a query asks for; null where its symbol and its class exclude each other. */
export function seriesOf(query: PerformanceQuery): string | null {
  const { data, symbol, class: wanted, timeframe = ANY, analyst = ANY, version = ANY } = query;
  if (symbol && wanted && instrumentClass(symbol) !== wanted) return null;
  const market = symbol ?? (wanted ? ofClass(wanted) : ANY);
  return keyOf({ data, market, timeframe, analyst, version });
}

/** Every series that an analysis belongs to, one for each choice of filters that it fits. */
export function seriesKeysOf(ended: EndedAnalysis): string[] {
  const { symbol, timeframe } = ended;
  const { analyst, analyst_version: version = UNVERSIONED } = ended.result.analysis.source;
  const data = dataOf(ended);
  const markets = [symbol, ofClass(instrumentClass(symbol)), ANY];
  const authors = [
    { analyst, version },
    { analyst, version: ANY },
    { analyst: ANY, version: ANY },
  ];
  return markets.flatMap((market) =>
    [timeframe, ANY].flatMap((length) =>
      authors.map((author) => keyOf({ data, market, timeframe: length, ...author })),
    ),
  );
}

/** What an analysis adds to the choices of the filters; null for one that no analyst made. */
export function recordedKindOf(ended: EndedAnalysis): RecordedKind | null {
  const { analyst, analyst_version: version = UNVERSIONED } = ended.result.analysis.source;
  return analyst === "none"
    ? null
    : { data: dataOf(ended), symbol: ended.symbol, analyst, version };
}
