import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { INSTRUMENT_CLASSES } from "@shared/contract/instruments.ts";
import {
  PERFORMANCE_PERIODS,
  type Performance,
  type PerformanceQuery,
  performanceQuerySchema,
} from "@shared/contract/performance.ts";
import { analystNameSchema } from "@shared/contract/status.ts";
import { X } from "lucide-react";
import { PERFORMANCE_PARAMS, performanceParams } from "../../lib/performance-query.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/select-field.tsx";

const periodLabels = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "365d": "1 year",
  all: "Whole record",
} as const;

const classLabels = {
  crypto: "All crypto",
  forex: "All forex",
  metal: "All metals",
  index: "All indices",
  oil: "All oil",
} as const;

const analystLabels: Record<string, string> = { openai: "AI model", rules: "Rule-based" };

const ALL = "all";
const CLASS_PREFIX = "class:";

const recordOptions = [
  { value: "live", label: "Live data" },
  { value: "replay", label: "Demo data" },
] as const;
const periodOptions = PERFORMANCE_PERIODS.map((value) => ({ value, label: periodLabels[value] }));
const timeframeOptions = [
  { value: ALL, label: "All timeframes" },
  ...TIMEFRAMES.map((value) => ({ value, label: value })),
] as const;

interface FilterBarProps {
  filter: PerformanceQuery;
  recorded: Performance["recorded"] | undefined;
  onChange(filter: PerformanceQuery): void;
}

export function FilterBar({ filter, recorded, onChange }: FilterBarProps) {
  const { timeframe, analyst: _analyst, version: _version, ...market } = filter;
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 xl:grid-cols-[repeat(5,1fr)_auto]">
      <SelectField
        label="Record"
        value={filter.data}
        options={recordOptions}
        onChange={(data) => onChange({ ...withoutFilters(filter), period: filter.period, data })}
      />
      <SelectField
        label="Period"
        value={filter.period}
        options={periodOptions}
        onChange={(period) => onChange({ ...filter, period })}
      />
      <SelectField
        label="Market"
        value={marketOf(filter)}
        options={marketOptions(filter, recorded)}
        onChange={(choice) => onChange(withMarket(filter, choice))}
      />
      <SelectField
        label="Timeframe"
        value={timeframe ?? ALL}
        options={timeframeOptions}
        onChange={(choice) => {
          const { timeframe: _timeframe, ...rest } = filter;
          onChange(choice === ALL ? rest : { ...rest, timeframe: choice });
        }}
      />
      <SelectField
        label="Analyst"
        value={authorOf(filter)}
        options={authorOptions(filter, recorded)}
        onChange={(choice) =>
          onChange({ ...market, ...(timeframe && { timeframe }), ...authorFilter(choice) })
        }
      />
      {isFiltered(filter) && (
        <Button
          Icon={X}
          variant="ghost"
          className="h-11 justify-self-start"
          onClick={() => onChange(withoutFilters(filter))}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

function marketOptions(filter: PerformanceQuery, recorded: FilterBarProps["recorded"]) {
  const symbols = new Set(recorded?.symbols);
  if (filter.symbol) symbols.add(filter.symbol);
  return [
    { value: ALL, label: "All markets" },
    ...INSTRUMENT_CLASSES.map((name) => ({ value: CLASS_PREFIX + name, label: classLabels[name] })),
    ...[...symbols].map((symbol) => ({ value: symbol, label: symbol })),
  ];
}

interface Author {
  analyst?: string | undefined;
  version?: string | undefined;
}

const authorOf = ({ analyst, version }: Author): string =>
  [analyst ?? ALL, analyst && version].filter(Boolean).join(" ");

const authorLabel = ({ analyst = "", version }: Author): string =>
  [analystLabels[analyst] ?? analyst, version].filter(Boolean).join(" · ");

function authorOptions(filter: PerformanceQuery, recorded: FilterBarProps["recorded"]) {
  const known = recorded?.analysts ?? [];
  const authors = [
    ...known.map(({ analyst }) => ({ analyst })),
    ...known,
    ...(filter.analyst ? [filter] : []),
  ];
  const labels = new Map(authors.map((author) => [authorOf(author), authorLabel(author)]));
  return [
    { value: ALL, label: "All analysts" },
    ...[...labels].map(([value, label]) => ({ value, label })),
  ];
}

/** Parses a choice of `authorOf`. A version may contain spaces. */
function authorFilter(choice: string): Pick<PerformanceQuery, "analyst" | "version"> {
  const [name, ...rest] = choice.split(" ");
  const analyst = analystNameSchema.safeParse(name).data;
  const version = rest.join(" ");
  return { ...(analyst && { analyst }), ...(analyst && version && { version }) };
}

/** Parses the filters of a URL. Invalid values are dropped. */
export function filterOf(params: URLSearchParams): PerformanceQuery {
  const given = new Map(
    PERFORMANCE_PARAMS.map((name) => [name, params.get(name) ?? undefined] as const).filter(
      ([name, value]) => performanceQuerySchema.shape[name].safeParse(value).success,
    ),
  );
  if (given.get("analyst") === undefined) given.delete("version");
  return performanceQuerySchema.parse(Object.fromEntries(given));
}

export const withoutFilters = ({ data }: PerformanceQuery): PerformanceQuery => ({
  data,
  period: "all",
});

export const isFiltered = (filter: PerformanceQuery): boolean =>
  performanceParams(filter).toString() !== performanceParams(withoutFilters(filter)).toString();

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
