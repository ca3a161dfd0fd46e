import { INSTRUMENT_CLASSES } from "@shared/contract/instruments.ts";
import { type PerformanceQuery, performanceQuerySchema } from "@shared/contract/performance.ts";

const NAMES = ["data", "period", "symbol", "class", "timeframe", "analyst", "version"] as const;

/** The filters that an address asks for; what it says wrongly is left out. */
export function filterOf(params: URLSearchParams): PerformanceQuery {
  const given = new Map(
    NAMES.map((name) => [name, params.get(name) ?? undefined] as const).filter(
      ([name, value]) => performanceQuerySchema.shape[name].safeParse(value).success,
    ),
  );
  if (given.get("analyst") === undefined) given.delete("version");
  return performanceQuerySchema.parse(Object.fromEntries(given));
}

/** The address of filters; what is the default anyway is not written. */
export function paramsOf(filter: PerformanceQuery): URLSearchParams {
  const params = new URLSearchParams();
  const defaults: Record<string, string> = { data: "live", period: "all" };
  for (const name of NAMES) {
    const value = filter[name];
    if (value !== undefined && value !== defaults[name]) params.set(name, value);
  }
  return params;
}

/** The record of everything, of the same kind of data. */
export const withoutFilters = ({ data }: PerformanceQuery): PerformanceQuery => ({
  data,
  period: "all",
});

export const isFiltered = (filter: PerformanceQuery): boolean =>
  paramsOf(filter).toString() !== paramsOf(withoutFilters(filter)).toString();

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
