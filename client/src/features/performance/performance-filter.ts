import { INSTRUMENT_CLASSES } from "@shared/contract/instruments.ts";
import { type PerformanceQuery, performanceQuerySchema } from "@shared/contract/performance.ts";
import { PERFORMANCE_PARAMS, performanceParams } from "../../lib/performance/performance-params.ts";

/** The filters that an address asks for; what it says wrongly is left out. */
export function filterOf(params: URLSearchParams): PerformanceQuery {
  const given = new Map(
    PERFORMANCE_PARAMS.map((name) => [name, params.get(name) ?? undefined] as const).filter(
      ([name, value]) => performanceQuerySchema.shape[name].safeParse(value).success,
    ),
  );
  if (given.get("analyst") === undefined) given.delete("version");
  return performanceQuerySchema.parse(Object.fromEntries(given));
}

/** The record of everything, of the same kind of data. */
export const withoutFilters = ({ data }: PerformanceQuery): PerformanceQuery => ({
  data,
  period: "all",
});

export const isFiltered = (filter: PerformanceQuery): boolean =>
  performanceParams(filter).toString() !== performanceParams(withoutFilters(filter)).toString();

const ALL = "all";
const CLASS_PREFIX = "class:";

/** Symbol and class as one choice: `all`, `class:crypto`, `BTC/USDT`. */
export function marketOf({ symbol, class: wanted }: PerformanceQuery): string {
  return symbol ?? (wanted ? CLASS_PREFIX + wanted : ALL);
}

export function withMarket(filter: PerformanceQuery, market: string): PerformanceQuery {
  const { symbol: _symbol, class: _class, ...rest } = filter;
  if (market === ALL) return rest;
  const wanted = INSTRUMENT_CLASSES.find((name) => CLASS_PREFIX + name === market);
  return wanted ? { ...rest, class: wanted } : { ...rest, symbol: market };
}

/** The choice of a class. */
export const classChoice = (name: string): string => CLASS_PREFIX + name;
export const ALL_MARKETS = ALL;
