import { TIMEFRAMES } from "@shared/contract/constants.ts";
import {
  CLASS_FACTS,
  INSTRUMENT_CLASSES,
  type InstrumentClass,
} from "@shared/contract/instruments.ts";
import {
  PERFORMANCE_PERIODS,
  type Performance,
  type PerformanceQuery,
  performanceQuerySchema,
} from "@shared/contract/performance.ts";
import { X } from "lucide-react";
import { PERFORMANCE_PARAMS, performanceParams } from "../../domain/performance-query.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/fields.tsx";

const periodLabels = {
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "365d": "1 year",
  all: "Whole record",
} as const;

/** `All metals`. */
const classLabel = (name: InstrumentClass): string =>
  `All ${CLASS_FACTS[name].title.toLowerCase()}`;

const analystLabels: Record<string, string> = { openai: "AI model", rules: "Rule-based" };

const recordOptions = [
  { value: "live", label: "Live data" },
  { value: "replay", label: "Demo data" },
] as const;
const periodOptions = PERFORMANCE_PERIODS.map((value) => ({ value, label: periodLabels[value] }));

interface FilterBarProps {
  filter: PerformanceQuery;
  recorded: Performance["recorded"] | undefined;
  onChange(filter: PerformanceQuery): void;
}

export function FilterBar({ filter, recorded, onChange }: FilterBarProps) {
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-3 xl:grid-cols-[repeat(6,1fr)_auto]">
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
      {selectsFor(filter, recorded).map((select) => (
        <SelectField
          key={select.label}
          label={select.label}
          value={choiceOf(filter, select.fields)}
          options={optionsOf(select)}
          onChange={(choice) => onChange(withChoice(filter, select.fields, choice))}
        />
      ))}
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

type Field = (typeof PERFORMANCE_PARAMS)[number];
type Choice = Partial<Record<Exclude<Field, "class">, string | undefined>> &
  Pick<Partial<PerformanceQuery>, "class">;

interface Select {
  label: string;
  fields: readonly Field[];
  choices: readonly Choice[];
  describe(choice: Choice): string;
}

/** The URL may name a market or an analyst that has no record, so the filter itself is a choice too. */
function selectsFor(filter: PerformanceQuery, recorded: FilterBarProps["recorded"]): Select[] {
  const { symbols = [], analysts = [] } = recorded ?? {};
  return [
    {
      label: "Market",
      fields: ["symbol", "class"],
      choices: [
        {},
        ...INSTRUMENT_CLASSES.map((name) => ({ class: name })),
        ...symbols.map((symbol) => ({ symbol })),
        filter,
      ],
      describe: ({ symbol, class: name }) => symbol ?? (name ? classLabel(name) : "All markets"),
    },
    {
      label: "Timeframe",
      fields: ["timeframe"],
      choices: [{}, ...TIMEFRAMES.map((timeframe) => ({ timeframe }))],
      describe: ({ timeframe }) => timeframe ?? "All timeframes",
    },
    {
      label: "Analyst",
      fields: ["analyst", "version"],
      choices: [{}, ...analysts.map(({ analyst }) => ({ analyst })), ...analysts, filter],
      describe: ({ analyst, version }) =>
        analyst
          ? [analystLabels[analyst] ?? analyst, version].filter(Boolean).join(" · ")
          : "All analysts",
    },
    {
      label: "Model",
      fields: ["model"],
      choices: [{}, ...analysts.map(({ model }) => ({ model })), filter],
      describe: ({ model }) => model ?? "All models",
    },
  ];
}

function optionsOf({ fields, choices, describe }: Select) {
  const labels = new Map(choices.map((choice) => [choiceOf(choice, fields), describe(choice)]));
  return [...labels].map(([value, label]) => ({ value, label }));
}

/** The fields that one select sets, as in a URL: `symbol=BTC%2FUSDT`; empty for all. */
export function choiceOf(choice: Choice, fields: readonly Field[]): string {
  const set = fields.flatMap((field) => (choice[field] ? [[field, choice[field]]] : []));
  return new URLSearchParams(set).toString();
}

export function withChoice(
  filter: PerformanceQuery,
  fields: readonly Field[],
  choice: string,
): PerformanceQuery {
  const params = performanceParams(filter);
  for (const field of fields) params.delete(field);
  return filterOf(new URLSearchParams(`${params}&${choice}`));
}

/** Parses the filters of a URL. Invalid values are dropped. */
export function filterOf(params: URLSearchParams): PerformanceQuery {
  const set = new Map(
    PERFORMANCE_PARAMS.map((name) => [name, params.get(name) ?? undefined] as const).filter(
      ([name, value]) => performanceQuerySchema.shape[name].safeParse(value).success,
    ),
  );
  if (set.get("analyst") === undefined) set.delete("version");
  return performanceQuerySchema.parse(Object.fromEntries(set));
}

export const withoutFilters = ({ data }: PerformanceQuery): PerformanceQuery => ({
  data,
  period: "all",
});

export const isFiltered = (filter: PerformanceQuery): boolean =>
  performanceParams(filter).toString() !== performanceParams(withoutFilters(filter)).toString();
