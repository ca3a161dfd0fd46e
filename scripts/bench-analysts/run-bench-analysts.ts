import type { Bench, BenchDetails } from "@shared/contract/analyst-bench.ts";
import { symbolSchema, timeframeSchema } from "@shared/contract/market-data.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { loadWorkerSettings, readDotEnv, readVariable } from "@shared/runtime/settings.ts";
import { z } from "zod";
import {
  type BenchArm,
  builtInArms,
  createBench,
  rulesArm,
} from "../../worker/src/analyst-bench/arms.ts";
import { readBenchFile } from "../../worker/src/analyst-bench/bench-file.ts";
import { replayBench } from "../../worker/src/analyst-bench/replay-bench.ts";
import { CandlesError, openCandles } from "../../worker/src/backtest/recorded-market.ts";
import { CliError, type Command, parseArguments, resolveTyped } from "../lib/cli.ts";

export const USAGE = `Usage: npm run bench-analysts -- --from 2026-01-01 --to 2026-02-01 [options]
  --from, --to           days in UTC, whose closes are judged; to is left out
  --symbol BTC/USDT      market
  --timeframe 1h         timeframe
  --file bench.json      arms of a bench file beside the built-in ones; its models are called and cost money
  --training-end a=2026-06-01
                         until when the model of the arm a was trained, once for each: candles before it prove nothing`;

const OPTIONS = {
  from: { type: "string" },
  to: { type: "string" },
  symbol: { type: "string" },
  timeframe: { type: "string" },
  file: { type: "string" },
  "training-end": { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

const dayWith = (message: string) => z.iso.date({ error: message });

const argsSchema = z.object({
  from: dayWith("is a day such as 2026-01-01"),
  to: dayWith("is a day such as 2026-02-01"),
  symbol: symbolSchema.default("BTC/USDT"),
  timeframe: timeframeSchema.default("1h"),
  file: z.string().min(1).optional(),
  "training-end": z
    .array(z.string().regex(/^[A-Za-z0-9_-]+=\d{4}-\d{2}-\d{2}$/, { error: "is arm=2026-06-01" }))
    .default([]),
});

/** Replays the bench over recorded candles, and prints how the arms compare. */
export async function main({ args, say, signal }: Command): Promise<number> {
  const { help, ...given } = parseArguments({ args: [...args], options: OPTIONS }, USAGE).values;
  if (help) {
    say(USAGE);
    return 0;
  }
  const parsed = argsSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(`--${issue?.path.join(".")}: ${issue?.message}\n${USAGE}`);
  }
  const { symbol, timeframe, file, "training-end": ends } = parsed.data;
  readDotEnv();
  const settings = loadWorkerSettings();
  const order = { symbol, timeframe, from: "recorded", bars: MAX_BARS, "warm-up": 300 } as const;
  const onFetched = () => undefined;
  const market = await openCandles(order, { settings, abort: signal, onFetched }).catch(
    (error: unknown) => {
      throw error instanceof CandlesError ? new CliError(error.message, { cause: error }) : error;
    },
  );
  const report = await replayBench({
    arms: armsOf(file, settings),
    markets: [market],
    from: Date.parse(parsed.data.from),
    to: Date.parse(parsed.data.to) - 1,
    costs: settings.TRADING_COSTS,
    abort: signal,
  });
  const trained = new Map(ends.map((end): [string, string] => [cut(end, 0), cut(end, 1)]));
  for (const line of describeBench(report, trained)) say(line);
  return 0;
}

const MAX_BARS = 100_000;

const cut = (text: string, part: number): string => text.split("=")[part] ?? "";

function armsOf(
  file: string | undefined,
  settings: ReturnType<typeof loadWorkerSettings>,
): readonly BenchArm[] {
  const bench = readBenchFile(file === undefined ? undefined : resolveTyped(file));
  if (!bench) return [rulesArm("rules", "Built-in rules"), ...builtInArms()];
  const logger = createLogger({ service: "bench-analysts", level: "silent" });
  return createBench(bench, { settings, database: null, logger, readVariable }).arms;
}

const format = (value: number | null, unit: string): string =>
  value === null ? "-" : `${value > 0 ? "+" : ""}${value.toFixed(2)}${unit}`;

/** @param trained until when the models of arms were trained */
export function describeBench(
  { bench, details }: { bench: Bench; details: BenchDetails },
  trained: ReadonlyMap<string, string>,
): string[] {
  const models = bench.arms.filter(({ analyst }) => analyst === "openai");
  const rows = bench.arms.map((arm) => {
    const { id, label, analyst, analyses, decided, failed, expectancy_r: mean } = arm;
    const end = analyst === "openai" ? (trained.get(id) ?? "unknown") : "none";
    const range = mean ? `${format(mean.low, "")} to ${format(mean.high, " R")}` : "too few trades";
    const figures = `${analyses} analyses, ${decided} decided, ${failed} failed`;
    const result = `${format(mean?.value ?? null, " R")} a trade (${range})`;
    return `${label}: ${figures}, ${result}, trained until ${end}`;
  });
  const pairs = bench.pairs.map(({ a, b, common, difference_r: { value }, conclusive }) => {
    const more = details.pairs.find((pair) => pair.a === a && pair.b === b)?.more_needed ?? null;
    const needed = more === null ? "not known" : `not known yet: about ${more} more trades`;
    const verdict = conclusive ? "known" : needed;
    return `${a} less ${b}: ${format(value, " R")} at ${common} common candles, ${verdict}`;
  });
  const warning =
    "Replayed, so only a hint. A model may have read what happened before its training ended: candles before that day prove nothing.";
  return [...rows, "", ...pairs, ...(models.length > 0 ? ["", warning] : [])];
}
