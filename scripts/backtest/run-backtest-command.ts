import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SIGNAL_DEFAULTS, SIGNAL_LIMITS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { symbolSchema, timeframeSchema } from "@shared/contract/market-data.ts";
import {
  loadWorkerSettings,
  productVersion,
  readDotEnv,
  tradingCostsTextSchema,
  type WorkerSettings,
} from "@shared/runtime/settings.ts";
import { z } from "zod";
import type { Analyst } from "../../worker/src/analysis/analyst.ts";
import { promptProvenance } from "../../worker/src/analysis/openai/prompt.ts";
import { rulesAnalyst } from "../../worker/src/analysis/rules/rules-analyst.ts";
import { createAnalyst } from "../../worker/src/analysis/select-analyst.ts";
import { type CacheUse, cachedAnalyst } from "../../worker/src/backtest/analyst-strategy.ts";
import { CandlesError, openCandles } from "../../worker/src/backtest/recorded-market.ts";
import {
  type BacktestOptions,
  type BacktestReport,
  describeReport,
} from "../../worker/src/backtest/report.ts";
import { runBacktest } from "../../worker/src/backtest/run-backtest.ts";
import { ProviderError } from "../../worker/src/market-data/market-data.ts";
import { CliError, type Command, EXIT_STOPPED, parseArguments, resolveTyped } from "../lib/cli.ts";

export async function main(command: Command): Promise<number> {
  const report = await runBacktestCommand(command);
  return report?.stopped_early ? EXIT_STOPPED : 0;
}

/** Writes its report into a new folder; null if the arguments ask for help. */
export async function runBacktestCommand(command: Command): Promise<BacktestReport | null> {
  const args = parseBacktestArgs(command.args);
  if (!args) {
    command.say(USAGE);
    return null;
  }
  readDotEnv();
  const settings = loadWorkerSettings();
  const report = await simulate(args, settings, command).catch((error: unknown) => {
    const isExpected = error instanceof CandlesError || error instanceof ProviderError;
    throw isExpected ? new CliError(error.message, { cause: error }) : error;
  });
  const stamp = report.made_at.slice(0, 19).replaceAll(":", "-");
  const folder = args.out ? resolveTyped(args.out) : join(settings.DATA_DIR, "backtests", stamp);
  await mkdir(folder, { recursive: true });
  const json = join(folder, "report.json");
  await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  for (const line of [...describeReport(report), "", json]) command.say(line);
  return report;
}

async function simulate(
  args: BacktestArgs,
  settings: WorkerSettings,
  { say, signal }: Command,
): Promise<BacktestReport> {
  const { analyst, cacheUse } = openAnalyst(args.analyst, settings);
  const candles = await openCandles(args, {
    settings,
    abort: signal,
    onFetched: (count) => say(`Fetched ${count} candles.`),
  });
  const { firstBar, lastBar } = candles.course;
  const { symbol, timeframe, bars, every, limit, amount, leverage } = args;
  const options: BacktestOptions = {
    symbol,
    timeframe,
    analyst: args.analyst,
    bars,
    every,
    limit,
    amount,
    leverage,
    from: args.csv === undefined ? args.from : "csv",
    warm_up: firstBar + 1,
    risk_percent: args.risk,
    costs: args.costs ?? settings.TRADING_COSTS[instrumentClass(symbol)],
    seed: args.seed,
    repetitions: args.repetitions,
  };
  return runBacktest({
    ...candles,
    options,
    analyst,
    cacheUse,
    now: Date.now,
    productVersion: productVersion(),
    abort: signal,
    onBar: progress("Walking", lastBar - firstBar + 1, say),
    onRepetition: progress("Random entries", args.repetitions, say),
  });
}

function openAnalyst(
  name: BacktestArgs["analyst"],
  settings: WorkerSettings,
): { analyst: Analyst; cacheUse: CacheUse | null } {
  if (name === "rules") return { analyst: rulesAnalyst, cacheUse: null };
  if (!settings.OPENAI_API_KEY) {
    throw new CliError("--analyst openai: needs OPENAI_API_KEY in the environment or in .env.");
  }
  const { analyst, use } = cachedAnalyst({
    analyst: createAnalyst(settings),
    model: settings.OPENAI_MODEL,
    promptOf: promptProvenance,
    directory: join(settings.DATA_DIR, "backtest-cache"),
  });
  return { analyst, cacheUse: use };
}

