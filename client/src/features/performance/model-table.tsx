import type { ModelUsage, Performance, PerformanceQuery } from "@shared/contract/performance.ts";
import { formatCount, formatDollars } from "../../lib/format.ts";
import { TextLink } from "../../ui/button.tsx";
import { type Column, NumberTable } from "../../ui/table.tsx";

interface ModelTableProps extends Pick<Performance, "models"> {
  data: PerformanceQuery["data"];
}

/** What an analysis of each model takes, in tokens, money and time. */
export function ModelTable({ models, data }: ModelTableProps) {
  if (models.length === 0) return null;
  return (
    <section aria-label="Models" className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">Models</h2>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">
          Each model has its own record, in every version of its analyst. Open one to see how well
          it does, and how much is known of it. Tokens and cost are the mean of an analysis with all
          its calls, time is the median.
        </p>
      </div>
      <NumberTable
        caption="Cost, time and tokens of an analysis, by model"
        hidesCaption
        columns={columns}
        rows={models.map((model) => ({ ...model, data }))}
        keyOf={({ analyst, version, model }) => `${analyst}|${version}|${model}`}
      />
    </section>
  );
}

/** Unlike a dash, it says why there is no number. */
const NO_DATA = <span className="text-ink-faint">not enough data</span>;

type ModelRow = ModelUsage & Pick<PerformanceQuery, "data">;

const columns: readonly [Column<ModelRow>, ...Column<ModelRow>[]] = [
  {
    name: "Model",
    value: ({ analyst, version, model, data }) => (
      <>
        <TextLink to={analystPath({ analyst, version, model, data })}>{model}</TextLink>
        <span className="block text-xs font-normal text-ink-faint">{version}</span>
      </>
    ),
  },
  { name: "Analyses", isWide: true, value: ({ analyses }) => formatCount(analyses) },
  { name: "Tokens in", isWide: true, value: ({ prompt_tokens }) => formatTokens(prompt_tokens) },
  {
    name: "Tokens out",
    isWide: true,
    value: ({ completion_tokens }) => formatTokens(completion_tokens),
  },
  { name: "Cost", value: ({ cost_usd: usd }) => (usd === null ? NO_DATA : formatDollars(usd)) },
  { name: "Time", value: ({ latency_ms: ms }) => (ms === null ? NO_DATA : formatLatency(ms)) },
];

interface Author {
  analyst: string;
  version: string;
  model: string;
  data: PerformanceQuery["data"];
}

/** The page of one analyst version and model. */
export function analystPath({ data, ...author }: Author): string {
  return `/analyst?${new URLSearchParams({ ...author, ...(data !== "live" && { data }) })}`;
}

const formatTokens = (tokens: number | null) =>
  tokens === null ? NO_DATA : formatCount(Math.round(tokens));

const SECOND_MS = 1_000;

/** `8.4 s`, `350 ms`. */
const formatLatency = (latencyMs: number): string =>
  latencyMs < SECOND_MS
    ? `${formatCount(Math.round(latencyMs))} ms`
    : `${Number((latencyMs / SECOND_MS).toFixed(1))} s`;
