import { instrumentClass } from "@shared/contract/instruments.ts";
import type { PerformanceQuery } from "@shared/contract/performance.ts";
import type { SignalSource } from "@shared/contract/signal.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import type { RecordedKind } from "../database/models/performance.ts";

interface RecordedAnalysis {
  symbol: string;
  timeframe: string;
  result: { analysis: { source: Pick<SignalSource, "data" | "analyst" | "analyst_version"> } };
}

/** Version of analyses without one. */
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

/** An analysis that failed before it had data counts as live. */
const dataOf = ({ result }: RecordedAnalysis): MarketDataSource =>
  result.analysis.source.data === "replay" ? "replay" : "live";

/** The series of a query; null if its symbol and its class exclude each other. */
export function seriesOf(query: PerformanceQuery): string | null {
  const { data, symbol, class: wanted, timeframe = ANY, analyst = ANY, version = ANY } = query;
  if (symbol && wanted && instrumentClass(symbol) !== wanted) return null;
  const market = symbol ?? (wanted ? ofClass(wanted) : ANY);
  return keyOf({ data, market, timeframe, analyst, version });
}

/** All series of an analysis: one for each combination of filters that includes it. */
export function seriesKeysOf(analysis: RecordedAnalysis): string[] {
  const { symbol, timeframe } = analysis;
  const { analyst, analyst_version: version = UNVERSIONED } = analysis.result.analysis.source;
  const data = dataOf(analysis);
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

/** The filter choices that an analysis adds; null if no analyst made it. */
export function recordedKindOf(analysis: RecordedAnalysis): RecordedKind | null {
  const { analyst, analyst_version: version = UNVERSIONED } = analysis.result.analysis.source;
  return analyst === "none"
    ? null
    : { data: dataOf(analysis), symbol: analysis.symbol, analyst, version };
}
