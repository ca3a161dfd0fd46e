import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import {
  loadSettings,
  productVersion,
  readDotEnv,
  type Settings,
  tradingCostTable,
} from "@shared/runtime/settings.ts";
import { SingleBar } from "cli-progress";
import type { Analyst } from "../../worker/src/analysis/analyst.ts";
import { promptProvenance } from "../../worker/src/analysis/openai/prompt.ts";
import { rulesAnalyst } from "../../worker/src/analysis/rules/rules-analyst.ts";
import { createAnalyst } from "../../worker/src/analysis/select-analyst.ts";
import { type CacheUse, cachedAnalyst } from "../../worker/src/backtest/cached-analyst.ts";
import { CandleFileError } from "../../worker/src/backtest/recorded-market.ts";
import { renderReport } from "../../worker/src/backtest/report/render-report.ts";
import type {
  BacktestOptions,
  BacktestReport,
} from "../../worker/src/backtest/report/report-schema.ts";
import { runBacktest } from "../../worker/src/backtest/run-backtest.ts";
import { ProviderError } from "../../worker/src/market-data/provider-error.ts";
import { CliError, resolveTyped } from "../lib/cli.mjs";
import { type Candles, openCandles } from "./open-candles.ts";
import { type BacktestArgs, parseBacktestArgs, USAGE } from "./parse-args.ts";

interface Command {
  args: readonly string[];
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Walks the candles that the command line asks for, and writes what came of it to a folder of its own.
 * @returns the report; null where only help was asked for
 * @throws CliError for orders that cannot be carried out
 */
export async function runBacktestCommand(command: Command): Promise<BacktestReport | null> {
  const orders = parseBacktestArgs(command.args);
  if (!orders) {
    command.say(USAGE);
    return null;
  }
  readDotEnv();
  const settings = loadSettings();
  const report = await inPlainWords(() => walk(command, { orders, settings }));
  const stamp = report.made_at.slice(0, 19).replaceAll(":", "-");
  const folder = orders.out
    ? resolveTyped(orders.out)
    : join(settings.DATA_DIR, "backtests", stamp);
  await mkdir(folder, { recursive: true });
  const json = join(folder, "report.json");
  const html = join(folder, "report.html");
  await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(html, renderReport(report));
  for (const line of [...describeReport(report), "", html, json]) command.say(line);
  return report;
}

async function walk(
  { say, signal }: Command,
  { orders, settings }: { orders: BacktestArgs; settings: Settings },
): Promise<BacktestReport> {
  const { analyst, cacheUse } = openAnalyst(orders.analyst, settings);
  const logger = createLogger({ part: "backtest", level: "silent" });
  const candles = await openCandles({
    orders,
    settings,
    logger,
    abort: signal,
    onCandles: (fetched) => say(`Fetched ${fetched} candles.`),
  });
  const { course } = candles;
  const bars = startProgress({
    label: "Walking",
    total: course.lastBar - course.firstBar + 1,
    say,
  });
  const chance = { label: "Random entries", total: orders.repetitions, say };
  let repetitions: ReturnType<typeof startProgress> | undefined;
  try {
    return await runBacktest({
      ...candles,
      options: optionsOf({ orders, settings, candles }),
      analyst,
      cacheUse,
      now: Date.now,
      productVersion: productVersion(),
      abort: signal,
      onBar: bars.step,
      onRepetition: () => {
        if (!repetitions) bars.end();
        repetitions ??= startProgress(chance);
        repetitions.step();
      },
    });
  } finally {
    if (repetitions) repetitions.end();
    else bars.end();
  }
}

function optionsOf({
  orders,
  settings,
  candles,
}: {
  orders: BacktestArgs;
  settings: Settings;
  candles: Candles;
}): BacktestOptions {
  const { symbol, timeframe, analyst, bars, every, limit, amount, leverage } = orders;
  return {
    ...{ symbol, timeframe, analyst, bars, every, limit, amount, leverage },
    from: orders.csv === undefined ? orders.from : "csv",
    warm_up: candles.course.firstBar + 1,
    risk_percent: orders.risk,
    costs: orders.costs ?? tradingCostTable(settings)[instrumentClass(symbol)],
    seed: orders.seed,
    repetitions: orders.repetitions,
  };
}

/** What a file or a provider has to say against it is one line for whoever typed the command. */
async function inPlainWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CandleFileError || error instanceof ProviderError) {
      throw new CliError(error.message, { cause: error });
    }
    throw error;
  }
}

/**
 * The analyst by that name, as the settings make it.
 * @throws CliError for a model without a key
 */
export function openAnalyst(
  name: "rules" | "openai",
  settings: Settings,
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

const signed = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
}).format;

/** A report in a few lines; the rest is in its files. */
export function describeReport(report: BacktestReport): string[] {
  const { options, analyst, figures, atr_rule: rule, random, hold, verdict } = report;
  const { counts } = figures;
  const { total_r: band } = random;
  const asked = `${analyst.name} was asked at ${analyst.asked} of ${report.bars} closes`;
  const calls = analyst.calls
    ? ` (${analyst.calls.made} calls, ${analyst.calls.kept} answers kept from before)`
    : "";
  return [
    `${options.symbol} ${options.timeframe}, ${report.data.from} to ${report.data.to}`,
    `${asked}${calls}: ${counts.wins} won, ${counts.losses} lost, ${counts.expired} expired, ${counts.not_filled} not filled.`,
    `Analyst ${signed(figures.total_r)} R (${signed(figures.result_usd)} USD), ATR rule ${signed(rule.total_r)} R, holding ${signed(hold.return_percent)}%.`,
    ...(band
      ? [
          `Random entries ${signed(band.mean)} R on average, 90% of them between ${signed(band.low)} and ${signed(band.high)}.`,
        ]
      : []),
    verdict,
  ];
}

/** How far a piece of work has come. */
export interface Progress {
  step(): void;
  end(): void;
}

const BAR_FORMAT = "{label} [{bar}] {value}/{total} · {eta_formatted} left";

/** Lines without a terminal: one for every tenth. */
const LINES = 10;

/** A bar on a terminal, a few lines anywhere else. */
export function startProgress(options: {
  label: string;
  total: number;
  say: (line: string) => void;
  stream?: NodeJS.WriteStream;
}): Progress {
  const { label, total, say, stream = process.stderr } = options;
  return stream.isTTY ? startBar({ label, total, stream }) : startLines({ label, total, say });
}

function startBar(options: { label: string; total: number; stream: NodeJS.WriteStream }): Progress {
  const { label, total, stream } = options;
  const bar = new SingleBar({
    format: BAR_FORMAT,
    stream,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    gracefulExit: false,
  });
  bar.start(total, 0, { label });
  return { step: () => bar.increment(), end: () => bar.stop() };
}

function startLines(options: {
  label: string;
  total: number;
  say: (line: string) => void;
}): Progress {
  const { label, total, say } = options;
  let done = 0;
  return {
    step() {
      done += 1;
      const isTenth = Math.floor((done * LINES) / total) > Math.floor(((done - 1) * LINES) / total);
      if (isTenth) say(`${label}: ${done} of ${total}`);
    },
    end: () => undefined,
  };
}
