import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { instrumentClass } from "@shared/contract/instruments.ts";
import {
  loadWorkerSettings,
  productVersion,
  readDotEnv,
  tradingCostTable,
  type WorkerSettings,
} from "@shared/runtime/settings.ts";
import type { Analyst } from "../../worker/src/analysis/analyst.ts";
import { promptProvenance } from "../../worker/src/analysis/openai/prompt.ts";
import { rulesAnalyst } from "../../worker/src/analysis/rules/rules-analyst.ts";
import { createAnalyst } from "../../worker/src/analysis/select-analyst.ts";
import { type CacheUse, cachedAnalyst } from "../../worker/src/backtest/analyst-strategy.ts";
import { CandleFileError } from "../../worker/src/backtest/recorded-market.ts";
import type { BacktestOptions, BacktestReport } from "../../worker/src/backtest/report-schema.ts";
import { runBacktest } from "../../worker/src/backtest/run-backtest.ts";
import { ProviderError } from "../../worker/src/market-data/market-data.ts";
import { CliError, type Command, EXIT_STOPPED, resolveTyped } from "../lib/cli.ts";
import { openCandles } from "./open-candles.ts";
import { type BacktestArgs, parseBacktestArgs, USAGE } from "./parse-args.ts";

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
    const isExpected = error instanceof CandleFileError || error instanceof ProviderError;
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
  const candles = await openCandles(args, settings, { say, signal });
  const { firstBar, lastBar } = candles.course;
  const { symbol, timeframe, bars, every, limit, amount, leverage } = args;
  const options: BacktestOptions = {
    ...{ symbol, timeframe, analyst: args.analyst, bars, every, limit, amount, leverage },
    from: args.csv === undefined ? args.from : "csv",
    warm_up: firstBar + 1,
    risk_percent: args.risk,
    costs: args.costs ?? tradingCostTable(settings)[instrumentClass(symbol)],
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

const signed = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
}).format;

function describeReport(report: BacktestReport): string[] {
  const { options, analyst, figures, atr_rule: rule, random, hold, verdict } = report;
  const { counts } = figures;
  const { total_r: band } = random;
  const calls = analyst.calls
    ? ` (${analyst.calls.made} calls, ${analyst.calls.kept} answers kept from before)`
    : "";
  const trades = `${counts.wins} won, ${counts.losses} lost, ${counts.expired} expired, ${counts.not_filled} not filled`;
  return [
    `${options.symbol} ${options.timeframe}, ${report.data.from} to ${report.data.to}`,
    `${analyst.name} was asked at ${analyst.asked} of ${report.bars} closes${calls}: ${trades}.`,
    `Analyst ${signed(figures.total_r)} R (${signed(figures.result_usd)} USD), ATR rule ${signed(rule.total_r)} R, holding ${signed(hold.return_percent)}%.`,
    ...(band
      ? [
          `Random entries ${signed(band.mean)} R on average, 90% of them between ${signed(band.low)} and ${signed(band.high)}.`,
        ]
      : []),
    verdict,
    ...report.caveats.map((caveat) => `- ${caveat}`),
  ];
}