function progress(label: string, total: number, say: (line: string) => void): () => void {
  let done = 0;
  return () => {
    done += 1;
    const tenths = Math.floor((done * 10) / total);
    if (tenths > Math.floor(((done - 1) * 10) / total)) say(`${label}: ${done} of ${total}`);
  };
}

export const USAGE = `Usage: npm run backtest -- [options]
  --symbol BTC/USDT      market
  --timeframe 1h         ${TIMEFRAMES.join(", ")}
  --analyst rules        rules, or openai (needs OPENAI_API_KEY; answers are cached, so that a rerun is free)
  --from recorded        recorded: the product's own recordings; provider: fetched from the live providers of the settings
  --csv file             your own candles: time (Unix ms),open,high,low,close,volume
  --bars 1000            maximum number of closes to decide on
  --warm-up 300          candles before them, for the indicators; 30 to 300
  --every 1              decide at every n-th close only
  --limit 50             candles that the analyst gets
  --amount 100 --risk 1 --leverage 1
                         USD, percent of it at risk, leverage
  --costs 0.01,0.05      spread and commission of each side, percent; those of the settings by default
  --seed 1 --repetitions 200
                         of the random entries
  --out folder           for report.json; DATA_DIR/backtests/<time> by default`;

const numberIn = (range: { min: number; max: number }) =>
  z.coerce.number().min(range.min).max(range.max);
const wholeNumber = (range: { min: number; max: number }) => numberIn(range).int();

const argsSchema = z.object({
  symbol: symbolSchema.default(SIGNAL_DEFAULTS.symbol),
  timeframe: timeframeSchema.default(SIGNAL_DEFAULTS.timeframe),
  analyst: z.enum(["rules", "openai"]).default("rules"),
  from: z.enum(["recorded", "provider"]).default("recorded"),
  csv: z.string().min(1).optional(),
  bars: wholeNumber({ min: 1, max: 100_000 }).default(1_000),
  "warm-up": wholeNumber({ min: 30, max: 300 }).default(300),
  every: wholeNumber({ min: 1, max: 10_000 }).default(1),
  limit: wholeNumber(SIGNAL_LIMITS.limit).default(SIGNAL_DEFAULTS.limit),
  amount: z.coerce.number().positive().max(1e12).default(SIGNAL_DEFAULTS.amount),
  risk: z.coerce
    .number()
    .positive()
    .max(SIGNAL_LIMITS.riskPercent.max)
    .default(SIGNAL_DEFAULTS.riskPercent),
  leverage: numberIn(SIGNAL_LIMITS.leverage).default(SIGNAL_DEFAULTS.leverage),
  costs: tradingCostsTextSchema.optional(),
  seed: wholeNumber({ min: 0, max: 2 ** 31 - 1 }).default(1),
  repetitions: wholeNumber({ min: 1, max: 10_000 }).default(200),
  out: z.string().min(1).optional(),
});
export type BacktestArgs = z.infer<typeof argsSchema>;

export function parseBacktestArgs(args: readonly string[]): BacktestArgs | null {
  const names = Object.keys(argsSchema.shape);
  const text = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const options = { ...text, help: { type: "boolean" as const, short: "h" } };
  const { help, ...given } = parseArguments({ args: [...args], options }, USAGE).values;
  if (help) return null;
  const parsed = argsSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new CliError(`--${issue?.path.join(".")}: ${issue?.message}`);
  }
  if (parsed.data.csv !== undefined && parsed.data.from === "provider") {
    throw new CliError("--csv: is a file, and --from provider asks for live providers.");
  }
  const { csv, ...others } = parsed.data;
  return { ...others, ...(csv !== undefined && { csv: resolveTyped(csv) }) };
}
